"""Collect what the chunks of a stream say about one choice, in order."""

from __future__ import annotations

from itertools import islice

from msgspec import Struct

from isogloss.validator.pointer import Pointer
from isogloss.validator.streams.tool_call_trace import CallTrace, Fragment, Fragments, Mark
from isogloss.validator.views import WORDS_FOR_NULL, Json

__all__ = ["MOST_FOLLOWED", "ChoiceTrace", "Delta"]

MOST_FOLLOWED = 1000
"""The most choices of a chunk, and tool calls of a delta, that are read. Each takes 2 KB. OpenAI allows 128 choices."""

_ANSWER = ("content", "refusal", "tool_calls", "function_call", "audio", "reasoning", "reasoning_content")
"""The properties of a delta that carry a part of the answer. The last two are vendors' names for reasoning text."""


class Delta(Struct, frozen=True, gc=False):
    """A choice of a chunk, by its position in ``choices``, and its delta (empty if ``delta`` is no object)."""

    event: int
    position: int
    choice: Json
    delta: Json

    @property
    def at(self) -> Pointer:
        """The pointer of the choice in the chunk."""
        return "choices", self.position

    @property
    def answer_property(self) -> str | None:
        """The first property with a part of the answer (text, a call, audio), or ``None`` if there is none."""
        if self.delta:
            for name in _ANSWER:
                value = self.delta.get(name)
                if value and _has_text(value, 4):
                    return name
        return None


def _has_text(value: object, depth: int) -> bool:
    """Return whether the value contains a string that is not empty, other than the ``type`` of a fragment."""
    if isinstance(value, str):
        return value != ""
    if isinstance(value, dict) and depth:
        return any(_has_text(part, depth - 1) for name, part in value.items() if name != "type")
    return isinstance(value, list) and depth > 0 and any(_has_text(part, depth - 1) for part in value)


