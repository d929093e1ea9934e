"""Test the schemas against the reference client: its types and the schemas describe the same properties."""

from __future__ import annotations

import typing
from types import UnionType
from typing import Annotated, Any, NotRequired, Required, Union, get_args, get_origin

import pydantic
import pytest
from compared_client import compared
from openai.types.chat import ChatCompletion, ChatCompletionChunk
from openai.types.chat.completion_create_params import (
    CompletionCreateParamsNonStreaming,
    CompletionCreateParamsStreaming,
)
from openai.types.shared import ErrorObject
from typing_extensions import is_typeddict

from isogloss import schemas

NOT_IN_TYPES = {
    ".choices[].delta.tool_calls[].custom",
    ".choices[].delta.tool_calls[].custom.name",
    ".choices[].delta.tool_calls[].custom.input",
    ".choices[].delta.annotations",
    ".choices[].delta.annotations[].type",
    ".choices[].delta.annotations[].url_citation",
    ".choices[].delta.annotations[].url_citation.end_index",
    ".choices[].delta.annotations[].url_citation.start_index",
    ".choices[].delta.annotations[].url_citation.title",
    ".choices[].delta.annotations[].url_citation.url",
}
"""Properties of a chunk that the types from PyPI do not have: decisions 12 and 45."""
WRAPPERS = (Union, UnionType, Annotated, Required, NotRequired)

pytestmark = compared


def properties_of_type(sdk_type: Any, path: str = "") -> set[str]:
    """Return the paths of all properties of an SDK type. Maps with free names have none."""
    properties: dict[str, Any] = {}
    if isinstance(sdk_type, type) and issubclass(sdk_type, pydantic.BaseModel):
        properties = {name: field.annotation for name, field in sdk_type.model_fields.items()}
    elif is_typeddict(sdk_type):
        properties = typing.get_type_hints(sdk_type)
    if properties:
        inner = (properties_of_type(type_, f"{path}.{name}") for name, type_ in properties.items())
        return {f"{path}.{name}" for name in properties}.union(*inner)
    origin = get_origin(sdk_type)
    if origin in (None, dict, typing.Literal):
        return set()
    step = "" if origin in WRAPPERS else "[]"
    return set().union(*(properties_of_type(argument, path + step) for argument in get_args(sdk_type)))


def properties_of_schema(document: dict[str, Any], schema: Any, path: str = "") -> set[str]:
    """Return the paths of all properties that a bundled schema describes."""
    if not isinstance(schema, dict):
        return set()
    found: set[str] = set()
    if "$ref" in schema:
        found |= properties_of_schema(document, document["$defs"][schema["$ref"].rpartition("/")[2]], path)
    for name, subschema in schema.get("properties", {}).items():
        found |= {f"{path}.{name}"} | properties_of_schema(document, subschema, f"{path}.{name}")
    found |= properties_of_schema(document, schema.get("items"), f"{path}[]")
    for branch in (*schema.get("allOf", ()), schema.get("then")):
        found |= properties_of_schema(document, branch, path)
    return found


@pytest.mark.parametrize(
    ("name", "kinds"),
    [
        ("completion", [ChatCompletion]),
        ("chunk", [ChatCompletionChunk]),
        ("request", [CompletionCreateParamsNonStreaming, CompletionCreateParamsStreaming]),
    ],
)
def test_schema_and_client_describe_the_same_properties(name: str, kinds: list[Any]) -> None:
    document = schemas.validation_document(name)
    expected = set().union(*(properties_of_type(kind) for kind in kinds))
    assert len(expected) > 50
    not_in_types = NOT_IN_TYPES if name == "chunk" else set()
    assert properties_of_schema(document, document) == expected | not_in_types


def nullability_of_type(sdk_type: Any, path: str = "") -> dict[str, bool]:
    """Return the paths of all properties of an SDK type of answers, each with whether the type allows null there."""
    origin, arguments = get_origin(sdk_type), get_args(sdk_type)
    if origin in WRAPPERS or origin is list:
        inner = (nullability_of_type(argument, path + ("[]" if origin is list else "")) for argument in arguments)
        return {name: is_nullable for found in inner for name, is_nullable in found.items()}
    if not (isinstance(sdk_type, type) and issubclass(sdk_type, pydantic.BaseModel)):
        return {}
    found: dict[str, bool] = {}
    for name, field in sdk_type.model_fields.items():
        found[f"{path}.{name}"] = type(None) in get_args(field.annotation)
        found |= nullability_of_type(field.annotation, f"{path}.{name}")
    return found


def nullability_of_schema(document: dict[str, Any], schema: Any, path: str = "") -> list[tuple[str, bool]]:
    """Return every path that has a type, with whether null at this path is less than an error."""
    if not isinstance(schema, dict):
        return []
    found = []
    if "$ref" in schema:
        found += nullability_of_schema(document, document["$defs"][schema["$ref"].rpartition("/")[2]], path)
    if "type" in schema:
        found.append((path, "null" in schema["type"] or "x-null" in schema))
    for name, subschema in schema.get("properties", {}).items():
        found += nullability_of_schema(document, subschema, f"{path}.{name}")
    found += nullability_of_schema(document, schema.get("items"), f"{path}[]")
    for branch in (*schema.get("allOf", ()), schema.get("then")):
        found += nullability_of_schema(document, branch, path)
    return found


@pytest.mark.parametrize(
    ("name", "kind", "prefix"),
    [("completion", ChatCompletion, ""), ("chunk", ChatCompletionChunk, ""), ("error", ErrorObject, ".error")],
)
def test_null_is_an_error_exactly_where_the_client_does_not_allow_it(name: str, kind: Any, prefix: str) -> None:
    document = schemas.validation_document(name)
    allowed = {path for path, is_allowed in nullability_of_schema(document, document) if is_allowed}
    expected = nullability_of_type(kind, prefix)
    assert len(expected) > 5
    for path, is_nullable in expected.items():
        assert is_nullable is (path in allowed), path


def test_error_schema_and_client_describe_the_same_properties() -> None:
    document = schemas.validation_document("error")
    expected = {".error"} | properties_of_type(ErrorObject, ".error")
    assert properties_of_schema(document, document) == expected
