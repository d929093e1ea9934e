"""Tests of ``isogloss fold``, which prints the completions that streams fold into, without control characters."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from isogloss.validator import engines

Isogloss = Callable[..., Any]
STREAMS = Path(__file__).parents[2] / "fixtures" / "conforming" / "stream"


def parse_documents(text: str) -> list[Any]:
    """Return the JSON documents of a text that has one after another."""
    documents, decoder = [], json.JSONDecoder()
    while text := text.lstrip():
        value, end = decoder.raw_decode(text)
        documents.append(value)
        text = text[end:]
    return documents


def sse(*deltas: str) -> str:
    events = [f'{{"id":"a","choices":[{{"index":0,"delta":{delta}}}]}}' for delta in deltas]
    return "".join(f"data: {event}\n\n" for event in [*events, "[DONE]"])


def test_a_stream_is_printed_as_one_completion(isogloss: Isogloss) -> None:
    result = isogloss("fold", STREAMS / "tool-calls-parallel.sse")
    assert (result.returncode, result.stderr) == (0, "")
    (completion,) = parse_documents(result.stdout)
    (choice,) = completion["choices"]
    assert choice["finish_reason"] == "tool_calls"
    assert [call["function"]["name"] for call in choice["message"]["tool_calls"]] == ["get_weather", "get_time"]
    assert engines.load()("completion")(completion)


def test_standard_input_is_read(isogloss: Isogloss) -> None:
    result = isogloss("fold", "-", input=sse('{"role":"assistant","content":"Hel"}', '{"content":"lo"}'))
    assert result.returncode == 0
    (completion,) = parse_documents(result.stdout)
    assert completion["choices"][0]["message"] == {"role": "assistant", "content": "Hello", "refusal": None}


def test_several_streams_are_printed_in_order_and_other_exchanges_are_left_out(
    isogloss: Isogloss, tmp_path: Path
) -> None:
    capture = tmp_path / "traffic.jsonl"
    answer = {"object": "chat.completion", "choices": [{"index": 0, "message": {"content": "x"}}]}
    records = [{"sse": sse('{"content":"a"}')}, {"response": answer}, {"sse": sse('{"content":"b"}')}]
    capture.write_text("".join(json.dumps(record) + "\n" for record in records))
    result = isogloss("fold", capture)
    assert result.returncode == 0
    assert [completion["choices"][0]["message"]["content"] for completion in parse_documents(result.stdout)] == [
        "a",
        "b",
    ]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("data: [DONE]\n\n", "no stream that folds into a completion"),
        ('{"object": "chat.completion", "choices": []}', "no stream that folds into a completion"),
        ("no capture", "not a capture: no input format recognises it"),
    ],
)
def test_input_without_a_stream_prints_nothing_and_ends_with_3(isogloss: Isogloss, text: str, reason: str) -> None:
    result = isogloss("fold", "-", input=text)
    assert (result.returncode, result.stdout) == (3, "")
    assert reason in result.stderr


def test_a_missing_file_is_a_usage_error(isogloss: Isogloss) -> None:
    assert isogloss("fold", "no-such-file.sse").returncode == 2


def test_control_characters_are_escaped_and_decode_to_the_same_text(isogloss: Isogloss) -> None:
    hostile = "a\u009b31m\u202e\x7f\u2028 é 漢 \U000e0001"
    result = isogloss("fold", "-", input=sse(json.dumps({"content": hostile})))
    assert all(line.isprintable() for line in result.stdout.split("\n"))
    assert "é 漢" in result.stdout
    (completion,) = parse_documents(result.stdout)
    assert completion["choices"][0]["message"]["content"] == hostile


def test_a_completion_nested_too_deep_to_write_ends_with_3(isogloss: Isogloss) -> None:
    result = isogloss("fold", "-", input=sse(f'{{"content":"","x":{"[" * 400}{"]" * 400}}}'))
    assert (result.returncode, result.stdout) == (3, "")
    assert "exchange 0 cannot be written" in result.stderr


def test_a_key_that_a_stream_sends_in_pieces_is_masked(isogloss: Callable[..., Any], tmp_path: Path) -> None:
    key = "sk-proj-" + "A1b2C3d4" * 4
    chunk = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1760000000, "model": "m"}
    deltas = [{"role": "assistant", "content": f"It is {key[:11]}"}, {"content": key[11:20]}, {"content": key[20:]}]
    events = [chunk | {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas]
    capture = tmp_path / "stream.sse"
    capture.write_text("".join(f"data: {json.dumps(event)}\n\n" for event in events) + "data: [DONE]\n\n")
    output = isogloss("fold", capture).stdout
    assert "It is sk-" in output
    assert key not in output
    assert key[20:] not in output


def test_the_name_of_a_file_without_a_stream_is_escaped(isogloss: Isogloss, tmp_path: Path) -> None:
    capture = tmp_path / "a\x1b]0;x\x07.json"
    capture.write_text("{}")
    result = isogloss("fold", capture)
    assert (result.returncode, "\x1b" in result.stderr) == (3, False)
