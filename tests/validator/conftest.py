"""Offer conforming payloads, and the changes that damage a payload in one place."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from json_texts import pointers_and_values

CONFORMING = Path(__file__).parents[2] / "fixtures" / "conforming"
OTHER_VALUES = ("no such value", 7, -1.5, True, [], ["no such value"], {}, {"no_such_member": 0})


class Change(NamedTuple):
    """A change at one pointer: what is done there, and for a replacement the new value."""

    pointer: tuple[str | int, ...]
    what: str
    value: Any = None

    def apply_to(self, payload: Any) -> Any:
        """Return a copy of the payload with the change.

        If there is no value at the pointer, because an earlier change removed it, the copy is unchanged. It is
        unchanged, too, if an earlier change made an object of an array: an index is no name of a property.
        """
        payload = copy.deepcopy(payload)
        if not self.pointer:
            return self.value
        parent = payload
        try:
            for step in self.pointer[:-1]:
                parent = parent[step]
            if isinstance(parent, dict) and not isinstance(self.pointer[-1], str):
                return payload
            if self.what == "removed":
                del parent[self.pointer[-1]]
            else:
                parent[self.pointer[-1]] = self.value
        except (LookupError, TypeError):
            pass
        return payload


class Payload(NamedTuple):
    """A conforming payload, its kind, and the name of its file."""

    kind: str
    name: str
    value: Any

    def changes(self) -> Iterator[Change]:
        """Yield the changes that damage the payload in one place each.

        A property is removed or added. A value becomes null, or gets another type or a value outside its enumeration.
        """
        for pointer, value in pointers_and_values(self.value):
            if pointer and isinstance(pointer[-1], str):
                yield Change(pointer, "removed")
            yield Change(pointer, "nulled", None)
            yield from (Change(pointer, "retyped", other) for other in OTHER_VALUES if other != value)
            if isinstance(value, dict):
                yield Change((*pointer, "no_such_property"), "added", 0)


@pytest.fixture(scope="session")
def payloads() -> list[Payload]:
    """Return every conforming fixture, of every kind."""
    return [
        Payload(path.parent.name, path.name, json.loads(path.read_bytes()))
        for path in sorted(CONFORMING.glob("*/*.json"))
    ]
