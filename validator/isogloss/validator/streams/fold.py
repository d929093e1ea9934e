"""Fold a stream into the completion that it represents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any

from msgspec import Struct

from isogloss.validator.pointer import Pointer
from isogloss.validator.streams.trace import CallTrace, ChoiceTrace, Trace
from isogloss.validator.views import Json

__all__ = ["Folded", "fold"]

_CHUNK_PROPERTIES = frozenset({"object", "choices", "usage", "obfuscation"})
"""Properties of a chunk that describe only the chunk, or that are folded separately."""

_LABELS = frozenset({"id", "type", "role", "channel"})
"""Properties of a fragment that are labels, not text. Repeated labels are not joined. ``channel`` is Groq's."""

_CHOICE_PROPERTIES = frozenset({"index", "delta", "finish_reason", "message"})
"""Properties of a choice that are folded separately, or ignored: a message beside the deltas is not folded."""

_DEEPEST = 16
"""Levels of objects that are joined property by property. Real answers have fewer levels."""


class Folded(Struct, frozen=True):
    """The completion that a stream represents, and the number of the event in which each part of it began.

    ``choices`` are the choices in the order in which they stand in the completion, and ``calls`` their calls in order.
    """

    value: Json
    events: dict[Pointer, int]
    choices: tuple[ChoiceTrace, ...] = ()
    calls: tuple[list[CallTrace], ...] = ()

    def event(self, pointer: Pointer, character: int | None = None) -> int | None:
        """Return the event in which the part at a pointer of the completion began.

        If the part is a text, and a position in it is given, return the event that brought the character there. Return
        ``None`` for the completion as a whole, and for parts that come from no event.
        """
        if character is not None:
            for event, piece in self._pieces(pointer):
                character -= len(piece)
                if character < 0:
                    return event
        while pointer:
            if pointer in self.events:
                return self.events[pointer]
            pointer = pointer[:-1]
        return None

    def _pieces(self, pointer: Pointer) -> Iterator[tuple[int, str]]:
        """Yield the pieces of a text of a message, or of a call, each with its event."""
        match pointer:
            case ("choices", int(position), "message", str(name)):
                parts = [(delta.event, delta.delta.get(name)) for delta in self.choices[position].deltas]
            case ("choices", int(position), "message", "tool_calls", int(number), "function" | "custom", str(name)):
                call = self.calls[position][number]
                parts = [(fragment.event, fragment.function.get(name)) for fragment in call.fragments]
            case _:
                parts = []
        return ((event, part) for event, part in parts if isinstance(part, str))


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
    finish reason: it is folded to the one that OpenAI's completions have there. Properties that are in no chunk are
    null (``content``, ``refusal``, ``finish_reason``) or left out.

    The time is linear in the length of the stream, and nothing in a stream makes this raise.
    """
    if not trace.choices:
        return None
    value, events = _join_chunks(trace.chunks)
    value["object"] = "chat.completion"
    choices = tuple(trace.choices[index] for index in sorted(trace.choices))
    calls = tuple(_in_order(choice.calls) for choice in choices)
    value["choices"] = [
        _fold_choice(choice, its_calls, ("choices", position), events)
        for position, (choice, its_calls) in enumerate(zip(choices, calls, strict=True))
    ]
    if trace.usages:
        value["usage"] = trace.usages[-1].value
        events["usage",] = trace.usages[-1].event
    return Folded(value, events, choices, calls)


def _join_chunks(chunks: Sequence[tuple[int, Json]]) -> tuple[Json, dict[Pointer, int]]:
    """Return the properties that the chunks have together, and by pointer the event in which each was first.

    Of a property, the last value counts that is not null, empty or zero, or else the first one.
    """
    value: Json = {}
    firsts: dict[str, int] = {}
    for event, chunk in chunks:
        known = len(value)
        value |= chunk
        if len(value) > known:
            for name in chunk:
                firsts.setdefault(name, event)
    for name in _CHUNK_PROPERTIES & value.keys():
        del value[name], firsts[name]
    empty = {name for name, last in value.items() if not last and last is not False}
    found: Json = {}
    for _, chunk in chunks if empty else ():
        for name in empty & chunk.keys():
            if name not in found or chunk[name] or chunk[name] is False:
                found[name] = chunk[name]
    return value | found, {(name,): event for name, event in firsts.items()}


def _fold_choice(choice: ChoiceTrace, calls: list[CallTrace], at: Pointer, events: dict[Pointer, int]) -> Json:
    events[at] = choice.deltas[0].event
    choice_values: dict[str, list[Any]] = {}
    message_values: dict[str, list[Any]] = {"role": [], "content": [], "refusal": []}
    began: dict[str, int] = {}
    for delta in choice.deltas:
        for name, part in delta.choice.items():
            if name not in _CHOICE_PROPERTIES:
                if name not in choice_values:
                    choice_values[name] = []
                if part is not None:
                    choice_values[name].append(part)
        for name, part in delta.delta.items():
            if name not in message_values:
                message_values[name] = []
            if part is not None:
                message_values[name].append(part)
                if part and name not in began:
                    began[name] = delta.event
    events.update(((*at, "message", name), event) for name, event in began.items())
    message_values.pop("tool_calls", None)
    roles = message_values.pop("role")
    folded_message: Json = {"role": _first_filled(roles)} if roles else {}
    folded_message.update((name, _join_property(name, parts)) for name, parts in message_values.items())
    if len(message_values["content"]) > 1 and list in map(type, message_values["content"]):
        folded_message["content"] = _join_content(message_values["content"])
    if calls:
        folded_message["tool_calls"] = [_fold_call(call) for call in calls]
        for position, call in enumerate(calls):
            events[*at, "message", "tool_calls", position] = call.fragments[0].event
    written_index = choice.deltas[0].choice.get("index")  # a rule reports an index such as 0.0
    index = written_index if type(written_index) is float and written_index == choice.index else choice.index
    folded: Json = {"index": index, "message": folded_message, "finish_reason": None}
    for name, parts in choice_values.items():
        folded[name] = (
            _join(parts) if name == "logprobs" or (parts and isinstance(parts[0], list)) else _last_filled(parts)
        )
    if choice.finishes:
        folded["finish_reason"] = choice.finishes[0].value
        events[*at, "finish_reason"] = choice.finishes[0].event
    elif choice.implied_finish:
        folded["finish_reason"] = choice.implied_finish
    return folded


def _in_order(calls: list[CallTrace]) -> list[CallTrace]:
    return sorted(calls, key=lambda call: -1 if call.index is None else call.index)


def _fold_call(call: CallTrace) -> Json:
    parts: dict[str, list[Any]] = {}
    for fragment in call.fragments:
        _gather(parts, fragment.value)
    parts.pop("index", None)
    return {name: _join_property(name, values) for name, values in parts.items() if values}


def _gather(parts: dict[str, list[Any]], fragment: Json) -> None:
    """Add each value of an object to the fragments of its property. Null adds no fragment."""
    for name, part in fragment.items():
        if name not in parts:
            parts[name] = []
        if part is not None:
            parts[name].append(part)


def _join_property(name: str, parts: list[Any], depth: int = _DEEPEST) -> Any:
    """Join the fragments of a property. Of labels, and of names that are all the same, take the first one."""
    if name in _LABELS:
        return _first_filled(parts)
    if name == "name":
        texts = [part for part in parts if part and isinstance(part, str)]
        return "".join(texts) if any(part != texts[0] for part in texts) else _first_filled(texts or parts)
    return _join(parts, depth)


def _join(parts: list[Any], depth: int = _DEEPEST) -> Any:
    """Join fragments: strings and lists in order, objects property by property.

    Of other values, return the last one that is not empty. Return ``None`` if there are no fragments.
    """
    if len(parts) == 1:
        return parts[0]
    types = set(map(type, parts))
    if types <= {str}:
        return "".join(parts) if parts else None
    if types <= {list, str}:
        return _join_items(parts)
    if depth and types == {dict}:
        inner: dict[str, list[Any]] = {}
        for part in parts:
            _gather(inner, part)
        return {name: _join_property(name, values, depth - 1) for name, values in inner.items()}
    return _last_filled(parts)


def _join_items(parts: Iterable[Any]) -> list[Any]:
    """Return the items of lists in order. Strings that follow each other are joined into one item."""
    items: list[Any] = []
    for text, run in groupby(parts, lambda part: isinstance(part, str)):
        if text:
            items.append("".join(run))
        else:
            items.extend(item for part in run for item in part)
    return items


def _join_content(contents: Iterable[Any], depth: int = _DEEPEST) -> list[Any]:
    """Return content as a list of parts. A string becomes a part, too.

    The first part of a delta is joined with the last part before it if both have the same type and contain only text.
    """
    runs: list[list[Any]] = []
    for content in contents:
        text = [{"type": "text", "text": content}] if content else []
        for position, part in enumerate(content if isinstance(content, list) else text):
            if not position and runs and _continues(runs[-1][0], part):
                runs[-1].append(part)
            else:
                runs.append([part])
    return [run[0] if len(run) == 1 else _join_content_parts(run, depth) for run in runs]


def _continues(part: Any, other: Any) -> bool:
    """Return whether two parts of content have the same type and contain only text, or lists of parts."""
    return (
        isinstance(part, dict)
        and isinstance(other, dict)
        and part.get("type") == other.get("type")
        and all(
            isinstance(value, str) or _is_list_of_parts(value)
            for content_part in (part, other)
            for value in content_part.values()
        )
    )


def _is_list_of_parts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(part, dict) for part in value)


def _join_content_parts(run: list[Json], depth: int) -> Json:
    values_by_name: dict[str, list[Any]] = {}
    for part in run:
        _gather(values_by_name, part)
    return {
        name: _join_content(values, depth - 1)
        if depth and any(map(_is_list_of_parts, values))
        else _join_property(name, values, depth)
        for name, values in values_by_name.items()
    }


def _first_filled(parts: list[Any]) -> Any:
    """Return the first part that is not empty, else the first part. Return ``None`` if there are no parts."""
    return next((part for part in parts if part), parts[0] if parts else None)


def _last_filled(parts: list[Any]) -> Any:
    """Return the last part that is not empty, else the last part. Return ``None`` if there are no parts."""
    return next((part for part in reversed(parts) if part or part is False), parts[-1] if parts else None)
