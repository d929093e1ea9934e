"""Describe in words which clients were seen to break, and how. Nothing is claimed about cases that were not run."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from isogloss.validator.findings import Break, Impact
from isogloss.validator.quoting import count_of

__all__ = ["describe_impact", "describe_outcome", "list_breaks"]

_MOST_CLIENTS = 4
"""The highest number of clients that a line names."""
_LOST = re.compile(r"(none|0) instead of ")
"""The beginning of a detail of a silent difference if something is gone, and not only different."""


@lru_cache(1024)  # findings with the same evidence get the same description
def describe_impact(impact: Impact | None, *, most: int | None = _MOST_CLIENTS) -> str:
    """Describe the clients that were seen to break, each with version, path and what happens.

    The result is empty if no client was seen to break. Clients are in the order of their names, which is no ranking.
    After the first ``most`` clients, only the number of the others follows.
    """
    if impact is None or not impact.breaks:
        return ""
    return f"seen to break: {list_breaks(impact.breaks, most=most)}"


def list_breaks(breaks: Iterable[Break], *, most: int | None) -> str:
    """List the clients of some breaks in words, each with version, path and what happens."""
    found = list(breaks)
    clients = {one.client: list(_describe_client(found, one.client)) for one in found}
    descriptions = [f"{client} {one}" for client in list(clients)[:most] for one in clients[client]]
    more = 0 if most is None else len(clients) - most
    return ", ".join(descriptions) + (f" and {count_of(more, 'more client')}" if more > 0 else "")


def _describe_client(breaks: Iterable[Break], client: str) -> Iterator[str]:
    """Yield the versions and paths of a client, and what happens. Group those for which it is the same."""
    breaks_by_path: dict[tuple[str, str], list[Break]] = {}
    for client_break in breaks:
        if client_break.client == client:
            breaks_by_path.setdefault((client_break.version, client_break.path), []).append(client_break)
    paths_by_version: dict[str, dict[str, list[str]]] = {}
    for (version, path), found in breaks_by_path.items():
        paths_by_version.setdefault(version, {}).setdefault(describe_outcome(found), []).append(path)
    versions_by_line: dict[str, list[str]] = {}
    for version, paths_by_effect in paths_by_version.items():
        line = "; ".join(f"{', '.join(paths)}: {effect}" for effect, paths in paths_by_effect.items())
        versions_by_line.setdefault(line, []).append(version)
    for line, versions in versions_by_line.items():
        *others, last = versions
        yield f"{', '.join(others)} and {last} ({line})" if others else f"{last} ({line})"


def describe_outcome(breaks: Iterable[Break]) -> str:
    """Describe in a few words what happens. Give the number of cases if not all of them had that outcome."""
    found = list(breaks)
    outcomes = [_outcome(one) + (f" in {one.cases}" if one.cases < one.of else "") for one in found]
    return ", ".join(outcomes) + (f" of {found[0].of} cases" if any(one.cases < one.of for one in found) else "")


def _outcome(found: Break) -> str:
    if found.outcome != "silent":
        return found.outcome
    lost: list[str] = []
    changed: list[str] = []
    for seen in found.seen:
        parts, details = _parts(seen)
        for number, part in enumerate(parts):
            is_lost = len(parts) == len(details) and _LOST.match(details[number])
            (lost if is_lost else changed).append(part)
    by_verb = [(verb, dict.fromkeys(parts)) for verb, parts in (("loses", lost), ("changes", changed)) if parts]
    return " and ".join(f"{verb} the {', '.join(parts)}" for verb, parts in by_verb)


def _parts(seen: str) -> tuple[list[str], list[str]]:
    """Split a silent difference into the parts of the answer that it names, and its details.

    There may be more or fewer details than parts.
    """
    parts, _, details = seen.partition(": ")
    return parts.split(", "), details.split("; ")
