"""Test ``isogloss schemas drift`` on packages and documents that the tests write, and on the installed client."""

from __future__ import annotations

import contextlib
import copy
import itertools
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from compared_client import compared
from hypothesis import given
from hypothesis import strategies as st
from json_texts import pointers
from written_packages import write_tarball, write_wheel

from isogloss import schemas
from isogloss.cli.drift import alternatives, openapi, packages, python_types, typescript
from isogloss.cli.drift.decisions import decision
from isogloss.cli.drift.described import Described, UnreadableSource
from isogloss.cli.drift.differences import ASPECTS, Difference, differences
from isogloss.cli.drift.shapes import shape

Isogloss = Callable[..., Any]
REFERENCE = {name: schemas.validation_document(name) for name in schemas.NAMES}
DELTA_CUSTOM = Difference(
    kind="chunk",
    at="choices[].delta.tool_calls[].custom",
    aspect="property-new",
    what="object with input, name",
)


def reference_without_custom_calls() -> dict[str, Any]:
    """Return the reference as it was before it described custom tool calls in deltas."""
    documents = copy.deepcopy(REFERENCE)
    call = documents["chunk"]["$defs"]["DeltaToolCall"]["properties"]
    del call["custom"]
    call["type"]["enum"] = ["function"]
    return documents


def describe_reference() -> Described:
    return Described(name="itself", documents=REFERENCE, bounds=True)


def test_the_reference_does_not_differ_from_itself() -> None:
    assert differences(REFERENCE, describe_reference()) == []


def test_the_reference_written_as_typescript_declarations_has_no_differences(tmp_path: Path) -> None:
    found = differences(
        REFERENCE, typescript.read(packages.npm_package(write_tarball(tmp_path / "openai.tgz", REFERENCE)))
    )
    assert found == []


def test_the_reference_written_as_python_types_has_no_differences(tmp_path: Path) -> None:
    path = write_wheel(tmp_path / "openai-9.0.0-py3-none-any.whl", REFERENCE)
    assert differences(REFERENCE, python_types.read(packages.python_package(str(path)))) == []


def test_a_custom_tool_call_in_a_delta_is_found_if_the_reference_lacks_it(tmp_path: Path) -> None:
    described = typescript.read(packages.npm_package(write_tarball(tmp_path / "openai.tgz", REFERENCE)))
    found = differences(reference_without_custom_calls(), described)
    assert DELTA_CUSTOM in found
    assert [
        (difference.aspect, difference.at, difference.what) for difference in found if difference != DELTA_CUSTOM
    ] == [("word-new", "choices[].delta.tool_calls[].type", "custom")]
    assert [difference for difference in found if decision(difference) is not None] == []


def schemas_with_properties(document: Any) -> Iterator[dict[str, Any]]:
    """Yield every schema with ``properties`` in a document, except those in conditions."""
    if isinstance(document, list):
        for item in document:
            yield from schemas_with_properties(item)
    elif isinstance(document, dict):
        if isinstance(document.get("properties"), dict):
            yield document
        for name, value in document.items():
            if name not in ("if", "else", "enum", "required"):
                yield from schemas_with_properties(value)


@pytest.mark.thorough
@pytest.mark.parametrize("kind", schemas.NAMES)
@pytest.mark.parametrize("step", [3, pytest.param(1, marks=pytest.mark.slow)], ids=["every-third", "all"])
def test_a_property_that_the_reference_lacks_is_found(kind: str, step: int) -> None:
    described = Described(name="itself", documents={kind: REFERENCE[kind]})
    document = copy.deepcopy(REFERENCE[kind])
    known = [
        (holder, name)
        for holder in schemas_with_properties(document)
        for name in holder["properties"]
        if name not in ("type", "role") and len(holder["properties"]) > 1  # these two tell kinds of objects apart
    ]
    assert len(known) > 3
    for holder, name in known[::step]:
        properties = holder["properties"]
        holder["properties"] = {other: schema for other, schema in properties.items() if other != name}
        paths = [
            difference.at
            for difference in differences({kind: document}, described)
            if difference.aspect == "property-new"
        ]
        holder["properties"] = properties
        assert paths, name
        assert {path.rpartition(".")[2] for path in paths} == {name}


