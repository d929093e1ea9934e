"""Prepare findings for a page: grouped by rule, each with the text at its place."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

from isogloss.cli.elements.frames import cut
from isogloss.cli.pages.rule_pages import RulePage, rule_page
from isogloss.validator.excerpts import Excerpt
from isogloss.validator.findings import Severity
from isogloss.validator.quoting import count_of

__all__ = ["Entry", "Filter", "MarkedExcerpt", "RuleFindings", "anchor", "filters", "group_by_rule", "mark_excerpt"]

_LONGEST_EXCERPT = 480
"""The largest number of characters of an excerpt."""


class MarkedExcerpt(NamedTuple):
    """An excerpt in three parts: what the finding is about, and the text before and after it."""

    before: str
    marked: str
    after: str


class Entry(NamedTuple):
    """One line for all findings with the same message at the same path; ``times`` says how often they were seen.

    ``dialects`` are those whose exchanges show it, ``files`` the numbers of its files. ``broken`` says which clients
    were seen to break on it, ``clients`` are their slugs.
    """

    anchor: str
    severity: Severity
    rule: str
    what: str
    message: str
    place: str
    pointer: str
    often: str
    known: str
    dialects: Sequence[str]
    files: Sequence[int]
    mark: MarkedExcerpt | None
    broken: str = ""
    clients: Sequence[str] = ()
    times: int = 1


class RuleFindings(NamedTuple):
    """The findings of a rule, with its page; ``mixed`` says whether they differ in severity."""

    page: RulePage
    severity: Severity
    mixed: bool
    label: str
    entries: list[Entry]


class Filter(NamedTuple):
    """A filter: the attribute that it reads, its label, and its options, each as a value and a text."""

    name: str
    label: str
    options: list[tuple[str, str]]


def anchor(*words: object) -> str:
    """Return a name within the page that stays the same as long as these words do."""
    return "f-" + hashlib.sha256("\0".join(map(str, words)).encode("utf-8", "surrogatepass")).hexdigest()[:10]


def mark_excerpt(excerpt: Excerpt | None) -> MarkedExcerpt | None:
    """Return an excerpt in three pieces, cut if it is long, or ``None`` if there is no excerpt."""
    if excerpt is None:
        return None
    text, start = cut(excerpt, _LONGEST_EXCERPT)
    end = min(len(text), start + max(1, excerpt.end - excerpt.start))
    return MarkedExcerpt(text[:start], text[start:end], text[end:])


def group_by_rule(entries: Iterable[Entry], rates: Mapping[str, object] | None = None) -> list[RuleFindings]:
    """Group findings by rule. Sort the rules by their most severe finding, and the findings of a rule by severity."""
    entries_by_rule: dict[str, list[Entry]] = {}
    for entry in entries:
        entries_by_rule.setdefault(entry.rule, []).append(entry)
    parts = []
    for rule, rule_entries in entries_by_rule.items():
        rule_entries.sort(key=lambda each: -each.severity)
        by_severity = [(severity, list(same)) for severity, same in groupby(rule_entries, attrgetter("severity"))]
        label = ", ".join(_different_findings(severity, same) for severity, same in by_severity)
        if rates and rule in rates:
            label += f", in {rates[rule]}".replace(" %", "\u00a0%")  # they stay on one line
        parts.append(RuleFindings(rule_page(rule), rule_entries[0].severity, len(by_severity) > 1, label, rule_entries))
    return sorted(parts, key=lambda part: -part.severity)


def _different_findings(severity: Severity, entries: Sequence[Entry]) -> str:
    if len(entries) > 1:
        return count_of(len(entries), f"different {severity.label}")
    times = entries[0].times
    return count_of(1, severity.label) if times == 1 else f"the same {severity.label} {times:,} times"


def filters(parts: Iterable[RuleFindings], files: Sequence[str], *, unit: str = "file") -> list[Filter]:
    """Return the filters with more than one option: by severity, rule, dialect, client and file (or `unit`)."""
    parts = list(parts)
    severities = sorted({entry.severity for part in parts for entry in part.entries}, reverse=True)
    dialects = sorted({slug for part in parts for entry in part.entries for slug in entry.dialects})
    clients = sorted({slug for part in parts for entry in part.entries for slug in entry.clients})
    filters = (
        Filter("severity", "Severity", [(severity.label, severity.label) for severity in severities]),
        Filter("rule", "Rule", [(name, name) for name in sorted(part.page.name for part in parts)]),
        Filter("dialects", "Dialect", [(slug, slug) for slug in dialects]),
        Filter("clients", "Seen to break", [(slug, slug) for slug in clients]),
        Filter("files", unit.capitalize(), [(str(number), file) for number, file in enumerate(files)]),
    )
    return [choice for choice in filters if len(choice.options) > 1]
