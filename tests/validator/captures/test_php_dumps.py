"""Tests of what PHP dumps of a payload: it is read as the payload, and each part has its place."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from payloads import COMPLETION, REQUEST, with_finish_reason
from reading import all_exchanges, findings_of_exchange, read_all, values_of

from isogloss.validator.captures.bodies.php_dumps import dumps_in
from isogloss.validator.exchange import Payload, Skipped
from isogloss.validator.text import Text

_SAID = 'It\'s "so" \\ `é` \n  ["id"]=>\n\t\x07 \U0001f600 ${x}"\n}'
_ANSWER = with_finish_reason("bored") | {"x": [[], [1, 2.0, 1e-7, True, None, {"50256": -1}], _SAID]}


def dump(value: Any, *, classes: bool, indent: str = "") -> str:
    """Return what ``var_dump`` prints of JSON that PHP decoded to arrays, or to objects of ``stdClass``."""
    if isinstance(value, dict | list):
        is_object = classes and isinstance(value, dict)
        begin = f"object(stdClass)#7 ({len(value)})" if is_object else f"array({len(value)})"
        items = value.items() if isinstance(value, dict) else enumerate(value)
        keys = ((f'"{key}"' if is_object or not str(key).isdigit() else key, one) for key, one in items)
        inner = "".join(f"{indent}  [{key}]=>\n{dump(one, classes=classes, indent=indent + '  ')}" for key, one in keys)
        return f"{indent}{begin} {{\n{inner}{indent}}}\n"
    if isinstance(value, str):
        return f'{indent}string({len(value.encode())}) "{value}"\n'
    if value is None:
        return f"{indent}NULL\n"
    if isinstance(value, bool):
        return f"{indent}bool({json.dumps(value)})\n"
    return f"{indent}{type(value).__name__}({repr(value).removesuffix('.0').replace('e', '.0E')})\n"


_NAMES = st.text("abc_$é", min_size=1)
_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.text(st.characters(codec="utf-8")),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_NAMES, inner, max_size=4),
)


@given(st.dictionaries(_NAMES, _VALUES, min_size=1, max_size=4))
def test_whatever_php_dumps_of_objects_is_read_as_the_same_json(value: dict[str, Any]) -> None:
    (found,) = dumps_in(Text(dump(value, classes=True).encode()))
    assert json.loads(found.data) == value
    assert list(json.loads(found.data)) == list(value)


@pytest.mark.parametrize("classes", [True, False])
def test_a_dump_is_read_as_the_same_payload_and_each_part_has_its_place(classes: bool) -> None:
    answer = _ANSWER if classes else {**_ANSWER, "x": _ANSWER["x"][1:]}
    written = f"日本\n\n{dump(answer, classes=classes)}"
    (found,) = dumps_in(Text(written.encode()))
    assert json.loads(found.data) == answer
    for word in ("choices", "Fake1", "assistant", "bored", "total_tokens", "x}"):
        place = found.place(found.data.index(word.encode()))
        assert written.split("\n")[place.line - 1][place.column - 1 :].startswith(word)


def test_of_an_empty_array_that_may_have_been_an_object_nothing_is_reported() -> None:
    message = COMPLETION["choices"][0]["message"] | {"annotations": []}
    answer = COMPLETION | {"choices": [COMPLETION["choices"][0] | {"message": message}], "usage": {}}
    (found,) = all_exchanges(dump(answer, classes=False), "out.txt")
    assert findings_of_exchange(found) == []
    (found,) = all_exchanges(dump(answer | {"usage": []}, classes=True), "out.txt")
    assert [one.rule for one in findings_of_exchange(found)] == ["wrong-type"]


@pytest.mark.parametrize("classes", [True, False])
@pytest.mark.parametrize(
    ("page", "name"),
    [
        ("%s", "out.txt"),
        ("PHP Notice: no\n%sdone\n", "app.log"),
        ("# It\n\n```\n%s```\n", "README.md"),
        ("# It\n\n```php\n%s```\n", "README.md"),
        ("# It\n\n```php\nvar_dump($r);\n/*\n%s*/\n```\n", "README.md"),
        ("# It\n\nIt prints\n\n%s", "README.md"),
    ],
)
def test_an_answer_that_php_dumped_is_read_in_texts_and_pages(page: str, name: str, classes: bool) -> None:
    (found,) = all_exchanges(page % dump(with_finish_reason("bored"), classes=classes), name)
    assert isinstance(found.response, Payload)
    assert found.response.value == with_finish_reason("bored")
    assert found.dumped


def test_a_page_may_lose_the_last_brackets_and_bytes_of_a_text() -> None:
    whole = dump(with_finish_reason("bored"), classes=True)
    for text in (whole.rstrip()[:-1], whole.replace("Ho", "Hohoho"), whole.replace("\n", "\r\n")):
        (found,) = all_exchanges(f"```\n{text}\n```\n", "README.md")
        assert values_of(found)[1]["choices"][0]["finish_reason"] == "bored"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('["model"]=>', '["model":"Answer":private]=>'),
        ("object(stdClass)#7 (3) {", "object(Message)#7 (3) {"),
        ("int(0)", "enum(Index::First)"),
        ('  ["model"]=>\n  string(1) "m"\n', ""),
        ('  ["model"]=>\n  string(1) "m"\n', "  ...\n"),
    ],
)
def test_what_is_no_whole_dump_of_json_is_not_read(old: str, new: str) -> None:
    dumped = dump(COMPLETION, classes=True)
    assert old in dumped
    assert all_exchanges(dumped.replace(old, new), "out.txt") == []


@pytest.mark.parametrize("value", [REQUEST, {"answer": COMPLETION}])
def test_of_dumps_only_answers_are_read(value: dict[str, Any]) -> None:
    assert [values_of(one)[0] for one in all_exchanges(dump(value, classes=True), "out.txt")] == []


@pytest.mark.parametrize(
    "printed",
    [
        "Array\n(\n    [id] => chatcmpl-1\n    [object] => chat.completion\n    [created] => 1760000000\n)\n",
        '> str(res)\n#> List of 7\n#>  $ id     : chr "chatcmpl-1"\n#>  $ object : chr "chat.completion"\n',
        "choices            : {@{finish_reason=stop; index=0}}\nobject             : chat.completion\n",
        "map[choices:[map[finish_reason:stop index:0]] id:chatcmpl-1 object:chat.completion]\n",
    ],
)
@pytest.mark.parametrize(
    ("page", "name"), [("%s", "out.txt"), ("%s", "app.log"), ("# It\n\n```\n%s```\n", "README.md")]
)
def test_how_to_print_is_advised_for_an_answer_without_the_types_of_its_values(
    page: str, name: str, printed: str
) -> None:
    (skipped,) = read_all(page % printed, name)
    assert isinstance(skipped, Skipped)
    assert "without the types of their values" in skipped.reason


@pytest.mark.thorough
@pytest.mark.parametrize(
    "part", ['array(1) {\n["a"]=>\n', '["a"]=>', 'string(9) "', "NULL ", '"', 'array(1) {["a"', "} "]
)
def test_reading_dumps_takes_linear_time(part: str) -> None:
    def seconds(size: int) -> float:
        text = Text(('array(1) {\n["choices"]=>\n' + part * size).encode())
        start = time.process_time()
        assert list(dumps_in(text)) == []
        return time.process_time() - start

    seconds(1000)
    assert seconds(24_000) < 0.5 + 24 * seconds(3000)
