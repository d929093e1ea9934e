"""Test that the end of a text that is cut off is reported, and no finding that only the missing part causes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from payloads import as_events
from reading import read_all

from isogloss.validator import engines
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


def find_rules(capture: str) -> set[str]:
    exchanges = read_all(capture)
    return {
        finding.rule
        for exchange in exchanges
        if isinstance(exchange, Exchange)
        for finding in JUDGE.judge(exchange).findings
    }


def cut_off(document: object) -> str:
    """Return the JSON text of a document up to the middle of the last ``"Ho"``, which is the content of an answer."""
    text = json.dumps(document)
    return text[: text.rindex('"Ho"') + 2]


@pytest.mark.parametrize(
    ("capture", "expected"),
    [
        (cut_off(COMPLETION), {"json-truncated"}),
        (cut_off({"request": REQUEST, "response": COMPLETION}), {"json-truncated"}),
        (cut_off([CHUNK, CHUNK]), {"json-truncated"}),
        (f"data: {json.dumps(CHUNK)}\n\ndata: {cut_off(CHUNK)}", {"event-truncated"}),
    ],
    ids=["body", "record", "array of chunks", "event"],
)
def test_properties_after_the_cut_are_not_reported_as_missing(capture: str, expected: set[str]) -> None:
    assert find_rules(capture) - {"role-repeated"} == expected


CALLS = {"role": "assistant", "content": None, "tool_calls": [
    {"index": 0, "id": "call_Fake1", "type": "function", "function": {"name": "look", "arguments": '{"at": 1}'}}
]}  # fmt: skip
STREAMS = {
    "content": [
        {"delta": {"role": "assistant", "content": "Ho"}, "finish_reason": None},
        {"delta": {}, "finish_reason": "stop"},
    ],
    "calls": [
        {"delta": CALLS, "finish_reason": None},
        {"delta": {}, "finish_reason": "tool_calls"},
    ],
}
OF_THE_CUT = {"event-truncated", "json-truncated", "done-missing", "finish-reason-missing"}


def sse_text(choices: list[dict[str, Any]]) -> str:
    """Return the text of a stream with one choice in each chunk, and a chunk with the usage."""
    chunks = [
        CHUNK | {"system_fingerprint": "fp_1", "service_tier": "default", "usage": None,
                 "choices": [{"index": 0, "logprobs": None, **choice}]}
        for choice in choices
    ]  # fmt: skip
    usage = {"prompt_tokens": 11, "completion_tokens": 12, "total_tokens": 23}
    chunks.append(chunks[0] | {"choices": [], "usage": usage})
    return as_events(*chunks, "[DONE]")


@pytest.mark.thorough
@pytest.mark.parametrize("name", STREAMS)
@pytest.mark.parametrize("form", ["sse", "lines", "array"])
def test_what_is_cut_off_is_no_evidence_wherever_the_capture_ends(name: str, form: str) -> None:
    text = sse_text(STREAMS[name])
    if form != "sse":
        chunks = [line.removeprefix("data: ") for line in text.split("\n") if line.startswith("data: {")]
        text = "\n".join(chunks) if form == "lines" else f"[{','.join(chunks)}]"
    first = text.index("}]", text.index("choices")) + 2  # in the first chunk: before, nothing shows what it is
    assert find_rules(text) == set()
    for end in range(first, len(text)):
        assert find_rules(text[:end]) <= OF_THE_CUT, text[:end]


def test_complete_parts_before_the_cut_are_checked_against_the_schema() -> None:
    assert "missing-property" in find_rules(cut_off({"request": {"model": "m"}, "response": COMPLETION}))
    assert "missing-property" in find_rules(cut_off([CHUNK | {"choices": [{"index": 0, "delta": {}}]}, CHUNK]))
    bare = json.dumps(CHUNK | {"choices": [{"index": 0, "delta": {}}]})
    assert "missing-property" in find_rules(f"data: {bare}\n\ndata: {cut_off(CHUNK)}")


def test_complete_document_with_other_faults_is_checked_against_the_schema() -> None:
    assert {"json-duplicate-key", "missing-property"} <= find_rules('{"model": "m", "model": "m", "object": '
                                                               '"chat.completion", "choices": []}')  # fmt: skip
