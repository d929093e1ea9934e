"""Test which findings follow from a part of an answer that nobody can read, and which do not."""

from __future__ import annotations

import json
from typing import Any

import pytest
from payloads import as_events

from isogloss.validator import check, rules

ENVELOPE = {"id": "chatcmpl-Fake01", "object": "chat.completion.chunk", "created": 1760000000, "model": "gpt-4.1-mini"}
REQUEST = {
    "model": "gpt-4.1-mini",
    "messages": [{"role": "user", "content": "Weather?"}],
    "stream": True,
    "stream_options": {"include_usage": True},
    "tools": [
        {"type": "function", "function": {"name": "look_up", "parameters": {"type": "object", "properties": {}}}}
    ],
}
USAGE = {**ENVELOPE, "choices": [], "usage": {"prompt_tokens": 8, "completion_tokens": 4, "total_tokens": 12}}
NO_CHOICES = {**ENVELOPE, "choices": None, "usage": None}


def _chunk(delta: Any, finish: str | None = None, **properties: Any) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
    return {**ENVELOPE, "choices": [choice | properties], "usage": None}


def _fragment(arguments: str, **properties: Any) -> dict[str, Any]:
    return _chunk({"tool_calls": [{"index": 0, **properties, "function": {"arguments": arguments}}]})


ROLE = _chunk({"role": "assistant", "content": None, "refusal": None})
BEGIN = _chunk(
    {
        "tool_calls": [
            {"index": 0, "id": "call_Fake1", "type": "function", "function": {"name": "look_up", "arguments": ""}}
        ]
    }
)
END = _chunk({}, "tool_calls")


def _rules(*events: Any, request: dict[str, Any] = REQUEST) -> list[str]:
    """Return the rules of the errors and warnings about a stream of these events."""
    data = [event if isinstance(event, str) else json.dumps(event) for event in (*events, "[DONE]")]
    found = check("".join(f"data: {one}\n\n" for one in data), request=request).failing("warning")
    return [finding.rule for finding in found]


@pytest.mark.parametrize(
    "events",
    [
        ["{", BEGIN, _fragment("{}"), END, USAGE],
        [ROLE, "{", _fragment("{}"), END, USAGE],
        [ROLE, BEGIN, _fragment('{"a'), "{", END, USAGE],
        [ROLE, BEGIN, _fragment("{}"), "{", USAGE],
        [ROLE, BEGIN, _fragment("{}"), END, "{"],
    ],
    ids=["role", "beginning of a call", "arguments", "end", "usage"],
)
def test_what_an_unreadable_event_may_have_held_is_not_missed(events: list[Any]) -> None:
    assert _rules(*events) == ["event-not-json"]


def test_what_stands_behind_the_json_of_an_event_may_have_held_the_end() -> None:
    assert _rules(ROLE, BEGIN, json.dumps(_fragment("{}")) + " {", USAGE) == ["json-extra-data"]


def test_what_stands_behind_the_json_of_the_last_event_may_have_held_the_rest_of_the_arguments() -> None:
    assert _rules(ROLE, BEGIN, _fragment('{"a'), json.dumps(END) + " {", USAGE) == ["json-extra-data"]


def test_a_whole_completion_before_the_chunks_may_have_held_what_the_first_chunk_lacks() -> None:
    whole = {"index": 0, "message": {"role": "assistant", "content": "Sunny."}, "finish_reason": "stop"}
    completion = {**ENVELOPE, "object": "chat.completion", "choices": [whole]}
    chunks = [_chunk({"content": "Sunny."}), _chunk({}, "stop"), USAGE]
    assert "role-missing" in _rules(*chunks)
    assert set(_rules(completion, *chunks)) == {"event-not-chunk"}


def test_a_first_delta_without_a_role_may_have_held_a_call_only_if_it_brings_nothing() -> None:
    request = REQUEST | {"tool_choice": "required"}
    end = _chunk({}, "stop")
    assert set(_rules(_chunk({"content": "Sunny."}), end, USAGE, request=request)) == {
        "forced-call-missing", "role-missing",
    }  # fmt: skip
    assert "forced-call-missing" not in _rules(_chunk({"content": ""}), end, USAGE, request=request)


