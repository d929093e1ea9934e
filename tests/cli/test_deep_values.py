"""Test that values which are nested as deep as JSON may be end no command, wherever they stand in an exchange."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from isogloss.cli.main import cli
from isogloss.validator import api

DEEP = '"<deep>"'
LEVELS = (('{"a":', "}", 480, 500), pytest.param(("[", "]", 980, 1000), marks=pytest.mark.slow))
"""How a level begins and ends, and how many there are: more than orjson writes, and almost as many as functions may
call themselves. The last number says how often they may. Python's is 1000; with half of that, there is half as much to
read.
"""

FIXTURES = Path("fixtures/conforming")
REQUEST = {"model": "gpt-4.1-mini", "messages": [{"role": "user", "content": "Hello"}], "stream": False, "stop": ["a"]}
ERROR = {"error": {"message": "no", "type": "invalid_request_error", "param": None, "code": None}}


def _with_deep_values(value: Any) -> Iterator[Any]:
    """Yield copies of a JSON value: in each, something else is replaced by a mark for a deep value."""
    yield json.loads(DEEP)
    if isinstance(value, dict):
        for name, part in value.items():
            yield from (value | {name: other} for other in _with_deep_values(part))
    elif isinstance(value, list) and value:
        yield from ([other, *value[1:]] for other in _with_deep_values(value[0]))


def _records() -> Iterator[dict[str, Any]]:
    deep = json.loads(DEEP)
    completion = json.loads((FIXTURES / "completion/tool-calls.json").read_text())
    chunk = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1767225600, "model": "gpt-4.1-mini"} | {
        "choices": [{"index": 0, "delta": {"role": "assistant", "content": "Hi", "x": 1}, "finish_reason": "stop"}]
    }
    for answer in _with_deep_values(completion):
        yield {"request": REQUEST, "response": answer, "status": 200}
    for number, answer in enumerate(_with_deep_values(completion)):  # layouts that no module knows
        yield {"answer": answer, "beside it": deep}
        if number % 4:
            continue
        yield from [{"call_id": f"id-{number}", "input": REQUEST | ({} if number else {"tools": deep})}] * 2
        yield from [{"call_id": f"id-{number}", "output": answer}] * 2
    for event in _with_deep_values(chunk):
        yield {"request": REQUEST | {"stream": True}, "chunks": [event, chunk], "status": 200}
        yield {"case": "a", "events": [event, chunk]}
    for request in _with_deep_values(REQUEST):
        yield {"request": request, "response": completion, "status": 200}
    for refusal in _with_deep_values(ERROR):
        yield {"request": REQUEST, "response": refusal, "status": 400}


@pytest.fixture(scope="module", params=LEVELS, ids=["objects", "arrays"])
def deep_records(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    begin, end, levels, limit = request.param
    path = tmp_path_factory.mktemp("deep") / "records.jsonl"
    deep = begin * levels + "1" + end * levels
    path.write_text("\n".join(json.dumps(record).replace(DEEP, deep) for record in _records()))
    usual_limit = sys.getrecursionlimit()
    sys.setrecursionlimit(limit)
    yield path
    sys.setrecursionlimit(usual_limit)


@pytest.mark.thorough
@pytest.mark.parametrize(
    "command",
    [
        ["check", "--show-values"],
        ["check", "--show-values", "--format", "json", "--dialect", "auto"],
        ["report"],
        ["repro"],
        *(
            pytest.param(command, marks=pytest.mark.slow)
            for command in (
                ["check", "--format", "html"], ["report", "--view", "coverage"], ["compare"], ["fold"],
                ["portability"], ["dialects", "infer", "--slug", "example"],
            )
        ),
    ],
    ids=" ".join,
)  # fmt: skip
def test_deep_values_end_no_command(deep_records: Path, command: list[str]) -> None:
    result = CliRunner().invoke(cli, [*command, str(deep_records)])
    assert "internal error" not in result.output
    assert result.exception is None or isinstance(result.exception, SystemExit), repr(result.exception)
    assert result.exit_code in (0, 1)


def test_values_are_shown_from_their_beginning_however_deep_they_are(tmp_path: Path) -> None:
    path = tmp_path / "answer.json"
    completion = json.loads((FIXTURES / "completion/text.json").read_text()) | {"x": json.loads(DEEP)}
    path.write_text(json.dumps(completion).replace(DEEP, "[" * 980 + "]" * 980))
    result = CliRunner().invoke(cli, ["check", "--show-values", "--format", "json", str(path)])
    [value] = [finding["value"] for finding in json.loads(result.stdout)["findings"] if finding["path"] == "x"]
    assert value == "[" * 200 + "…"


def test_the_api_refuses_a_value_that_is_too_deep_to_be_written() -> None:
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(ValueError, match="nested too deep to be written as JSON"):
        api.check({"id": deep})
    with pytest.raises(ValueError, match="nested too deep to be written as JSON"):
        api.fold([{"id": deep}])
    endless: list[Any] = []
    endless.append(endless)
    for subject in (deep, [deep, deep], endless, ["[" * 100_000]):
        with pytest.raises(ValueError, match="nested too deep to be written as JSON"):
            api.check(subject)
