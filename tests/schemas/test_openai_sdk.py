"""The reference client as the oracle: its types and the schemas describe the same members."""

from __future__ import annotations

import typing
from types import UnionType
from typing import Annotated, Any, NotRequired, Required, Union, get_args, get_origin

import openai
import pydantic
import pytest
from openai.types.chat import ChatCompletion, ChatCompletionChunk
from openai.types.chat.completion_create_params import (
    CompletionCreateParamsNonStreaming,
    CompletionCreateParamsStreaming,
)
from openai.types.shared import ErrorObject
from typing_extensions import is_typeddict

from isogloss import schemas

COMPARED_WITH = "3.54.0"
NPM_ONLY = {".choices[].delta.tool_calls[].custom" + inner for inner in ("", ".name", ".input")}
"""What the npm types have (7.57.0) and those of PyPI have not yet."""
TRANSPARENT = (Union, UnionType, Annotated, Required, NotRequired)

pytestmark = pytest.mark.skipif(
    openai.__version__ != COMPARED_WITH, reason=f"the schemas were written after openai {COMPARED_WITH}"
)


def members_of_type(kind: Any, place: str = "") -> set[str]:
    """Return the places of all members of an SDK type; free maps have none."""
    members: dict[str, Any] = {}
    if isinstance(kind, type) and issubclass(kind, pydantic.BaseModel):
        members = {name: field.annotation for name, field in kind.model_fields.items()}
    elif is_typeddict(kind):
        members = typing.get_type_hints(kind)
    if members:
        inner = (members_of_type(member, f"{place}.{name}") for name, member in members.items())
        return {f"{place}.{name}" for name in members}.union(*inner)
    origin = get_origin(kind)
    if origin in (None, dict, typing.Literal):
        return set()
    step = "" if origin in TRANSPARENT else "[]"
    return set().union(*(members_of_type(argument, place + step) for argument in get_args(kind)))


def members_of_schema(document: dict[str, Any], schema: Any, place: str = "") -> set[str]:
    """Return the places of all members a bundled schema describes."""
    if not isinstance(schema, dict):
        return set()
    found: set[str] = set()
    if "$ref" in schema:
        found |= members_of_schema(document, document["$defs"][schema["$ref"].rpartition("/")[2]], place)
    for name, member in schema.get("properties", {}).items():
        found |= {f"{place}.{name}"} | members_of_schema(document, member, f"{place}.{name}")
    found |= members_of_schema(document, schema.get("items"), f"{place}[]")
    for branch in (*schema.get("allOf", ()), schema.get("then")):
        found |= members_of_schema(document, branch, place)
    return found


@pytest.mark.parametrize(
    ("name", "kinds"),
    [
        ("completion", [ChatCompletion]),
        ("chunk", [ChatCompletionChunk]),
        ("request", [CompletionCreateParamsNonStreaming, CompletionCreateParamsStreaming]),
    ],
)
def test_schema_and_client_describe_the_same_members(name: str, kinds: list[Any]) -> None:
    document = schemas.validation_document(name)
    expected = set().union(*(members_of_type(kind) for kind in kinds))
    assert len(expected) > 50
    npm = NPM_ONLY if name == "chunk" else set()
    assert members_of_schema(document, document) == expected | npm


def nullable_of_type(kind: Any, place: str = "") -> dict[str, bool]:
    """Return the places of all members of an SDK type of answers, and whether it allows them to be null."""
    origin, arguments = get_origin(kind), get_args(kind)
    if origin in TRANSPARENT or origin is list:
        inner = (nullable_of_type(argument, place + ("[]" if origin is list else "")) for argument in arguments)
        return {name: null for found in inner for name, null in found.items()}
    if not (isinstance(kind, type) and issubclass(kind, pydantic.BaseModel)):
        return {}
    found: dict[str, bool] = {}
    for name, field in kind.model_fields.items():
        found[f"{place}.{name}"] = type(None) in get_args(field.annotation)
        found |= nullable_of_type(field.annotation, f"{place}.{name}")
    return found


def types_of_schema(document: dict[str, Any], schema: Any, place: str = "") -> list[tuple[str, bool]]:
    """Return every place that has a type, and whether null in its place is less than an error."""
    if not isinstance(schema, dict):
        return []
    found = []
    if "$ref" in schema:
        found += types_of_schema(document, document["$defs"][schema["$ref"].rpartition("/")[2]], place)
    if "type" in schema:
        found.append((place, "null" in schema["type"] or "x-null" in schema))
    for name, member in schema.get("properties", {}).items():
        found += types_of_schema(document, member, f"{place}.{name}")
    found += types_of_schema(document, schema.get("items"), f"{place}[]")
    for branch in (*schema.get("allOf", ()), schema.get("then")):
        found += types_of_schema(document, branch, place)
    return found


@pytest.mark.parametrize(
    ("name", "kind", "root"),
    [("completion", ChatCompletion, ""), ("chunk", ChatCompletionChunk, ""), ("error", ErrorObject, ".error")],
)
def test_null_is_an_error_exactly_where_the_client_does_not_allow_it(name: str, kind: Any, root: str) -> None:
    document = schemas.validation_document(name)
    mild = {place for place, is_mild in types_of_schema(document, document) if is_mild}
    expected = nullable_of_type(kind, root)
    assert len(expected) > 5
    for place, null in expected.items():
        assert null is (place in mild), place


def test_error_schema_and_client_describe_the_same_members() -> None:
    document = schemas.validation_document("error")
    expected = {".error"} | members_of_type(ErrorObject, ".error")
    assert members_of_schema(document, document) == expected
