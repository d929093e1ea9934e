"""Tests of lists and lines with events that are no chunks, or that wrap them: what is one stream."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from payloads import COMPLETION, ERROR, FAULTY, NAMES, REQUEST, URL, WHOLE_CHUNK, WHOLE_EVENTS, chunk, json_lines
from reading import all_exchanges, exchange_in, exchanges_in, findings_of_exchange, read_all, values_of

from isogloss.validator.exchange import Exchange, NotJson, Skipped, Stream

FIRST = chunk({"role": "assistant", "content": "Ho"}, None)
HEARTBEATS = [{"id": "h", "audio": {"data": ""}}, {"type": "ping"}, {"usage": {"total_tokens": 3}}, {}, None]


@pytest.mark.parametrize("event", HEARTBEATS)
def test_a_list_of_chunks_is_one_stream_whatever_else_is_among_them(event: Any) -> None:
    events = [FIRST, event, FIRST, WHOLE_CHUNK]
    for document in (events, {"in": REQUEST, "out": events}, {"in": REQUEST, "out": json.dumps(events)}):
        exchange = exchange_in(document)
        assert values_of(exchange)[1] == events


def test_an_error_and_the_end_in_a_list_of_chunks_belong_to_the_stream() -> None:
    failed = exchange_in([FIRST, FIRST, ERROR])
    assert values_of(failed) == (None, [FIRST, FIRST, ERROR])
    ended = exchange_in([FIRST, chunk({}, "stop"), "[DONE]"])
    assert not findings_of_exchange(ended)
    for end in ({}, None):
        left_out = exchange_in([FIRST, WHOLE_CHUNK, end])
        assert values_of(left_out) == (None, [FIRST, WHOLE_CHUNK])


def test_a_list_with_payloads_or_records_among_chunks_is_none_of_one_stream() -> None:
    for other in (FAULTY, {"request": REQUEST, "response": FAULTY}):
        assert len(read_all([FIRST, other, WHOLE_CHUNK])) == 3
    request, stream = exchanges_in([FIRST, REQUEST, WHOLE_CHUNK])  # a server got it while it answered another one
    assert (values_of(request), values_of(stream)) == ((REQUEST, None), (None, [FIRST, WHOLE_CHUNK]))
    assert len(read_all([WHOLE_CHUNK, {"a": 1}, {"b": 2}])) == 3


def test_what_ends_a_stream_in_place_of_a_chunk_belongs_to_it_in_a_list_and_on_lines() -> None:
    whole = {**COMPLETION, "id": FIRST["id"]}
    [choice] = WHOLE_CHUNK["choices"]
    with_message = {**WHOLE_CHUNK, "object": "chat.completion.done", "choices": [choice | {"message": choice["delta"]}]}
    for end in (ERROR, whole, with_message):
        for document in ([FIRST, FIRST, end], json_lines(FIRST, FIRST, end)):
            assert values_of(exchange_in(document)) == (None, [FIRST, FIRST, end])
    failed_and_went_on = json_lines(FIRST, ERROR, FIRST, WHOLE_CHUNK)
    assert values_of(exchange_in(failed_and_went_on)) == (None, [FIRST, ERROR, FIRST, WHOLE_CHUNK])


def test_the_usage_alone_behind_chunks_is_an_event_of_their_stream() -> None:
    usage = {"choices": [], "id": "other", "model": "m", "usage": COMPLETION["usage"]}
    for document in ([FIRST, WHOLE_CHUNK, usage], json_lines(FIRST, WHOLE_CHUNK, usage)):
        assert values_of(exchange_in(document)) == (None, [FIRST, WHOLE_CHUNK, usage])
    named = usage | {"object": "chat.completion"}
    assert len(exchanges_in(json_lines(FIRST, WHOLE_CHUNK, named))) == 2


def test_an_answer_that_ends_no_stream_is_an_exchange_of_its_own() -> None:
    whole = {**COMPLETION, "id": FIRST["id"]}
    for lines in (
        [FIRST, FIRST, COMPLETION],  # another id
        [{**FIRST, "id": None}, {**COMPLETION, "id": None}],
        [FIRST, WHOLE_CHUNK, whole],  # the stream is over: a client wrote down what it had put together
        [FIRST, WHOLE_CHUNK, ERROR],
        [FIRST, {"level": "info"}, ERROR],  # the line between them shows that somebody logs
    ):
        exchanges = all_exchanges(json_lines(*lines))
        assert len(exchanges) == 2, lines
    first, second = exchanges_in(json_lines(FIRST, ERROR, {**WHOLE_CHUNK, "id": "chatcmpl-other"}))
    assert (len(values_of(first)[1]), len(values_of(second)[1])) == (2, 1)
    assert len(exchanges_in(json_lines(FIRST, ERROR, ERROR))) == 2


@pytest.mark.parametrize("event", [*HEARTBEATS[:3], {"level": "info", "msg": "x"}])
def test_lines_of_chunks_with_the_same_id_are_one_stream_whatever_stands_between_them(event: Any) -> None:
    lines = json_lines(FIRST, event, event, WHOLE_CHUNK, event)
    exchanges = all_exchanges(lines)
    assert [values_of(one) for one in exchanges] == [(None, [FIRST, WHOLE_CHUNK])]
    again = json_lines(FIRST, WHOLE_CHUNK, event, FIRST, WHOLE_CHUNK)
    assert sum(isinstance(one, Exchange) for one in read_all(again)) == 2
    of_another_id = json_lines(FIRST, FAULTY, WHOLE_CHUNK)
    assert sum(isinstance(one, Exchange) for one in read_all(of_another_id)) == 2
    without_id = {name: value for name, value in FAULTY.items() if name != "id"}
    between = json_lines(FIRST, without_id, WHOLE_CHUNK)
    assert sum(isinstance(one, Exchange) for one in read_all(between)) == 3
    far = json_lines(FIRST, *({"n": number} for number in range(200)), WHOLE_CHUNK)
    assert sum(isinstance(one, Exchange) for one in read_all(far)) == 2


@given(NAMES, st.booleans(), st.booleans(), st.sampled_from([[], ["[DONE]"], [ERROR]]))
def test_a_list_of_objects_that_hold_an_event_each_is_one_stream(
    name: str, is_text: bool, has_request: bool, end: list[Any]
) -> None:
    events = [FIRST, WHOLE_CHUNK, *end]
    wrapped = [
        {"t": number, name: json.dumps(event) if is_text and event != "[DONE]" else event}
        for number, event in enumerate(events)
    ]
    text = json.dumps({"q": REQUEST, "a": wrapped} if has_request else wrapped)
    exchange = exchange_in(text)
    _, answer = values_of(exchange)
    assert answer[:2] == [FIRST, WHOLE_CHUNK]
    assert len(answer) == len(events)
    findings = findings_of_exchange(exchange)
    (repeated,) = [one for one in findings if one.rule == "role-repeated"]
    second = text.index(json.dumps(FIRST)[1:9].replace('"', '\\"' if is_text else '"'))
    assert repeated.source.column > second


_LONG = f"data: {json.dumps(WHOLE_CHUNK)}\n\n" * 5 + WHOLE_EVENTS


@given(st.lists(st.integers(8, len(_LONG)), max_size=4))
def test_objects_with_one_property_may_hold_the_body_of_a_stream_in_pieces(cuts: list[int]) -> None:
    """As the profiles of GenAI-Perf have them."""
    ends = sorted({8, *cuts, len(_LONG)})
    pieces = [{"response": _LONG[start:end]} for start, end in zip([0, *ends], ends, strict=False)]
    text = json.dumps({"requests": [{"request_inputs": {"payload": json.dumps(REQUEST)}, "outputs": pieces}]}, indent=1)
    exchange = exchange_in(text)
    assert values_of(exchange) == (REQUEST, [WHOLE_CHUNK] * 6 + [NotJson.DONE])
    assert isinstance(exchange.response, Stream)
    place = exchange.response.text.place(_LONG.index("[DONE]"))
    assert text.split("\n")[place.line - 1][place.column - 1 :].startswith("[")


def test_an_answer_may_be_the_only_property_of_an_object_in_an_array() -> None:
    profile = {"request_inputs": {"payload": json.dumps(REQUEST)}, "outputs": [{"response": json.dumps(FAULTY)}]}
    exchange = exchange_in({"requests": [profile]})
    assert values_of(exchange) == (REQUEST, FAULTY)


def test_several_streams_in_a_list_are_not_joined() -> None:
    found = read_all({"q": REQUEST, "a": [{"response": WHOLE_EVENTS}, {"response": WHOLE_EVENTS}]})
    assert [one.response.values for one in found if isinstance(one, Exchange) and isinstance(one.response, Stream)] == [
        [WHOLE_CHUNK, NotJson.DONE]
    ] * 2


def test_what_sagemaker_captured_is_no_envelope_of_a_server() -> None:
    def half(mode: str, body: Any) -> dict[str, Any]:
        return {
            "observedContentType": "application/json",
            "mode": mode,
            "data": json.dumps(body),
            "encoding": "JSON",
        }

    captured = {"endpointInput": half("INPUT", REQUEST), "endpointOutput": half("OUTPUT", FAULTY)}
    exchange = exchange_in({"captureData": captured, "eventMetadata": {"eventId": "1"}, "eventVersion": "0"})
    assert values_of(exchange) == (REQUEST, FAULTY)


def test_events_of_a_pair_may_be_wrapped() -> None:
    """As the definitions of mock servers have them."""
    response = {"status": 200, "sse": [{"data": FIRST}, {"data": WHOLE_CHUNK}]}
    exchange = exchange_in(
        {"routes": [{"request": {"method": "POST", "url": URL, "body": REQUEST}, "response": response}]}
    )
    assert values_of(exchange) == (REQUEST, [FIRST, WHOLE_CHUNK])
    mixed = [{"data": FIRST}, {"data": json.dumps(WHOLE_CHUNK)}]
    for other in (
        mixed,
        [{"data": FIRST}, {"other": WHOLE_CHUNK}],
        [{"data": FIRST}, {"data": FAULTY}],
        [{"data": {"a": 1}}],
    ):
        assert all(isinstance(one, Skipped) for one in read_all(other))


@pytest.mark.parametrize("end", ["", "\n\n"])
def test_events_as_text_in_objects_on_lines_of_their_own_are_one_stream(end: str) -> None:
    lines = [{"at": n, "raw": f"data: {json.dumps(one)}{end}"} for n, one in enumerate([FIRST, WHOLE_CHUNK])]
    ended = exchange_in(json_lines(*lines, {"at": 2, "raw": f"data: [DONE]{end}"}))
    assert values_of(ended)[1] == [FIRST, WHOLE_CHUNK, NotJson.DONE]
    place = ended.response and ended.response.text.place(0)
    assert place == (1, len('{"at": 0, "raw": "data: ') + 1)
    for other in ({"raw": "data: [DONE]"}, {"raw": "data: {}"}):
        assert not any(isinstance(one, Exchange) for one in read_all(json_lines({"a": 1}, other)))
    records = [{"sse": line["raw"]} for line in lines]
    assert [values_of(one)[1] for one in exchanges_in(json_lines(*records))] == [[FIRST], [WHOLE_CHUNK]]


@pytest.mark.parametrize("encode", [lambda value: value, json.dumps])
def test_chunks_in_objects_on_lines_of_their_own_are_one_stream(encode: Any) -> None:
    lines = [
        {"type": "chunk", "日本": 1, "payload": encode(FIRST)},
        {"type": "ping"},
        {
            "type": "chunk",
            "payload": encode(WHOLE_CHUNK),
            "ms": None,
            "usage": {"tokens": 3},
            "tags": ["a"],
            "meta": {},
        },
        {"type": "done", "payload": "[DONE]"},
    ]
    text = "\n".join(json.dumps(line, ensure_ascii=False) for line in lines)
    exchange = next(one for one in read_all(text) if isinstance(one, Exchange))
    body = exchange.response
    assert isinstance(body, Stream)
    assert list(body.values[:2]) == [FIRST, WHOLE_CHUNK]
    assert len(body.values) == 3
    for number, line in ((0, 1), (1, 3)):
        place = body.lines[number].place(body.lines[number].data.index(b"choices"))
        assert place.line == line
        assert text.split("\n")[line - 1][place.column - 1 :].startswith("choices")


def test_chunks_on_the_lines_of_a_text_are_the_stream_of_its_record() -> None:
    chunks = [chunk({"role": "assistant", "content": "Ho"}), chunk({}, "stop")]
    record = {"inference_id": "1", "raw_request": json.dumps(REQUEST | {"stream": True})}
    exchange = exchange_in(record | {"raw_response": json_lines(*chunks)})
    assert isinstance(exchange.response, Stream)
    assert list(exchange.response.values) == chunks


def test_an_object_with_more_than_an_event_on_a_line_is_no_event() -> None:
    for other in (
        {"request": REQUEST, "first": FIRST},
        {"in": [REQUEST], "out": FIRST},
        {"a": FIRST, "b": {"c": {"d": REQUEST}}},
    ):
        found = read_all(json_lines(other, other))
        assert not any(isinstance(one, Exchange) and isinstance(one.response, Stream) for one in found), other
