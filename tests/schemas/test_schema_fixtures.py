"""Test that each variant of the schemas accepts and rejects the fixtures that it should."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import jsonschema_rs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isogloss import schemas

FIXTURES = Path(__file__).parents[2] / "fixtures"
CONFORMING = sorted((FIXTURES / "conforming").glob("*/*.json"))
DEVIATING = sorted((FIXTURES / "schema").glob("*/invalid-*.json"))
VALID = sorted((FIXTURES / "schema").glob("*/valid-*.json"))
EXPECTED: dict[str, list[dict[str, str]]] = json.loads((Path(__file__).parent / "expected.json").read_text("utf-8"))
KEYWORDS = {
    "missing-property": {"required"},
    "documented-property-absent": {"required"},
    "wrong-type": {"type"},
    "null-value": {"type"},
    "unknown-value": {"enum", "const"},
    "out-of-range": {"minimum", "maximum"},
    "wrong-length": {"minLength", "maxLength", "minItems", "maxItems", "maxProperties"},
    "wrong-format": {"pattern"},
    "unknown-property": {"additionalProperties"},
}
Faults = Callable[[str, str, Any], list[Any]]


def fixture_name(path: Path) -> str:
    return f"{path.parent.name}/{path.name}"


def read_payload(path: Path) -> tuple[str, Any]:
    """Return the kind and the payload of a fixture. If the fixture is an exchange record, the payload is its request.

    A request is kept in a record if only the path of the record shows that it is a request.
    """
    value = json.loads(path.read_bytes())
    kind = path.name.removeprefix("invalid-").removeprefix("valid-").partition("-")[0]
    is_record = isinstance(value, dict) and "request" in value
    return kind, value["request"] if is_record else value


@cache
def validators(kind: str, variant: str) -> tuple[Any, Any]:
    """Return the validators of both engines for a variant of the schemas."""
    document = schemas.bundle(kind, variant)
    return jsonschema_rs.Draft202012Validator(document), jsonschema.Draft202012Validator(document)


@pytest.mark.parametrize("variant", schemas.VARIANTS)
@pytest.mark.parametrize("kind", schemas.NAMES)
def test_conforming_payload_is_accepted_by_every_variant(kind: str, variant: str) -> None:
    for path in (path for path in CONFORMING if path.parent.name == kind):
        payload = json.loads(path.read_bytes())
        assert [validator.is_valid(payload) for validator in validators(kind, variant)] == [True, True], path.name


@pytest.mark.parametrize("rule", KEYWORDS)
def test_deviating_payload_has_exactly_its_expected_faults(rule: str, engine: str, faults: Faults) -> None:
    for path in (path for path in DEVIATING if path.parent.name == rule):
        found = faults(engine, *read_payload(path))
        expected = [(fault["keyword"], fault["pointer"], fault["severity"]) for fault in EXPECTED[fixture_name(path)]]
        assert sorted(found) == sorted(expected), path.name
        assert {fault.keyword for fault in found} <= KEYWORDS[rule], path.name


@pytest.mark.parametrize("rule", KEYWORDS)
def test_each_variant_rejects_only_the_severities_that_it_is_for(rule: str) -> None:
    for path in (path for path in DEVIATING if path.parent.name == rule):
        kind, payload = read_payload(path)
        accepted = {variant: validators(kind, variant)[0].is_valid(payload) for variant in schemas.VARIANTS}
        expected = EXPECTED[fixture_name(path)]
        is_note = all(fault["severity"] == "note" or fault["keyword"] == "additionalProperties" for fault in expected)
        is_error = any(fault["severity"] == "error" for fault in expected)
        expected_verdicts = {"strict": False, "reference": rule == "documented-property-absent", "open": is_note}
        assert accepted == expected_verdicts | {"errors": not is_error}, path.name


def test_a_valid_fixture_has_notes_of_other_rules_at_most(engine: str, faults: Faults) -> None:
    found = [(path, fault) for path in VALID for fault in faults(engine, *read_payload(path))]
    assert VALID
    assert [(path.name, fault) for path, fault in found if fault.severity != "note"] == []


@pytest.mark.parametrize("payload", [{}, {"error": None}, {"error": "Incorrect API key provided."}])
def test_an_error_body_without_an_error_object_is_rejected(payload: Any, engine: str, faults: Faults) -> None:
    """Check only the schema. These bodies have no fixtures here, because a whole check reports ``error-shape``."""
    assert [fault.severity for fault in faults(engine, "error", payload)] == ["error"]


@pytest.mark.parametrize("fixture", ["completion/audio.json", "chunk/audio-data.json"])
def test_audio_of_an_answer_that_is_no_base64_is_a_warning(fixture: str, engine: str, faults: Faults) -> None:
    kind = fixture.partition("/")[0]
    payload = json.loads((FIXTURES / "conforming" / fixture).read_bytes())
    choice = payload["choices"][0]
    audio = choice["message" if kind == "completion" else "delta"]["audio"]
    audio["data"] = "data:audio/wav;base64," + audio["data"]
    found = [(fault.keyword, fault.severity) for fault in faults(engine, kind, payload) if fault.severity != "note"]
    assert found == [("pattern", "warning")]


def test_every_expected_fault_has_its_file_and_every_rule_its_folder() -> None:
    assert sorted(EXPECTED) == sorted(fixture_name(path) for path in DEVIATING)
    assert {path.parent.name for path in DEVIATING} == KEYWORDS.keys()
    assert {path.parent.name for path in CONFORMING} == set(schemas.NAMES)


def test_conforming_fixtures_use_every_property_that_the_schemas_describe() -> None:
    described: set[str] = set()
    for name in schemas.NAMES:
        document = schemas.validation_document(name)
        for schema in (document, *document.get("$defs", {}).values()):
            described |= schema.get("properties", {}).keys()
    text = "".join(path.read_text("utf-8") for path in CONFORMING)
    assert [name for name in sorted(described) if f'"{name}"' not in text] == []


def test_the_errors_variant_allows_null_in_place_of_a_word_where_null_is_no_error() -> None:
    delta = {"role": None, "tool_calls": [{"index": 0, "id": "call_1", "type": None, "function": {"name": "f"}}]}
    choices = [{"index": 0, "delta": delta, "finish_reason": None}]
    chunk = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": choices}
    verdicts = {name: validators("chunk", name)[0].is_valid(chunk) for name in ("errors", "reference")}
    assert verdicts == {"errors": True, "reference": False}


@settings(max_examples=2 * settings().max_examples, derandomize=True)
@given(data=st.data())
def test_the_errors_variant_rejects_exactly_the_payloads_with_an_error(faults: Faults, data: st.DataObject) -> None:
    """Change conforming payloads: values become null, or get another type or value, and properties are added."""
    path = data.draw(st.sampled_from(CONFORMING), label="payload")
    value = json.loads(path.read_bytes())
    containers = [container for container in _containers(value) if container]
    for number in data.draw(st.lists(st.integers(0, len(containers) - 1), max_size=3), label="holders"):
        container = containers[number]
        key = data.draw(st.sampled_from(sorted(container) if isinstance(container, dict) else range(len(container))))
        container[key] = data.draw(st.sampled_from([None, "", "other", 0, -1, 10**20, True, [], {}, 0.5]))
        if isinstance(container, dict) and data.draw(st.booleans()):
            container["added"] = 1
    kind = path.parent.name
    accepted = validators(kind, "errors")[0].is_valid(value)
    assert accepted is not any(fault.severity == "error" for fault in faults("jsonschema_rs", kind, value))


def _containers(value: Any) -> Iterator[Any]:
    if isinstance(value, dict | list):
        yield value
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _containers(inner)
