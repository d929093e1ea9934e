"""Provide a function that validates payloads with either engine, and returns the faults with their severities."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import jsonschema
import jsonschema_rs
import pytest

from isogloss import schemas
from isogloss.schemas.references import resolve

ENGINES = ("jsonschema", "jsonschema_rs")


class Fault(NamedTuple):
    keyword: str
    pointer: str
    severity: str


@cache
def _validator(engine: str, name: str) -> Any:
    document = schemas.validation_document(name)
    module = jsonschema if engine == "jsonschema" else jsonschema_rs
    return module.Draft202012Validator(document)


def _severity(document: dict[str, Any], subschema: dict[str, Any], keyword: str, message: str, value: Any) -> str:
    if keyword == "additionalProperties":
        return str(subschema.get("x-unknown") or document.get("x-unknown", "note"))
    if keyword == "type" and value is None:
        return str(subschema.get("x-null", "error"))
    if keyword == "required":
        documented = subschema.get("x-documented-required", [])
        return "note" if any(f"{quote}{name}{quote}" in message for name in documented for quote in "'\"") else "error"
    return "error" if keyword == "type" else str(subschema.get("x-severity", "error"))


def _value_at(payload: Any, steps: list[Any]) -> Any:
    for step in steps:
        payload = payload[step if isinstance(payload, list) else str(step)]
    return payload


def _subschema_at(document: dict[str, Any], path: list[Any]) -> Any:
    """Return the subschema with the keyword that an error is about, which is the last step of its path in the schema.

    The path of ``jsonschema`` passes through references without naming them. That of ``jsonschema_rs`` names each
    ``$ref``, or begins anew at the definition.
    """
    node: Any = document
    for step in path[:-1]:
        node = _dereferenced(document, node, step)[step]
        node = resolve(document, node) if step == "$ref" else node
    return _dereferenced(document, node, path[-1])


def _dereferenced(document: dict[str, Any], node: Any, step: str | int) -> Any:
    is_reference = isinstance(node, dict) and step not in node and "$ref" in node
    return resolve(document, node["$ref"]) if is_reference else node


def _find_faults(engine: str, name: str, payload: Any) -> list[Fault]:
    found = []
    for error in _validator(engine, name).iter_errors(payload):
        is_rust = engine == "jsonschema_rs"
        path = list(error.schema_path if is_rust else error.absolute_schema_path)
        steps = list(error.instance_path if is_rust else error.absolute_path)
        subschema = _subschema_at(schemas.validation_document(name), path)
        assert path[-1] in subschema, f"{path} does not lead to its keyword"
        pointer = "".join(f"/{step}" for step in steps)
        value = _value_at(payload, steps)
        found.append(
            Fault(
                path[-1],
                pointer,
                _severity(schemas.validation_document(name), subschema, path[-1], error.message, value),
            )
        )
    # A value of the wrong type also violates an enumeration. This is one fault, although two keywords report it.
    mistyped = {fault.pointer for fault in found if fault.keyword == "type"}
    return [fault for fault in found if fault.keyword not in ("enum", "const") or fault.pointer not in mistyped]


@pytest.fixture(scope="session")
def faults() -> Callable[[str, str, Any], list[Fault]]:
    return _find_faults


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> str:
    return str(request.param)
