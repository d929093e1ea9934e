"""Tests of literals: what programs print of a payload is read as the payload, and each part has its place."""

from __future__ import annotations

import json
import pprint
import re
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from payloads import COMPLETION, REQUEST, with_finish_reason
from reading import all_exchanges, exchange_in, read_all, values_of

from isogloss.validator.captures.bodies.literals import literal_at, literals_in, string_at
from isogloss.validator.exchange import Payload, Skipped
from isogloss.validator.text import Text

_SAID = 'It\'s "so" \\ `é` \n\t\x07 \U0001f600 ${x} ' + "and it goes on " * 20
_ANSWER = COMPLETION | {
    "choices": [{"index": 0, "message": {"role": "assistant", "content": _SAID}, "finish_reason": "bored"}]
}
_NODE = """{
  id: 'chatcmpl-Fake1',
  object: 'chat.completion',
  created: 1760000000,
  model: 'm',
  choices: [
    { index: 0, message: { role: 'assistant', content: `It's "so"\\n` + 'yes' }, finish_reason: 'bored' }
  ],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
}
"""


def _ruby(value: Any) -> str:
    """Return what Ruby prints of a value."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_ruby(key)}=>{_ruby(one)}" for key, one in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_ruby, value)) + "]"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\\u0007", "\\a")
    return "nil" if value is None else json.dumps(value)


def _ruby_of_symbols(value: Any) -> str:
    """Return what Ruby prints of a value whose keys are symbols."""
    return re.sub(r'"(\w+)"=>', r":\1=>", _ruby(value))


_RUST_TYPES = {bool: "Bool", int: "Number", float: "Number", str: "String"}


def _rust(value: Any) -> str:
    """Return what Rust prints of a value of serde_json with ``{:?}``."""
    if isinstance(value, dict):
        return "Object {" + ", ".join(f"{json.dumps(key)}: {_rust(one)}" for key, one in value.items()) + "}"
    if isinstance(value, list):
        return "Array [" + ", ".join(map(_rust, value)) + "]"
    written = json.dumps(value, ensure_ascii=False).replace("\\u0007", "\\u{7}").replace("'", "\\'")
    return "Null" if value is None else f"{_RUST_TYPES[type(value)]}({written})"


def _rust_over_lines(value: Any) -> str:
    """Return what Rust prints of a value of serde_json with ``{:#?}``."""
    written, depth = "", 0
    for part in re.split(r'("(?:[^"\\]|\\.)*"|[{\[\]}]|, )', _rust(value)):
        depth += {"{": 1, "[": 1, "}": -1, "]": -1}.get(part, 0)
        line = "\n" + "    " * depth
        written += f",{line}" if part in ("}", "]") else part.rstrip() + line if part in ("{", "[", ", ") else part
        written = written + part if part in ("}", "]") else written
    return written


def _json5(value: Any) -> str:
    """Return a value as JSON5 with all that JSON does not allow."""
    if isinstance(value, dict):
        return "{ // an object\n" + "".join(f"'{key}': {_json5(one)},\n" for key, one in value.items()) + "}"
    if isinstance(value, list):
        return "[" + "".join(f"{_json5(one)}, /* next */ " for one in value) + "]"
    return repr(value).replace("\\U0001f600", "\\u{1f600}") if isinstance(value, str) else json.dumps(value)


_PRINTERS = {
    "python": repr,
    "pprint": pprint.pformat,
    "ruby": _ruby,
    "elixir": lambda value: _ruby(value).replace("{", "%{").replace("=>", " => ").replace("$%{x}", "${x}"),
    "json5": _json5,
    "ruby with symbols": _ruby_of_symbols,
    "rust": _rust,
    "rust over lines": _rust_over_lines,
}
_TEXTS = st.text(st.characters(codec="utf-8"))
_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | _TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_TEXTS, inner, max_size=4),
)


