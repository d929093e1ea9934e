"""Tests of captures in layouts that no module knows: what is read by its content, and what is left alone."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from payloads import (
    CHUNKS,
    COMPLETION,
    ERROR,
    EVENTS,
    FAULTY,
    NAMES,
    REQUEST,
    URL,
    WHOLE_CHUNK,
    WHOLE_EVENTS,
    as_events,
    base64_of,
)
from reading import all_exchanges, exchange_in, exchanges_in, findings_of_exchange, read_all, values_of

from isogloss.validator.captures.structures import search
from isogloss.validator.exchange import Exchange, NotJson, Skipped, Stream
from isogloss.validator.kinds.marks import REQUEST_PROPERTIES

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
                (FAULTY, FAULTY),
                (FAULTY, json.dumps(FAULTY)),
                (FAULTY, base64_of(FAULTY)),
                (FAULTY, {"status": 200, "body": FAULTY}),
                (FAULTY, {"status": 200, "body": base64_of(json.dumps(FAULTY, indent=1))}),
                (FAULTY, {"code": 200, "text": json.dumps(FAULTY, indent=1)}),
                (FAULTY, {"data": FAULTY, "status": 200, "statusText": "OK", "headers": {}, "config": {}}),
                (ERROR, ERROR),
                ([WHOLE_CHUNK], [WHOLE_CHUNK]),
                ([WHOLE_CHUNK], WHOLE_EVENTS),
                ([WHOLE_CHUNK], base64_of(WHOLE_EVENTS)),
            ]
        )
    )
    request = draw(st.sampled_from([REQUEST, json.dumps(REQUEST), base64_of(REQUEST), {"json": REQUEST}, None]))
    names = draw(st.lists(NAMES, min_size=2, max_size=2, unique=True))
    halves = [*(REQUEST.items() if request is None else [(names[0], request)]), (names[1], kept)]
    about = draw(st.lists(st.sampled_from(sorted(_OF_THE_EXCHANGE)), max_size=5))
    if request is None:
        about = [name for name in about if name not in REQUEST_PROPERTIES]
    known = {name: _OF_THE_EXCHANGE[name] for name in about}
    document: Any = draw(_NOISE) | dict(draw(st.permutations([*known.items(), *halves])))
    for name in draw(st.lists(NAMES, max_size=5)):
        document = draw(_NOISE) | {name: draw(st.sampled_from([document, [1, {}, document]]))}
    return answer, document


@given(_layouts())
def test_a_request_beside_its_answer_is_read_whatever_the_names_are(layout: tuple[Any, Any]) -> None:
    answer, document = layout
    (exchange,) = all_exchanges(document)
    request, read_answer = values_of(exchange)
    assert request == REQUEST
    assert answer == ([one for one in read_answer if one in answer] if answer == [WHOLE_CHUNK] else read_answer)


def test_a_document_may_have_a_log_that_is_no_archive() -> None:
    (exchange,) = read_all({"log": {"items": [{"id": 1, "call": {"request": REQUEST, "response": FAULTY}}]}})
    assert isinstance(exchange, Exchange)
    assert values_of(exchange) == (REQUEST, FAULTY)


def test_a_row_of_a_log_with_the_object_of_an_answer_is_a_record() -> None:
    """As in the logs of Bifrost."""
    row = {"id": "1", "object": "chat.completion", "model": "m", "created": 1, "input_history": REQUEST["messages"]}
    row |= {"raw_request": json.dumps(REQUEST), "raw_response": json.dumps(FAULTY)}
    assert values_of(exchange_in(row)) == (REQUEST, FAULTY)


def test_the_object_whose_method_was_called_is_no_part_of_the_request() -> None:
    """As in the calls of Weave."""
    exchange = exchange_in({"inputs": {"self": {"client": {}}, **REQUEST}, "output": FAULTY})
    assert values_of(exchange)[0] == REQUEST


def test_an_answer_in_base64_beside_a_time_is_read() -> None:
    """As Go writes a body of bytes into its logs."""
    record = {"time": "2026-11-26T10:00:00Z", "level": "INFO", "msg": "upstream", "body": base64_of(FAULTY)}
    lines = f"{json.dumps(record)}\n{json.dumps(record | {'body': base64_of({'ok': True})})}\n"
    (exchange,) = all_exchanges(lines)
    assert values_of(exchange) == (None, FAULTY)
    (finding,) = findings_of_exchange(exchange)
    assert finding.source.column == json.dumps(record).index("eyJ") + 1


@pytest.mark.parametrize("space", ["\n", "\t", "\r\n", " "])
def test_an_answer_in_base64_may_begin_with_white_space(space: str) -> None:
    body = base64_of(json.dumps(FAULTY).replace("{", f"{{{space}", 1))
    (exchange,) = all_exchanges(json.dumps({"time": "2026-11-26T10:00:00Z", "level": "INFO", "body": body}))
    assert values_of(exchange) == (None, FAULTY)


def test_other_text_in_base64_is_not_read() -> None:
    for other in ({"choices": "all", "error": "none"}, {"sub": "1", "messages": 3}, "data: 1\n\n", "events"):
        document = {"asked": base64_of(REQUEST), "answered": base64_of(other)}
        assert [type(part) for part in read_all(document)] == [Skipped]
        assert [type(part) for part in read_all({"asked": REQUEST, "answered": base64_of(FAULTY)[:-5]})] == [Skipped]


@st.composite
def _messages(draw: st.DrawFn) -> tuple[Any, Any]:
    """Return an answer as it is read, and a pair of messages, each with its body under some name."""
    answer, kept = draw(
        st.sampled_from([
            (FAULTY, FAULTY), (FAULTY, json.dumps(FAULTY)), (ERROR, ERROR), ([WHOLE_CHUNK], [WHOLE_CHUNK]),
            ([WHOLE_CHUNK], WHOLE_EVENTS),
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
    exchange = exchange_in(document)
    request, read_answer = values_of(exchange)
    assert request == REQUEST
    assert answer == ([one for one in read_answer if one in answer] if answer == [WHOLE_CHUNK] else read_answer)


def test_a_request_in_data_is_in_no_envelope() -> None:
    exchange = exchange_in({"sent": {"data": REQUEST}, "received": {"raw": FAULTY}})
    assert values_of(exchange) == (REQUEST, FAULTY)


@pytest.mark.parametrize(
    "layout", ["{}\n{}", "[{}, {}]", '{{"cases": [{}, {}]}}', '{{"one": {}, "two": {{"three": {}}}}}']
)
def test_exchanges_of_unknown_layouts_are_numbered_in_their_order(layout: str) -> None:
    first, second = ({"sent": REQUEST | {"model": model}, "got": FAULTY} for model in ("first", "second"))
    exchanges = exchanges_in(layout.format(json.dumps(first), json.dumps(second)))
    assert [exchange.number for exchange in exchanges] == [0, 1]
    assert [exchange.request.value["model"] for exchange in exchanges if exchange.request] == ["first", "second"]  # type: ignore[index]


def test_exchanges_in_strings_of_json_are_placed_in_the_text_and_cut_strings_are_not_read() -> None:
    message = json.dumps({"fields": {"asked": REQUEST, "answered": FAULTY}})
    text = json.dumps({"level": "info", "event": {"message": message}})
    exchange = exchange_in(text)
    assert values_of(exchange) == (REQUEST, FAULTY)
    (finding,) = findings_of_exchange(exchange)
    assert finding.source.column == text.index("finish_reason") + len('finish_reason\\": ') + 1
    assert [type(part) for part in read_all({"message": message[:-20]})] == [Skipped]


def test_each_of_several_answers_is_an_exchange_with_the_request() -> None:
    answers = [FAULTY, ERROR] * 20
    exchanges = exchanges_in({"asked": REQUEST, "answers": answers, "repeated": json.dumps(FAULTY)})
    assert [values_of(exchange) for exchange in exchanges] == [(REQUEST, answer) for answer in [*answers, FAULTY]]


def test_of_several_requests_each_has_its_answer_if_there_are_as_many_and_else_none_has() -> None:
    first, second = (REQUEST | {"model": model} for model in ("first", "second"))
    assert [values_of(one) for one in exchanges_in({"requests": [first, second], "responses": [FAULTY, ERROR]})] == [
        (first, FAULTY),
        (second, ERROR),
    ]
    exchanges = exchanges_in({"sent": first, "received": second, "answer": FAULTY})
    assert [values_of(one) for one in exchanges] == [(None, FAULTY)]


@pytest.mark.parametrize("count", [9, 10])
def test_of_very_many_requests_each_has_the_answer_at_its_place_if_there_are_as_many(count: int) -> None:
    requests = [REQUEST | {"user": f"user-{number}"} for number in range(9)]
    answers = [FAULTY | {"id": f"chatcmpl-{number}"} for number in range(count)]
    exchanges = exchanges_in({"requests": requests, "responses": answers})
    asked = requests if count == 9 else [None] * count
    assert [values_of(one) for one in exchanges] == list(zip(asked, answers, strict=True))


def test_an_answer_in_another_object_than_an_exchange_does_not_belong_to_its_request() -> None:
    document = {"one": {"asked": REQUEST, "answered": FAULTY}, "two": {"answered": ERROR, "number": 2}}
    assert [values_of(exchange) for exchange in exchanges_in(document)] == [(REQUEST, FAULTY)]


def test_an_exchange_beside_and_inside_another_one_is_read_too() -> None:
    other = {"req": REQUEST | {"model": "other"}, "res": ERROR}
    document = {"req": REQUEST, "res": FAULTY, "retried": other, "attempts": [{"first": other}]}
    assert [values_of(exchange) for exchange in exchanges_in(document)] == [
        (REQUEST, FAULTY),
        (REQUEST | {"model": "other"}, ERROR),
        (REQUEST | {"model": "other"}, ERROR),
    ]


@given(st.data())
def test_the_events_of_a_whole_stream_in_a_list_are_read_whatever_is_beside_them(data: st.DataObject) -> None:
    kept = data.draw(st.sampled_from([CHUNKS, [*map(json.dumps, CHUNKS), "[DONE]"], as_events(*CHUNKS).splitlines()]))
    case = data.draw(_NOISE) | {data.draw(NAMES): kept}
    for document in (case, {"cases": [case]}, [case], {"a": {"b": case}}):
        (exchange,) = all_exchanges(document)
        request, read_answer = values_of(exchange)
        assert request is None
        assert [event for event in read_answer if event is not NotJson.DONE] == CHUNKS
    folded = COMPLETION | {"id": CHUNKS[0]["id"]}
    both = all_exchanges({"name": "a", "want": folded, "got": kept})
    assert [type(one.response) for one in both] == [Stream]


@pytest.mark.parametrize("kept", [CHUNKS[:1], [CHUNKS[0]] * 2, CHUNKS[-1:], EVENTS, [EVENTS]])
def test_a_part_of_a_stream_or_its_text_that_stands_alone_is_not_read(kept: object) -> None:
    """They may be examples in documentation."""
    assert not all_exchanges({"title": "Streaming", "example": kept})


@pytest.mark.parametrize(
    ("record", "status", "path"),
    [
        ({"in": REQUEST, "out": FAULTY, "status_code": 200, "url": URL}, 200, "/v1/chat/completions"),
        ({"in": {"body": REQUEST, "url": URL}, "out": {"body": ERROR, "status": 429}}, 429, "/v1/chat/completions"),
        ({"in": REQUEST, "out": FAULTY, "status": "passed", "path": "tests/test_a.py"}, None, None),
        ({"in": REQUEST, "out": FAULTY, "": 200}, None, None),
        ({"in": REQUEST, "out": FAULTY, "status": True, "code": 7, "url": "https://ci.example.com/1"}, None, None),
    ],
)
def test_status_and_url_beside_the_payloads_are_read(record: Any, status: int | None, path: str | None) -> None:
    exchange = exchange_in(record)
    assert (exchange.http.status, exchange.path) == (status, path)
    assert exchange.host == ("api.example.com" if path else None)


@pytest.mark.parametrize("value", [200, URL, "a-model"])
def test_a_property_without_a_name_is_neither_status_nor_url_nor_model(value: object) -> None:
    exchange = exchange_in({"asked": {"messages": REQUEST["messages"], "temperature": 0}, "": value, "got": FAULTY})
    assert exchange.http.status is None
    assert exchange.path is None
    assert exchange.request is not None
    assert exchange.request.value.keys() == {"messages", "temperature"}


def test_findings_are_placed_in_the_text_where_the_answer_stands() -> None:
    text = json.dumps({"cases": [{"req": REQUEST, "res": json.dumps(FAULTY)}]})
    exchange = exchange_in(text)
    (finding,) = findings_of_exchange(exchange)
    assert finding.rule == "unknown-value"
    assert finding.source.column == text.index('\\"finish_reason\\": ') + len('\\"finish_reason\\": ') + 1


def test_a_recorded_response_by_itself_is_read_if_it_is_one_of_chat_completions() -> None:
    stub = {"predicates": [], "responses": [{"is": {"statusCode": 200, "headers": {}, "body": json.dumps(FAULTY)}}]}
    assert [values_of(one) for one in exchanges_in({"imposters": [{"stubs": [stub]}]})] == [(None, FAULTY)]
    flat = {"method": "POST", "url": URL, "status": 200, "body": FAULTY, "ms": 5}
    exchange = exchange_in({"calls": [flat]})
    assert (exchange.http.status, exchange.path) == (200, "/v1/chat/completions")
    for body in ({"ok": True}, "oops", {"error": "no"}, {"choices": ["a"]}):
        parts = read_all({"a": [{"status": 500, "headers": {}, "body": body}], "choices": [{}]})
        assert all(isinstance(part, Skipped) for part in parts)


def test_an_object_of_nothing_but_answers_is_read_and_an_example_among_other_properties_is_not() -> None:
    exchanges = exchanges_in({"simple": FAULTY, "stream": [WHOLE_CHUNK]})
    assert [values_of(exchange) for exchange in exchanges] == [(None, FAULTY), (None, [WHOLE_CHUNK])]
    documentation = {"paths": {"/chat/completions": {"200": {"schema": {}, "example": FAULTY}}}, "openapi": "3.1.0"}
    for document in (
        {"data": FAULTY},
        documentation,
        {"content": {"example": FAULTY}},
        {"name": "a case", "expected": FAULTY},
        {"cases": {"simple": FAULTY, "other": FAULTY}},
    ):
        assert [type(part) for part in read_all(document)] == [Skipped]


@pytest.mark.parametrize(
    "document",
    [
        {"in": REQUEST, "out": "Ho"},
        {"in": REQUEST, "out": {"id": "msg_1", "type": "message", "role": "assistant", "content": []}},
        {"in": {"prompt": "Hi"}, "out": FAULTY, "name": "x"},
        {"run_type": "llm", "inputs": REQUEST, "outputs": FAULTY},  # LangSmith adds to the answer
        REQUEST | {"metadata": {"in": REQUEST, "out": FAULTY}},
        {"in": REQUEST, "out": {"code": 0, "message": "ok", "data": FAULTY}},  # an envelope of the server
        {"in": REQUEST, "out": {"status": 200, "msg": "ok", "data": FAULTY}},
        {"code": 200, "msg": "ok", "data": FAULTY},
    ],
)
def test_what_is_no_request_beside_its_answer_is_skipped(document: Any) -> None:
    assert [type(part) for part in read_all({"a": document, "b": 1})] == [Skipped]


@pytest.mark.parametrize(
    ("body", "answer"),
    [(FAULTY, FAULTY), (json.dumps(FAULTY), FAULTY), (WHOLE_EVENTS, [WHOLE_CHUNK, NotJson.DONE])],
)
def test_a_recorded_response_without_a_status_is_read_if_it_has_the_url(body: Any, answer: Any) -> None:
    response = {"name": "case", "path": "/v1/chat/completions", "contentType": "a/b", "body": body}
    for recorded in (response, {"cases": [response]}, {"url": URL, "headers": {}, "body": body, "stage": "response"}):
        assert [values_of(exchange) for exchange in exchanges_in(recorded)] == [(None, answer)]
    elsewhere = response | {"path": "/v1/responses"}
    assert [type(part) for part in read_all({"cases": [elsewhere]})] == [Skipped]


def test_an_exchange_in_the_body_of_other_traffic_is_not_read() -> None:
    body = {"run": {"inputs": REQUEST, "outputs": FAULTY}}
    request = {"method": "POST", "url": "https://api.example.com/runs", "body": body}
    for pair in ({"request": request, "response": {"status": 200, "body": {}}}, {"request": request}):
        assert [type(part) for part in read_all(pair)] == [Skipped]


def test_what_is_not_searched_in_a_huge_document_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "_MOST_INSPECTED", 10)
    cases = [{"req": REQUEST, "res": FAULTY}] * 20
    *found, rest = read_all({"cases": cases})
    assert len(found) == 8
    assert isinstance(rest, Skipped)
    assert "are not searched" in rest.reason


@pytest.mark.parametrize("answer", [FAULTY, json.dumps(FAULTY), WHOLE_EVENTS, ERROR])
def test_messages_beside_a_request_and_its_answer_tell_of_that_request(answer: Any) -> None:
    conversation = [*REQUEST["messages"], {"role": "assistant", "content": "Ho"}]
    record = {"id": "log_1", "messages": conversation, "temperature": None, "sent": REQUEST, "received": answer}
    for document in (record, {"logs": [record]}):
        exchange = exchange_in(document)
        assert values_of(exchange)[0] == REQUEST


def test_a_request_beside_its_answer_is_no_response_by_itself() -> None:
    exchange = exchange_in({"prompt": REQUEST, "data": FAULTY, "status": 200, "headers": {}, "url": URL})
    assert values_of(exchange) == (REQUEST, FAULTY)
    assert (exchange.http.status, exchange.path) == (200, "/v1/chat/completions")


def test_a_list_of_events_ends_a_stream_by_its_last_event_or_by_a_finish_reason() -> None:
    begun = [CHUNKS[0], CHUNKS[0]]
    for kept, is_read in ((begun, False), ([*begun, "[DONE]"], True), ([CHUNKS[0], CHUNKS[1]], True)):
        found = all_exchanges({"case": "a", "events": kept})
        assert len(found) == is_read


@pytest.mark.parametrize("value", ['{"a":' * 300 + "1" + "}" * 300, "9" * 25])
def test_an_event_in_a_list_may_be_nested_deep_or_have_a_large_number(value: str) -> None:
    events = json.dumps([CHUNKS[0] | {"x": "the value"}, *CHUNKS]).replace('"the value"', value)
    (exchange,) = all_exchanges(b'{"case": "a", "events": %b,}' % events.encode())
    assert values_of(exchange)[1][1:] == CHUNKS


def test_an_answer_in_data_beside_a_status_is_in_an_envelope_unless_there_are_headers() -> None:
    envelope = {"status": 200, "data": FAULTY}
    assert not all_exchanges({"results": [envelope]})
    (found,) = exchanges_in({"results": [envelope | {"headers": {}}]})
    assert (values_of(found), found.http.status) == ((None, FAULTY), 200)


@pytest.mark.parametrize("first", ["", ": PROCESSING\n\n", "id: 1\n", "event: message\n", "retry: 5\n", "\ufeff\n"])
def test_the_text_of_events_is_an_answer_whatever_field_comes_first(first: str) -> None:
    found = exchange_in({"asked": REQUEST, "got": first + WHOLE_EVENTS})
    assert isinstance(found.response, Stream)
    assert WHOLE_CHUNK in found.response.values


def test_an_error_beside_the_conversation_that_it_ends_is_read_and_choices_alone_are_a_part_of_an_answer() -> None:
    conversation = {"conversation": REQUEST["messages"]}
    assert values_of(exchange_in(conversation | {"got": ERROR})) == (None, ERROR)
    part = {"choices": COMPLETION["choices"]}
    assert not all_exchanges(conversation | {"got": part})


@pytest.mark.parametrize("name", ["extra_body", "extra_headers", "extra_query", "self", "timeout"])
def test_arguments_that_a_library_does_not_send_are_no_part_of_the_request(name: str) -> None:
    assert values_of(exchange_in({"inputs": REQUEST | {name: 1}, "output": COMPLETION})) == (REQUEST, COMPLETION)


def test_a_request_without_its_answer_is_read_beside_an_exchange_of_another_one() -> None:
    asked = {"request": {"method": "POST", "url": URL, "body": REQUEST}}
    other = REQUEST | {"model": "other"}
    for request, expected in ((other, [(REQUEST, None), (other, COMPLETION)]), (REQUEST, [(REQUEST, COMPLETION)])):
        found = exchanges_in(asked | {"steps": [{"input": request, "output": COMPLETION}]})
        assert [values_of(one) for one in found] == expected


def test_a_failure_in_a_text_beside_a_pair_is_read_too() -> None:
    pair = {"request": {"method": "POST", "url": URL, "body": REQUEST}, "response": {"status": 200, "body": COMPLETION}}
    earlier = {"input": json.dumps(REQUEST), "output": json.dumps(ERROR)}
    found = exchanges_in(pair | {"before": earlier})
    assert [values_of(one) for one in found] == [(REQUEST, COMPLETION), (REQUEST, ERROR)]


@pytest.mark.parametrize("write", [json.dumps, lambda value: value, lambda value: {"stringValue": json.dumps(value)}])
@pytest.mark.parametrize("beside", [{}, {"type": "string"}])
@pytest.mark.parametrize("answer", [COMPLETION, ERROR])
def test_attributes_in_a_list_may_name_their_type(write: Any, beside: dict[str, Any], answer: Any) -> None:
    """As in the traces that Jaeger writes."""
    bodies = {"http.status_code": 200, "input.value": write(REQUEST), "output.value": write(answer)}
    tags = [{"key": key, **beside, "value": value} for key, value in bodies.items()]
    assert values_of(exchange_in({"data": [{"spans": [{"spanID": "s", "tags": tags}]}]})) == (REQUEST, answer)


_REST = {name: value for name, value in COMPLETION.items() if name != "choices"}


@pytest.mark.parametrize("order", [("output", "metadata"), ("metadata", "output")])
def test_an_answer_in_two_parts_is_none_in_whatever_order_they_stand(order: tuple[str, str]) -> None:
    parts = {"output": {"choices": COMPLETION["choices"]}, "metadata": _REST}
    record = {"input": {"messages": REQUEST["messages"]}} | {name: parts[name] for name in order}
    assert not all_exchanges([record])


@pytest.mark.parametrize("order", [("output", "raw"), ("raw", "output")])
def test_a_whole_answer_is_read_beside_its_choices_in_whatever_order_they_stand(order: tuple[str, str]) -> None:
    answers = {"output": {"choices": COMPLETION["choices"]}, "raw": COMPLETION}
    record = {"time": "2026-03-01T10:00:00Z"} | {name: answers[name] for name in order}
    assert values_of(exchange_in(record)) == (None, COMPLETION)


@pytest.mark.parametrize("answer", [json.dumps(COMPLETION), json.dumps(ERROR), EVENTS])
@pytest.mark.parametrize("name", ["v", "VarCharValue"])
def test_a_request_and_its_answer_in_the_cells_of_a_row_are_no_pieces_of_a_stream(name: str, answer: str) -> None:
    """As the APIs of BigQuery and Athena give rows."""
    cells = [{name: cell} for cell in (json.dumps(REQUEST), answer)]
    asked, got = values_of(exchange_in({"rows": [{"f": cells}]}))
    assert (asked, got is not None) == (REQUEST, True)
