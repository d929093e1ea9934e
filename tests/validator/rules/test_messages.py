"""Test what findings say, and how much they matter, where one rule finds several things."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest
from payloads import COMPLETION, REQUEST, chunk

from isogloss.validator import decode, rules
from isogloss.validator.exchange import Body, Exchange, HttpFacts, Payload, Response, Stream
from isogloss.validator.findings import Severity
from isogloss.validator.rules.pairing import Pair
from isogloss.validator.rules.twinning import AnswerFault, TwinAnswer, Twins
from isogloss.validator.streams.trace import Trace
from isogloss.validator.text import Text
from isogloss.validator.views import Completion, Request

CALL = {"id": "call_Fake1", "type": "function", "function": {"name": "look_up", "arguments": "{}"}}


def found(name: str, view: Any) -> list[tuple[str, Severity]]:
    """Return what a rule says about a view of an exchange or a payload, and how much that matters."""
    check = dict(rules.checks(rules.group_of(name)))[name]
    return [(hit.message, hit.severity or rules.rule(name).severity) for hit in check(view)]


def messages(name: str, view: Any) -> list[str]:
    return [message for message, _ in found(name, view)]


def stream_of(*chunks: Any) -> Trace:
    return Trace(Stream(values=list(chunks), text=Text(b"")))


def completion_of(message: dict[str, Any], request: dict[str, Any] | None = None, **properties: Any) -> Completion:
    choice = COMPLETION["choices"][0]
    answer = COMPLETION | {"choices": [choice | {"message": choice["message"] | message}]} | properties
    return Completion(answer, request=Request(request) if request is not None else None)


def with_index(index: int, delta: dict[str, Any], finish_reason: str | None = None) -> dict[str, Any]:
    one = chunk(delta, finish_reason)
    return one | {"choices": [one["choices"][0] | {"index": index}]}


@pytest.mark.parametrize(("tokens", "words"), [(1, "1 completion token for"), (2, "2 completion tokens for")])
def test_one_token_is_counted_in_the_singular(tokens: int, words: str) -> None:
    usage = {"prompt_tokens": 9, "completion_tokens": tokens, "total_tokens": 9 + tokens}
    (message,) = messages("usage-zero", completion_of({"content": "word " * 200}, usage=usage))
    assert message == f"{words} 1,000 bytes of text"


def test_a_changed_index_is_described_by_the_choices_that_there_are() -> None:
    role, word, end = {"role": "assistant", "content": ""}, {"content": "Ho"}, "stop"
    alone = stream_of(with_index(0, role), with_index(1, word), with_index(2, {}, end))
    one_of_two = stream_of(
        with_index(0, role), with_index(1, role), with_index(0, word), with_index(1, word),
        with_index(0, {}, end), with_index(7, {}, end),
    )  # fmt: skip
    assert messages("choice-index-changed", alone) == ["the index changes; in every chunk of a choice it is the same"]
    assert messages("choice-index-changed", one_of_two) == [
        "no other chunk has the index 7; it belongs to one of the other choices"
    ]


@pytest.mark.parametrize(
    ("event", "words"),
    [
        (COMPLETION, "the event is a whole completion"),
        ({"data": chunk({"content": "Ho"})}, "the chunk is not the event itself, but stands in `data`"),
        ({"type": "ping"}, "the event has no property of a chunk"),
    ],
)
def test_an_event_that_is_no_chunk_is_described_by_what_it_is(event: dict[str, Any], words: str) -> None:
    chunks = chunk({"role": "assistant", "content": "Ho"}), chunk({}, "stop")
    (message,) = messages("event-not-chunk", stream_of(chunks[0], event, chunks[1]))
    assert message.startswith(words)


def test_a_role_that_comes_late_is_a_warning_and_one_that_never_comes_an_error() -> None:
    late = stream_of(chunk({"content": "H"}), chunk({"role": "assistant", "content": "o"}), chunk({}, "stop"))
    never = stream_of(chunk({"content": "Ho"}), chunk({}, "stop"))
    assert found("role-missing", late) == [
        ("the role comes after the first delta, where OpenAI sends it", Severity.WARNING)
    ]
    assert found("role-missing", never) == [("no delta of choice 0 has a role", Severity.ERROR)]


def test_a_call_that_goes_on_without_a_beginning_is_told_with_the_missing_role() -> None:
    fragment = {"index": 0, "function": {"arguments": "{}"}}
    trace = stream_of(chunk({"tool_calls": [fragment]}), chunk({}, "tool_calls"))
    assert messages("role-missing", trace) == ["no delta of choice 0 has a role, and its call has no id and name"]
    (hit,) = dict(rules.checks("stream"))["role-missing"](trace)
    assert (hit.pointer, hit.value) == (("choices", 0, "delta"), {"tool_calls": [fragment]})


def test_a_null_beside_a_delta_is_an_error_and_a_message_is_what_the_rule_says() -> None:
    def beside(message: object) -> Trace:
        one = chunk({"role": "assistant", "content": "Ho"}, "stop")
        return stream_of(one | {"choices": [one["choices"][0] | {"message": message}]})

    rest = "beside delta; a chunk has only the delta"
    assert found("message-beside-delta", beside(None)) == [(f"null as message {rest}", Severity.ERROR)]
    assert found("message-beside-delta", beside({"role": "assistant"})) == [
        (f"message {rest}", rules.rule("message-beside-delta").severity)
    ]


def test_each_further_finish_of_a_choice_is_found_until_more_of_the_answer_comes() -> None:
    begin, end = chunk({"role": "assistant", "content": "Ho"}), chunk({}, "stop")
    assert len(messages("finish-reason-repeated", stream_of(begin, end, end, end))) == 2
    assert len(messages("finish-reason-repeated", stream_of(begin, end, chunk({"content": "!"}), end, end))) == 1


@pytest.mark.parametrize(
    ("delta", "rules_that_find_it"),
    [
        ({}, ["delta-after-finish"]),
        ({"role": "assistant"}, ["delta-after-finish"]),
        ({"content": "!"}, ["content-after-finish"]),
        ({"audio": {"expires_at": 1760003600}}, []),
    ],
)
def test_what_comes_after_the_finish_is_told_by_one_rule(delta: dict[str, Any], rules_that_find_it: list[str]) -> None:
    trace = stream_of(chunk({"role": "assistant", "content": "Ho"}), chunk({}, "stop"), chunk(delta))
    both = ("content-after-finish", "delta-after-finish")
    assert [name for name in both if messages(name, trace)] == rules_that_find_it


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        (Body(Text(b"")), None, "the connection breaks before an answer begins"),
        (Body(Text(b"")), 200, "the connection breaks inside the body"),
        (Body(Text(b"Ho")), None, "the connection breaks inside the body"),
        (decode.stream(Text(b'data: {"choices": []}\n\n')), 200, "the connection breaks in the stream"),
    ],
)
def test_a_broken_connection_is_described_by_what_had_come(body: Response, status: int | None, words: str) -> None:
    exchange = Exchange("f", 0, Text(b""), response=body, http=HttpFacts(status, broken=True))
    (message,) = messages("connection-broken", exchange)
    assert message.startswith(words)


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
    ("content", "words"),
    [
        ('{"a": 1} {"a": 1}', "the content is its JSON document twice"),
        ('{"a": 1} {"a": 2}', "the content is more than one JSON document"),
        ("42 42", "the content is more than one JSON document"),
        ('```json\n{"a": 1}\n```', "the content is a Markdown fence, not JSON"),
        ("a: 1", "the content is not JSON"),
    ],
)
def test_content_that_is_not_json_is_described_by_what_it_is(content: str, words: str) -> None:
    request = REQUEST | {"response_format": {"type": "json_object"}}
    pair = Pair(Request(request), completion_of({"content": content}), None)
    (message,) = messages("content-not-json", pair)
    assert message.startswith(words)


def _twins(*requests: dict[str, Any], calls: int = 1, content: str = "It is sunny.") -> Twins:
    """Return an answer with calls on one side, and one without them on the other."""

    def answer(completion: Completion) -> TwinAnswer:
        exchange = Exchange("f", 0, Text(b""))
        return TwinAnswer(exchange, completion, streamed=False, refused=False, faults={})

    request = REQUEST | {"tools": [{"type": "function", "function": {"name": "look_up"}}]}
    for one in requests:
        request |= one
    left, right = completion_of({"tool_calls": [CALL] * calls, "content": None}), completion_of({"content": content})
    return Twins(Request(request), [answer(left)], [answer(right)], "stream")


@pytest.mark.parametrize(
    ("options", "content", "severity"),
    [
        ({}, "It is sunny.", Severity.NOTE),
        ({"temperature": 0.7}, "It is sunny.", Severity.NOTE),
        ({"temperature": 0}, "It is sunny.", Severity.WARNING),
        ({"tool_choice": "required"}, "It is sunny.", Severity.ERROR),
        ({}, 'I call {"name": "look_up"}.', Severity.ERROR),
        ({}, "<function=look_up>", Severity.ERROR),
        ({}, "look_up()", Severity.ERROR),
        ({}, "I could look_up the weather.", Severity.NOTE),
    ],
)
def test_a_call_on_one_side_matters_as_much_as_it_is_no_chance(
    options: dict[str, Any], content: str, severity: Severity
) -> None:
    assert found("twin-calls-differ", _twins(options, content=content)) == [
        ("0 calls streamed, 1 call not streamed", severity)
    ]


@pytest.mark.parametrize(
    ("name", "is_found"),
    [
        ("arguments-not-json", True), ("content-not-json", True), ("answer-missing", False),
        ("asked-usage-missing", False), ("service-tier-absent", False), ("usage-null-missing", False),
        ("usage-unasked", False), ("calls-with-stop", False), ("choice-count-mismatch", False),
        ("finish-reason-without-calls", False), ("forced-call-missing", False), ("logprobs-missing", False),
        ("stop-with-tool-calls", False), ("usage-absent", False),
    ],
)  # fmt: skip
def test_a_fault_on_one_side_is_reported_once(name: str, *, is_found: bool) -> None:
    twins = _twins()
    at = ("choices", 0, "message", "content")
    faulty = twins.left[0]._replace(faults={name: AnswerFault(Severity.ERROR, at)})
    assert bool(messages("twin-fault-one-sided", twins._replace(left=[faulty]))) is is_found


@pytest.mark.parametrize(
    ("left", "right", "is_found"), [(1, True, True), (1, 1.5, False), ("1", 1, True), (None, 1, False), ([], {}, True)]
)
def test_a_value_of_another_type_on_each_side_is_found(left: object, right: object, *, is_found: bool) -> None:
    twins = _twins()
    for side, value in ((twins.left, left), (twins.right, right)):
        assert side[0].completion is not None
        side[0].completion.value.update({"choices": [], "seconds": value})
    assert bool(messages("twin-type-differs", twins)) is is_found


def test_a_stream_that_was_asked_for_may_be_refused_with_any_body() -> None:
    request = Payload("request", REQUEST | {"stream": True}, Text(b""))
    for status, is_found in ((200, True), (503, False)):
        answer = Payload("completion", COMPLETION, Text(b""))
        exchange = Exchange("f", 0, Text(b""), request=request, response=answer, http=HttpFacts(status))
        assert bool(messages("stream-refused", exchange)) is is_found


@pytest.mark.parametrize(
    "name",
    ["annotations", "audio", "content", "function_call", "obfuscation", "refusal", "role", "tool_calls", "thoughts"],
)
def test_a_property_that_the_model_decides_on_is_no_other_name_of_one(name: str) -> None:
    twins = _twins()
    for side, message in ((twins.left, {name: "x"}), (twins.right, {"reasoning_content": "x"})):
        assert side[0].completion is not None
        side[0].completion.value["choices"] = [{"index": 0, "message": message, "finish_reason": "stop"}]
    assert bool(messages("twin-properties-differ", twins)) is (name == "thoughts")


@pytest.mark.parametrize(
    ("options", "is_found"),
    [
        ({}, True),
        ({"web_search_options": {}}, False),
        ({"plugins": [{"id": "web"}]}, False),
        ({"tools": [{"type": "web_search"}]}, False),
        ({"tools": [{"type": "function", "function": {"name": "look_up"}}]}, True),
    ],
)
def test_prompt_tokens_are_compared_unless_the_server_adds_to_the_prompt(
    options: dict[str, Any], *, is_found: bool
) -> None:
    twins = _twins(options)
    for side, tokens in ((twins.left, 8), (twins.right, 9)):
        assert side[0].completion is not None
        side[0].completion.value["usage"] = {"prompt_tokens": tokens, "completion_tokens": 1}
    assert bool(found("twin-usage-differs", twins)) is is_found


@pytest.mark.parametrize(
    ("end", "words"),
    [
        ("data: [DONE]", "no blank line follows [DONE]"),
        ("data: [DONE]\\n\\n", "no blank line follows [DONE]"),
        ('data: {"choices": []}', "the stream ends inside this event"),
        ("da", "the stream ends inside the name of a field"),
    ],
)
def test_the_end_of_a_stream_is_described_by_what_it_ends_in(end: str, words: str) -> None:
    text = Text(f'data: {{"choices": []}}\n\n{end}'.encode())
    assert messages("event-truncated", Exchange("f", 0, text, response=decode.stream(text))) == [words]


def test_json_in_several_events_is_one_finding_wherever_it_was_cut() -> None:
    whole = json.dumps(chunk({"role": "assistant", "content": "Ho"}))
    for cuts in ((20,), (20, 60), (20, 60, 90)):
        parts = [whole[start:end] for start, end in pairwise((0, *cuts, len(whole)))]
        text = Text("".join(f"data: {part}\n\n" for part in (*parts, "[DONE]")).encode())
        (hit,) = dict(rules.checks("wire"))["event-not-json"](Exchange("f", 0, text, response=decode.stream(text)))
        assert (hit.message, list(hit.events)) == (
            "the JSON of this event goes on in the next event",
            list(range(len(parts))),
        )


@pytest.mark.parametrize("name", ["usage", "moderation", "prompt_filter_results", "prompt_annotations", "other"])
def test_a_chunk_without_choices_may_have_what_explains_them(name: str) -> None:
    empty = chunk({}) | {"choices": []}
    begin, end = chunk({"role": "assistant", "content": "Ho"}), chunk({}, "stop")
    assert bool(messages("choices-empty", stream_of(begin, end, empty | {name: {}}))) is (name == "other")
    assert messages("choices-empty", stream_of(begin, end, empty | {name: None}))


@pytest.mark.parametrize(
    ("indexes", "jumps"),
    [([0, 1, 2], []), ([0, 2], [2]), ([1, 2], [1]), ([0, 0, 1], []), ([0, 0, 2], []), ([0, 0, 3], [3])],
)
def test_behind_a_call_with_the_index_of_another_one_the_next_may_be_counted_with_it_or_without(
    indexes: list[int], jumps: list[int]
) -> None:
    calls = [{"index": index, **CALL, "id": f"call_Fake{number}"} for number, index in enumerate(indexes)]
    trace = stream_of(*(chunk({"role": "assistant", "tool_calls": [call]}) for call in calls), chunk({}, "tool_calls"))
    assert [hit.value for hit in dict(rules.checks("stream"))["tool-call-index-jump"](trace)] == jumps
