"""What a hostile capture may cost: at most 200 MB and 12 times its size of memory, and time in proportion."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the peak of a process is read in /proc"),
]

_SIZE = 1 << 19
_MB = 1 << 20
_MEASURED = """
import resource, sys
from isogloss.cli.main import main
try:
    main()
finally:
    peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
    print(peak.split()[1], resource.getrusage(resource.RUSAGE_SELF).ru_utime, file=sys.stderr)
"""
_CHOICE = b'{"index":0,"message":{"role":"assistant","content":"a"},"logprobs":null,"finish_reason":"stop"}'


def many(item: bytes) -> bytes:
    return item * (_SIZE // len(item))


def listed(items: Iterator[bytes]) -> bytes:
    parts: list[bytes] = []
    size = 0
    while size < _SIZE:
        parts.append(next(items))
        size += len(parts[-1]) + 1
    return b",".join(parts)


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


ANSWERED = {"status": 200, "content": {"text": json.dumps({"choices": [{}], "x": '"' * _SIZE})}}
ASKING = {"method": "POST", "url": "https://h/v1/chat/completions"}
HAR = {"log": {"entries": [{"request": ASKING, "response": ANSWERED}]}}
ASKED = b'{"role":"user","content":"a"}'
SHAPES = {
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
    "tools with one name": request(ASKED, b',"tools":[%s1]' % many(b'{"type":"function","function":{"name":"a"}},')),
    "biases": request(ASKED, b',"logit_bias":{%s}' % listed(b'"k%d":"x"' % n for n in count())),
    "choices of a chunk": stream(many(b"{},") + b"{}"),
    "choices of a chunk with an index": stream(listed(b'{"index":%d,"delta":{}}' % n for n in count())),
    "tool calls of a delta": stream(b'{"index":0,"delta":{"tool_calls":[%s{}]}}' % many(b"{},")),
    "events, each with a property of its own": b"".join(
        b'data: {"choices":[{"index":0,"delta":{}}],"k%d":1}\n\n' % n for n in range(_SIZE // 50)
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
    "quotes in a HAR": json.dumps(HAR).encode(),
}


CASES = [
    *[(shape, "jsonschema-rs") for shape in SHAPES],
    *[(shape, "jsonschema") for shape in ("empty choices", "unknown properties", "tools", "cut off among arrays")],
]


@pytest.mark.parametrize(("shape", "engine"), CASES)
def test_a_hostile_capture_takes_little_memory_and_time_in_proportion(
    shape: str, engine: str, tmp_path: Path, environment: dict[str, str]
) -> None:
    capture = tmp_path / "capture"
    capture.write_bytes(SHAPES[shape])
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
