"""Tests of traces: an exchange that several spans have, each inside the other, is read once."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from payloads import COMPLETION, REQUEST, with_finish_reason
from reading import all_exchanges, exchanges_in, findings_in, values_of

from isogloss.validator.captures import Capture, divisible_format

_OTHER = COMPLETION | {"id": "chatcmpl-Fake2"}


def _attributes(values: dict[str, str]) -> list[dict[str, Any]]:
    """Return attributes as OTLP writes them in JSON."""
    number = {"key": "tokens.in", "value": {"intValue": "3"}}
    return [number, *({"key": key, "value": {"stringValue": value}} for key, value in values.items())]


def _otlp(name: str, around: str | None, asked: Any, answered: Any, names: str = "{}.value") -> dict[str, Any]:
    halves = {names.format("input"): json.dumps(asked), names.format("output"): json.dumps(answered)}
    inside = {} if around is None else {"parentSpanId": around}
    return {"traceId": "t", "spanId": name, **inside, "attributes": _attributes(halves)}


def _otlp_of_langfuse(*span: Any) -> dict[str, Any]:
    return _otlp(*span, names="langfuse.observation.{}")


def _console(name: str, around: str | None, asked: Any, answered: Any) -> dict[str, Any]:
    halves = {"input.value": json.dumps(asked), "output.value": json.dumps(answered)}
    return {"context": {"trace_id": "t", "span_id": name}, "parent_id": around, "attributes": halves}


def _mlflow(name: str, around: str | None, asked: Any, answered: Any) -> dict[str, Any]:
    halves = {"mlflow.spanInputs": json.dumps(asked), "mlflow.spanOutputs": json.dumps(answered)}
    return {"trace_id": "t", "span_id": name, "parent_span_id": around, "attributes": halves}


def _langfuse(name: str, around: str | None, asked: Any, answered: Any) -> dict[str, Any]:
    kept = {"args": [], "kwargs": asked} if around is None else asked
    return {"id": name, "traceId": "t", "parentObservationId": around, "input": kept, "output": answered}


def _weave(name: str, around: str | None, asked: Any, answered: Any) -> dict[str, Any]:
    return {"id": name, "trace_id": "t", "parent_id": around, "inputs": asked, "output": answered}


def _named_like_a_record(name: str, around: str | None, asked: Any, answered: Any) -> dict[str, Any]:
    return {"span_id": name, "parent_span_id": around, "request": asked, "response": answered}


def _jaeger(name: str, around: str | None, asked: Any, answered: Any) -> dict[str, Any]:
    halves = {"input.value": json.dumps(asked), "output.value": json.dumps(answered)}
    tags = [{"key": key, "type": "string", "value": value} for key, value in halves.items()]
    return {"traceID": "t", "spanID": name, "references": [] if around is None else [{"spanID": around}], "tags": tags}


_TRACERS = [_otlp, _otlp_of_langfuse, _console, _mlflow, _langfuse, _weave, _named_like_a_record]


def _documents(spans: list[dict[str, Any]]) -> list[Any]:
    lines = "".join(f"{json.dumps(one)}\n" for one in spans)
    if "attributes" in spans[0]:
        return [{"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}, spans, lines]
    return [{"data": spans}, spans, lines]


@pytest.mark.parametrize("tracer", _TRACERS)
def test_a_span_that_repeats_one_in_it_is_not_read(tracer: Any) -> None:
    spans = [tracer("c", "b", REQUEST, COMPLETION), tracer("b", "a", REQUEST, COMPLETION)]
    spans.append(tracer("a", None, REQUEST, COMPLETION))
    for document in [*_documents(spans), *_documents(spans[::-1])]:
        (exchange,) = exchanges_in(document)
        assert values_of(exchange) == (REQUEST, COMPLETION)


@pytest.mark.parametrize("tracer", _TRACERS)
def test_spans_beside_each_other_and_other_answers_are_all_read(tracer: Any) -> None:
    spans = [tracer("b", "a", REQUEST, COMPLETION), tracer("c", "a", REQUEST, COMPLETION)]
    spans.append(tracer("a", None, REQUEST, _OTHER))
    for document in _documents(spans):
        assert [values_of(one)[1]["id"] for one in exchanges_in(document)] == ["chatcmpl-Fake1"] * 2 + [
            "chatcmpl-Fake2"
        ]


def test_a_span_that_asked_for_another_model_is_read() -> None:
    spans = [_weave("b", "a", REQUEST, COMPLETION), _weave("a", None, REQUEST | {"model": "fast"}, COMPLETION)]
    assert len(exchanges_in(spans)) == 2


def test_what_a_library_filled_in_and_options_make_no_other_exchange() -> None:
    spans = [_weave("b", "a", REQUEST | {"temperature": 0}, COMPLETION)]
    spans.append(_weave("a", None, REQUEST, COMPLETION | {"service_tier": None}))
    assert len(exchanges_in(spans)) == 1


def test_a_span_with_a_request_is_read_beside_one_that_has_only_the_answer() -> None:
    alone = {"id": "a", "parent_id": None, "timestamp": "2026-11-26T10:00:00Z", "output": COMPLETION}
    (first, second) = exchanges_in([alone, _weave("b", "a", REQUEST, COMPLETION)])
    assert (first.request, values_of(second)[0]) == (None, REQUEST)
    (only,) = all_exchanges([_weave("b", "a", REQUEST, COMPLETION), alone])
    assert values_of(only)[0] == REQUEST


@pytest.mark.parametrize("tracer", [*_TRACERS, _jaeger])
def test_a_span_that_is_the_whole_document_is_read(tracer: Any) -> None:
    (exchange,) = exchanges_in(tracer("a", None, REQUEST, COMPLETION))
    assert values_of(exchange) == (REQUEST, COMPLETION)


def test_messages_of_a_queue_with_a_key_are_the_records_of_a_log() -> None:
    halves = [{"topic": "t", "key": "k", "value": half, "timestamp": 1760000000} for half in (REQUEST, COMPLETION)]
    for document in (halves, {"records": halves}):
        (exchange,) = exchanges_in(document)
        assert values_of(exchange) == (REQUEST, COMPLETION)


@pytest.mark.parametrize("tracer", [_otlp_of_langfuse, _console, _mlflow, _langfuse, _weave, _jaeger])
def test_a_completion_that_a_tracer_made_of_a_stream_has_no_object_of_a_chunk(tracer: Any) -> None:
    folded = COMPLETION | {"object": "chat.completion.chunk"}
    for streams, kept in ((True, COMPLETION["object"]), (False, folded["object"])):
        (exchange,) = exchanges_in([tracer("a", None, REQUEST | {"stream": streams}, folded)])
        assert values_of(exchange)[1] == COMPLETION | {"object": kept}


@pytest.mark.parametrize("summaries", [[(REQUEST, COMPLETION)], [(REQUEST, COMPLETION), (REQUEST, _OTHER)]])
def test_the_outermost_span_repeats_the_summary_of_its_trace(summaries: list[tuple[Any, Any]]) -> None:
    traces = []
    for request, answer in summaries:
        info = {"trace_id": "t", "request_preview": json.dumps(request), "response_preview": json.dumps(answer)}
        spans = [_mlflow("a", None, request, answer), _mlflow("b", "a", request, answer), _mlflow("c", "a", 1, 2)]
        traces.append({"info": info, "data": {"spans": spans}})
    for document in (traces, "".join(f"{json.dumps(trace)}\n" for trace in traces)):
        found = all_exchanges(document)
        assert [values_of(one) for one in found] == summaries


def test_a_span_is_read_beside_a_summary_that_has_another_answer() -> None:
    info = {"request_preview": json.dumps(REQUEST), "response_preview": json.dumps(_OTHER)}
    spans = [_mlflow("a", None, REQUEST, COMPLETION)]
    assert len(exchanges_in({"info": info, "data": {"spans": spans}})) == 2


def test_an_exchange_in_another_document_is_no_summary_of_a_trace() -> None:
    lines = [{"request": REQUEST, "response": COMPLETION}, _mlflow("a", None, REQUEST, COMPLETION)]
    assert len(exchanges_in("".join(f"{json.dumps(line)}\n" for line in lines))) == 2


def test_a_finding_in_two_spans_counts_once() -> None:
    answer = with_finish_reason("")
    (finding,) = findings_in([_langfuse("a", None, REQUEST, answer), _langfuse("b", "a", REQUEST, answer)])
    assert finding.path == "choices[].finish_reason"


def test_a_record_of_a_log_in_otlp_is_read() -> None:
    record = {"timeUnixNano": "1760000000000000000", "body": {"stringValue": json.dumps(COMPLETION)}}
    (exchange,) = exchanges_in({"resourceLogs": [{"scopeLogs": [{"logRecords": [record]}]}]})
    assert values_of(exchange) == (None, COMPLETION)
    halves = {"http.request.body": json.dumps(REQUEST), "http.response.body": json.dumps(COMPLETION)}
    record = {"attributes": _attributes(halves)}
    (exchange,) = exchanges_in({"resourceLogs": [{"scopeLogs": [{"logRecords": [record]}]}]})
    assert values_of(exchange) == (REQUEST, COMPLETION)


def test_a_trace_on_lines_is_not_divided() -> None:
    line = json.dumps(_console("b", "a", REQUEST, COMPLETION))
    assert divisible_format(Capture(io.BytesIO(f"{line}\n{line}\n".encode()), "spans.jsonl"), None) is None
