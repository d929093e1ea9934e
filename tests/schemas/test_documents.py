"""Test the documents of the schemas: that they are sound, refer to each other, and describe what they allow."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from importlib import resources

import jsonschema
import jsonschema_rs
import pytest

from isogloss import schemas
from isogloss.schemas.variants import Schema, subschemas

DOCUMENTS = (*schemas.NAMES, "common")
SEVERITIES = {"warning", "note"}
VALUE_KEYWORDS = {"enum", "const", "pattern", "minimum", "maximum", "minLength", "maxLength", "minItems"}


def without_conditions(document: Schema) -> Iterator[Schema]:
    """Return the schemas of a document, but not those that are conditions of others, or stand in them."""
    conditions = [schema["if"] for schema in subschemas(document) if "if" in schema]
    ignored = {id(inner) for condition in conditions for inner in subschemas(condition)}
    return (schema for schema in subschemas(document) if id(schema) not in ignored)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_document_is_valid_against_the_metaschema(name: str) -> None:
    jsonschema.Draft202012Validator.check_schema(schemas.load(name))
    jsonschema_rs.meta.validate(schemas.load(name))


@pytest.mark.parametrize("name", DOCUMENTS)
def test_identifier_is_a_urn_that_names_the_document(name: str) -> None:
    assert schemas.load(name)["$id"] == f"urn:isogloss:openai:{name}"


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_reference_resolves_in_the_registry(name: str) -> None:
    document = schemas.load(name)
    resolver = schemas.registry().resolver(document["$id"])
    references = [schema["$ref"] for schema in subschemas(document) if "$ref" in schema]
    for reference in references:
        assert isinstance(resolver.lookup(reference).contents, dict), reference


@pytest.mark.parametrize("name", schemas.NAMES)
def test_both_engines_resolve_references_between_the_documents(name: str) -> None:
    document = schemas.load(name)
    other_documents = [(schemas.load(other)["$id"], schemas.load(other)) for other in DOCUMENTS if other != name]
    rust_validator = jsonschema_rs.Draft202012Validator(document, registry=jsonschema_rs.Registry(other_documents))
    python_validator = jsonschema.Draft202012Validator(document, registry=schemas.registry())
    assert not rust_validator.is_valid({})
    assert not python_validator.is_valid({})


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_object_with_properties_is_closed_or_dispatches_to_closed_ones(name: str) -> None:
    for schema in without_conditions(schemas.load(name)):
        if "object" in schema.get("type", ()) and "properties" in schema:
            assert schema.get("additionalProperties") is False or "allOf" in schema, schema


@pytest.mark.parametrize("name", DOCUMENTS)
def test_annotations_are_consistent_with_their_schema(name: str) -> None:
    for schema in subschemas(schemas.load(name)):
        if "x-severity" in schema:
            assert schema["x-severity"] in SEVERITIES
            assert VALUE_KEYWORDS & schema.keys(), schema
        if "x-null" in schema:
            assert schema["x-null"] == "warning"  # decision 39
            assert isinstance(schema["type"], str)
        if "x-unknown" in schema:
            assert schema["x-unknown"] in SEVERITIES
            assert schema["additionalProperties"] is False
        documented = set(schema.get("x-documented-required", ()))
        assert documented <= schema.get("properties", {}).keys()
        assert not documented & set(schema.get("required", ()))


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_value_has_a_type(name: str) -> None:
    for schema in without_conditions(schemas.load(name)):
        inner = [*schema.get("$defs", {}).values(), *schema.get("properties", {}).values()]
        inner += [schema.get(keyword) for keyword in ("additionalProperties", "items", "propertyNames")]
        for value in inner:
            assert not isinstance(value, dict) or {"type", "$ref"} & value.keys(), value
        if {"type", "enum"} <= schema.keys():
            assert ("null" in schema["type"]) is (None in schema["enum"]), schema


def test_every_whole_number_of_an_answer_is_from_zero_to_the_greatest_of_64_bits() -> None:
    """Check decisions 7 and 40. Only the bytes of a token have less room."""
    for name in ("common", "completion", "chunk"):
        for schema in without_conditions(schemas.load(name)):
            for property_name, value in schema.get("properties", {}).items():
                if property_name == "bytes":
                    assert value["items"].items() >= {"type": "integer", "minimum": 0, "maximum": 255}.items()
                elif isinstance(value, dict) and "integer" in value.get("type", ()):
                    assert value.items() >= {"type": "integer", "minimum": 0, "maximum": 2**63 - 1}.items()


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_union_of_objects_dispatches_on_each_word_of_one_property(name: str) -> None:
    """Check that a word, or its absence if the property is not required, leads to one branch alone."""
    document = schemas.load(name)
    resolver = schemas.registry().resolver(document["$id"])
    for schema in without_conditions(document):
        branches = [branch for branch in schema.get("allOf", ()) if branch["if"]["type"] == "object"]
        if not branches or "properties" not in branches[0]["if"]:
            continue
        ((discriminator, about),) = schema["properties"].items()
        required = [branch["if"].get("required", []) for branch in branches]
        words = [branch["if"]["properties"][discriminator]["const"] for branch in branches]
        is_required = [[discriminator]] * len(branches)
        assert (schema.get("required", []), required) in (([discriminator], is_required), ([], [[], *is_required[1:]]))
        assert about["type"] == "string"
        assert about["enum"] == words
        for word, branch in zip(words, branches, strict=True):
            assert branch["if"]["properties"] == {discriminator: {"const": word}}
            definition = resolver.lookup(branch["then"]["$ref"]).contents
            assert definition["type"] == "object"
            assert discriminator in definition["required"]
            assert definition["properties"][discriminator].items() >= {"type": "string", "const": word}.items()


def test_every_decision_that_a_schema_names_is_recorded() -> None:
    text = resources.files("isogloss.schemas").joinpath("openai", "DECISIONS.md").read_text("utf-8")
    recorded = {int(number) for number in re.findall(r"^(\d+)\. \*\*", text, re.MULTILINE)}
    comments = [
        schema["$comment"] for name in DOCUMENTS for schema in subschemas(schemas.load(name)) if "$comment" in schema
    ]
    referenced = {int(number) for comment in comments for number in re.findall(r"\d+", comment)}
    assert recorded == set(range(1, max(recorded) + 1))
    assert referenced <= recorded


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_bound_of_a_number_and_every_pattern_names_its_decision(name: str) -> None:
    for schema in subschemas(schemas.load(name)):
        if {"minimum", "maximum", "minLength", "pattern"} & schema.keys():
            assert "decision" in schema.get("$comment", ""), schema


def test_values_of_a_conditional_enumeration_are_examples_for_editors() -> None:
    checked = 0
    for schema in subschemas(schemas.load("request")):
        for branch in schema.get("allOf", ()):
            if branch.get("if") == {"type": "string"}:
                assert schema["examples"] == branch["then"]["enum"]
                checked += 1
    assert checked == 3


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_property_is_described(name: str) -> None:
    for schema in without_conditions(schemas.load(name)):
        for property_name, subschema in schema.get("properties", {}).items():
            if isinstance(subschema, dict) and "not" not in subschema:
                assert "description" in subschema or "$ref" in subschema, property_name


def test_unknown_document_raises_a_key_error() -> None:
    with pytest.raises(KeyError):
        schemas.load("embeddings")


@pytest.mark.processes
def test_importing_the_package_imports_no_validator() -> None:
    code = (
        "import sys, isogloss.schemas as s; s.validation_document('chunk');"
        "print(sorted({'referencing', 'jsonschema', 'jsonschema_rs'} & sys.modules.keys()))"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"
