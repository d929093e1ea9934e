"""Write one self-contained HTML file: the picture of the verdict, and findings that the reader can open."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TextIO

from isogloss.cli.checking.groups import FindingGroup, group_key
from isogloss.cli.checking.summary import Run
from isogloss.cli.checking.survey import DeviationPath
from isogloss.cli.elements.places import kind_and_path, place
from isogloss.cli.elements.skipping import skipped_lines
from isogloss.cli.pages.cases import cases, standings
from isogloss.cli.pages.entries import Entry, anchor, filters, group_by_rule, mark_excerpt
from isogloss.cli.pages.picture import picture
from isogloss.cli.pages.rendering import NO_TRAFFIC, render_page, severity_figures
from isogloss.cli.reporters.advice import dialects_known_for
from isogloss.cli.reporters.text import (
    explaining_dialects,
    gone_as_text,
    known_findings,
    rates_as_text,
    seen_to_break,
    size,
    summary,
)
from isogloss.validator.quoting import count_of, printable

__all__ = ["report"]


def report(run: Run, out: TextIO) -> None:
    """Write the page: verdict, cases of a probe, picture, findings by rule, files, and what was skipped."""
    groups = run.groups()
    files = sorted({file for group in groups for file in group.files})
    file_numbers = {file: number for number, file in enumerate(files)}
    unit = "file" if run.cases is None else "answer"
    entries = [_entry(group, file_numbers, _speakers(group, run), unit) for group in groups]
    anchors = {_deviation(group): entry.anchor for group, entry in reversed([*zip(groups, entries, strict=True)])}
    groups_by_file = Counter(file for group in groups for file in group.files)
    parts = group_by_rule(entries, {group.first.rule: group.rate for group in groups if group.rate is not None})
    anchor_of = {group_key(group.first): entry.anchor for group, entry in zip(groups, entries, strict=True)}
    out.write(
        render_page(
            "check.html",
            title=run.verdict,
            summary=summary(run).removeprefix(f"{run.verdict}: "),
            checked=size(run) + known_findings(run),
            figures=[*standings(run.cases or ()), *severity_figures(run.severities)] if run.exchanges else [],
            tone="bad" if run.failed else "good" if run.has_verdict else "none",
            picture=picture(run.survey, anchors) if run.survey is not None else None,
            rates=rates_as_text(run),
            gone=gone_as_text(run.known),
            parts=parts,
            nothing=_empty_text(run),
            filters=filters(parts, [printable(file) for file in files], unit=unit),
            files=[(printable(file), run.checked.get(file, 0), groups_by_file[file]) for file in files],
            skipped=[] if run.cases else skipped_lines(run.skipped, run.checked),
            cases=cases(run.cases or (), lambda finding: anchor_of[group_key(finding)]),
        )
    )


def _empty_text(run: Run) -> str:
    """Return the text of a page without findings."""
    if run.cases and not run.exchanges:
        return f"The server answered no case: {printable(run.cases[0].reason)}."
    if not run.exchanges:
        return NO_TRAFFIC
    return "None to report."


def _deviation(group: FindingGroup) -> DeviationPath:
    return DeviationPath(group.first.rule, group.first.kind, group.first.path)


def _speakers(group: FindingGroup, run: Run) -> list[str]:
    """Return the dialects whose exchanges show the deviation of a group of findings, and those that explain them."""
    cells = run.survey.cells.get(_deviation(group), {}) if run.survey is not None else {}
    return sorted({*cells, *group.dialects})


def _entry(group: FindingGroup, file_numbers: Mapping[str, int], dialects: list[str], unit: str) -> Entry:
    first = group.first
    in_files = f" in {count_of(len(group.files), unit)}" if len(group.files) > 1 else ""
    return Entry(
        anchor=anchor(first.severity, first.rule, first.kind, first.path, first.message, first.source),
        severity=first.severity,
        rule=first.rule,
        what=kind_and_path(first),
        message=first.message,
        place=place(first.source),
        pointer=printable(first.pointer) if "[]" in first.path else "",
        often=f"{group.count:,} times{in_files}" if group.count > 1 else "",
        known=dialects_known_for(group) or explaining_dialects(first).strip(" ()"),
        broken=seen_to_break(first),
        clients=sorted({seen.client for seen in first.impact.breaks}) if first.impact is not None else (),
        dialects=dialects,
        files=sorted(file_numbers[file] for file in group.files),
        mark=mark_excerpt(group.context.excerpt if group.context is not None else None),
        times=group.count,
    )
