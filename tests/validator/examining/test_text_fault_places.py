"""A fault of a JSON text is reported where it stands in the capture file, however deeply the text was wrapped.

``⟦`` marks the place in each text; it is taken out before the text is read.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from isogloss.validator import rules
from isogloss.validator.findings import Finding

Found = Callable[[Path], list[Finding]]

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
SOUND_LINE = (COMPLETION % '"x": 1}').replace("\n", "")
SOUND_CHUNK = CHUNK % '"x":1}'
REQUEST = '{"model": "gpt-4.1-mini", "stream": true, "messages": [{"role": "user", "content": "é"}]}'

MEMBERS = {
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
"""Of each rule the member in which, or behind which, it is broken."""


def broken(rule: str, template: str) -> str:
    text = template % MEMBERS[rule]
    return "⟦\ufeff" + text if rule == "json-byte-order-mark" else text


def place_of_mark(text: str) -> tuple[int, int]:
    before = text.partition("⟦")[0]
    return before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1


def place_found(tmp_path: Path, name: str, text: str, rule: str, findings_of: Found) -> tuple[int, int]:
    path = tmp_path / name
    path.write_bytes(text.replace("⟦", "").encode("utf-8", "surrogateescape"))
    (finding,) = (finding for finding in findings_of(path) if finding.rule == rule)
    return finding.source.line, finding.source.column


def test_every_rule_of_the_group_has_its_case() -> None:
    assert set(MEMBERS) == set(rules.names("json"))


@pytest.mark.parametrize("rule", MEMBERS)
def test_in_a_json_file(rule: str, tmp_path: Path, findings_of: Found) -> None:
    text = broken(rule, COMPLETION)
    assert place_found(tmp_path, "capture.json", text, rule, findings_of) == place_of_mark(text)


@pytest.mark.parametrize("rule", MEMBERS)
def test_in_a_line_of_json_lines(rule: str, tmp_path: Path, findings_of: Found) -> None:
    line = broken(rule, COMPLETION.replace("\n", ""))
    text = f"{SOUND_LINE}\n\n{line}\n{SOUND_LINE}\n"
    assert place_found(tmp_path, "capture.jsonl", text, rule, findings_of) == place_of_mark(text)


@pytest.mark.parametrize("rule", MEMBERS)
def test_in_a_chunk_that_is_a_line_of_json_lines(rule: str, tmp_path: Path, findings_of: Found) -> None:
    text = f"{SOUND_CHUNK}\n{broken(rule, CHUNK)}\n{SOUND_CHUNK}\n"
    assert place_found(tmp_path, "capture.jsonl", text, rule, findings_of) == place_of_mark(text)


@pytest.mark.parametrize("ending", ["\n", "\r\n"], ids=["LF", "CRLF"])
@pytest.mark.parametrize("rule", MEMBERS)
def test_in_an_event_of_a_stream(rule: str, ending: str, tmp_path: Path, findings_of: Found) -> None:
    text = "".join(
        f"{line}{ending}"
        for line in (": é", f"data: {SOUND_CHUNK}", "", f"data:{broken(rule, CHUNK)}", "", "data: [DONE]", "")
    )
    assert place_found(tmp_path, "capture.sse", text, rule, findings_of) == place_of_mark(text)


@pytest.mark.parametrize("rule", MEMBERS)
def test_in_an_event_of_several_lines(rule: str, tmp_path: Path, findings_of: Found) -> None:
    lines = broken(rule, COMPLETION.replace('"chat.completion"', '"chat.completion.chunk"').replace("message", "delta"))
    text = "data: " + lines.replace("\n", "\ndata: ") + "\n\ndata: [DONE]\n\n"
    assert place_found(tmp_path, "capture.sse", text, rule, findings_of) == place_of_mark(text)


@pytest.mark.parametrize("ascii_only", [True, False], ids=["escaped", "verbatim"])
@pytest.mark.parametrize("rule", sorted(MEMBERS.keys() - {"json-bad-utf8"}))
def test_in_the_sse_string_of_a_record(rule: str, ascii_only: bool, tmp_path: Path, findings_of: Found) -> None:
    """JSON in JSON: where a character is written as an escape, its place is that of the escape."""
    stream = f"data: {SOUND_CHUNK}\n\ndata: {broken(rule, CHUNK)}\n\ndata: [DONE]\n\n"
    before, _, after = (json.dumps(part, ensure_ascii=ascii_only)[1:-1] for part in stream.partition("⟦"))
    text = f'{{"request": {REQUEST},\n "status": 200, "sse": "{before}⟦{after}"}}\n'
    assert place_found(tmp_path, "capture.json", text, rule, findings_of) == place_of_mark(text)


@pytest.mark.parametrize("rule", sorted(MEMBERS.keys() - {"json-bad-utf8"}))
def test_in_the_response_text_of_a_record_that_is_a_line(rule: str, tmp_path: Path, findings_of: Found) -> None:
    before, _, after = (json.dumps(part)[1:-1] for part in broken(rule, COMPLETION).partition("⟦"))
    record = f'{{"path": "/v1/chat/completions", "response_text": "{before}⟦{after}"}}'
    text = f"{SOUND_LINE}\n{record}\n"
    assert place_found(tmp_path, "capture.jsonl", text, rule, findings_of) == place_of_mark(text)


def test_bytes_that_are_no_utf8_in_a_record_stand_where_the_record_has_them(tmp_path: Path, findings_of: Found) -> None:
    """No string of JSON can hold them, so they are a fault of the record itself."""
    text = f'{{"request": {REQUEST},\n "sse": "data: é⟦\udcf0\udc9f\\n\\ndata: [DONE]\\n\\n"}}'
    assert place_found(tmp_path, "capture.json", text, "json-bad-utf8", findings_of) == place_of_mark(text)