def test_a_fragment_under_the_index_of_another_call_may_be_what_the_arguments_of_that_call_lack() -> None:
    cut = [ROLE, BEGIN, _fragment("{")]
    assert "arguments-not-json" in _rules(*cut, END, USAGE)
    second = json.loads(json.dumps(BEGIN).replace("call_Fake1", "call_Fake2"))
    assert set(_rules(*cut, second, _fragment("{}"), END, USAGE)) == {"tool-call-index-reused"}


def test_a_lone_surrogate_may_stand_for_what_the_text_lacks() -> None:
    request = {name: value for name, value in REQUEST.items() if name != "tools"}
    request |= {"messages": [{"role": "user", "content": "JSON?"}], "response_format": {"type": "json_object"}}
    begin, end = _chunk({"role": "assistant", "content": '{"a":', "refusal": None}), _chunk({}, "stop")
    assert "content-not-json" in _rules(begin, _chunk({"content": " "}), end, USAGE, request=request)
    half = json.dumps(_chunk({"content": "half"})).replace("half", "\\ud800")
    assert _rules(begin, half, end, USAGE, request=request) == ["json-lone-surrogate"]


def test_gap_in_the_delta_that_lacks_its_role_does_not_excuse_this() -> None:
    first = _chunk({"content": "Sunny."}, index="0")
    assert set(_rules(first, _chunk({}, "stop"), USAGE)) == {"role-missing", "wrong-type"}


def test_gap_before_the_last_choice_does_not_excuse_usage_that_comes_behind_it() -> None:
    assert set(_rules(ROLE, "{", BEGIN, _fragment("{}"), END)) == {"asked-usage-missing", "event-not-json"}


def test_line_that_no_reader_sees_is_a_gap_where_it_stands() -> None:
    data = [f"data: {json.dumps(event)}\n\n" for event in (ROLE, BEGIN, _fragment("{}"), END)]
    for position, excused in ((3, set()), (4, {"asked-usage-missing"})):
        lines = [*data[:position], f"{json.dumps(USAGE)}\n\n", *data[position:], "data: [DONE]\n\n"]
        found = {finding.rule for finding in check("".join(lines), request=REQUEST).failing("warning")}
        assert found == {"sse-unknown-line", "asked-usage-missing"} - excused


def test_end_of_an_event_before_the_first_one_may_have_held_the_role() -> None:
    """Cut the first event anywhere in its JSON."""
    first, *others = (f"data: {json.dumps(one)}\n\n" for one in (ROLE, _chunk({"content": "Hi"}), _chunk({}, "stop")))
    for start in range(len("data: {"), len(first) - 2):
        if first[start] == ":":
            continue  # such a line is a comment
        body = "".join([first[start:], *others, "data: [DONE]\n\n"])
        request = {"model": "gpt-4.1-mini", "messages": REQUEST["messages"], "stream": True}
        found = {one.rule for one in check(body, request=request).failing("warning")}
        assert found == {"sse-unknown-line"}, first[start:]


def test_call_that_lacks_its_name_and_has_an_id_is_no_part_of_another_call() -> None:
    nameless = _fragment('{"a', id="call_Fake1", type="function")
    assert set(_rules(ROLE, nameless, END, USAGE)) == {"tool-call-name-missing", "arguments-not-json"}


def _calls(*values: Any) -> dict[str, Any]:
    return _chunk({"tool_calls": list(values)})


@pytest.mark.parametrize(
    ("events", "rule"),
    [
        ([ROLE, _calls(None), _fragment("{}"), END, USAGE], "null-value"),
        ([ROLE, BEGIN, _calls({"index": 0, "function": None}), _fragment("}"), END, USAGE], "tool-call-null-property"),
        ([ROLE, BEGIN, _fragment("{}"), END, {**USAGE, "usage": "12"}], "wrong-type"),
        ([{**ROLE, "choices": []}, BEGIN, _fragment("{}"), END, USAGE], "choices-empty"),
    ],
    ids=["call", "function", "usage", "role"],
)
def test_what_a_null_or_wrong_part_may_have_held_is_not_missed(events: list[Any], rule: str) -> None:
    assert _rules(*events) == [rule]


