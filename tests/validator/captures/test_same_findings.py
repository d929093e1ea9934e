"""One list of exchanges in every format: whatever carries it, the verdict is the same."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from isogloss.validator import engines, rules
from isogloss.validator.captures import Capture, read
from isogloss.validator.exchange import Exchange
from isogloss.validator.judging.judge import Judge

Found = list[list[tuple[str, str, str, int]]]

REQUEST = {
    "model": "m-1",
    "messages": [{"role": "user", "content": 'Häagen \U0001f366 "quoted"\nnew: line\'s # end  '}],
}
COMPLETION: dict[str, Any] = {
    "id": "chatcmpl-1",
    "object": "chat.completion",
    "created": 1700000000,
    "model": "m-1",
    "choices": [
        {
            "index": 0,
            "message": {"role": "assistant", "content": "  é\n\n- yes: 'no' \\ \t\x01 {end}", "refusal": None},
            "logprobs": None,
            "finish_reason": "stop",
        }
    ],
    "usage": {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5},
}


def _broken() -> dict[str, Any]:
    value = json.loads(json.dumps(COMPLETION))
    del value["id"]
    value["created"] = "yesterday"
    value["choices"][0]["message"]["thoughts"] = "none"
    value["choices"][0]["finish_reason"] = "bored"
    return value


def _stream(*, done: bool = True) -> str:
    def chunk(delta: dict[str, Any], finish: str | None) -> dict[str, Any]:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        return {
            "id": "chatcmpl-2",
            "object": "chat.completion.chunk",
            "created": 1,
            "model": "m-1",
            "choices": [choice],
        }

    chunks = [
        chunk({"role": "assistant", "content": ""}, None),
        chunk({"content": "Yö\n", "odd": 1}, None),
        chunk({"content": 7}, None),
        chunk({}, "stop"),
    ]
    lines = [f"data: {json.dumps(one, ensure_ascii=False)}\n\n" for one in chunks]
    return ": ping\n\n" + "".join(lines) + "data: [DONE]\n\n" * done


@pytest.fixture(scope="module")
def recorded(recorded_type: Callable[..., Any]) -> list[Any]:
    request = json.dumps(REQUEST, ensure_ascii=False)
    streamed = json.dumps(REQUEST | {"stream": True, "temperature": 99})
    error = {"error": {"message": "no", "type": "invalid_request_error", "param": None}}
    event_stream = {"content_type": "text/event-stream; charset=utf-8"}
    return [
        recorded_type(request, json.dumps(COMPLETION, indent=2)),
        recorded_type(request, json.dumps(_broken(), ensure_ascii=False)),
        recorded_type(streamed, _stream(), **event_stream),
        recorded_type(streamed, _stream(done=False), **event_stream),
        recorded_type(request, json.dumps(error), status=400),
    ]


@pytest.fixture(scope="module")
def findings() -> Callable[[bytes], Found]:
    judge = Judge(engines.load())

    def findings(data: bytes) -> Found:
        exchanges = list(read(Capture(io.BytesIO(data), "capture.md")))
        assert all(isinstance(one, Exchange) for one in exchanges), exchanges
        return [
            sorted((one.rule, one.kind, one.pointer, one.severity.value) for one in judge.judge(exchange).findings)
            for exchange in exchanges
            if isinstance(exchange, Exchange)
        ]

    return findings


def test_every_format_gives_the_same_findings(
    writer: tuple[str, Callable[[list[Any]], bytes]],
    records_writer: Callable[[list[Any]], bytes],
    recorded: list[Any],
    findings: Callable[[bytes], Found],
) -> None:
    expected = findings(records_writer(recorded))
    assert [bool(one) for one in expected] == [False, True, True, True, True]
    assert findings(writer[1](recorded)) == expected


@pytest.mark.parametrize("name", ["http-response", "curl-v", "openai-batch", "tapes"])
def test_formats_of_responses_give_the_findings_of_responses(
    name: str,
    response_writers: dict[str, Callable[[list[Any]], bytes]],
    records_writer: Callable[[list[Any]], bytes],
    recorded: list[Any],
    findings: Callable[[bytes], Found],
) -> None:
    alone = [replace(one, request=None) for one in recorded if name != "openai-batch" or one.response.startswith("{")]
    assert findings(response_writers[name](recorded)) == findings(records_writer(alone))


@pytest.mark.parametrize("name", ["helicone", "otlp", "markdown"])
def test_logs_and_pages_give_the_findings_of_what_they_keep(
    name: str,
    log_writers: dict[str, Callable[[list[Any]], bytes]],
    records_writer: Callable[[list[Any]], bytes],
    recorded: list[Any],
    findings: Callable[[bytes], Found],
) -> None:
    kept = [replace(one, request=None, status=200) for one in recorded[:4]] if name == "markdown" else recorded
    expected = findings(records_writer(kept))
    if name == "otlp":  # what a client library made of it
        expected = [[one for one in found if not rules.is_about_wire(one[0])] for found in expected]
    assert findings(log_writers[name](recorded))[: len(kept)] == expected


def test_host_path_status_and_content_type_come_from_the_capture(
    writer: tuple[str, Callable[[list[Any]], bytes]], recorded: list[Any]
) -> None:
    for exchange in read(Capture(io.BytesIO(writer[1](recorded[2:3])), "capture")):
        assert isinstance(exchange, Exchange)
        assert exchange.host == (None if writer[0] == "httpmock" else "api.example.com")
        assert exchange.path == "/v1/chat/completions"
        assert exchange.request is not None
        assert exchange.response is not None
        assert exchange.response.status == 200
        assert exchange.response.content_type == "text/event-stream; charset=utf-8"


def test_other_traffic_is_passed_over_and_keeps_its_number(
    writer: tuple[str, Callable[[list[Any]], bytes]], recorded: list[Any], recorded_type: Callable[..., Any]
) -> None:
    embeddings = recorded_type(
        '{"model": "e", "input": "x"}', '{"object": "list", "data": []}', url="https://api.example.com/v1/embeddings"
    )
    if writer[0] == "httpmock":
        pytest.skip("this writer knows one path")
    found = list(read(Capture(io.BytesIO(writer[1]([embeddings, recorded[0]])), "capture")))
    assert [type(one).__name__ for one in found] == ["Skipped", "Exchange"]
    assert "/v1/embeddings" in found[0].reason  # type: ignore[union-attr]
    assert [one.number for one in found] == [0, 1]
