"""Test that a hook and a probe find the same in the answers of odd servers, for each case."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from types import SimpleNamespace
from typing import Any

import httpx
import pytest

from isogloss.validator import ResponseHook

OF_PROBES = {"unexpected-status", "stream-buffered"}
"""Rules that need what only a probe knows."""

Answer = Callable[[bytes, str], bytes]
"""A function from the body of a correct answer, and its content type, to all that a server sends."""


def _head(content_type: str, *headers: str, status: str = "200 OK", version: str = "1.1") -> bytes:
    types = [f"Content-Type: {content_type}"] if content_type else []
    return "\r\n".join([f"HTTP/{version} {status}", *types, *headers, "", ""]).encode()


def _whole(content_type: str, body: bytes, *headers: str, **line: str) -> bytes:
    return _head(content_type, f"Content-Length: {len(body)}", *headers, **line) + body


def _chunks(body: bytes) -> Iterator[bytes]:
    return (b"%x\r\n%b\r\n" % (len(part), part) for part in (body[:40], body[40:]))


def _cut(body: bytes) -> bytes:
    """Compress a body, and cut the end of the compressed data: all that is whole in them can still be read."""
    compressor = zlib.compressobj(wbits=31)
    return compressor.compress(body) + compressor.flush(zlib.Z_SYNC_FLUSH)


CHUNKED = "Transfer-Encoding: chunked"
ANSWERS: dict[str, Answer] = {
    "early hints": lambda body, kind: b"HTTP/1.1 103 Early Hints\r\n\r\n" * 3 + _whole(kind, body),
    "no chunk at the end": lambda body, kind: _head(kind, CHUNKED) + b"".join(_chunks(body)),
    "trailers": lambda body, kind: _head(kind, CHUNKED) + b"".join(_chunks(body)) + b"0\r\nX-Sum: 1\r\n\r\n",
    "a size that is no number": lambda body, kind: _head(kind, CHUNKED) + b"-5\r\n" + body,
    "two lengths": lambda body, kind: (
        _head(kind, CHUNKED, f"Content-Length: {len(body)}") + b"".join(_chunks(body)) + b"0\r\n\r\n"
    ),
    "a length that is too short": lambda body, kind: _head(kind, f"Content-Length: {len(body) - 30}") + body,
    "a length that is too long": lambda body, kind: _head(kind, f"Content-Length: {len(body) + 30}") + body,
    "HTTP/1.0": lambda body, kind: _head(kind, version="1.0") + body,
    "no content type": lambda body, kind: _whole("", body),
    "HTML as its type": lambda body, kind: _whole("text/html", body),
    "two answers": lambda body, kind: _whole(kind, body) * 2,
    "status 204": lambda body, kind: _head("", status="204 No Content"),
    "status 299": lambda body, kind: _whole(kind, body, status="299 Odd"),
    "an empty refusal": lambda body, kind: _whole(kind, b"", status="403 No"),
    "a page of a gateway": lambda body, kind: _whole("text/html", b"<html>Bad</html>", status="404 No"),
    "gzip": lambda body, kind: _whole(kind, gzip.compress(body), "Content-Encoding: gzip"),
    "gzip that is cut": lambda body, kind: _whole(kind, _cut(body), "Content-Encoding: gzip"),
    "gzip that breaks": lambda body, kind: _head(kind, "Content-Length: 9999", "Content-Encoding: gzip") + _cut(body),
    "gzip that is none": lambda body, kind: _whole(kind, body, "Content-Encoding: gzip"),
    "gzip that nobody said": lambda body, kind: _whole(kind, gzip.compress(body)),
    "a byte order mark": lambda body, kind: _whole(kind, b"\xef\xbb\xbf" + body),
    "line feeds as carriage returns": lambda body, kind: _whole(kind, body.replace(b"\n", b"\r")),
    "heartbeats alone": lambda body, kind: _whole(kind, b": ping\n\n"),
    "null bytes": lambda body, kind: _whole(kind, bytes(99)),
    "many headers": lambda body, kind: _whole(kind, body, *(f"X-{number}: y" for number in range(999))),
}


@pytest.mark.parametrize("case", ["plain", "stream"])
@pytest.mark.parametrize("name", ANSWERS)
def test_a_hook_finds_what_a_probe_finds(serve: Any, probe: Any, wire: SimpleNamespace, name: str, case: str) -> None:
    def handle(request: Any) -> None:
        payload = request.json()
        if payload.get("stream"):
            body, kind = wire.events(*wire.chunks(payload)), "text/event-stream"
        else:
            body, kind = json.dumps(wire.completion(payload)).encode(), "application/json"
        request.respond(ANSWERS[name](body, kind))

    server = serve(handle)
    report = json.loads(probe(server.url, "--case", case, "--format", "json").output)
    hook = ResponseHook()
    with httpx.Client(event_hooks={"response": [hook]}) as client, suppress(httpx.HTTPError):
        client.post(f"{server.url}/chat/completions", content=server.requests[0].body)
    [answer] = hook.answers
    assert answer.result.skipped == ()
    found = [one["rule"] for one in report["findings"] if one["rule"] not in OF_PROBES]
    assert sorted(found) == sorted(one.rule for one in answer.result.findings)