class ChoiceTrace:
    """What the chunks say about one choice.

    * ``deltas``: its deltas in order.
    * ``after``: the deltas behind the one that finishes the choice.
    * ``restarts``: whether one of these begins the choice again, with a role, though it had brought something. It and
      all that follows are only in ``after``: they belong to another answer.
    * ``roles``: a mark for every ``role`` property.
    * ``finishes``: a mark for every ``finish_reason`` that is a string, not empty, and no word for null.
    * ``finishing``: the deltas with these finish reasons.
    * ``blank_finishes``: a mark for every empty ``finish_reason``.
    * ``calls``: the tool calls in order of appearance.
    * ``function_call``: the call of a function in the form that OpenAI used before there were tool calls, or ``None``.
    * ``called``: the calls of both kinds.
    * ``unindexed``: the fragments of tool calls without an index.
    * ``float_indexed``: those whose index is an integer written as a float.
    * ``empty_calls``: a mark for every empty ``tool_calls`` array.
    * ``texts_with_calls``: the deltas with text and a tool call at once.

    ``end_left_out`` says that a chunk without choices stands in place of its end.
    """

    __slots__ = (
        "_call_fragments",
        "after",
        "blank_finishes",
        "deltas",
        "empty_calls",
        "end_left_out",
        "finishes",
        "finishing",
        "function_call",
        "index",
        "restarts",
        "roles",
        "texts_with_calls",
    )

    def __init__(self, index: int) -> None:
        self.index = index
        self.restarts = False
        self.deltas: list[Delta] = []
        self.after: list[Delta] = []
        self.roles: list[Mark] = []
        self.finishes: list[Mark] = []
        self.finishing: list[Delta] = []
        self.blank_finishes: list[Mark] = []
        self.empty_calls: list[Mark] = []
        self.texts_with_calls: list[Delta] = []
        self.end_left_out = False
        self.function_call: CallTrace | None = None
        self._call_fragments = Fragments()

    @property
    def calls(self) -> list[CallTrace]:
        """The tool calls, in order of appearance."""
        return self._call_fragments.calls

    @property
    def called(self) -> list[CallTrace]:
        """The tool calls, and the call of a function in the old form."""
        return self.calls if self.function_call is None else [*self.calls, self.function_call]

    @property
    def all_deltas(self) -> list[Delta]:
        """Its deltas in order, and those of the other answer that begins behind them."""
        last = self.deltas[-1].event
        return [*self.deltas, *(delta for delta in self.after if delta.event > last)] if self.restarts else self.deltas

    @property
    def holds_several(self) -> bool:
        """Whether it looks like several choices under one index: it has several ends, and as many roles.

        A role on each delta says nothing: then more of the answer must follow the first end.
        """
        deltas = self.all_deltas
        roles = sum(bool(delta.delta.get("role")) for delta in deltas)
        ends = [delta.event for delta in deltas if delta.choice.get("finish_reason")]
        if not 1 < len(ends) < len(deltas):
            return False
        goes_on = any(delta.event > ends[0] and delta.answer_property is not None for delta in deltas)
        return roles == len(ends) or (roles == len(deltas) and goes_on)

    @property
    def late(self) -> list[Delta]:
        """Its deltas behind its last end."""
        return [delta for delta in self.deltas if delta.event > self.finishes[-1].event] if self.finishes else []

    @property
    def unindexed(self) -> list[Fragment]:
        """The fragments of tool calls that have no ``index`` key."""
        return self._call_fragments.unindexed

    @property
    def float_indexed(self) -> list[Fragment]:
        """The fragments of tool calls whose index is an integer written as a float."""
        return self._call_fragments.float_indexed

    @property
    def implied_finish(self) -> str | None:
        """The finish reason that follows from what stands in its place, or ``None`` if none follows.

        OpenAI ends spoken answers with a delta that has the time when the audio expires, and calls of audio models with
        a chunk without choices. Answers about images in 2023 ended with ``finish_details``, of the type ``stop`` or
        ``max_tokens``.
        """
        if self.end_left_out:
            return "tool_calls" if self.calls else "stop"
        last = self.deltas[-1]
        audio, details = last.delta.get("audio"), last.choice.get("finish_details")
        if isinstance(details, dict):
            return "length" if details.get("type") == "max_tokens" else "stop"
        return "stop" if isinstance(audio, dict) and "expires_at" in audio else None

    def add(self, delta: Delta) -> None:
        """Add the next delta of this choice."""
        value = delta.delta
        finish = delta.choice.get("finish_reason")
        if self.finishes:
            self.after.append(delta)
            # a role in every delta says nothing of a beginning, and what brought nothing was no answer
            self.restarts = self.restarts or bool(
                value.get("role")
                and finish is None
                and len(self.roles) == 1
                and any(one.answer_property for one in self.deltas)
            )
            if self.restarts:
                return
        self.deltas.append(delta)
        if finish is not None:
            self._add_finish(delta, finish)
        if "role" in value:
            self.roles.append(Mark(delta.event, (*delta.at, "delta", "role"), value["role"]))
        if "function_call" in value and isinstance(value["function_call"], dict):
            self.function_call = self.function_call or CallTrace(None)
            self.function_call.add(Fragment(delta.event, (*delta.at, "delta"), value))
        if "tool_calls" in value and isinstance(value["tool_calls"], list):
            self._add_calls(delta, value["tool_calls"])

    def _add_finish(self, delta: Delta, finish: object) -> None:
        mark = Mark(delta.event, (*delta.at, "finish_reason"), finish)
        if finish == "":
            self.blank_finishes.append(mark)
        elif isinstance(finish, str) and finish not in WORDS_FOR_NULL:  # the schema reports them, and other types
            self.finishes.append(mark)
            self.finishing.append(delta)

    def _add_calls(self, delta: Delta, calls: list[object]) -> None:
        at = (*delta.at, "delta", "tool_calls")
        if not calls:
            self.empty_calls.append(Mark(delta.event, at, calls))
        elif delta.delta.get("content") and isinstance(delta.delta["content"], str):
            self.texts_with_calls.append(delta)
        for position, call in enumerate(islice(calls, MOST_FOLLOWED)):
            if isinstance(call, dict):
                self._call_fragments.add(Fragment(delta.event, (*at, position), call))
