"""Tests of snapshots: the values of insta, Jest and Vitest are read, and placed where they are written."""

from __future__ import annotations

import json
from functools import partial
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from payloads import COMPLETION, REQUEST, as_events, chunk
from reading import read_all

from isogloss.validator.exchange import Exchange, Payload, Skipped, Stream

CHUNKS = [chunk({"role": "assistant", "content": "Hi"}, None), chunk({}, "stop")]
EVENTS = as_events(*CHUNKS) + "data: [DONE]\n"
METADATA = "---\nsource: tests/it.rs\nassertion_line: 3\ninfo:\n  n: 1\nexpression: body\n---\n"
HEADER = "// Jest Snapshot v1, https://goo.gl/fbAQLP\n\n"


_read = partial(read_all, name="a.snap")


def _value(found: Exchange | Skipped) -> Any:
    assert isinstance(found, Exchange), found
    assert found.dumped
    body = found.response or found.request
    return list(body.values) if isinstance(body, Stream) else body.value if isinstance(body, Payload) else None


def _pretty(value: Any, *, names: bool, indent: int = 0) -> str:
    """Write a value as ``pretty-format`` does: with commas behind last items, and before version 29 with names."""
    margin = "  " * indent
    if isinstance(value, dict):
        inner = [
            f'{margin}  "{name}": {_pretty(one, names=names, indent=indent + 1)},\n' for name, one in value.items()
        ]
        return f"{'Object ' * names}{{" + "\n" * bool(inner) + "".join(inner) + margin * bool(inner) + "}"
    if isinstance(value, list):
        inner = [f"{margin}  {_pretty(one, names=names, indent=indent + 1)},\n" for one in value]
        return f"{'Array ' * names}[" + "\n" * bool(inner) + "".join(inner) + margin * bool(inner) + "]"
    return json.dumps(value, ensure_ascii=False)


def _literal(text: str) -> str:
    return text.replace("\\", "\\\\").replace("`", "\\`").replace("${", "\\${")


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("indent", [None, 2])
def test_a_value_of_insta_is_read(indent: int | None, end: str) -> None:
    text = METADATA + json.dumps(COMPLETION, indent=indent) + "\n"
    (found,) = _read(text.replace("\n", end))
    assert _value(found) == COMPLETION
    assert isinstance(found, Exchange)
    assert found.text.place(0) == (8, 1)


def test_events_and_http_messages_of_insta_are_read() -> None:
    (events,) = _read(METADATA + EVENTS)
    assert _value(events)[:2] == CHUNKS
    (message,) = _read(f"{METADATA}HTTP/1.1 200 OK\ncontent-type: application/json\n\n{json.dumps(COMPLETION)}\n")
    assert _value(message) == COMPLETION


@given(
    st.booleans(),
    st.sampled_from(["Hi", "", "a `b` ${c}", "{ }, ]", "Object {", "1,", "日本"]),
    st.sampled_from([[], [{"a": []}]]),
    st.sampled_from(["\n", "\r\n"]),
)
def test_values_of_jest_and_vitest_are_read_and_placed(names: bool, words: str, empty: list[Any], end: str) -> None:
    request = REQUEST | {"messages": [{"role": "user", "content": words}], "tools": empty, "metadata": {}}
    values = "".join(
        f"exports[`it > {title} 1`] = `{before}{_literal(_pretty(value, names=names))}{before}`;\n\n"
        for title, value, before in (("asks", request, "\n"), ("says \\`x\\`", COMPLETION, "\n"), ("n", "x", ""))
    )
    text = (HEADER + values).replace("\n", end)
    asked, said = _read(text)
    assert (_value(asked), _value(said)) == (request, COMPLETION)
    assert isinstance(said, Exchange)
    for name in (b'"choices"', b'"finish_reason"'):
        place = said.text.place(said.text.data.index(name))
        assert text.split(end)[place.line - 1][place.column - 1 :].startswith(name.decode())


_SPOKEN = st.lists(st.sampled_from(['"', "\\", "\n", "\t", "`", "${", "{", "}", ",", ":", " ", "a", "日"]), max_size=12)


