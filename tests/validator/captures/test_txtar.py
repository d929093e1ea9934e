"""Tests of text archives of Go: each file in one is read like a file of its own, and other text is left alone."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest
from payloads import COMPLETION, REQUEST, as_events, chunk
from reading import all_exchanges, findings_in, read_all

from isogloss.validator.exchange import Exchange, Payload, Stream

ARCHIVE = Path(__file__).parents[3] / "fixtures" / "captures" / "txtar" / "tool.txtar"
EVENTS = as_events(chunk({"role": "assistant", "content": "Hi"}), chunk({}, "stop"), "[DONE]")

_read = partial(read_all, name="a.txtar")


def test_each_file_of_an_archive_is_an_exchange() -> None:
    found = all_exchanges(ARCHIVE.read_bytes(), name="tool.txtar")
    assert [(one.number, one.request is not None, type(one.response)) for one in found] == [
        (0, True, type(None)),
        (1, False, Stream),
        (2, False, Payload),
    ]
    assert findings_in(ARCHIVE.read_bytes()) == []


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("before", ["", "A remark.\n\n"])
def test_a_finding_has_its_place_in_the_archive(before: str, end: str) -> None:
    wrong = json.dumps(COMPLETION | {"created": "yesterday"}, indent=1)
    text = f"{before}-- a/request.json --\n{json.dumps(REQUEST)}\n-- b --\n{EVENTS}-- c --\n{wrong}\n".replace(
        "\n", end
    )
    (finding,) = (one for one in findings_in(text.encode()) if one.rule == "wrong-type")
    line = text.split(end)[finding.source.line - 1]
    assert line[finding.source.column - 1 :].startswith('"yesterday"')


@pytest.mark.parametrize(
    "text",
    [
        f"-- request\n{json.dumps(REQUEST)}\n",  # no line that names a file
        f"-- main.go --\npackage main\n\nconst body = `{json.dumps(COMPLETION)}`\n",
        '-- go.mod --\nmodule a\n-- a.json --\n{"a": 1}\n',
    ],
)
def test_text_without_such_bodies_is_not_read(text: str) -> None:
    assert not any(isinstance(one, Exchange) for one in _read(text))


def test_a_file_in_another_encoding_is_read_and_its_bytes_are_found() -> None:
    answer = json.dumps(COMPLETION | {"model": "caf\u00e9"}, ensure_ascii=False)
    archive = f"-- a.json --\n{answer}\n-- b.json --\n{json.dumps(COMPLETION)}\n".encode("cp1252")
    assert len(all_exchanges(archive, name="a.txtar")) == 2
    assert [one.rule for one in findings_in(archive)] == ["json-bad-utf8"]
