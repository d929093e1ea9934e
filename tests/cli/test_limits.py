"""What a hostile capture may cost: at most 200 MB and 12 times its size of memory, and time in proportion."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

import fuzz
import pytest

from isogloss.validator import engines
from isogloss.validator.judging.judge import Judge

_SIZE = 1 << 19
_SMALL = 1 << 15
_CALLS_A_BYTE = 20
_CALLS_A_BYTE_OF_MANY = 40
"""Where there is a finding, or a part that is not checked, every few bytes: a thousand are told, the others counted."""
_MB = 1 << 20
_MEASURED = """
import os, resource, sys
from isogloss.cli.main import main
end = os._exit
def measured(code):
    peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
    print(peak.split()[1], resource.getrusage(resource.RUSAGE_SELF).ru_utime, file=sys.stderr, flush=True)
    end(code)
os._exit = measured
main()
"""
_CHOICE = b'{"index":0,"message":{"role":"assistant","content":"a"},"logprobs":null,"finish_reason":"stop"}'


def completion(choices: bytes, more: bytes = b"") -> bytes:
    return b'{"id":"chatcmpl-1","object":"chat.completion","created":1,"model":"m","choices":[%s]%s}' % (choices, more)


def request(messages: bytes, more: bytes = b"") -> bytes:
    return b'{"model":"m","messages":[%s]%s}' % (messages, more)


def stream(choices: bytes) -> bytes:
    return b'data: {"id":"x","object":"chat.completion.chunk","created":1,"model":"m","choices":[%s]}\n\n' % choices


def cassette(body: bytes) -> bytes:
    return (
        b"interactions:\n- request: {method: POST, uri: https://h/v1/chat/completions, body: '{}'}\n"
        b"  response: {status: {code: 200}, body: {string: %s}}\n" % body
    )


def archive(entries: list[Any]) -> bytes:
    return json.dumps({"log": {"entries": entries}}).encode()


ASKING = {"method": "POST", "url": "https://h/v1/chat/completions"}
ASKED = b'{"role":"user","content":"a"}'


@cache
def shapes(size: int) -> dict[str, bytes]:
    """Return captures of about that size. The key of each describes what it has much of."""

    def many(item: bytes) -> bytes:
        return item * (size // len(item))

    def listed(items: Iterator[bytes]) -> bytes:
        parts: list[bytes] = []
        left = size
        while left > 0:
            parts.append(next(items))
            left -= len(parts[-1]) + 1
        return b",".join(parts)

    answered = {"status": 200, "content": {"text": json.dumps({"choices": [{}], "x": '"' * size})}}
    return {
        "empty choices": completion(many(b"{},") + b"{}"),
        "numbers as choices": completion(many(b"1,") + b"1"),
        "conforming choices": completion(many(_CHOICE + b",") + _CHOICE),
        "unknown properties": completion(_CHOICE, b"," + listed(b'"k%d":1' % n for n in count())),
        "unknown properties in every choice": completion(many(_CHOICE[:-1] + b',"a":1,"b":2},') + _CHOICE),
        "numbers too large": completion(many(b"1e999,") + b"1"),
        "properties twice": completion(many(b'{"a":1,"a":2},') + b"{}"),
        "tokens": completion(_CHOICE.replace(b"null", b'{"content":[%s{}]}' % many(b"{},"))),
        "tool calls": completion(_CHOICE.replace(b'"content":"a"', b'"tool_calls":[%s{}]' % many(b"{},"))),
        "half of surrogate pairs": completion(_CHOICE.replace(b'"a"', b'"%s"' % many(b"\\ud800"))),
        "deep arrays": completion(many(b"[" * 900 + b"]" * 900 + b",") + b"1"),
        "parts of a message": request(b'{"role":"user","content":[%s{}]}' % many(b"{},")),
        "tools": request(ASKED, b',"tools":[%s{}]' % many(b"{},")),
        "tools with one name": request(
            ASKED, b',"tools":[%s1]' % many(b'{"type":"function","function":{"name":"a"}},')
        ),
        "biases": request(ASKED, b',"logit_bias":{%s}' % listed(b'"k%d":"x"' % n for n in count())),
        "choices of a chunk": stream(many(b"{},") + b"{}"),
        "choices of a chunk with an index": stream(listed(b'{"index":%d,"delta":{}}' % n for n in count())),
        "tool calls of a delta": stream(b'{"index":0,"delta":{"tool_calls":[%s{}]}}' % many(b"{},")),
        "events, each with a property of its own": b"".join(
            b'data: {"choices":[{"index":0,"delta":{}}],"k%d":1}\n\n' % n for n in range(size // 50)
        ),
        "lines of an event": b'data: {"choices":[\n' + many(b"data:\n") + b"data: ]}\n\n",
        "cut off among arrays": b'{"id":"x","object":"chat.completion","choices":[' + many(b"[],"),
        "cut off among objects": b'{"id":"x","object":"chat.completion","choices":[' + many(b'{"a":1},'),
        "brackets that are never closed": many(b"["),
        "completions in an array": b"[" + many(b'{"object":"chat.completion","choices":[]},') + b"1]",
        "commas": b'{"choices":[' + many(b",") + b"]}",
        "escapes in YAML": cassette(b'"{\\"choices\\":[%s1]}"' % many(b'\\"\\",')),
        "folds in YAML": cassette(b'"{\\"choices\\":[%s1]}"' % many(b"1,\\\n  ")),
        "items in YAML": b"interactions: [" + many(b"1,") + b"1]",
        "quotes in a HAR": archive([{"request": ASKING, "response": answered}]),
        "arrays in an array": b"[" + many(b"[],") + b"1]",
        "objects without an end": many(b'{"a":'),
        "numbers, cut off": b"[" + many(b"1,"),
        "strings, cut off": b"[" + many(b'"",'),
        "properties, cut off": b"{" + listed(b'"k%d":1' % n for n in count()),
        "words for no number": completion(many(b"NaN,") + b"1"),
        "logarithms that are no number": completion(
            _CHOICE.replace(b"null", b'{"content":[%s1]}' % many(b'{"token":"a","logprob":NaN,"bytes":[97]},'))
        ),
        "arrays around a word for no number": b"[" + many(b"[],")[: size // 2] + b"],NaN," + many(b"[],")[: size // 2],
        "properties around a key twice": completion(
            _CHOICE,
            b',"user":[%s{"a":1,"a":2},%s1]'
            % (many(b'{"a":1},')[: size // 16 * 8], many(b'{"a":1},')[: size // 16 * 8]),
        ),
        "minus signs": b"[" + many(b"-,"),
        "numbers that begin with zero": b"[" + many(b"01,"),
        "a property many times": b"{" + many(b'"a":1,') + b'"a":1}',
        "escaped letters": completion(_CHOICE.replace(b'"a"', b'"%s"' % many(b"\\u0041"))),
        "escaped letters, cut off": b'["' + many(b"\\u0041"),
        "control characters": b'["' + many(b"\x01a") + b'"]',
        "bytes of no character": b'["' + many(b"\xffa") + b'"]',
        "byte order marks": many(b"\xef\xbb\xbf"),
        "carriage returns": stream(b"{}") + many(b"\r"),
        "events without data": stream(b"{}") + many(b"data:\n\n"),
        "events of arrays": stream(b"{}") + many(b"data: []\n\n"),
        "events of objects": stream(b"{}") + many(b"data: {}\n\n"),
        "ends of a stream": stream(b"{}") + many(b"data: [DONE]\n\n"),
        "comments of a stream": stream(b"{}") + many(b":\n\n"),
        "fields of a stream": stream(b"{}") + many(b"x:\n"),
        "bytes of a token": completion(
            _CHOICE.replace(b"null", b'{"content":[{"token":"a","bytes":[%s1]}]}' % many(b"97,"))
        ),
        "keys": completion(_CHOICE.replace(b'"a"', b'"%s"' % many(b"sk-AAAAAAAAAAAAAAAAAAAA "))),
        "beginnings of keys": completion(_CHOICE.replace(b'"a"', b'"%s"' % many(b"eyJ.sk-://ookie:AKIA"))),
        "empty entries of a HAR": archive([{}] * (size // 4)),
        "entries of a HAR": archive([{"request": ASKING, "response": {"status": 200}}] * (size // 100)),
        "lines of empty objects": _CHOICE + b"\n" + many(b"{}\n"),
        "lines of a log": many(b'{"level":"info","msg":"x"}\n'),
        "fences in Markdown": many(b"```json\n{}\n```\n"),
        "objects in YAML": b"interactions: [" + many(b"{},") + b"1]",
        "objects in YAML with a property": b"interactions: [" + many(b"{a: 1},") + b"1]",
        "words in YAML": b"interactions: [" + many(b"a,") + b"1]",
        "lines in YAML": b"interactions:\n" + many(b"- 1\n"),
        "nothing in YAML": b"interactions:\n" + many(b"-\n"),
        "properties in YAML": b"interactions: []\n" + b"".join(b"k%d: 1\n" % n for n in range(size // 8)),
        "anchors in YAML": b"interactions: [" + listed(b"&a%d 1" % n for n in count()) + b"]",
        "documents in YAML": b"interactions: []\n" + many(b"---\n{}\n"),
        "hexadecimal escapes in YAML": cassette(b'"%s"' % many(b"\\x41")),
    }


MANY = frozenset({
    "empty choices", "numbers as choices", "numbers too large", "properties twice", "tokens", "tool calls", "tools",
    "parts of a message", "choices of a chunk", "tool calls of a delta", "words for no number",
    "empty entries of a HAR", "lines of empty objects", "lines of a log", "fences in Markdown", "objects in YAML",
    "objects in YAML with a property", "nothing in YAML", "documents in YAML",
})  # fmt: skip
CASES = [
    *[(shape, "jsonschema-rs") for shape in shapes(100)],
    *[(shape, "jsonschema") for shape in ("empty choices", "unknown properties", "tools", "cut off among arrays")],
]


def calls(data: bytes, judge: Judge) -> int:
    """Count the function calls that it takes to read and judge a capture.

    This number is the same on every machine, however busy it is.
    """
    counted = count()

    def each(_frame: object, event: str, _argument: object) -> None:
        if event in ("call", "c_call"):
            next(counted)

    sys.setprofile(each)
    try:
        fuzz.check(data, judge)
    finally:
        sys.setprofile(None)
    return next(counted)


@pytest.mark.slow
@pytest.mark.parametrize("shape", shapes(100))
def test_the_calls_that_a_hostile_capture_takes_grow_with_its_size(shape: str) -> None:
    judge = Judge(engines.load())
    small, large = shapes(_SMALL)[shape], shapes(2 * _SMALL)[shape]
    calls(small, judge)  # what is done once a process
    one, two = calls(small, judge), calls(large, judge)
    most = _CALLS_A_BYTE_OF_MANY if shape in MANY else _CALLS_A_BYTE
    assert two - one <= most * (len(large) - len(small))


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the peak of a process is read in /proc")
@pytest.mark.parametrize(("shape", "engine"), CASES)
def test_a_hostile_capture_takes_little_memory_and_time_in_proportion(
    shape: str, engine: str, tmp_path: Path, environment: dict[str, str]
) -> None:
    capture = tmp_path / "capture"
    capture.write_bytes(shapes(_SIZE)[shape])
    size = capture.stat().st_size
    command = [
        sys.executable,
        "-c",
        _MEASURED,
        "check",
        "--jobs",
        "1",
        "--format",
        "jsonl",
        "--engine",
        engine,
        capture,
    ]
    done = subprocess.run(command, env=environment, capture_output=True, check=False)
    peak, seconds = done.stderr.decode().splitlines()[-1].split()
    assert done.returncode in (0, 1, 3), done.stderr
    assert int(peak) << 10 <= 200 * _MB + 12 * size
    assert float(seconds) <= 2 + 15e-6 * size