CHANGES: dict[str, tuple[Callable[[dict[str, Any]], Any], tuple[str, str, str]]] = {
    "a type": (
        lambda documents: documents["completion"]["properties"]["model"].update(type=["string", "null"]),
        ("type-new", "model", "null"),
    ),
    "a word": (
        lambda documents: documents["request"]["properties"]["verbosity"]["enum"].append("terse"),
        ("word-new", "verbosity", "terse"),
    ),
    "words that are no longer closed": (
        lambda documents: documents["request"]["properties"]["verbosity"].pop("enum"),
        ("open", "verbosity", ""),
    ),
    "words where any string was allowed": (
        lambda documents: documents["completion"]["properties"]["model"].update(enum=["gpt-9"]),
        ("closed", "model", "gpt-9"),
    ),
    "a property that may be left out": (
        lambda documents: documents["completion"]["required"].remove("created"),
        ("optional", "created", ""),
    ),
    "a property that has to be there": (
        lambda documents: documents["completion"]["required"].append("usage"),
        ("required", "usage", ""),
    ),
    "a bound": (
        lambda documents: documents["completion"]["properties"]["model"].update(maxLength=9),
        ("bound-new", "model", "maxLength 9"),
    ),
    "another bound": (
        lambda documents: documents["request"]["properties"]["n"].update(maximum=256),
        ("bound-other", "n", "maximum 256 in place of 128"),
    ),
    "no bound": (
        lambda documents: documents["request"]["properties"]["n"].pop("maximum"),
        ("bound-gone", "n", "maximum 128"),
    ),
    "a kind of message": (
        lambda documents: documents["request"]["$defs"]["Message"]["allOf"].append(
            {
                "if": {"properties": {"role": {"const": "critic"}}},
                "then": {"properties": {"role": {"type": "string", "const": "critic"}}},
            }
        ),
        ("object-new", "messages[]", "critic"),
    ),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_in_a_newer_description_is_found_and_covered_by_no_decision(change: str) -> None:
    apply_change, expected = CHANGES[change]
    documents = copy.deepcopy(REFERENCE)
    apply_change(documents)
    found = differences(REFERENCE, Described(name="newer", documents=documents, bounds=True))
    assert expected in [(difference.aspect, difference.at, difference.what) for difference in found]
    assert [
        difference
        for difference in found
        if (difference.aspect, difference.at, difference.what) == expected and decision(difference) is not None
    ] == []


@compared
def test_every_difference_from_the_installed_client_is_covered_by_a_decision(isogloss: Isogloss) -> None:
    result = isogloss("schemas", "drift", "--sdk", "openai")
    assert result.returncode == 0, result.stdout
    assert re.search(r"^decision 12 +chunk +choices\[\]\.delta\.tool_calls\[\]\.custom ", result.stdout, re.MULTILINE)
    assert result.stdout.splitlines()[-1].endswith("0 not covered by a decision")


def test_a_difference_that_no_decision_covers_is_printed_first_and_the_exit_code_is_1(
    isogloss: Isogloss, tmp_path: Path
) -> None:
    documents = copy.deepcopy(REFERENCE)
    documents["request"]["properties"]["frobnicate"] = {"type": "boolean"}
    documents["request"]["properties"]["response_format"]["type"] = "object"
    path = write_wheel(tmp_path / "openai-9.0.0-py3-none-any.whl", documents)
    result = isogloss("schemas", "drift", "--sdk", path)
    first, second, last = result.stdout.splitlines()
    assert first == "not covered  request    frobnicate  has a property that the reference lacks: boolean"
    assert second.startswith("decision 35  request    response_format  does not allow")
    assert last == "openai-9.0.0-py3-none-any.whl: 2 differences, 1 not covered by a decision"
    assert result.returncode == 1
    listed = json.loads(isogloss("schemas", "drift", "--sdk", path, "--format", "json").stdout)
    assert listed["not_described"] == []
    assert [(difference["at"], difference["decision"]) for difference in listed["differences"]] == [
        ("frobnicate", None),
        ("response_format", 35),
    ]


def test_each_row_of_decisions_names_a_recorded_decision_and_what_is_new() -> None:
    text = resources.files("isogloss.schemas").joinpath("openai", "DECISIONS.md").read_text("utf-8")
    recorded = {int(number) for number in re.findall(r"^(\d+)\. \*\*", text, re.MULTILINE)}
    for row in schemas.decisions():
        assert row.keys() <= {"decision", "aspect", "at", "what"}
        assert row["decision"] in recorded
        assert row["aspect"] in ASPECTS
        assert all(path.partition(" ")[0] in (*schemas.NAMES, "*") for path in row["at"])
        assert row.get("what") or row["aspect"] in ("property-gone", "required", "optional"), row


DOCUMENT = {
    "openapi": "3.1.0",
    "info": {"title": "Acme", "version": "1"},
    "paths": {
        "/v1/chat/completions": {
            "post": {
                "requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Request"}}}},
                "responses": {
                    "200": {
                        "content": {
                            "application/json": {"schema": {"$ref": "#/components/schemas/Answer"}},
                            "text/event-stream": {"schema": {"$ref": "#/components/schemas/Chunk"}},
                        }
                    },
                    "default": {"$ref": "#/components/responses/Failed"},
                },
            }
        }
    },
    "components": {
        "responses": {"Failed": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Failed"}}}}},
        "schemas": {
            "Request": {
                "allOf": [
                    {"type": "object", "properties": {"user": {"type": "string", "nullable": True}}},
                    {"type": "object", "required": ["model"], "properties": {"model": {"type": "string"}}},
                ]
            },
            "Answer": {"type": "object", "properties": {"id": {"anyOf": [{"type": "string"}, {"type": "null"}]}}},
            "Chunk": {"type": "object", "properties": {"id": {"type": "integer"}}},
            "Failed": {"type": "object", "properties": {"error": {"type": "string"}}},
        },
    },
}