def test_chunk_without_choices_does_not_excuse_an_end_or_arguments() -> None:
    empty = {**ENVELOPE, "choices": [], "usage": None}
    assert set(_rules(ROLE, BEGIN, empty, _fragment('{"a'), END, USAGE)) == {"choices-empty", "arguments-not-json"}
    assert set(_rules(ROLE, BEGIN, _fragment("{}"), empty, USAGE)) == {"choices-empty", "finish-reason-missing"}


def test_beginning_of_a_call_under_a_wrong_index_is_not_missed_in_its_other_fragments() -> None:
    begin = json.loads(json.dumps(BEGIN))
    begin["choices"][0]["delta"]["tool_calls"][0]["index"] = 7
    assert _rules(ROLE, begin, _fragment("{"), _fragment("}"), END, USAGE) == ["tool-call-index-jump"]


def test_fragment_with_a_negative_index_continues_the_last_call() -> None:
    assert _rules(ROLE, BEGIN, _fragment("{", index=-1), _fragment("}"), END, USAGE) == ["out-of-range"]


def test_call_without_a_name_in_the_old_form_is_no_missing_call() -> None:
    called, end = _chunk({"function_call": {"arguments": "{}"}}), _chunk({}, "function_call")
    assert _rules(ROLE, called, end, USAGE) == ["tool-call-name-missing"]
    stub = _chunk({"function_call": {"name": "", "arguments": ""}}, "tool_calls")
    assert _rules(ROLE, BEGIN, _fragment("{}"), stub, USAGE) == ["tool-call-name-missing"]


def test_chunk_that_is_sent_twice_is_one_finding_beside_an_empty_id_of_a_fragment() -> None:
    first = [BEGIN, _fragment("{}", id="")]
    begin = json.loads(json.dumps(BEGIN))
    begin["choices"][0]["delta"]["tool_calls"][0] |= {"index": 1, "id": "call_Fake02"}
    chunks = [ROLE, *first, begin, begin, _fragment("{}", index=1), END, USAGE]
    assert set(_rules(*chunks)) == {"chunk-repeated", "tool-call-fragment-id-empty"}


def test_gap_behind_an_arrived_delta_does_not_excuse_its_missing_role() -> None:
    assert set(_rules(BEGIN, NO_CHOICES, _fragment("{}"), END, USAGE)) == {"role-missing", "null-value"}


def test_gap_before_a_delta_does_not_excuse_an_end_that_comes_after_none() -> None:
    assert set(_rules(ROLE, NO_CHOICES, BEGIN, _fragment("{}"), USAGE)) == {"finish-reason-missing", "null-value"}


def test_gap_behind_the_end_does_not_excuse_arguments_that_are_no_json() -> None:
    assert set(_rules(ROLE, BEGIN, _fragment('{"a'), END, NO_CHOICES, USAGE)) == {"arguments-not-json", "null-value"}


def test_gap_before_a_call_does_not_excuse_its_arguments() -> None:
    assert set(_rules(ROLE, NO_CHOICES, BEGIN, _fragment('{"a'), END, USAGE)) == {"arguments-not-json", "null-value"}


def test_delta_of_null_on_the_last_chunk_excuses_nothing() -> None:
    last = _chunk(None, "tool_calls")
    assert set(_rules(ROLE, BEGIN, _fragment('{"a'), last, USAGE)) == {"arguments-not-json", "delta-null"}


def test_chunk_whose_choices_are_null_can_have_held_no_usage_beside_them() -> None:
    assert set(_rules(ROLE, BEGIN, _fragment("{}"), END, NO_CHOICES)) == {"asked-usage-missing", "null-value"}


@pytest.mark.parametrize("name", ["content", "refusal"])
def test_piece_of_a_text_that_is_no_text_may_have_held_what_the_text_lacks(name: str) -> None:
    request = {**REQUEST, "response_format": {"type": "json_object"}}
    events = [ROLE, _chunk({"content": '{"sky": '}), _chunk({name: 5}), _chunk({}, "stop"), USAGE, "[DONE]"]
    data = [event if isinstance(event, str) else json.dumps(event) for event in events]
    found = check("".join(f"data: {one}\n\n" for one in data), request=request, ignore=["json-mode-unmentioned"])
    assert {one.rule for one in found.failing("warning")} == {"wrong-type"}


