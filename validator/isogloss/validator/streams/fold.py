"""Fold a stream into the completion that it represents."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from typing import Any, NamedTuple

from isogloss.validator.pointer import Pointer
from isogloss.validator.streams.trace import CallTrace, ChoiceTrace, Trace
from isogloss.validator.views import Json

__all__ = ["Folded", "fold"]

_OF_THE_CHUNK = frozenset({"object", "choices", "usage", "obfuscation"})
"""Properties of a chunk that describe only the chunk, or that are folded separately."""

_LABELS = frozenset({"id", "type", "role", "channel"})
"""Properties of a fragment that are labels, not text: repeated ones are not joined. ``channel`` is Groq's."""

_FOLDED_APART = frozenset({"index", "delta", "finish_reason", "message"})
"""Members of a choice that are folded apart, or say nothing: a message beside the deltas is not what they make."""

_DEEPEST = 16
"""Levels of objects that are joined property by property; answers are not nested as deep."""


class Folded(NamedTuple):
    """The completion that a stream represents, and the number of the event in which each part of it began."""

    value: Json
    events: dict[Pointer, int]

    def event(self, pointer: Pointer) -> int | None:
        """Return the event in which the part at a pointer of the completion began.

        Return ``None`` for the completion as a whole, and for parts that come from no event.
        """
        while pointer:
            if pointer in self.events:
                return self.events[pointer]
            pointer = pointer[:-1]
        return None


def fold(trace: Trace) -> Folded | None:
    """Fold a stream into one completion, or return ``None`` if the stream has no chunk with a choice.

    Choices and tool calls are collected by index. The values of a property in a message are joined:

    * Strings are joined in order (content, refusal, arguments, a vendor's reasoning). Labels (``id``, ``type``,
      ``role``) are not joined: the first one that is not empty counts. Names that are all the same are not joined,
      either.
    * Lists are joined in order, and objects property by property.
    * Content in parts becomes one list. The first part of a delta continues the last part before it, if both have the
      same type and contain only text.

    In a choice, lists and the log probabilities are joined. Of every other property, the last value counts that is not
    null, empty or zero. ``finish_reason`` is the first one that is not empty. OpenAI ends a spoken answer without a
    finish reason: it is folded to ``stop``, which OpenAI's completions have there. Properties that are in no chunk are
    null (``content``, ``refusal``, ``finish_reason``) or left out.

    The time is linear in the length of the stream, and nothing in a stream makes this raise.
    """
    if not trace.choices:
        return None
    value: Json = {}
    events: dict[Pointer, int] = {}
    for event, chunk in trace.chunks:
        for name, part in chunk.items():
            if (part or part is False or name not in value) and name not in _OF_THE_CHUNK:
                if name not in value:
                    events[name,] = event
                value[name] = part
    value["object"] = "chat.completion"
    value["choices"] = [
        _choice(trace.choices[index], ("choices", position), events)
        for position, index in enumerate(sorted(trace.choices))
    ]
    if trace.usages:
        value["usage"] = trace.usages[-1].value
        events["usage",] = trace.usages[-1].event
    return Folded(value, events)


def _choice(choice: ChoiceTrace, at: Pointer, events: dict[Pointer, int]) -> Json:
    events[at] = choice.deltas[0].event
    said: dict[str, list[Any]] = {}
    message: dict[str, list[Any]] = {"role": [], "content": [], "refusal": []}
    began: dict[str, int] = {}
    for event, _, of_choice, of_delta in choice.deltas:
        for name, part in of_choice.items():
            if name not in _FOLDED_APART:
                if name not in said:
                    said[name] = []
                if part is not None:
                    said[name].append(part)
        for name, part in of_delta.items():
            if name not in message:
                message[name] = []
            if part is not None:
                message[name].append(part)
                if part and name not in began:
                    began[name] = event
    events.update(((*at, "message", name), event) for name, event in began.items())
    message.pop("tool_calls", None)
    roles = message.pop("role")
    folded_message: Json = {"role": _first(roles)} if roles else {}
    folded_message.update((name, _member(name, parts)) for name, parts in message.items())
    if len(message["content"]) > 1 and any(isinstance(part, list) for part in message["content"]):
        folded_message["content"] = _content(message["content"])
    if choice.calls:
        calls = sorted(choice.calls, key=lambda call: -1 if call.index is None else call.index)
        folded_message["tool_calls"] = [_call(call) for call in calls]
        for position, call in enumerate(calls):
            events[*at, "message", "tool_calls", position] = call.fragments[0].event
    written = choice.deltas[0].choice.get("index")  # as 0.0, perhaps, which is for a rule to tell
    index = written if type(written) is float and written == choice.index else choice.index
    folded: Json = {"index": index, "message": folded_message, "finish_reason": None}
    for name, parts in said.items():
        folded[name] = _join(parts) if name == "logprobs" or (parts and isinstance(parts[0], list)) else _last(parts)
    if choice.finishes:
        folded["finish_reason"] = choice.finishes[0].value
        events[*at, "finish_reason"] = choice.finishes[0].event
    elif choice.ends_with_audio:
        folded["finish_reason"] = "stop"
    return folded


