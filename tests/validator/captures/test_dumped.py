"""Tests of objects of client libraries that a program dumped: what is read, and which rules are not applied."""

from __future__ import annotations

import json
from typing import Any

import pytest
from payloads import COMPLETION, REQUEST, chunk, pair_of, with_finish_reason
from reading import exchange_in, findings_in, findings_of_exchange, read_all

from isogloss.validator.examining.examined import MOST_VIOLATIONS
from isogloss.validator.exchange import Skipped

COMPLETION_WITH_NULLS = COMPLETION | {
    "service_tier": None,
    "system_fingerprint": None,
    "choices": [
        COMPLETION["choices"][0]
        | {
            "message": COMPLETION["choices"][0]["message"]
            | {"annotations": None, "function_call": None, "tool_calls": None}
        }
    ],
}


def _dump(value: dict[str, Any], type_name: str = "openai.types.chat.chat_completion.ChatCompletion") -> dict[str, Any]:
    return {"__type__": type_name, "__data__": value}


def _dumped_chunk(delta: dict[str, Any], finish_reason: str | None = None) -> dict[str, Any]:
    delta_with_nulls = dict.fromkeys(("content", "function_call", "refusal", "role", "tool_calls")) | delta
    type_name = "openai.types.chat.chat_completion_chunk.ChatCompletionChunk"
    return _dump(
        chunk(delta_with_nulls, finish_reason) | {"service_tier": None, "system_fingerprint": None, "usage": None},
        type_name,
    )


DUMPED_CHUNKS = [_dumped_chunk({"role": "assistant", "content": "Ho"}), _dumped_chunk({}, "stop")]


def test_a_dumped_answer_has_no_findings_about_what_was_sent() -> None:
    assert "null-value" in {finding.rule for finding in findings_in(COMPLETION_WITH_NULLS)}
    assert findings_in(_dump(COMPLETION_WITH_NULLS)) == []
    assert findings_in(pair_of({"body": _dump(COMPLETION_WITH_NULLS)})) == []
    assert findings_in({"request": REQUEST, "response": _dump(COMPLETION_WITH_NULLS)}) == []
    assert findings_in(DUMPED_CHUNKS) == []
    assert findings_in(pair_of({"body": DUMPED_CHUNKS}, body=REQUEST | {"stream": True})) == []


@pytest.mark.parametrize(("value", "is_fault"), [(None, False), ([], True)])
def test_null_for_what_only_other_messages_have_is_no_fault_of_a_request_in_a_log(value: Any, is_fault: bool) -> None:
    request = REQUEST | {"messages": [{"role": "user", "content": "Hi", "tool_calls": value}]}
    assert "unknown-property" in {finding.rule for finding in findings_in(request)}
    logged = findings_in(f"12:00:00 DEBUG got {json.dumps(request)}\n")
    assert ("unknown-property" in {finding.rule for finding in logged}) == is_fault


@pytest.mark.parametrize("printed", [str, json.dumps])
def test_arguments_of_a_call_in_a_log_are_no_properties_of_the_request(printed: Any) -> None:
    request = REQUEST | {"extra_body": {}, "timeout": 600.0}
    assert "unknown-property" in {finding.rule for finding in findings_in(request)}
    logged = findings_in(f"12:00:00 DEBUG got {printed(request)}\n")
    assert "unknown-property" not in {finding.rule for finding in logged}
    logged = findings_in(f"12:00:00 DEBUG got {printed(request | {'extra': {}})}\n")
    assert "unknown-property" in {finding.rule for finding in logged}


@pytest.mark.parametrize("name", ["extra_body", "extra_headers", "extra_query"])
def test_arguments_of_a_call_without_a_model_are_no_request_as_it_was_sent(name: str) -> None:
    kept = {"messages": REQUEST["messages"], "max_completion_tokens": 16, name: {"x": 1}}
    assert findings_in(kept) == []
    assert findings_in(json.dumps(kept) + "\n" + json.dumps(kept)) == []
    assert {finding.rule for finding in findings_in(kept | {"own": 1})} == {"unknown-property"}
    sent = findings_in(pair_of({"body": COMPLETION}, body=kept))
    assert {finding.rule for finding in sent} == {"missing-property", "unknown-property"}
    named = findings_of_exchange(exchange_in(kept, kind="request"))
    assert {finding.rule for finding in named} == {"missing-property", "unknown-property"}


@pytest.mark.parametrize("name", ["method", "operation"])
@pytest.mark.parametrize("call", ["chat.completions.create", "client.beta.chat.completions.parse"])
def test_a_recorder_of_calls_keeps_the_name_of_the_call_among_the_arguments(name: str, call: str) -> None:
    request = {name: call, **REQUEST}
    for record in (request, {"request": request, "response": COMPLETION}):
        assert findings_in(record) == []
    assert findings_in({"request": request | {"extra_body": {}}, "response": COMPLETION_WITH_NULLS}) == []


@pytest.mark.parametrize("value", ["POST", "chat.completions", "chat.completions.create please", 7])
def test_no_other_value_names_a_call(value: Any) -> None:
    record = {"request": {"method": value, **REQUEST}, "response": COMPLETION}
    assert [finding.rule for finding in findings_in(record)] == ["unknown-property"]


