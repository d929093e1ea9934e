"""One HTML file that needs nothing else: the picture of the verdict, and findings that open."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TextIO

from isogloss.cli.pages.entries import Entry, anchor, by_rule, choices, mark
from isogloss.cli.pages.picture import picture
from isogloss.cli.pages.rendering import render
from isogloss.cli.report_views.survey import Deviation
from isogloss.cli.reporters.advice import known_of
from isogloss.cli.reporters.tables import skipped
from isogloss.cli.reporters.text import explained, place, summary, what
from isogloss.cli.summary import Group, Run
from isogloss.validator.quoting import count_of, printable

__all__ = ["report"]


def report(run: Run, out: TextIO) -> None:
    """Write the page: the verdict and its picture, the findings by rule, the files, and what was skipped."""
    groups = run.groups()
    files = sorted({file for group in groups for file in group.files})
    numbers = {file: number for number, file in enumerate(files)}
    entries = [_entry(group, numbers, _speakers(group, run)) for group in groups]
    anchors = {_deviation(group): entry.anchor for group, entry in reversed([*zip(groups, entries, strict=True)])}
    kinds = dict.fromkeys(files, 0)
    for group in groups:
        for file in group.files:
            kinds[file] += 1
    parts = by_rule(entries)
    out.write(
        render(
            "check.html",
            title=f"{run.verdict}",
            summary=summary(run).partition(": ")[2],
            tone="bad" if run.failed else "good" if run.exchanges else "none",
            picture=picture(run.survey, anchors) if run.survey is not None else None,
            parts=parts,
            filters=choices(parts, [printable(file) for file in files]),
            files=[(printable(file), run.checked[file], kinds[file]) for file in files],
            skipped=skipped(run),
            cases=run.cases,
        )
    )


def _deviation(group: Group) -> Deviation:
    return Deviation(group.first.rule, group.first.kind, group.first.path)


def _speakers(group: Group, run: Run) -> list[str]:
    """The dialects whose exchanges show what a group of findings says."""
    cells = run.survey.cells.get(_deviation(group), {}) if run.survey is not None else {}
    return sorted({*cells, *group.dialects})


def _entry(group: Group, numbers: Mapping[str, int], dialects: list[str]) -> Entry:
    first = group.first
    files = f" in {count_of(len(group.files), 'file')}" if len(group.files) > 1 else ""
    return Entry(
        anchor=anchor(first.severity, first.rule, first.kind, first.path, first.message, first.source),
        severity=first.severity,
        rule=first.rule,
        what=what(first),
        message=first.message,
        place=place(first),
        pointer=printable(first.pointer) if "[]" in first.path else "",
        often=f"{group.count:,} times{files}" if group.count > 1 else "",
        known=known_of(group) or explained(first).strip(" ()"),
        dialects=dialects,
        files=sorted(numbers[file] for file in group.files),
        mark=mark(group.context.excerpt if group.context is not None else None),
    )
