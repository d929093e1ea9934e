"""Tests that a hostile capture takes at most 200 MB and 12 times its size of memory, and time in proportion to it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from functools import cache, partial
from itertools import count
from pathlib import Path
from typing import Any

import fuzz
import pytest
from call_counts import count_calls

from isogloss.validator import engines
from isogloss.validator.judging.judge import Judge

_SIZE = 1 << 19
_SMALL = 1 << 15
_CALLS_PER_BYTE = 20
_CALLS_PER_BYTE_OF_MANY_FINDINGS = 40
"""The limit for captures that have a finding, or a part that is not checked, every few bytes.

A thousand of these are reported, and the others are counted.
"""
_MB = 1 << 20
_MEASURING_PROGRAM = """
import os, resource, sys
from isogloss.cli.start import main
end = os._exit
def measured(code):
    peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
    print(peak.split()[1], resource.getrusage(resource.RUSAGE_SELF).ru_utime, file=sys.stderr, flush=True)
    end(code)
os._exit = measured
main()
"""
_CHOICE = b'{"index":0,"message":{"role":"assistant","content":"a"},"logprobs":null,"finish_reason":"stop"}'


def completion(choices: bytes, properties: bytes = b"") -> bytes:
    return b'{"id":"chatcmpl-1","object":"chat.completion","created":1,"model":"m","choices":[%s]%s}' % (
        choices,
        properties,
    )


def request(messages: bytes, properties: bytes = b"") -> bytes:
    return b'{"model":"m","messages":[%s]%s}' % (messages, properties)


def stream(choices: bytes) -> bytes:
    return b'data: {"id":"x","object":"chat.completion.chunk","created":1,"model":"m","choices":[%s]}\n\n' % choices


def cassette(body: bytes) -> bytes:
    return (
        b"interactions:\n- request: {method: POST, uri: https://h/v1/chat/completions, body: '{}'}\n"
        b"  response: {status: {code: 200}, body: {string: %s}}\n" % body
    )


def har(entries: list[Any]) -> bytes:
    return json.dumps({"log": {"entries": entries}}).encode()


HAR_REQUEST = {"method": "POST", "url": "https://h/v1/chat/completions"}
MESSAGE = b'{"role":"user","content":"a"}'


@cache
def make_captures(size: int) -> dict[str, bytes]:
    """Return captures of about ``size`` bytes. Each key says what its capture repeats."""

    def repeat(item: bytes) -> bytes:
        return item * (size // len(item))

    def join(items: Iterator[bytes]) -> bytes:
        parts: list[bytes] = []
        remaining = size
        while remaining > 0:
            parts.append(next(items))
            remaining -= len(parts[-1]) + 1
        return b",".join(parts)

    line_of_log = b"12:00:00 " + completion(_CHOICE) + b"\n"
    har_response = {"status": 200, "content": {"text": json.dumps({"choices": [{}], "x": '"' * size})}}
    return {
        "empty choices": completion(repeat(b"{},") + b"{}"),
        "numbers as choices": completion(repeat(b"1,") + b"1"),
        "conforming choices": completion(repeat(_CHOICE + b",") + _CHOICE),
        "unknown properties": completion(_CHOICE, b"," + join(b'"k%d":1' % n for n in count())),
        "unknown properties in every choice": completion(repeat(_CHOICE[:-1] + b',"a":1,"b":2},') + _CHOICE),
        "numbers too large": completion(repeat(b"1e999,") + b"1"),
        "properties twice": completion(repeat(b'{"a":1,"a":2},') + b"{}"),
        "tokens": completion(_CHOICE.replace(b"null", b'{"content":[%s{}]}' % repeat(b"{},"))),
        "tool calls": completion(_CHOICE.replace(b'"content":"a"', b'"tool_calls":[%s{}]' % repeat(b"{},"))),
        "half of surrogate pairs": completion(_CHOICE.replace(b'"a"', b'"%s"' % repeat(b"\\ud800"))),
        "deep arrays": completion(repeat(b"[" * 900 + b"]" * 900 + b",") + b"1"),
        "parts of a message": request(b'{"role":"user","content":[%s{}]}' % repeat(b"{},")),
        "tools": request(MESSAGE, b',"tools":[%s{}]' % repeat(b"{},")),
        "tools with one name": request(
            MESSAGE, b',"tools":[%s1]' % repeat(b'{"type":"function","function":{"name":"a"}},')
        ),
        "biases": request(MESSAGE, b',"logit_bias":{%s}' % join(b'"k%d":"x"' % n for n in count())),
        "choices of a chunk": stream(repeat(b"{},") + b"{}"),
        "choices of a chunk with an index": stream(join(b'{"index":%d,"delta":{}}' % n for n in count())),
        "tool calls of a delta": stream(b'{"index":0,"delta":{"tool_calls":[%s{}]}}' % repeat(b"{},")),
        "events, each with a property of its own": b"".join(
            b'data: {"choices":[{"index":0,"delta":{}}],"k%d":1}\n\n' % n for n in range(size // 50)
        ),
        "lines of an event": b'data: {"choices":[\n' + repeat(b"data:\n") + b"data: ]}\n\n",
        "cut off among arrays": b'{"id":"x","object":"chat.completion","choices":[' + repeat(b"[],"),
        "cut off among objects": b'{"id":"x","object":"chat.completion","choices":[' + repeat(b'{"a":1},'),
        "brackets that are never closed": repeat(b"["),
        "completions in an array": b"[" + repeat(b'{"object":"chat.completion","choices":[]},') + b"1]",
        "commas": b'{"choices":[' + repeat(b",") + b"]}",
        "escapes in YAML": cassette(b'"{\\"choices\\":[%s1]}"' % repeat(b'\\"\\",')),
        "folds in YAML": cassette(b'"{\\"choices\\":[%s1]}"' % repeat(b"1,\\\n  ")),
        "items in YAML": b"interactions: [" + repeat(b"1,") + b"1]",
        "quotes in a HAR": har([{"request": HAR_REQUEST, "response": har_response}]),
        "arrays in an array": b"[" + repeat(b"[],") + b"1]",
        "objects without an end": repeat(b'{"a":'),
        "numbers, cut off": b"[" + repeat(b"1,"),
        "strings, cut off": b"[" + repeat(b'"",'),
        "properties, cut off": b"{" + join(b'"k%d":1' % n for n in count()),
        "words for no number": completion(repeat(b"NaN,") + b"1"),
        "logarithms that are no number": completion(
            _CHOICE.replace(b"null", b'{"content":[%s1]}' % repeat(b'{"token":"a","logprob":NaN,"bytes":[97]},'))
        ),
        "arrays around a word for no number": b"["
        + repeat(b"[],")[: size // 2]
        + b"],NaN,"
        + repeat(b"[],")[: size // 2],
        "properties around a key twice": completion(
            _CHOICE,
            b',"user":[%s{"a":1,"a":2},%s1]'
            % (repeat(b'{"a":1},')[: size // 16 * 8], repeat(b'{"a":1},')[: size // 16 * 8]),
        ),
        "minus signs": b"[" + repeat(b"-,"),
        "numbers that begin with zero": b"[" + repeat(b"01,"),
        "a property many times": b"{" + repeat(b'"a":1,') + b'"a":1}',
        "escaped letters": completion(_CHOICE.replace(b'"a"', b'"%s"' % repeat(b"\\u0041"))),
        "escaped letters, cut off": b'["' + repeat(b"\\u0041"),
        "control characters": b'["' + repeat(b"\x01a") + b'"]',
        "bytes of no character": b'["' + repeat(b"\xffa") + b'"]',
        "byte order marks": repeat(b"\xef\xbb\xbf"),
        "carriage returns": stream(b"{}") + repeat(b"\r"),
        "events without data": stream(b"{}") + repeat(b"data:\n\n"),
        "events of arrays": stream(b"{}") + repeat(b"data: []\n\n"),
        "events of objects": stream(b"{}") + repeat(b"data: {}\n\n"),
        "ends of a stream": stream(b"{}") + repeat(b"data: [DONE]\n\n"),
        "comments of a stream": stream(b"{}") + repeat(b":\n\n"),
        "fields of a stream": stream(b"{}") + repeat(b"x:\n"),
        "bytes of a token": completion(
            _CHOICE.replace(b"null", b'{"content":[{"token":"a","bytes":[%s1]}]}' % repeat(b"97,"))
        ),
        "keys": completion(_CHOICE.replace(b'"a"', b'"%s"' % repeat(b"sk-AAAAAAAAAAAAAAAAAAAA "))),
        "beginnings of keys": completion(_CHOICE.replace(b'"a"', b'"%s"' % repeat(b"eyJ.sk-://ookie:AKIA"))),
        "empty entries of a HAR": har([{}] * (size // 4)),
        "entries of a HAR": har([{"request": HAR_REQUEST, "response": {"status": 200}}] * (size // 100)),
        "lines of empty objects": _CHOICE + b"\n" + repeat(b"{}\n"),
        "lines of a log": repeat(b'{"level":"info","msg":"x"}\n'),
        "objects in lines of a text log": line_of_log + repeat(b'12:00:00 {"a":1} {"a":1} {"a":1\n'),
        "braces in a text log": line_of_log + repeat(b'{"'),
        "lines of a text log": line_of_log + repeat(b"12:00:00\n"),
        "fences in Markdown": repeat(b"```json\n{}\n```\n"),
        "objects in YAML": b"interactions: [" + repeat(b"{},") + b"1]",
        "objects in YAML with a property": b"interactions: [" + repeat(b"{a: 1},") + b"1]",
        "words in YAML": b"interactions: [" + repeat(b"a,") + b"1]",
        "lines in YAML": b"interactions:\n" + repeat(b"- 1\n"),
        "nothing in YAML": b"interactions:\n" + repeat(b"-\n"),
        "properties in YAML": b"interactions: []\n" + b"".join(b"k%d: 1\n" % n for n in range(size // 8)),
        "anchors in YAML": b"interactions: [" + join(b"&a%d 1" % n for n in count()) + b"]",
        "documents in YAML": b"interactions: []\n" + repeat(b"---\n{}\n"),
        "hexadecimal escapes in YAML": cassette(b'"%s"' % repeat(b"\\x41")),
    }


WITH_MANY_FINDINGS = frozenset({
    "empty choices", "numbers as choices", "numbers too large", "properties twice", "tokens", "tool calls", "tools",
    "parts of a message", "choices of a chunk", "tool calls of a delta", "words for no number",
    "empty entries of a HAR", "lines of empty objects", "lines of a log", "fences in Markdown", "objects in YAML",
    "objects in YAML with a property", "nothing in YAML", "documents in YAML",
})  # fmt: skip
CASES = [
    *[(shape, "jsonschema-rs") for shape in make_captures(100)],
    *[(shape, "jsonschema") for shape in ("empty choices", "unknown properties", "tools", "cut off among arrays")],
]


@pytest.mark.slow
@pytest.mark.parametrize("shape", make_captures(100))
def test_function_calls_grow_in_proportion_to_the_size_of_a_hostile_capture(shape: str) -> None:
    judge = Judge(engines.load())
    small, large = make_captures(_SMALL)[shape], make_captures(2 * _SMALL)[shape]
    fuzz.check(small, judge)  # does what is done only once in each process
    small_calls, large_calls = (count_calls(partial(fuzz.check, data, judge)) for data in (small, large))
    limit = _CALLS_PER_BYTE_OF_MANY_FINDINGS if shape in WITH_MANY_FINDINGS else _CALLS_PER_BYTE
    assert large_calls - small_calls <= limit * (len(large) - len(small))


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the peak of a process is read in /proc")
@pytest.mark.parametrize(("shape", "engine"), CASES)
def test_a_hostile_capture_takes_little_memory_and_time_in_proportion_to_its_size(
    shape: str, engine: str, tmp_path: Path, environment: dict[str, str]
) -> None:
    capture = tmp_path / "capture"
    capture.write_bytes(make_captures(_SIZE)[shape])
    size = capture.stat().st_size
    command = [
        sys.executable,
        "-c",
        _MEASURING_PROGRAM,
        "check",
        "--jobs",
        "1",
        "--format",
        "jsonl",
        "--engine",
        engine,
        capture,
    ]
    result = subprocess.run(command, env=environment, capture_output=True, check=False)
    peak, seconds = result.stderr.decode().splitlines()[-1].split()
    assert result.returncode in (0, 1, 3), result.stderr
    assert int(peak) << 10 <= 200 * _MB + 12 * size
    assert float(seconds) <= 2 + 15e-6 * size
