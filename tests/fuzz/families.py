"""Measure families of large captures with few findings: one token repeated, whole or cut off, in every format.

    python tests/fuzz/families.py [NAME...]

Prints for each family the processor time, in microseconds for each byte, to read and judge captures of 256 KB and of
1 MB. Also prints the time for the larger one divided by the allowed time (:func:`allowed_time`).
"""

from __future__ import annotations

import base64
import gc
import gzip
import io
import json
import random
import sys
import time
import zipfile
from collections.abc import Callable
from functools import cache, partial
from typing import NamedTuple

import fuzz
import yaml
from python_decoder import ANSWER, DECODED_BYTES, decode_in_python
from structured import RESPONSE_WRITERS, WRITERS, Recorded

from isogloss.validator import engines, jsontext
from isogloss.validator.judging.judge import Judge

__all__ = ["FAMILIES", "Measurement", "measure"]

SMALL, LARGE = 1 << 18, 1 << 20
_DECODED = 10
"""Each byte of an input with few findings may take the time in which plain Python decodes so many bytes of JSON.

These are 1 to 2 µs.
"""

_TOKENS = {
    "arrays": "[],", "objects": "{},", "numbers": "1,", "floats": "-0.5e1,", "strings": '"",', "words": '"word",',
    "nulls": "null,", "booleans": "true,", "escapes": '"\\n\\u00e4",', "letters": '"日",', "spaces": "1 ,\n",
    "properties": '{"a":1,"b":[2]},', "nested": '{"a":{"b":[1,{"c":"]"}]}},', "long strings": f'"{"word " * 50}",',
}  # fmt: skip
_CHUNK = {"id": "c", "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"content": "a"}}]}
_LOG_LINE = f"12:00:00 INFO {json.dumps(ANSWER)}\n"
_FAULTS = {
    "cut off": "",
    "NaN in the middle": "NaN,",
    "a trailing comma in the middle": "[1,],",
    "a key twice in the middle": '{"a":1,"a":2},',
    "half of a surrogate pair in the middle": '"\\ud800",',
    "a control character in the middle": '"\x01",',
}
_LINES = {
    "blank lines": "\n", "comments": ":\n\n", "data lines": "data: {}\n\n", "data without JSON": "data: x\n\n",
    "event lines": "event: x\n", "fields": "x: y\n", "HTTP": "HTTP/1.1 200 OK\r\n\r\n",
}  # fmt: skip
_YAML = {
    "numbers in YAML": "1,", "words in YAML": "a,", "empty arrays in YAML": "[],", "quoted YAML": "'',",
    "double-quoted YAML": '"",', "floats in YAML": "-1.5e+3,",
}  # fmt: skip


def _answer_with(token: str, fault: str) -> Callable[[int], bytes]:
    def make(size: int) -> bytes:
        half = token * (size // 2 // len(token.encode()))
        # The token is repeated in a property that no rule reads, because this measures reading, not judging.
        head = json.dumps(ANSWER)[:-1] + ', "system_fingerprint": ["", '
        return (head + half + fault + half + ("1]}" if fault else "")).encode()

    return make


def _json_list(token: str) -> Callable[[int], bytes]:
    return lambda size: f"[{token * (size // len(token.encode()))}1]".encode()


def _repeated(head: str, line: str) -> Callable[[int], bytes]:
    return lambda size: (head + line * (size // len(line))).encode()


def _surrounded(head: str, token: str, tail: str) -> Callable[[int], bytes]:
    return lambda size: (head + token * (size // len(token)) + tail).encode()


def _yaml_flow(token: str) -> Callable[[int], bytes]:
    return lambda size: f"interactions: [{token * (size // len(token))}1]".encode()


def _long_text(writer: Callable[[list[Recorded]], bytes]) -> Callable[[int], bytes]:
    """Return a function that makes a conforming answer with a long text, in the format of the writer."""

    def make(size: int) -> bytes:
        message = ANSWER["choices"][0]["message"] | {"content": 'a "word"\n' * (size // 12)}
        answer = ANSWER | {"choices": [ANSWER["choices"][0] | {"message": message}]}
        return writer([Recorded('{"model":"m","messages":[{"role":"user","content":"a"}]}', json.dumps(answer))])

    return make


def _archive_members(size: int) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for number in range(size // 250):
            archive.writestr(f"{number}.txt", "x")
    return out.getvalue()


def _nested_archives(size: int) -> bytes:
    data = random.Random(1).randbytes(size)
    for number in range(4):
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(f"{number}.zip", data)
        data = out.getvalue()
    return data


def _compressed_body(size: int) -> bytes:
    body = base64.b64encode(gzip.compress(random.Random(1).randbytes(size // 2))).decode()
    url = {"method": "POST", "url": "https://h/v1/chat/completions"}
    content = {"text": body, "encoding": "base64"}
    headers = [{"name": "content-encoding", "value": "gzip"}]
    entry = {"request": url, "response": {"status": 200, "headers": headers, "content": content}}
    return json.dumps({"log": {"entries": [entry]}}).encode()


FAMILIES: dict[str, Callable[[int], bytes]] = {
    **{f"{name}, {kind}": _answer_with(token, fault)
       for name, token in _TOKENS.items() for kind, fault in _FAULTS.items()},
    **{f"a list of {name}": _json_list(token) for name, token in _TOKENS.items() if token[0] != "{"},
    **{name: _repeated(json.dumps(ANSWER) + "\n" * (line[0] in "{[") if line[0] != "d" else "data: {}\n\n", line)
       for name, line in _LINES.items()},
    **{name: _yaml_flow(token) for name, token in _YAML.items()},
    "lines of empty objects": _repeated('{"a":1}\n', "{}\n"),
    "empty entries of a HAR": lambda size: b'{"log":{"entries":[' + b"{}," * (size // 3) + b"{}]}}",
    "lines of small objects": lambda size: b"".join(b'{"a":%d}\n' % number for number in range(size // 12)),
    "small entries of a HAR": lambda size: b'{"log":{"entries":['
    + b'{"request":{},"response":{}},' * (size // 29) + b"{}]}}",
    "a list of small objects": lambda size: b"[" + b'{"a":1},' * (size // 8) + b"{}]",
    "a list of small objects, one with choices": _surrounded('[{"choices":[{}]},', '{"a":1},', "{}]"),
    "indented documents": _repeated('{\n "a": 1\n}\n', '{\n "a": 1\n}\n'),
    "a list in an object with choices": _surrounded('{"choices":[{}],"b":[', '{"a":1},', "{}]}"),
    "deep objects beside choices": _surrounded('[{"choices":[{}]},', '{"a":{"b":[{"c":{}}]}},', "{}]"),
    "texts of JSON with choices": _surrounded('{"a":["x",', '"{\\"choices\\":[{}]}",', '{"choices":[{}]}]}'),
    "events of empty arrays": _repeated("data: {}\n\n", "data: []\n\n"),
    "events of [DONE]": _repeated("data: {}\n\n", "data: [DONE]\n\n"),
    "control characters in one string": lambda size: json.dumps(ANSWER)[:-1].encode() + b',"system_fingerprint":"'
    + b"a\x01" * (size // 2) + b'"}',
    "lines in YAML": _repeated("interactions:\n", "- 1\n"),
    "properties in YAML": _repeated("interactions: []\n", "k: 1\n"),
    "rows": _repeated('messages,b\n1,x"messages"\n', "some,cells\n"),
    "rows of quoted cells": _repeated('messages,b\n1,x"messages"\n', '"x","y"\n'),
    "rows with too many cells": _repeated('messages,b\n1,x"messages"\n', "more,cells,here\n"),
    "quotation marks in a cell": _surrounded('messages,b\n1,"""messages""', '""', '"\n'),
    "a cell that does not end": _surrounded('messages,b\n1,x"messages"\n"', '""x,\n', ""),
    "lines of a text log": _repeated(_LOG_LINE, "12:00:00 INFO x\n"),
    "objects in a text log": _repeated(_LOG_LINE, '12:00:00 INFO {"a":1} {"b":2} {"c"\n'),
    "braces in a line of a text log": _repeated(_LOG_LINE, '{"'),
    "blank lines in a text": _repeated(f"% answer\nx: {json.dumps(ANSWER)}\n", " \n"),
    "objects over lines of a text": _repeated(f"% answer\nx: {json.dumps(ANSWER)}\n", "x: {\n a\n}\n"),
    "an object over many lines of a text": _repeated(f"% answer\nx: {json.dumps(ANSWER)}\nx: {{\n", ' "a": 1,\n'),
    "objects over lines of a log": _repeated(_LOG_LINE, "12:00:00 x: {\n a\n }\n}\n"),
    "labels in a text": _repeated(f"% answer\nx: {json.dumps(ANSWER)}\n", "[x] y: {\n"),
    "commands in a page": _repeated(f"```\n{json.dumps(ANSWER)}\n", "curl h/v1/chat/completions -d '{}'\n"),
    "commands without an end in a page": _repeated(f"```\n{json.dumps(ANSWER)}\n", "curl h/v1 -d '\n"),
    "a command over many lines": _repeated(f"```\n{json.dumps(ANSWER)}\ncurl h/v1 \\\n", "-d '{}' \\\n"),
    "here-documents in a page": _repeated(f"```\n{json.dumps(ANSWER)}\n", "curl h/v1 -d @- <<EOF\n"),
    "tags in a block of HTML": _surrounded(f"```\n{json.dumps(ANSWER)}\n```\n<pre>{{", "<b>&quot;</b>", "</pre>"),
    "events of a page on one line": _repeated(f"```\n{json.dumps(ANSWER)}\n```\n", 'data: {"a":1}'),
    "words before unindented objects": _repeated(f"```\n{json.dumps(ANSWER)}\n```\n", 'a{\n"id": 1\n'),
    "comments in a page": _repeated(f"```sh\n{json.dumps(ANSWER)}\n", "# {\n"),
    "comments of a program in a page": _repeated(f"```go\n// {json.dumps(ANSWER)}\n", "x\n// {\n/* {\n*/\n"),
    "blocks of a page": _repeated(f"```\n{json.dumps(ANSWER)}\n```\n", '```\n{"a":1}\n```\n'),
    "spans of code in a page": _repeated(f"`{json.dumps(ANSWER)}`\n", '`{"a"` ``{`` '),
    "URLs in a page": _repeated(f"```\n{json.dumps(ANSWER)}\n```\n", "POST /v1/models\nx\nx\n"),
    "reads of a stream": _repeated(
        json.dumps({"a": f"data: {json.dumps(_CHUNK)}\n\ndata: {{"}) + "\n", '{"a": "}\\n\\ndata: {"}\n'
    ),
    "reads of an event without an end": _repeated(
        json.dumps({"a": f"data: {json.dumps(_CHUNK)}\n\ndata: {{"}) + "\n", '{"a": "}"}\n'
    ),
    "a byte order mark": lambda size: b"\xef\xbb\xbf" + _json_list("1,")(size),
    "members of an archive": _archive_members,
    "archives in archives": _nested_archives,
    "base64 of gzip": _compressed_body,
    **{f"a long text as {name}": _long_text(writer) for name, writer in (WRITERS | RESPONSE_WRITERS).items()},
}  # fmt: skip


@cache
def _judge() -> Judge:
    return Judge(engines.load())


class Measurement(NamedTuple):
    """The processor time in seconds for each byte: of a small and a large capture of a family, and the allowed time."""

    small: float
    large: float
    allowed: float

    @property
    def share(self) -> float:
        """The time of the large capture divided by the allowed time. The speed of the machine does not matter."""
        return self.large / self.allowed

    @property
    def growth(self) -> float:
        """The time for a byte of the large capture, divided by that for a byte of the small capture.

        It is 1 if time is linear, and 4 if it is quadratic. Differences that are small beside the allowed time do not
        count.
        """
        return self.large / max(self.small, self.allowed / 20)


def measure(name: str, tries: int = 1, sizes: tuple[int, int] = (SMALL, LARGE)) -> Measurement:
    """Measure a family at two sizes and the time that is allowed for it, and return the try with the smallest share.

    For a packed capture, the unpacked bytes are counted.
    """
    fuzz.check(FAMILIES[name](1 << 12), _judge())  # does what is done only once in a process
    captures = [(FAMILIES[name](size), size) for size in sizes]
    return min((_measure_once(name, captures) for _ in range(tries)), key=lambda measurement: measurement.share)


def _measure_once(name: str, captures: list[tuple[bytes, int]]) -> Measurement:
    small = captures[0][1]
    allowed_times, times = [allowed_time(name, small)], []
    for data, size in captures:
        times.append(_processor_time(partial(fuzz.check, data, _judge())) / max(len(data), size))
        allowed_times.append(allowed_time(name, small))
    return Measurement(*times, sum(allowed_times) / len(allowed_times))


def allowed_time(name: str, size: int) -> float:
    """Return the seconds for each byte that are allowed on this machine at this moment.

    This is the time in which plain Python decodes some bytes of JSON. For YAML it is twice the time that the parser
    alone takes for each byte, if that is more.
    """
    decoding = _DECODED * _processor_time(decode_in_python) / DECODED_BYTES
    if "YAML" not in name:
        return decoding
    data = FAMILIES[name](size)
    return max(
        decoding, 2 * _processor_time(lambda: sum(1 for _ in yaml.parse(data, Loader=yaml.CSafeLoader))) / len(data)
    )


def _processor_time(work: Callable[[], object]) -> float:
    """Return the seconds of processor time that ``work`` takes."""
    jsontext.scan.cache_clear()
    gc.collect()
    gc.freeze()  # objects that exist already, such as those of a test run, are not searched for garbage
    start = time.process_time()
    work()
    seconds = time.process_time() - start
    gc.unfreeze()
    return seconds


def main() -> None:
    """Measure the families whose names begin with an argument, or all if there is none, and print the results."""
    for name in FAMILIES:
        if len(sys.argv) > 1 and not name.startswith(tuple(sys.argv[1:])):
            continue
        measurement = measure(name, tries=2)
        over = "  over" if measurement.share > 1 else ""
        seconds = f"{measurement.small * 1e6:6.2f} {measurement.large * 1e6:6.2f} µs/byte"
        print(f"{seconds} {measurement.share:5.2f} of the allowed time  {name}{over}", flush=True)


if __name__ == "__main__":
    main()
