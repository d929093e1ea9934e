"""Test the judge: each finding has its line and column in the capture file, and is reported once."""

from __future__ import annotations

import json
from typing import Any

import pytest
from payloads import COMPLETION as WITH_USAGE
from payloads import REQUEST, as_events
from reading import exchange_in, read_all

from isogloss.validator import check, engines
from isogloss.validator.dialects.explainers import FixedExplainer
from isogloss.validator.dialects.model import dialect
from isogloss.validator.exchange import Exchange
from isogloss.validator.findings import Finding, Severity
from isogloss.validator.judging.judge import Judge, Verdict

JUDGE = Judge(engines.load())
RULES = (
    "wrong-type", "null-value", "missing-property", "unknown-property", "usage-total-mismatch", "done-missing",
    "finish-reason-repeated", "json-trailing-comma", "json-duplicate-key",
)  # fmt: skip
COMPLETION = {name: value for name, value in WITH_USAGE.items() if name != "usage"}


def chunk(content: object = "Ho", finish: object = None, **more: object) -> dict[str, Any]:
    choice = {"index": 0, "delta": {"content": content}, "logprobs": None, "finish_reason": finish}
    return COMPLETION | {"object": "chat.completion.chunk", "choices": [choice | more]}


FIRST, LAST = chunk(delta={"role": "assistant", "content": "Ho"}), chunk("", "stop")


def judge_capture(data: bytes | str | Any, judge: Judge = JUDGE) -> list[Verdict]:
    if not isinstance(data, bytes):
        data = (data if isinstance(data, str) else json.dumps(data)).encode()
    exchanges = read_all(data)
    assert all(isinstance(exchange, Exchange) for exchange in exchanges)
    return [judge.judge(exchange) for exchange in exchanges if isinstance(exchange, Exchange)]


def findings(data: bytes | str | Any, *rules: str) -> list[Finding]:
    """Return what these rules, or all of :data:`RULES`, find in the capture. Other rules have tests of their own."""
    return [
        finding
        for verdict in judge_capture(data, Judge(engines.load(), active=rules or RULES))
        for finding in verdict.findings
    ]


def place_of_text(data: bytes | str, searched: str | bytes, occurrence: int = 0) -> tuple[int, int]:
    """Return line and column of an occurrence of a text in a capture, computed in another way than by the validator.

    `occurrence` says which one, counted from 0.
    """
    text = data.decode("utf-8") if isinstance(data, bytes) else data
    searched = searched.decode() if isinstance(searched, bytes) else searched
    offset = -1
    for _ in range(occurrence + 1):
        offset = text.index(searched, offset + 1)
    before = text[:offset].replace("\r\n", "\n").replace("\r", "\n")
    return before.count("\n") + 1, len(before) - before.rfind("\n")


def place_of(finding: Finding) -> tuple[int, int]:
    return finding.source.line, finding.source.column


# Places


def completion_with(name: str, value: object) -> dict[str, Any]:
    return COMPLETION | {name: value}


@pytest.mark.parametrize("indent", [None, 2])
def test_wrong_value_has_the_place_of_the_value(indent: int | None) -> None:
    data = json.dumps(completion_with("model", 12321), indent=indent)
    [finding] = findings(data)
    assert (finding.rule, finding.pointer, finding.path) == ("wrong-type", "/model", "model")
    assert place_of(finding) == place_of_text(data, "12321")


def test_unknown_property_has_the_place_of_its_name() -> None:
    data = json.dumps(completion_with("model", "m") | {"zusätzlich": {"model": 5}}, ensure_ascii=False, indent=1)
    [finding] = findings(data)
    assert finding.rule == "unknown-property"
    assert place_of(finding) == place_of_text(data, '"zusätzlich"')


def test_columns_count_characters_and_not_bytes() -> None:
    data = json.dumps({"user": "ἰσόγλωσσα 🗺️", "model": 12321} | completion_with("model", 12321), ensure_ascii=False)
    assert len(data.encode()) > len(data)
    assert place_of(findings(data, "wrong-type")[0]) == place_of_text(data, "12321")


