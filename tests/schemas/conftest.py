"""Both engines behind one function, and what the judged documents make of a payload."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import jsonschema
import jsonschema_rs
import pytest

from isogloss import schemas

ENGINES = ("jsonschema", "jsonschema_rs")


class Fault(NamedTuple):
    keyword: str
    pointer: str
    severity: str


@cache
def _validator(engine: str, name: str) -> Any:
    document = schemas.judged(name)
    module = jsonschema if engine == "jsonschema" else jsonschema_rs
    return module.Draft202012Validator(document)


def _severity(subschema: dict[str, Any], keyword: str, message: str) -> str:
    if keyword == "additionalProperties":
        return "note"
    if keyword == "required":
        documented = subschema.get("x-documented-required", [])
        return "note" if any(f"{quote}{d}{quote}" in message for d in documented for quote in "'\"") else "error"
    return "error" if keyword == "type" else str(subschema.get("x-severity", "error"))


def _faults(engine: str, name: str, payload: Any) -> list[Fault]:
    found = []
    for error in _validator(engine, name).iter_errors(payload):
        rust = engine == "jsonschema_rs"
        path = list(error.schema_path if rust else error.absolute_schema_path)
        place = list(error.instance_path if rust else error.absolute_path)
        subschema = schemas.at(schemas.judged(name), path)
        assert path[-1] in subschema, f"{path} does not lead to its keyword"
        pointer = "".join(f"/{step}" for step in place)
        found.append(Fault(path[-1], pointer, _severity(subschema, path[-1], error.message)))
    # A value of the wrong type is not one of an enumeration either: one fault, reported by two keywords.
    mistyped = {fault.pointer for fault in found if fault.keyword == "type"}
    return [f for f in found if f.keyword not in ("enum", "const") or f.pointer not in mistyped]


@pytest.fixture(scope="session")
def faults() -> Callable[[str, str, Any], list[Fault]]:
    return _faults


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> str:
    return str(request.param)