@pytest.mark.parametrize("suffix", ["json", "yaml"])
def test_the_schemas_of_an_openapi_document_are_those_of_the_operation_for_completions(
    tmp_path: Path, suffix: str
) -> None:
    path = tmp_path / f"openapi.{suffix}"
    path.write_text(json.dumps(DOCUMENT), "utf-8")
    found = differences(REFERENCE, openapi.read(path))
    new = [(difference.kind, difference.at, difference.what) for difference in found if difference.aspect == "type-new"]
    assert new == [
        ("chunk", "id", "integer"),
        ("completion", "id", "null"),
        ("error", "error", "string"),
        ("request", "user", "null"),
    ]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda document: document.pop("paths"), "no path ends in /chat/completions"),
        (lambda document: document.pop("openapi"), "is not an OpenAPI document"),
        (lambda document: document["components"]["schemas"].pop("Chunk"), "leads nowhere: #/components/schemas/Chunk"),
        (
            lambda document: document["components"]["schemas"].update(
                Chunk={"anyOf": [{"$ref": "#/components/schemas/Chunk"}]}
            ),
            "leads to itself",
        ),
        (
            lambda document: document["components"]["schemas"].update(Chunk={"$ref": "other.yaml#/Chunk"}),
            "leads out of the document",
        ),
        (
            lambda document: document["components"]["schemas"].update(Chunk={"type": "object", "properties": []}),
            "the value of 'properties' is no object",
        ),
    ],
)
def test_an_openapi_document_that_cannot_be_read_is_a_usage_error_with_the_reason(
    isogloss: Isogloss, tmp_path: Path, change: Callable[[Any], Any], message: str
) -> None:
    document = copy.deepcopy(DOCUMENT)
    change(document)
    path = tmp_path / "openapi.json"
    path.write_text(json.dumps(document), "utf-8")
    result = isogloss("schemas", "drift", "--openapi", path)
    assert result.returncode == 2
    assert message in result.stderr


@pytest.mark.parametrize("types", [("integer", "number"), ("number", "integer")])
def test_of_integer_and_number_both_together_are_the_first_and_either_is_the_second(types: tuple[str, str]) -> None:
    found = []
    for keyword in ("allOf", "anyOf"):
        schema = {keyword: [{"type": name} for name in types]}
        found.append(shape([(schema, alternatives.Document(schema))]).types)
    assert found == [{"integer"}, {"number"}]


def test_names_in_a_description_that_look_like_keys_are_masked_in_every_output(
    isogloss: Isogloss, tmp_path: Path
) -> None:
    key = "sk-proj-Zq8LmN4xR7vT2wY6pK1s"
    document = copy.deepcopy(DOCUMENT)
    document["components"]["schemas"]["Chunk"]["properties"][key] = {"enum": [f"{key}2"]}
    document["components"]["schemas"]["Failed"]["properties"] = {"error": {"properties": {"x": {"const": key}}}}
    path = tmp_path / "openapi.json"
    for chunk in (document["components"]["schemas"]["Chunk"], {"$ref": f"#/components/{key}"}):
        document["components"]["schemas"]["Chunk"] = chunk
        path.write_text(json.dumps(document), "utf-8")
        for form in ("text", "json"):
            result = isogloss("schemas", "drift", "--openapi", path, "--format", form)
            assert result.stdout + result.stderr
            assert "Zq8LmN4x" not in result.stdout + result.stderr


