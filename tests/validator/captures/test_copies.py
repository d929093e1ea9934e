"""Tests of records that hold an answer more than once, or both sides of a gateway."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import permutations
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from payloads import ERROR, REQUEST, as_events
from reading import all_exchanges, values_of

from isogloss.validator.exchange import Payload, Stream

_CALL = {"id": "call_1", "type": "function", "function": {"name": "look_up", "arguments": '{"a": 1}'}}
_SAID = st.one_of(
    st.builds(lambda text: {"content": text}, st.text(min_size=1, max_size=5).filter(str.strip)),
    st.just({"content": None, "tool_calls": [_CALL]}),
)


def _completion(said: dict[str, Any], own_id: str) -> dict[str, Any]:
    choice = {"index": 0, "message": {"role": "assistant", "refusal": None, **said}, "logprobs": None}
    return {
        "id": own_id,
        "object": "chat.completion",
        "created": 1760000000,
        "model": "m",
        "choices": [choice | {"finish_reason": "stop"}],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
    }


def _chunks(said: dict[str, Any], own_id: str) -> list[dict[str, Any]]:
    envelope = {"id": own_id, "object": "chat.completion.chunk", "created": 1760000000, "model": "m"}
    calls = [{"index": 0} | call for call in said.get("tool_calls", [])]
    deltas = [{"role": "assistant", "content": said["content"]} | ({"tool_calls": calls} if calls else {}), {}]
    return [
        envelope | {"choices": [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}]}
        for delta, reason in zip(deltas, (None, "stop"), strict=True)
    ]


def _decoded(said: dict[str, Any], own_id: str) -> dict[str, Any]:
    """Return an answer as a program decodes it: without what it does not need, with null for what was not sent."""
    message = {"role": "assistant", "content": said["content"], "tool_calls": said.get("tool_calls")}
    return {"id": own_id, "choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}


_COMPLETIONS: dict[str, Callable[[dict[str, Any], str], Any]] = {
    "object": _completion,
    "text": lambda *answer: json.dumps(_completion(*answer)),
    "indented": lambda *answer: json.dumps(_completion(*answer), indent=2),
}
_STREAMS: dict[str, Callable[[dict[str, Any], str], Any]] = {
    "chunks": _chunks,
    "chunks in a text": lambda *answer: json.dumps(_chunks(*answer)),
    "events": lambda *answer: as_events(*_chunks(*answer), "[DONE]"),
    "wrapped": lambda *answer: [{"event": "", "data": one} for one in _chunks(*answer)],
    "wrapped in a text": lambda *answer: json.dumps([{"event": "", "data": one} for one in _chunks(*answer)]),
    "lines": lambda *answer: [json.dumps(one) for one in _chunks(*answer)],
}
_FORMS = _COMPLETIONS | _STREAMS | {"decoded": _decoded}
_NAMES = st.lists(
    st.sampled_from(["response", "body", "output", "answer", "result", "chunks", "traces.body"]),
    min_size=2,
    max_size=2,
    unique=True,
)


def _record(request: dict[str, Any], answers: dict[str, Any], *, lines: bool) -> Any:
    record = {"n": 1, "asked": request, **answers}
    return f"{json.dumps(record)}\n{json.dumps({'n': 2})}\n" if lines else record


@given(st.permutations(sorted(_FORMS)).map(lambda forms: forms[:2]), _NAMES, _SAID, st.booleans())
@example(["decoded", "object"], ["output", "answer"], {"content": "Ho"}, False)
@example(["object", "decoded"], ["output", "answer"], {"content": "Ho"}, False)
def test_an_answer_that_is_written_twice_in_a_record_is_read_once(
    forms: list[str], names: list[str], said: dict[str, Any], lines: bool
) -> None:
    request = REQUEST | {"stream": True} if any(form in _STREAMS for form in forms) else REQUEST
    answers = {name: _FORMS[form](said, "chatcmpl-1") for form, name in zip(forms, names, strict=True)}
    (exchange,) = all_exchanges(_record(request, answers, lines=lines))
    asked, answered = values_of(exchange)
    assert asked == request
    assert (len(answered) > 1) if request is not REQUEST else (answered == _completion(said, "chatcmpl-1"))


@given(st.sampled_from(sorted(_FORMS)), _NAMES, _SAID, st.booleans())
def test_an_answer_without_its_id_that_says_the_same_as_another_one_is_a_copy(
    form: str, names: list[str], said: dict[str, Any], is_first: bool
) -> None:
    copy = {name: value for name, value in _decoded(said, "chatcmpl-1").items() if name != "id"}
    answers = list(zip(names, (copy, _FORMS[form](said, "chatcmpl-1")), strict=True))
    request = REQUEST | {"stream": form in _STREAMS}
    (exchange,) = all_exchanges(_record(request, dict(answers if is_first else reversed(answers)), lines=False))
    answered = values_of(exchange)[1]
    assert "id" in (answered[0] if form in _STREAMS else answered)


@given(st.sampled_from(sorted(_FORMS)), st.sampled_from(sorted(_FORMS)), _NAMES, st.booleans(), st.booleans())
def test_two_answers_are_read_as_two(form: str, other: str, names: list[str], lines: bool, by_id: bool) -> None:
    """They say something else, or have another id."""
    first, second = ({"content": "Ho"}, "chatcmpl-1"), ({"content": "Ho" if by_id else "He"}, f"chatcmpl-{1 + by_id}")
    answers = dict(zip(names, (_FORMS[form](*first), _FORMS[other](*second)), strict=True))
    assert len(all_exchanges(_record(REQUEST | {"stream": True}, answers, lines=lines))) == 2


@given(st.data())
def test_each_answer_in_a_record_is_read_once_in_any_order_and_depth(data: st.DataObject) -> None:
    """Each has another id, and may say the same."""
    forms = st.lists(st.sampled_from(sorted(_FORMS)), min_size=1, max_size=2)
    answers = [
        (name, form, f"chatcmpl-{number}")
        for number, several in enumerate(data.draw(st.lists(forms, min_size=1, max_size=4)))
        for name, form in enumerate(several)
    ]
    said = data.draw(_SAID)
    held = {f"{own_id} {name}": _FORMS[form](said, own_id) for name, form, own_id in answers}
    halves = data.draw(st.permutations([("asked", REQUEST | {"stream": True}), *held.items()]))
    record: Any = dict([*halves, ("n", 1)])
    for name in data.draw(st.lists(st.sampled_from(["data", "spans", "x"]), max_size=3)):
        record = data.draw(st.sampled_from([{name: record}, {name: [record]}, [record]]))
    read = [values_of(exchange)[1] for exchange in all_exchanges(record)]
    own_ids = [answer[0]["id"] if isinstance(answer, list) else answer["id"] for answer in read]
    assert sorted(own_ids) == sorted({own_id for _, _, own_id in answers})


def test_what_a_program_made_of_a_stream_without_its_id_is_not_read_in_place_of_the_stream() -> None:
    answer = ({"content": "Ho"}, "chatcmpl-1")
    made = {"choices": _completion(*answer)["choices"]}
    (exchange,) = all_exchanges({"asked": REQUEST | {"stream": True}, "response": made, "body": _chunks(*answer)})
    assert values_of(exchange) == (REQUEST | {"stream": True}, _chunks(*answer))


def test_a_completion_beside_a_stream_that_nobody_asked_for_is_read() -> None:
    answer = ({"content": "Ho"}, "chatcmpl-1")
    record = {"asked": REQUEST, "upstream": _chunks(*answer), "sent": _completion(*answer)}
    assert len(all_exchanges(record)) == 2


def test_answers_in_a_list_and_alternatives_in_a_document_of_answers_are_no_copies() -> None:
    answer = _completion({"content": "Ho"}, "chatcmpl-1")
    assert len(all_exchanges({"request": REQUEST, "answers": [answer, answer]})) == 2
    assert len(all_exchanges({"plain": answer, "short": _decoded({"content": "Ho"}, "chatcmpl-1")})) == 2


def test_of_two_forms_beside_messages_the_one_that_was_sent_is_read() -> None:
    answer = ({"content": "Ho"}, "chatcmpl-1")
    other = _completion({"content": "He"}, "chatcmpl-2")
    row = {**REQUEST, "parsed": _decoded(*answer), "other": other, "raw": json.dumps(_completion(*answer))}
    (exchange,) = all_exchanges(row)
    assert values_of(exchange)[1] == _completion(*answer)
    (exchange,) = all_exchanges(
        {**REQUEST, "first": _completion(*answer), "other": other, "last": _completion(*answer)}
    )
    assert values_of(exchange)[1] == _completion(*answer)


@pytest.mark.parametrize(
    ("raw", "made"),
    [
        ("raw_response", "response"),
        ("rawResponse", "finalResponse"),
        ("provider_response", "normalized_response"),
        ("output", "parsed"),
        ("metadata.original", "output"),
    ],
)
@pytest.mark.parametrize("asked", ["asked", "request"])
def test_of_an_answer_and_what_a_program_repaired_of_it_the_one_that_was_received_is_read(
    raw: str, made: str, asked: str
) -> None:
    received = _completion({"content": "Ho"}, "chatcmpl-1")
    received["choices"][0]["finish_reason"] = "end_turn"
    repaired = _completion({"content": "Ho"}, "chatcmpl-1") | {"system_fingerprint": "fp_1", "service_tier": "default"}
    for order in permutations([(asked, REQUEST), (made, repaired), (raw.partition(".")[0], received)]):
        record = {name: {"original": one} if name == "metadata" else one for name, one in order}
        for document in (record, [record], f"{json.dumps(record)}\n{json.dumps({'n': 2})}\n"):
            (exchange,) = all_exchanges(document)
            assert values_of(exchange) == (REQUEST, received)


def test_an_answer_with_its_content_type_is_read_and_not_the_one_of_the_upstream() -> None:
    answer = _completion({"content": "Ho"}, "chatcmpl-1")
    body = {"status": 200, "headers": {"content-type": "application/json"}, "body": json.dumps(answer)}
    record = {"request": {"url": "/v1/chat/completions", "method": "POST", "body": REQUEST}, "response": body}
    (exchange,) = all_exchanges(record | {"upstream_response": _decoded({"content": "Ho"}, "chatcmpl-1")})
    assert values_of(exchange)[1] == answer


def test_what_a_tracer_decoded_is_not_read() -> None:
    """As in the events of NVIDIA's ATOF, where the request stands on a line of its own."""
    answer = ({"content": "Ho"}, "chatcmpl-1")
    event = {"uuid": "0199d8f2-5f6c-7aa1", "timestamp": "2026-01-05T00:00:03Z"}
    start = event | {"input": REQUEST, "annotated_request": {**REQUEST, "params": {"temperature": 0}}}
    end = event | {"output": _completion(*answer), "annotated_response": _decoded(*answer)}
    for events in (f"{json.dumps(start)}\n{json.dumps(end)}\n", [start, end]):
        (exchange,) = all_exchanges(events)
        assert values_of(exchange)[1] == _completion(*answer)
    (exchange,) = all_exchanges(f"{json.dumps(start)}\n{json.dumps(end)}\n")
    assert values_of(exchange)[0] == REQUEST
    other = event | {"input": REQUEST, "earlier": REQUEST | {"messages": []}}
    (exchange,) = all_exchanges(f"{json.dumps(other)}\n{json.dumps(end)}\n")
    assert exchange.request is None


