"""Test which payloads of an exchange are evidence of a dialect, and the kind of each."""

from __future__ import annotations

from typing import Any

import pytest
from payloads import as_events
from reading import exchange_in

from isogloss.validator.dialects.payloads import payloads_of


def _kinds(*events: dict[str, Any]) -> list[str]:
    stream = as_events(*events)
    record = {"request": {"model": "m", "messages": [{"role": "user", "content": "a"}]}, "status": 200, "sse": stream}
    exchange = exchange_in(record, "record.json")
    return [kind for kind, _ in payloads_of(exchange)]


CHUNK = {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"content": "a"}}]}


@pytest.mark.parametrize(
    "error", [{"error": {"message": "m"}}, {"object": "error", "message": "m", "type": "t", "code": 400}]
)
def test_error_in_a_stream_is_evidence_about_errors(error: dict[str, Any]) -> None:
    assert _kinds(CHUNK, error) == ["request", "chunk", "error"]


def test_long_stream_is_read_at_its_beginning_and_its_end() -> None:
    assert _kinds(*[CHUNK] * 100, {"error": {"message": "m"}}) == ["request", *["chunk"] * 23, "error"]
