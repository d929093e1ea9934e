"""``scripts/refresh_dialects.py --new``: what new recordings contradict, confirm and add."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
SCRIPTS = ROOT / "scripts"
Lines = Callable[..., list[str]]
FILE = json.loads((ROOT / "schemas/isogloss/schemas/dialects/groq.json").read_bytes())
EXCHANGE: dict[str, Any] = {
    **json.loads((ROOT / "fixtures/dialects/groq/completion.json").read_bytes()),
    "host": "api.groq.com",
}


def run(folder: Path, *arguments: str | Path) -> list[str]:
    command = [sys.executable, SCRIPTS / "refresh_dialects.py", "--new", folder, *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.fixture
def lines(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[str]]:
    """Return what the script prints, without starting a process."""
    monkeypatch.syspath_prepend(SCRIPTS)
    import new_recordings

    def lines(folder: Path, slug: str | None = None, *, verbose: bool = False) -> list[str]:
        return list(new_recordings.lines(new_recordings.read(folder, slug), verbose=verbose))

    return lines


def recording(folder: Path, **changes: Any) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "new.json").write_text(json.dumps(EXCHANGE | changes), "utf-8")
    return folder


@pytest.mark.processes
def test_an_exchange_as_the_dialect_knows_it_confirms_its_facts_and_no_file_is_changed(tmp_path: Path) -> None:
    before = [path.read_bytes() for path in sorted((ROOT / "schemas/isogloss/schemas/dialects").iterdir())]
    first, *rest = run(recording(tmp_path / "new"))
    assert first.startswith(f"{tmp_path / 'new/new.json'}, exchange 0 (groq): contradicts 0, adds 0, confirms ")
    assert rest[1] == "groq: 1 recording"
    assert all(line.split()[:2] == ["1", "confirms"] for line in rest[2:])
    assert any("deviation completion, chunk `x_groq`" in line for line in rest)
    assert before == [path.read_bytes() for path in sorted((ROOT / "schemas/isogloss/schemas/dialects").iterdir())]


def test_another_form_of_ids_contradicts_the_one_in_the_file_and_adds_one(lines: Lines, tmp_path: Path) -> None:
    answer = EXCHANGE["response"] | {"id": "groq-0123456789abcdef0123456789abcdef", "x_region": "eu"}
    del answer["x_groq"]
    found = lines(recording(tmp_path / "new", response=answer))
    places = {
        verb: {re.findall(r"`(\w+)`", line)[0] for line in found if line.startswith(f"    {verb} ")}
        for verb in ("contradicts", "adds")
    }
    assert places == {"contradicts": {"id", "x_groq"}, "adds": {"id", "x_region"}}


def test_a_restriction_is_contradicted_by_success_and_confirmed_by_a_refusal(lines: Lines, tmp_path: Path) -> None:
    known = [one for one in FILE["restrictions"] if one["effect"] == "rejected" and not one.keys() & {"schema", "when"}]
    at = next(one["at"] for one in known if one["at"].isidentifier())
    request = EXCHANGE["request"] | {at: {"1": 1}}
    answered = lines(recording(tmp_path / "answered", request=request))
    assert any(line.startswith(f"    contradicts  restriction `{at}`") for line in answered)
    refusal = {"error": {"message": f"property '{at}' is unsupported", "type": "invalid_request_error"}}
    refused = lines(recording(tmp_path / "refused", request=request, status=400, response=refusal), verbose=True)
    assert any(line.startswith(f"    confirms     restriction `{at}`") for line in refused)


def test_a_recording_of_nobody_in_particular_is_named_and_can_be_assigned(lines: Lines, tmp_path: Path) -> None:
    plain = json.loads((ROOT / "fixtures/conforming/completion/text.json").read_bytes())
    folder = recording(tmp_path / "new", host="api.example.com", response=plain)
    assert lines(folder) == [f"{folder / 'new.json'}, exchange 0: nobody's for sure; name the dialect"]
    assert "(groq): contradicts" in lines(folder, "groq")[0]


def test_a_folder_without_recordings_says_nothing(lines: Lines, tmp_path: Path) -> None:
    assert lines(tmp_path) == []


def test_a_recording_whose_host_and_evidence_differ_names_both(lines: Lines, tmp_path: Path) -> None:
    folder = recording(tmp_path / "new", host="api.deepseek.com")
    assert f"{folder / 'new.json'}, exchange 0 (deepseek; it speaks groq): contradicts" in lines(folder)[0]


def test_what_a_client_asks_for_contradicts_nothing(lines: Lines, tmp_path: Path) -> None:
    zhipu = json.loads((ROOT / "fixtures/dialects/zhipu/completion.json").read_bytes())
    completion = zhipu.get("response", zhipu)
    found = lines(recording(tmp_path / "new", host="api.z.ai", response=completion), "zhipu")
    assert not [line for line in found if "contradicts" in line and " request `" in line]