def test_the_name_of_a_call_is_no_property_of_a_request_as_it_was_sent() -> None:
    sent = pair_of({"body": COMPLETION, "headers": {"content-type": "application/json"}})
    sent["request"]["body"] = json.dumps({"method": "chat.completions.create", **REQUEST})
    assert [finding.rule for finding in findings_in(sent)] == ["unknown-property"]


def test_of_very_many_unknown_properties_of_a_request_in_a_log_the_rest_is_counted() -> None:
    request = REQUEST | {"timeout": 5} | {f"own_{number}": 1 for number in range(MOST_VIOLATIONS + 5)}
    found = [one for one in findings_in(f"12:00:00 DEBUG got {json.dumps(request)}\n") if "unknown" in one.rule]
    assert any("more findings" in one.message for one in found)


def test_a_program_may_keep_the_model_of_a_request_elsewhere() -> None:
    request = {"messages": REQUEST["messages"], "max_completion_tokens": 16}
    assert findings_in({"input": request, "output": COMPLETION}) == []
    (finding,) = findings_in(pair_of({"body": COMPLETION}, body=request))
    assert finding.message == "`model` is missing"


def test_a_dumped_answer_keeps_other_findings_with_their_places() -> None:
    document = json.dumps(pair_of({"body": _dump(COMPLETION_WITH_NULLS | {"created": "yesterday"})}), indent=1)
    (finding,) = findings_in(document.encode())
    assert (finding.rule, finding.pointer) == ("wrong-type", "/created")
    assert document.splitlines()[finding.source.line - 1][finding.source.column - 1 :].startswith('"yesterday"')
    chunks = [DUMPED_CHUNKS[0], _dumped_chunk({"content": 7}), DUMPED_CHUNKS[1]]
    document = json.dumps(pair_of({"body": chunks}, body=REQUEST | {"stream": True}), indent=1)
    (finding,) = findings_in(document.encode())
    assert (finding.rule, finding.pointer, finding.source.event) == ("wrong-type", "/choices/0/delta/content", 1)
    assert document.splitlines()[finding.source.line - 1][finding.source.column - 1 :].startswith("7")


def test_a_cut_off_dumped_stream_has_no_errors() -> None:
    document = json.dumps(pair_of({"body": DUMPED_CHUNKS}, body=REQUEST | {"stream": True}), indent=1)
    assert [
        finding.rule for finding in findings_in(document[: document.rindex('"index"')].encode()) if finding.severity > 2
    ] == []


def test_arguments_that_a_client_does_not_send_are_left_out_of_the_request() -> None:
    request = exchange_in(
        pair_of({"body": _dump(COMPLETION_WITH_NULLS)}, body=REQUEST | {"extra_body": {"x": 1}, "timeout": 5})
    ).request
    assert request is not None
    assert request.value == REQUEST


@pytest.mark.parametrize("type_name", ["ollama._types.ChatResponse", "anthropic.types.message.Message", 7, ""])
def test_objects_of_other_libraries_are_skipped(type_name: Any) -> None:
    (skipped,) = read_all(pair_of({"body": _dump(COMPLETION_WITH_NULLS, type_name)}))
    assert isinstance(skipped, Skipped)
    assert skipped.reason == "the answer is an object of a client library, not as it was sent"


@pytest.mark.parametrize(
    ("value", "path"),
    [
        (with_finish_reason(None), "choices[].finish_reason"),
        (COMPLETION | {"created": None}, "created"),
        (COMPLETION | {"usage": COMPLETION["usage"] | {"prompt_tokens": None}}, "usage.prompt_tokens"),
    ],
)
def test_a_null_of_a_library_is_a_missing_property_if_the_reference_allows_neither_of_the_two(
    value: dict[str, Any], path: str
) -> None:
    """A program may have written the row of a table anew: the server sent null, or nothing, and both are faults."""
    for kept in (value, json.dumps(value)):
        (finding,) = findings_in([{"asked": REQUEST, "answered": kept, "note": None}])
        assert (finding.rule, finding.path, finding.severity.label) == ("missing-property", path, "error")
    (finding,) = findings_in(pair_of({"status": 200, "headers": {"content-type": "application/json"}, "body": value}))
    assert finding.rule == "null-value"


def test_each_of_several_nulls_that_stand_for_missing_properties_is_reported() -> None:
    usage = COMPLETION["usage"] | {"prompt_tokens": None, "completion_tokens": None}
    value = with_finish_reason(None) | {"created": None, "usage": usage}
    found = findings_in({"asked": REQUEST, "answered": value})
    assert {(one.rule, one.path) for one in found} == {
        ("missing-property", path)
        for path in ("choices[].finish_reason", "created", "usage.prompt_tokens", "usage.completion_tokens")
    }


def test_a_null_in_place_of_an_optional_property_says_nothing_in_a_row_that_may_be_written_anew() -> None:
    message = COMPLETION["choices"][0]["message"] | {"tool_calls": None, "function_call": None, "audio": None}
    answer = COMPLETION | {"service_tier": None, "choices": [COMPLETION["choices"][0] | {"message": message}]}
    assert findings_in({"asked": REQUEST, "answered": answer}) == []