def test_missing_property_has_the_place_of_its_object_and_the_pointer_of_the_property() -> None:
    completion = json.loads(json.dumps(COMPLETION))
    del completion["choices"][0]["message"]["role"]
    data = json.dumps(completion, indent=2)
    [finding] = findings(data)
    assert (finding.rule, finding.pointer) == ("missing-property", "/choices/0/message/role")
    assert finding.path == "choices[].message.role"
    assert place_of(finding) == place_of_text(data, "{", 2)


def test_missing_property_has_the_place_of_its_object_if_another_object_has_the_property() -> None:
    completion = json.loads(json.dumps(COMPLETION))
    first = completion["choices"][0]
    completion["choices"] = [{**first, "message": {"content": "a"}}, {**first, "index": 1}]
    data = json.dumps(completion, indent=2)
    assert data.count('"role"') == 1
    finding = next(one for one in findings(data) if one.pointer == "/choices/0/message/role")
    assert place_of(finding) == place_of_text(data, "{", 2)


def test_each_missing_property_is_a_finding() -> None:
    completion = {name: COMPLETION[name] for name in ("object", "choices")}
    assert [(finding.rule, finding.pointer) for finding in findings(completion)] == [
        ("missing-property", "/created"),
        ("missing-property", "/id"),
        ("missing-property", "/model"),
    ]


def test_finding_in_an_array_has_the_number_of_its_exchange() -> None:
    data = json.dumps([COMPLETION, COMPLETION | {"model": 12321}], indent=1)
    [finding] = findings(data)
    assert finding.pointer == "/model"
    assert finding.source.exchange == 1
    assert place_of(finding) == place_of_text(data, "12321")


def test_findings_in_request_and_response_are_placed_in_the_record() -> None:
    data = json.dumps({"request": REQUEST | {"model": 111222}, "response": completion_with("model", 333444)}, indent=1)
    request, response = findings(data)
    assert (request.kind, request.pointer, place_of(request)) == ("request", "/model", place_of_text(data, "111222"))
    assert (response.kind, response.pointer, place_of(response)) == (
        "completion",
        "/model",
        place_of_text(data, "333444"),
    )


def test_finding_in_json_lines_has_the_line_of_the_file() -> None:
    data = json.dumps(COMPLETION) + "\n\n" + json.dumps(completion_with("model", 12321)) + "\r\n"
    [finding] = findings(data)
    assert finding.source.exchange == 1
    assert place_of(finding) == place_of_text(data, "12321")


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_a_finding_in_a_stream_is_placed_in_its_event(line_end: str) -> None:
    events = [json.dumps(payload) for payload in (FIRST, chunk(12321), LAST)] + ["[DONE]"]
    data = ": hello" + line_end + line_end + "".join(f"data: {event}{line_end}{line_end}" for event in events)
    [finding] = findings(data)
    assert (finding.rule, finding.kind, finding.source.event) == ("wrong-type", "chunk", 1)
    assert place_of(finding) == place_of_text(data, "12321")


def test_finding_in_an_event_of_several_lines_is_placed_in_its_line() -> None:
    event = json.dumps(chunk(12321), indent=1).replace("\n", "\ndata:  ")
    data = f"data: {json.dumps(FIRST)}\n\ndata: {event}\n\ndata: {json.dumps(LAST)}\n\ndata: [DONE]\n\n"
    [finding] = findings(data)
    assert place_of(finding) == place_of_text(data, "12321")


@pytest.mark.parametrize("ensure_ascii", [True, False])
def test_a_finding_in_a_stream_inside_a_json_string_is_placed_in_the_file(ensure_ascii: bool) -> None:
    events = [json.dumps(payload, ensure_ascii=False) for payload in (chunk("Ὦ"), chunk(12321), LAST)] + ["[DONE]"]
    stream = "".join(f"data: {event}\n\n" for event in events)
    record = {"request": REQUEST | {"stream": True}, "sse": stream}
    data = json.dumps(record, indent=1, ensure_ascii=ensure_ascii)
    [finding] = findings(data)
    assert finding.source.event == 1
    assert place_of(finding) == place_of_text(data, "12321")


