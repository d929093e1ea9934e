"""Test the files of clients and of cases: those that are shipped, and those of the tests."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import orjson
import pytest
from jsonschema_rs import Draft202012Validator, Registry

from isogloss.schemas import client_files
from isogloss.validator import rules

ROOT = Path(__file__).parents[2]
TEST_CLIENTS = ROOT / "tests/validator/impact/clients"
FOLDERS = [client_files.CLIENTS, TEST_CLIENTS]
FILES = [(folder, slug) for folder in FOLDERS for slug in client_files.clients(folder)]
CASES_SCHEMA, CLIENT_SCHEMA = (
    orjson.loads((client_files.CLIENTS.parent / f"{name}.schema.json").read_bytes())
    for name in ("client-cases", "client")
)
REGISTRY = Registry([(schema["$id"], schema) for schema in (CASES_SCHEMA, CLIENT_SCHEMA)])


@pytest.fixture(scope="module")
def client_validator() -> Draft202012Validator:
    return Draft202012Validator(CLIENT_SCHEMA, registry=REGISTRY)


def _parameter_id(value: object) -> str:
    return value.parent.name if isinstance(value, Path) else str(value)


@pytest.mark.parametrize("folder", FOLDERS, ids=_parameter_id)
def test_the_cases_follow_their_schema_and_no_two_are_the_same(folder: Path) -> None:
    cases = client_files.client_cases(folder)
    Draft202012Validator(CASES_SCHEMA).validate({"cases": cases})
    keys = Counter(
        orjson.dumps([part for name, part in case.items() if name not in ("case", "twin")])
        for case in cases.values()
        if case["rule"] is not None and not case["case"].endswith(".sse")
    )
    assert [key for key, count in keys.items() if count > 1] == []


@pytest.mark.parametrize("folder", FOLDERS, ids=_parameter_id)
def test_a_case_names_a_rule_that_exists_and_files_that_exist(folder: Path) -> None:
    for name, case in client_files.client_cases(folder).items():
        assert case["rule"] in (None, *rules.names()), name
        assert name.partition("/")[0] == (case["rule"] or "conforming"), name
        for file in (case["case"], case["twin"]):
            assert file == "generated" or folder == TEST_CLIENTS or (ROOT / file).is_file(), name


@pytest.mark.parametrize(("folder", "slug"), FILES, ids=_parameter_id)
def test_a_client_follows_its_schema_and_its_file_has_its_name(
    folder: Path, slug: str, client_validator: Draft202012Validator
) -> None:
    data = client_files.client(slug, folder)
    client_validator.validate(data)
    assert data["slug"] == slug
    versions = [run["version"] for run in data["runs"]]
    assert len(set(versions)) == len(versions)
    for run in data["runs"]:
        assert folder == TEST_CLIENTS or (ROOT / run["resolved"]).exists()


@pytest.mark.parametrize(("folder", "slug"), FILES, ids=_parameter_id)
def test_a_run_has_one_outcome_for_each_case_and_only_existing_cases(folder: Path, slug: str) -> None:
    data, cases = client_files.client(slug, folder), client_files.client_cases(folder)
    for run in data["runs"]:
        assert run["paths"].keys() <= data["paths"].keys()
        for path, outcomes in run["paths"].items():
            names = [*outcomes["same"], *outcomes.get("unpublished", ()), *outcomes["differs"]]
            assert len(set(names)) == len(names)
            assert cases.keys() >= set(names)
            mode = data["paths"][path]["mode"]
            assert mode == "both" or {cases[name]["mode"] for name in names} <= {mode}


def test_a_folder_without_clients_has_no_cases_and_an_unknown_client_is_an_error(tmp_path: Path) -> None:
    assert client_files.clients(tmp_path / "none") == client_files.clients(tmp_path) == ()
    assert client_files.client_cases(tmp_path) == {}
    with pytest.raises(KeyError):
        client_files.client("openai-python", tmp_path)


@pytest.mark.parametrize(
    ("seen", "is_valid"),
    [
        ("text: 'a' instead of 'b'", True),
        ("text, finish reason: none instead of 'b'; none instead of 'stop'", True),
        ("usage", True),
        ("the text is gone", False),
        ("text: 'a\nb'", False),
        ("", False),
    ],
)
def test_a_silent_difference_begins_with_the_parts_that_were_lost_or_changed(seen: str, is_valid: bool) -> None:
    difference = {"$ref": f"{CLIENT_SCHEMA['$id']}#/$defs/Difference"}
    validator = Draft202012Validator(difference, registry=REGISTRY)
    assert validator.is_valid({"outcome": "silent", "seen": seen}) is is_valid