@given(st.dictionaries(_TEXTS, _VALUES, max_size=4))
@pytest.mark.parametrize("width", [20, 80, 10_000])
def test_whatever_python_prints_of_json_is_read_as_the_same_json(width: int, value: dict[str, Any]) -> None:
    printed = pprint.pformat(value, width=width, sort_dicts=False)
    literal, end = literal_at(Text(printed.encode()), 0)
    assert literal is not None
    assert end == len(printed.encode())
    assert json.loads(literal.data) == value
    assert list(json.loads(literal.data)) == list(value)


@given(_TEXTS)
def test_text_that_python_prints_as_bytes_is_read_as_the_same_text(text: str) -> None:
    string, _ = string_at(Text(repr(text.encode()).encode()), 1)
    assert string is not None
    assert json.loads(string.data) == text


@pytest.mark.parametrize("data", [b"\xc0\x80", b"\xe4", b"\xe4\xbd", b"\xed\xa0\x80", b"\xf4\x90\x80\x80"])
def test_bytes_that_are_no_utf_8_are_read_as_characters_of_their_own(data: bytes) -> None:
    string, _ = string_at(Text(repr(data).encode()), 1)
    assert string is not None
    assert json.loads(string.data) == data.decode("latin-1")


@pytest.mark.parametrize("printer", _PRINTERS.values(), ids=_PRINTERS)
def test_what_a_language_prints_is_read_as_the_same_payload(printer: Any) -> None:
    (literal,) = literals_in(Text(f"got {printer(_ANSWER)} at last".encode()))
    assert json.loads(literal.data) == _ANSWER


@pytest.mark.parametrize("printer", _PRINTERS.values(), ids=_PRINTERS)
def test_each_property_and_string_has_its_place(printer: Any) -> None:
    written = f"日本\n  {printer(_ANSWER)}\n"
    (literal,) = literals_in(Text(written.encode()))
    for word in ("choices", "Fake1", "assistant", "bored", "total_tokens"):
        place = literal.place(literal.data.index(word.encode()))
        assert written.split("\n")[place.line - 1][place.column - 1 :].startswith(word)


@pytest.mark.parametrize(
    "text",
    [
        "{'choices': [Object]}",
        "{'choices': Choice(index=0)}",
        "{'choices': {'a', 'b'}}",
        "{'choices': ('a', 'b')}",
        "{'choices': 'a' 1}",
        "{'choices': 'a'('b')}",
        "{'choices': + 'a'}",
        "{'choices': 1 'b': 2}",
        "{'choices': [1, 2}",
        "{'choices': [1, ... 2 more items]}",
        "{'choices': datetime.now()}",
        "{'choices': <x>}",
        "{'choices': undefined}",
        "{'choices': nan}",
        "{'choices': 'cut off",
        "{'choices': [{'index': 0}, ",
        'Object {"choices": Array [Object {..}]}',
        'Object {"choices": Some(Number(1))}',
        "{'choices': 1)}",
    ],
)
def test_what_json_cannot_hold_and_what_is_cut_off_is_no_literal(text: str) -> None:
    assert list(literals_in(Text(text.encode()))) == []


def test_a_string_may_go_on_over_lines() -> None:
    """In backticks, as Node.js prints a text with all kinds of quotes, or behind a backslash, as JSON5 allows it."""
    literal, _ = literal_at(Text(b"{ a: `b\n\tc`, d: 'e\\\nf' }"), 0)
    assert literal is not None
    assert json.loads(literal.data) == {"a": "b\n\tc", "d": "ef"}


@pytest.mark.parametrize("language", ["python", "ruby", "elixir", "ruby with symbols", "rust", "rust over lines"])
def test_a_payload_that_a_program_printed_is_read_from_a_log(language: str) -> None:
    lines = [_PRINTERS[language](one) for one in (REQUEST, with_finish_reason("bored"))]
    log = "".join(f"2026-11-24 10:00:00,123 DEBUG é client: {line}\n" for line in lines)
    (exchange,) = all_exchanges(log, "app.log")
    assert exchange.request is not None
    assert exchange.request.value == REQUEST
    assert isinstance(exchange.response, Payload)
    assert exchange.response.value == with_finish_reason("bored")
    assert exchange.dumped


