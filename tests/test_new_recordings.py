"""Test ``scripts/refresh_dialects.py --new``: what new recordings contradict, confirm and add."""

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
ReportLines = Callable[..., list[str]]
GROQ_DIALECT = json.loads((ROOT / "schemas/isogloss/schemas/dialects/groq.json").read_bytes())
GROQ_EXCHANGE: dict[str, Any] = {
    **json.loads((ROOT / "fixtures/dialects/groq/completion.json").read_bytes()),
    "host": "api.groq.com",
}


def run_script(folder: Path, *arguments: str | Path) -> list[str]:
    command = [sys.executable, SCRIPTS / "refresh_dialects.py", "--new", folder, *arguments]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    return result.stdout.splitlines()


@pytest.fixture
def report_lines(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[str]]:
    """Return a function that returns the lines that the script prints. It starts no process."""
    monkeypatch.syspath_prepend(SCRIPTS)
    import new_recordings

    def report_lines(folder: Path, slug: str | None = None, *, verbose: bool = False) -> list[str]:
        return list(new_recordings.report_lines(new_recordings.read(folder, slug), verbose=verbose))

    return report_lines


def write_recording(folder: Path, **changes: Any) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "new.json").write_text(json.dumps(GROQ_EXCHANGE | changes), "utf-8")
    return folder


@pytest.mark.processes
def test_an_exchange_of_a_known_dialect_confirms_its_facts_and_changes_no_file(tmp_path: Path) -> None:
    before = [path.read_bytes() for path in sorted((ROOT / "schemas/isogloss/schemas/dialects").iterdir())]
    first, *rest = run_script(write_recording(tmp_path / "new"))
    assert first.startswith(f"{tmp_path / 'new/new.json'}, exchange 0 (groq): contradicts 0, adds 0, confirms ")
    assert rest[1] == "groq: 1 recording"
    assert all(line.split()[:2] == ["1", "confirms"] for line in rest[2:])
    assert any("deviation completion, chunk `x_groq`" in line for line in rest)
    assert before == [path.read_bytes() for path in sorted((ROOT / "schemas/isogloss/schemas/dialects").iterdir())]


def test_another_form_of_ids_contradicts_the_known_form_and_adds_one(report_lines: ReportLines, tmp_path: Path) -> None:
    answer = GROQ_EXCHANGE["response"] | {"id": "groq-0123456789abcdef0123456789abcdef", "x_region": "eu"}
    del answer["x_groq"]
    printed = report_lines(write_recording(tmp_path / "new", response=answer))
    names = {
        verb: {re.findall(r"`(\w+)`", line)[0] for line in printed if line.startswith(f"    {verb} ")}
        for verb in ("contradicts", "adds")
    }
    assert names == {"contradicts": {"id", "x_groq"}, "adds": {"id", "x_region"}}


def test_a_restriction_is_contradicted_by_success_and_confirmed_by_a_refusal(
    report_lines: ReportLines, tmp_path: Path
) -> None:
    restrictions = [
        restriction
        for restriction in GROQ_DIALECT["restrictions"]
        if restriction["effect"] == "rejected" and not restriction.keys() & {"schema", "when"}
    ]
    path = next(restriction["at"] for restriction in restrictions if restriction["at"].isidentifier())
    request = GROQ_EXCHANGE["request"] | {path: {"1": 1}}
    answered = report_lines(write_recording(tmp_path / "answered", request=request))
    assert any(line.startswith(f"    contradicts  restriction `{path}`") for line in answered)
    refusal = {"error": {"message": f"property '{path}' is unsupported", "type": "invalid_request_error"}}
    refused = report_lines(
        write_recording(tmp_path / "refused", request=request, status=400, response=refusal), verbose=True
    )
    assert any(line.startswith(f"    confirms     restriction `{path}`") for line in refused)


def test_a_recording_of_no_known_dialect_is_listed_and_can_be_assigned_to_one(
    report_lines: ReportLines, tmp_path: Path
) -> None:
    plain = json.loads((ROOT / "fixtures/conforming/completion/text.json").read_bytes())
    folder = write_recording(tmp_path / "new", host="api.example.com", response=plain)
    assert report_lines(folder) == [f"{folder / 'new.json'}, exchange 0: nobody's for sure; name the dialect"]
    assert "(groq): contradicts" in report_lines(folder, "groq")[0]


def test_a_folder_without_recordings_gives_no_output(report_lines: ReportLines, tmp_path: Path) -> None:
    assert report_lines(tmp_path) == []


def test_a_recording_whose_host_and_evidence_differ_names_both(report_lines: ReportLines, tmp_path: Path) -> None:
    folder = write_recording(tmp_path / "new", host="api.deepseek.com")
    assert f"{folder / 'new.json'}, exchange 0 (deepseek; it speaks groq): contradicts" in report_lines(folder)[0]


def test_a_fact_about_requests_is_not_contradicted(report_lines: ReportLines, tmp_path: Path) -> None:
    zhipu = json.loads((ROOT / "fixtures/dialects/zhipu/completion.json").read_bytes())
    completion = zhipu.get("response", zhipu)
    printed = report_lines(write_recording(tmp_path / "new", host="api.z.ai", response=completion), "zhipu")
    assert printed
    assert not [line for line in printed if "contradicts" in line and " request `" in line]


def test_a_behaviour_is_contradicted_only_where_its_rule_could_find_something(
    report_lines: ReportLines, tmp_path: Path
) -> None:
    contradiction = "    contradicts  behaviour `usage-null-missing`"
    chunk = {"id": "gen_1", "object": "chat.completion.chunk", "created": 1760000000, "model": "m"}
    first = chunk | {"choices": [{"index": 0, "delta": {"content": "Hello"}, "finish_reason": None}], "usage": None}
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    last = chunk | {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}], "usage": usage}
    stream = "".join(f"data: {json.dumps(event)}\n\n" for event in (first, last)) + "data: [DONE]\n\n"
    request = {"model": "m", "messages": [{"role": "user", "content": "Hi"}], "stream": True}
    asking = request | {"stream_options": {"include_usage": True}}
    answer = {"response": None, "sse": stream, "content_type": "text/event-stream"}
    asked = report_lines(write_recording(tmp_path / "asked", request=asking, **answer), "vercel")
    unasked = report_lines(write_recording(tmp_path / "unasked", request=request, **answer), "vercel")
    assert any(line.startswith(contradiction) for line in asked)
    assert not any(line.startswith(contradiction) for line in unasked)


def test_a_folder_of_recordings_that_is_missing_is_no_empty_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reading no recordings would leave every dialect as it is, and look as if all were up to date."""
    monkeypatch.syspath_prepend(SCRIPTS)
    from recorded_facts import read_recordings

    with pytest.raises(FileNotFoundError):
        read_recordings(tmp_path / "missing")


def test_an_unknown_dialect_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Compared with no dialect at all, each recording would look like one of nobody."""
    monkeypatch.syspath_prepend(SCRIPTS)
    import refresh_dialects

    monkeypatch.setattr(sys, "argv", ["refresh_dialects.py", "--new", str(tmp_path), "grok"])
    with pytest.raises(SystemExit):
        refresh_dialects.main()
    assert "no dialect is called grok" in capsys.readouterr().err