def test_usage_on_a_chunk_without_choices_is_no_gap() -> None:
    usage = {**USAGE, "choices": None}
    assert set(_rules(ROLE, BEGIN, _fragment("{}"), usage)) == {"finish-reason-missing", "null-value"}


def test_finding_is_kept_if_the_rule_about_the_gap_is_ignored() -> None:
    events = [ROLE, BEGIN, _fragment('{"a'), NO_CHOICES, END, USAGE]
    text = as_events(*events, "[DONE]")
    found = check(text, request=REQUEST, ignore=["null-value"]).failing("warning")
    assert [finding.rule for finding in found] == ["arguments-not-json"]


def test_event_that_a_log_did_not_keep_whole_may_have_held_what_the_answer_lacks() -> None:
    end = json.dumps(_chunk({}, "stop"))
    for kept in (end, end[:-20], end[:20], "..."):
        record = {"asked": REQUEST, "answered": as_events(ROLE, _chunk({"content": "Ho"}), kept, USAGE, "[DONE]")}
        assert [one.rule for one in check(json.dumps([record])).failing("warning")] == []


DOTS = ["...", "......", "…", "[...]", "# ...", "... (more chunks)"]


@pytest.mark.parametrize("dots", [*DOTS, "data: ...", 'data: {"id":"chatcmpl-Fake01","choices":[...]}', "data: […]"])
def test_what_a_copy_leaves_out_of_a_stream_is_no_fault_and_may_have_held_what_the_rest_lacks(dots: str) -> None:
    first, *rest = (json.dumps(one) for one in (ROLE, _chunk({}, "stop"), USAGE))
    text = "\n\n".join([f"data: {first}", dots, *(f"data: {one}" for one in rest), "data: [DONE]", ""])
    request = {name: value for name, value in REQUEST.items() if name != "tools"}
    assert check(text, request=request).failing("warning") == ()
    assert check(text.removesuffix("data: [DONE]\n\n"), request=request).failing("warning") == ()
    whole = text.replace(f"{dots}\n\n", "")
    assert [one.rule for one in check(whole, request=request).failing("warning")] == ["answer-missing"]


@pytest.mark.parametrize("line", [".", "a...", "...a", '..."}', "data ...", '"..."'])
def test_line_of_more_than_dots_and_words_for_a_reader_is_one_of_no_known_field(line: str) -> None:
    events = [f"data: {json.dumps(one)}" for one in (ROLE, _chunk({"content": "Hi"}), _chunk({}, "stop"), USAGE)]
    found = check("\n\n".join([events[0], line, *events[1:], "data: [DONE]", ""]), request=REQUEST).failing("warning")
    assert [one.rule for one in found] == ["sse-unknown-line"]


def test_fragment_without_an_index_and_the_next_one_with_it_are_one_call() -> None:
    begin = json.loads(json.dumps(BEGIN))
    del begin["choices"][0]["delta"]["tool_calls"][0]["index"]
    assert _rules(ROLE, begin, _fragment("{"), _fragment("}"), END, USAGE) == ["tool-call-index-missing"]


NO_ROLE = _chunk({"content": "", "refusal": None})
LATE_TEXT = _chunk({"content": "Sunny."})
NO_ID = _chunk({"tool_calls": [{"index": 0, "type": "function", "function": {"name": "look_up", "arguments": ""}}]})


@pytest.mark.parametrize(
    ("events", "rules"),
    [
        ([NO_ROLE, BEGIN, _fragment("{}"), END, LATE_TEXT, USAGE], {"role-missing", "content-after-finish"}),
        ([ROLE, BEGIN, _fragment('{"a'), END, LATE_TEXT, USAGE], {"arguments-not-json", "content-after-finish"}),
        (
            [ROLE, _chunk({}, "tool_calls"), BEGIN, _fragment('{"a'), END, USAGE],
            {"arguments-not-json", "content-after-finish"},
        ),
        ([ROLE, "{", NO_ID, _fragment("{}"), END, USAGE], {"event-not-json", "tool-call-id-missing"}),
    ],
    ids=["late text, no role", "late text, spoilt arguments", "early end, spoilt arguments", "unreadable event, no id"],
)
def test_second_fault_that_the_first_cannot_have_caused_is_found(events: list[Any], rules: set[str]) -> None:
    assert set(_rules(*events)) == rules


