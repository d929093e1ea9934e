"""Reassembly: a whole stream folds into the one completion object it stands for."""

from __future__ import annotations

from typing import Any, NamedTuple

from isogloss.validator.pointer import Pointer
from isogloss.validator.trace import CallTrace, ChoiceTrace, Trace
from isogloss.validator.views import Json

__all__ = ["Folded", "fold"]

_NOT_OF_THE_ANSWER = frozenset({"object", "choices", "usage", "obfuscation"})
"""Members of a chunk that are about the chunk alone, or folded apart."""


class Folded(NamedTuple):
    """The completion a stream stands for, and the number of the event in which each part of it began."""

    value: Json
    events: dict[Pointer, int]

    def event(self, pointer: Pointer) -> int | None:
        """The event in which the part at a place of the completion began; ``None`` for the completion as a whole."""
        while pointer:
            if pointer in self.events:
                return self.events[pointer]
            pointer = pointer[:-1]
        return None


def fold(trace: Trace) -> Folded | None:
    """Fold a stream into one completion.

    Strings of deltas are joined in order (content, refusal, arguments, a vendor's reasoning), lists are joined, tool calls are
    collected by index, and of every other member the last value that is not null counts. ``finish_reason`` is the first one that is
    not empty. What no chunk holds is null (``content``, ``refusal``, ``finish_reason``) or left out. ``None`` when the stream has no chunk
    with a choice.
    """
    if not trace.choices:
        return None
    value: Json = {}
    events: dict[Pointer, int] = {}
    for event, chunk in trace.chunks:
        for name, part in chunk.items():
            if name not in _NOT_OF_THE_ANSWER and (part is not None or name not in value):
                value[name] = part
                events.setdefault((name,), event)
    value["object"] = "chat.completion"
    order = sorted(trace.choices, key=lambda index: (index is None, index or 0))
    value["choices"] = [
        _choice(trace.choices[index], ("choices", position), events) for position, index in enumerate(order)
    ]
    if trace.usages:
        value["usage"] = trace.usages[-1].value
        events["usage",] = trace.usages[-1].event
    return Folded(value, events)


def _choice(choice: ChoiceTrace, at: Pointer, events: dict[Pointer, int]) -> Json:
    events[at] = choice.deltas[0].event
    said: dict[str, list[Any]] = {}
    message: dict[str, list[Any]] = {"role": [], "content": [], "refusal": []}
    for delta in choice.deltas:
        _gather(said, delta.choice)
        _gather(message, delta.delta)
        for name, part in delta.delta.items():
            if part:
                events.setdefault((*at, "message", name), delta.event)
    for name in ("index", "delta", "finish_reason"):
        said.pop(name, None)
    message.pop("tool_calls", None)
    roles = [role for role in message.pop("role") if role]
    folded: Json = {} if choice.index is None else {"index": choice.index}
    folded["message"] = {"role": roles[0]} if roles else {}
    folded["message"].update((name, _join(parts)) for name, parts in message.items())
    folded["finish_reason"] = None
    folded.update((name, _join(parts)) for name, parts in said.items())
    if choice.calls:
        folded["message"]["tool_calls"] = [_call(call) for call in choice.calls]
        for position, call in enumerate(choice.calls):
            events[*at, "message", "tool_calls", position] = call.fragments[0].event
    for mark in choice.finishes:
        if mark.value != "":
            folded["finish_reason"] = mark.value
            events[*at, "finish_reason"] = mark.event
            break
    return folded


def _gather(parts: dict[str, list[Any]], fragment: Json) -> None:
    for name, part in fragment.items():
        known = parts.setdefault(name, [])
        if part is not None:
            known.append(part)


def _join(parts: list[Any]) -> Any:
    """Join the fragments of one member: strings and lists in order, objects member by member; of all else the last."""
    if not parts:
        return None
    if all(isinstance(part, str) for part in parts):
        return "".join(parts)
    if all(isinstance(part, list) for part in parts):
        return [item for part in parts for item in part]
    if all(isinstance(part, dict) for part in parts):
        inner: dict[str, list[Any]] = {}
        for part in parts:
            _gather(inner, part)
        return {name: known[0] if name == "id" and known else _join(known) for name, known in inner.items()}
    return parts[-1]


def _call(call: CallTrace) -> Json:
    folded: Json = {}
    for name in ("id", "type"):
        if found := call.strings(name):
            folded[name] = found[0]
    part, text = ("custom", "input") if folded.get("type") == "custom" else ("function", "arguments")
    inner: Json = {text: "".join(call.strings(text))}
    if found := call.strings("name"):
        inner["name"] = found[0]
    folded[part] = inner
    return folded
