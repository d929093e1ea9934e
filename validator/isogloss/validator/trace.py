"""What happened in a stream, in order: one pass over its chunks, from which every stream rule and the fold read."""

from __future__ import annotations

from typing import Any, NamedTuple

from isogloss.validator.exchange import Event, Stream
from isogloss.validator.pointer import Pointer
from isogloss.validator.rules import ABSENT
from isogloss.validator.views import Json

__all__ = ["ENVELOPE", "CallTrace", "ChoiceTrace", "Delta", "Fragment", "Mark", "Trace"]

ENVELOPE = ("id", "model", "created", "object", "system_fingerprint", "service_tier")
"""The members of a chunk that say which completion it belongs to."""


class Mark(NamedTuple):
    """A value at a place of a chunk: ``event`` is the number of the stream event, ``at`` the place in its chunk."""

    event: int
    at: Pointer
    value: Any


class Delta(NamedTuple):
    """A choice of a chunk, with its delta (empty when it has none that is an object). ``at`` is the place of the choice."""

    event: int
    at: Pointer
    choice: Json
    delta: Json

    @property
    def carries(self) -> bool:
        """Whether it brings any part of the answer: something besides a role, that is neither null nor empty."""
        return any(value and key != "role" for key, value in self.delta.items())


class Fragment(NamedTuple):
    """A tool-call delta: ``at`` its place in the chunk, ``value`` the object there."""

    event: int
    at: Pointer
    value: Json

    @property
    def function(self) -> Json:
        """The ``function`` member; for a custom tool call the ``custom`` member; empty when there is neither."""
        for name in ("function", "custom"):
            inner = self.value.get(name)
            if isinstance(inner, dict):
                return inner
        return {}


class CallTrace:
    """The fragments of one tool call of a choice, in order. ``index`` is ``None`` when the fragments have none."""

    __slots__ = ("fragments", "index")

    def __init__(self, index: int | None) -> None:
        self.index = index
        self.fragments: list[Fragment] = []

    def __repr__(self) -> str:
        return f"CallTrace(index={self.index}, fragments={len(self.fragments)})"

    def strings(self, name: str) -> list[str]:
        """The non-empty strings that the fragments hold under ``id``, ``type``, ``name``, ``arguments`` or ``input``."""
        own = name in ("id", "type")
        values = [(fragment.value if own else fragment.function).get(name) for fragment in self.fragments]
        return [value for value in values if isinstance(value, str) and value]


class ChoiceTrace:
    """What the chunks say about one choice: its deltas in order, where they name a role and where they finish.

    ``roles`` marks every ``role`` key, ``finishes`` every ``finish_reason`` that is not null, ``calls`` the tool calls in
    order of appearance. ``index`` is ``None`` for deltas whose choice has no usable index.
    """

    __slots__ = ("_by_index", "calls", "deltas", "finishes", "index", "roles")

    def __init__(self, index: int | None) -> None:
        self.index = index
        self.deltas: list[Delta] = []
        self.roles: list[Mark] = []
        self.finishes: list[Mark] = []
        self.calls: list[CallTrace] = []
        self._by_index: dict[int, CallTrace] = {}

    def add(self, delta: Delta) -> None:
        """Take the next delta of this choice."""
        self.deltas.append(delta)
        finish = delta.choice.get("finish_reason")
        if finish is not None:
            self.finishes.append(Mark(delta.event, (*delta.at, "finish_reason"), finish))
        if "role" in delta.delta:
            self.roles.append(Mark(delta.event, (*delta.at, "delta", "role"), delta.delta["role"]))
        calls = delta.delta.get("tool_calls")
        if calls and isinstance(calls, list):
            for position, call in enumerate(calls):
                if isinstance(call, dict):
                    self._call(Fragment(delta.event, (*delta.at, "delta", "tool_calls", position), call))

    def _call(self, fragment: Fragment) -> None:
        """File a fragment under its call: by index; without one, a new id begins a call and all else continues the last."""
        index = fragment.value.get("index")
        if type(index) is int:
            call = self._by_index.get(index)
            if call is None or self._begins_another(call, fragment):
                call = self._by_index[index] = CallTrace(index)
                self.calls.append(call)
        elif self.calls and not self._begins_another(self.calls[-1], fragment):
            call = self.calls[-1]
        else:
            call = CallTrace(None)
            self.calls.append(call)
        call.fragments.append(fragment)

    @staticmethod
    def _begins_another(call: CallTrace, fragment: Fragment) -> bool:
        """Whether the fragment has an id other than the call's: servers reuse one index for several calls."""
        own = fragment.value.get("id")
        if not isinstance(own, str) or not own:
            return False
        known = next((value for value in (one.value.get("id") for one in call.fragments) if value), None)
        return known is not None and own != known


