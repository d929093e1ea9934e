"""What holds for the files of clients and of cases: those that ship, and those of the tests."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import orjson
import pytest
from jsonschema_rs import Draft202012Validator, Registry

from isogloss.schemas import client_files
from isogloss.validator import rules

ROOT = Path(__file__).parents[2]
OF_TESTS = ROOT / "tests/validator/impact/clients"
FOLDERS = [client_files.CLIENTS, OF_TESTS]
FILES = [(folder, slug) for folder in FOLDERS for slug in client_files.clients(folder)]
CASES = client_files.client_cases_schema()
CLIENT = client_files.client_schema()
REGISTRY = Registry([(one["$id"], one) for one in (CASES, CLIENT)])


@pytest.fixture(scope="module")
def schema_of_clients() -> Draft202012Validator:
    return Draft202012Validator(CLIENT, registry=REGISTRY)


def _named(value: object) -> str:
    return value.parent.name if isinstance(value, Path) else str(value)


@pytest.mark.parametrize("folder", FOLDERS, ids=_named)
def test_the_cases_follow_their_schema_and_no_two_are_the_same(folder: Path) -> None:
    cases = client_files.client_cases(folder)
    Draft202012Validator(CASES).validate({"cases": cases})
    keys = Counter(
        orjson.dumps([one["rule"], one["kind"], one["mode"], one["place"], one.get("value"), "absent" in one])
        for one in cases.values()
        if one["rule"] is not None
    )
    assert [key for key, count in keys.items() if count > 1] == []


@pytest.mark.parametrize("folder", FOLDERS, ids=_named)
def test_a_case_names_a_rule_that_exists_and_files_that_exist(folder: Path) -> None:
    for name, case in client_files.client_cases(folder).items():
        assert case["rule"] in (None, *rules.names()), name
        assert name.partition("/")[0] == (case["rule"] or "conforming"), name
        for file in (case["case"], case["twin"]):
            assert file == "generated" or folder == OF_TESTS or (ROOT / file).is_file(), name


@pytest.mark.parametrize(("folder", "slug"), FILES, ids=_named)
def test_a_client_follows_its_schema_and_its_file_is_called_after_it(
    folder: Path, slug: str, schema_of_clients: Draft202012Validator
) -> None:
    data = client_files.client(slug, folder)
    schema_of_clients.validate(data)
    assert data["slug"] == slug
    versions = [run["version"] for run in data["runs"]]
    assert len(set(versions)) == len(versions)
    for run in data["runs"]:
        assert folder == OF_TESTS or (ROOT / run["resolved"]).exists()


@pytest.mark.parametrize(("folder", "slug"), FILES, ids=_named)
def test_a_run_has_one_outcome_for_a_case_and_no_case_that_is_not_there(folder: Path, slug: str) -> None:
    data, cases = client_files.client(slug, folder), client_files.client_cases(folder)
    for run in data["runs"]:
        assert run["paths"].keys() <= data["paths"].keys()
        for path, found in run["paths"].items():
            ran = [*found["same"], *found.get("unpublished", ()), *found["differs"]]
            assert len(set(ran)) == len(ran)
            assert cases.keys() >= set(ran)
            mode = data["paths"][path]["mode"]
            assert mode == "both" or {cases[name]["mode"] for name in ran} <= {mode}


def test_a_folder_without_clients_has_no_cases_and_an_unknown_client_is_an_error(tmp_path: Path) -> None:
    assert client_files.clients(tmp_path / "none") == client_files.clients(tmp_path) == ()
    assert client_files.client_cases(tmp_path) == {}
    with pytest.raises(KeyError):
        client_files.client("openai-python", tmp_path)


@pytest.mark.parametrize(
    ("seen", "fits"),
    [
        ("text: 'a' instead of 'b'", True),
        ("text, finish reason: none instead of 'b'; none instead of 'stop'", True),
        ("usage", True),
        ("the text is gone", False),
        ("text: 'a\nb'", False),
        ("", False),
    ],
)
def test_a_silent_difference_says_first_what_was_lost_or_changed(seen: str, fits: bool) -> None:
    difference = {"$ref": f"{CLIENT['$id']}#/$defs/Difference"}
    validator = Draft202012Validator(difference, registry=REGISTRY)
    assert validator.is_valid({"outcome": "silent", "seen": seen}) is fits
