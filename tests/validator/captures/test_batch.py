"""Tests of the results of batches."""

from __future__ import annotations

import json

from payloads import chunk
from reading import bodies_in, read_all

from isogloss.validator.exchange import Exchange, Payload, Stream

COMPLETION = json.dumps({
    "id": "chatcmpl-Fake1", "object": "chat.completion", "created": 1760000000, "model": "m", "choices": [
        {"index": 0, "message": {"role": "assistant", "content": "Ho"}, "logprobs": None, "finish_reason": "stop"}
    ],
})  # fmt: skip


def test_answer_of_a_batch_may_stand_in_place_of_its_response() -> None:
    line = {"id": "vllm-1", "custom_id": "1", "response": json.loads(COMPLETION), "error": None}
    [exchange] = read_all(json.dumps(line) + "\n")
    assert isinstance(exchange, Exchange)
    assert isinstance(exchange.response, Payload)
    assert exchange.response.value == json.loads(COMPLETION)


def test_the_result_of_a_batch_may_hold_the_chunks_of_a_stream() -> None:
    chunks = [chunk({"role": "assistant", "content": "Ho"}), chunk({}, "stop")]
    [exchange] = read_all(json.dumps({"custom_id": "1", "response": {"status_code": 200, "body": chunks}}) + "\n")
    assert isinstance(exchange, Exchange)
    assert isinstance(exchange.response, Stream)
    assert exchange.response.values == chunks


def test_a_batch_request_without_a_response_is_skipped() -> None:
    line = {"id": "b", "custom_id": "1", "response": None, "error": {"code": "batch_expired", "message": "late"}}
    assert bodies_in(json.dumps(line) + "\n") == ["a request of the batch that got no response"]