def test_what_a_trace_repeats_of_a_span_is_read_once() -> None:
    """As in the traces of MLflow 2: its ``request`` and ``response`` are those of the span at the root."""
    answer = _completion({"content": "Ho"}, "chatcmpl-1")
    halves = {"asked": json.dumps(REQUEST), "answered": json.dumps(answer)}
    other = {"asked": REQUEST, "answered": _completion({"content": "Ho"}, "chatcmpl-2")}
    trace = {**halves, "spans": [{"attributes": halves}, {"spans": [{"attributes": other}]}, {"attributes": halves}]}
    found = all_exchanges([{"info": {}, "data": trace}, {"info": {}, "data": trace}])
    assert [values_of(one)[1]["id"] for one in found] == ["chatcmpl-1", "chatcmpl-2"] * 2
    assert [one.number for one in found] == [0, 1, 2, 3]


def test_equal_exchanges_beside_each_other_are_all_read() -> None:
    answer = _completion({"content": "Ho"}, "chatcmpl-1")
    cases = [{"asked": REQUEST, "answered": answer}] * 3
    assert len(all_exchanges({"cases": cases})) == 3
    assert len(all_exchanges({"cases": [{"asked": REQUEST, "answers": [answer, answer]}]})) == 2


# Both sides of a gateway

