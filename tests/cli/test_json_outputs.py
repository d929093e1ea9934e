"""Tests that each command that writes JSON has a schema, which is installed and allows only what is written."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click
import jsonschema
import pytest
from referencing import Registry, Resource

from isogloss import schemas
from isogloss.cli.main import cli

ROOT = Path(__file__).parents[2]
SCHEMAS = Path(schemas.__file__).parent
DOCUMENTS = {path.name: json.loads(path.read_bytes()) for path in (SCHEMAS / "report").glob("*.json")}
REFERRED_TO = [json.loads(path.read_bytes()) for path in SCHEMAS.glob("*.schema.json")]
REGISTRY: Registry[Any] = Registry().with_resources(
    (document["$id"], Resource.from_contents(document)) for document in (*DOCUMENTS.values(), *REFERRED_TO)
)
GROQ, PAIR = "fixtures/dialects/groq", "fixtures/captures/json/pair.json"
TWINS = "fixtures/twins/twin-finish-differs/invalid-stop-beside-calls.jsonl"
BEFORE, AFTER = (f"fixtures/comparisons/reasoning-renamed/{one}" for one in ("before", "after"))
NO_SERVER = "http://127.0.0.1:1/v1"
OF_OTHERS = {"sarif", "gitlab", "badge"}
"""Formats whose schemas others have published."""

OUTPUTS: dict[tuple[str, str], dict[str, tuple[str, ...]]] = {
    ("check", "json"): {"v1.json": (GROQ, f"{PAIR} --dialect auto --show-values", f"{PAIR} --clients openai-python")},
    ("check", "jsonl"): {"line-v1.json": (f"{GROQ} fixtures/captures/jsonl", "LICENSE")},
    ("report", "json"): {
        "dialects-v1.json": (
            GROQ,
            f"{GROQ} {PAIR} LICENSE --evidence",
            "LICENSE",
            "fixtures/dialects/portkey fixtures/dialects/uipath --evidence",
        ),
        "coverage-v1.json": (f"{GROQ} --view coverage",),
        "clients-v1.json": (f"{GROQ} --view clients",),
    },
    ("compare", "json"): {"comparison-v1.json": (TWINS, f"{BEFORE} {AFTER}")},
    ("probe", "json"): {
        "v1.json": (f"{NO_SERVER} --model m --case plain",),
        "servers-v1.json": (f"{NO_SERVER} http://127.0.0.1:2/v1 --model m --case plain",),
    },
    ("probe", "jsonl"): {"line-v1.json": (f"{NO_SERVER} --model m --case plain",)},
    ("rules", "json"): {"lists-v1.json#/$defs/rules": ("",)},
    ("explain", "json"): {"lists-v1.json#/$defs/explain": ("wrong-type", "id-empty")},
    ("dialects list", "json"): {"lists-v1.json#/$defs/dialects": ("", "--dialect-file OWN")},
    ("dialects stale", "json"): {"lists-v1.json#/$defs/dialects": ("--older-than 1d", "--dialect-file OWN")},
    ("clients list", "json"): {"lists-v1.json#/$defs/clients": ("",)},
    ("clients show", "json"): {"lists-v1.json#/$defs/client": ("openai-python",)},
    ("schemas list", "json"): {"lists-v1.json#/$defs/schemas": ("",)},
    ("schemas drift", "json"): {"lists-v1.json#/$defs/drift": ("--openapi OPENAPI",)},
}
"""By command and format: the schema of each form of its output, with arguments that give such a form."""
OWN = {
    "slug": "own", "name": "Own", "kind": "server", "summary": "A server.",
    "sources": {"s": {"confidence": "source-code", "where": "server 1.0", "date": "2025"}},
}  # fmt: skip
OPENAPI = {"openapi": "3.1.0", "paths": {"/chat/completions": {"post": {
    "requestBody": {"content": {"application/json": {"schema": {"type": "object", "properties": {"x": {}}}}}},
    "responses": {"200": {"content": {"application/json": {"schema": {"type": "object"}}}}}}}}}  # fmt: skip


def _commands(command: click.Command, path: str = "") -> Iterator[tuple[str, click.Command]]:
    """Yield each command that has no further ones, with the words that call it."""
    if not isinstance(command, click.Group):
        yield path, command
        return
    for name in command.list_commands(click.Context(command)):
        found = command.get_command(click.Context(command), name)
        assert found is not None
        yield from _commands(found, f"{path} {name}".strip())


def test_each_format_for_programs_has_a_schema() -> None:
    formats = {
        (path, name)
        for path, command in _commands(cli)
        for option in command.params
        if option.name == "output_format" and isinstance(option.type, click.Choice)
        for name in option.type.choices
    }
    for_people = {"text", "markdown", "html", "junit", "github"}
    assert {one for one in formats if one[1] not in for_people | OF_OTHERS} == OUTPUTS.keys()
    assert {name.partition("#")[0] for forms in OUTPUTS.values() for name in forms} | {"baseline-v1.json"} == set(
        DOCUMENTS
    )


def _validator(name: str) -> Any:
    file, _, pointer = name.partition("#")
    schema = {"$ref": f"{DOCUMENTS[file]['$id']}#{pointer}"}
    return jsonschema.Draft202012Validator(schema, registry=REGISTRY)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("command", "output_format", "schema", "arguments"),
    [
        pytest.param(*output, schema, arguments, id=f"{output[0]} {arguments} {output[1]}")
        for output, forms in OUTPUTS.items()
        for schema, several in forms.items()
        for arguments in several
    ],
)
def test_what_a_command_writes_is_as_its_schema_says(
    isogloss: Callable[..., Any], tmp_path: Path, command: str, output_format: str, schema: str, arguments: str
) -> None:
    files = {"OWN": OWN, "OPENAPI": OPENAPI}
    for name, value in files.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(value), "utf-8")
    words = [tmp_path / f"{word}.json" if word in files else word for word in arguments.split()]
    result = isogloss(*command.split(), *words, "--format", output_format)
    texts = result.stdout.splitlines() if output_format == "jsonl" else [result.stdout]
    assert texts, result.stderr
    validator, tried = _validator(schema), set[tuple[str, ...]]()
    for text in texts:
        value = json.loads(text)
        validator.validate(value)
        for path, one in _objects(value):
            if path not in tried:
                one["an unknown property"] = []
                assert not validator.is_valid(value), path
                del one["an unknown property"]
                tried.add(path)


def _objects(value: object, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], dict[str, Any]]]:
    """Yield each object in a value, with its path without indexes."""
    if isinstance(value, dict):
        yield path, value
        for name, one in list(value.items()):
            yield from _objects(one, (*path, name))
    elif isinstance(value, list):
        for one in value:
            yield from _objects(one, path)


@pytest.mark.parametrize("path", ["", "fixtures/captures"])
def test_a_baseline_is_as_its_schema_says(isogloss: Callable[..., Any], tmp_path: Path, path: str) -> None:
    baseline = tmp_path / "baseline.json"
    isogloss("check", path or "fixtures/conforming", "--write-baseline", baseline)
    _validator("baseline-v1.json").validate(json.loads(baseline.read_bytes()))


@pytest.mark.parametrize("name", sorted(DOCUMENTS))
def test_a_schema_of_an_output_is_valid_and_has_an_identifier_of_its_own(name: str) -> None:
    jsonschema.Draft202012Validator.check_schema(DOCUMENTS[name])
    others = {one["$id"] for other, one in DOCUMENTS.items() if other != name}
    assert DOCUMENTS[name]["$id"].startswith("urn:isogloss:")
    assert DOCUMENTS[name]["$id"] not in others