def _completion(*choices: Any) -> dict[str, Any]:
    counts = {"prompt_tokens": 8, "completion_tokens": 4, "total_tokens": 12}
    return {**ENVELOPE, "object": "chat.completion", "choices": list(choices), "usage": counts}


def _answered(finish: str, message: Any, index: int = 0) -> dict[str, Any]:
    return {"index": index, "message": message, "logprobs": None, "finish_reason": finish}


def test_message_that_is_missing_may_have_held_the_calls_of_its_choice_alone() -> None:
    said = {"role": "assistant", "content": "Sunny.", "refusal": None}
    both = _completion(_answered("tool_calls", None), _answered("tool_calls", said, 1))
    found = check(both, request={"model": "gpt-4.1-mini", "messages": REQUEST["messages"], "n": 2}).failing("warning")
    assert [(finding.rule, finding.pointer) for finding in found] == [
        ("null-value", "/choices/0/message"),
        ("finish-reason-without-calls", "/choices/1/finish_reason"),
    ]


@pytest.mark.parametrize("count", [1000, 1001])
def test_very_many_findings_in_a_chunk_that_is_read_are_no_gap(count: int) -> None:
    token = {"token": "a", "logprob": -1.0, "bytes": "97", "top_logprobs": []}
    last = _chunk({"content": "a" * count}, "stop", logprobs={"content": [token] * count, "refusal": None})
    assert "asked-usage-missing" in _rules(ROLE, last)


TEXT = _chunk({"content": "Sunny."})
STOP = _chunk({}, "stop")


def test_event_that_nobody_can_read_may_have_held_a_choice_and_a_piece_of_a_text_may_not() -> None:
    two = {name: value for name, value in REQUEST.items() if name != "tools"} | {"n": 2}
    assert _rules(ROLE, "{", TEXT, STOP, USAGE, request=two) == ["event-not-json"]
    found = _rules(ROLE, TEXT, _chunk({"content": 5}), STOP, USAGE, request=two)
    assert set(found) == {"choice-count-mismatch", "wrong-type"}


def test_event_before_the_first_delta_may_have_held_the_call_that_is_demanded() -> None:
    forced = REQUEST | {"tool_choice": "required"}
    assert _rules("{", TEXT, STOP, USAGE, request=forced) == ["event-not-json"]
    assert _rules(ROLE, TEXT, STOP, USAGE, request=forced) == ["forced-call-missing"]


def test_what_a_rule_says_is_missing_is_a_gap_even_if_the_rule_of_the_schema_is_ignored() -> None:
    message = {"role": "assistant", "content": "Sunny.", "refusal": None}
    usage = {"prompt_tokens": 8, "completion_tokens": 4, "total_tokens": 12}
    choice = {"index": 0, "delta": message, "logprobs": None, "finish_reason": "tool_calls"}
    completion = {**ENVELOPE, "object": "chat.completion", "choices": [choice], "usage": usage}
    found = check(completion, kind="completion", ignore=["missing-property"]).failing("warning")
    assert [finding.rule for finding in found] == ["delta-in-completion"]
    null_function = _chunk({"tool_calls": [{"index": 0, "function": None}]})
    for chunk, rule in ((_chunk(None), "delta-null"), (null_function, "tool-call-null-property")):
        chunks = [ROLE, BEGIN, _fragment('{"a'), chunk, END, USAGE]
        found = check(chunks, request=REQUEST, ignore=["null-value"]).failing("warning")
        assert [finding.rule for finding in found] == [rule]


def _without(chunk: dict[str, Any], *names: str) -> dict[str, Any]:
    [choice] = chunk["choices"]
    return {**chunk, "choices": [{name: value for name, value in choice.items() if name not in names}]}


def test_end_that_one_chunk_lacks_may_be_lost_and_one_that_several_lack_was_never_sent() -> None:
    lacking = [_without(one, "finish_reason") for one in (BEGIN, _fragment("{}"))]
    assert _rules(ROLE, BEGIN, lacking[1], USAGE) == ["missing-property"]
    assert set(_rules(ROLE, *lacking, USAGE)) == {"missing-property", "finish-reason-missing"}
    blank = _chunk(BEGIN["choices"][0]["delta"], "")
    assert set(_rules(ROLE, blank, _fragment("{}"), USAGE)) == {"finish-reason-empty", "finish-reason-missing"}


