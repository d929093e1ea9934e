"""Test that an integer of an answer is reported if it is written as a float, wherever the schemas have one.

The bytes of tokens are not checked.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from isogloss import schemas
from isogloss.schemas.variants import subschemas
from isogloss.validator import check
from isogloss.validator.pointer import Pointer, generic

CONFORMING = Path(__file__).parents[3] / "fixtures" / "conforming"
RULES = {"integer-as-float", "tool-call-index-float"}


def _integers(value: Any, at: Pointer) -> Iterator[Pointer]:
    if type(value) is int:
        yield at
    steps = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, inner in steps:
        yield from _integers(inner, (*at, step))


def _answers() -> Iterator[Any]:
    for file in sorted(CONFORMING.glob("completion/*.json")):
        yield json.loads(file.read_bytes())
    for file in sorted(CONFORMING.glob("stream/*.sse")):
        lines = [line[6:] for line in file.read_text("utf-8").splitlines() if line.startswith("data: {")]
        yield [json.loads(line) for line in lines]


def _body(answer: Any) -> bytes:
    if isinstance(answer, dict):
        return json.dumps(answer).encode()
    return b"".join(b"data: %s\n\n" % json.dumps(chunk).encode() for chunk in answer) + b"data: [DONE]\n\n"


def _path(answer: Any, at: Pointer) -> str:
    return f"completion {generic(at)}" if isinstance(answer, dict) else f"chunk {generic(at[1:])}"


def _examples() -> dict[str, Any]:
    """Return an answer with an integer for each path, of a completion or a chunk, that holds one by itself."""
    paths = {_path(answer, at): answer for answer in _answers() for at in _integers(answer, ())}
    return {name: answer for name, answer in paths.items() if not name.endswith("bytes[]")}


EXAMPLES = _examples()


@pytest.mark.parametrize("name", EXAMPLES)
def test_integer_written_as_a_float_is_one_finding(name: str) -> None:
    answer = copy.deepcopy(EXAMPLES[name])
    for at in [at for at in _integers(answer, ()) if _path(answer, at) == name]:
        inner = answer
        for step in at[:-1]:
            inner = inner[step]
        inner[at[-1]] = float(inner[at[-1]])
    found = {finding.rule for finding in check(_body(answer)).findings if finding.severity.label != "note"}
    assert len(found) == 1
    assert found < RULES


def test_the_answers_hold_every_integer_of_the_schemas() -> None:
    names = {name.partition(" ")[2].rpartition(".")[2] for name in EXAMPLES}
    for kind in ("completion", "chunk"):
        document = schemas.validation_document(kind)
        for schema in subschemas(document):
            properties = schema.get("properties", {}).items()
            assert {key for key, one in properties if one is not True and one.get("type") == "integer"} <= names