@given(_SPOKEN.map("".join))
def test_strings_that_jest_writes_with_their_quotes_and_line_ends_are_read_and_placed(words: str) -> None:
    assume('",\n' not in f"{words},")
    call = '{"city": "Paris", "quoted": "\\"x\\""}'
    message = {"role": "assistant", "content": words, "tool_calls": [{"function": {"arguments": call, "name": "f"}}]}
    said = {"choices": [{"message": message, "index": 0, "finish_reason": "stop"}], "object": "chat.completion"}
    raw = json.dumps(words, ensure_ascii=False), json.dumps(call, ensure_ascii=False)
    assume(raw[0] not in raw[1])
    pretty = _pretty(said, names=False).replace(raw[0], f'"{words}"').replace(raw[1], f'"{call}"')
    text = f"{HEADER}exports[`says 1`] = `\n{_literal(pretty)}\n`;\n"
    (found,) = _read(text)
    assert _value(found) == said
    assert isinstance(found, Exchange)
    for name in (b'"arguments"', b'"name": "f"', b'"index"'):
        place = found.text.place(found.text.data.index(name))
        assert text.split("\n")[place.line - 1][place.column - 1 :].startswith(name.decode())


@pytest.mark.parametrize("is_escaped", [True, False])
def test_json_in_a_string_of_jest_is_read(is_escaped: bool) -> None:
    request = REQUEST | {"user": "a `b` \\"} | ({"stop": '"'} if is_escaped else {})
    written = json.dumps(request)
    string = written.replace("\\", "\\\\").replace('"', '\\"') if is_escaped else written
    (found,) = _read(f'{HEADER}exports[`asks 1`] = `"{_literal(string)}"`;\n')
    assert _value(found) == request


def test_other_values_are_skipped_with_a_reason() -> None:
    for text in (
        f"{METADATA}hello\n",
        f"{METADATA}{json.dumps(COMPLETION)[:-1]}\n",
        f"{METADATA}{COMPLETION}\n",
        f"{METADATA}id: chatcmpl-1\nobject: chat.completion\n",
        f'{METADATA}{{\n  "a": 1\n}}\n',
        f"{HEADER}exports[`x 1`] = `\n<div>\n  choices\n</div>\n`;\n",
        f'{HEADER}exports[`x 1`] = `\n{{\n  "created": Any<Number>,\n  "choices": [],\n}}\n`;\n',
        f"{HEADER}exports[`x 1`] = `never closed",
    ):
        (found,) = _read(text)
        assert isinstance(found, Skipped)
        assert found.reason == "a snapshot without JSON or events of Chat Completions"
    (page,) = _read(f"---\ntitle: x\n---\n{json.dumps(COMPLETION)}\n", name="page.txt")
    assert "snapshot" not in getattr(page, "reason", "")


@pytest.mark.parametrize("before", ["\ufeff", "\n", " \n"])
def test_the_metadata_may_stand_behind_a_mark_or_blank_lines(before: str) -> None:
    (found,) = _read(f"{before}{METADATA}{json.dumps(COMPLETION)}\n")
    assert _value(found) == COMPLETION


def test_a_text_that_begins_with_a_comma_and_a_line_end_is_read_to_its_end() -> None:
    answer = {**COMPLETION, "id": ",\nno more"}
    value = _pretty(answer, names=False).replace('",\\nno more"', '",\nno more"')
    (found,) = _read(f"{HEADER}exports[`a 1`] = `\n{value}\n`;\n")
    assert _value(found) == answer


@pytest.mark.parametrize("names", [True, False])
def test_a_snapshot_in_another_encoding_is_read(names: bool) -> None:
    answer = COMPLETION | {"model": "caf\u00e9", "system_fingerprint": "a\nb"}
    values = (_pretty(answer, names=names).replace("\\", "\\\\"), json.dumps(COMPLETION))
    jest = "".join(f"exports[`{number}`] = `\n{one}\n`;\n\n" for number, one in enumerate(values))
    insta = METADATA + json.dumps(answer, ensure_ascii=False) + "\n"
    for text, count in ((HEADER + jest, 2), (insta, 1)):
        first, *others = _read(text.encode("cp1252"))
        assert _value(first)["system_fingerprint"] == "a\nb"
        assert len(others) == count - 1
