"""Find changes of properties: new, gone, renamed, more or less frequent, and of another type."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from itertools import takewhile

from isogloss.validator.comparing.change import Change
from isogloss.validator.comparing.rates import Rate, differ_significantly, how_often
from isogloss.validator.comparing.tallies import Tally, parent
from isogloss.validator.findings import Severity
from isogloss.validator.quoting import join_list, quote_name

__all__ = ["property_changes"]

_WORD = re.compile(r"[a-z]{3,}")

_DECIDED_BY_MODEL = frozenset({"annotations", "audio", "content", "function_call", "refusal", "tool_calls"})
"""Properties of a message whose presence the model decides. With few answers, they are no evidence about the server."""
_NO_OTHER_NAME = frozenset({"channel", "id", "name", "refusal", "role", "type"})
"""Properties of a message with strings that are not the text of an answer, or only of one that the model refused."""


def property_changes(kind: str, before: Tally, after: Tally) -> Iterator[Change]:
    """Yield how the properties of one kind of answer have changed.

    A property is compared only if the object around it was there and still is. One that is always null is not compared
    if a client library wrote some of the answers: it may have added the null.
    """
    paths = [*before.paths, *(path for path in after.paths if path not in before.paths)]
    paths = [path for path in paths if before.container_count(path) and after.container_count(path)]
    if before.has_dumped or after.has_dumped:
        paths = [path for path in paths if before.types_at(path) or after.types_at(path)]
    new = dict.fromkeys(path for path in paths if not before.paths[path])
    gone = dict.fromkeys(path for path in paths if not after.paths[path])
    renamed = dict(_renamed(gone, new, before, after))
    new_names = set(renamed.values())
    for path in paths:
        if path in new_names or not path:
            continue
        if path in renamed:
            yield _rename(kind, path, before, after, renamed[path])
        elif path in new:
            yield _change("new", Severity.NOTE, kind, path, "is new", before, after)
        elif path in gone:
            severity = _severity_of_gone(path, before.rate(path), after.rate(path))
            yield _change("gone", severity, kind, path, "is gone", before, after)
        else:
            yield from _changes(kind, path, before, after)


def _renamed(gone: Iterable[str], new: Iterable[str], before: Tally, after: Tally) -> Iterator[tuple[str, str]]:
    """Yield each property that is gone, with the property that has come in its place.

    In its object, it must be the only property gone with values of its types, and the other the only new one with these
    types. Besides, their names must have a word in common or their values a property, or both must be texts of a
    message: no labels, such as its role.
    """
    arrived = _by_object_and_types(new, after)
    ordered = sorted(before.paths), sorted(after.paths)
    for (container, types), paths in _by_object_and_types(gone, before).items():
        others = arrived.get((container, types), [])
        if len(paths) == len(others) == 1:
            names = {path.rpartition(".")[2] for path in (*paths, *others)}
            are_texts = types == {"a string"} and container.endswith(".message") and names.isdisjoint(_NO_OTHER_NAME)
            if are_texts or _is_similar(container, paths[0], others[0], ordered):
                yield paths[0], others[0]


def _by_object_and_types(paths: Iterable[str], tally: Tally) -> dict[tuple[str, frozenset[str]], list[str]]:
    """Sort paths by the object that they are in and the types of their values, except those that are always null."""
    found: dict[tuple[str, frozenset[str]], list[str]] = {}
    for path in paths:
        if types := tally.types_at(path):
            found.setdefault((parent(path), types), []).append(path)
    return found


def _is_similar(container: str, gone: str, new: str, ordered: tuple[list[str], list[str]]) -> bool:
    words = [{*_WORD.findall(path.removeprefix(container).lower())} for path in (gone, new)]
    return bool(words[0] & words[1] or _inner_paths(gone, ordered[0]) & _inner_paths(new, ordered[1]))


def _inner_paths(path: str, ordered: list[str]) -> set[str]:
    """Return the paths of properties below a path, relative to it, of paths in their order."""
    following = map(ordered.__getitem__, range(bisect_left(ordered, path), len(ordered)))
    below = takewhile(lambda one: one.startswith(path), following)
    return {one[len(path) :] for one in below if one.startswith((".", "["), len(path)) and one[-1] != "]"}


def _rename(kind: str, path: str, before: Tally, after: Tally, new_path: str) -> Change:
    message = f"is called {quote_name(new_path.removeprefix(parent(new_path)).lstrip('.'))} now"
    was, now = before.examples.get(path), after.examples.get(new_path)
    return Change("renamed", Severity.ERROR, kind, path, message, before.rate(path), after.rate(new_path), was, now)


def _severity_of_gone(path: str, was: Rate, now: Rate) -> Severity:
    """Return the severity for a property, or its values, that are gone: a warning, or a note if this may be chance.

    It is no chance if the two rates differ significantly, or if every answer had the property before, unless the model
    decides whether an answer has it.
    """
    is_certain = was.seen == was.of and path.rpartition(".")[2] not in _DECIDED_BY_MODEL
    return Severity.WARNING if is_certain or differ_significantly(was, now) else Severity.NOTE


def _changes(kind: str, path: str, before: Tally, after: Tally) -> Iterator[Change]:
    """Yield what changed in a property that is in both recordings."""
    was, now = before.types_at(path), after.types_at(path)
    if was and now and not was & now:
        message = f"was {join_list(sorted(was))}, is {join_list(sorted(now))}"
        yield _change("type", Severity.ERROR, kind, path, message, before, after)
    elif was and now and (added := now - was):
        yield _change("type", Severity.WARNING, kind, path, f"is {join_list(sorted(added))}, too", before, after)
    elif was and not now:
        yield _null_change(kind, path, before, after)
    elif differ_significantly(before.rate(path), after.rate(path)):
        often = how_often(before.rate(path), after.rate(path))
        yield _change("rate", Severity.WARNING, kind, path, f"is there {often}", before, after)


def _null_change(kind: str, path: str, before: Tally, after: Tally) -> Change:
    """Return the change of a property that had values and is always null now."""
    was = Rate(before.paths[path] - before.types[path]["null"], before.paths[path])
    now = Rate(0, after.paths[path])
    severity = _severity_of_gone(path, was, now)
    was_at, now_at = before.examples.get(path), after.examples.get(path)
    return Change("gone", severity, kind, path, "has no value any more, but null", was, now, was_at, now_at)


def _change(change: str, severity: Severity, kind: str, path: str, message: str, before: Tally, after: Tally) -> Change:
    rates = before.rate(path), after.rate(path)
    return Change(change, severity, kind, path, message, *rates, before.examples.get(path), after.examples.get(path))