def test_ends_that_the_last_chunks_of_several_choices_lack_were_never_sent() -> None:
    texts = [_chunk({"role": "assistant", "content": "Sunny."}, index=index) for index in (0, 1)]
    last = [_without(_chunk({"content": " Warm."}, index=index), "finish_reason") for index in (0, 1)]
    found = _rules(*texts, *last, USAGE, request=REQUEST | {"n": 2})
    assert sorted(found) == ["finish-reason-missing", "finish-reason-missing", "missing-property"]


@pytest.mark.parametrize(("n", "repeated"), [(1, {"role-repeated"}), (2, set())])
def test_a_role_is_repeated_under_indexes_that_count_up_only_if_one_choice_was_asked_for(
    n: int, repeated: set[str]
) -> None:
    beginnings = [_chunk({"role": "assistant", "content": "Sunny."}, index=index) for index in (0, 1)]
    counted = [*beginnings, _chunk({"content": " Warm."}, index=2), _chunk({}, "stop", index=3)]
    assert set(_rules(*counted, USAGE, request=REQUEST | {"n": n})) == {"choice-index-changed", *repeated}


def test_chunk_with_neither_a_delta_nor_an_end_may_have_held_the_end() -> None:
    last = _without(END, "delta", "finish_reason")
    assert set(_rules(ROLE, BEGIN, _fragment("{}"), last, last, USAGE)) == {"missing-property"}
    spoken = _without(_fragment("{}"), "delta")
    assert set(_rules(ROLE, BEGIN, _fragment("{}"), spoken, USAGE)) == {"missing-property", "finish-reason-missing"}


@pytest.mark.parametrize("arguments", [5, None])
def test_arguments_in_the_old_form_that_are_no_text_may_have_held_what_they_lack(arguments: Any) -> None:
    call = _chunk({"function_call": {"name": "look_up", "arguments": arguments}})
    rest = _chunk({"function_call": {"arguments": "}"}})
    assert "arguments-not-json" not in _rules(ROLE, call, rest, _chunk({}, "function_call"), USAGE)


@pytest.mark.parametrize(("index", "rule"), [(None, "null-value"), (-1, "out-of-range")])
def test_fragment_whose_index_is_no_number_of_a_call_may_belong_to_any(index: Any, rule: str) -> None:
    assert _rules(ROLE, BEGIN, _fragment('{"a', index=index), END, USAGE) == [rule]


def test_wrong_type_of_a_call_does_not_excuse_its_arguments() -> None:
    found = _rules(ROLE, BEGIN, _fragment('{"a', type=5), END, USAGE)
    assert set(found) == {"arguments-not-json", "wrong-type"}


def test_of_two_choices_under_one_index_nothing_is_there_once_more() -> None:
    request = {**REQUEST, "n": 2, "stream_options": {"include_usage": False}}
    role = _chunk({"role": "assistant", "content": "", "refusal": None})
    said, end = _chunk({"content": "Ho"}), _chunk({}, "stop")
    assert _rules(role, said, end, role, said, end, request=request) == ["choice-count-mismatch"]
    one_role = _rules(role, said, end, said, end, request=request)
    assert "choice-count-mismatch" in one_role
    assert len(one_role) > 1


def _asking(**options: Any) -> dict[str, Any]:
    """Return a request without tools, with these options."""
    return {name: value for name, value in REQUEST.items() if name != "tools"} | options


STRICT = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}


def _for_object(*required: str) -> dict[str, Any]:
    """Return a request for a JSON object, or for one of this schema."""
    of_schema = {"type": "json_schema", "json_schema": {"name": "sky", "schema": STRICT}}
    messages = [{"role": "user", "content": "JSON?"}]
    return _asking(messages=messages, response_format=of_schema if required else {"type": "json_object"})


