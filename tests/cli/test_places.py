"""Tests of the line, the column and the event of findings, in every form of a capture."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Isogloss = Callable[..., Any]

REQUEST = '{"model": "m", "messages": [{"role": "user", "content": "Hi"}]}'
COMPLETION = (
    '{"id": "chatcmpl-1", "object": "chat.completion", "created": 1760000000, "model": "m",\n "choices": [{"index": 0, '
    '"message": {"role": "assistant", "content": "Hi", "refusal": null}, "logprobs": null, "finish_reason": "stop"}]}'
)


def chunk(delta: str, finish_reason: str = "null", created: str = "1760000000") -> str:
    return (
        f'{{"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": {created}, "model": "m", '
        f'"choices": [{{"index": 0, "delta": {delta}, "finish_reason": {finish_reason}}}]}}'
    )


FIRST, LAST = chunk('{"role": "assistant", "content": "é"}'), chunk("{}", '"stop"')
MISTYPED = chunk('{"content": "é"}', created='§"x"')
FUNCTION = '{"name": "f", "arguments": "{"}'
CALL = chunk(f'{{"tool_calls": [{{"index": 0, "id": "call_1", "type": "function", "function": {FUNCTION}}}]}}')
MORE_ARGUMENTS = chunk('{"tool_calls": [{"index": 0, "function": {"arguments": "1"}}]}')
LAST_AFTER_CALL = chunk("{}", '"tool_calls"')


MISTYPED_REQUEST = REQUEST.replace('"m"', "§1")
MISTYPED_COMPLETION = COMPLETION.replace("1760000000", '§"x"')


def sse(*data: str) -> str:
    return "".join(f"data: {line}\n\n" for line in (*data, "[DONE]"))


def json_string(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


CASES = {
    # the file, with § at the place of the finding; the rule; the kind; the event
    "a request": (MISTYPED_REQUEST, "wrong-type", "request", None),
    "an answer": (MISTYPED_COMPLETION, "wrong-type", "completion", None),
    "an item": (COMPLETION.replace('"index": 0', '"index": §"x"'), "wrong-type", "completion", None),
    "a name": (COMPLETION.replace('"model"', '§"é": 1, "model"'), "unknown-property", "completion", None),
    "what lacks a property": (
        COMPLETION.replace('{"index"', '§{"index"').replace(', "finish_reason": "stop"', ""),
        "missing-property",
        "completion",
        None,
    ),
    "a request of a record": (
        f'{{\n "request": {MISTYPED_REQUEST},\n "response": {COMPLETION}}}',
        "wrong-type",
        "request",
        None,
    ),
    "an answer of a record": (
        f'{{\n "request": {REQUEST},\n "response": {MISTYPED_COMPLETION}}}',
        "wrong-type",
        "completion",
        None,
    ),
    "an event": (sse(FIRST, MISTYPED, LAST), "wrong-type", "chunk", 1),
    "an event of several lines": (
        sse(FIRST, MISTYPED.replace(', "created"', ',\ndata: "created"'), LAST),
        "wrong-type",
        "chunk",
        1,
    ),
    "a name in an event": (sse(FIRST, LAST.replace('"model"', '§"é": 1, "model"')), "unknown-property", "chunk", 1),
    "an event in a string": (f'{{\n "sse": {json_string(sse(FIRST, MISTYPED, LAST))}}}', "wrong-type", "chunk", 1),
    "a chunk of an array": (f"[{FIRST},\n {MISTYPED},\n {LAST}]", "wrong-type", "chunk", 1),
    "a chunk of a record": (f'{{"chunks":\n [{FIRST},\n {MISTYPED},\n {LAST}]}}', "wrong-type", "chunk", 1),
    "a chunk on a line": (f"{FIRST}\n{MISTYPED}\n{LAST}\n", "wrong-type", "chunk", 1),
    "a part that a stream sends in pieces": (
        sse(FIRST, CALL, f"§{MORE_ARGUMENTS}", LAST_AFTER_CALL),
        "arguments-not-json",
        "completion",
        2,
    ),
    "the text of an answer": (COMPLETION.replace('"model"', '§\x01 "model"'), "json-syntax", "completion", None),
    "the text of an event": (sse(FIRST, chunk('{"content": §01}'), LAST), "json-syntax", "chunk", 1),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_a_finding_has_its_place(case: str, isogloss: Isogloss, tmp_path: Path) -> None:
    marked, rule, kind, event = CASES[case]
    before = marked.partition("§")[0]
    path = tmp_path / "capture"
    path.write_text(marked.replace("§", ""), "utf-8")
    result = isogloss("check", path, "--format", "jsonl", "--select", rule, "--fail-on", "note")
    findings = [finding for finding in map(json.loads, result.stdout.splitlines()) if finding["type"] == "finding"]
    assert [(finding["kind"], finding["source"]["event"]) for finding in findings] == [(kind, event)]
    place = findings[0]["source"]["line"], findings[0]["source"]["column"]
    assert place == (before.count("\n") + 1, len(before.rpartition("\n")[2]) + 1)


def test_each_of_the_findings_in_several_events_has_its_own_place(isogloss: Isogloss, tmp_path: Path) -> None:
    path = tmp_path / "capture.sse"
    path.write_text(sse(FIRST, MISTYPED.replace("§", ""), LAST.replace('"index": 0', '"index": "x"')), "utf-8")
    result = isogloss("check", path, "--format", "jsonl", "--select", "wrong-type")
    findings = [finding for finding in map(json.loads, result.stdout.splitlines()) if finding["type"] == "finding"]
    lines = path.read_text("utf-8").splitlines()
    for finding in findings:
        source = finding["source"]
        assert lines[source["line"] - 1][source["column"] - 1 :].startswith('"x"')
    assert [finding["source"]["event"] for finding in findings] == [1, 2]
