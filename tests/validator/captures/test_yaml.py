"""Tests of reading YAML as JSON: values are the same as those of PyYAML, and places are those in the YAML."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import orjson
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from payloads import CHUNKS, COMPLETION, ERROR, REQUEST, as_events, chunk
from reading import exchange_in, findings_of_exchange, read_all, values_of

from isogloss.validator import jsontext
from isogloss.validator.captures.limits import Unreadable
from isogloss.validator.captures.yaml.scalars import scalar_segments
from isogloss.validator.captures.yaml.text import NotYaml, yaml_documents
from isogloss.validator.exchange import Exchange, Payload, Skipped, Stream
from isogloss.validator.text import Text

FIXTURES = Path(__file__).parents[3] / "fixtures"
STYLES = ["", "'", '"', "|", ">"]
TEXTS = st.text(st.sampled_from(" \t\n:#-'\"\\{}[],&*!|>%@`?aZ0é\U0001f366\u2028\x85\u00a0\x07\r"), max_size=60)
JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXTS
    | st.sampled_from(
        ["yes", "1", "1.5", "null", "~", "0x1f", "010", "1:30", "1e3", "=", "<<", "2024-01-01", ".5", ""]
    ),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)


def _read(text: str) -> list[Any]:
    return [orjson.loads(document.data) for document in yaml_documents(Text(text.encode()))]


def _only_scalar(text: str) -> tuple[bytes, Any]:
    """Return the only scalar of a document, as it is written, and its parser event."""
    (scalar,) = (scalar for scalar in yaml.parse(text, Loader=yaml.CSafeLoader) if isinstance(scalar, yaml.ScalarEvent))
    return text[scalar.start_mark.index : scalar.end_mark.index].encode(), scalar


@settings(max_examples=4 * settings().max_examples, derandomize=True)
@given(TEXTS, st.sampled_from(STYLES), st.sampled_from([10, 80, 10_000]), st.booleans())
def test_each_character_of_a_scalar_has_its_place(text: str, style: str, width: int, allow_unicode: bool) -> None:
    written = yaml.dump([text], default_style=style or None, width=width, allow_unicode=allow_unicode)
    source, event = _only_scalar(written)
    value = event.value.encode()
    segments = scalar_segments(source, value)
    if segments is None:
        # Only YAML 1.1 ends lines at the line breaks of Unicode that are written as they are.
        assert {"\u2028", "\x85"} & set(text)
        return
    place = Text.derived(value, Text(source), segments).place
    for index, character in enumerate(event.value):
        line, column = place(len(event.value[:index].encode()))
        rest_of_line = source.decode().split("\n")[line - 1][column - 1 :]
        assert rest_of_line.startswith((character, "\\", "''")) or (character in " \n" and not rest_of_line.strip()), (
            index,
            rest_of_line,
        )


@settings(max_examples=2 * settings().max_examples, derandomize=True)
@given(JSON_VALUES, st.sampled_from([None, '"', "'"]), st.booleans())
def test_values_are_those_that_pyyaml_reads(value: Any, style: str | None, flow: bool) -> None:
    written = yaml.safe_dump(value, default_style=style, default_flow_style=flow, allow_unicode=True)
    assert _read(written) == [json.loads(json.dumps(yaml.safe_load(written)))]


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("0x1F", 31), ("0b101", 5), ("017", 15), ("1_000", 1000), ("+5", 5), ("-7", -7), ("1.5e+3", 1500.0),
        ("-0x1F", -31), ("-1_000", -1000), ("-5.", -5.0),
        (".5", 0.5), ("5.", 5.0), ("yes", True), ("Off", False), ("~", None), ("", None), ("1e3", "1e3"),
        ("2024-01-01", "2024-01-01"), ('!!null "null"', None),
        ("!!str 5", "5"), ("!!int 5", 5), ("!ruby/symbol x", "x"), ("!!python/unicode 'é'", "é"), ("09", "09"),
        ("!!binary QUI=", {"base64_string": "QUI="}), ("! 5", "5"),
    ],
)  # fmt: skip
def test_plain_scalars_are_resolved_as_yaml_1_1_does(written: str, value: object) -> None:
    assert _read(f"a: {written}\n") == [{"a": value}]


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("? !!python/object/apply:multidict._multidict.istr\n- Accept\n: - json\nb: 1\n", {"Accept": ["json"], "b": 1}),
        ("? !!python/object/new:os.system {args: [id], x: {y: 1}}\n: 2\n", {"args": 2}),
        ("? &k [&n a, b]\n: 1\nc: [*k, *n]\n", {"a": 1, "c": ["a", "a"]}),
        ("n: &n a\nm:\n  ? [*n]\n  : 1\n", {"n": "a", "m": {"a": 1}}),
        ("? []\n: 1\n? {}\n: 2\n", {"": 2}),
        ("a:\n  ? [[x], y]\n  : ? [z]\n    : 1\n", {"a": {"x": {"z": 1}}}),
    ],
)
def test_a_collection_as_key_is_read_as_its_first_scalar(written: str, value: object) -> None:
    assert _read(written) == [value]


def test_several_documents_or_none_are_read() -> None:
    assert _read("--- 1\n--- {a: 2}\n...\n") == [1, {"a": 2}]
    assert _read("") == []


def test_numbers_keep_their_digits() -> None:
    (text,) = yaml_documents(Text(b"a: 1.50\nb: 12345678901234567890123\n"))
    assert text.data == b'{"a":1.50,"b":12345678901234567890123}'


@pytest.mark.parametrize(
    ("written", "reason"),
    [
        ("a: [", "not YAML: line 2, column 1"),
        ("a: b: c", "not YAML: line 1, column 5: mapping values are not allowed in this context"),
        ("a: &x [1]\n? *x\n: 2", "line 2: a key that is not a scalar"),
        ("? %s\n: 2" % ("[" * 30 + "]" * 30), "line 1: a key that is nested more than 20 deep"),
        ("a: *x", "an alias of something that is not defined yet"),
        ("a: \x01", "not YAML"),
        ("a: %s" % ("[" * 201), "nested more than 200 deep"),
    ],
)
def test_yaml_that_is_no_json_value_is_refused_with_its_line(written: str, reason: str) -> None:
    with pytest.raises(Unreadable, match="line") as error:
        _read(written)
    assert reason in str(error.value)


def test_keys_and_values_have_their_places_in_the_yaml() -> None:
    source = "été:\n  clé: &x {k: 'v''w', \"l\": 1}\n  alias: *x\n  text: |2+\n     indented\n\n    é: two\n"
    (text,) = yaml_documents(Text(source.encode()))
    scan = jsontext.scan(text.data)
    lines = source.split("\n")

    def rest_of_line(*pointer: str | int, key: bool = False) -> str:
        place = text.place(scan.offset(pointer, key=key))
        return lines[place.line - 1][place.column - 1 :]

    assert rest_of_line("été", key=True) == "été:"
    assert rest_of_line("été", "clé", key=True).startswith("clé")
    assert rest_of_line("été", "clé", "k").startswith("'v''w'")
    assert rest_of_line("été", "clé", "l", key=True).startswith('"l"')
    assert rest_of_line("été", "clé", "l") == "1}"
    assert rest_of_line("été", "alias", "k").startswith("'v''w'")
    value = orjson.loads(text.data)["été"]["text"]
    inner = Text.derived(value.encode(), text, scan.string_segments(("été", "text")))
    place = inner.place(value.encode().index(b"two"))
    assert lines[place.line - 1][place.column - 1 :] == "two"
    quoted = Text.derived(b"v'w", text, scan.string_segments(("été", "clé", "k"))).place(2)
    assert lines[quoted.line - 1][quoted.column - 1 :].startswith("w'")


def test_aliases_binaries_and_collections_as_keys_have_places_in_the_yaml() -> None:
    source = """\