_SIDES = [
    ("request_body", "response_body", "upstream_request_body", "upstream_response_body"),
    ("user_request_body", "downstream_response_body", "upstream_request_body", "upstream_response_body"),
    ("request_body", "response_body", "upstream_request", "upstream_response"),
    ("request", "response", "upstream_request", "upstream_response"),
    ("clientRequest", "clientResponse", "providerRequest", "providerResponse"),
]


@pytest.mark.parametrize("names", _SIDES)
@pytest.mark.parametrize("models", [("fast", "deep-1"), ("m", "m")])
@pytest.mark.parametrize("as_text", [False, True])
def test_each_side_of_a_gateway_has_its_own_request_and_answer(
    names: tuple[str, ...], models: tuple[str, str], as_text: bool
) -> None:
    """The order of the properties does not count."""
    client = (REQUEST | {"model": models[0]}, _completion({"content": "Ho"}, "gw-1") | {"model": models[0]})
    upstream = (
        REQUEST | {"model": models[1], "temperature": 0},
        _completion({"content": "Ho"}, "up-1") | {"model": models[1]},
    )
    halves = dict(zip(names, (*client, *upstream), strict=True))
    for order in permutations(halves):
        record = {"id": 1} | {name: json.dumps(halves[name]) if as_text else halves[name] for name in order}
        found = sorted(map(values_of, all_exchanges(record)), key=lambda halves: halves[1]["id"])
        assert found == [client, upstream], order


