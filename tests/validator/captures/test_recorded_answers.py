"""Tests of answers in layouts that no module knows, beside what shows that they were recorded."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from payloads import COMPLETION, ERROR, FAULTY, NAMES, REQUEST, URL, WHOLE_CHUNK
from reading import exchange_in, exchanges_in, findings_of_exchange, read_all, values_of

from isogloss.validator.exchange import Skipped

ANSWER = FAULTY["choices"][0]["message"] | {"content": "Hello there!"}
SAID: dict[str, Any] = FAULTY | {"choices": [FAULTY["choices"][0] | {"message": ANSWER}]}
CALLS = [{"id": "call_1", "type": "function", "function": {"name": "ls", "arguments": "{}"}}]
CALLED: dict[str, Any] = FAULTY | {
    "choices": [{"index": 0, "message": {"role": "assistant", "content": None, "tool_calls": CALLS}}]
}


@given(NAMES, NAMES, st.sampled_from([SAID, json.dumps(SAID)]), st.booleans())
def test_an_answer_beside_its_own_text_is_read_whatever_the_names_are(
    name: str, other: str, answer: Any, is_deeper: bool
) -> None:
    recorded = {f"{name} 1": " Hello there!\n", f"{other} 2": {"raw": answer, "ms": 1} if is_deeper else answer}
    assert [values_of(one) for one in exchanges_in({"runs": [{"steps": [recorded]}], "n": 1})] == [(None, SAID)]


def test_the_answers_in_the_messages_of_a_trajectory_are_read() -> None:
    """As mini-swe-agent writes them: each message of the model keeps the answer that it was taken from."""
    messages = [
        {"role": "user", "content": "Go"},
        SAID["choices"][0]["message"] | {"extra": {"response": SAID, "cost": 0.1}},
        {"role": "tool", "content": "a", "extra": {"returncode": 0}},
        {"role": "assistant", "content": None, "tool_calls": CALLS, "extra": {"response": CALLED}},
    ]
    exchanges = exchanges_in({"info": {"exit_status": "Submitted"}, "messages": messages})
    assert [values_of(one) for one in exchanges] == [(None, SAID), (None, CALLED)]
    assert all(one.dumped for one in exchanges)


@pytest.mark.parametrize(
    ("messages", "answer"),
    [
        (REQUEST["messages"], SAID),
        ({"messages": REQUEST["messages"]}, SAID),
        (json.dumps({"messages": REQUEST["messages"]}), json.dumps(SAID)),
    ],
)
def test_an_answer_beside_a_conversation_without_a_model_is_read_without_a_request(messages: Any, answer: Any) -> None:
    """As the logs of the tool ``llm`` have it."""
    row = {"prompt": "Hi", "model": "m", "prompt_json": messages, "response": "", "response_json": answer}
    assert [values_of(one) for one in exchanges_in([row])] == [(None, SAID)]


def test_an_answer_beside_its_calls_in_another_form_is_read() -> None:
    """As the tool ``llm`` prints its logs: a call has the id that it had in the answer, under another name."""
    calls = [{"id": 8, "tool_id": 1, "name": "f", "arguments": {}, "tool_call_id": CALLS[0]["id"]}]
    entry = {"model": "m", "prompt": "Hi", "response": "", "response_json": CALLED, "tool_calls": calls}
    assert [values_of(one) for one in exchanges_in([entry])] == [(None, CALLED)]
    [skipped] = read_all([entry | {"tool_calls": [calls[0] | {"tool_call_id": "another"}]}])
    assert isinstance(skipped, Skipped)


@pytest.mark.parametrize(
    "result",
    [
        {"index": 0, "status": "ok", "output": FAULTY},
        {"idx": 0, "result": FAULTY},
        {"row_id": 7, "completion": json.dumps(FAULTY)},
        {"custom_id": "a", "output": FAULTY, "status": "succeeded"},
        {"custom_id": "a", "result": {"type": "succeeded", "message": FAULTY}},
        {"batch_request_id": "a", "batch_result": {"response": {"chat_get_completion": FAULTY}}},
    ],
)
def test_the_results_of_a_batch_are_read_whatever_their_layout_is(result: dict[str, Any]) -> None:
    lines = f"{json.dumps(result)}\n{json.dumps(result)}\n"
    for document in (lines, [result, result], {"results": [result, result], "pagination_token": "b"}):
        assert [values_of(one) for one in exchanges_in(document)] == [(None, FAULTY), (None, FAULTY)]


@pytest.mark.parametrize(
    "other",
    [
        {"number": 0, "output": FAULTY},
        {"index": 0, "output": {"choices": FAULTY["choices"]}},
        {"index": 0, "output": ERROR},
        {"custom_id": "a", "result": {"type": "errored", "error": ERROR["error"]}},
    ],
)
def test_parts_of_answers_and_failures_of_any_service_are_no_results(other: dict[str, Any]) -> None:
    assert [type(part) for part in read_all(other)] == [Skipped]


def test_an_answer_beside_other_words_or_in_other_words_is_an_example() -> None:
    for document in (
        {"name": "a case", "text": "Bye", "expected": SAID},
        {"text": "", "expected": FAULTY | {"choices": [{"index": 0, "message": {"content": ""}}]}},
        {"text": None, "tool_calls": [], "expected": CALLED | {"choices": [{"message": {"tool_calls": []}}]}},
        {"tags": ["user"], "messages of others": [{"text": "Hi"}], "expected": SAID},
    ):
        assert all(isinstance(part, Skipped) for part in read_all({"a": document, "b": 1})), document


def test_the_model_that_a_log_keeps_beside_a_body_without_one_is_that_of_the_request() -> None:
    """As the invocation logs of Bedrock do, whose URL names the model."""
    body = {name: value for name, value in REQUEST.items() if name != "model"} | {"max_tokens": 9}
    record = {
        "schemaType": "ModelInvocationLog",
        "operation": "InvokeModel",
        "modelId": "arn:aws:bedrock:us-west-2::foundation-model/m",
        "input": {"inputContentType": "application/json", "inputBodyJson": body, "inputTokenCount": 3},
        "output": {"outputContentType": "application/json", "outputBodyJson": FAULTY},
    }
    streamed = record | {"output": {"outputBodyJson": [WHOLE_CHUNK]}}
    exchanges = exchanges_in(f"{json.dumps(record)}\n{json.dumps(streamed)}\n")
    assert [values_of(one) for one in exchanges] == [
        (body | {"model": "m"}, FAULTY),
        (body | {"model": "m"}, [WHOLE_CHUNK]),
    ]
    rules = [one.rule for exchange in exchanges for one in findings_of_exchange(exchange)]
    assert "missing-property" not in rules
    unnamed = exchange_in({"in": body, "out": FAULTY})
    assert values_of(unnamed) == (body, FAULTY)
    named = exchange_in({"model": "", "deployment": "org/m", "in": body, "out": FAULTY})
    assert values_of(named) == (body | {"model": "org/m"}, FAULTY)


def test_the_model_beside_a_request_in_a_record_is_that_of_the_request() -> None:
    asked = {"messages": REQUEST["messages"]}
    times = {"request_timestamp": "2026-11-24T05:00:00", "response_timestamp": "2026-11-24T05:00:01"}
    exchange = exchange_in(times | {"model": "m", "agent_id": "a", "request": asked, "response": FAULTY})
    assert values_of(exchange) == (asked | {"model": "m"}, FAULTY)
    assert exchange.dumped
    as_sent = exchange_in({"request": asked, "response": FAULTY})
    assert values_of(as_sent) == (asked, FAULTY)
    assert not as_sent.dumped


@pytest.mark.parametrize(
    "record",
    [
        REQUEST,
        {"method": "POST", "url": "https://api.openai.com/v1/chat/completions", **REQUEST},
        {"model": "m", "request": {"messages": REQUEST["messages"]}, "time": 1},
    ],
)
def test_a_request_that_is_gathered_from_a_record_may_lack_what_was_sent(record: dict[str, Any]) -> None:
    called = {"id": "call_Fake1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    message = {"role": "assistant", "content": None, "refusal": None, "tool_calls": [called]}
    choice = {"message": message, "logprobs": None, "finish_reason": "tool_calls"}
    answer = COMPLETION | {"choices": [choice | {"index": index} for index in range(2)]}
    exchange = exchange_in(record | {"response": answer})
    assert values_of(exchange) == (REQUEST, answer)
    assert findings_of_exchange(exchange) == []
    whole = findings_of_exchange(exchange_in({"request": REQUEST, "response": answer}))
    assert {one.rule for one in whole} == {"tool-undeclared", "choice-count-mismatch"}


def test_choices_alone_beside_a_conversation_are_a_part_of_an_answer_that_is_kept_elsewhere() -> None:
    record = {"input": {"messages": REQUEST["messages"]}, "metadata": {"model": "m"}}
    assert all(isinstance(part, Skipped) for part in read_all(record | {"output": {"choices": FAULTY["choices"]}}))
    assert values_of(*exchanges_in(record | {"output": FAULTY})) == (None, FAULTY)


def test_bodies_beside_messages_without_bodies_are_read() -> None:
    """As the logs of Kong have them: the headers in ``request`` and ``response``, the bodies elsewhere."""
    record = {
        "request": {"method": "POST", "uri": "/chat", "headers": {}},
        "response": {"status": 200, "headers": {}},
        "ai": {"proxy": {"payload": {"request": json.dumps(REQUEST), "response": json.dumps(FAULTY)}}},
    }
    assert [values_of(one) for one in exchanges_in(record)] == [(REQUEST, FAULTY)]


def test_a_trace_that_keeps_only_messages_is_skipped_and_named_as_such() -> None:
    (part,) = read_all([{"type": "GENERATION", "model": "m", "input": REQUEST["messages"], "output": ANSWER}])
    assert isinstance(part, Skipped)
    assert "a trace of messages" in part.reason


def test_a_record_with_a_half_under_a_name_of_its_own_is_read_whole() -> None:
    for record in (
        {"seq": 1, "url": URL, "http_status": 200, "request": REQUEST, "raw_response": json.dumps(SAID)},
        {"prompt": REQUEST, "url": URL, "http_status": 200, "response": SAID},
    ):
        exchange = exchange_in(record)
        assert values_of(exchange) == (REQUEST, SAID)
        assert (exchange.http.status, exchange.path) == (200, "/v1/chat/completions")
    refused = {"request": REQUEST, "response": ERROR, "status": 400, "expected_status": [400]}
    probe = exchange_in(refused)
    assert values_of(probe) == (None, ERROR)  # a probe made it wrong on purpose
    both = exchanges_in({"request": REQUEST, "answers": [SAID, SAID]})
    assert list(map(values_of, both)) == [(REQUEST, SAID)] * 2


def test_an_entry_of_an_archive_in_another_layout_has_its_request_but_no_body_that_stands_elsewhere() -> None:
    """As in the traces of Playwright."""
    entry = {
        "request": {
            "method": "POST",
            "url": URL,
            "headers": [],
            "postData": {"mimeType": "a", "text": json.dumps(REQUEST)},
        },
        "response": {"status": 200, "headers": [], "content": {"size": 9, "mimeType": "a", "text": json.dumps(SAID)}},
    }
    trace = {"type": "resource-snapshot", "snapshot": entry}
    assert [values_of(one) for one in exchanges_in(f"{json.dumps(trace)}\n{json.dumps(trace)}\n")] == [
        (REQUEST, SAID)
    ] * 2
    entry["response"]["content"] = {"size": 9, "mimeType": "application/json", "_sha1": "aa.json"}
    (skipped,) = read_all(trace)
    assert isinstance(skipped, Skipped)
    assert skipped.reason == "a body that the recorder keeps in another file"


def test_answers_alone_in_the_documents_of_a_yaml_file_are_read_as_in_json() -> None:
    """As the reply bank of rig keeps them: each document has a status, headers and a body, and no request."""
    answers = [{"status": 200, "body": json.dumps(FAULTY)}, {"status": 429, "body": json.dumps(ERROR)}]
    documents = [{"name": "chat/completions", "then": answer} for answer in answers]
    expected = [(None, FAULTY), (None, ERROR)]
    assert [values_of(exchange_in(one)) for one in documents] == expected
    written = "---\n".join(
        f"name: {one['name']}\nthen:\n  status: {one['then']['status']}\n  body: '{one['then']['body']}'\n"
        for one in documents
    )
    assert [values_of(one) for one in exchanges_in(written, "bank.yaml")] == expected


@pytest.mark.parametrize("name", ["raw_response", "rawAnswer", "upstream"])
@pytest.mark.parametrize("answer", [SAID, json.dumps(SAID)])
def test_an_answer_under_a_name_of_what_was_received_is_read(name: str, answer: Any) -> None:
    """As experiments keep it beside what they took from it."""
    assert values_of(exchange_in({"13348": {"A plane.": {name: answer, "output": "yes"}}})) == (None, SAID)
    part = {"choices": SAID["choices"]}
    for other in ({name: part, "output": "yes"}, {name: ERROR, "output": "yes"}, {"example": answer, "output": "yes"}):
        assert all(isinstance(one, Skipped) for one in read_all({"a": {"b": other}}))
