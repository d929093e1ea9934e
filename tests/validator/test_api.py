"""What programs import, and what they are told when a name is wrong."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

import isogloss.validator
from isogloss import schemas
from isogloss.schemas import client_files
from isogloss.validator import Expectation, ResponseHook, check, fold

ROOT = Path(__file__).parents[2]
ANSWER = json.loads((ROOT / "fixtures" / "conforming" / "completion" / "text.json").read_text())
STREAM = ROOT / "fixtures" / "captures" / "sse" / "stream.sse"


def test_one_place_has_everything_and_says_what_it_has() -> None:
    assert dir(isogloss.validator) == sorted(isogloss.validator.__all__)
    assert all(hasattr(isogloss.validator, name) for name in isogloss.validator.__all__)
    assert isogloss.validator.schemas is schemas
    assert isogloss.validator.__version__ == version("isogloss")


def test_findings_say_which_clients_were_seen_to_break_if_asked_to(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_files, "CLIENTS", ROOT / "tests/validator/impact/clients")
    answer = (ROOT / "fixtures/schema/null-value/invalid-completion-choices.json").read_bytes()

    def broken(**options: Any) -> set[str]:
        [finding] = check(answer, **options).findings
        return set() if finding.impact is None else {one.client for one in finding.impact.breaks}

    assert broken() == set()
    assert broken(clients=()) == {"alpha", "beta"}
    assert broken(clients=["beta"]) == broken(clients="beta") == {"beta"}
    with pytest.raises(ValueError, match="no client is called 'gamma'"):
        check(answer, clients=["gamma"])


def test_a_stream_folds_whatever_holds_it() -> None:
    data = STREAM.read_bytes()
    chunks = [json.loads(line.removeprefix("data: ")) for line in data.decode().splitlines() if line]
    whole = fold(data)
    assert whole["choices"][0]["message"]["content"] == "Hello"
    assert whole == fold(chunks) == fold(data.decode())
    with pytest.raises(ValueError, match="no stream that folds"):
        fold(whole)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"dialect": "grokk"}, "no dialect is called 'grokk'; did you mean 'xai'?"),
        ({"select": ["done-mising"]}, "no rule or group is called 'done-mising'; did you mean 'done-missing'?"),
        ({"ignore": "zzz"}, "no rule or group is called 'zzz'"),
    ],
)
def test_an_unknown_name_is_told_with_the_nearest(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match="^" + message.replace("?", r"\?") + "$"):
        check({}, **options)


def test_an_unknown_severity_is_told_with_the_nearest() -> None:
    with pytest.raises(ValueError, match=r"^no severity is called 'eror'; did you mean 'error'\?$"):
        check({}).failing("eror")


@pytest.mark.processes
def test_the_package_runs_as_a_module() -> None:
    done = subprocess.run([sys.executable, "-m", "isogloss", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"isogloss {version('isogloss')}\n"


def test_expectations_are_rules_of_a_check_and_of_a_hook() -> None:
    answer = {**ANSWER, "model": "other"}
    wanted = Expectation(name="our-model", kind="completion", at="model", schema={"const": "ours"}, message="not ours")
    found = check(answer, expect=[wanted]).failing()
    assert [(one.rule, one.pointer) for one in found] == [("expect/our-model", "/model")]
    assert check({**ANSWER, "model": "ours"}, expect=[wanted]).conforms
    with pytest.raises(ValueError, match="our-model"):
        ResponseHook(expect=[replace(wanted, schema={"type": "objekt"})])
    with pytest.raises(ValueError, match="no path"):
        check(answer, expect=[replace(wanted, at="$.model")])
