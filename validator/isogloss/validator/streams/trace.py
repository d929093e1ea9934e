"""Read the chunks of a stream in order, and keep what stream rules and the fold need."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import repeat
from operator import itemgetter
from typing import Any

from isogloss.validator.exchange import NotJson, Stream
from isogloss.validator.kinds.events import is_error, is_whole_completion
from isogloss.validator.pointer import ABSENT
from isogloss.validator.streams.choice_indexes import sort_by_index
from isogloss.validator.streams.choice_trace import MOST_FOLLOWED, ChoiceTrace, Delta
from isogloss.validator.streams.tool_call_trace import CallTrace, Fragment, Mark
from isogloss.validator.views import OF_ANSWERS, Json, is_audio_model

__all__ = [
    "ENVELOPE", "CallTrace", "ChoiceTrace", "Delta", "Fragment", "Mark", "Trace", "error_events",
]  # fmt: skip

ENVELOPE = ("id", "model", "created", "object", "system_fingerprint", "service_tier")
"""The properties of a chunk that say which completion it belongs to."""


_OF_CHUNKS = OF_ANSWERS | {"obfuscation"}
_CHUNK = "chat.completion.chunk"


def error_events(stream: Stream) -> frozenset[int]:
    """Return the numbers of the events whose ``event`` field says that they are errors."""
    if stream.framing is None or not stream.framing.fields:
        return frozenset()
    return frozenset(number for number, event in enumerate(stream.framing.events) if event.type == "error")


class Trace:
    """What the chunks of a stream say, in order. Events that are cut off say nothing: they are left out.

    Events, each with its number:

    * ``chunks``: JSON objects that are no errors.
    * ``errors``: objects that have an ``error``, and events of the type ``error``; those that are no object are empty.
    * ``no_chunks``: objects that have no property of a chunk, and whole completions.
    * ``done``, ``faulty``, ``blank``: events that are no JSON.

    Runs of equal values. Each run is a mark for the chunk where it begins: the first chunk, or a chunk whose value
    differs from the chunk before:

    * ``runs``: the runs of each property of :data:`ENVELOPE`. The value of a missing property, an array or an object is
      :data:`~isogloss.validator.pointer.ABSENT`.
    * ``usage_runs``: the runs of ``usage``, with the values ``"absent"``, ``"null"`` and ``"object"``.

    Other properties of chunks:

    * ``usages``: a mark for each usage object that is not empty.
    * ``empty``: the chunks with an empty ``choices``.
    * ``choiceless``: the chunks without a ``choices`` array.
    * ``null_deltas``: a mark for each ``delta`` that is null.
    * ``null_errors``: the chunks whose ``error`` is null.
    * ``messages``: a mark for each ``message`` beside a ``delta``.

    ``choices`` maps the index of a choice to its trace. A choice without an index has its position in the array as
    index. If a stream has one choice whose index changes, there is one trace for all of its chunks, and
    ``index_change`` marks the first chunk with another index than before. It also marks the first chunk whose index is
    that of none of several choices, or of another one than its own. Such a chunk, or one without an index, is in the
    trace of the only choice that lacks what it brings; if there is none, it is in no trace, and its delta is among the
    ``strays``.
    """

    __slots__ = (
        "_without_index",
        "blank",
        "choiceless",
        "choices",
        "chunks",
        "done",
        "empty",
        "errors",
        "faulty",
        "index_change",
        "messages",
        "no_chunks",
        "null_deltas",
        "null_errors",
        "runs",
        "strays",
        "stream",
        "usage_runs",
        "usages",
    )

    def __init__(self, stream: Stream) -> None:
        self.stream = stream
        self.chunks: list[tuple[int, Json]] = []
        self.errors: list[tuple[int, Json]] = []
        self.no_chunks: list[tuple[int, Json]] = []
        self.done: list[int] = []
        self.faulty: list[int] = []
        self.blank: list[int] = []
        self.empty: list[int] = []
        self.choiceless: list[int] = []
        self.null_deltas: list[Mark] = []
        self.null_errors: list[int] = []
        self.messages: list[Mark] = []
        self.usages: list[Mark] = []
        self.usage_runs: list[Mark] = []
        self.runs: dict[str, list[Mark]] = {}
        self.choices: dict[int, ChoiceTrace] = {}
        self.index_change: Mark | None = None
        self.strays: Sequence[Delta] = ()
        self._without_index: list[Delta] = []
        error_numbers, cut = error_events(stream), stream.cut
        for event, value in enumerate(stream.values):
            if isinstance(value, dict):
                if cut and event in cut:
                    continue
                if "error" not in value and value.get("object") == _CHUNK and event not in error_numbers:
                    self.chunks.append((event, value))  # most events are found here, faster than below
                elif event in error_numbers or is_error(value):
                    self.errors.append((event, value))
                elif "choices" not in value and value.keys().isdisjoint(_OF_CHUNKS):
                    self.no_chunks.append((event, value))
                else:
                    self.chunks.append((event, value))
                    if value.get("error", ABSENT) is None:
                        self.null_errors.append(event)
            elif value is NotJson.DONE:
                self.done.append(event)
            elif event in error_numbers:
                self.errors.append((event, {}))
            elif value is NotJson.EMPTY:
                self.blank.append(event)
            else:
                self.faulty.append(event)
        self._read_envelopes()
        if any(mark.value == "chat.completion" for mark in self.runs["object"]):
            self._set_completions_apart()
        self._read_choices()
        if len(self.choices) > 1 or self._without_index:
            found = sort_by_index(self.choices, self._without_index)
            self.choices, self.index_change, self.strays = found.choices, found.change, found.strays
        if self.choiceless:
            self._find_ends_left_out()

    @property
    def cut(self) -> bool:
        """Whether the stream ends inside an event or its JSON, or with an event that is no JSON."""
        if self.done:
            return False
        framing, last = self.stream.framing, len(self.stream.values) - 1
        return (framing is not None and framing.truncated) or last in self.stream.cut or last in self.faulty

    @property
    def ended(self) -> bool:
        """Whether the stream says that it is over, so that nothing of the answer is still to come."""
        finished = bool(self.choices) and all(choice.finishes for choice in self.choices.values())
        return bool(self.done) or (finished and not self.cut)

    @property
    def calls(self) -> Iterator[CallTrace]:
        """The tool calls of all choices."""
        return (call for choice in self.choices.values() for call in choice.calls)

    @property
    def called(self) -> Iterator[CallTrace]:
        """The tool calls of all choices, and the calls of functions in the old form."""
        return (call for choice in self.choices.values() for call in choice.called)

    def changes(self, name: str) -> Iterator[Mark]:
        """Yield a mark for each change of the value of a property of :data:`ENVELOPE`.

        If only one chunk differs from all others, that chunk is the only change.
        Null, empty and zero values do not count, and neither do values of a wrong type and negative times.
        """
        if len(self.runs[name]) < 2:
            return
        if (odd := self.odd_one(name)) is not None:
            yield odd
            return
        previous: object = None
        for mark in self._runs_that_count(name):
            if previous is not None and mark.value != previous:
                yield mark
            previous = mark.value

    def odd_one(self, name: str) -> Mark | None:
        """Return the mark of the only chunk whose value of a property differs from that of all others, if these agree.

        If it is the first one, and a choice begins anew behind it, then another answer begins there, and none is odd.
        """
        if len(self.runs[name]) < 2:
            return None
        by_value: dict[object, list[Mark]] = {}
        for mark in self._runs_that_count(name):
            by_value.setdefault(mark.value, []).append(mark)
        if len(by_value) != 2:
            return None
        lone = [marks[0] for marks in by_value.values() if len(marks) == 1 and self._has_one_chunk(name, marks[0])]
        if len(lone) != 1:
            return None
        return None if lone[0].event == self.chunks[0][0] and self._begins_anew(self.chunks[1][0]) else lone[0]

    def _runs_that_count(self, name: str) -> Iterator[Mark]:
        is_value = _is_time if name == "created" else _is_string
        return (mark for mark in self.runs[name] if mark.value and is_value(mark.value))

    def _has_one_chunk(self, name: str, mark: Mark) -> bool:
        """Return whether the run of a mark ends with the chunk where it begins."""
        following = bisect_right(self.chunks, mark.event, key=itemgetter(0))
        ends = [one.event for one in self.runs[name] if one.event > mark.event][:1]
        return [event for event, _ in self.chunks[following : following + 1]] == ends

    def _begins_anew(self, event: int) -> bool:
        """Return whether a choice has its second and last role in this event."""
        return any([mark.event for mark in choice.roles][1:] == [event] for choice in self.choices.values())

    def _read_envelopes(self) -> None:
        events, chunks = [event for event, _ in self.chunks], [chunk for _, chunk in self.chunks]
        self.runs = {name: _runs(name, events, _values(chunks, name)) for name in ENVELOPE}
        usages = _values(chunks, "usage")
        states = ["absent" if usage is ABSENT else "null" if usage is None else "object" for usage in usages]
        self.usage_runs = _runs("usage", events, states)
        if "object" in states:
            self.usages = [
                Mark(event, ("usage",), usage)
                for event, usage in zip(events, usages, strict=True)
                if isinstance(usage, dict) and usage
            ]

    def _set_completions_apart(self) -> None:
        """Move whole completions from the chunks to ``no_chunks``, and read the envelopes of the others alone."""
        whole = [(event, value) for event, value in self.chunks if is_whole_completion(value)]
        if whole:
            events = {event for event, _ in whole}
            self.chunks = [(event, value) for event, value in self.chunks if event not in events]
            self.no_chunks = sorted([*self.no_chunks, *whole], key=itemgetter(0))
            self.usages = []
            self._read_envelopes()

    def _read_choices(self) -> None:
        """Read the choices of all chunks, but not behind a [DONE] before which all choices were finished."""
        done = self.done[0] if self.done else len(self.stream.values)
        for event, chunk in self.chunks:
            if event > done and self.choices and all(trace.finishes for trace in self.choices.values()):
                return
            choices = chunk.get("choices")
            if not isinstance(choices, list):
                self.choiceless.append(event)
            elif not choices:
                self.empty.append(event)
            else:
                if len(choices) > MOST_FOLLOWED:
                    choices = choices[:MOST_FOLLOWED]
                for position, choice in enumerate(choices):
                    if isinstance(choice, dict):
                        self._add_choice(event, position, choice)

    def _find_ends_left_out(self) -> None:
        """Mark the choices of an audio model that a chunk without choices ends."""
        if is_audio_model(self.chunks[-1][1].get("model")):
            for choice in self.choices.values():
                choice.end_left_out = not choice.finishes and choice.deltas[-1].event < self.choiceless[-1]

    def _add_choice(self, event: int, position: int, choice: Json) -> None:
        index: Any = choice.get("index")
        is_known = type(index) is int and index >= 0
        if not is_known:
            # 0.0 means the choice 0; the fold keeps it as it is written
            is_known = type(index) is float and index.is_integer() and 0 <= index < 2**63
            index = int(index) if is_known else position
        trace = self.choices.get(index)
        if trace is None:
            trace = self.choices[index] = ChoiceTrace(index)
        delta = choice.get("delta", ABSENT)
        if delta is None:
            self.null_deltas.append(Mark(event, ("choices", position, "delta"), None))
        if "message" in choice and delta is not ABSENT:
            self.messages.append(Mark(event, ("choices", position, "message"), choice["message"]))
        added = Delta(event, position, choice, delta if isinstance(delta, dict) else {})
        trace.add(added)
        if not is_known:
            self._without_index.append(added)


def _values(objects: Iterable[Json], name: str) -> list[object]:
    """Return the value of a property in each of some objects, or ``ABSENT`` where it is missing."""
    return list(map(dict.get, objects, repeat(name), repeat(ABSENT)))


def _runs(name: str, events: Sequence[int], values: Sequence[object]) -> list[Mark]:
    """Return a mark for each run of equal values of a property. ``events`` are the numbers of their events."""
    if not values:
        return []
    first = values[0]
    if not isinstance(first, dict | list) and values.count(first) == len(values):
        return [Mark(events[0], (name,), first)]  # as in most streams
    marks: list[Mark] = []
    previous: object = ()  # no array and no object: comparing them could recurse too deep, and the schema reports them
    for event, value in zip(events, values, strict=True):
        if value != previous:
            known = ABSENT if isinstance(value, dict | list) else value
            if known != previous:
                marks.append(Mark(event, (name,), known))
                previous = known
    return marks


def _is_string(value: object) -> bool:
    return isinstance(value, str)


def _is_time(value: object) -> bool:
    return isinstance(value, int | float) and value > 0
