"""Make tables in Markdown of what clients were seen to break on: for the page of a rule, and for a client."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from itertools import groupby
from typing import Any

from msgspec.structs import asdict

from isogloss.cli.elements.markdown import table
from isogloss.validator.findings import Break, Impact
from isogloss.validator.impact.evidence import ClientCase, ClientEvidence, ClientRun
from isogloss.validator.impact.words import describe_outcome, list_breaks
from isogloss.validator.pointer import ABSENT
from isogloss.validator.quoting import count_of, value_beginning

__all__ = ["path_of", "rerun_command", "rule_breaks_as_json", "rule_section", "value_of"]

_LONGEST_VALUE = 60
_MOST_CLIENTS = 3
"""The most clients that the row of a path in payloads names."""


def path_of(case: ClientCase) -> str:
    """Return the kind of payload that a case is about, and the path as code, or the mode of a conforming answer."""
    if case.where is None:
        return case.mode
    of_stream = " of a stream" if case.mode == "stream" and case.where.kind in ("completion", "error") else ""
    return f"{case.where.kind}{of_stream}" + (f" `{case.where.path}`" if case.where.path else "")


def value_of(case: ClientCase) -> str:
    """Return the value of a case as code, or ``absent`` if the property is absent.

    For a payload as a whole, and for a conforming answer, return an empty text.
    """
    if case.where is None or not case.where.path:
        return ""
    if case.value is ABSENT:
        return "absent"
    text = value_beginning(case.value).replace("`", "'").replace("|", "¦")
    return f"`{text if len(text) <= _LONGEST_VALUE else text[:_LONGEST_VALUE] + '…'}`"


def rerun_command(run: ClientRun, case: str) -> str:
    """Return the command that runs a client with a case again, in a clone of the repository."""
    return f"python tests/clients/run.py --client {run.client} --path {run.path} --case {case}"


def rule_section(rule: str, evidence: ClientEvidence) -> str:
    """Return this section of the page of a rule, or an empty text if no client was seen to break on the rule."""
    cases = evidence.cases_of_rule(rule)
    impact = evidence.impact_of(cases)
    return "" if impact is None or not impact.breaks else "\n".join(_rule_lines(cases, impact, evidence))


def _rule_lines(cases: Collection[ClientCase], impact: Impact, evidence: ClientEvidence) -> Iterator[str]:
    yield "## Seen to break"
    yield (
        f"Clients were run with {count_of(len(cases), 'case')} of this rule, each beside its twin, the same answer "
        "without the deviation. The table lists what was seen, and in which version. Nothing can be concluded about "
        "what is not listed."
    )
    yield ""
    yield from table(("client", "version", "called as", "how", "cases"), _client_rows(impact))
    groups = [(group[0], group) for group in _group_cases(cases)]
    if len(groups) > 1:
        yield ""
        yield from table(("path", "value", "cases", "seen to break"), _payload_path_rows(groups, evidence))


def _client_rows(impact: Impact) -> Iterator[tuple[str, ...]]:
    """Yield a row for each client, or several rows if its versions or paths differ in what was seen."""
    paths_by_break: dict[tuple[str, str, str, str], list[str]] = {}
    for (client, version, path), breaks in _group_breaks(impact.breaks):
        client_breaks = list(breaks)
        cases = f"{sum(client_break.cases for client_break in client_breaks)} of {client_breaks[0].of}"
        paths_by_break.setdefault(
            (client, version, describe_outcome(client_breaks).partition(" of ")[0], cases), []
        ).append(path)
    versions_by_break: dict[tuple[str, str, str, str], list[str]] = {}
    for (client, version, what, cases), paths in paths_by_break.items():
        versions_by_break.setdefault((client, ", ".join(paths), what, cases), []).append(version)
    for (client, joined_paths, what, cases), versions in versions_by_break.items():
        yield client, ", ".join(versions), joined_paths, what, cases


def _group_breaks(breaks: Iterable[Break]) -> Iterator[tuple[tuple[str, str, str], Iterator[Break]]]:
    return groupby(breaks, key=lambda one: (one.client, one.version, one.path))


def _group_cases(cases: Iterable[ClientCase]) -> Iterator[list[ClientCase]]:
    """Yield the cases in groups. The cases of one group are evidence on the same findings."""
    for _, group in groupby(cases, key=lambda case: (case.where, case.form)):
        yield list(group)


def _payload_path_rows(
    groups: Iterable[tuple[ClientCase, list[ClientCase]]], evidence: ClientEvidence
) -> Iterator[tuple[str, ...]]:
    for first, group in groups:
        impact = evidence.impact_of(group)
        if impact is not None and impact.breaks:
            value = value_of(first) if len(group) == 1 else first.form
            yield path_of(first), value, str(len(group)), list_breaks(impact.breaks, most=_MOST_CLIENTS)


def rule_breaks_as_json(rule: str, evidence: ClientEvidence) -> list[dict[str, Any]]:
    """Return the breaks of clients on the cases of a rule as a JSON value, by path and form of the value."""
    entries = []
    for cases in _group_cases(evidence.cases_of_rule(rule)):
        impact, where = evidence.impact_of(cases), cases[0].where
        if impact is not None and impact.breaks and where is not None:
            entry = {"kind": where.kind, "mode": where.mode, "path": where.path, "value": cases[0].form}
            breaks = [asdict(client_break) | {"seen": list(client_break.seen)} for client_break in impact.breaks]
            entries.append(entry | {"cases": [case.id for case in cases], "breaks": breaks})
    return entries