GAP = "gap"
SAYS = _chunk({"role": "assistant", "content": "Sunny."})
SECOND = json.loads(json.dumps(BEGIN).replace('"index": 0, "id"', '"index": 1, "id"'))
NAMELESS = _fragment("{}", index=1, id="call_Fake3", type="function")
TOKEN = {"token": "Sunny.", "logprob": -0.1, "bytes": None, "top_logprobs": []}
STRICT_TOOL = {"type": "function", "function": {"name": "look_up", "parameters": STRICT}}
LACKING: dict[str, tuple[dict[str, Any], list[Any]]] = {
    "role-missing": (REQUEST, [GAP, TEXT, STOP, USAGE]),
    "tool-call-name-missing": (REQUEST, [ROLE, BEGIN, _fragment("{}"), GAP, NAMELESS, END, USAGE]),
    "tool-call-index-jump": (REQUEST, [ROLE, GAP, SECOND, _fragment("{}", index=1), END, USAGE]),
    "finish-reason-missing": (REQUEST, [SAYS, GAP, USAGE]),
    "asked-usage-missing": (REQUEST, [SAYS, STOP, GAP]),
    "done-missing": (REQUEST, [SAYS, STOP, USAGE, GAP]),
    "stream-empty": (REQUEST, [GAP]),
    "finish-reason-without-calls": (REQUEST, [ROLE, GAP, TEXT, END, USAGE]),
    "arguments-concatenated": (REQUEST, [ROLE, BEGIN, _fragment("{}"), GAP, _fragment('{"a": 1}'), END, USAGE]),
    "arguments-empty": (REQUEST, [ROLE, BEGIN, GAP, END, USAGE]),
    "arguments-not-json": (REQUEST, [ROLE, BEGIN, _fragment('{"a'), GAP, END, USAGE]),
    "arguments-not-object": (REQUEST, [ROLE, BEGIN, GAP, _fragment("1"), END, USAGE]),
    "arguments-off-schema": (REQUEST | {"tools": [STRICT_TOOL]}, [ROLE, BEGIN, GAP, _fragment("{}"), END, USAGE]),
    "forced-call-missing": (REQUEST | {"tool_choice": "required"}, [ROLE, GAP, TEXT, STOP, USAGE]),
    "answer-missing": (_asking(), [ROLE, GAP, STOP, USAGE]),
    "content-not-json": (_for_object(), [ROLE, _chunk({"content": '{"a": '}), GAP, STOP, USAGE]),
    "content-not-object": (_for_object(), [ROLE, GAP, _chunk({"content": "1"}), STOP, USAGE]),
    "content-off-schema": (_for_object("a"), [ROLE, GAP, _chunk({"content": "{}"}), STOP, USAGE]),
    "logprobs-missing": (_asking(logprobs=True), [ROLE, GAP, TEXT, STOP, USAGE]),
    "logprobs-text-mismatch": (
        _asking(logprobs=True),
        [ROLE, _chunk({"content": "Sunny."}, logprobs={"content": [TOKEN], "refusal": None}), GAP, TEXT, STOP, USAGE],
    ),
    "choice-count-mismatch": (_asking(n=2), [ROLE, GAP, TEXT, STOP, USAGE]),
    "choice-index-gap": (
        _asking(n=3),
        [
            SAYS,
            STOP,
            GAP,
            *(json.loads(json.dumps(one).replace('"index": 0', '"index": 2')) for one in (SAYS, STOP)),
            USAGE,
        ],
    ),
}
"""For each rule about something that an answer lacks, a request and a stream that lacks it, with the place of a gap."""