def test_a_finding_in_json_inside_a_json_string_is_placed_in_the_file() -> None:
    body = json.dumps(COMPLETION | {"system_fingerprint": 'a "quoted"\nword', "model": 12321}, indent=2)
    data = json.dumps([{"request": REQUEST, "response": COMPLETION}, {"request": REQUEST, "response_text": body}])
    [finding] = findings(data)
    assert place_of(finding) == place_of_text(data, "12321")


def test_chunks_in_an_array_are_placed_in_the_array() -> None:
    data = json.dumps([FIRST, chunk(12321), LAST], indent=1)
    [finding] = findings(data, "wrong-type")
    assert (finding.source.event, finding.pointer) == (1, "/choices/0/delta/content")
    assert place_of(finding) == place_of_text(data, "12321")


def test_chunks_of_json_lines_are_placed_in_their_line() -> None:
    data = "\n".join(json.dumps(payload) for payload in (FIRST, chunk(12321), LAST))
    [finding] = findings(data, "wrong-type")
    assert place_of(finding) == place_of_text(data, "12321")


def test_last_value_of_a_duplicate_property_is_judged_and_placed() -> None:
    data = json.dumps(COMPLETION)[:-1] + ', "model": 12321}'
    duplicate, wrong = findings(data, "json-duplicate-key", "wrong-type")
    assert {duplicate.rule, wrong.rule} == {"json-duplicate-key", "wrong-type"}
    assert place_of_text(data, "12321") in (place_of(duplicate), place_of(wrong))
    assert place_of_text(data, '"model"', 1) in (place_of(duplicate), place_of(wrong))


# Counting


def test_same_finding_on_many_chunks_becomes_one_with_a_count_placed_at_the_first() -> None:
    events = [chunk("Ho", reasoning="x") for _ in range(50)]
    data = as_events(FIRST, *events, LAST, "[DONE]")
    [finding] = findings(data, "unknown-property")
    assert (finding.count, finding.source.event) == (50, 1)
    assert place_of(finding) == place_of_text(data, '"reasoning"')


def test_the_same_finding_on_chunks_is_counted_apart_where_a_dialect_explains_it() -> None:
    chunk = {"object": "chat.completion.chunk", "choices": []}
    values: list[object] = [{"id": "req_1"}, 5, {"id": "req_2"}]
    found = check([chunk | {"x_groq": value} for value in values], dialect="groq").findings
    counted = {(one.explained_by, one.count) for one in found if one.path == "x_groq"}
    assert counted == {(("groq",), 2), ((), 1)}


def test_different_findings_on_chunks_are_not_collapsed() -> None:
    data = [FIRST, chunk(5), chunk(5, extra=1), chunk([]), LAST]
    found = findings(data, "wrong-type", "unknown-property")
    assert [(finding.rule, finding.count, finding.source.event) for finding in found] == [
        ("wrong-type", 2, 1),
        ("unknown-property", 1, 2),
        ("wrong-type", 1, 3),
    ]


def test_the_same_finding_in_one_payload_and_on_two_exchanges_is_not_collapsed() -> None:
    completion = json.loads(json.dumps(COMPLETION))
    completion["choices"] = [completion["choices"][0] | {"index": index, "extra": 1} for index in range(3)]
    found = findings([completion, completion], "unknown-property")
    assert [finding.pointer for finding in found] == [f"/choices/{index}/extra" for index in range(3)] * 2
    assert [finding.count for finding in found] == [1] * 6


def test_findings_come_in_the_order_of_their_places() -> None:
    data = json.dumps({"zz": 1} | COMPLETION | {"model": 5, "yy": 1})
    found = [place_of(finding) for finding in findings(data)]
    assert len(found) == 3
    assert found == sorted(found)


