"""From exchanges to findings: each has its line and column in the capture file, and is reported once."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest

from isogloss.validator import captures, engines
from isogloss.validator.exchange import Exchange
from isogloss.validator.findings import Finding, Severity
from isogloss.validator.judging.judge import Judge, Verdict

JUDGE = Judge(engines.load())
RULES = (
    "wrong-type", "null-value", "missing-property", "unknown-property", "usage-total-mismatch", "done-missing",
    "finish-reason-repeated", "json-trailing-comma", "json-duplicate-key",
)  # fmt: skip
REQUEST: dict[str, Any] = {"model": "m", "messages": [{"role": "user", "content": "Hi"}]}
COMPLETION: dict[str, Any] = {
    "id": "chatcmpl-Fake1",
    "object": "chat.completion",
    "created": 1760000000,
    "model": "m",
    "choices": [
        {
            "index": 0,
            "message": {"role": "assistant", "content": "Ho", "refusal": None},
            "logprobs": None,
            "finish_reason": "stop",
        }
    ],
}


def chunk(content: object = "Ho", finish: object = None, **more: object) -> dict[str, Any]:
    choice = {"index": 0, "delta": {"content": content}, "logprobs": None, "finish_reason": finish}
    return COMPLETION | {"object": "chat.completion.chunk", "choices": [choice | more]}


FIRST, LAST = chunk(delta={"role": "assistant", "content": "Ho"}), chunk("", "stop")


def verdicts(data: bytes | str | Any, judge: Judge = JUDGE) -> list[Verdict]:
    if not isinstance(data, bytes):
        data = (data if isinstance(data, str) else json.dumps(data)).encode()
    found = list(captures.read(captures.Capture(io.BytesIO(data), "capture")))
    assert all(isinstance(one, Exchange) for one in found)
    return [judge.judge(one) for one in found if isinstance(one, Exchange)]


def findings(data: bytes | str | Any, *rules: str) -> list[Finding]:
    """Return what these rules, or all of :data:`RULES`, find in the capture. Other rules have tests of their own."""
    return [
        finding
        for verdict in verdicts(data, Judge(engines.load(), active=rules or RULES))
        for finding in verdict.findings
    ]


def place(data: bytes | str, marked: str | bytes, number: int = 0) -> tuple[int, int]:
    """Return line and column of an occurrence of a text in a capture, computed in another way than in the validator.

    `number` says which occurrence, counted from 0.
    """
    text = data.decode("utf-8") if isinstance(data, bytes) else data
    marked = marked.decode() if isinstance(marked, bytes) else marked
    offset = -1
    for _ in range(number + 1):
        offset = text.index(marked, offset + 1)
    before = text[:offset].replace("\r\n", "\n").replace("\r", "\n")
    return before.count("\n") + 1, len(before) - before.rfind("\n")


def at(finding: Finding) -> tuple[int, int]:
    return finding.source.line, finding.source.column


# Places


def with_member(name: str, value: object) -> dict[str, Any]:
    return COMPLETION | {name: value}


@pytest.mark.parametrize("indent", [None, 2])
def test_a_wrong_value_is_found_where_it_stands(indent: int | None) -> None:
    data = json.dumps(with_member("model", 12321), indent=indent)
    [finding] = findings(data)
    assert (finding.rule, finding.pointer, finding.path) == ("wrong-type", "/model", "model")
    assert at(finding) == place(data, "12321")


def test_an_unknown_property_is_found_at_its_name() -> None:
    data = json.dumps(with_member("model", "m") | {"zusätzlich": {"model": 5}}, ensure_ascii=False, indent=1)
    [finding] = findings(data)
    assert finding.rule == "unknown-property"
    assert at(finding) == place(data, '"zusätzlich"')


def test_columns_count_characters_and_not_bytes() -> None:
    data = json.dumps({"user": "ἰσόγλωσσα 🗺️", "model": 12321} | with_member("model", 12321), ensure_ascii=False)
    assert len(data.encode()) > len(data)
    assert at(findings(data, "wrong-type")[0]) == place(data, "12321")


def test_something_missing_is_found_at_the_object_that_lacks_it_and_pointed_to_where_it_should_be() -> None:
    value = json.loads(json.dumps(COMPLETION))
    del value["choices"][0]["message"]["role"]
    data = json.dumps(value, indent=2)
    [finding] = findings(data)
    assert (finding.rule, finding.pointer) == ("missing-property", "/choices/0/message/role")
    assert finding.path == "choices[].message.role"
    assert at(finding) == place(data, "{", 2)


def test_several_missing_properties_are_a_finding_each() -> None:
    value = {name: COMPLETION[name] for name in ("object", "choices")}
    assert [(one.rule, one.pointer) for one in findings(value)] == [
        ("missing-property", "/created"),
        ("missing-property", "/id"),
        ("missing-property", "/model"),
    ]


def test_a_finding_in_an_array_says_which_exchange_it_is_in() -> None:
    data = json.dumps([COMPLETION, COMPLETION | {"model": 12321}], indent=1)
    [finding] = findings(data)
    assert finding.pointer == "/model"
    assert finding.source.exchange == 1
    assert at(finding) == place(data, "12321")


def test_both_halves_of_a_pair_are_placed_in_the_record() -> None:
    data = json.dumps({"request": REQUEST | {"model": 111222}, "response": with_member("model", 333444)}, indent=1)
    request, response = findings(data)
    assert (request.kind, request.pointer, at(request)) == ("request", "/model", place(data, "111222"))
    assert (response.kind, response.pointer, at(response)) == ("completion", "/model", place(data, "333444"))


def test_lines_of_json_lines_are_lines_of_the_file() -> None:
    data = json.dumps(COMPLETION) + "\n\n" + json.dumps(with_member("model", 12321)) + "\r\n"
    [finding] = findings(data)
    assert finding.source.exchange == 1
    assert at(finding) == place(data, "12321")


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_finding_in_a_stream_is_placed_in_its_event(end: str) -> None:
    events = [json.dumps(one) for one in (FIRST, chunk(12321), LAST)] + ["[DONE]"]
    data = ": hello" + end + end + "".join(f"data: {event}{end}{end}" for event in events)
    [finding] = findings(data)
    assert (finding.rule, finding.kind, finding.source.event) == ("wrong-type", "chunk", 1)
    assert at(finding) == place(data, "12321")


def test_a_finding_in_data_over_several_lines_is_placed_in_its_line() -> None:
    event = json.dumps(chunk(12321), indent=1).replace("\n", "\ndata:  ")
    data = f"data: {json.dumps(FIRST)}\n\ndata: {event}\n\ndata: {json.dumps(LAST)}\n\ndata: [DONE]\n\n"
    [finding] = findings(data)
    assert at(finding) == place(data, "12321")


@pytest.mark.parametrize("ensure_ascii", [True, False])
def test_a_finding_in_a_stream_inside_a_json_string_is_placed_in_the_file(ensure_ascii: bool) -> None:
    events = [json.dumps(one, ensure_ascii=False) for one in (chunk("Ὦ"), chunk(12321), LAST)] + ["[DONE]"]
    stream = "".join(f"data: {event}\n\n" for event in events)
    record = {"request": REQUEST | {"stream": True}, "sse": stream}
    data = json.dumps(record, indent=1, ensure_ascii=ensure_ascii)
    [finding] = findings(data)
    assert finding.source.event == 1
    assert at(finding) == place(data, "12321")


def test_a_finding_in_json_inside_a_json_string_is_placed_in_the_file() -> None:
    body = json.dumps(COMPLETION | {"system_fingerprint": 'a "quoted"\nword', "model": 12321}, indent=2)
    data = json.dumps([{"request": REQUEST, "response": COMPLETION}, {"request": REQUEST, "response_text": body}])
    [finding] = findings(data)
    assert at(finding) == place(data, "12321")


def test_chunks_in_an_array_are_placed_in_the_array() -> None:
    data = json.dumps([FIRST, chunk(12321), LAST], indent=1)
    [finding] = findings(data, "wrong-type")
    assert (finding.source.event, finding.pointer) == (1, "/choices/0/delta/content")
    assert at(finding) == place(data, "12321")


def test_chunks_of_json_lines_are_placed_in_their_line() -> None:
    data = "\n".join(json.dumps(one) for one in (FIRST, chunk(12321), LAST))
    [finding] = findings(data, "wrong-type")
    assert at(finding) == place(data, "12321")


def test_a_property_that_occurs_twice_is_judged_and_placed_by_its_last_value() -> None:
    data = json.dumps(COMPLETION)[:-1] + ', "model": 12321}'
    duplicate, wrong = findings(data, "json-duplicate-key", "wrong-type")
    assert {duplicate.rule, wrong.rule} == {"json-duplicate-key", "wrong-type"}
    assert place(data, "12321") in (at(duplicate), at(wrong))
    assert place(data, '"model"', 1) in (at(duplicate), at(wrong))


# Counting


def test_the_same_finding_on_many_chunks_of_a_stream_is_one_with_a_count_at_the_first() -> None:
    events = [chunk("Ho", reasoning="x") for _ in range(50)]
    data = "".join(f"data: {json.dumps(one)}\n\n" for one in [FIRST, *events, LAST]) + "data: [DONE]\n\n"
    [finding] = findings(data, "unknown-property")
    assert (finding.count, finding.source.event) == (50, 1)
    assert at(finding) == place(data, '"reasoning"')


def test_findings_on_the_chunks_of_a_stream_that_differ_stay_apart() -> None:
    data = [FIRST, chunk(5), chunk(5, extra=1), chunk([]), LAST]
    found = findings(data, "wrong-type", "unknown-property")
    assert [(one.rule, one.count, one.source.event) for one in found] == [
        ("wrong-type", 2, 1),
        ("unknown-property", 1, 2),
        ("wrong-type", 1, 3),
    ]


def test_the_same_finding_in_one_payload_and_on_two_exchanges_is_not_collapsed() -> None:
    value = json.loads(json.dumps(COMPLETION))
    value["choices"] = [value["choices"][0] | {"index": index, "extra": 1} for index in range(3)]
    found = findings([value, value], "unknown-property")
    assert [one.pointer for one in found] == [f"/choices/{index}/extra" for index in range(3)] * 2
    assert [one.count for one in found] == [1] * 6


def test_findings_come_in_the_order_of_their_places() -> None:
    data = json.dumps({"zz": 1} | COMPLETION | {"model": 5, "yy": 1})
    found = [at(one) for one in findings(data)]
    assert len(found) == 3
    assert found == sorted(found)


def test_a_fault_of_the_text_is_reported_once_and_where_it_stands() -> None:
    pair = {"request": REQUEST, "response": COMPLETION}
    for value in (COMPLETION, pair, [COMPLETION, COMPLETION], [pair, pair]):
        text = json.dumps(value)
        data = text[:-1] + "," + text[-1]
        found = findings(data)
        assert [one.rule for one in found] == ["json-trailing-comma"]
        assert at(found[0]) == (1, len(data) - 1)


def test_a_fault_of_the_text_is_reported_also_when_the_first_of_an_array_is_skipped() -> None:
    text = json.dumps([{"a": 1}, COMPLETION, COMPLETION])
    data = text[:-2] + ",}]"
    found = [
        finding
        for one in captures.read(captures.Capture(io.BytesIO(data.encode()), "capture"))
        if isinstance(one, Exchange)
        for finding in JUDGE.judge(one).findings
        if finding.rule == "json-trailing-comma"
    ]
    assert [at(one) for one in found] == [(1, len(data) - 2)]


def test_a_fault_in_the_text_of_one_event_is_placed_in_it_and_spoils_no_other() -> None:
    events = [json.dumps(FIRST), json.dumps(FIRST)[:-1] + ",}", json.dumps(LAST), "[DONE]"]
    data = "".join(f"data: {event}\n\n" for event in events)
    [finding] = findings(data)
    assert (finding.rule, finding.kind, finding.source.event) == ("json-trailing-comma", "chunk", 1)
    assert at(finding) == place(data, ",}")


# What is said of the whole


def test_a_finding_about_a_stream_as_a_whole_has_no_event_unless_one_is_to_blame() -> None:
    data = f"data: {json.dumps(FIRST)}\n\ndata: {json.dumps(LAST)}\n\n"
    [finding] = findings(data)
    assert (finding.rule, finding.kind, finding.pointer) == ("done-missing", "stream", "")


def test_an_error_in_the_request_hides_no_error_of_the_folded_completion() -> None:
    chunks = [chunk(delta={"role": "user", "content": "Ho"}), LAST]
    for request in (REQUEST, REQUEST | {"temperature": "hot"}):
        found = findings({"request": request | {"stream": True}, "chunks": chunks}, "unknown-value", "wrong-type")
        assert "completion" in {one.kind for one in found if one.rule == "unknown-value"}, request
    assert {(one.rule, one.kind) for one in found} >= {("wrong-type", "request")}


def test_a_finding_about_the_folded_completion_stands_in_the_event_in_which_that_part_began() -> None:
    usage = {"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 5}
    last = FIRST | {"choices": [], "usage": usage}
    data = "".join(f"data: {json.dumps(one)}\n\n" for one in (FIRST, LAST, last)) + "data: [DONE]\n\n"
    [finding] = findings(data)
    assert (finding.rule, finding.kind, finding.source.event) == ("usage-total-mismatch", "completion", 2)
    assert finding.source.line == 5


def test_payloads_and_streams_are_counted_by_what_they_are() -> None:
    [verdict] = verdicts({"request": REQUEST | {"stream": True}, "chunks": [FIRST, {"error": {"message": "No"}}]})
    assert verdict.payloads == {"request": 1, "chunk": 1, "error": 1}
    assert verdict.streams == 1
    [verdict] = verdicts({"request": REQUEST, "response": COMPLETION})
    assert verdict.payloads == {"request": 1, "completion": 1}
    assert verdict.streams == 0


def test_severities_can_be_overridden_by_rule() -> None:
    data = with_member("extra", 1)
    assert [one.severity for one in findings(data, "unknown-property")] == [Severity.NOTE]
    strict = Judge(engines.load(), active=["unknown-property"], severities={"unknown-property": Severity.ERROR})
    [verdict] = verdicts(data, strict)
    assert [one.severity for one in verdict.findings] == [Severity.ERROR]


def test_a_finding_of_a_schema_names_the_keyword_it_breaks() -> None:
    [finding] = findings(with_member("model", 5))
    assert finding.schema == "urn:isogloss:bundle:completion:strict#/properties/model/type"
    [finding] = findings(with_member("usage", {"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 5}))
    assert finding.schema is None