def test_the_model_tells_to_which_request_an_answer_belongs_if_the_names_do_not() -> None:
    requests = {f"request_{number}": REQUEST | {"model": model} for number, model in enumerate(("fast", "deep"))}
    for model in ("fast", "deep"):
        answer = _completion({"content": "Ho"}, "a") | {"model": f"{model}-2026-01"}
        (exchange,) = all_exchanges({**requests, "received": answer})
        assert values_of(exchange)[0] == REQUEST | {"model": model}


def test_an_answer_of_a_gateway_that_passes_it_on_is_read_on_both_sides() -> None:
    answer = json.dumps(_completion({"content": "Ho"}, "chatcmpl-1"))
    record = {"request_body": json.dumps(REQUEST | {"model": "fast"}), "response_body": answer}
    record |= {"upstream_request_body": json.dumps(REQUEST), "upstream_response_body": answer}
    assert len(all_exchanges(record)) == 2


def test_a_request_that_only_one_side_kept_is_not_taken_for_that_of_the_other() -> None:
    record = {"first_request": REQUEST, "other_request": REQUEST, "received": _completion({"content": "Ho"}, "a")}
    (exchange,) = all_exchanges(record)
    assert exchange.request is None
    record = {"client_request": REQUEST, "upstream_request": REQUEST | {"temperature": 0}}
    (exchange,) = all_exchanges(record | {"upstream_response": _completion({"content": "Ho"}, "a")})
    assert values_of(exchange)[0] == REQUEST | {"temperature": 0}


