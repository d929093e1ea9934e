"""Test the variants of the schemas: what each allows and requires, and that each needs no other document."""

from __future__ import annotations

import copy
import json
from importlib.metadata import version

import jsonschema_rs
import pytest

from isogloss import schemas
from isogloss.schemas.variants import self_contained, subschemas


@pytest.mark.thorough
@pytest.mark.parametrize("variant", schemas.VARIANTS)
@pytest.mark.parametrize("name", schemas.NAMES)
def test_bundle_is_self_contained(name: str, variant: str) -> None:
    document = schemas.bundle(name, variant)
    jsonschema_rs.Draft202012Validator(document)  # also validates it against the metaschema
    references = {schema["$ref"] for schema in subschemas(document) if "$ref" in schema}
    assert references == {f"#/$defs/{definition}" for definition in document.get("$defs", ())}
    assert not [key for schema in subschemas(document) for key in schema if key.startswith("x-")]


def test_identifiers_of_bundles_are_unique() -> None:
    identifiers = [schemas.bundle(name, variant)["$id"] for name in schemas.NAMES for variant in schemas.VARIANTS]
    assert len(set(identifiers)) == len(identifiers)


@pytest.mark.parametrize("name", schemas.NAMES)
def test_open_variant_allows_every_property_and_requires_no_prefix(name: str) -> None:
    found = list(subschemas(schemas.bundle(name, "open")))
    assert not [schema for schema in found if schema.get("additionalProperties") is False]
    assert not [schema for schema in found if schema.get("pattern") == "^chatcmpl-"]


@pytest.mark.parametrize("variant", schemas.VARIANTS)
@pytest.mark.parametrize("name", schemas.NAMES)
def test_export_names_its_version_and_no_decision(name: str, variant: str) -> None:
    document = schemas.bundle(name, variant)
    assert document["$id"] == f"urn:isogloss:{version('isogloss')}:{name}:{variant}"
    assert not [schema for schema in subschemas(document) if "$comment" in schema]


def test_open_variant_keeps_constraints_that_are_warnings() -> None:
    assert schemas.bundle("chunk", "open")["$defs"]["ServiceTier"]["enum"]


def test_strict_variant_requires_what_the_published_reference_requires() -> None:
    choice = schemas.bundle("completion", "strict")["$defs"]["CompletionChoice"]
    assert choice["required"] == ["index", "message", "logprobs"]
    assert choice["else"]["required"] == ["finish_reason"]


def test_validation_document_keeps_the_annotations() -> None:
    choice = schemas.validation_document("completion")["$defs"]["CompletionChoice"]
    assert choice["x-documented-required"] == ["logprobs"]
    assert "logprobs" in choice["required"]


def test_making_variants_does_not_change_the_authored_documents() -> None:
    names = (*schemas.NAMES, "common")
    before = copy.deepcopy([schemas.load(name) for name in names])
    for name in schemas.NAMES:
        for variant in schemas.VARIANTS:
            schemas.bundle(name, variant)["properties"].clear()
        schemas.validation_document(name)
    assert [schemas.load(name) for name in names] == before


def test_property_with_the_name_of_an_annotation_is_kept() -> None:
    document = {"$id": "urn:test", "properties": {"x-severity": {"type": "string"}}}
    shared = {"$id": "urn:shared", "$defs": {}}
    assert self_contained(document, shared) == document


def test_definitions_with_the_same_name_in_both_documents_are_refused() -> None:
    with pytest.raises(ValueError, match="Usage"):
        self_contained({"$defs": {"Usage": {}}}, {"$id": "urn:shared", "$defs": {"Usage": {}}})


@pytest.mark.parametrize(("name", "variant"), [("embeddings", "reference"), ("chunk", "lenient")])
def test_unknown_name_or_variant_raises_a_key_error(name: str, variant: str) -> None:
    with pytest.raises(KeyError):
        schemas.bundle(name, variant)


def test_bundles_are_plain_json() -> None:
    for name in schemas.NAMES:
        assert json.loads(json.dumps(schemas.bundle(name))) == schemas.bundle(name)
