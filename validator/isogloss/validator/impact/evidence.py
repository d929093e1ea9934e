"""Read the evidence: the cases that clients were run with, and what each client did on them.

A case is evidence on a finding only if their values have the same form. Where several cases are, those count that are
most like the finding.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from isogloss.schemas import client_files
from isogloss.validator.findings import Break, Impact
from isogloss.validator.pointer import ABSENT

__all__ = ["WHOLE", "CaseKey", "ClientCase", "ClientDifference", "ClientEvidence", "ClientRun", "evidence", "form_of"]

WHOLE = "whole"
"""The form for findings about a payload, a stream or an exchange as a whole."""

_CALLS = {True: "with calls", False: "without calls"}
_FORMS: dict[type, str] = {type(ABSENT): "absent", type(None): "null", bool: "boolean", int: "integer", float: "number"}
_FORMS_IF_FILLED: dict[type, str] = {str: "string", list: "array"}


class CaseKey(NamedTuple):
    """What a case and a finding must have in common: the rule, the kind of payload, the mode, and the path in it.

    They must also have the form of the value in common.
    """

    rule: str
    kind: str
    mode: str
    path: str


class ClientCase(NamedTuple):
    """A case that clients were run with. ``where`` is ``None`` for a conforming answer.

    ``form`` is the form of ``value``, and ``value`` is ``ABSENT`` if it is missing. ``message`` is the message of the
    finding in the case, and ``calls`` says whether the answer has calls. ``extent`` says on which events of a stream
    the deviation is (:class:`~isogloss.validator.impact.extent.Extents`), and is ``None`` if it is on none.
    """

    id: str
    where: CaseKey | None
    mode: str
    form: str
    value: object
    message: str | None
    calls: bool
    extent: str | None
    file: str


class ClientDifference(NamedTuple):
    """The result of a case in which the client gave something else than the answer says.

    ``outcome`` is ``raises``, ``silent`` or ``hangs``.
    """

    outcome: str
    seen: str


class ClientRun(NamedTuple):
    """The results of all cases with one version of a client, called in one way."""

    client: str
    version: str
    path: str
    same: frozenset[str]
    differs: Mapping[str, ClientDifference]
    unpublished: frozenset[str]


class ClientEvidence:
    """The cases, and the runs of some clients with them."""

    def __init__(self, cases: Mapping[str, ClientCase], runs: Collection[ClientRun]) -> None:
        self.cases = cases
        self.runs = tuple(runs)
        self._cases_at: dict[CaseKey, dict[str, list[ClientCase]]] = {}
        for case in cases.values():
            if case.where is not None:
                self._cases_at.setdefault(case.where, {}).setdefault(case.form, []).append(case)
        self._messages = frozenset(case.message for case in cases.values())
        self._extents: dict[CaseKey, set[str | None]] = {}
        for case in cases.values():
            if case.where is not None:
                self._extents.setdefault(case.where, set()).add(case.extent)
        self._impacts: dict[tuple[CaseKey, frozenset[str], str | None, bool, str | None], Impact | None] = {}

    def forms(self, where: CaseKey) -> Collection[str]:
        """Return the forms of the values in the cases there. There are none if there is no case."""
        return self._cases_at.get(where, {}).keys()

    def has_several_extents(self, where: CaseKey) -> bool:
        """Return whether the cases there are on different events of their streams."""
        return len(self._extents.get(where, ())) > 1

    def impact(
        self, where: CaseKey, forms: frozenset[str], message: str, calls: bool, extent: str | None = None
    ) -> Impact | None:
        """Return what clients did on the cases there whose values have one of these forms.

        If any of them have the same message, only those count; if any of these have calls or have none as the answer
        does, only those; and if any of these are on the same events of a stream, only those. Return ``None`` if no
        client was run with any of these cases.
        """
        key = where, forms, message if message in self._messages else None, calls, extent
        if key not in self._impacts:
            by_form = self._cases_at.get(where, {})
            found = [case for form in sorted(forms) for case in by_form.get(form, ())]
            of_message = [case for case in found if case.message == message] or found
            of_calls = [case for case in of_message if case.calls == calls] or of_message
            of_extent = [case for case in of_calls if extent is not None and case.extent == extent] or of_calls
            chosen_by = [message] * (of_message != found) + [_CALLS[calls]] * (of_calls != of_message)
            chosen_by += [extent or ""] * (of_extent != of_calls)
            self._impacts[key] = self.impact_of(of_extent, chosen_by)
        return self._impacts[key]

    def impact_of(self, cases: Collection[ClientCase], chosen_by: Iterable[str] = ()) -> Impact | None:
        """Return what clients did on some cases, client by client; ``None`` if no client was run with any of them.

        ``chosen_by`` says what these cases have in common besides the form, and other cases of the form have not.
        """
        tried = [(run, count) for run in self.runs if (count := sum(_is_published(run, case) for case in cases))]
        if not tried:
            return None
        breaks = tuple(one for run, count in tried for one in _breaks(run, cases, count))
        forms = sorted({case.form for case in cases})
        return Impact(", ".join([*forms, *chosen_by]), len(cases), len(tried), breaks)

    def cases_of_rule(self, rule: str) -> list[ClientCase]:
        """Return the cases of a rule, sorted by kind, mode, path, form of the value, and id."""
        found = [case for case in self.cases.values() if case.where is not None and case.where.rule == rule]
        return sorted(found, key=lambda case: (case.where or (), case.form, case.id))


def _is_published(run: ClientRun, case: ClientCase) -> bool:
    return case.id in run.differs or case.id in run.same


def _breaks(run: ClientRun, cases: Collection[ClientCase], count: int) -> Iterator[Break]:
    """Yield each outcome that a run had with some cases, and how many of the cases had it."""
    seen_by_outcome: dict[str, list[str]] = {}
    for case in cases:
        if (difference := run.differs.get(case.id)) is not None:
            seen_by_outcome.setdefault(difference.outcome, []).append(difference.seen)
    for outcome, seen in sorted(seen_by_outcome.items()):
        yield Break(run.client, run.version, run.path, outcome, tuple(dict.fromkeys(seen)), len(seen), count)


def evidence(clients: tuple[str, ...] = (), folder: Path | None = None) -> ClientEvidence:
    """Read the evidence on some clients, by default on all.

    It is in the files that ship with isogloss, or in those of another folder. Raises ``KeyError`` for an unknown
    client.
    """
    return _evidence(clients, folder or client_files.CLIENTS)


@cache
def _evidence(clients: tuple[str, ...], folder: Path) -> ClientEvidence:
    slugs = clients or client_files.clients(folder)
    cases = {name: _case(name, data) for name, data in client_files.client_cases(folder).items()}
    return ClientEvidence(cases, [run for slug in slugs for run in _runs(client_files.client(slug, folder))])


def _case(name: str, data: Mapping[str, Any]) -> ClientCase:
    path, value = data["place"], ABSENT if data.get("absent") else data["value"]
    where = None if data["rule"] is None else CaseKey(data["rule"], data["kind"], data["mode"], path)
    message, calls, extent = data.get("message"), data.get("calls", False), data.get("extent")
    return ClientCase(name, where, data["mode"], form_of(value, path), value, message, calls, extent, data["case"])


def _runs(data: Mapping[str, Any]) -> Iterator[ClientRun]:
    for run in data["runs"]:
        for path, outcomes in run["paths"].items():
            yield ClientRun(
                data["slug"],
                run["version"],
                path,
                frozenset(outcomes["same"]),
                {case: ClientDifference(one["outcome"], one["seen"]) for case, one in outcomes["differs"].items()},
                frozenset(outcomes.get("unpublished", ())),
            )


def form_of(value: object, path: str) -> str:
    """Return the form of the value at a path: ``absent``, ``null``, ``empty string``, ``string`` and so on.

    The rule and the form together distinguish a value of another type from another value of the right type. Values of
    one form count as the same, for example all strings that ``unknown-value`` finds. If there is no path, the form is
    :data:`WHOLE`: there, the rule alone says what is wrong.
    """
    if not path:
        return WHOLE
    form = _FORMS.get(type(value))
    if form is not None:
        return form
    form = _FORMS_IF_FILLED.get(type(value), "object")
    return form if value else f"empty {form}"