# What stands beside a pair


def _step(number: int) -> dict[str, Any]:
    body = _completion({"content": "Ho"}, f"chatcmpl-{number}")
    return {"request": {"body": json.dumps(REQUEST)}, "response": {"headers": {}, "body": body}}


def test_the_steps_beside_the_last_one_are_read() -> None:
    """As in the results of Vercel's AI SDK, where the last step stands beside all of them."""
    result = {"text": "Ho", "steps": [_step(1), _step(2)], **_step(2)}
    assert sorted(values_of(one)[1]["id"] for one in all_exchanges(result)) == ["chatcmpl-1", "chatcmpl-2"]


def test_attempts_beside_a_request_without_a_body_of_its_answer_are_read() -> None:
    """As in the logs of CLIProxyAPI, which keep the answer of the upstream only."""
    attempt = {"url": "https://api.example.com/v1/chat/completions", "method": "POST", "body": REQUEST}
    attempt |= {"response": {"status": 200, "headers": {}, "raw_body": _completion({"content": "Ho"}, "a")}}
    record = {
        "request": {"headers": {}, "body": REQUEST | {"model": "fast"}},
        "response": {"status": 200, "headers": {}},
    }
    found = [
        exchange.response is not None for exchange in all_exchanges(record | {"upstream": {"attempts": [attempt]}})
    ]
    assert found == [False, True]


def test_a_request_without_its_answer_that_stands_there_again_with_it_is_read_once() -> None:
    """As in the HTTP logs of Kong."""
    record = {"request": {"method": "POST", "uri": "/v1/chat/completions", "body": json.dumps(REQUEST)}}
    payload = {"request": json.dumps(REQUEST), "response": json.dumps(_completion({"content": "Ho"}, "a"))}
    record |= {"response": {"status": 200, "headers": {}}, "ai": {"proxy": {"payload": payload}}}
    (exchange,) = all_exchanges(record)
    assert values_of(exchange) == (REQUEST, _completion({"content": "Ho"}, "a"))


def test_a_copy_beside_a_pair_is_not_read() -> None:
    answer = ({"content": "Ho"}, "chatcmpl-1")
    record = {"request": REQUEST, "response": _completion(*answer)}
    for beside in (
        {"parsed": _decoded(*answer)},
        {"trace": {"asked": REQUEST, "answered": _decoded(*answer)}},
        {"trace": [{"asked": REQUEST, "answered": json.dumps(_completion(*answer))}]},
        {"history": REQUEST["messages"], "parsed": _decoded(*answer)},
        {"example": _completion({"content": "He"}, "chatcmpl-2")},
    ):
        assert len(all_exchanges(record | beside)) == 1, beside
    assert len(all_exchanges({"request": REQUEST, "response": ERROR, "earlier": [record]})) == 2


def _with_completion(said: dict[str, Any], own_id: str) -> dict[str, list[dict[str, Any]]]:
    """Return recordings of a stream, as agent-replay and others write them: beside a completion made of it."""
    events = [as_events(one) for one in (*_chunks({"content": "Ho"}, "a"), "[DONE]")]
    request, completion = REQUEST | {"stream": True}, _completion(said, own_id)
    sent = {"method": "POST", "url": "https://api.example.com/v1/chat/completions", "body": request}
    received = {"status": 200, "body": completion}
    return {
        "in the response": [
            {"request": sent, "response": received | {name: pieces}}
            for name, pieces in (
                ("stream", [{"data": event, "delay_ms": 1} for event in events]),
                ("chunks", events),
                ("events", _chunks({"content": "Ho"}, "a")),
                ("raw", "".join(events)),
            )
        ],
        "beside the pair": [{"request": sent, "response": received, "chunks": events}],
        "beside bodies": [{"request": request, "response": completion, "streaming_chunks": events}],
    }