KEYWORDS = ["type", "$ref", "properties", "required", "allOf", "anyOf", "enum", "items", "if", "then", "const"]
JUNK = st.recursive(
    st.sampled_from([None, True, 0, "", "null", "#/components/schemas/Chunk", "#/info", "x"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(KEYWORDS), inner, max_size=3),
    max_leaves=6,
)


@given(st.sampled_from(pointers(DOCUMENT)[1:]), JUNK)
def test_any_openapi_document_is_compared_or_is_an_error(pointer: tuple[Any, ...], junk: Any) -> None:
    document: Any = copy.deepcopy(DOCUMENT)
    holder = document
    for step in pointer[:-1]:
        holder = holder[step]
    holder[pointer[-1]] = junk
    with contextlib.suppress(UnreadableSource):
        differences(REFERENCE, openapi.describe(document, "made up"))


PARTS = st.lists(st.sampled_from(["allOf", "anyOf", "oneOf", "properties"]), min_size=1, max_size=2, unique=True)


@st.composite
def chains(draw: st.DrawFn) -> dict[str, Any]:
    """Draw an OpenAPI document in which each schema names one or two of the next ones, in several places."""
    levels = draw(st.integers(2, 40))
    components: dict[str, Any] = {f"S{levels}": {"type": "object"}, f"S{levels + 1}": {"type": ["object", "string"]}}
    for level in range(levels):
        steps = st.lists(st.sampled_from([1, 2]), min_size=2, max_size=3)
        schema: dict[str, Any] = {"required": [f"p{level}"]} if draw(st.booleans()) else {}
        for part in draw(PARTS):
            named = [{"$ref": f"#/components/schemas/S{level + step}"} for step in draw(steps)]
            schema[part] = (
                dict(zip(("choices", "usage", f"p{level}"), named, strict=False)) if part == "properties" else named
            )
        components[f"S{level}"] = schema
    document = copy.deepcopy(DOCUMENT)
    document["components"]["schemas"] |= components | {"Answer": {"$ref": "#/components/schemas/S0"}}
    return document


@given(chains())
def test_schemas_that_name_each_other_are_compared_within_a_budget(document: dict[str, Any]) -> None:
    calls = itertools.count()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(alternatives, "_BUDGET", 20_000)
        sys.setprofile(lambda *_: next(calls))
        try:
            with contextlib.suppress(UnreadableSource):
                differences(REFERENCE, openapi.describe(document, "made up"))
        finally:
            sys.setprofile(None)
    assert next(calls) < 1_000_000


@pytest.mark.parametrize("part", ["allOf", "anyOf"])
def test_a_schema_that_is_named_many_times_is_split_once(part: str) -> None:
    document: Any = copy.deepcopy(DOCUMENT)
    answer = document["components"]["schemas"]["Answer"]
    for level in range(50):
        document["components"]["schemas"][f"S{level}"] = answer
        answer = {part: 2 * [{"$ref": f"#/components/schemas/S{level}"}]}
    document["components"]["schemas"]["Answer"] = answer
    found = differences(REFERENCE, openapi.describe(document, "made up"))
    assert found == differences(REFERENCE, openapi.describe(DOCUMENT, "made up"))


@pytest.mark.parametrize(
    "arguments",
    [(), ("--sdk", "openai", "--openapi", "pyproject.toml"), ("--sdk", "no_such_package"), ("--sdk", "a b"),
     ("--sdk", "__main__"), ("--npm", "pyproject.toml"), ("--openapi", "pyproject.toml"), ("--npm", "fixtures")],
)  # fmt: skip
def test_arguments_without_exactly_one_readable_description_are_a_usage_error(
    isogloss: Isogloss, arguments: tuple[str, ...]
) -> None:
    assert isogloss("schemas", "drift", *arguments).returncode == 2


def test_a_package_with_a_folder_that_is_gone_meanwhile_is_a_usage_error(
    isogloss: Isogloss, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def list_gone_folder(_folder: Path, _pattern: str) -> Iterator[Path]:
        raise FileNotFoundError(2, "No such file or directory", "gone")
        yield

    monkeypatch.setattr(Path, "rglob", list_gone_folder)
    result = isogloss("schemas", "drift", "--npm", str(tmp_path))
    assert result.returncode == 2
    assert f"Error: {tmp_path} cannot be read: No such file or directory" in result.stderr


@pytest.mark.parametrize("option", ["--npm", "--sdk"])
def test_the_current_folder_is_called_by_its_name(
    isogloss: Isogloss, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, option: str
) -> None:
    monkeypatch.chdir(tmp_path)
    assert f"Error: {tmp_path.name} has no " in isogloss("schemas", "drift", option, ".").stderr


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("npm"), reason="needs npm")
def test_the_client_for_npm_has_custom_tool_calls_in_deltas_and_no_uncovered_difference(tmp_path: Path) -> None:
    subprocess.run(["npm", "pack", "openai@7.57.0", "--silent"], cwd=tmp_path, check=True, capture_output=True)
    described = typescript.read(packages.npm_package(tmp_path / "openai-7.57.0.tgz"))
    found = differences(REFERENCE, described)
    assert [difference for difference in found if decision(difference) is None] == []
    assert DELTA_CUSTOM in differences(reference_without_custom_calls(), described)