@pytest.mark.parametrize("name", ["out.txt", "app.log", "nohup.out", "tape.json5"])
@pytest.mark.parametrize(
    "text",
    [
        pprint.pformat(with_finish_reason("bored")),
        f"{with_finish_reason('bored')}\n" * 2,
        _NODE,
    ],
)
def test_a_file_of_what_a_program_printed_is_read_if_it_is_not_called_json(name: str, text: str) -> None:
    exchanges = all_exchanges(text, name)
    assert len(exchanges) == text.count("chatcmpl")
    for found in exchanges:
        assert found.dumped is (name != "tape.json5")
        assert isinstance(found.response, Payload)
        assert found.response.value["choices"][0]["finish_reason"] == "bored"


@pytest.mark.parametrize("name", ["out.txt", "app.log", "nohup.out"])
@pytest.mark.parametrize(
    "text", ["%s\n", "[src/main.rs:7:5] &answer = %s\n", "2026-11-24T10:00:00.123456Z DEBUG app: got %s\n"]
)
@pytest.mark.parametrize("printer", [_rust, _rust_over_lines])
def test_a_value_that_rust_printed_is_read_behind_what_programs_write_before_it(
    name: str, text: str, printer: Any
) -> None:
    answer = with_finish_reason("bored")
    (exchange,) = all_exchanges("Status: 200\n" + text % printer(answer), name)
    assert exchange.dumped
    assert isinstance(exchange.response, Payload)
    assert exchange.response.value == answer


def test_a_tape_of_talkback_is_read_as_a_request_with_its_answer() -> None:
    tape = {
        "meta": {"createdAt": "2026-11-24T10:00:00.000Z", "host": "https://api.example.com", "resHumanReadable": True},
        "req": {"headers": {}, "url": "/v1/chat/completions", "method": "POST", "body": REQUEST},
        "res": {"status": 200, "headers": {"content-type": ["application/json"]}, "body": COMPLETION},
    }
    (exchange,) = all_exchanges(_json5(tape), "tape.json5")
    assert not exchange.dumped
    assert all_exchanges(_json5(tape), "tape.txt")[0].dumped
    assert (exchange.http.status, exchange.http.content_type) == (200, "application/json")
    assert exchange.path == "/v1/chat/completions"
    assert exchange.request is not None
    assert exchange.request.value == REQUEST


def test_a_file_that_is_called_json_is_not_read_as_a_literal() -> None:
    (found,) = read_all(repr(COMPLETION), "answer.json")
    assert isinstance(found, Skipped)
    assert "which is no JSON" in found.reason


def test_an_error_that_python_printed_is_not_read_since_any_api_sends_such_errors() -> None:
    error = {"error": {"message": "no", "type": "invalid_request_error", "param": None, "code": None}}
    assert all_exchanges(f"2026-11-24 10:00:00,123 ERROR Error code: 400 - {error}\n", "app.log") == []


@pytest.mark.thorough
@pytest.mark.parametrize(
    "part",
    ["{'choices':", "{'choices'", "{'choices': [Object], ", "{choices:/*", "{'choices':\n", "{choices:'\\", "{'"],
)
def test_reading_literals_takes_linear_time(part: str) -> None:
    def seconds(size: int) -> float:
        text = Text(("choices: " + part * size).encode())
        start = time.process_time()
        assert list(literals_in(text)) == []
        return time.process_time() - start

    seconds(1000)
    assert seconds(24_000) < 0.5 + 24 * seconds(3000)


def test_two_literals_with_the_quotes_of_json_are_both_read_from_one_line() -> None:
    found = exchange_in(f"12:00:00 sent {_ruby(REQUEST)} and got {_ruby(COMPLETION)}\n", "app.log")
    assert values_of(found) == (REQUEST, COMPLETION)
