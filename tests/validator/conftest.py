"""Good payloads, and each way to damage one of them in one place."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

CONFORMING = Path(__file__).parents[2] / "fixtures" / "conforming"
OTHER_VALUES = ("no such value", 7, -1.5, True, [], ["no such value"], {}, {"no_such_member": 0})


class Change(NamedTuple):
    """One damage: at a place, what is done there, and (for a replacement) the value that is put there."""

    at: tuple[str | int, ...]
    what: str
    value: Any = None

    def to(self, payload: Any) -> Any:
        """Return a copy of the payload with the change.

        If an earlier change has removed the place of this one, the copy is the same as the payload.
        """
        payload = copy.deepcopy(payload)
        if not self.at:
            return self.value
        parent = payload
        try:
            for step in self.at[:-1]:
                parent = parent[step]
            if self.what == "removed":
                del parent[self.at[-1]]
            else:
                parent[self.at[-1]] = self.value
        except (LookupError, TypeError):
            pass
        return payload


class Payload(NamedTuple):
    """A conforming payload and where it comes from."""

    kind: str
    name: str
    value: Any

    def changes(self) -> Iterator[Change]:
        """Yield the changes that damage the payload in one place each.

        Properties are removed and added. Values become null, get another type, or are taken out of their enumeration.
        """
        for at, value in _places(self.value):
            if at and isinstance(at[-1], str):
                yield Change(at, "removed")
            yield Change(at, "nulled", None)
            yield from (Change(at, "retyped", other) for other in OTHER_VALUES if other != value)
            if isinstance(value, dict):
                yield Change((*at, "no_such_property"), "added", 0)


def _places(value: Any, at: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    yield at, value
    if isinstance(value, dict | list):
        for step, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _places(inner, (*at, step))


@pytest.fixture(scope="session")
def payloads() -> list[Payload]:
    """Return every conforming fixture, of every kind."""
    return [
        Payload(path.parent.name, path.name, json.loads(path.read_bytes()))
        for path in sorted(CONFORMING.glob("*/*.json"))
    ]
