"""Tests that the same exchanges have the same findings in every format."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from payloads import json_lines
from reading import exchanges_in, findings_of_exchange, read_all
from writers import LOG_WRITERS, RESPONSE_WRITERS, Recorded, capture_name, write_records

from isogloss.validator import engines, rules
from isogloss.validator.exchange import Exchange
from isogloss.validator.judging.judge import Judge

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


def _completion_with_faults() -> dict[str, Any]:
    value = json.loads(json.dumps(COMPLETION))
    del value["id"]
    value["created"] = "yesterday"
    value["choices"][0]["message"]["thoughts"] = "none"
    value["choices"][0]["finish_reason"] = "bored"
    return value


def _stream(*, done: bool = True) -> str:
    def chunk(delta: dict[str, Any], finish_reason: str | None) -> dict[str, Any]:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish_reason}
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
    lines = [f"data: {json.dumps(value, ensure_ascii=False)}\n\n" for value in chunks]
    return ": ping\n\n" + "".join(lines) + "data: [DONE]\n\n" * done


@pytest.fixture(scope="module")
def recorded_exchanges() -> list[Any]:
    request = json.dumps(REQUEST, ensure_ascii=False)
    streamed = json.dumps(REQUEST | {"stream": True, "temperature": 99})
    error = {"error": {"message": "no", "type": "invalid_request_error", "param": None}}
    event_stream = {"content_type": "text/event-stream; charset=utf-8"}
    return [
        Recorded(request, json.dumps(COMPLETION, indent=2)),
        Recorded(request, json.dumps(_completion_with_faults(), ensure_ascii=False)),
        Recorded(streamed, _stream(), **event_stream),
        Recorded(streamed, _stream(done=False), **event_stream),
        Recorded(request, json.dumps(error), status=400),
    ]


def _findings(data: bytes) -> list[list[tuple[str, str, str, int]]]:
    """Return the findings of each exchange."""
    return [
        sorted((one.rule, one.kind, one.pointer, one.severity.value) for one in findings_of_exchange(exchange))
        for exchange in exchanges_in(data, capture_name(data))
    ]


def test_every_format_gives_the_same_findings(
    writer: tuple[str, Callable[[list[Any]], bytes]], recorded_exchanges: list[Any]
) -> None:
    expected = _findings(write_records(recorded_exchanges))
    assert [bool(exchange_findings) for exchange_findings in expected] == [False, True, True, True, True]
    assert _findings(writer[1](recorded_exchanges)) == expected


@pytest.mark.parametrize("name", ["http-response", "curl-v", "openai-batch", "tapes"])
def test_formats_of_responses_give_the_findings_of_responses(name: str, recorded_exchanges: list[Any]) -> None:
    responses = [
        replace(exchange, request=None)
        for exchange in recorded_exchanges
        if name != "openai-batch" or exchange.response.startswith("{")
    ]
    assert _findings(RESPONSE_WRITERS[name](recorded_exchanges)) == _findings(write_records(responses))


@pytest.mark.parametrize("name", ["helicone", "otlp", "markdown"])
def test_logs_and_pages_give_the_findings_of_what_they_keep(name: str, recorded_exchanges: list[Any]) -> None:
    kept_exchanges = (
        [replace(exchange, request=None, status=200) for exchange in recorded_exchanges[:4]]
        if name == "markdown"
        else recorded_exchanges
    )
    expected = _findings(write_records(kept_exchanges))
    if name == "otlp":  # which holds what a client library wrote, and not what was sent
        expected = [
            [finding for finding in exchange_findings if not rules.is_about_wire(finding[0])]
            for exchange_findings in expected
        ]
    assert _findings(LOG_WRITERS[name](recorded_exchanges))[: len(kept_exchanges)] == expected


def test_host_path_status_and_content_type_come_from_the_capture(
    writer: tuple[str, Callable[[list[Any]], bytes]], recorded_exchanges: list[Any]
) -> None:
    for exchange in read_all(writer[1](recorded_exchanges[2:3])):
        assert isinstance(exchange, Exchange)
        assert exchange.host == (None if writer[0].startswith("httpmock") else "api.example.com")
        assert exchange.path == "/v1/chat/completions"
        assert exchange.request is not None
        assert exchange.http.status == 200
        assert exchange.http.content_type == "text/event-stream; charset=utf-8"


def test_other_traffic_is_skipped_and_keeps_its_number(
    writer: tuple[str, Callable[[list[Any]], bytes]], recorded_exchanges: list[Any]
) -> None:
    embeddings = Recorded(
        '{"model": "e", "input": "x"}', '{"object": "list", "data": []}', url="https://api.example.com/v1/embeddings"
    )
    if writer[0].startswith("httpmock"):
        pytest.skip("this writer knows one path")
    parts = read_all(writer[1]([embeddings, recorded_exchanges[0]]))
    assert [type(part).__name__ for part in parts] == ["Skipped", "Exchange"]
    assert "/v1/embeddings" in parts[0].reason  # type: ignore[union-attr]
    assert [part.number for part in parts] == [0, 1]


@pytest.mark.slow
def test_recorded_streams_have_the_same_findings_as_events_on_lines_in_a_list_and_in_a_record(shared: Path) -> None:
    judge = Judge(engines.load())
    streams = 0
    for path in sorted((shared / "corpus").glob("*.jsonl")):
        for line in path.read_bytes().splitlines():
            body = json.loads(line).get("sse")
            if not body or (texts := _texts_of_events(body)) is None:
                continue
            events = [text if text == "[DONE]" else json.loads(text) for text in texts]
            forms = [json_lines(*(text + "\n" for text in texts)), events, {"response": events}, {"chunks": events}]
            expected = _findings_but_for_the_wire(judge, body)
            for form in forms:
                assert _findings_but_for_the_wire(judge, form) == expected, line[:400]
            streams += 1
    assert streams > 700


def _texts_of_events(body: str) -> list[str] | None:
    """Return the data of the events of a stream, or ``None`` if one of them is neither JSON nor the end."""
    texts = [line.removeprefix("data:").strip() for line in body.splitlines() if line.startswith("data:")]
    is_whole = all(text == "[DONE]" or text[-1:] == "}" for text in texts)
    return texts if is_whole and len(texts) == body.count("data:") else None


def _findings_but_for_the_wire(judge: Judge, capture: object) -> list[Counter[tuple[str, str, str, int]]]:
    """Return what each exchange of a capture breaks, without what only the bytes that were sent can show."""
    return [
        Counter(
            (one.rule, one.kind, one.path, one.count)
            for one in judge.judge(exchange).findings
            if not rules.is_about_wire(one.rule)
        )
        for exchange in exchanges_in(capture)
    ]
