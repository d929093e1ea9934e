"""Test what findings say, and how much they matter, where one rule finds several things."""

from __future__ import annotations

from typing import Any

import pytest
from payloads import COMPLETION, REQUEST
from rule_hits import CALL, completion_of, found, hits_of, messages, stream_of

from isogloss.validator import rules
from isogloss.validator.exchange import Body, Exchange, HttpFacts, Payload
from isogloss.validator.findings import Severity
from isogloss.validator.rules.pairing import Pair
from isogloss.validator.text import Text
from isogloss.validator.views import Completion, Request

WRITTEN = '<tool_call>{"name": "look_up"}</tool_call>'
"""A call in markup."""


@pytest.mark.parametrize(("tokens", "words"), [(1, "1 completion token for"), (2, "2 completion tokens for")])
def test_one_token_is_counted_in_the_singular(tokens: int, words: str) -> None:
    usage = {"prompt_tokens": 9, "completion_tokens": tokens, "total_tokens": 9 + tokens}
    (message,) = messages("usage-zero", completion_of({"content": "word " * 200}, usage=usage))
    assert message == f"{words} 1,000 bytes of text"


@pytest.mark.parametrize(
    ("status", "words"), [(None, "no answer follows on the connection"), (200, "the body cannot be read to its end")]
)
def test_a_fault_of_the_connection_is_quoted_behind_what_it_means(status: int | None, words: str) -> None:
    facts = HttpFacts(status, broken=True, fault="x" * 300)
    exchange = Exchange("f", 0, Text(b""), response=Body(Text(b"Ho")), http=facts)
    assert messages("connection-broken", exchange) == [f"{words}: {'x' * 200}"]


@pytest.mark.parametrize(
    ("models", "path", "words"),
    [
        ("Not Found", "/v1/models", "the body is not JSON"),
        ([], "/v1/models", "the body is an array"),
        ({"data": {}}, "/v1/models/", "the body has no list called data"),
        ({"data": []}, "/v1/models", "the list of models is empty"),
        ({"data": [{"id": "m"}, {"id": 1}]}, "/v1/models", "a model has no id that is a string"),
        ({"data": [{"id": "m"}, "m"]}, "/v1/models", "a model has no id that is a string"),
        ({"id": "m", "object": "model"}, "/v1/models/m", "the model has no created or owned_by"),
        ({"object": "model"}, "/v1/models/m", "the model has no id that is a string"),
    ],
)
def test_the_first_fault_of_a_list_of_models_is_named(models: object, path: str, words: str) -> None:
    assert messages("models-unreadable", Exchange("f", 0, Text(b""), path=path, models=models)) == [words]


@pytest.mark.parametrize(
    ("models", "severity"),
    [([], Severity.WARNING), ([{"id": "m"}], Severity.NOTE), ([{"id": 5}], Severity.ERROR)],
)
def test_a_list_of_models_that_can_be_read_matters_less(models: list[object], severity: Severity) -> None:
    exchange = Exchange("f", 0, Text(b""), path="/v1/models", models={"data": models})
    assert [severe for _, severe in found("models-unreadable", exchange)] == [severity]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ('{"a": 1} {"a": 1}', "the content is its JSON document twice"),
        ('{"a": 1} {"a": 2}', "the content is more than one JSON document"),
        ("42 42", "the content is more than one JSON document"),
        (" [1] [1]", "the content is its JSON document twice"),
        ("\n```\n[1]\n```", "the content is a Markdown fence, not JSON"),
        ('```json\n{"a": 1}\n```', "the content is a Markdown fence, not JSON"),
        ("a: 1", "the content is not JSON"),
    ],
)
def test_content_that_is_not_json_is_described_by_what_it_is(content: str, words: str) -> None:
    request = REQUEST | {"response_format": {"type": "json_object"}}
    pair = Pair(Request(request), completion_of({"content": content}), None)
    (message,) = messages("content-not-json", pair)
    assert message.startswith(words)


def test_a_stream_that_was_asked_for_may_be_refused_with_any_body() -> None:
    request = Payload("request", REQUEST | {"stream": True}, Text(b""))
    for status, is_found in ((200, True), (503, False)):
        answer = Payload("completion", COMPLETION, Text(b""))
        exchange = Exchange("f", 0, Text(b""), request=request, response=answer, http=HttpFacts(status))
        assert bool(messages("stream-refused", exchange)) is is_found


