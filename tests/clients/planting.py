"""Put the deviation of a single chunk into a whole stream.

A fixture that is one chunk gives the path and the value of a deviation. A server with this deviation has it in every
chunk with that path, and so has the stream that is made here.
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
_BASE_STREAMS = (_TEXT_STREAM, _CALL_STREAM)


def plant(finding: ReplyFinding) -> Iterator[tuple[list[Any], list[Any]]]:
    """Yield streams with the deviation in every chunk that has its path, each together with the stream without it."""
    for base in _BASE_STREAMS:
        values = [read(chunk, finding.pointer) for chunk in base]
        has_value = any(value not in (None, ABSENT) for value in values)
        stream = copy.deepcopy(base)
        changed = [chunk for chunk in stream if _plant_in_chunk(chunk, finding, has_value, has_empty_text="" in values)]
        if changed:
            yield stream, base


def _plant_in_chunk(chunk: Any, finding: ReplyFinding, has_value: bool, has_empty_text: bool) -> bool:
    """Put the deviation of a finding into a chunk, and return whether the chunk was changed.

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
            return False
    last = finding.pointer[-1]
    if not isinstance(part, dict) or not isinstance(last, str):
        return False
    if finding.value in (None, ABSENT) and has_empty_text and part.get(last) != "":
        return False
    if finding.value is ABSENT:
        return part.pop(last, ABSENT) is not ABSENT
    if last not in part and finding.rule not in ("unknown-property", "null-value"):
        return False
    if has_value and finding.value is not None and part.get(last) is None:
        return False
    part[last] = _convert_like(finding.value, part.get(last))
    return True


def _convert_like(value: Any, base_value: Any) -> Any:
    """Return the value of the base stream in the form of the deviating value: a text in an array, a number as text."""
    if isinstance(base_value, str) and isinstance(value, list) and value:
        return [{**value[0], "text": base_value} if isinstance(value[0], dict) else base_value]
    if type(base_value) is int and isinstance(value, str):
        return str(base_value)
    return float(base_value) if type(base_value) is int and isinstance(value, float) and value == int(value) else value
