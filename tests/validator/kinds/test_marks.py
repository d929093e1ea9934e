"""Test the evidence for each kind of payload."""

from __future__ import annotations

from typing import Any

import pytest

from isogloss import schemas
from isogloss.validator.exchange import NotJson
from isogloss.validator.kinds import is_stream, kind_of, marks

COMPLETION: dict[str, Any] = {
    "object": "chat.completion",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "Ho"}, "finish_reason": "stop"}],
}
CHUNK = {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"content": "Ho"}}]}
ERROR = {"error": {"message": "No", "type": "server_error", "param": None, "code": None}}


def test_a_plain_answer_has_the_kind_that_all_marks_give() -> None:
    swapped = COMPLETION | {"object": "chat.completion.chunk"}, CHUNK | {"object": "chat.completion"}
    for value in (COMPLETION, CHUNK, *swapped, ERROR, ERROR | {"x": 1}, {"error": ERROR["error"] | {"x": 1}}):
        if (plain_kind := marks.plain_answer(value)) is not None:
            points = marks.points(value)
            assert max(points, key=lambda kind: points[kind]) == plain_kind == kind_of(value)


def test_request_properties_are_those_of_the_reference() -> None:
    assert schemas.load("request")["properties"].keys() == marks.REQUEST_PROPERTIES


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        ([CHUNK], True), ([{"x": 1}, CHUNK], True), ([COMPLETION], True), ([ERROR], True), ([NotJson.DONE], True),
        ([NotJson.FAULTY, NotJson.DONE], True), ([], False), ([NotJson.FAULTY], False),
        ([{"x": 1}, NotJson.DONE], False),
    ],
)  # fmt: skip
def test_a_stream_has_a_chunk_or_nothing_but_an_error_or_an_end(events: list[Any], expected: bool) -> None:
    assert is_stream(events) is expected