@pytest.mark.parametrize(
    ("message", "tokens", "end", "severity"),
    [
        ({"content": ""}, 5, "nothing stands in its place", Severity.ERROR),
        ({"content": ""}, 0, "nothing stands in its place", Severity.NOTE),
        ({"content": " "}, 0, "nothing stands in its place", Severity.ERROR),
        ({"content": "", "reasoning": "So"}, 5, "all text is in reasoning", Severity.ERROR),
        ({"content": "", "reasoning": "So"}, 0, "all text is in reasoning", Severity.ERROR),
    ],
)
def test_a_missing_answer_is_a_note_only_if_nothing_was_generated(
    message: dict[str, Any], tokens: int, end: str, severity: Severity
) -> None:
    ((words, severe),) = found("answer-missing", completion_of(message, usage={"completion_tokens": tokens}))
    assert words.endswith(end)
    assert severe is (rules.rule("answer-missing").severity if severity is Severity.ERROR else severity)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "content is null, and nothing stands in its place"),
        ("", "content is empty, though the answer ended by itself, and nothing stands in its place"),
        ("\n", "content is only white space, though the answer ended by itself, and nothing stands in its place"),
    ],
)
def test_a_missing_answer_is_described_by_what_stands_there(content: str | None, words: str) -> None:
    assert messages("answer-missing", completion_of({"content": content}, usage=None)) == [words]


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({"object": "response", "output": []}, ["the body is no completion: Responses API"]),
        ({"detail": "x"}, ["the body has no property of a completion"]),
        ({"choices": None}, []),
        ({"data": {"choices": []}}, []),
        ({"usage": {}}, []),
    ],
)
def test_a_body_that_is_no_completion_is_described_by_what_it_is(value: dict[str, Any], words: list[str]) -> None:
    assert messages("body-not-completion", Completion(value)) == words


@pytest.mark.parametrize(
    ("options", "option"),
    [
        ({"tool_choice": {"type": "function", "function": {"name": "now"}}}, "tool_choice"),
        ({"functions": [{"name": "now"}], "function_call": {"name": "now"}}, "function_call"),
    ],
)
def test_a_demand_is_called_by_the_option_that_demands(options: dict[str, Any], option: str) -> None:
    request = Request(REQUEST | {"tools": [{"type": "function", "function": {"name": "look_up"}}]} | options)
    talk, call = (Pair(request, completion_of(message), None) for message in ({}, {"tool_calls": [CALL]}))
    assert messages("forced-call-missing", talk) == [f"no call, though {option} demands one"]
    assert messages("tool-not-allowed", call) == [f'"look_up" is not allowed by {option}']


@pytest.mark.parametrize(("name", "words"), [("look", "the name is repeated"), ("_up", "another name than before")])
def test_a_second_name_of_a_call_is_called_another_if_it_differs(name: str, words: str) -> None:
    calls = [{"index": 0, "id": "call_Fake1", "type": "function", "function": {"name": "look", "arguments": ""}}]
    calls.append({"index": 0, "function": {"name": name}})
    chunks = [{"choices": [{"index": 0, "delta": {"tool_calls": [call]}}]} for call in calls]
    (message,) = messages("tool-call-name-repeated", stream_of(*chunks))
    assert message.startswith(words)


@pytest.mark.parametrize(
    ("size", "words"), [(65, "is longer than 64 characters"), (9, "has characters no tool's name")]
)
def test_a_name_that_is_malformed_is_described_by_what_is_wrong_with_it(size: int, words: str) -> None:
    call = CALL | {"function": {"name": "." * size, "arguments": "{}"}}
    (message,) = messages("tool-call-name-malformed", completion_of({"tool_calls": [call]}))
    assert words in message


@pytest.mark.parametrize(
    ("message", "severity"),
    [
        ({"content": "Ho</s>"}, Severity.ERROR),
        ({"content": "Ho", "reasoning": "So</s>"}, Severity.ERROR),
        ({"content": None, "reasoning": "So</s>", "tool_calls": [CALL]}, Severity.WARNING),
        ({"content": "Ho</s>", "tool_calls": [CALL]}, Severity.ERROR),
    ],
)
def test_a_call_in_markup_matters_less_in_reasoning_beside_calls(message: dict[str, Any], severity: Severity) -> None:
    tools = REQUEST | {"tools": [{"type": "function", "function": {"name": "look_up"}}]}
    message = {name: text.replace("</s>", WRITTEN) if isinstance(text, str) else text for name, text in message.items()}
    answer = Completion(completion_of(message).value, request=Request(tools))
    assert [severe for _, severe in found("markup-in-content", answer)] == [severity]


def test_log_probabilities_of_the_old_api_are_an_error_where_the_new_ones_are_missing() -> None:
    old = {"tokens": ["Ho"], "token_logprobs": [-1.0], "top_logprobs": [], "text_offset": [0]}
    for content, errors in ((None, ["content"]), ([], [])):
        (choice,) = completion_of({}).value["choices"]
        hits = hits_of("logprobs-legacy", Completion({"choices": [choice | {"logprobs": {"content": content, **old}}]}))
        assert [hit.pointer[-1] for hit in hits if hit.severity is None] == errors
        assert [hit.pointer[-1] for hit in hits if hit.severity is Severity.NOTE] == list(old)


def test_an_error_in_the_envelope_of_an_answer_names_the_properties_of_the_answer() -> None:
    for beside, pointers in (({}, ()), ({"detail": "x"}, ()), ({"id": None, "detail": "x"}, (("id",),))):
        body = Payload("error", {"error": {"message": "No"}} | beside, Text(b""))
        exchange = Exchange("f", 0, Text(b""), response=body, http=HttpFacts(200))
        (hit,) = hits_of("error-with-success-status", exchange)
        assert hit.other_pointers == pointers
        assert ("inside the envelope of an answer" in hit.message) is bool(pointers)
