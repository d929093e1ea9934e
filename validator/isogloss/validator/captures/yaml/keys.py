"""Find a name for a key of a YAML mapping that is itself a mapping or a list: JSON has no such keys.

vcrpy dumps a header's name as the object that a client library made of it, such as
``? !!python/object/apply:multidict._multidict.istr [Accept]``. The first scalar in such a key is used as its name.
Nothing is built from the key, and the rest of it is left out.
"""

from __future__ import annotations

from typing import Any

from isogloss.validator.captures.limits import Unreadable

__all__ = ["CollectionKey"]

_DEEPEST = 20


class CollectionKey:
    """A key that is being read: the events of PyYAML from the start of a collection to its end.

    ``first`` is the event of the first scalar or alias in the key, or ``None`` if there is none.
    """

    def __init__(self, event: Any) -> None:
        self.first: Any = None
        self.anchors: list[str] = []
        self._depth = 0
        self.take(event)

    def take(self, event: Any) -> bool:
        """Take an event, and return whether it ends the key. Raises :class:`Unreadable`."""
        kind = type(event).__name__
        if kind in ("ScalarEvent", "AliasEvent"):
            if self.first is not None:
                return False
            self.first = event
        elif kind in ("MappingStartEvent", "SequenceStartEvent"):
            self._depth += 1
            if self._depth > _DEEPEST:
                raise Unreadable(f"line {event.start_mark.line + 1}: a key that is nested more than {_DEEPEST} deep")
        else:
            self._depth -= 1
        if kind != "AliasEvent" and getattr(event, "anchor", None):
            self.anchors.append(event.anchor)
        return not self._depth