def test_findings_at_one_place_come_with_the_most_severe_first() -> None:
    [choice] = WITH_USAGE["choices"]
    lacking = {name: value for name, value in choice.items() if name not in ("index", "logprobs")}
    found = findings(WITH_USAGE | {"choices": [lacking]}, "documented-property-absent", "missing-property")
    assert [(one.rule, one.severity) for one in found] == [
        ("missing-property", Severity.ERROR),
        ("documented-property-absent", Severity.NOTE),
    ]
    assert len(set(map(place_of, found))) == 1


def test_fault_of_the_text_is_reported_once_at_its_place() -> None:
    pair = {"request": REQUEST, "response": COMPLETION}
    for value in (COMPLETION, pair, [COMPLETION, COMPLETION], [pair, pair]):
        text = json.dumps(value)
        data = text[:-1] + "," + text[-1]
        found = findings(data)
        assert [finding.rule for finding in found] == ["json-trailing-comma"]
        assert place_of(found[0]) == (1, len(data) - 1)


def test_fault_of_the_text_is_reported_even_if_the_first_item_is_skipped() -> None:
    text = json.dumps([{"a": 1}, COMPLETION, COMPLETION])
    data = text[:-2] + ",}]"
    found = [
        finding
        for exchange in read_all(data)
        if isinstance(exchange, Exchange)
        for finding in JUDGE.judge(exchange).findings
        if finding.rule == "json-trailing-comma"
    ]
    assert [place_of(finding) for finding in found] == [(1, len(data) - 2)]


def test_fault_in_the_text_of_one_event_is_placed_there_and_affects_no_other_event() -> None:
    events = [json.dumps(FIRST), json.dumps(FIRST)[:-1] + ",}", json.dumps(LAST), "[DONE]"]
    data = "".join(f"data: {event}\n\n" for event in events)
    [finding] = findings(data)
    assert (finding.rule, finding.kind, finding.source.event) == ("json-trailing-comma", "chunk", 1)
    assert place_of(finding) == place_of_text(data, ",}")


# Findings on a whole stream, and what verdicts count


def test_finding_on_a_whole_stream_has_the_kind_stream_and_an_empty_pointer() -> None:
    data = f"data: {json.dumps(FIRST)}\n\ndata: {json.dumps(LAST)}\n\n"
    [finding] = findings(data)
    assert (finding.rule, finding.kind, finding.pointer) == ("done-missing", "stream", "")


_BAD_REQUEST = {"message": "No", "type": "BadRequestError", "param": None, "code": "400"}


@pytest.mark.parametrize("error", [{"error": _BAD_REQUEST}, {"object": "error"} | _BAD_REQUEST])
def test_error_in_a_stream_is_an_error_for_every_rule_with_and_without_an_error_object(error: dict[str, Any]) -> None:
    data = f"data: {json.dumps(FIRST)}\n\ndata: {json.dumps(error)}\n\n"
    assert [finding.rule for finding in findings(data, "error-in-stream", "done-missing")] == ["error-in-stream"]
    record = {"request": REQUEST | {"stream": True}, "expected_status": [400], "status": 200, "sse": data}
    [accepted] = findings(record, "bad-request-accepted")
    assert accepted.message == "refused only inside a stream that had begun with 200, where 400 is expected"
    [first] = findings(record, "bad-request-accepted", "error-in-stream")
    assert first.rule == "error-in-stream"
    faulty = data.replace('"No"', '"No", "message": "No"')
    assert [finding.kind for finding in findings(faulty, "json-duplicate-key")] == ["error"]


def test_a_refusal_with_the_status_of_a_success_is_no_accepted_request() -> None:
    record = {"request": REQUEST, "expected_status": [400], "status": 200, "response": {"error": _BAD_REQUEST}}
    rules = ("bad-request-accepted", "error-with-success-status")
    assert [finding.rule for finding in findings(record, *rules)] == ["error-with-success-status"]


