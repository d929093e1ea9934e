"""Test that strangers whose answers have only faults that any server may have are never taken for a known dialect."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import pytest
from dialect_examples import UUID, examined

from isogloss.validator.dialects.model import dialects
from isogloss.validator.dialects.speakers import AutoSpeaker

SPEAKER = AutoSpeaker(dialects())
ABSENT: Any = ...
FAULTS: tuple[tuple[str, Any], ...] = (
    ("id", ""), ("id", UUID), ("id", UUID.replace("-", "")), ("id", None), ("id", 7), ("id", ABSENT),
    ("created", 0), ("created", 1780000000.5), ("created", "1780000000"), ("created", ABSENT),
    ("model", ""), ("model", ABSENT), ("object", ""), ("object", "text_completion"), ("object", ABSENT),
    ("system_fingerprint", ""), ("system_fingerprint", None), ("service_tier", ""), ("service_tier", None),
    ("usage", {"prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 12}), ("usage", None), ("usage", {}),
    ("usage", {"prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 12, "cost": {"total": 0.1}}),
    ("choice.index", ABSENT), ("choice.logprobs", ABSENT), ("choice.logprobs", {}),
    ("choice.finish_reason", ""), ("choice.finish_reason", None), ("choice.finish_reason", ABSENT),
    ("choice.finish_reason", "end_turn"), ("choice.finish_reason", "STOP"), ("choice.finish_reason", "eos"),
    ("choice.finish_reason", "error"), ("message.name", None), ("message.tool_call_id", None),
    ("message.role", "assistant"), ("message.name", "x"), ("message.content", None), ("message.refusal", ABSENT),
    ("message.reasoning", "So"), ("message.reasoning_content", "So"), ("message.reasoning_content", None),
    ("message.tool_calls", None), ("message.tool_calls", []), ("message.function_call", None),
)  # fmt: skip
"""Values at paths in a completion, or in each chunk of a stream. No dialect is the only one that has one of them."""


def completion_with(*faults: tuple[str, Any]) -> dict[str, Any]:
    """Return a completion that conforms but for these faults."""
    message = {"role": "assistant", "content": "Hi.", "refusal": None}
    return _with({"object": "chat.completion"}, {"finish_reason": "stop"}, message, "message", faults)


def stream_with(*faults: tuple[str, Any]) -> list[dict[str, Any]]:
    """Return the chunks of a stream that conforms but for these faults. A wrong end is in the last chunk only."""
    deltas: tuple[dict[str, Any], ...] = ({"role": "assistant", "content": ""}, {"content": "Hi"}, {"content": "."}, {})
    chunks = []
    for delta in deltas:
        own = faults if delta == {} else [one for one in faults if one[0] != "choice.finish_reason" or one[1] is ABSENT]
        choice = {"finish_reason": None if delta else "stop"}
        chunks.append(_with({"object": "chat.completion.chunk"}, choice, delta, "delta", own))
    return chunks


def _with(
    payload: dict[str, Any], choice: dict[str, Any], message: dict[str, Any], name: str, faults: Any
) -> dict[str, Any]:
    payload = {"id": "chatcmpl-123", "created": 1780000000, "model": "my-model", **payload}
    choice = {"index": 0, "logprobs": None, **choice}
    holders = {"": payload, "choice": choice, "message": message}
    for path, value in faults:
        holder, _, last = path.rpartition(".")
        holders[holder][last] = value
    payload, choice, message = [{k: v for k, v in one.items() if v is not ABSENT} for one in holders.values()]
    return {**payload, "choices": [{**choice, name: message}]}


def _pairs() -> Iterator[tuple[tuple[str, Any], ...]]:
    """Yield every one of the faults, and every two of them that are at different paths."""
    yield from ((one,) for one in FAULTS)
    yield from (pair for pair in itertools.combinations(FAULTS, 2) if pair[0][0] != pair[1][0])


@pytest.mark.parametrize(
    "answer_with",
    [
        pytest.param(completion_with, id="completion"),
        pytest.param(stream_with, id="stream", marks=pytest.mark.thorough),
    ],
)
def test_two_faults_that_any_server_may_have_name_nobody(answer_with: Any) -> None:
    speakers = [(faults, SPEAKER.explain(examined(answer_with(*faults))).speaks) for faults in _pairs()]
    assert [one for one in speakers if one[1] not in ("undetermined", "openai")] == []
