"""Changes of properties: new, gone, under another name, more or less frequent, and of another type."""

from __future__ import annotations

import re
from collections.abc import Iterator

from isogloss.validator.comparing.change import Found
from isogloss.validator.comparing.rates import Rate, differ
from isogloss.validator.comparing.tallies import Tally, parent
from isogloss.validator.findings import Severity
from isogloss.validator.quoting import listed, name

__all__ = ["member_changes"]

_WORD = re.compile(r"[a-z]{3,}")

_DECIDED = frozenset({"annotations", "audio", "content", "function_call", "refusal", "tool_calls"})
"""Properties of a message that are there or not as the model decides; few answers tell nothing of the server."""


def member_changes(kind: str, before: Tally, after: Tally) -> Iterator[Found]:
    """Yield how the properties of one kind of answer have changed.

    A property is compared only if the object around it was there and still is.
    """
    paths = [*before.paths, *(path for path in after.paths if path not in before.paths)]
    paths = [path for path in paths if before.around(path) and after.around(path)]
    new = [path for path in paths if not before.paths[path]]
    gone = [path for path in paths if not after.paths[path]]
    renamed = dict(_renamed(gone, new, before, after))
    for path in paths:
        if path in renamed.values() or not path:
            continue
        if path in renamed:
            yield _found(kind, path, before, after, renamed[path])
        elif path in new:
            yield _change("new", Severity.NOTE, kind, path, "is new", before, after)
        elif path in gone:
            yield _change("gone", _of_gone(path, before, after), kind, path, "is gone", before, after)
        else:
            yield from _changed(kind, path, before, after)


def _renamed(gone: list[str], new: list[str], before: Tally, after: Tally) -> Iterator[tuple[str, str]]:
    """Yield each property that is gone, with the property that has come in its place.

    In its object, it must be the only property gone with values of its types, and the other the only new one with these
    types. Besides, their names must have a word in common or their values a property, or both must be texts of a
    message.
    """
    for path in gone:
        others = [one for one in gone if parent(one) == parent(path) and before.values(one) == before.values(path)]
        come = [one for one in new if parent(one) == parent(path) and after.values(one) == before.values(path)]
        if before.values(path) and len(others) == len(come) == 1 and _akin(path, come[0], before, after):
            yield path, come[0]


def _akin(gone: str, come: str, before: Tally, after: Tally) -> bool:
    if before.values(gone) == {"a string"} and parent(gone).endswith(".message"):
        return True
    words = [{*_WORD.findall(path.removeprefix(parent(path)).lower())} for path in (gone, come)]
    inner = [_inside(path, tally) for path, tally in ((gone, before), (come, after))]
    return bool(words[0] & words[1] or inner[0] & inner[1])


def _inside(path: str, tally: Tally) -> set[str]:
    """Return the paths of properties below a path, relative to it."""
    return {one[len(path) :] for one in tally.paths if one.startswith((f"{path}.", f"{path}[")) and one[-1] != "]"}


def _found(kind: str, path: str, before: Tally, after: Tally, now: str) -> Found:
    told = f"is called {name(now.removeprefix(parent(now)).lstrip('.'))} now"
    was, come = before.examples.get(path), after.examples.get(now)
    return Found("renamed", Severity.ERROR, kind, path, told, before.rate(path), after.rate(now), was, come)


def _of_gone(path: str, before: Tally, after: Tally) -> Severity:
    """Return the severity for a property that is gone: a warning, or a note if chance may account for it.

    Chance may account for it if the rates do not differ by more than chance, and if the property was not always there
    or the model decides whether it is.
    """
    was, now = before.rate(path), after.rate(path)
    decided = path.rpartition(".")[2] in _DECIDED
    surely = was.seen == was.of and not decided
    return Severity.WARNING if surely or differ(was, now) else Severity.NOTE


def _changed(kind: str, path: str, before: Tally, after: Tally) -> Iterator[Found]:
    """Yield what changed in a property that is in both recordings."""
    was, now = before.values(path), after.values(path)
    if was and now and not was & now:
        told = f"was {listed(sorted(was))}, is {listed(sorted(now))}"
        yield _change("type", Severity.ERROR, kind, path, told, before, after)
    elif was and now and (more := now - was):
        yield _change("type", Severity.WARNING, kind, path, f"is {listed(sorted(more))}, too", before, after)
    elif was and not now:
        yield _null(kind, path, before, after)
    elif differ(before.rate(path), after.rate(path)):
        often = "more often" if after.rate(path).share > before.rate(path).share else "less often"
        yield _change("rate", Severity.WARNING, kind, path, f"is there {often}", before, after)


def _null(kind: str, path: str, before: Tally, after: Tally) -> Found:
    """Return the change of a property that had values and is always null now."""
    was = Rate(before.paths[path] - before.types[path]["null"], before.paths[path])
    now = Rate(0, after.paths[path])
    surely = was.seen == was.of and path.rpartition(".")[2] not in _DECIDED
    severity = Severity.WARNING if surely or differ(was, now) else Severity.NOTE
    was_at, now_at = before.examples.get(path), after.examples.get(path)
    return Found("gone", severity, kind, path, "has a value no more, but null", was, now, was_at, now_at)


def _change(change: str, severity: Severity, kind: str, path: str, told: str, before: Tally, after: Tally) -> Found:
    rates = before.rate(path), after.rate(path)
    return Found(change, severity, kind, path, told, *rates, before.examples.get(path), after.examples.get(path))
