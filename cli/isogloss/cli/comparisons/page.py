"""Write a comparison as one self-contained HTML file, in the design of all pages."""

from __future__ import annotations

from typing import TextIO

from isogloss.cli.comparisons.comparison import Comparison, RepeatedDifference
from isogloss.cli.comparisons.words import before_and_after, endpoint, nothing_compared, severities
from isogloss.cli.elements.places import kind_and_path, place
from isogloss.cli.elements.skipping import skipped_lines
from isogloss.cli.pages.entries import Entry, anchor, filters, group_by_rule, mark_excerpt
from isogloss.cli.pages.rendering import render_page, severity_figures
from isogloss.validator.comparing.change import Change
from isogloss.validator.findings import Severity
from isogloss.validator.quoting import printable

__all__ = ["report"]


def report(comparison: Comparison, out: TextIO) -> None:
    """Write the page: in numbers, then twins by rule or changes by dialect and endpoint, and what was skipped."""
    repeated = comparison.repeated_differences()
    files = sorted({each.first.finding.source.file for each in repeated})
    parts = group_by_rule(_entry(each, files) for each in repeated)
    is_twins = comparison.question == "twins"
    out.write(
        render_page(
            "compare.html",
            title="twins" if is_twins else "changes",
            heading="Twins" if is_twins else "Changes",
            summary=severities(comparison),
            checked=printable(comparison.heading),
            figures=severity_figures(comparison.severities) if comparison.groups else [],
            nothing=_empty_text(comparison),
            tone=_tone(comparison),
            parts=parts,
            filters=filters(parts, [printable(file) for file in files]),
            changes=[
                (endpoint(changes), [_row(change) for change in changes.changes])
                for changes in comparison.changes
                if changes.changes
            ],
            skipped=skipped_lines(comparison.skipped, comparison.checked),
        )
    )


def _empty_text(comparison: Comparison) -> str:
    if not comparison.groups:
        return f"Nothing was compared: {nothing_compared(comparison)}."
    return "No twins differ." if comparison.question == "twins" else "Nothing changed."


def _tone(comparison: Comparison) -> str:
    if not comparison.groups:
        return "none"
    if comparison.failed(Severity.ERROR):
        return "bad"
    return "none" if comparison.failed(Severity.WARNING) or comparison.is_partial else "good"


def _entry(repeated: RepeatedDifference, files: list[str]) -> Entry:
    finding, first = repeated.first.finding, repeated.first
    return Entry(
        anchor=anchor(finding.severity, finding.rule, finding.path, finding.message, finding.source),
        severity=finding.severity,
        rule=finding.rule,
        what=kind_and_path(finding),
        message=finding.message,
        place=place(finding.source),
        pointer=printable(finding.pointer) if "[]" in finding.path else "",
        often=f"{repeated.count:,} times" if repeated.count > 1 else "",
        known=f"against {place(first.other_source)}",
        dialects=[],
        files=[files.index(finding.source.file)],
        mark=mark_excerpt(first.excerpt),
        times=repeated.count,
    )


def _row(change: Change) -> dict[str, str]:
    before, after = before_and_after(change)
    return {
        "severity": change.severity.label,
        "change": change.change,
        "what": kind_and_path(change),
        "message": change.message,
        "before": before,
        "after": after,
        "was": place(change.was),
        "now": place(change.now),
    }
