"""Evidence: the cases that clients were run with, by what they have in common with a finding, and what came of them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from isogloss.schemas import client_files
from isogloss.validator.findings import Break, Impact
from isogloss.validator.impact.forms import form_of
from isogloss.validator.pointer import ABSENT

__all__ = ["Case", "Difference", "Evidence", "Run", "Where", "evidence"]


class Where(NamedTuple):
    """What a finding is about, but for the value: the rule, the kind of payload, the mode, and the path in it."""

    rule: str
    kind: str
    mode: str
    path: str


class Case(NamedTuple):
    """A case. ``where`` is ``None`` for a conforming answer.

    ``form`` is the form of ``value``, which is ``ABSENT`` if the value is missing.
    """

    id: str
    where: Where | None
    mode: str
    form: str
    value: object
    file: str
    twin: str


class Difference(NamedTuple):
    """What came of a case that gave something else than its answer says: ``raises``, ``silent`` or ``hangs``."""

    outcome: str
    seen: str


class Run(NamedTuple):
    """What came of the cases in one version of a client, called in one way."""

    client: str
    version: str
    path: str
    same: frozenset[str]
    differs: Mapping[str, Difference]
    unpublished: frozenset[str]


class Evidence:
    """All that is known of some clients."""

    def __init__(self, cases: Mapping[str, Case], runs: Collection[Run]) -> None:
        self.cases = cases
        self.runs = tuple(runs)
        self._at: dict[Where, dict[str, list[Case]]] = {}
        for case in cases.values():
            if case.where is not None:
                self._at.setdefault(case.where, {}).setdefault(case.form, []).append(case)
        self._known: dict[tuple[Where, frozenset[str]], Impact | None] = {}

    def forms(self, where: Where) -> Collection[str]:
        """Return the forms of the values in the cases there. There are none if there is no case."""
        return self._at.get(where, {}).keys()

    def impact(self, where: Where, forms: frozenset[str]) -> Impact | None:
        """Return what clients did on the cases there whose values have one of these forms.

        Return ``None`` if no client was run with any of these cases.
        """
        key = where, forms
        if key not in self._known:
            at = self._at.get(where, {})
            self._known[key] = self.of([case for form in sorted(forms) for case in at.get(form, ())])
        return self._known[key]

    def of(self, cases: Collection[Case]) -> Impact | None:
        """Return what clients did on some cases, client by client; ``None`` if no client was run with any of them."""
        tried = [(run, count) for run in self.runs if (count := sum(_published(run, case) for case in cases))]
        if not tried:
            return None
        breaks = tuple(one for run, count in tried for one in _breaks(run, cases, count))
        forms = sorted({case.form for case in cases})
        return Impact(", ".join(forms), len(cases), len(tried), breaks)

    def of_rule(self, rule: str) -> list[Case]:
        """Return the cases of a rule, sorted by kind, mode, path, form of the value, and id."""
        found = [case for case in self.cases.values() if case.where is not None and case.where.rule == rule]
        return sorted(found, key=lambda case: (case.where or (), case.form, case.id))


def _published(run: Run, case: Case) -> bool:
    return case.id in run.differs or case.id in run.same


def _breaks(run: Run, cases: Collection[Case], count: int) -> Iterator[Break]:
    """Yield each outcome that a run had with some cases, and how many of the cases had it."""
    by: dict[str, list[str]] = {}
    for case in cases:
        if (found := run.differs.get(case.id)) is not None:
            by.setdefault(found.outcome, []).append(found.seen)
    for outcome, seen in sorted(by.items()):
        yield Break(run.client, run.version, run.path, outcome, tuple(dict.fromkeys(seen)), len(seen), count)


def evidence(clients: tuple[str, ...] = (), folder: Path | None = None) -> Evidence:
    """Read the evidence on some clients, by default on all.

    It is in the files that ship with isogloss, or in those of another folder. Raises ``KeyError`` for an unknown
    client.
    """
    return _evidence(clients, folder or client_files.CLIENTS)


@cache
def _evidence(clients: tuple[str, ...], folder: Path) -> Evidence:
    slugs = clients or client_files.clients(folder)
    cases = {name: _case(name, data) for name, data in client_files.client_cases(folder).items()}
    return Evidence(cases, [run for slug in slugs for run in _runs(client_files.client(slug, folder))])


def _case(name: str, data: Mapping[str, Any]) -> Case:
    place, value = data["place"], ABSENT if data.get("absent") else data["value"]
    where = None if data["rule"] is None else Where(data["rule"], data["kind"], data["mode"], place)
    return Case(name, where, data["mode"], form_of(value, place), value, data["case"], data["twin"])


def _runs(data: Mapping[str, Any]) -> Iterator[Run]:
    for run in data["runs"]:
        for path, outcomes in run["paths"].items():
            yield Run(
                data["slug"],
                run["version"],
                path,
                frozenset(outcomes["same"]),
                {case: Difference(one["outcome"], one["seen"]) for case, one in outcomes["differs"].items()},
                frozenset(outcomes.get("unpublished", ())),
            )
