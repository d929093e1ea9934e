"""Tests that checking a payload like those before it takes few function calls, and so little time.

The number of calls is the same on every machine, where times are not. docs/speed.md has the times. The
limits are a tenth above what was counted on 2026-11-29, and that of the mixture a twentieth: many small features
make it slower, and none of them much.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import mixture
import pytest
from call_counts import count_calls

FIXTURES = Path(__file__).parents[2] / "fixtures" / "conforming"
_COUNT = 100
"""How many payloads are in the smallest capture."""
_MIXED = 400
"""How many exchanges are in the mixture."""
_ADVICE = "let a new rule name in `needs` what it cannot do without; if it has to run always, raise the limit with it"


def _fixture(name: str) -> dict[str, Any]:
    value: dict[str, Any] = json.loads((FIXTURES / name).read_bytes())
    return value


def _error(number: int) -> object:
    return {"error": {"message": f"There is no model {number}.", "type": "invalid", "param": None, "code": None}}


def _answer(number: int) -> dict[str, Any]:
    return _fixture("completion/text.json") | {"id": f"chatcmpl-Fake{number:024}"}


def _answer_with_calls(number: int) -> dict[str, Any]:
    return _fixture("completion/tool-calls.json") | {"id": f"chatcmpl-Fake{number:024}"}


def _exchange(number: int) -> object:
    request = {"model": "gpt-4o", "messages": [{"role": "user", "content": f"What is {number}?"}]}
    return {"request": request, "status": 200, "response": _answer(number)}


def _lines(make: Callable[[int], object], count: int) -> str:
    return "".join(f"{json.dumps(make(number))}\n" for number in range(count))


def _stream(count: int) -> str:
    def chunk(delta: dict[str, Any], finish_reason: str | None = None) -> str:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish_reason}
        head = {"id": "chatcmpl-Fake", "object": "chat.completion.chunk", "created": 1_760_000_000, "model": "gpt-4o"}
        return f"data: {json.dumps(head | {'choices': [choice]})}\n\n"

    texts = [chunk({"content": f" word{number}"}) for number in range(count)]
    return "".join([chunk({"role": "assistant", "content": ""}), *texts, chunk({}, "stop"), "data: [DONE]\n\n"])


@pytest.mark.parametrize(
    ("write", "most"),
    [
        pytest.param(partial(_lines, _error), 48, id="error"),
        pytest.param(partial(_lines, _answer), 85, id="answer"),
        pytest.param(partial(_lines, _answer_with_calls), 187, id="answer with calls"),
        pytest.param(partial(_lines, _exchange), 481, id="request and answer"),
        pytest.param(_stream, 29, id="chunk"),
    ],
)
def test_a_payload_like_those_before_takes_few_function_calls(
    isogloss: Callable[..., Any], tmp_path: Path, write: Callable[[int], str], most: int
) -> None:
    calls = []
    for count in (_COUNT, 3 * _COUNT, 7 * _COUNT):  # the first does what is done only once
        path = tmp_path / f"{count}.jsonl"
        path.write_text(write(count))
        calls.append(count_calls(partial(_check, isogloss, path)))
    _, few, many = calls
    taken = (many - few) / (4 * _COUNT)
    assert taken <= most, f"{taken} calls for each payload: {_ADVICE}"


def test_traffic_of_many_vendors_takes_few_function_calls(isogloss: Callable[..., Any], tmp_path: Path) -> None:
    """The mixture is as varied as recorded traffic. What is done once in a run is counted, too."""
    path = tmp_path / "mixture.jsonl"
    path.write_text(_lines(list(mixture.exchanges(1, _MIXED, 60)).__getitem__, _MIXED))
    _check(isogloss, path)  # does what is done only once in a process
    taken = count_calls(partial(_check, isogloss, path)) / _MIXED
    assert taken <= 2024, f"{taken} calls for each exchange: {_ADVICE}"


def _check(isogloss: Callable[..., Any], path: Path) -> None:
    assert isogloss("check", path).returncode in (0, 1)
