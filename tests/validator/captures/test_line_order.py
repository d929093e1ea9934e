"""Tests of requests and answers on lines of a log: what their order shows, and the names of their ids."""

from __future__ import annotations

import json
from typing import Any

import pytest
from payloads import COMPLETION, ERROR, REQUEST, chunk
from reading import all_exchanges, exchanges_in, read_all, values_of

from isogloss.validator.exchange import Exchange, Payload, Stream


def _request(text: str) -> dict[str, Any]:
    return REQUEST | {"messages": [{"role": "user", "content": text}]}


def _answer(text: str) -> dict[str, Any]:
    [choice] = COMPLETION["choices"]
    return COMPLETION | {
        "id": f"chatcmpl-of-{text}",
        "choices": [choice | {"message": choice["message"] | {"content": text}}],
    }


def _log(*payloads: dict[str, Any]) -> str:
    return "".join(f"12:00:0{number} {json.dumps(one)}\n" for number, one in enumerate(payloads))


def test_the_order_shows_nothing_any_more_behind_two_requests_in_a_row() -> None:
    in_turn = [_request("b"), _answer("b"), _request("c"), _answer("c")]
    assert len(exchanges_in(_log(*in_turn), "app.log")) == 2
    assert len(exchanges_in(_log(_request("a"), *in_turn), "app.log")) == 5


@pytest.mark.parametrize(
    "name",
    [
        "request_id", "req_id", "x-request-id", "rid", "correlation_id", "X-Correlation-Id", "traceId", "call_id",
        "transaction_id", "completion_id", "generation_id", "exchange_id", "llm_request_id", "llmCallId",
        "invocation_id", "correlation", "trace",
    ],
)  # fmt: skip
def test_an_id_may_be_short_if_its_name_says_that_it_is_that_of_a_request(name: str) -> None:
    bodies = [(7, _request("a")), (8, _request("b")), (8, _answer("b")), (7, _answer("a"))]
    lines = "".join(json.dumps({"level": "info", name: number, "body": body}) + "\n" for number, body in bodies)
    found = [values_of(one) for one in exchanges_in(lines, "app.jsonl")]
    assert found == [(_request("a"), _answer("a")), (_request("b"), _answer("b"))]


def test_a_truth_value_is_no_id() -> None:
    def lines(trace: object) -> str:
        traced = [{"level": "info", "trace": trace, "body": body} for body in (_request("b"), _answer("b"))]
        return "".join(json.dumps(one) + "\n" for one in [{"level": "info", "body": _request("a")}, *traced])

    assert [sum(isinstance(one, Exchange) for one in read_all(lines(trace))) for trace in (7, True)] == [1, 0]


@pytest.mark.parametrize("between", ["", '{"level": "info"}\n'])
def test_an_error_ends_a_stream_of_lines_unless_other_lines_stand_between_them(between: str) -> None:
    lines = f"{json.dumps(chunk({'role': 'assistant', 'content': 'Ho'}))}\n{between}{json.dumps(ERROR)}\n"
    found = all_exchanges(lines, "app.jsonl")
    assert len(found) == (2 if between else 1)
    body = found[-1].response
    assert body.kind == "error" if isinstance(body, Payload) else isinstance(body, Stream) and not between


def test_an_error_behind_the_end_of_one_stream_ends_the_one_that_began_last() -> None:
    chunks = [chunk({"role": "assistant", "content": name}) | {"id": name} for name in "abc"]
    chunks.insert(2, chunk({}, "stop") | {"id": "a"})
    found = all_exchanges("".join(json.dumps(one) + "\n" for one in [*chunks, ERROR]), "app.jsonl")
    bodies = [one.response for one in found]
    assert [body.values for body in bodies if isinstance(body, Stream)] == [[chunks[0], chunks[2]], [chunks[3], ERROR]]


def test_a_line_without_an_exchange_does_not_end_a_stream_whose_usage_follows() -> None:
    usage = chunk({}) | {"choices": [], "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}}
    chunks = [chunk({"role": "assistant", "content": "Ho"}), chunk({}, "stop"), {"level": "info"}, usage]
    (found,) = all_exchanges("".join(json.dumps(one) + "\n" for one in chunks), "app.jsonl")
    assert isinstance(found.response, Stream)
    assert found.response.values == [*chunks[:2], usage]
