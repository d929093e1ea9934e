"""``isogloss fold``: prints what streams amount to, and nothing a terminal would act on."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from isogloss.validator import engines

Isogloss = Callable[..., Any]
STREAMS = Path(__file__).parents[2] / "fixtures" / "conforming" / "stream"


def completions(text: str) -> list[Any]:
    """Return the JSON documents in a text that holds one after the other."""
    found, decoder = [], json.JSONDecoder()
    while text := text.lstrip():
        value, end = decoder.raw_decode(text)
        found.append(value)
        text = text[end:]
    return found


def sse(*deltas: str) -> str:
    events = [f'{{"id":"a","choices":[{{"index":0,"delta":{delta}}}]}}' for delta in deltas]
    return "".join(f"data: {event}\n\n" for event in [*events, "[DONE]"])


def test_a_stream_is_printed_as_one_completion(isogloss: Isogloss) -> None:
    done = isogloss("fold", STREAMS / "tool-calls-parallel.sse")
    assert (done.returncode, done.stderr) == (0, "")
    (completion,) = completions(done.stdout)
    (choice,) = completion["choices"]
    assert choice["finish_reason"] == "tool_calls"
    assert [call["function"]["name"] for call in choice["message"]["tool_calls"]] == ["get_weather", "get_time"]
    assert engines.load().validator("completion")(completion)


def test_standard_input_is_read(isogloss: Isogloss) -> None:
    done = isogloss("fold", "-", input=sse('{"role":"assistant","content":"Hel"}', '{"content":"lo"}'))
    assert done.returncode == 0
    (completion,) = completions(done.stdout)
    assert completion["choices"][0]["message"] == {"role": "assistant", "content": "Hello", "refusal": None}


def test_several_streams_are_printed_one_after_the_other_and_the_rest_is_passed_over(
    isogloss: Isogloss, tmp_path: Path
) -> None:
    capture = tmp_path / "traffic.jsonl"
    answer = {"object": "chat.completion", "choices": [{"index": 0, "message": {"content": "x"}}]}
    records = [{"sse": sse('{"content":"a"}')}, {"response": answer}, {"sse": sse('{"content":"b"}')}]
    capture.write_text("".join(json.dumps(record) + "\n" for record in records))
    done = isogloss("fold", capture)
    assert done.returncode == 0
    assert [one["choices"][0]["message"]["content"] for one in completions(done.stdout)] == ["a", "b"]


@pytest.mark.parametrize("text", ["data: [DONE]\n\n", '{"object": "chat.completion", "choices": []}', "no capture"])
def test_without_a_stream_to_fold_nothing_is_printed_and_the_exit_code_says_so(isogloss: Isogloss, text: str) -> None:
    done = isogloss("fold", "-", input=text)
    assert (done.returncode, done.stdout) == (3, "")
    assert "no stream that folds into a completion" in done.stderr


def test_a_file_that_is_not_there_is_a_wrong_command_line(isogloss: Isogloss) -> None:
    assert isogloss("fold", "no-such-file.sse").returncode == 2


def test_characters_a_terminal_acts_on_are_escaped_and_mean_the_same(isogloss: Isogloss) -> None:
    hostile = "a\u009b31m\u202e\x7f\u2028 é 漢 \U000e0001"
    done = isogloss("fold", "-", input=sse(json.dumps({"content": hostile})))
    assert all(line.isprintable() for line in done.stdout.split("\n"))
    assert "é 漢" in done.stdout
    (completion,) = completions(done.stdout)
    assert completion["choices"][0]["message"]["content"] == hostile


def test_a_completion_nested_too_deep_to_write_is_said_so(isogloss: Isogloss) -> None:
    done = isogloss("fold", "-", input=sse(f'{{"x":{"[" * 400}{"]" * 400}}}'))
    assert (done.returncode, done.stdout) == (3, "")
    assert "exchange 0 cannot be written" in done.stderr


def test_a_key_that_came_in_pieces_is_masked_in_the_whole(isogloss: Callable[..., Any], tmp_path: Path) -> None:
    key = "sk-proj-" + "A1b2C3d4" * 4
    chunk = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1760000000, "model": "m"}
    pieces = [{"role": "assistant", "content": f"It is {key[:11]}"}, {"content": key[11:20]}, {"content": key[20:]}]
    events = [chunk | {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in pieces]
    capture = tmp_path / "stream.sse"
    capture.write_text("".join(f"data: {json.dumps(event)}\n\n" for event in events) + "data: [DONE]\n\n")
    printed = isogloss("fold", capture).stdout
    assert "It is sk-" in printed
    assert key not in printed
    assert key[20:] not in printed
