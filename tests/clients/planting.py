"""Put the deviation of a single chunk into whole streams.

A fixture that is one chunk gives the path and the value of a deviation. A server has it in every chunk with that path,
in the first one alone, in the last one alone, or sends only one chunk with that path.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

from judging_replies import ReplyFinding

from isogloss.validator.pointer import ABSENT, read

__all__ = ["plant"]

_ENVELOPE = {
    "id": "chatcmpl-Fake0000000000000000000000070",
    "object": "chat.completion.chunk",
    "created": 1760000700,
    "model": "gpt-4.1-mini-2025-04-14",
    "service_tier": "default",
    "system_fingerprint": "fp_0123456789",
}
_CALL = {"index": 0, "id": "call_Fake00000000000000000070", "type": "function"}


def _chunk(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
    return {**_ENVELOPE, "choices": [choice], "usage": None}


_USAGE_CHUNK = {**_ENVELOPE, "choices": [], "usage": {"prompt_tokens": 20, "completion_tokens": 6, "total_tokens": 26}}

_TEXT_STREAM = [
    _chunk({"role": "assistant", "content": "", "refusal": None}),
    _chunk({"content": "It"}),
    _chunk({"content": " rains."}),
    _chunk({}, "stop"),
    _USAGE_CHUNK,
]
_CALL_STREAM = [
    _chunk({"role": "assistant", "content": None, "refusal": None}),
    _chunk({"tool_calls": [{**_CALL, "function": {"name": "get_weather", "arguments": ""}}]}),
    _chunk({"tool_calls": [{"index": 0, "function": {"arguments": '{"city":'}}]}),
    _chunk({"tool_calls": [{"index": 0, "function": {"arguments": '"Paris"}'}}]}),
    _chunk({}, "tool_calls"),
    _USAGE_CHUNK,
]
_SHORT_TEXT_STREAM = [_chunk({"role": "assistant", "content": "It rains.", "refusal": None}), *_TEXT_STREAM[-2:]]
_WHOLE_CALL = {**_CALL, "function": {"name": "get_weather", "arguments": '{"city":"Paris"}'}}
_SHORT_CALL_STREAM = [
    _chunk({"role": "assistant", "content": None, "refusal": None}),
    _chunk({"tool_calls": [_WHOLE_CALL]}),
    *_CALL_STREAM[-2:],
]
_EMPTY_CALL = {**_CALL, "function": {"name": "get_time", "arguments": "{}"}}
_EMPTY_CALL_STREAM = [_SHORT_CALL_STREAM[0], _chunk({"tool_calls": [_EMPTY_CALL]}), *_CALL_STREAM[-2:]]
_BASE_STREAMS = (_TEXT_STREAM, _CALL_STREAM, _SHORT_TEXT_STREAM, _SHORT_CALL_STREAM, _EMPTY_CALL_STREAM)
_FRAGMENTS = frozenset({"content", "arguments"})
"""Properties whose values clients join. Nothing that they say is left out or added."""


def plant(finding: ReplyFinding) -> Iterator[tuple[list[Any], list[Any]]]:
    """Yield streams with the deviation, each together with the stream without it.

    First come those with the deviation in every chunk that has its path, then those with it in the first or in the last
    of these alone.
    """
    streams = [(base, _plant_in_stream(base, finding)) for base in _BASE_STREAMS]
    yield from ((changed, base) for base, changed in streams if changed != base)
    for base, changed in streams:
        numbers = [number for number, chunk in enumerate(base) if changed[number] != chunk]
        for number in (numbers[0], numbers[-1]) if len(numbers) > 1 else ():
            yield [*base[:number], changed[number], *base[number + 1 :]], base


def _plant_in_stream(base: list[Any], finding: ReplyFinding) -> list[Any]:
    values = [read(chunk, finding.pointer) for chunk in base]
    has_value = any(value not in (None, ABSENT) for value in values)
    stream = copy.deepcopy(base)
    for chunk in stream:
        _plant_in_chunk(chunk, finding, has_value, has_empty_text="" in values)
    return stream


def _plant_in_chunk(chunk: Any, finding: ReplyFinding, has_value: bool, has_empty_text: bool) -> None:
    """Put the deviation of a finding into a chunk, if the chunk has its path.

    ``has_value`` says that at least one chunk has a value other than null at the pointer: then only such chunks get the
    deviating value. ``has_empty_text`` says that at least one chunk has an empty text there: then null replaces only
    empty texts, so that no content is lost.
    """
    part = chunk
    for step in finding.pointer[:-1]:
        if isinstance(step, int) and isinstance(part, list):
            step = min(step, len(part) - 1)
        try:
            part = part[step]
        except (LookupError, TypeError):
            return
    last = finding.pointer[-1]
    if not isinstance(part, dict) or not isinstance(last, str):
        return
    if finding.value in (None, ABSENT) and has_empty_text and part.get(last) != "":
        return
    if last in _FRAGMENTS and (part.get(last) or "{}") != "{}" and finding.value in (None, ABSENT):
        return
    if last in _FRAGMENTS and part.get(last) is None and finding.value:
        return
    if finding.value is ABSENT:
        part.pop(last, None)
        return
    if last not in part and finding.rule not in ("unknown-property", "null-value"):
        return
    if has_value and finding.value is not None and part.get(last) is None:
        return
    part[last] = _convert_like(finding.value, part.get(last))


def _convert_like(value: Any, base_value: Any) -> Any:
    """Return the value of the base stream in the form of the deviating value: a text in an array, a number as text."""
    if isinstance(base_value, str) and isinstance(value, list) and value:
        return [{**value[0], "text": base_value} if isinstance(value[0], dict) else base_value]
    if type(base_value) is int and isinstance(value, str):
        return str(base_value)
    return float(base_value) if type(base_value) is int and isinstance(value, float) and value == int(value) else value
