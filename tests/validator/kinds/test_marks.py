"""Test the evidence for each kind of payload."""

from __future__ import annotations

from collections.abc import Callable
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


def test_the_name_of_another_object_shows_that_its_choices_are_not_those_of_an_answer() -> None:
    poll = {"created": 1, "model": "m", "choices": [{"message": "Yes"}, {"message": "No"}]}
    assert [kind_of(poll | {"object": name}) for name in ("poll", "chat.completion")] == [None, "completion"]
    assert kind_of(poll) == kind_of(poll | {"object": ""}) == "completion"  # servers leave it out, or empty


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


USER = {"role": "user", "content": "Hi"}
ASKING: dict[str, Any] = {"messages": [USER], "temperature": 1}
"""A request with as few marks as one may have."""
MUCH_ASKING = ASKING | {"model": "m", "top_p": 1, "stream": True}
REFUSING = {"message": "No", "type": "server_error"}


def _with(base: dict[str, Any]) -> Callable[[str], dict[str, Any]]:
    return lambda name: base | {name: 1}


WORDS: list[tuple[Callable[[str], dict[str, Any]], str | None, str]] = [
    # options: with one, messages are a request
    (
        _with({"messages": [USER]}),
        "request",
        "temperature top_p max_tokens max_completion_tokens response_format tool_choice logprobs stream stream_options "
        "models top_k top_a min_p repetition_penalty transforms chat_template_kwargs data_sources guided_json "
        "enable_thinking continue_final_message",
    ),
    # what examples for training hold, too, or other documents
    (
        _with({"messages": [USER]}),
        None,
        "tools functions function_call parallel_tool_calls moderation stop n seed user metadata store audio",
    ),
    # conversations that somebody stored, and rows of data sets
    (
        _with(ASKING),
        None,
        "created_at createdAt updated_at updatedAt timestamp date uuid conversation_id conversationId sessionId "
        "thread_id score label answers expected ideal tags trajectory",
    ),
    (
        lambda name: {"messages": [USER | {name: 1}], "model": "m"},
        None,
        "timestamp created_at createdAt create_time uuid",
    ),
    # prompts and agents as programs keep them, however many options they have
    (
        _with(MUCH_ASKING),
        None,
        "name title description systemPrompt system_prompt modelParameters model_parameters testData evaluators "
        "input_variables",
    ),
    # what is known only after the answer
    (
        _with(MUCH_ASKING),
        None,
        "completion cost duration duration_ms elapsed elapsed_ms error generation latency latency_ms model_output "
        "model_response output outputs raw_response response response_text response_time result total_tokens",
    ),
    # the input of a chat template; with a model, it is a request
    (_with(ASKING), None, "add_generation_prompt chat_template template_kwargs thinking_mode"),
    (_with(ASKING | {"model": "m"}), "request", "add_generation_prompt chat_template template_kwargs thinking_mode"),
    # messages
    (
        lambda role: ASKING | {"messages": [{"role": role, "content": "Hi"}, {}]},
        "request",
        "system developer user assistant tool function",
    ),
    (lambda role: ASKING | {"messages": [{"role": role, "content": "Hi"}]}, None, "human ai bot"),
    (
        lambda name: ASKING | {"messages": [{"role": "user", name: "Hi"}]},
        "request",
        "content tool_calls function_call refusal audio",
    ),
    # choices
    (
        lambda name: {"choices": [{"message": {name: "Ho"}}]},
        "completion",
        "content tool_calls function_call refusal audio role reasoning reasoning_content reasoning_details thinking "
        "annotations tool_call_id name",
    ),
    (lambda name: {"choices": [{"message": {name: "Ho"}}]}, None, "title body"),
    (
        lambda name: {"id": "chatcmpl-Fake1", "model": "m", "created": 1, "choices": [{name: "Ho", "index": 0}]},
        None,
        "text messages",
    ),
    # errors of other APIs
    (
        lambda name: {"error": REFUSING, name: 1},
        None,
        "success ok data timestamp path stack trace status statusCode jsonrpc errors title meta level logger msg",
    ),
    (
        lambda name: {"error": REFUSING | {"param": None, name: 1}},
        None,
        "stack name errors path statusCode statusText doc_url decline_code request_log_url innerError fbtrace_id "
        "error_subcode timestamp traceId",
    ),
    (
        lambda name: {"error": REFUSING | {"type": name, "param": None, "code": None}},
        None,
        "OAuthException GraphMethodException FacebookApiException card_error idempotency_error",
    ),
]


def test_documents_without_such_words_are_payloads() -> None:
    nearly = {"id": "chatcmpl-Fake1", "model": "m", "created": 1, "choices": [{"index": 0}]}
    kinds = [kind_of(value) for value in (ASKING, MUCH_ASKING, nearly, {"error": REFUSING})]
    assert kinds == ["request", "request", "completion", "error"]


@pytest.mark.parametrize(("value", "kind", "words"), WORDS)
def test_each_word_of_a_document_tells_its_kind(
    value: Callable[[str], dict[str, Any]], kind: str | None, words: str
) -> None:
    assert [word for word in words.split(" ") if kind_of(value(word)) != kind] == []
