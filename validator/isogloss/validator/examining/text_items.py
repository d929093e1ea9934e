"""Find where the items of a JSON text end that hold an exchange each: items of an array, or properties of an object."""

from __future__ import annotations

import sys

from isogloss.validator import jsontext
from isogloss.validator.pointer import Pointer, read

__all__ = ["TextItems"]

_MOST_FOLLOWING = 100
"""How many properties behind an item are compared with it, at most."""


class TextItems:
    """The items of texts. It keeps the names in the last object whose properties are items."""

    def __init__(self) -> None:
        self._last: tuple[jsontext.Scan, Pointer, object, list[str], dict[str, int]] | None = None

    def end(self, scan: jsontext.Scan, own: int, start: int, at: Pointer) -> int:
        """Return where the next item of a text begins behind a value, or else the end of the text.

        The value is at the pointer ``at``, from the offset ``start`` on. The first ``own`` steps of the pointer lead to
        its exchange: a property further inside is no item.
        """
        for depth in range(len(at) - 1, -1, -1):
            around, step = at[:depth], at[depth]
            following: str | int | None = None
            if isinstance(step, int):
                following = step + 1
            elif depth < own:
                following = self._following(scan, around, step, at[:own])
            if following is not None and (begin := scan.offset((*around, following), key=True)) > start:
                return begin
        return sys.maxsize

    def _following(self, scan: jsontext.Scan, around: Pointer, name: str, own: Pointer) -> str | None:
        """Return the name of the next property that is an item, too, or ``None`` if none is.

        Its object has a name in common with the property before it, or with the exchange in that, which is at ``own``.
        """
        if self._last is None or self._last[0] is not scan or self._last[1] != around:
            holder = read(scan.value, around)
            names = list(holder) if isinstance(holder, dict) else []
            self._last = scan, around, holder, names, {one: number for number, one in enumerate(names)}
        _, _, holder, names, numbers = self._last
        alike = [one for one in (read(holder, (name,)), read(scan.value, own)) if isinstance(one, dict)]
        after = numbers[name] + 1 if name in numbers else len(names)
        for other in names[after : after + _MOST_FOLLOWING]:
            value = read(holder, (other,))
            if isinstance(value, dict) and not all(one.keys().isdisjoint(value) for one in alike):
                return other
        return None