def _call(call: CallTrace) -> Json:
    parts: dict[str, list[Any]] = {}
    for fragment in call.fragments:
        _gather(parts, fragment.value)
    parts.pop("index", None)
    return {name: _member(name, known) for name, known in parts.items() if known}


def _gather(parts: dict[str, list[Any]], fragment: Json) -> None:
    """Add each value of an object to the fragments of its property. Null adds no fragment."""
    for name, part in fragment.items():
        if name not in parts:
            parts[name] = []
        if part is not None:
            parts[name].append(part)


def _member(name: str, parts: list[Any], depth: int = _DEEPEST) -> Any:
    """Join the fragments of a property. Of labels, and of names that are all the same, take the first one."""
    if name in _LABELS:
        return _first(parts)
    if name == "name":
        said = [part for part in parts if part and isinstance(part, str)]
        return "".join(said) if any(part != said[0] for part in said) else _first(said or parts)
    return _join(parts, depth)


def _join(parts: list[Any], depth: int = _DEEPEST) -> Any:
    """Join fragments: strings and lists in order, objects property by property.

    Of other values, return the last one that is not empty. Return ``None`` if there are no fragments.
    """
    if len(parts) == 1:
        return parts[0]
    if all(isinstance(part, str) for part in parts):
        return "".join(parts) if parts else None
    if all(isinstance(part, list | str) for part in parts):
        return _items(parts)
    if depth and all(isinstance(part, dict) for part in parts):
        inner: dict[str, list[Any]] = {}
        for part in parts:
            _gather(inner, part)
        return {name: _member(name, known, depth - 1) for name, known in inner.items()}
    return _last(parts)


def _items(parts: Iterable[Any]) -> list[Any]:
    """Return the items of lists in order. Strings that follow each other are joined into one item."""
    items: list[Any] = []
    for text, run in groupby(parts, lambda part: isinstance(part, str)):
        if text:
            items.append("".join(run))
        else:
            items.extend(item for part in run for item in part)
    return items


def _content(said: Iterable[Any], depth: int = _DEEPEST) -> list[Any]:
    """Return content as a list of parts. A string becomes a part, too.

    The first part of a delta is joined with the last part before it if both have the same type and contain only text.
    """
    runs: list[list[Any]] = []
    for one in said:
        text = [{"type": "text", "text": one}] if one else []
        for position, part in enumerate(one if isinstance(one, list) else text):
            if not position and runs and _goes_on(runs[-1][0], part):
                runs[-1].append(part)
            else:
                runs.append([part])
    return [run[0] if len(run) == 1 else _part(run, depth) for run in runs]


def _goes_on(part: Any, other: Any) -> bool:
    """Return whether two parts of content have the same type and contain only text, or lists of parts."""
    return (
        isinstance(part, dict)
        and isinstance(other, dict)
        and part.get("type") == other.get("type")
        and all(isinstance(value, str) or _is_parts(value) for one in (part, other) for value in one.values())
    )


def _is_parts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(part, dict) for part in value)


def _part(run: list[Json], depth: int) -> Json:
    known: dict[str, list[Any]] = {}
    for part in run:
        _gather(known, part)
    return {
        name: _content(values, depth - 1) if depth and any(map(_is_parts, values)) else _member(name, values, depth)
        for name, values in known.items()
    }


def _first(parts: list[Any]) -> Any:
    """Return the first part that is not empty, else the first part. Return ``None`` if there are no parts."""
    return next((part for part in parts if part), parts[0] if parts else None)


def _last(parts: list[Any]) -> Any:
    """Return the last part that is not empty, else the last part. Return ``None`` if there are no parts."""
    return next((part for part in reversed(parts) if part or part is False), parts[-1] if parts else None)
