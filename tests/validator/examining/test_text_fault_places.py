"""Test that a fault of a JSON text has its place in the capture file, however deeply the text was wrapped.

``⟦`` marks the place in each text; it is removed before the text is read.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from isogloss.validator import rules
from isogloss.validator.findings import Finding

FindingsOf = Callable[[Path], list[Finding]]

COMPLETION = """{
 "id": "chatcmpl-Fake0000000000000000000000030", "object": "chat.completion",
 "created": 1760000000, "model": "gpt-4.1-mini-2025-04-14",
 "choices": [{"index": 0, "message": {"role": "assistant", "content": "né 😀", "refusal": null},
  "logprobs": null, "finish_reason": "stop"}],
 "x_é": "😀", %s"""
CHUNK = (
    '{"id":"chatcmpl-Fake0000000000000000000000030","object":"chat.completion.chunk","created":1760000000,'
    '"model":"gpt-4.1-mini-2025-04-14","choices":[{"index":0,"delta":{"content":"né 😀\\n"},"logprobs":null,'
    '"finish_reason":null}],"x_é":"😀",%s'
)
VALID_LINE = (COMPLETION % '"x": 1}').replace("\n", "")
VALID_CHUNK = CHUNK % '"x":1}'
REQUEST = '{"model": "gpt-4.1-mini", "stream": true, "messages": [{"role": "user", "content": "é"}]}'

BROKEN_PROPERTIES = {
    "json-syntax": '"x": [1 ⟦2]}',
    "json-trailing-comma": '"x": [1⟦,]}',
    "json-not-a-number": '"x": ⟦-Infinity}',
    "json-duplicate-key": '"x": {"ä": 1, ⟦"ä": 2}}',
    "json-bad-utf8": '"x": "ä⟦\udcf0\udc9f"}',
    "json-lone-surrogate": '"x": "ä⟦\\ud83d"}',
    "json-truncated": '"x": [1, "ä"⟦',
    "json-too-deep": '"x": ' + "[" * 1023 + "⟦[" + "]" * 1024 + "}",
    "json-number-too-large": '"x": ⟦1e999}',
    "json-extra-data": '"x": 1} ⟦{}',
    "json-control-character": '"x": "ä⟦\tb"}',
    "json-byte-order-mark": '"x": 1}',
}
"""For each rule, the property in which, or after which, it is broken."""


def broken_text(rule: str, template: str) -> str:
    text = template % BROKEN_PROPERTIES[rule]
    return "⟦\ufeff" + text if rule == "json-byte-order-mark" else text


def place_of_mark(text: str) -> tuple[int, int]:
    before = text.partition("⟦")[0]
    return before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1


def find_place(tmp_path: Path, name: str, text: str, rule: str, findings_of: FindingsOf) -> tuple[int, int]:
    path = tmp_path / name
    path.write_bytes(text.replace("⟦", "").encode("utf-8", "surrogateescape"))
    (finding,) = (finding for finding in findings_of(path) if finding.rule == rule)
    return finding.source.line, finding.source.column


def test_every_rule_of_the_group_json_has_a_case() -> None:
    assert set(BROKEN_PROPERTIES) == set(rules.names("json"))


@pytest.mark.parametrize("rule", BROKEN_PROPERTIES)
def test_fault_in_a_json_file_has_its_place(rule: str, tmp_path: Path, findings_of: FindingsOf) -> None:
    text = broken_text(rule, COMPLETION)
    assert find_place(tmp_path, "capture.json", text, rule, findings_of) == place_of_mark(text)


@pytest.mark.parametrize("rule", BROKEN_PROPERTIES)
def test_fault_in_a_line_of_json_lines_has_its_place(rule: str, tmp_path: Path, findings_of: FindingsOf) -> None:
    line = broken_text(rule, COMPLETION.replace("\n", ""))
    text = f"{VALID_LINE}\n\n{line}\n{VALID_LINE}\n"
    assert find_place(tmp_path, "capture.jsonl", text, rule, findings_of) == place_of_mark(text)


@pytest.mark.parametrize("rule", BROKEN_PROPERTIES)
def test_fault_in_a_chunk_that_is_a_line_of_json_lines_has_its_place(
    rule: str, tmp_path: Path, findings_of: FindingsOf
) -> None:
    text = f"{VALID_CHUNK}\n{broken_text(rule, CHUNK)}\n{VALID_CHUNK}\n"
    assert find_place(tmp_path, "capture.jsonl", text, rule, findings_of) == place_of_mark(text)


@pytest.mark.parametrize("ending", ["\n", "\r\n"], ids=["LF", "CRLF"])
@pytest.mark.parametrize("rule", BROKEN_PROPERTIES)
def test_fault_in_an_event_of_a_stream_has_its_place(
    rule: str, ending: str, tmp_path: Path, findings_of: FindingsOf
) -> None:
    text = "".join(
        f"{field}{ending}"
        for field in (": é", f"data: {VALID_CHUNK}", "", f"data:{broken_text(rule, CHUNK)}", "", "data: [DONE]", "")
    )
    assert find_place(tmp_path, "capture.sse", text, rule, findings_of) == place_of_mark(text)


@pytest.mark.parametrize("rule", BROKEN_PROPERTIES)
def test_fault_in_an_event_of_several_lines_has_its_place(rule: str, tmp_path: Path, findings_of: FindingsOf) -> None:
    lines = broken_text(
        rule, COMPLETION.replace('"chat.completion"', '"chat.completion.chunk"').replace("message", "delta")
    )
    text = "data: " + lines.replace("\n", "\ndata: ") + "\n\ndata: [DONE]\n\n"
    assert find_place(tmp_path, "capture.sse", text, rule, findings_of) == place_of_mark(text)


@pytest.mark.parametrize("ascii_only", [True, False], ids=["escaped", "verbatim"])
@pytest.mark.parametrize("rule", sorted(BROKEN_PROPERTIES.keys() - {"json-bad-utf8"}))
def test_fault_in_the_sse_string_of_a_record_has_its_place(
    rule: str, ascii_only: bool, tmp_path: Path, findings_of: FindingsOf
) -> None:
    """Check the places in JSON inside JSON: a character that is written as an escape has the place of the escape."""
    stream = f"data: {VALID_CHUNK}\n\ndata: {broken_text(rule, CHUNK)}\n\ndata: [DONE]\n\n"
    before, _, after = (json.dumps(part, ensure_ascii=ascii_only)[1:-1] for part in stream.partition("⟦"))
    text = f'{{"request": {REQUEST},\n "status": 200, "sse": "{before}⟦{after}"}}\n'
    assert find_place(tmp_path, "capture.json", text, rule, findings_of) == place_of_mark(text)


@pytest.mark.parametrize("rule", sorted(BROKEN_PROPERTIES.keys() - {"json-bad-utf8"}))
def test_fault_in_the_response_text_of_a_record_has_its_place(
    rule: str, tmp_path: Path, findings_of: FindingsOf
) -> None:
    before, _, after = (json.dumps(part)[1:-1] for part in broken_text(rule, COMPLETION).partition("⟦"))
    record = f'{{"path": "/v1/chat/completions", "response_text": "{before}⟦{after}"}}'
    text = f"{VALID_LINE}\n{record}\n"
    assert find_place(tmp_path, "capture.jsonl", text, rule, findings_of) == place_of_mark(text)


def test_bytes_in_a_record_that_are_no_utf8_have_their_place(tmp_path: Path, findings_of: FindingsOf) -> None:
    """Check that such bytes are a fault of the record itself, since no JSON string can hold them."""
    text = f'{{"request": {REQUEST},\n "sse": "data: é⟦\udcf0\udc9f\\n\\ndata: [DONE]\\n\\n"}}'
    assert find_place(tmp_path, "capture.json", text, "json-bad-utf8", findings_of) == place_of_mark(text)


_RECOVERED = sorted(
    BROKEN_PROPERTIES.keys() - {"json-truncated", "json-too-deep", "json-extra-data", "json-byte-order-mark"}
)


@pytest.mark.parametrize("rule", _RECOVERED)
@pytest.mark.parametrize("broken", ["request", "response"])
@pytest.mark.parametrize("first", ["request", "response"])
def test_fault_in_a_record_is_one_of_the_payload_that_has_it(
    rule: str, broken: str, first: str, tmp_path: Path, findings_of: FindingsOf
) -> None:
    bodies = {"request": REQUEST, "response": VALID_LINE}
    bodies[broken] = bodies[broken].rstrip()[:-1] + f", {BROKEN_PROPERTIES[rule]}".replace('"x"', '"y"').replace(
        "⟦", ""
    )
    halves = [f'"{name}": {bodies[name]}' for name in sorted(bodies, key=lambda name: name != first)]
    capture = tmp_path / "capture.json"
    capture.write_bytes(f"{{{', '.join(halves)}}}".encode("utf-8", "surrogateescape"))
    kinds = {finding.kind for finding in findings_of(capture) if finding.rule == rule}
    assert kinds == {"request" if broken == "request" else "completion"}


def test_fault_in_the_chunks_of_a_record_is_one_of_the_stream(tmp_path: Path, findings_of: FindingsOf) -> None:
    capture = tmp_path / "capture.json"
    chunks = CHUNK.replace('"x_é"', '"id":"chatcmpl-2","x_é"') % '"x":1}'
    capture.write_text(f'{{"request": {REQUEST}, "chunks": [{chunks}]}}', "utf-8")
    assert {one.kind for one in findings_of(capture) if one.rule == "json-duplicate-key"} == {"stream"}


@pytest.mark.parametrize("around", ["[{}, {}, {}]", "[{}, [{}, {}]]", '[{{"response": {}}}, {}, {{"response": {}}}]'])
@pytest.mark.parametrize("position", [0, 1, 2])
@pytest.mark.parametrize("rule", _RECOVERED)
def test_fault_in_an_item_of_an_array_is_one_of_the_exchange_in_the_item(
    rule: str, position: int, around: str, tmp_path: Path, findings_of: FindingsOf
) -> None:
    answers = [VALID_LINE] * 3
    answers[position] = broken_text(rule, COMPLETION).replace("⟦", "")
    capture = tmp_path / "capture.json"
    capture.write_bytes(around.format(*answers).encode("utf-8", "surrogateescape"))
    assert [finding.source.exchange for finding in findings_of(capture) if finding.rule == rule] == [position]


_NAMED = '{{"a": {0}, "note": 1, "b": {1}, "c": {2}}}'


@pytest.mark.parametrize("around", [_NAMED, f'{{{{"z": {_NAMED}}}}}', '{{"z": {{"a": {}, "b": {}}}, "y": {}}}'])
@pytest.mark.parametrize("position", [0, 1, 2])
@pytest.mark.parametrize("rule", _RECOVERED)
def test_fault_in_a_property_is_one_of_the_exchange_in_the_property(
    rule: str, position: int, around: str, tmp_path: Path, findings_of: FindingsOf
) -> None:
    answers = [VALID_LINE] * 3
    answers[position] = broken_text(rule, COMPLETION).replace("⟦", "")
    responses = [f'{{"status": 200, "body": {one}, "headers": {{}}}}' for one in answers]
    capture = tmp_path / "capture.json"
    capture.write_bytes(around.format(*responses).encode("utf-8", "surrogateescape"))
    assert [finding.source.exchange for finding in findings_of(capture) if finding.rule == rule] == [position]


def test_fault_behind_all_properties_with_exchanges_is_one_of_the_last(tmp_path: Path, findings_of: FindingsOf) -> None:
    response = f'{{"status": 200, "body": {VALID_LINE}}}'
    capture = tmp_path / "capture.json"
    capture.write_text(f'{{"a": {response}, "b": {response}, "more": {{"x": NaN}}}}', "utf-8")
    assert [one.source.exchange for one in findings_of(capture) if one.rule == "json-not-a-number"] == [1]


def test_every_fault_of_an_array_is_found_once(tmp_path: Path, findings_of: FindingsOf) -> None:
    answer = COMPLETION.replace('"x_é"', '"id": "chatcmpl-2", "x_é"') % '"x": 1}'
    capture = tmp_path / "capture.json"
    capture.write_text(f"[{answer}, {VALID_LINE}, {answer},]", "utf-8")
    faults = [(one.rule, one.source.exchange) for one in findings_of(capture) if one.rule.startswith("json-")]
    assert faults == [("json-duplicate-key", 0), ("json-duplicate-key", 2), ("json-trailing-comma", 2)]