list: &x [1, &y 'é', {}]
copies: [*x, *y , [], *x]
? {k: v}
: !!binary aGk=
? []
: !!str # a comment
  'd"e'
*y : &z {}
last: [*z, "end"]
"""
    (text,) = yaml_documents(Text(source.encode()))
    assert orjson.loads(text.data) == {
        "list": [1, "é", {}], "copies": [[1, "é", {}], "é", [], [1, "é", {}]], "k": {"base64_string": "aGk="},
        "": 'd"e', "é": {}, "last": [{}, "end"],
    }  # fmt: skip
    scan = jsontext.scan(text.data)
    lines = source.split("\n")

    def rest_of_line(*pointer: str | int, offset_inside: int = 0) -> str:
        place = text.place(scan.offset(pointer) + offset_inside)
        return lines[place.line - 1][place.column - 1 :]

    for pointer_to_list in (("list",), ("copies", 0), ("copies", 3)):
        assert rest_of_line(*pointer_to_list) == "&x [1, &y 'é', {}]"
        assert rest_of_line(*pointer_to_list, 0).startswith("1,")
        assert rest_of_line(*pointer_to_list, 1, offset_inside=1).startswith("é'")
        assert rest_of_line(*pointer_to_list, 2) == "{}]"
    assert rest_of_line("copies", 2).startswith("[], *x]")
    assert rest_of_line("k", "base64_string", offset_inside=1) == "aGk="
    assert rest_of_line("", offset_inside=len('"d\\"')) == "e'"
    assert rest_of_line("last", 0) == "&z {}"
    assert rest_of_line("last", 1) == '"end"]'


NODES = st.recursive(
    st.sampled_from(["1", "'a'", '"b"', "c", "~", "!!binary aGk=", "!x d", "*a ", "[]", "{}"]),
    lambda inner: (
        st.lists(inner, max_size=4).map(lambda items: f"[{', '.join(items)}]")
        | st.lists(inner, max_size=4).map(
            lambda items: f"{{{', '.join(f'k{number}: {item}' for number, item in enumerate(items))}}}"
        )
    ),
    max_leaves=12,
)


@given(st.sampled_from(["1", "'a'", "[1, []]", "{k: v}", "[]", "{}"]), NODES)
def test_an_alias_is_read_as_the_value_of_its_anchor(anchored: str, node: str) -> None:
    (text,) = yaml_documents(Text(f"[&a {anchored}, {node}]".encode()))
    without_alias = node.replace("*a ", anchored)
    assert orjson.loads(text.data) == _read(f"[{anchored}, {without_alias}]")[0]
    assert [text.place(offset).line for offset in range(len(text.data))] == [1] * len(text.data)


@pytest.mark.parametrize("name", ["har", "wiremock"])
def test_archives_and_mappings_written_as_yaml_hold_the_same_exchanges_as_in_json(name: str) -> None:
    folder = FIXTURES / "captures" / name
    paths = [path for path in sorted(folder.glob("*")) if path.suffix in (".json", ".har")]
    assert paths
    for path in paths:
        written = yaml.safe_dump(json.loads(path.read_bytes()), sort_keys=False, allow_unicode=True).encode()
        for marker in (b"", b"---\n"):
            as_yaml = read_all(marker + written, "x", beside=_no_file)
            as_json = read_all(path.read_bytes(), "x", beside=_no_file)
            assert [_halves(one) for one in as_yaml] == [_halves(one) for one in as_json], path


@pytest.mark.parametrize("answer", [ERROR, COMPLETION], ids=["refusal", "completion"])
@pytest.mark.parametrize("as_text", [True, False])
def test_a_pair_in_yaml_is_read_whatever_the_answer_is(answer: Any, as_text: bool) -> None:
    halves = {"request": REQUEST, "response": answer}
    written = {name: json.dumps(half, indent=2) if as_text else half for name, half in halves.items()}
    capture = yaml.safe_dump({"name": "a test", "cases": [written]}, sort_keys=False)
    assert values_of(exchange_in(capture, "cases.yaml")) == (REQUEST, answer)


def _no_file(_: str) -> None:
    return None


def _halves(found: Exchange | Skipped) -> object:
    if isinstance(found, Skipped):
        return found.reason
    body = found.response
    answer = body.value if isinstance(body, Payload) else body.values if isinstance(body, Stream) else body
    return found.request and found.request.value, answer, found.http.status, found.host, found.path


@pytest.mark.parametrize("escape", [r"\uD800", r"\U00110000", r"\UFFFFFFFF"])
@pytest.mark.parametrize("with_libyaml", [True, False])
def test_an_escape_of_no_character_is_no_yaml_whichever_parser_reads_it(
    escape: str, with_libyaml: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not with_libyaml:
        monkeypatch.delattr(yaml, "CSafeLoader")
    for text in (f'a: "{escape}"', f'"{escape}": a'):
        with pytest.raises(NotYaml, match=r"not YAML: .*escape"):
            list(yaml_documents(Text(text.encode())))


@pytest.mark.parametrize(
    ("header", "last", "read"),
    [
        ("|", "\n", "\n"),
        ("|", "\n\n", "\n\n"),
        ("|", "\n \n\n", "\n\n"),
        ("|", "\n# a remark\n", "\n"),
        ("|+", "\n\n\n", "\n\n\n"),
        ("|-", "\n\n", ""),
    ],
)
@pytest.mark.parametrize("behind", ["", "b: 1\n"])
@pytest.mark.parametrize("with_libyaml", [True, False])
def test_the_blank_line_behind_the_last_event_of_a_stream_is_a_part_of_it(
    header: str, last: str, read: str, behind: str, with_libyaml: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not with_libyaml:
        monkeypatch.delattr(yaml, "CSafeLoader")
    for first in ("data: {}\n  \n  data: {}", "event: x\n  data: {}", "no: event"):
        source = f"a: {header}\n  {first}{last}{behind}"
        (text,) = yaml_documents(Text(source.encode()))
        expected = first.replace("\n  ", "\n") + read if "data" in first else yaml.safe_load(source)["a"]
        assert orjson.loads(text.data)["a"] == expected


def test_a_stream_in_a_literal_scalar_has_its_places_and_its_end() -> None:
    events = as_events(CHUNKS[0], chunk({"content": 7}), CHUNKS[1], "[DONE]")
    scalar = "".join(f"      {line}".rstrip() + "\n" for line in events.split("\n")[:-1])
    source = f"- request: '{json.dumps(REQUEST | {'stream': True})}'\n  response:\n    body: |\n{scalar}  x: 1\n"
    found = exchange_in(source, "calls.yaml")
    findings = [finding for finding in findings_of_exchange(found) if finding.severity > 1]
    line = source[: source.index('"content": 7')].count("\n") + 1
    assert [(finding.rule, finding.source.line) for finding in findings] == [("wrong-type", line)]


def test_of_a_test_in_yaml_the_answer_that_it_expects_is_not_read() -> None:
    request = {"url": "https://api.example.com/v1/chat/completions", "method": "POST", "json": REQUEST}
    stage = {"name": "ask", "request": request, "response": {"status_code": 200, "json": {"object": "chat.completion"}}}
    whole = exchange_in(yaml.safe_dump({"stages": [stage]}), "a.yaml")
    assert isinstance(whole.response, Payload)
    expected = exchange_in(yaml.safe_dump({"test_name": "chat", "stages": [stage]}), "a.yaml")
    assert (expected.request is not None, expected.response, expected.http.status) == (True, None, None)
