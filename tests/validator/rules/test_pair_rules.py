"""Test the rules about an answer and its request: with any JSON, and in cases that no fixture can show."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from changed_payloads import JSON, replace_value
from hypothesis import given, settings
from hypothesis import strategies as st
from json_texts import pointers
from payloads import COMPLETION, REQUEST, as_events
from reading import exchange_in, findings_in
from rule_hits import messages, stream_of

from isogloss.validator import rules
from isogloss.validator.exchange import Exchange, Payload, Stream
from isogloss.validator.findings import Finding, Severity
from isogloss.validator.pointer import ABSENT, follow
from isogloss.validator.rules import Hit
from isogloss.validator.rules.pairing import Demand, Pair, demand
from isogloss.validator.streams.fold import fold
from isogloss.validator.streams.trace import Trace
from isogloss.validator.text import Text
from isogloss.validator.views import Completion, Request

FIXTURES = Path(__file__).parents[3] / "fixtures" / "pair"
ODD_VALUES: list[Any] = [
    None, True, 0, -1, 2, 1.5, "", "none", "required", "stop", "{}", "[", "\ud800", [], [None], [[]], [{}], {},
    {"type": "function"}, {"type": []}, {"name": []}, {"include_usage": 1}, {"$ref": "#"},
    {"type": "object", "required": ["a"]},
]  # fmt: skip


def request_and_answer(exchange: Exchange) -> tuple[Any, Any]:
    """Return the request, and the answer as an object or as the events of a stream."""
    assert exchange.request is not None
    assert exchange.response is not None
    body = exchange.response
    assert isinstance(body, Payload | Stream)
    return exchange.request.value, body.value if isinstance(body, Payload) else body.values


SAMPLES = [request_and_answer(exchange_in(path)) for path in sorted(FIXTURES.glob("*/*.json"))]


def pair_of(request: Any, answer: Any) -> Pair:
    if isinstance(answer, list):
        trace = Trace(Stream(values=answer, text=Text(b"")))
        folded = fold(trace)
        return Pair(Request(request), Completion(folded.value, folded=True) if folded else None, trace)
    return Pair(Request(request), Completion(answer) if isinstance(answer, dict) else None, None)


def hits(pair: Pair) -> Iterator[Hit]:
    for _, check in rules.checks("pair"):
        yield from check(pair)


def assert_valid_hits(request: Any, answer: Any) -> None:
    """Check that each hit has a pointer into the answer, the value there, and a message of one printable line."""
    if not isinstance(request, dict):
        return
    pair = pair_of(request, answer)
    for hit in hits(pair):
        assert hit.message.isprintable()
        if hit.event is not None:
            whole = answer[hit.event]
        else:
            assert pair.completion is not None
            whole = pair.completion.value
        if hit.pointer:
            parent = follow(whole, hit.pointer[:-1])
            assert isinstance(parent, dict | list)
            if hit.value is not ABSENT:
                assert follow(whole, hit.pointer) == hit.value


@pytest.mark.thorough
@pytest.mark.parametrize("sample", range(0, len(SAMPLES), 3))
def test_no_rule_raises_on_one_odd_value_anywhere_in_the_request(sample: int) -> None:
    request, answer = SAMPLES[sample]
    for pointer in pointers(request):
        for odd in ODD_VALUES:
            assert_valid_hits(replace_value(request, pointer, odd), answer)


@settings(max_examples=4 * settings().max_examples)
@given(st.data(), st.sampled_from(SAMPLES), st.sampled_from(ODD_VALUES) | JSON)
def test_no_rule_raises_on_an_odd_value_in_the_answer(data: st.DataObject, sample: tuple[Any, Any], odd: Any) -> None:
    request, answer = sample
    assert_valid_hits(request, replace_value(answer, data.draw(st.sampled_from(pointers(answer))), odd))


@settings(max_examples=2 * settings().max_examples)
@given(st.dictionaries(st.text(max_size=5), JSON, max_size=3) | JSON, JSON)
def test_no_rule_raises_on_any_json(request_body: Any, answer: Any) -> None:
    assert_valid_hits(request_body, answer)


def findings_of(rule: str, findings: list[Finding]) -> list[Finding]:
    return [finding for finding in findings if finding.rule == rule]


def load_fixture(path: str) -> dict[str, Any]:
    record: dict[str, Any] = json.loads((FIXTURES / path).read_bytes())
    return record


ERROR = 'data: {"error":{"message":"Fake overload","type":"server_error","param":null,"code":null}}\n\n'


def break_off(record: dict[str, Any], events: int) -> dict[str, Any]:
    """Return the record of a stream that an error cuts off after this number of events."""
    return {**record, "sse": "".join(event + "\n\n" for event in record["sse"].split("\n\n")[:events]) + ERROR}


def test_no_missing_usage_call_or_choice_is_reported_in_a_stream_that_an_error_ends() -> None:
    names = {"asked-usage-missing", "choice-count-mismatch", "forced-call-missing"}
    for path in ("asked-usage-missing/invalid-asked.json", "choice-count-mismatch/invalid-stream.json"):
        assert names & {finding.rule for finding in findings_in(load_fixture(path))}
        assert not names & {finding.rule for finding in findings_in(break_off(load_fixture(path), 2))}
    forced = load_fixture("choice-count-mismatch/invalid-stream.json")
    forced["request"]["tools"] = [{"type": "function", "function": {"name": "now"}}]
    forced["request"]["tool_choice"] = "required"
    assert findings_of("forced-call-missing", findings_in(forced))
    assert not findings_of("forced-call-missing", findings_in(break_off(forced, 2)))


@pytest.mark.parametrize(
    ("events", "reported"),
    [
        (["last", "[DONE]"], True),
        (["last"], True),
        (["[DONE]"], True),  # it is the end even where no choice has a reason
        (["other choice", "last"], False),
        (["last", 'data: {"id"'], False),
    ],
)
def test_usage_is_missing_only_in_a_stream_that_has_ended(events: list[str], reported: bool) -> None:
    record = load_fixture("asked-usage-missing/invalid-asked.json")
    role, text, last, done, _ = (f"{event}\n\n" for event in record["sse"].split("\n\n"))
    other_choice = role.replace('"index":0', '"index":1')
    named = {"last": last, "other choice": other_choice, "[DONE]": done}
    record["sse"] = role + text + "".join(named.get(event, event) for event in events)
    assert bool(findings_of("asked-usage-missing", findings_in(record))) == reported


def test_no_usage_is_missing_in_a_stream_that_has_not_begun() -> None:
    record = load_fixture("asked-usage-missing/invalid-asked.json")
    chunk = json.loads(record["sse"].partition("\n")[0].removeprefix("data: "))
    record["sse"] = f"data: {json.dumps(chunk | {'choices': []})}\n\n"
    assert not findings_of("asked-usage-missing", findings_in(record))


def test_stop_beside_a_call_is_one_finding_and_an_error_only_if_the_request_is_known() -> None:
    record = load_fixture("calls-with-stop/invalid-auto.json")
    alone = findings_in(record["response"])
    assert [(finding.rule, finding.severity) for finding in alone] == [("stop-with-tool-calls", Severity.NOTE)]
    with_request = [finding for finding in findings_in(record) if finding.path == "choices[].finish_reason"]
    assert [(finding.rule, finding.severity) for finding in with_request] == [("calls-with-stop", Severity.ERROR)]


@pytest.mark.parametrize(("choice", "reported"), [("required", False), ("auto", True)])
def test_audio_model_may_end_a_call_that_it_had_to_make_with_stop(choice: str, reported: bool) -> None:
    record = load_fixture("calls-with-stop/invalid-auto.json")
    record["request"]["tool_choice"] = choice
    record["response"]["created"] = 1_790_000_000
    assert findings_of("calls-with-stop", findings_in(record))
    record["response"]["model"] = "gpt-audio-2025-08-28"
    assert bool(findings_of("calls-with-stop", findings_in(record))) == reported


@pytest.mark.parametrize(
    ("strict", "calls", "severity"),
    [(True, 1, Severity.ERROR), (True, 2, Severity.WARNING), (False, 1, Severity.WARNING), (None, 2, Severity.WARNING)],
)
def test_arguments_that_break_a_strict_schema_are_an_error_only_in_a_single_call(
    strict: bool | None, calls: int, severity: Severity
) -> None:
    record = load_fixture("arguments-off-schema/invalid-strict.json")
    record["request"]["tools"][0]["function"]["strict"] = strict
    message = record["response"]["choices"][0]["message"]
    message["tool_calls"] = [{**message["tool_calls"][0], "id": f"call_{number}"} for number in range(calls)]
    found = findings_of("arguments-off-schema", findings_in(record))
    assert [finding.severity for finding in found] == [severity] * calls


def test_content_that_breaks_its_schema_is_an_error_only_if_the_request_says_strict() -> None:
    record = load_fixture("content-off-schema/invalid-strict.json")
    assert [finding.severity for finding in findings_of("content-off-schema", findings_in(record))] == [Severity.ERROR]
    record["request"]["response_format"]["json_schema"]["strict"] = False
    assert [finding.severity for finding in findings_of("content-off-schema", findings_in(record))] == [Severity.NOTE]


def test_message_names_the_keyword_and_the_pointer_but_no_content() -> None:
    record = load_fixture("arguments-off-schema/invalid-strict.json")
    (finding,) = findings_of("arguments-off-schema", findings_in(record))
    assert finding.message == "the arguments break enum at `/unit` of the tool's parameters"
    assert finding.pointer == "/choices/0/message/tool_calls/0/function/arguments"


def test_finding_about_a_call_of_a_stream_has_the_event_in_which_the_call_begins() -> None:
    (finding,) = findings_of("calls-despite-none", findings_in(load_fixture("calls-despite-none/invalid-stream.json")))
    assert (finding.kind, finding.source.event) == ("completion", 0)


def test_message_names_json_in_a_fence_and_json_that_is_sent_twice() -> None:
    for path, words in (("invalid-fence.json", "a Markdown fence"), ("invalid-twice.json", "document twice")):
        (finding,) = findings_of("content-not-json", findings_in(load_fixture(f"content-not-json/{path}")))
        assert words in finding.message
        assert finding.severity is (Severity.WARNING if "twice" in words else Severity.ERROR)


VALID = [
    record
    for path in sorted(FIXTURES.glob("*/valid-*.json"))
    if isinstance((record := json.loads(path.read_bytes())).get("request"), dict)
]


def options_of(request: dict[str, Any]) -> list[tuple[str | int, ...]]:
    """Return the pointers of options of a request and in them, but of no name and in no schema: these may be others."""
    found = [at for at in pointers(request) if at and at[0] not in ("messages", "model")]
    return [at for at in found if at[-1] != "name" and not {"parameters", "schema"}.intersection(at[:-1])]


@settings(max_examples=4 * settings().max_examples)
@given(
    st.data(),
    st.sampled_from([record for record in VALID if options_of(record["request"])]),
    st.sampled_from([True, 1.5, "Odd", [None], ["Odd"]]),
)
def test_an_option_in_a_form_that_the_reference_does_not_know_is_no_fault_of_the_answer(
    data: st.DataObject, record: dict[str, Any], form: object
) -> None:
    at = data.draw(st.sampled_from(options_of(record["request"])))
    found = findings_in(record | {"request": replace_value(record["request"], at, form)})
    kinds = {one.kind for one in found if one.severity > Severity.NOTE}
    assert kinds <= {"request"} or "request" not in kinds  # where the reference knows the form, the answer counts


def allowed(names: list[str | None]) -> dict[str, Any]:
    """Return a `tool_choice` that allows functions with these names, or without a name."""
    tools = [{"type": "function", "function": {} if name is None else {"name": name}} for name in names]
    return {"type": "allowed_tools", "allowed_tools": {"mode": "auto", "tools": tools}}


@pytest.mark.parametrize(
    ("request_body", "expected"),
    [
        ({}, Demand("auto")),
        ({"tool_choice": "none"}, Demand("none")),
        ({"tool_choice": "any"}, Demand("unknown")),
        ({"tool_choice": []}, Demand("unknown")),
        ({"tool_choice": {"type": "function", "function": {"name": "now"}}}, Demand("named", frozenset({"now"}))),
        ({"tool_choice": {"type": "custom", "custom": {"name": "now"}}}, Demand("named", frozenset({"now"}))),
        ({"tool_choice": {"type": "function", "function": {}}}, Demand("unknown")),
        ({"tool_choice": {"type": "tool", "name": "now"}}, Demand("unknown")),
        ({"function_call": {"nme": "now"}}, Demand("unknown")),
        ({"function_call": {"name": "now"}}, Demand("named", frozenset({"now"}), "function_call")),
        ({"function_call": "none"}, Demand("none")),
        ({"tool_choice": {"type": "allowed_tools", "allowed_tools": {"mode": "required"}}}, Demand("required")),
        ({"tool_choice": allowed(["now", "now"])}, Demand("auto", frozenset({"now"}))),
        ({"tool_choice": allowed(["now", None])}, Demand("auto")),
    ],
)  # fmt: skip
def test_tool_choice_demands_certain_calls(request_body: dict[str, Any], expected: Demand) -> None:
    assert demand(Request(request_body)) == expected


@pytest.mark.parametrize(
    ("options", "is_unasked"),
    [
        ({}, True),
        ({"stream_options": None}, True),
        ({"stream_options": {"include_usage": False}}, True),
        ({"stream_options": {"include_usage": "true"}}, False),
        ({"stream_options": {"include_usage": 1}}, False),
        ({"stream_options": True}, False),
    ],
)
def test_usage_may_be_asked_for_in_another_form(options: dict[str, Any], *, is_unasked: bool) -> None:
    chunk = COMPLETION | {"object": "chat.completion.chunk", "choices": []}
    request = Request(REQUEST | {"stream": True} | options)
    assert bool(messages("usage-unasked", Pair(request, None, stream_of(chunk)))) is is_unasked


@pytest.mark.parametrize(
    ("wanted", "is_unasked"), [(None, True), (False, True), (True, False), (5, False), (0, False), ("true", False)]
)
def test_log_probabilities_may_be_asked_for_in_another_form(wanted: object, *, is_unasked: bool) -> None:
    choice = COMPLETION["choices"][0] | {"logprobs": {"content": [{"token": "Ho"}]}}
    pair = Pair(Request(REQUEST | {"logprobs": wanted}), Completion(COMPLETION | {"choices": [choice]}), None)
    assert bool(messages("logprobs-unasked", pair)) is is_unasked


@pytest.mark.parametrize(
    "declared",
    [
        {"tools": [{"name": "now", "input_schema": {"type": "object"}}]},
        {"tools": [{"type": "function", "name": "now", "parameters": {}}]},
        {"tools": [{"function_declarations": [{"name": "now"}]}]},
        {"tools": [{"type": "function", "function": {"name": "other"}}, {"type": "web_search"}]},
        {"tools": {"now": {}}},
        {"tools": ["now"]},
        {"functions": [{"nme": "now"}]},
    ],
)
def test_a_call_may_be_of_a_tool_that_the_request_declares_in_another_form(declared: dict[str, Any]) -> None:
    record = load_fixture("tool-undeclared/invalid-no-tools.json")
    assert findings_of("tool-undeclared", findings_in(record))
    record["request"] |= declared
    found = findings_in(record)
    assert not findings_of("tool-undeclared", found)
    assert any(one.kind == "request" and one.severity is Severity.ERROR for one in found)


@pytest.mark.parametrize("tool_choice", [{"type": "tool", "name": "now"}, {"type": "function", "name": "now"}, "TOOL"])
def test_a_tool_choice_of_another_form_may_name_the_tool_beside_whose_call_is_stop(tool_choice: object) -> None:
    record = load_fixture("calls-with-stop/invalid-auto.json")
    name = record["request"]["tools"][0]["function"]["name"]
    record["request"]["tool_choice"] = name if tool_choice == "TOOL" else tool_choice
    found = findings_in(record)
    assert not findings_of("calls-with-stop", found)
    assert findings_of("stop-with-tool-calls", found)


def test_calls_of_a_tool_with_an_expensive_schema_share_one_budget() -> None:
    """Check that calls share a budget. Each call alone needs a million visits: without sharing, this takes minutes."""
    steps: dict[str, Any] = {f"s{i}": {"anyOf": [{"$ref": f"#/$defs/s{i + 1}"}] * 2} for i in range(17)}
    parameters = {"type": "object", "allOf": [{"$ref": "#/$defs/s0"}], "$defs": steps | {"s17": {"required": ["a"]}}}
    call = {"type": "function", "function": {"name": "now", "arguments": "{}"}}
    answer = {"choices": [{"finish_reason": "tool_calls", "message": {"tool_calls": [call] * 1000}}]}
    tools = [{"type": "function", "function": {"name": "now", "parameters": parameters}}]
    check = dict(rules.checks("pair"))["arguments-off-schema"]
    assert 1 <= len(list(check(pair_of({"tools": tools}, answer)))) < 100


def test_search_models_ignore_the_token_limit_and_no_other_model_may() -> None:
    record = load_fixture("token-limit-exceeded/invalid-max-completion-tokens.json")
    assert findings_of("token-limit-exceeded", findings_in(record))
    record["response"]["model"] = "gpt-4o-mini-search-preview-2025-03-11"
    assert not findings_of("token-limit-exceeded", findings_in(record))


@pytest.mark.parametrize(("last", "reported"), [({"audio": {"expires_at": 1}}, False), ({}, True)])
def test_limit_is_masked_only_by_a_finish_reason_that_was_sent(last: dict[str, Any], reported: bool) -> None:
    envelope = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "gpt-audio"}
    end: dict[str, Any] = {"index": 0, "delta": last}
    if reported:
        end["finish_reason"] = "stop"
    first = {"index": 0, "delta": {"role": "assistant", "audio": {"transcript": "Hi"}}, "finish_reason": None}
    chunks: list[dict[str, Any]] = [{**envelope, "choices": [choice]} for choice in (first, end)]
    usage = {"prompt_tokens": 1, "completion_tokens": 16, "total_tokens": 17}
    chunks.append({**envelope, "choices": [], "usage": usage})
    request = {
        "model": "gpt-audio",
        "messages": [{"role": "user", "content": "Hi"}],
        "stream": True,
        "stream_options": {"include_usage": True},
        "max_completion_tokens": 16,
    }
    sse = as_events(*chunks, "[DONE]")
    record = {"request": request, "status": 200, "content_type": "text/event-stream", "sse": sse}
    assert bool(findings_of("length-masked", findings_in(record))) == reported


@pytest.mark.parametrize(
    ("expression", "text", "reported"),
    [
        (r"^(?P<hour>\d\d):(?P<minute>\d\d)$", "12:00", False),
        (r"^(?P<hour>\d\d):(?P<minute>\d\d)$", "noon", True),
        (r"\d\d", "at 12", False),
        (r"^[a-z]+$", "one two", True),
        (r"(?s)^.+$", "one\ntwo", False),
        (r"(?i:^ONE$)", "two", False),
        (r"^\w+$", "\u00e9", False),
        (r"[", "one", False),
        (r"(a+)+$", "a" * 40 + "b", True),
    ],
)
def test_input_of_a_custom_call_is_matched_only_where_engines_agree(expression: str, text: str, reported: bool) -> None:
    record = load_fixture("custom-input-off-grammar/invalid-regex.json")
    record["request"]["tools"][0]["custom"]["format"]["grammar"]["definition"] = expression
    record["response"]["choices"][0]["message"]["tool_calls"][0]["custom"]["input"] = text
    assert bool(findings_of("custom-input-off-grammar", findings_in(record))) == reported


@pytest.mark.parametrize("model", ["gpt-4o-search-preview", "gpt-4o-mini-search-preview-2025-03-11", "gpt-4o"])
def test_what_a_model_finds_in_a_search_counts_for_no_limit(model: str) -> None:
    choice = {"index": 0, "message": {"role": "assistant", "content": "Ho"}, "finish_reason": "stop"}
    answer = {"model": model, "choices": [choice], "usage": {"completion_tokens": 9}}
    pair = pair_of({"messages": [], "max_tokens": 5}, answer)
    found = list(dict(rules.checks("pair"))["token-limit-exceeded"](pair))
    assert bool(found) is (model == "gpt-4o")


@pytest.mark.parametrize(("stop", "is_found"), [([""], False), ("", False), ([5, None], False), (["", "o"], True)])
def test_only_a_text_can_be_a_stop_sequence(stop: object, *, is_found: bool) -> None:
    choice = {"index": 0, "message": {"role": "assistant", "content": "Ho"}, "finish_reason": "stop"}
    pair = pair_of({"messages": [], "stop": stop}, {"choices": [choice]})
    assert bool(list(dict(rules.checks("pair"))["stop-sequence-in-content"](pair))) is is_found


@pytest.mark.parametrize(
    "fence", ["%s", "```\n%s\n```", "```json\n%s```", "```tool_code\n%s```", "```tool_call\n%s```"]
)
def test_a_call_may_stand_in_any_fence_of_calls(fence: str) -> None:
    tool = {"type": "function", "function": {"name": "look_up"}}
    message = {"role": "assistant", "content": fence % '{"name": "look_up", "arguments": {}}'}
    pair = pair_of({"messages": [], "tools": [tool]}, {"choices": [{"index": 0, "message": message}]})
    assert list(dict(rules.checks("pair"))["call-as-text"](pair))