BAD = json.dumps(_chunk({"content": "half"}))
AGAIN = json.loads(json.dumps(BEGIN).replace("call_Fake1", "call_Fake2"))
_OTHER = json.dumps(AGAIN).replace('{"tool', '{"role": "assistant", "tool')
_ALL = set(rules.ANYTHING)
_PIECE = {"call", "text", "tokens"}
GAPS: dict[str, tuple[list[Any], set[str]]] = {
    "event-not-json": ([""], _ALL),
    "json-bad-utf8": ([BAD.replace("half", "\udcff")], _PIECE),
    "json-extra-data": ([json.dumps(ROLE) + " {"], _ALL),
    "json-lone-surrogate": ([BAD.replace("half", "\\ud800")], _PIECE),
    "json-syntax": ([BAD.replace('half"', 'half" 5')], _ALL),
    "json-too-deep": ([BAD.replace('"half"', "[" * 5000)], _ALL),
    "json-truncated": ([BAD[:-4]], _ALL),
    "chunk-index-duplicate": ([{**NO_CHOICES, "choices": _chunk({})["choices"] * 2}], _PIECE),
    "data-after-done": (["[DONE]", json.dumps(NO_CHOICES | {"choices": []})], {"choice"}),
    "tool-call-index-jump": ([_OTHER.replace('"index": 0, "id"', '"index": 7, "id"')], {"beginning"}),
    "tool-call-index-missing": ([_OTHER.replace('"index": 0, "id"', '"id"')], {"beginning", "call"}),
    "tool-call-index-reused": ([_OTHER], {"beginning", "call"}),
}
"""For each rule whose findings show a gap, events with such a finding, and what they may have held besides."""
_CARRIES = {"data-after-done", "tool-call-index-jump", "tool-call-index-missing", "tool-call-index-reused"}
"""Rules whose events bring something that other events may lack, or end the stream."""
_TWICE = [one for one in (ROLE, BEGIN, _fragment("{}"), END) for _ in range(2)]
_NAMED = _chunk({"tool_calls": [{"index": 0, "function": {"name": "look_up", "arguments": "{}"}}]})
REPEATING: dict[str, list[Any]] = {
    "chunk-repeated": _TWICE,
    "content-after-finish": [SAYS, STOP] * 2,
    "delta-after-finish": [SAYS, STOP, ROLE, STOP],
    "finish-reason-repeated": [SAYS, SAYS, STOP, STOP],
    "parallel-calls-despite-false": [ROLE, ROLE, BEGIN, AGAIN, _fragment("{}"), _fragment("{}"), END, END],
    "role-repeated": [SAYS, SAYS, STOP, STOP],
    "tool-call-id-changed": [ROLE, BEGIN, _fragment("{}", id="call_Fake2"), END, ROLE, END],
    "tool-call-index-reused": [ROLE, ROLE, BEGIN, AGAIN, _fragment("{}"), _fragment("{}"), END, END],
    "tool-call-name-repeated": [ROLE, BEGIN, _NAMED, END, ROLE, END],
}
"""For each rule about what is there once more, a stream that has it, and which two choices under one index may make."""


def _found(name: str, gap: list[Any]) -> set[str]:
    """Return the rules of all findings about the stream that lacks what this rule is about, with events in its gap."""
    request, events = LACKING[name]
    values = [value for one in events for value in (gap if one is GAP else [one])]
    end = [] if name == "done-missing" else ["[DONE]"]
    data = [value if isinstance(value, str) else json.dumps(value) for value in [*values, *end]]
    text = "".join(f"data: {one}\n\n" for one in data).encode("utf-8", "surrogateescape")
    return {finding.rule for finding in check(text, request=request, ignore=["schema"]).findings}


def test_the_tables_have_every_rule_that_gaps_concern() -> None:
    known = [rules.rule(name) for name in rules.names()]
    assert LACKING.keys() == {one.name for one in known if one.lacks is not None}
    assert GAPS.keys() == {one.name for one in known if one.hides}
    assert REPEATING.keys() == {one.name for one in known if one.repeats}


@pytest.mark.parametrize("name", LACKING)
def test_what_a_rule_finds_missing_may_have_been_in_an_event_that_nobody_can_read(name: str) -> None:
    assert name in _found(name, [])
    assert name not in _found(name, [""])


@pytest.mark.parametrize("gap", GAPS)
def test_an_event_hides_whatever_it_may_have_held_beside_what_can_be_read(gap: str) -> None:
    events, held = GAPS[gap]
    for name in LACKING:
        found = _found(name, events)
        if rules.rule(name).lacks in held:
            assert name not in found - {gap}
        elif gap not in _CARRIES and name != "stream-empty":
            assert name in found


@pytest.mark.parametrize("name", REPEATING)
def test_what_is_there_once_more_may_be_of_a_second_choice_under_the_same_index(name: str) -> None:
    request = {**REQUEST, "parallel_tool_calls": False, "stream_options": {"include_usage": False}}
    found = [_rules(*REPEATING[name], request=request | {"n": n}) for n in (1, 2)]
    assert [name in one for one in found] == [True, False]


def test_json_that_is_cut_into_two_events_may_have_held_what_the_answer_lacks() -> None:
    end = json.dumps(STOP)
    found = _found("finish-reason-missing", [end[:40], end[40:]])
    assert found & {"event-not-json", "finish-reason-missing"} == {"event-not-json"}
