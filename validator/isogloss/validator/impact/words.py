"""What was seen of clients, in words: ``seen to break``, with the version, and nothing about what was not seen."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from isogloss.validator.findings import Break, Impact

__all__ = ["how", "in_one_line", "named"]

_MOST = 4
"""Clients that a line names."""
_LOST = re.compile(r"(none|0) instead of ")
"""How the details of a silent difference begin where something is gone, and not merely different."""


@lru_cache(1024)  # findings that share their evidence share the words
def in_one_line(impact: Impact | None, *, most: int | None = _MOST) -> str:
    """Describe the clients that were seen to break, each with version, path and what happens.

    The result is empty if no client was seen to break. Clients are in the order of their names, which is no ranking.
    After the first ``most`` clients, only the number of the others follows.
    """
    if impact is None or not impact.breaks:
        return ""
    return f"seen to break: {named(impact.breaks, most=most)}"


def named(breaks: Iterable[Break], *, most: int | None = _MOST) -> str:
    """List the clients of some breaks in words, each with version, path and what happens."""
    found = list(breaks)
    clients = {one.client: list(_of_client(found, one.client)) for one in found}
    told = [f"{client} {one}" for client in list(clients)[:most] for one in clients[client]]
    more = 0 if most is None else len(clients) - most
    return ", ".join(told) + (f" and {more} more client{'s' if more > 1 else ''}" if more > 0 else "")


def _of_client(breaks: Iterable[Break], client: str) -> Iterator[str]:
    """Yield the versions and paths of a client, and what happens. Group those for which it is the same."""
    by: dict[tuple[str, str], list[Break]] = {}
    for one in breaks:
        if one.client == client:
            by.setdefault((one.version, one.path), []).append(one)
    paths: dict[str, dict[str, list[str]]] = {}
    for (version, path), found in by.items():
        paths.setdefault(version, {}).setdefault(how(found), []).append(path)
    versions: dict[str, list[str]] = {}
    for version, told in paths.items():
        line = " and ".join(f"{', '.join(named)} ({what})" for what, named in told.items())
        versions.setdefault(line, []).append(version)
    for line, found_in in versions.items():
        *others, last = found_in
        yield f"{', '.join(others)} and {last} {line}" if others else f"{last} {line}"


def how(breaks: Iterable[Break]) -> str:
    """Describe in a few words what happens. Give the number of cases if not all of them had that outcome."""
    found = list(breaks)
    told = [_outcome(one) + (f" in {one.cases}" if one.cases < one.of else "") for one in found]
    return ", ".join(told) + (f" of {found[0].of} cases" if any(one.cases < one.of for one in found) else "")


def _outcome(one: Break) -> str:
    if one.outcome != "silent":
        return one.outcome
    loses: list[str] = []
    changes: list[str] = []
    for seen in one.seen:
        members, details = _members(seen)
        for number, member in enumerate(members):
            lost = len(members) == len(details) and _LOST.match(details[number])
            (loses if lost else changes).append(member)
    told = [(verb, dict.fromkeys(members)) for verb, members in (("loses", loses), ("changes", changes)) if members]
    return " and ".join(f"{verb} the {', '.join(members)}" for verb, members in told)


def _members(seen: str) -> tuple[list[str], list[str]]:
    """Split a silent difference into the parts of the answer that it names, and its details.

    There may be more or fewer details than parts.
    """
    members, _, details = seen.partition(": ")
    return members.split(", "), details.split("; ")
