"""Collect the tool calls of a stream. Each comes in fragments, which are added to the call that they belong to."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from isogloss.validator.pointer import ABSENT, Pointer
from isogloss.validator.views import Json

__all__ = ["CallTrace", "Fragment", "Fragments", "Mark"]


class Mark(Struct, frozen=True, gc=False):
    """A value in a chunk. ``event`` is the number of the stream event, and ``at`` is the pointer in its chunk."""

    event: int
    at: Pointer
    value: Any


class Fragment(Struct, frozen=True, gc=False):
    """A delta of a tool call. ``at`` is its pointer in the chunk, and ``value`` is the object at this pointer.

    Of the call of a function in the old form, it is the delta with the ``function_call``.
    """

    event: int
    at: Pointer
    value: Json

    @property
    def part(self) -> str:
        """The property that holds the name and the text: ``function``, ``custom``, or in a delta ``function_call``."""
        if "function_call" in self.value:
            return "function_call"
        is_custom = isinstance(self.value.get("custom"), dict) or (
            self.value.get("type") == "custom" and not isinstance(self.value.get("function"), dict)
        )
        return "custom" if is_custom else "function"

    @property
    def function(self) -> Json:
        """The value of this property; empty if there is none."""
        inner = self.value.get(self.part)
        return inner if isinstance(inner, dict) else {}

    @property
    def begins(self) -> bool:
        """Whether it is the beginning of a call: it has an id or a name.

        A type says nothing: some servers send it with each fragment.
        """
        function = self.function
        return bool(self.value.get("id") or function.get("name") or function.get("id"))


class CallTrace:
    """The fragments of one tool call of a choice, in order.

    ``index`` is their first index, or ``None`` if they have none. ``reuses`` is true if an earlier call of the choice
    had the same index. ``id`` is the first id that is not empty. ``ids``, ``types`` and ``names`` have a mark for every
    ``id``, ``type`` and ``name`` property. ``nulls`` has a mark for each property that is null in a fragment after the
    first.
    """

    __slots__ = ("fragments", "id", "ids", "index", "names", "nulls", "reuses", "types")

    def __init__(self, index: int | None, *, reuses: bool = False) -> None:
        self.index = index
        self.reuses = reuses
        self.id: str | None = None
        self.fragments: list[Fragment] = []
        self.ids: list[Mark] = []
        self.types: list[Mark] = []
        self.names: list[Mark] = []
        self.nulls: list[Mark] = []

    @property
    def begins(self) -> bool:
        """Whether its first fragment is the beginning of a call."""
        return self.fragments[0].begins

    def add(self, fragment: Fragment) -> None:
        """Add the next fragment of this call."""
        event, at, value = fragment.event, fragment.at, fragment.value
        function = fragment.function
        if "id" in value:
            id_ = value["id"]
            self.ids.append(Mark(event, (*at, "id"), id_))
            if self.id is None and id_ and isinstance(id_, str):
                self.id = id_
        if "type" in value:
            self.types.append(Mark(event, (*at, "type"), value["type"]))
        if "name" in function:
            self.names.append(Mark(event, (*at, fragment.part, "name"), function["name"]))
        if self.fragments:
            if None in value.values():
                self.nulls.extend(Mark(event, (*at, name), None) for name, part in value.items() if part is None)
            if None in function.values():
                inner = (*at, fragment.part)
                self.nulls.extend(Mark(event, (*inner, name), None) for name, part in function.items() if part is None)
        self.fragments.append(fragment)

    def events_without(self, *steps: str) -> list[int]:
        """Return the event of the first fragment, which lacks a property, and those in which null stands there.

        The events are those before the property comes. Only fragments at the pointer of the first one count. What is no
        object in the place of the object around is like null.
        """
        first, *later = self.fragments
        events = [first.event]
        for fragment in later:
            value: object = fragment.value
            for step in steps:
                if value is not ABSENT:
                    value = value.get(step, ABSENT) if isinstance(value, dict) else None
            if value is None and fragment.at == first.at:
                events.append(fragment.event)
            elif value is not ABSENT and value != "":
                break
        return events

    def strings(self, name: str) -> list[str]:
        """Return the strings that the fragments hold under a name, without empty ones.

        The name is ``id``, ``type``, ``name``, ``arguments`` or ``input``.
        """
        is_top_level = name in ("id", "type")
        values = [(fragment.value if is_top_level else fragment.function).get(name) for fragment in self.fragments]
        return [value for value in values if isinstance(value, str) and value]


class Fragments:
    """The tool calls of one choice in order of appearance.

    ``unindexed`` are the fragments without ``index``, and ``float_indexed`` those in which it is written as a float.
    """

    __slots__ = ("_by_index", "calls", "float_indexed", "unindexed")

    def __init__(self) -> None:
        self.calls: list[CallTrace] = []
        self.unindexed: list[Fragment] = []
        self.float_indexed: list[Fragment] = []
        self._by_index: dict[int, CallTrace] = {}

    def add(self, fragment: Fragment) -> None:
        """Add a fragment to the call with its index, or begin a new call with it.

        A new id with a name begins another call with the same index: some servers count wrong. A fragment with a new
        index, and with neither, continues the last call if that one has no index so far. Without an index, a new id
        begins a call, and so does a second fragment in the same delta. All other fragments continue the last call.
        """
        index = fragment.value.get("index")
        if type(index) is float and index.is_integer() and index < 2**63:
            self.float_indexed.append(fragment)
            index = int(index)
        call: CallTrace | None
        if type(index) is int and index >= 0:
            call = self._by_index.get(index)
            if call is None and self._continues_unindexed(fragment):
                call = self._by_index[index] = self.calls[-1]
                call.index = index
            elif call is None or (_has_other_id(call, fragment) and fragment.function.get("name")):
                call = self._by_index[index] = self._begin(index, reuses=call is not None)
        else:
            if "index" not in fragment.value:
                self.unindexed.append(fragment)
            call = self.calls[-1] if self.calls else None
            if call is None or call.fragments[-1].event == fragment.event or _has_other_id(call, fragment):
                call = self._begin(None)
        call.add(fragment)

    def _continues_unindexed(self, fragment: Fragment) -> bool:
        """Return whether a fragment with a new index continues the last call, because it begins none itself.

        The last call must have no index so far: then its first fragment left the index out.
        """
        return (
            bool(self.calls)
            and self.calls[-1].index is None
            and not (fragment.value.get("id") or fragment.function.get("name"))
        )

    def _begin(self, index: int | None, *, reuses: bool = False) -> CallTrace:
        call = CallTrace(index, reuses=reuses)
        self.calls.append(call)
        return call


def _has_other_id(call: CallTrace, fragment: Fragment) -> bool:
    """Return whether the fragment has an id that differs from the known id of the call."""
    id_ = fragment.value.get("id")
    return isinstance(id_, str) and id_ != "" and call.id is not None and id_ != call.id
