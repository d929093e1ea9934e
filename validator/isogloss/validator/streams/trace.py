"""Read the chunks of a stream once, in order, and keep what stream rules and the fold need."""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.exchange import NotJson, Stream
from isogloss.validator.pointer import ABSENT
from isogloss.validator.streams.choice_trace import ChoiceTrace, Delta
from isogloss.validator.streams.tool_call_trace import CallTrace, Fragment, Mark
from isogloss.validator.views import Json

__all__ = ["ENVELOPE", "CallTrace", "ChoiceTrace", "Delta", "Fragment", "Mark", "Trace"]

ENVELOPE = ("id", "model", "created", "object", "system_fingerprint", "service_tier")
"""The properties of a chunk that say which completion it belongs to."""


class Trace:
    """What one pass over the chunks of a stream finds.

    ``chunks`` are the events that are JSON objects without an ``error``, with their event numbers; ``errors``
    those with one. ``runs`` holds, for each property of :data:`ENVELOPE`, a mark for the first chunk and for each
    whose value differs from the chunk before (:data:`~isogloss.validator.rules.ABSENT` for a missing property, or
    one that is an array or object); ``usage_runs`` does so for ``usage`` with the values ``"absent"``,
    ``"null"`` and ``"object"``. ``usages`` marks each usage object, ``empty`` the chunks with an empty
    ``choices``, ``choiceless`` those without a ``choices`` array, ``null_deltas`` each ``delta`` that is null,
    ``messages`` each ``message`` beside a ``delta``; ``done``, ``broken`` and ``blank`` are the events that are
    no JSON. ``choices`` maps the index of a choice to its trace; one without an index counts as having its
    position in the array.
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
        "messages",
        "null_deltas",
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
        self.null_deltas: list[Mark] = []
        self.messages: list[Mark] = []
        self.usages: list[Mark] = []
        self.usage_runs: list[Mark] = []
        self.runs: dict[str, list[Mark]] = {name: [] for name in ENVELOPE}
        self.choices: dict[int, ChoiceTrace] = {}
        for event, value in enumerate(stream.values):
            if isinstance(value, dict):
                if value.get("error"):
                    self.errors.append((event, value))
                else:
                    self.chunks.append((event, value))
                    self._chunk(event, value)
            elif value is NotJson.DONE:
                self.done.append(event)
            elif value is NotJson.EMPTY:
                self.blank.append(event)
            else:
                self.broken.append(event)

    @property
    def cut(self) -> bool:
        """Whether the capture stops in the middle of an event, or of its JSON."""
        if self.done:
            return False
        framing, last = self.stream.framing, len(self.stream.values) - 1
        return (framing is not None and framing.truncated) or last in self.stream.unsound

    @property
    def calls(self) -> Iterator[CallTrace]:
        """The tool calls of all choices."""
        return (call for choice in self.choices.values() for call in choice.calls)

    def changes(self, name: str) -> Iterator[Mark]:
        """Yield where a property of :data:`ENVELOPE` changes its value; null, empty and zero values do not count."""
        known: object = None
        for mark in self.runs[name]:
            if mark.value:
                if known is not None and mark.value != known:
                    yield mark
                known = mark.value

    def _chunk(self, event: int, chunk: Json) -> None:
        for name, runs in self.runs.items():
            value = chunk.get(name, ABSENT)
            if runs and runs[-1].value == value:
                continue
            if isinstance(value, dict | list):  # the schema's business; and comparing two could nest too deep
                value = ABSENT
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
        if type(index) is float and index.is_integer() and abs(index) < 2**63:
            index = int(index)  # 0.0 is the choice 0, which the fold leaves as it was written
        key = index if type(index) is int else position
        trace = self.choices.get(key)
        if trace is None:
            trace = self.choices[key] = ChoiceTrace(key)
        at = ("choices", position)
        delta = choice.get("delta")
        if "delta" in choice:
            if delta is None:
                self.null_deltas.append(Mark(event, (*at, "delta"), None))
            if "message" in choice:
                self.messages.append(Mark(event, (*at, "message"), choice["message"]))
        trace.add(Delta(event, at, choice, delta if isinstance(delta, dict) else {}))
