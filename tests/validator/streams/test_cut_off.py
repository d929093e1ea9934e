"""If a text is cut off, its end is reported, and no finding that only the missing end causes."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest

from isogloss.validator import captures, engines
from isogloss.validator.exchange import Exchange
from isogloss.validator.judging.judge import Judge

JUDGE = Judge(engines.load())
REQUEST: dict[str, Any] = {"model": "m", "messages": [{"role": "user", "content": "Hi"}]}
HEAD = {"id": "chatcmpl-Fake1", "created": 1760000000, "model": "m"}
MESSAGE = {"role": "assistant", "content": "Ho", "refusal": None}
COMPLETION = HEAD | {
    "object": "chat.completion",
    "choices": [{"index": 0, "logprobs": None, "message": MESSAGE, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
}
CHUNK = HEAD | {
    "object": "chat.completion.chunk",
    "choices": [{"index": 0, "logprobs": None, "delta": {"role": "assistant", "content": "Ho"}, "finish_reason": None}],
}


def rules(capture: str) -> set[str]:
    found = list(captures.read(captures.Capture(io.BytesIO(capture.encode()), "capture")))
    return {finding.rule for one in found if isinstance(one, Exchange) for finding in JUDGE.judge(one).findings}


def cut(document: object) -> str:
    """Return the JSON text of a document up to the middle of the content of an answer."""
    text = json.dumps(document)
    return text[: text.rindex('"Ho"') + 2]


@pytest.mark.parametrize(
    ("capture", "told"),
    [
        (cut(COMPLETION), {"json-truncated"}),
        (cut({"request": REQUEST, "response": COMPLETION}), {"json-truncated"}),
        (cut([CHUNK, CHUNK]), {"json-truncated"}),
        (f"data: {json.dumps(CHUNK)}\n\ndata: {cut(CHUNK)}", {"event-truncated"}),
    ],
    ids=["body", "record", "array of chunks", "event"],
)
def test_what_stood_behind_the_cut_is_not_missed(capture: str, told: set[str]) -> None:
    assert rules(capture) - {"role-repeated"} == told


def test_what_is_whole_before_the_cut_is_held_against_the_schema() -> None:
    assert "missing-property" in rules(cut({"request": {"model": "m"}, "response": COMPLETION}))
    assert "missing-property" in rules(cut([CHUNK | {"choices": [{"index": 0, "delta": {}}]}, CHUNK]))
    bare = json.dumps(CHUNK | {"choices": [{"index": 0, "delta": {}}]})
    assert "missing-property" in rules(f"data: {bare}\n\ndata: {cut(CHUNK)}")


def test_a_whole_document_with_other_faults_is_held_against_the_schema() -> None:
    assert {"json-duplicate-key", "missing-property"} <= rules('{"model": "m", "model": "m", "object": '
                                                               '"chat.completion", "choices": []}')  # fmt: skip