class Trace:
    """One pass over a stream.

    ``chunks`` are the events that are JSON objects without an ``error``, with their event numbers; ``errors`` those with one.
    ``runs`` holds, for each member of :data:`ENVELOPE`, a mark for the first chunk and for each whose value differs from
    the chunk before (:data:`~isogloss.validator.rules.ABSENT` for a missing member); ``usage_runs`` does so for ``usage`` with the values
    ``"absent"``, ``"null"`` and ``"object"``. ``usages`` marks each usage object, ``empty`` the chunks with an empty ``choices``, ``choiceless``
    those without a ``choices`` array, ``done``, ``broken`` and ``blank`` the events that are no JSON. ``choices`` maps the
    index of a choice to its trace.
    """

    __slots__ = (
        "blank",
        "broken",
        "choiceless",
        "choices",
        "chunks",
        "done",
        "empty",
        "errors",
        "runs",
        "stream",
        "usage_runs",
        "usages",
    )

    def __init__(self, stream: Stream) -> None:
        self.stream = stream
        self.chunks: list[tuple[int, Json]] = []
        self.errors: list[tuple[int, Json]] = []
        self.done: list[int] = []
        self.broken: list[int] = []
        self.blank: list[int] = []
        self.empty: list[int] = []
        self.choiceless: list[int] = []
        self.usages: list[Mark] = []
        self.usage_runs: list[Mark] = []
        self.runs: dict[str, list[Mark]] = {name: [] for name in ENVELOPE}
        self.choices: dict[int | None, ChoiceTrace] = {}
        for event, value in enumerate(stream.values):
            if isinstance(value, dict):
                if value.get("error"):
                    self.errors.append((event, value))
                else:
                    self.chunks.append((event, value))
                    self._chunk(event, value)
            elif value is Event.DONE:
                self.done.append(event)
            elif value is Event.EMPTY:
                self.blank.append(event)
            else:
                self.broken.append(event)

    def _chunk(self, event: int, chunk: Json) -> None:
        for name, runs in self.runs.items():
            value = chunk.get(name, ABSENT)
            if not runs or runs[-1].value != value:
                runs.append(Mark(event, (name,), value))
        usage = chunk.get("usage", ABSENT)
        if isinstance(usage, dict):
            self.usages.append(Mark(event, ("usage",), usage))
        state = "absent" if usage is ABSENT else "null" if usage is None else "object"
        if not self.usage_runs or self.usage_runs[-1].value != state:
            self.usage_runs.append(Mark(event, ("usage",), state))
        choices = chunk.get("choices")
        if not isinstance(choices, list):
            self.choiceless.append(event)
        elif not choices:
            self.empty.append(event)
        else:
            for position, choice in enumerate(choices):
                if isinstance(choice, dict):
                    self._choice(event, position, choice)

    def _choice(self, event: int, position: int, choice: Json) -> None:
        index = choice.get("index")
        key = index if type(index) is int else None
        trace = self.choices.get(key)
        if trace is None:
            trace = self.choices[key] = ChoiceTrace(key)
        delta = choice.get("delta")
        trace.add(Delta(event, ("choices", position), choice, delta if isinstance(delta, dict) else {}))
