"""Test which keywords the schema of an expectation may have: those of the draft, which its metaschemas list."""

from __future__ import annotations

from typing import Any

import pytest
from jsonschema_specifications import REGISTRY

from isogloss.validator.examining.expectations import problem_of_schema

VOCABULARIES = ("core", "applicator", "unevaluated", "validation", "meta-data", "format-annotation", "content")
KEYWORDS: dict[str, Any] = {}
for _name in VOCABULARIES:
    KEYWORDS |= REGISTRY.contents(f"https://json-schema.org/draft/2020-12/meta/{_name}")["properties"]
REFERRING = {"$ref", "$dynamicRef", "$schema", "$id"}
"""Keywords whose values have to be those of documents."""
HOLDING = [one for one in KEYWORDS if any(word in str(KEYWORDS[one]) for word in ("#meta", "schemaArray"))]
MISSPELT = {"minLenght": 1}


def _problems(keyword: str, *values: object) -> list[str | None]:
    return [problem_of_schema({keyword: value}) for value in values]


@pytest.mark.parametrize("keyword", [*KEYWORDS, "definitions", "example"])
def test_a_keyword_of_the_draft_or_like_one_of_it_is_known(keyword: str) -> None:
    found = _problems(keyword, {}, {"a": {}}, [{}], "a", "string", 1, True, ["a"], {"a": ["b"]})
    assert None in found or keyword in REFERRING
    assert [one for one in found if one is not None and "is no keyword" in one] == []


@pytest.mark.parametrize("keyword", HOLDING)
def test_a_misspelt_keyword_is_found_in_every_schema_that_another_keyword_holds(keyword: str) -> None:
    assert "'minLenght' is no keyword of JSON Schema; did you mean 'minLength'?" in _problems(
        keyword, MISSPELT, {"a": MISSPELT}, [MISSPELT]
    )


@pytest.mark.parametrize(("keyword", "value"), [("const", MISSPELT), ("default", MISSPELT), ("example", MISSPELT),
                                                ("enum", [MISSPELT]), ("examples", [MISSPELT])])  # fmt: skip
def test_a_value_in_a_schema_may_have_any_properties(keyword: str, value: object) -> None:
    assert _problems(keyword, value) == [None]