def test_a_stream_is_read_in_place_of_the_completion_that_a_recorder_made_of_it() -> None:
    for place, records in _with_completion({"content": "Ho"}, "a").items():
        for record in records:
            for recording in (record, [record], {"version": 1, "interactions": [record]}):
                (exchange,) = all_exchanges(recording)
                assert exchange.request is not None
                assert isinstance(exchange.response, Stream), (place, recording)


@pytest.mark.parametrize("said", [{"content": "He"}, {"content": None, "tool_calls": [_CALL]}])
def test_a_completion_beside_a_stream_that_says_something_else_is_read(said: dict[str, Any]) -> None:
    for record in _with_completion(said, "b")["in the response"]:
        first, *_ = all_exchanges(record)
        assert isinstance(first.response, Payload)


def test_a_completion_beside_its_stream_is_read_if_nobody_asked_for_a_stream() -> None:
    for record in _with_completion({"content": "Ho"}, "a")["in the response"]:
        asked = record["request"] | {"body": REQUEST}
        first, *_ = all_exchanges(record | {"request": asked})
        assert isinstance(first.response, Payload)


def test_answers_that_say_nothing_are_the_same_only_by_their_id() -> None:
    silent = {"content": ""}
    answer = _completion(silent, "chatcmpl-1")
    without_id = {name: value for name, value in _decoded(silent, "chatcmpl-1").items() if name != "id"}
    copies = {"the same id": _decoded(silent, "chatcmpl-1"), "another": _decoded(silent, "chatcmpl-2"), "": without_id}
    found = {name: len(all_exchanges({"asked": REQUEST, "output": answer, "got": one})) for name, one in copies.items()}
    assert found == {"the same id": 1, "another": 2, "": 2}


@pytest.mark.parametrize("fact", ["id", "created", "model", "system_fingerprint", "usage"])
def test_what_contradicts_another_answer_is_no_copy_of_it(fact: str) -> None:
    answer = _completion({"content": "Ho"}, "chatcmpl-1") | {"system_fingerprint": "fp_1"}
    other = {"usage": answer["usage"] | {"prompt_tokens": 7}, "created": 1760000001}.get(fact, "other")
    assert len(all_exchanges({"asked": REQUEST, "output": answer, "got": answer | {"service_tier": "x"}})) == 1
    assert len(all_exchanges({"asked": REQUEST, "output": answer, "got": answer | {fact: other}})) == 2


_MADE = (
    "adapted annotated cleaned converted corrected decoded final fixed formatted mapped modified normalised normalized "
    "parsed patched processed repaired sanitised sanitized standardised standardized transformed translated unified"
)
_RECEIVED = "backend native original provider raw unmodified upstream verbatim"


@pytest.mark.parametrize(
    "names",
    [(f"{word}_answer", "answer") for word in _MADE.split()]
    + [("answer", f"{word}_answer") for word in _RECEIVED.split()],
    ids="-".join,
)
def test_a_word_in_a_name_says_which_answer_was_received(names: tuple[str, str]) -> None:
    received = _completion({"content": "Ho"}, "chatcmpl-1")
    made = received | {"system_fingerprint": "fp_1", "service_tier": "default"}  # as if the other one were the copy
    for order in permutations(zip(names, (made, received), strict=True)):
        (exchange,) = all_exchanges({"asked": REQUEST} | dict(order))
        assert values_of(exchange)[1] == received


def test_choices_are_compared_by_their_index_in_any_order() -> None:
    answer = _completion({"content": "Ho"}, "chatcmpl-1")
    choices = [
        choice | {"index": index, "message": choice["message"] | {"content": said}}
        for choice in answer["choices"]
        for index, said in enumerate(("Ho", "He"))
    ]
    for copy, count in ((choices[::-1], 1), ([choices[0] | {"index": 1}, choices[1] | {"index": 0}], 2)):
        record = {"asked": REQUEST, "output": answer | {"choices": choices}, "got": answer | {"choices": copy}}
        assert len(all_exchanges(record)) == count
