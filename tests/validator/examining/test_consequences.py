"""Test which findings follow from another one: those at the place that it replaces, and no others."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from isogloss.validator import check

_CHUNK: dict[str, Any] = {
    "id": "chatcmpl-Fake0000000000000000000000051", "object": "chat.completion.chunk", "created": 1760000500,
    "model": "gpt-4.1-mini-2025-04-14", "service_tier": "default", "system_fingerprint": "fp_0123456789",
}  # fmt: skip
_MESSAGE = {"role": "assistant", "content": "Hi", "refusal": None, "annotations": []}
_COMPLETION = _CHUNK | {
    "object": "chat.completion",
    "choices": [{"index": 0, "message": _MESSAGE, "logprobs": None, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
}


def _camel(value: Any) -> Any:
    """Return a value with all names in camel case."""
    if isinstance(value, dict):
        return {re.sub(r"_(.)", lambda match: match[1].upper(), name): _camel(one) for name, one in value.items()}
    return list(map(_camel, value)) if isinstance(value, list) else value


def _without(value: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: one for key, one in value.items() if key != name}


def _chunk(delta: dict[str, Any], finish_reason: str | None = None, **changes: Any) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish_reason}
    return _CHUNK | {"choices": [choice]} | changes


def _stream(*chunks: dict[str, Any]) -> str:
    return "".join(f"data: {json.dumps(one)}\n\n" for one in chunks) + "data: [DONE]\n\n"


def _rules_of(capture: object) -> list[str]:
    text = capture if isinstance(capture, str) else json.dumps(capture)
    return sorted(one.rule for one in check(text).findings)


@pytest.mark.parametrize("count", [1000, 1001])
def test_very_many_findings_of_a_rule_explain_nothing_elsewhere(count: int) -> None:
    empty, wrong = ({"type": "file", "file": file} for file in ({"filename": "a.pdf"}, {"file_data": "no data URL"}))
    message = {"role": "user", "content": [*[empty] * count, wrong]}
    found = check({"model": "gpt-4.1", "messages": [message]}).findings
    assert [one.pointer for one in found if one.rule == "wrong-format"] == [
        f"/messages/0/content/{count}/file/file_data"
    ]


@pytest.mark.parametrize(
    ("usual", "odd", "counts"),
    [
        ("chatcmpl-1", "other", {"stream-id-changed": 1}),
        ("one", "other", {"stream-id-changed": 1, "wrong-format": 4}),
        ("one", "chatcmpl-1", {"stream-id-changed": 1, "wrong-format": 3}),
    ],
)
@pytest.mark.parametrize("position", range(4))
def test_only_chunk_with_another_id_includes_a_form_that_no_other_id_has(
    usual: str, odd: str, counts: dict[str, int], position: int
) -> None:
    deltas = [({"role": "assistant", "content": ""}, None), ({"content": "Hi"}, None), ({"content": "!"}, None),
              ({}, "stop")]  # fmt: skip
    ids = [odd if number == position else usual for number in range(4)]
    stream = _stream(*(_chunk(*delta, id=one) for delta, one in zip(deltas, ids, strict=True)))
    assert {finding.rule: finding.count for finding in check(stream).findings} == counts


def test_cause_at_a_place_explains_nothing_that_is_wrong_further_inside() -> None:
    error = {"message": "No", "type": "server_error", "param": None, "code": None, "details": 1}
    found = check(json.dumps({"status": 200, "path": "/v1/chat/completions", "response": {"error": error}})).findings
    assert [(one.rule, one.pointer) for one in found] == [
        ("error-with-success-status", ""),
        ("unknown-property", "/error/details"),
    ]


@pytest.mark.parametrize(
    ("rule", "answer"),
    [
        ("body-not-completion", {"content_type": "application/json", "response": {"results": []}}),
        ("lines-not-events", {"content_type": "text/event-stream", "response_text": '{"choices": []}\n' * 2}),
    ],
)
def test_nothing_that_is_wrong_with_a_request_follows_from_its_answer(rule: str, answer: dict[str, object]) -> None:
    request = {"model": 5, "messages": [{"role": "user", "content": "Hi"}], "stream": True}
    record = {"path": "/v1/chat/completions", "status": 200, "request": request, **answer}
    found = [(one.rule, one.kind) for one in check(json.dumps(record)).findings if one.severity.label == "error"]
    assert ("wrong-type", "request") in found
    assert rule in [name for name, _ in found]


def test_all_names_in_another_style_are_one_finding_that_says_so() -> None:
    (found,) = check(json.dumps(_camel(_COMPLETION))).findings
    assert (found.rule, found.severity.label, found.path) == ("missing-property", "error", "choices[].finish_reason")
    assert found.message == "`finish_reason` is missing; `finishReason` stands in its place. All names are in camelCase"


def test_names_in_another_style_beside_one_of_the_reference_are_a_finding_each_with_both_names() -> None:
    found = check(json.dumps(_camel(_COMPLETION) | {"system_fingerprint": "fp_0123456789"})).findings
    missing = [one for one in found if one.rule == "missing-property"]
    assert {one.path: one.message for one in missing} == {
        "choices[].finish_reason": "`finish_reason` is missing; `finishReason` stands in its place",
        "usage.prompt_tokens": "`prompt_tokens` is missing; `promptTokens` stands in its place",
        "usage.completion_tokens": "`completion_tokens` is missing; `completionTokens` stands in its place",
        "usage.total_tokens": "`total_tokens` is missing; `totalTokens` stands in its place",
    }
    unknown = [one.path for one in found if one.rule == "unknown-property"]
    assert unknown == ["serviceTier", "systemFingerprint"]  # of the reference, but not required


def test_property_in_another_object_is_one_finding_that_says_where_it_stands() -> None:
    [choice] = _COMPLETION["choices"]
    outside = {**_COMPLETION, "finish_reason": "stop", "choices": [_without(choice, "finish_reason")]}
    inside = {**_COMPLETION, "choices": [_without(choice, "index") | {"message": {**choice["message"], "index": 0}}]}
    for value, message in [
        (outside, "`finish_reason` is missing; it stands at `finish_reason`"),
        (inside, "`index` is missing; it stands at `choices[].message.index`"),
    ]:
        assert [one.message for one in check(json.dumps(value)).findings if "missing" in one.message] == [message]
        assert not [one for one in check(json.dumps(value)).findings if one.rule == "unknown-property"]


def test_id_of_a_message_is_not_taken_for_that_of_its_call() -> None:
    call = {"type": "function", "function": {"name": "f", "arguments": "{}"}}
    [choice] = _COMPLETION["choices"]
    message = {"role": "assistant", "content": None, "refusal": None, "id": "msg_1", "tool_calls": [call]}
    value = {**_COMPLETION, "choices": [{**choice, "message": message, "finish_reason": "tool_calls"}]}
    found = {(one.rule, one.path) for one in check(json.dumps(value)).findings}
    assert {
        ("unknown-property", "choices[].message.id"),
        ("missing-property", "choices[].message.tool_calls[].id"),
    } <= found


def test_property_in_another_spelling_is_one_finding_for_all_chunks_that_lack_it() -> None:
    chunks = [_chunk({"role": "assistant", "content": "Hi"}), _chunk({"content": "!"}), _chunk({}, "stop")]
    for one in chunks[1:]:
        one["choices"][0]["finishReason"] = one["choices"][0].pop("finish_reason")
    found = check(_stream(*chunks)).findings
    assert [(one.rule, one.count) for one in found] == [("missing-property", 2)]


def test_finish_reason_in_another_spelling_that_is_never_given_is_missing_once() -> None:
    chunks = [_chunk({"role": "assistant", "content": "Hi"}), _chunk({"content": "!"}), _chunk({})]
    for one in chunks:
        one["choices"][0]["finishReason"] = one["choices"][0].pop("finish_reason")
    assert _rules_of(_stream(*chunks)) == ["finish-reason-missing"]


def test_unknown_property_stays_if_the_reference_name_is_there_too_or_is_not_similar() -> None:
    choice = _COMPLETION["choices"][0]
    both = _COMPLETION | {"choices": [choice | {"finishReason": "stop"}]}
    other = _COMPLETION | {"choices": [{k: v for k, v in choice.items() if k != "finish_reason"} | {"end": "stop"}]}
    assert _rules_of(both) == ["unknown-property"]
    assert _rules_of(other) == ["missing-property", "unknown-property"]


def test_unknown_property_stays_if_missing_properties_do_not_count() -> None:
    request = {"model": "gpt-4.1", "Messages": []}
    assert [one.rule for one in check(request, ignore=["missing-property"], kind="request").findings] == [
        "unknown-property"
    ]


@pytest.mark.parametrize(
    ("last", "expected"),
    [
        ("The rain in Spain", ["content-cumulative"]),
        ("The rain in Spain falls", ["content-cumulative", "finish-reason-with-content"]),
        (" falls", ["finish-reason-with-content"]),
    ],
)
def test_text_beside_the_finish_reason_follows_from_its_repetition_unless_it_holds_more(
    last: str, expected: list[str]
) -> None:
    begin = [
        _chunk({"role": "assistant", "content": ""}),
        *(_chunk({"content": one}) for one in ("The", " rain in", " Spain")),
    ]
    assert _rules_of(_stream(*begin, _chunk({"content": last}, "stop"))) == expected


@pytest.mark.parametrize(
    ("content_type", "expected"),
    [
        ("text/event-stream", ["stream-refused"]),
        ("text/plain", ["json-content-type", "stream-refused"]),
        ("application/json", ["stream-refused"]),
    ],
)
def test_content_type_of_the_stream_that_should_have_come_is_no_fault_of_its_own(
    content_type: str, expected: list[str]
) -> None:
    request = {"model": "gpt-4.1-mini", "messages": [{"role": "user", "content": "Hi"}], "stream": True}
    record = {"request": request, "status": 200, "content_type": content_type, "response_text": json.dumps(_COMPLETION)}
    assert _rules_of(record) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{&quot;city&quot;: &quot;Rome&quot;}", ["arguments-html-escaped"]),
        ("{&quot;city&quot;: &quot;Ro", ["arguments-html-escaped", "arguments-not-json"]),
        ('{"city": "Rome"}\n</tool_call><|im_end|>', ["markup-in-content"]),
        ('<tool_call>{"city": "Rome"}', ["markup-in-content"]),
        ('{"city": "Ro</tool_call>', ["arguments-not-json", "markup-in-content"]),
    ],
)
def test_arguments_that_are_json_but_for_their_entities_or_markup_are_one_finding(
    text: str, expected: list[str]
) -> None:
    call = {"id": "call_Fake000000000000000000051", "type": "function", "function": {"name": "go", "arguments": text}}
    choice = _COMPLETION["choices"][0]
    message = _MESSAGE | {"content": None, "tool_calls": [call]}
    answer = _COMPLETION | {"choices": [choice | {"message": message, "finish_reason": "tool_calls"}]}
    assert _rules_of(answer) == expected


def test_option_that_the_model_refuses_is_not_reported_as_deprecated_too() -> None:
    request = {"model": "o3-mini", "messages": [{"role": "user", "content": "Hi"}], "max_tokens": 9}
    assert _rules_of(request) == ["option-unsupported-by-model"]
    assert _rules_of(request | {"model": "gpt-4o", "max_tokens": 99_999}) == [
        "deprecated-property", "option-unsupported-by-model",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("models", "expected"),
    [
        (("gpt-4.1-mini", "other"), ["stream-model-changed"]),
        (("other", "another"), ["model-not-asked-for", "stream-model-changed"]),
        (("other", "other"), ["model-not-asked-for"]),
    ],
)
def test_another_model_in_some_chunks_alone_is_a_change_of_the_model(
    models: tuple[str, str], expected: list[str]
) -> None:
    first, other = models
    chunks = (
        _chunk({"role": "assistant", "content": "Hi"}, model=first), _chunk({}, "stop", model=other),
    )  # fmt: skip
    request = {"model": "gpt-4.1-mini", "messages": [{"role": "user", "content": "Hi"}], "stream": True}
    assert _rules_of({"request": request, "sse": _stream(*chunks)}) == expected
