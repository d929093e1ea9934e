"""Tests of captures in layouts that no module knows: what is read by its content, and what is left alone."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from payloads import ERROR, REQUEST, URL, chunk, with_finish_reason
from reading import read_all

from isogloss.validator import engines
from isogloss.validator.captures.structures import search
from isogloss.validator.exchange import Exchange, NotJson, Payload, Skipped, Stream
from isogloss.validator.judging.judge import Judge
from isogloss.validator.kinds.marks import REQUEST_PROPERTIES

COMPLETION = with_finish_reason("")
CHUNK = chunk({"role": "assistant", "content": "Ho"}, "stop")
EVENTS = f"data: {json.dumps(CHUNK)}\n\ndata: [DONE]\n\n"


def _exchanges(content: Any) -> list[Exchange]:
    parts = read_all(content)
    assert all(isinstance(part, Exchange) for part in parts), parts
    return [part for part in parts if isinstance(part, Exchange)]


def _values(exchange: Exchange) -> tuple[Any, Any]:
    """Return the values of the request and of the answer; those of a stream are a list."""
    body = exchange.response
    assert isinstance(body, Payload | Stream | None)
    answer = body.values if isinstance(body, Stream) else body.value if body else None
    return exchange.request.value if exchange.request else None, answer


# Any layout

_NAMES = st.sampled_from(
    ["a", "case", "req", "res", "input", "expected", "payload", "attributes", "in.out", "日本", "x y"]
)
_NOISE = st.dictionaries(
    st.sampled_from(["name", "id", "latency_ms", "tags", "ok", "note", ""]),
    st.one_of(
        st.none(),
        st.integers(),
        st.just(200),
        st.text(max_size=5),
        st.lists(st.integers(), max_size=2),
        st.just({"k": "v"}),
    ),
    max_size=3,
)
_OF_THE_EXCHANGE: dict[str, Any] = {
    "messages": [REQUEST["messages"][0], {"role": "assistant", "content": "Ho"}],
    "model": "m",
    "stream": False,
    "temperature": None,
    "tools": [],
    "usage": {"input_tokens": 1},
    "status": 200,
    "error": None,
    "method": "POST",
    "url": URL,
    "path": "/v1/chat/completions",
    "headers": {"content-type": "application/json"},
    "body": None,
    "timestamp": "2026-11-26T10:00:00Z",
    "prompt": "Hi",
    "content": "Ho",
    "role": "assistant",
    "trace_id": "a1",
    "span_id": "b2",
    "metadata": {"user": "u"},
}
"""What programs write beside the bodies of an exchange, about it: also names that requests and HTTP messages have."""


@st.composite
def _layouts(draw: st.DrawFn) -> tuple[Any, Any]:
    """Return an answer as it is read, and a document that holds it beside its request."""
    answer, kept = draw(
        st.sampled_from(
            [
                (COMPLETION, COMPLETION),
                (COMPLETION, json.dumps(COMPLETION)),
                (COMPLETION, {"status": 200, "body": COMPLETION}),
                (COMPLETION, {"code": 200, "text": json.dumps(COMPLETION, indent=1)}),
                (COMPLETION, {"data": COMPLETION, "status": 200, "statusText": "OK", "headers": {}, "config": {}}),
                (ERROR, ERROR),
                ([CHUNK], [CHUNK]),
                ([CHUNK], EVENTS),
            ]
        )
    )
    request = draw(st.sampled_from([REQUEST, json.dumps(REQUEST), {"json": REQUEST}, None]))
    names = draw(st.lists(_NAMES, min_size=2, max_size=2, unique=True))
    halves = [*(REQUEST.items() if request is None else [(names[0], request)]), (names[1], kept)]
    about = draw(st.lists(st.sampled_from(sorted(_OF_THE_EXCHANGE)), max_size=5))
    if request is None:
        about = [name for name in about if name not in REQUEST_PROPERTIES]
    known = {name: _OF_THE_EXCHANGE[name] for name in about}
    document: Any = draw(_NOISE) | dict(draw(st.permutations([*known.items(), *halves])))
    for name in draw(st.lists(_NAMES, max_size=5)):
        document = draw(_NOISE) | {name: draw(st.sampled_from([document, [1, {}, document]]))}
    return answer, document


@given(_layouts())
def test_a_request_beside_its_answer_is_read_whatever_the_names_are(layout: tuple[Any, Any]) -> None:
    answer, document = layout
    (exchange,) = [part for part in read_all(document) if isinstance(part, Exchange)]
    request, read_answer = _values(exchange)
    assert request == REQUEST
    assert [value for value in read_answer if value in answer] == answer if answer == [CHUNK] else read_answer == answer


@st.composite
def _messages(draw: st.DrawFn) -> tuple[Any, Any]:
    """Return an answer as it is read, and a pair of messages, each with its body under some name."""
    answer, kept = draw(
        st.sampled_from([
            (COMPLETION, COMPLETION), (COMPLETION, json.dumps(COMPLETION)), (ERROR, ERROR), ([CHUNK], [CHUNK]),
            ([CHUNK], EVENTS),
        ])
    )  # fmt: skip
    names = st.sampled_from(["body", "json", "raw_body", "requestBody", "payload", "input", "events", "x y", "日本"])
    line = st.fixed_dictionaries({}, optional={"url": st.just(URL), "method": st.just("POST")})
    headers = st.fixed_dictionaries({}, optional={"headers": st.just({"content-type": "application/json"})})
    status = st.fixed_dictionaries({}, optional={"status": st.just(400 if answer == ERROR else 200), "ms": st.just(5)})
    request = draw(line) | draw(headers) | {draw(names): draw(st.sampled_from([REQUEST, json.dumps(REQUEST)]))}
    response = draw(status) | draw(headers) | {draw(names): kept}
    sides = draw(st.sampled_from([("request", "response"), ("httpRequest", "httpResponse"), ("sent", "received")]))
    return answer, {"id": 1, sides[0]: request, sides[1]: response}


@given(_messages())
def test_the_body_of_a_message_is_read_whatever_its_name_is(layout: tuple[Any, Any]) -> None:
    answer, document = layout
    (exchange,) = _exchanges(document)
    request, read_answer = _values(exchange)
    assert request == REQUEST
    assert [value for value in read_answer if value in answer] == answer if answer == [CHUNK] else read_answer == answer


def test_a_request_in_data_is_in_no_envelope() -> None:
    (exchange,) = _exchanges({"sent": {"data": REQUEST}, "received": {"raw": COMPLETION}})
    assert _values(exchange) == (REQUEST, COMPLETION)


@pytest.mark.parametrize(
    "layout", ["{}\n{}", "[{}, {}]", '{{"cases": [{}, {}]}}', '{{"one": {}, "two": {{"three": {}}}}}']
)
def test_exchanges_of_unknown_layouts_are_numbered_in_their_order(layout: str) -> None:
    first, second = ({"sent": REQUEST | {"model": model}, "got": COMPLETION} for model in ("first", "second"))
    exchanges = _exchanges(layout.format(json.dumps(first), json.dumps(second)))
    assert [exchange.number for exchange in exchanges] == [0, 1]
    assert [exchange.request.value["model"] for exchange in exchanges if exchange.request] == ["first", "second"]  # type: ignore[index]


def test_exchanges_in_strings_of_json_are_placed_in_the_text_and_cut_strings_are_not_read() -> None:
    message = json.dumps({"fields": {"asked": REQUEST, "answered": COMPLETION}})
    text = json.dumps({"level": "info", "event": {"message": message}})
    (exchange,) = _exchanges(text)
    assert _values(exchange) == (REQUEST, COMPLETION)
    (finding,) = Judge(engines.load()).judge(exchange).findings
    assert finding.source.column == text.index("finish_reason") + len('finish_reason\\": ') + 1
    assert [type(part) for part in read_all({"message": message[:-20]})] == [Skipped]


def test_each_of_several_answers_is_an_exchange_with_the_request() -> None:
    answers = [COMPLETION, ERROR] * 20
    exchanges = _exchanges({"asked": REQUEST, "answers": answers, "repeated": json.dumps(COMPLETION)})
    assert [_values(exchange) for exchange in exchanges] == [(REQUEST, answer) for answer in [*answers, COMPLETION]]


def test_of_several_requests_each_has_its_answer_if_there_are_as_many_and_else_none_has() -> None:
    first, second = (REQUEST | {"model": model} for model in ("first", "second"))
    assert [_values(one) for one in _exchanges({"requests": [first, second], "responses": [COMPLETION, ERROR]})] == [
        (first, COMPLETION),
        (second, ERROR),
    ]
    exchanges = _exchanges({"sent": first, "received": second, "answer": COMPLETION})
    assert [_values(one) for one in exchanges] == [(None, COMPLETION)]


def test_an_answer_in_another_object_than_an_exchange_does_not_belong_to_its_request() -> None:
    document = {"one": {"asked": REQUEST, "answered": COMPLETION}, "two": {"answered": ERROR, "number": 2}}
    assert [_values(exchange) for exchange in _exchanges(document)] == [(REQUEST, COMPLETION)]


def test_an_exchange_beside_and_inside_another_one_is_read_too() -> None:
    other = {"req": REQUEST | {"model": "other"}, "res": ERROR}
    document = {"req": REQUEST, "res": COMPLETION, "retried": other, "attempts": [{"first": other}]}
    assert [_values(exchange) for exchange in _exchanges(document)] == [
        (REQUEST, COMPLETION),
        (REQUEST | {"model": "other"}, ERROR),
        (REQUEST | {"model": "other"}, ERROR),
    ]


@pytest.mark.parametrize(
    ("record", "status", "path"),
    [
        ({"in": REQUEST, "out": COMPLETION, "status_code": 200, "url": URL}, 200, "/v1/chat/completions"),
        ({"in": {"body": REQUEST, "url": URL}, "out": {"body": ERROR, "status": 429}}, 429, "/v1/chat/completions"),
        ({"in": REQUEST, "out": COMPLETION, "status": "passed", "path": "tests/test_a.py"}, None, None),
        ({"in": REQUEST, "out": COMPLETION, "": 200}, None, None),
        ({"in": REQUEST, "out": COMPLETION, "status": True, "code": 7, "url": "https://ci.example.com/1"}, None, None),
    ],
)
def test_status_and_url_beside_the_payloads_are_read(record: Any, status: int | None, path: str | None) -> None:
    (exchange,) = _exchanges(record)
    assert (exchange.http.status, exchange.path) == (status, path)
    assert exchange.host == ("api.example.com" if path else None)


@pytest.mark.parametrize("value", [200, URL, "a-model"])
def test_a_property_without_a_name_is_neither_status_nor_url_nor_model(value: object) -> None:
    (exchange,) = _exchanges(
        {"asked": {"messages": REQUEST["messages"], "temperature": 0}, "": value, "got": COMPLETION}
    )
    assert exchange.http.status is None
    assert exchange.path is None
    assert exchange.request is not None
    assert exchange.request.value.keys() == {"messages", "temperature"}


def test_findings_are_placed_in_the_text_where_the_answer_stands() -> None:
    text = json.dumps({"cases": [{"req": REQUEST, "res": json.dumps(COMPLETION)}]})
    (exchange,) = _exchanges(text)
    (finding,) = Judge(engines.load()).judge(exchange).findings
    assert finding.rule == "unknown-value"
    assert finding.source.column == text.index('\\"finish_reason\\": ') + len('\\"finish_reason\\": ') + 1


def test_a_recorded_response_by_itself_is_read_if_it_is_one_of_chat_completions() -> None:
    stub = {"predicates": [], "responses": [{"is": {"statusCode": 200, "headers": {}, "body": json.dumps(COMPLETION)}}]}
    assert [_values(one) for one in _exchanges({"imposters": [{"stubs": [stub]}]})] == [(None, COMPLETION)]
    flat = {"method": "POST", "url": URL, "status": 200, "body": COMPLETION, "ms": 5}
    (exchange,) = _exchanges({"calls": [flat]})
    assert (exchange.http.status, exchange.path) == (200, "/v1/chat/completions")
    for body in ({"ok": True}, "oops", {"error": "no"}, {"choices": ["a"]}):
        parts = read_all({"a": [{"status": 500, "headers": {}, "body": body}], "choices": [{}]})
        assert all(isinstance(part, Skipped) for part in parts)


def test_an_object_of_nothing_but_answers_is_read_and_an_example_among_other_properties_is_not() -> None:
    exchanges = _exchanges({"simple": COMPLETION, "stream": [CHUNK]})
    assert [_values(exchange) for exchange in exchanges] == [(None, COMPLETION), (None, [CHUNK])]
    documentation = {"paths": {"/chat/completions": {"200": {"schema": {}, "example": COMPLETION}}}, "openapi": "3.1.0"}
    for document in (
        {"data": COMPLETION},
        documentation,
        {"content": {"example": COMPLETION}},
        {"name": "a case", "expected": COMPLETION},
    ):
        assert [type(part) for part in read_all(document)] == [Skipped]


@pytest.mark.parametrize(
    "document",
    [
        {"in": REQUEST, "out": "Ho"},
        {"in": REQUEST, "out": {"id": "msg_1", "type": "message", "role": "assistant", "content": []}},
        {"in": {"prompt": "Hi"}, "out": COMPLETION, "name": "x"},
        {"run_type": "llm", "inputs": REQUEST, "outputs": COMPLETION},  # LangSmith adds to the answer
        REQUEST | {"metadata": {"in": REQUEST, "out": COMPLETION}},
        {"in": REQUEST, "out": {"code": 0, "message": "ok", "data": COMPLETION}},  # an envelope of the server
        {"in": REQUEST, "out": {"status": 200, "msg": "ok", "data": COMPLETION}},
        {"code": 200, "msg": "ok", "data": COMPLETION},
    ],
)
def test_what_is_no_request_beside_its_answer_is_skipped(document: Any) -> None:
    assert [type(part) for part in read_all({"a": document, "b": 1})] == [Skipped]


@pytest.mark.parametrize(
    ("body", "answer"),
    [(COMPLETION, COMPLETION), (json.dumps(COMPLETION), COMPLETION), (EVENTS, [CHUNK, NotJson.DONE])],
)
def test_a_recorded_response_without_a_status_is_read_if_it_has_the_url(body: Any, answer: Any) -> None:
    response = {"name": "case", "path": "/v1/chat/completions", "contentType": "a/b", "body": body}
    for recorded in (response, {"cases": [response]}, {"url": URL, "headers": {}, "body": body, "stage": "response"}):
        assert [_values(exchange) for exchange in _exchanges(recorded)] == [(None, answer)]
    elsewhere = response | {"path": "/v1/responses"}
    assert [type(part) for part in read_all({"cases": [elsewhere]})] == [Skipped]


def test_an_exchange_in_the_body_of_other_traffic_is_not_read() -> None:
    body = {"run": {"inputs": REQUEST, "outputs": COMPLETION}}
    request = {"method": "POST", "url": "https://api.example.com/runs", "body": body}
    for pair in ({"request": request, "response": {"status": 200, "body": {}}}, {"request": request}):
        assert [type(part) for part in read_all(pair)] == [Skipped]


def test_what_is_not_searched_in_a_huge_document_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "_MOST_INSPECTED", 10)
    cases = [{"req": REQUEST, "res": COMPLETION}] * 20
    *found, rest = read_all({"cases": cases})
    assert len(found) == 8
    assert isinstance(rest, Skipped)
    assert "are not searched" in rest.reason


@pytest.mark.parametrize("answer", [COMPLETION, json.dumps(COMPLETION), EVENTS, ERROR])
def test_messages_beside_a_request_and_its_answer_tell_of_that_request(answer: Any) -> None:
    conversation = [*REQUEST["messages"], {"role": "assistant", "content": "Ho"}]
    record = {"id": "log_1", "messages": conversation, "temperature": None, "sent": REQUEST, "received": answer}
    for document in (record, {"logs": [record]}):
        (exchange,) = _exchanges(document)
        assert _values(exchange)[0] == REQUEST


def test_a_request_beside_its_answer_is_no_response_by_itself() -> None:
    (exchange,) = _exchanges({"prompt": REQUEST, "data": COMPLETION, "status": 200, "headers": {}, "url": URL})
    assert _values(exchange) == (REQUEST, COMPLETION)
    assert (exchange.http.status, exchange.path) == (200, "/v1/chat/completions")


# Records with bodies as text


@pytest.mark.parametrize(
    ("record", "values"),
    [
        ({"request": json.dumps(REQUEST), "response": json.dumps(COMPLETION)}, (REQUEST, COMPLETION)),
        ({"request": REQUEST, "response": json.dumps(COMPLETION), "status": 200}, (REQUEST, COMPLETION)),
        ({"request": "Say hi", "response": COMPLETION}, (None, COMPLETION)),
        ({"request": json.dumps(REQUEST)}, (REQUEST, None)),
    ],
)
def test_a_record_may_hold_the_text_of_a_body(record: Any, values: Any) -> None:
    assert [_values(exchange) for exchange in _exchanges(record)] == [values]


def test_a_record_may_say_that_it_is_a_completion() -> None:
    record = {"object": "chat.completion", "request": REQUEST, "response": COMPLETION}
    assert [_values(exchange) for exchange in _exchanges(record)] == [(REQUEST, COMPLETION)]


def test_a_record_may_hold_the_text_of_events() -> None:
    (exchange,) = _exchanges({"request": REQUEST | {"stream": True}, "response": EVENTS})
    assert isinstance(exchange.response, Stream)
    assert exchange.response.framing is not None


def test_the_words_of_an_answer_are_no_body_unless_the_record_has_the_status() -> None:
    record = {"request": REQUEST, "response": "Ho"}
    assert [part.reason for part in read_all(record) if isinstance(part, Skipped)] == [
        "the log keeps only the text of the answer"
    ]
    (exchange,) = _exchanges(record | {"status": 502})
    assert exchange.http.status == 502
    (exchange,) = _exchanges({"request": REQUEST, "response_text": "Ho"})
    assert exchange.response is not None


def test_the_words_of_an_answer_without_a_request_are_no_traffic() -> None:
    row = {"query": "What is X?", "context": "X is Y.", "response": "X is Y.", "ground_truth": "Y"}
    (skipped,) = read_all([row])
    assert isinstance(skipped, Skipped)
    assert skipped.reason == "not a Chat Completions payload"


# Bodies in objects that describe them


@pytest.mark.parametrize(
    "body",
    [
        {"text": json.dumps(COMPLETION)},
        {"text": json.dumps(COMPLETION), "charset": None},
        {"mimeType": "application/json", "size": 10, "text": json.dumps(COMPLETION)},
        {"content": COMPLETION, "contentType": "application/json", "encoded": False},
        {"type": "json", "data": COMPLETION},
        {"format": "UTF-8", "text": json.dumps(COMPLETION)},
        {"mode": "raw", "raw": json.dumps(COMPLETION), "options": {"raw": {"language": "json"}}},
        {"base64": base64.encodebytes(json.dumps(COMPLETION).encode()).decode(), "size": 10},
        {"content": base64.b64encode(json.dumps(COMPLETION).encode()).decode(), "encoded": "base64"},
        {"Body_Size": 10, "value": {"mimeType": "application/json", "text": json.dumps(COMPLETION)}},
    ],
)
def test_a_body_is_read_from_an_object_that_describes_it(body: Any) -> None:
    pair = {"request": {"method": "POST", "url": URL, "body": REQUEST}, "response": {"status": 200, "body": body}}
    assert [_values(exchange) for exchange in _exchanges(pair)] == [(REQUEST, COMPLETION)]


@pytest.mark.parametrize(
    "body",
    [
        {"code": 0, "message": "ok", "data": COMPLETION},
        {"data": COMPLETION},
        {"data": COMPLETION, "size": None},
        {"type": "success", "data": COMPLETION},
        {"text": "Ho"},
        {"content": COMPLETION, "data": COMPLETION, "size": 1},
    ],
)
def test_an_answer_in_an_envelope_of_the_server_is_judged_as_it_was_sent(body: Any) -> None:
    pair = {"request": {"method": "POST", "url": URL, "body": REQUEST}, "response": {"status": 200, "body": body}}
    assert [_values(exchange) for exchange in _exchanges(pair)] == [(REQUEST, body)]


# YAML and Postman


def test_pairs_and_requests_beside_answers_are_read_from_yaml() -> None:
    pair = {"request": {"method": "POST", "url": URL, "body": json.dumps(REQUEST)}, "response": {"status": "200"}}
    pair["response"]["body"] = json.dumps(COMPLETION)
    lines = f"# recorded\n- request: {json.dumps(pair['request'])}\n  response: {json.dumps(pair['response'])}\n"
    for text in (lines, f"request: {json.dumps(pair['request'])}\nresponse: {json.dumps(pair['response'])}\n"):
        assert [_values(exchange) for exchange in _exchanges(text)] == [(REQUEST, COMPLETION)]
    case = f"- name: one\n  url: {URL}\n  input: {json.dumps(REQUEST)}\n  output: {json.dumps(COMPLETION)}\n"
    assert [_values(exchange) for exchange in _exchanges(f"---\n{case}{case}---\n{case}")] == [
        (REQUEST, COMPLETION)
    ] * 3


@pytest.mark.parametrize(
    "text",
    [
        f"paths:\n  /chat/completions:\n    post:\n      requestBody: {{}}\n      example: {json.dumps(COMPLETION)}\n",
        f"id: one\nobject: chat.completion\nchoices: {json.dumps(COMPLETION['choices'])}\n",
        f"request: {json.dumps(REQUEST)}\nurl: /chat/completions\n",
        f"response: {json.dumps(COMPLETION)}\n",
        "request: [\nurl: /chat/completions\n",
    ],
)
def test_other_yaml_is_skipped_with_a_reason(text: str) -> None:
    assert [type(part) for part in read_all(text)] == [Skipped]


def test_yaml_that_does_not_mention_chat_completions_is_not_parsed() -> None:
    assert [part.reason for part in read_all("request: [\n") if isinstance(part, Skipped)] == [
        "not a capture: no input format recognises it"
    ]


def _postman_request(body: str) -> dict[str, Any]:
    return {"method": "POST", "header": [], "body": {"mode": "raw", "raw": body}, "url": {"raw": URL, "host": ["x"]}}


def test_the_saved_responses_of_a_postman_collection_are_read_with_their_requests() -> None:
    response = {"status": "OK", "code": 200, "header": [{"key": "Content-Type", "value": "application/json"}]}
    answered = response | {"originalRequest": _postman_request(json.dumps(REQUEST)), "body": json.dumps(COMPLETION)}
    refused = response | {"code": 400, "body": json.dumps(ERROR)}
    item = {"name": "x", "request": _postman_request('{"model": {{model}}}'), "response": [answered, refused]}
    info = {"name": "c", "schema": "https://schema.getpostman.com/json/collection/v2.1.0/collection.json"}
    collection = {"info": info, "item": [{"name": "folder", "item": [item]}, item | {"response": []}]}
    for document in (collection, {"collection": collection}):
        exchanges = _exchanges(document)
        assert [_values(exchange) for exchange in exchanges] == [(REQUEST, COMPLETION), (None, ERROR)]
        assert [(one.http.status, one.http.content_type, one.host) for one in exchanges] == [
            (200, "application/json", "api.example.com"),
            (400, "application/json", "api.example.com"),
        ]
    (skipped,) = read_all(collection | {"item": [item | {"response": []}]})
    assert isinstance(skipped, Skipped)
    assert skipped.reason == "a collection of Postman without saved responses"


def test_an_answer_in_a_property_of_the_request_itself_is_none_of_this_request() -> None:
    document = REQUEST | {"metadata": COMPLETION, "prediction": {"status": 200, "body": COMPLETION}}
    (exchange,) = _exchanges(document)
    assert _values(exchange) == (document, None)


# Answers beside what shows that they were recorded


ANSWER = COMPLETION["choices"][0]["message"] | {"content": "Hello there!"}
SAID: dict[str, Any] = COMPLETION | {"choices": [COMPLETION["choices"][0] | {"message": ANSWER}]}
CALLS = [{"id": "call_1", "type": "function", "function": {"name": "ls", "arguments": "{}"}}]
CALLED: dict[str, Any] = COMPLETION | {
    "choices": [{"index": 0, "message": {"role": "assistant", "content": None, "tool_calls": CALLS}}]
}


@given(_NAMES, _NAMES, st.sampled_from([SAID, json.dumps(SAID)]), st.booleans())
def test_an_answer_beside_its_own_text_is_read_whatever_the_names_are(
    name: str, other: str, answer: Any, is_deeper: bool
) -> None:
    recorded = {f"{name} 1": " Hello there!\n", f"{other} 2": {"raw": answer, "ms": 1} if is_deeper else answer}
    assert [_values(one) for one in _exchanges({"runs": [{"steps": [recorded]}], "n": 1})] == [(None, SAID)]


def test_the_answers_in_the_messages_of_a_trajectory_are_read() -> None:
    """As mini-swe-agent writes them: each message of the model keeps the answer that it was taken from."""
    messages = [
        {"role": "user", "content": "Go"},
        SAID["choices"][0]["message"] | {"extra": {"response": SAID, "cost": 0.1}},
        {"role": "tool", "content": "a", "extra": {"returncode": 0}},
        {"role": "assistant", "content": None, "tool_calls": CALLS, "extra": {"response": CALLED}},
    ]
    exchanges = _exchanges({"info": {"exit_status": "Submitted"}, "messages": messages})
    assert [_values(one) for one in exchanges] == [(None, SAID), (None, CALLED)]
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
    assert [_values(one) for one in _exchanges([row])] == [(None, SAID)]


def test_an_answer_beside_other_words_or_in_other_words_is_an_example() -> None:
    for document in (
        {"name": "a case", "text": "Bye", "expected": SAID},
        {"text": "", "expected": COMPLETION | {"choices": [{"index": 0, "message": {"content": ""}}]}},
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
        "output": {"outputContentType": "application/json", "outputBodyJson": COMPLETION},
    }
    streamed = record | {"output": {"outputBodyJson": [CHUNK]}}
    exchanges = _exchanges(f"{json.dumps(record)}\n{json.dumps(streamed)}\n")
    assert [_values(one) for one in exchanges] == [
        (body | {"model": "m"}, COMPLETION),
        (body | {"model": "m"}, [CHUNK]),
    ]
    rules = [one.rule for exchange in exchanges for one in Judge(engines.load()).judge(exchange).findings]
    assert "missing-property" not in rules
    (unnamed,) = _exchanges({"in": body, "out": COMPLETION})
    assert _values(unnamed) == (body, COMPLETION)


def test_the_model_beside_a_request_in_a_record_is_that_of_the_request() -> None:
    asked = {"messages": REQUEST["messages"]}
    times = {"request_timestamp": "2026-11-24T05:00:00", "response_timestamp": "2026-11-24T05:00:01"}
    (exchange,) = _exchanges(times | {"model": "m", "agent_id": "a", "request": asked, "response": COMPLETION})
    assert _values(exchange) == (asked | {"model": "m"}, COMPLETION)
    assert exchange.dumped
    (as_sent,) = _exchanges({"request": asked, "response": COMPLETION})
    assert _values(as_sent) == (asked, COMPLETION)
    assert not as_sent.dumped


def test_choices_alone_beside_a_conversation_are_a_part_of_an_answer_that_is_kept_elsewhere() -> None:
    record = {"input": {"messages": REQUEST["messages"]}, "metadata": {"model": "m"}}
    assert all(isinstance(part, Skipped) for part in read_all(record | {"output": {"choices": COMPLETION["choices"]}}))
    assert _values(*_exchanges(record | {"output": COMPLETION})) == (None, COMPLETION)


def test_bodies_beside_messages_without_bodies_are_read() -> None:
    """As the logs of Kong have them: the headers in ``request`` and ``response``, the bodies elsewhere."""
    record = {
        "request": {"method": "POST", "uri": "/chat", "headers": {}},
        "response": {"status": 200, "headers": {}},
        "ai": {"proxy": {"payload": {"request": json.dumps(REQUEST), "response": json.dumps(COMPLETION)}}},
    }
    assert [_values(one) for one in _exchanges(record)] == [(REQUEST, COMPLETION)]


def test_a_trace_that_keeps_only_messages_is_skipped_and_named_as_such() -> None:
    (part,) = read_all([{"type": "GENERATION", "model": "m", "input": REQUEST["messages"], "output": ANSWER}])
    assert isinstance(part, Skipped)
    assert "a trace of messages" in part.reason


def test_a_record_with_a_half_under_a_name_of_its_own_is_read_whole() -> None:
    for record in (
        {"seq": 1, "url": URL, "http_status": 200, "request": REQUEST, "raw_response": json.dumps(SAID)},
        {"prompt": REQUEST, "url": URL, "http_status": 200, "response": SAID},
    ):
        (exchange,) = _exchanges(record)
        assert _values(exchange) == (REQUEST, SAID)
        assert (exchange.http.status, exchange.path) == (200, "/v1/chat/completions")
    refused = {"request": REQUEST, "response": ERROR, "status": 400, "expected_status": [400]}
    (probe,) = _exchanges(refused)
    assert _values(probe) == (None, ERROR)  # a probe made it wrong on purpose
    both = _exchanges({"request": REQUEST, "answers": [SAID, SAID]})
    assert list(map(_values, both)) == [(REQUEST, SAID)] * 2


def test_an_entry_of_an_archive_in_another_layout_has_its_request_and_no_body_that_is_elsewhere() -> None:
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
    assert [_values(one) for one in _exchanges(f"{json.dumps(trace)}\n{json.dumps(trace)}\n")] == [(REQUEST, SAID)] * 2
    entry["response"]["content"] = {"size": 9, "mimeType": "application/json", "_sha1": "aa.json"}
    (skipped,) = read_all(trace)
    assert isinstance(skipped, Skipped)
    assert skipped.reason == "a body that the recorder keeps in another file"


# Streams with events that are no chunks


FIRST = chunk({"role": "assistant", "content": "Ho"}, None)
HEARTBEATS = [{"id": "h", "audio": {"data": ""}}, {"type": "ping"}, {"usage": {"total_tokens": 3}}, {}, None]


@pytest.mark.parametrize("event", HEARTBEATS)
def test_a_list_of_chunks_is_one_stream_whatever_else_is_among_them(event: Any) -> None:
    events = [FIRST, event, FIRST, CHUNK]
    for document in (events, {"in": REQUEST, "out": events}, {"in": REQUEST, "out": json.dumps(events)}):
        (exchange,) = _exchanges(document)
        assert _values(exchange)[1] == events


def test_an_error_and_the_end_in_a_list_of_chunks_belong_to_the_stream() -> None:
    (failed,) = _exchanges([FIRST, FIRST, ERROR])
    assert _values(failed) == (None, [FIRST, FIRST, ERROR])
    (ended,) = _exchanges([FIRST, chunk({}, "stop"), "[DONE]"])
    assert not Judge(engines.load()).judge(ended).findings
    for end in ({}, None):
        (left_out,) = _exchanges([FIRST, CHUNK, end])
        assert _values(left_out) == (None, [FIRST, CHUNK])


def test_a_list_with_payloads_or_records_among_chunks_is_none_of_one_stream() -> None:
    for other in (COMPLETION, {"request": REQUEST, "response": COMPLETION}):
        assert len(read_all([FIRST, other, CHUNK])) == 3
    request, stream = _exchanges([FIRST, REQUEST, CHUNK])  # a server got it while it answered another one
    assert (_values(request), _values(stream)) == ((REQUEST, None), (None, [FIRST, CHUNK]))
    assert len(read_all([CHUNK, {"a": 1}, {"b": 2}])) == 3


@pytest.mark.parametrize("event", [*HEARTBEATS[:3], {"level": "info", "msg": "x"}])
def test_lines_of_chunks_with_the_same_id_are_one_stream_whatever_stands_between_them(event: Any) -> None:
    lines = "\n".join(map(json.dumps, [FIRST, event, event, CHUNK, event]))
    exchanges = [one for one in read_all(lines) if isinstance(one, Exchange)]
    assert [_values(one) for one in exchanges] == [(None, [FIRST, CHUNK])]
    again = "\n".join(map(json.dumps, [FIRST, CHUNK, event, FIRST, CHUNK]))
    assert sum(isinstance(one, Exchange) for one in read_all(again)) == 2
    between = "\n".join(map(json.dumps, [FIRST, COMPLETION, CHUNK]))
    assert sum(isinstance(one, Exchange) for one in read_all(between)) == 3
    far = "\n".join(map(json.dumps, [FIRST, *({"n": number} for number in range(200)), CHUNK]))
    assert sum(isinstance(one, Exchange) for one in read_all(far)) == 2


@given(_NAMES, st.booleans(), st.booleans(), st.sampled_from([[], ["[DONE]"], [ERROR]]))
def test_a_list_of_objects_that_hold_an_event_each_is_one_stream(
    name: str, is_text: bool, has_request: bool, end: list[Any]
) -> None:
    events = [FIRST, CHUNK, *end]
    wrapped = [
        {"t": number, name: json.dumps(event) if is_text and event != "[DONE]" else event}
        for number, event in enumerate(events)
    ]
    text = json.dumps({"q": REQUEST, "a": wrapped} if has_request else wrapped)
    (exchange,) = _exchanges(text)
    _, answer = _values(exchange)
    assert answer[:2] == [FIRST, CHUNK]
    assert len(answer) == len(events)
    findings = Judge(engines.load()).judge(exchange).findings
    (repeated,) = [one for one in findings if one.rule == "role-repeated"]
    second = text.index(json.dumps(FIRST)[1:9].replace('"', '\\"' if is_text else '"'))
    assert repeated.source.column > second


_LONG = f"data: {json.dumps(CHUNK)}\n\n" * 5 + EVENTS


@given(st.lists(st.integers(8, len(_LONG)), max_size=4))
def test_objects_with_one_property_may_hold_the_body_of_a_stream_in_pieces(cuts: list[int]) -> None:
    """As the profiles of GenAI-Perf have them."""
    ends = sorted({8, *cuts, len(_LONG)})
    pieces = [{"response": _LONG[start:end]} for start, end in zip([0, *ends], ends, strict=False)]
    text = json.dumps({"requests": [{"request_inputs": {"payload": json.dumps(REQUEST)}, "outputs": pieces}]}, indent=1)
    (exchange,) = _exchanges(text)
    assert _values(exchange) == (REQUEST, [CHUNK] * 6 + [NotJson.DONE])
    assert isinstance(exchange.response, Stream)
    place = exchange.response.text.place(_LONG.index("[DONE]"))
    assert text.split("\n")[place.line - 1][place.column - 1 :].startswith("[")


def test_an_answer_may_be_the_only_property_of_an_object_in_an_array() -> None:
    profile = {"request_inputs": {"payload": json.dumps(REQUEST)}, "outputs": [{"response": json.dumps(COMPLETION)}]}
    (exchange,) = _exchanges({"requests": [profile]})
    assert _values(exchange) == (REQUEST, COMPLETION)


def test_several_streams_in_a_list_are_not_joined() -> None:
    found = read_all({"q": REQUEST, "a": [{"response": EVENTS}, {"response": EVENTS}]})
    assert [one.response.values for one in found if isinstance(one, Exchange) and isinstance(one.response, Stream)] == [
        [CHUNK, NotJson.DONE]
    ] * 2


def test_what_sagemaker_captured_is_no_envelope_of_a_server() -> None:
    def half(mode: str, body: Any) -> dict[str, Any]:
        return {
            "observedContentType": "application/json",
            "mode": mode,
            "data": json.dumps(body),
            "encoding": "JSON",
        }

    captured = {"endpointInput": half("INPUT", REQUEST), "endpointOutput": half("OUTPUT", COMPLETION)}
    (exchange,) = _exchanges({"captureData": captured, "eventMetadata": {"eventId": "1"}, "eventVersion": "0"})
    assert _values(exchange) == (REQUEST, COMPLETION)


def test_events_of_a_pair_may_be_wrapped() -> None:
    """As the definitions of mock servers have them."""
    response = {"status": 200, "sse": [{"data": FIRST}, {"data": CHUNK}]}
    (exchange,) = _exchanges(
        {"routes": [{"request": {"method": "POST", "url": URL, "body": REQUEST}, "response": response}]}
    )
    assert _values(exchange) == (REQUEST, [FIRST, CHUNK])
    for other in ([{"data": FIRST}, {"other": CHUNK}], [{"data": FIRST}, {"data": COMPLETION}], [{"data": {"a": 1}}]):
        assert all(isinstance(one, Skipped) for one in read_all(other))


@pytest.mark.parametrize("encode", [lambda value: value, json.dumps])
def test_chunks_in_objects_on_lines_of_their_own_are_one_stream(encode: Any) -> None:
    lines = [
        {"type": "chunk", "日本": 1, "payload": encode(FIRST)},
        {"type": "ping"},
        {"type": "chunk", "payload": encode(CHUNK), "ms": None, "usage": {"tokens": 3}, "tags": ["a"], "meta": {}},
        {"type": "done", "payload": "[DONE]"},
    ]
    text = "\n".join(json.dumps(line, ensure_ascii=False) for line in lines)
    exchange = next(one for one in read_all(text) if isinstance(one, Exchange))
    body = exchange.response
    assert isinstance(body, Stream)
    assert list(body.values[:2]) == [FIRST, CHUNK]
    assert len(body.values) == 3
    for number, line in ((0, 1), (1, 3)):
        place = body.lines[number].place(body.lines[number].data.index(b"choices"))
        assert place.line == line
        assert text.split("\n")[line - 1][place.column - 1 :].startswith("choices")


def test_an_object_with_more_than_an_event_on_a_line_is_no_event() -> None:
    for other in (
        {"request": REQUEST, "first": FIRST},
        {"in": [REQUEST], "out": FIRST},
        {"a": FIRST, "b": {"c": {"d": REQUEST}}},
    ):
        found = read_all("\n".join(map(json.dumps, [other, other])))
        assert not any(isinstance(one, Exchange) and isinstance(one.response, Stream) for one in found), other