def test_findings_of_rules_that_a_probe_excuses_are_left_out() -> None:
    usage = {"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 5}
    record = {"request": REQUEST, "response": COMPLETION | {"usage": usage}, "expected_status": [200]}
    assert [finding.rule for finding in findings(record, "usage-total-mismatch")] == ["usage-total-mismatch"]
    assert findings(record | {"excused_rules": ["usage-total-mismatch"]}, "usage-total-mismatch") == []


def test_error_in_the_request_hides_no_error_of_the_folded_completion() -> None:
    chunks = [chunk(delta={"role": "user", "content": "Ho"}), LAST]
    for request in (REQUEST, REQUEST | {"temperature": "hot"}):
        found = findings({"request": request | {"stream": True}, "chunks": chunks}, "unknown-value", "wrong-type")
        assert "completion" in {finding.kind for finding in found if finding.rule == "unknown-value"}, request
    assert {(finding.rule, finding.kind) for finding in found} >= {("wrong-type", "request")}


def test_finding_on_the_folded_completion_has_the_event_in_which_its_part_began() -> None:
    usage = {"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 5}
    last = FIRST | {"choices": [], "usage": usage}
    data = as_events(FIRST, LAST, last, "[DONE]")
    [finding] = findings(data)
    assert (finding.rule, finding.kind, finding.source.event) == ("usage-total-mismatch", "completion", 2)
    assert finding.source.line == 5


def test_payloads_are_counted_by_kind_and_streams_apart() -> None:
    [verdict] = judge_capture({"request": REQUEST | {"stream": True}, "chunks": [FIRST, {"error": {"message": "No"}}]})
    assert (verdict.examined.contents.kinds, verdict.examined.contents.streams) == (("request",), 1)
    assert verdict.examined.events == {"chunk": 1, "error": 1}
    [verdict] = judge_capture({"request": REQUEST, "response": COMPLETION})
    assert (verdict.examined.contents.kinds, verdict.examined.contents.streams) == (("request", "completion"), 0)
    assert verdict.examined.events == {}


def test_severities_can_be_overridden_by_rule() -> None:
    data = completion_with("extra", 1)
    assert [finding.severity for finding in findings(data, "unknown-property")] == [Severity.NOTE]
    strict = Judge(engines.load(), active=["unknown-property"], severities={"unknown-property": Severity.ERROR})
    [verdict] = judge_capture(data, strict)
    assert [finding.severity for finding in verdict.findings] == [Severity.ERROR]


def test_nothing_that_follows_is_lost_in_a_finding_whose_severity_was_overridden() -> None:
    data = {"request": REQUEST | {"straem": True}, "chunks": [FIRST, LAST]}
    [strict] = judge_capture(data)
    [lax] = judge_capture(data, Judge(engines.load(), severities={"unknown-property": Severity.NOTE}))
    assert ("unknown-property", Severity.ERROR) in {(one.rule, one.severity) for one in strict.findings}
    assert {("unknown-property", Severity.NOTE), ("stream-unasked", Severity.ERROR)} <= {
        (one.rule, one.severity) for one in lax.findings
    }
    assert len(lax.findings) == len(strict.findings) + 1


def test_what_a_dialect_explains_is_a_note_whatever_severity_its_rule_was_given() -> None:
    judge = Judge(
        engines.load(), severities={"unknown-property": Severity.ERROR}, explainer=FixedExplainer(dialect("groq"))
    )
    exchange = exchange_in(json.dumps(WITH_USAGE | {"x_groq": {"id": "req_1"}, "warp": 1}).encode(), "answer.json")
    severities = {one.path: one.severity for one in judge.judge(exchange).findings if one.rule == "unknown-property"}
    assert severities == {"x_groq": Severity.NOTE, "warp": Severity.ERROR}


def test_finding_of_the_schema_names_the_violated_keyword() -> None:
    [finding] = findings(completion_with("model", 5))
    assert finding.schema == "urn:isogloss:bundle:completion:strict#/properties/model/type"
    [finding] = findings(completion_with("usage", {"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 5}))
    assert finding.schema is None
