"""Test a probe with hostile servers and bad answers: it ends in time, takes little memory, and gives the reason."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
import tracemalloc
import zlib
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner
from probe_reports import STREAM_HEAD, stay_silent

from isogloss.cli.main import cli

ROOT = Path(__file__).parents[3]


def send_slow_headers(request: Any) -> None:
    for byte in STREAM_HEAD * 9:
        request.respond(bytes([byte]))
        if request.wait(0.05):
            return


def send_slow_body(request: Any) -> None:
    request.respond(STREAM_HEAD + b"Content-Length: 1000\r\n\r\n")
    while not request.wait(0.05):
        request.respond(b":")


def send_endless_stream(request: Any) -> None:
    request.respond(STREAM_HEAD + b"\r\n")
    while not request.wait(0.01):
        request.respond(b"data: {}\n\n")


def stop_before_the_announced_end(request: Any) -> None:
    request.respond(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{}")
    request.wait(30)


def flood(request: Any) -> None:
    request.respond(STREAM_HEAD + b"Content-Length: 1073741824\r\n\r\n")
    block = b"data: {}\n\n" * 6554
    for _ in range(16384):
        request.respond(block)


def send_endless_headers(request: Any) -> None:
    request.respond(STREAM_HEAD)
    while not request.wait(0):
        request.respond(b"X-More: " + b"x" * 1000 + b"\r\n")


def redirect_to_itself(request: Any) -> None:
    request.respond(b"HTTP/1.1 308 Here\r\nLocation: /v1/chat/completions\r\nContent-Length: 0\r\n\r\n")


def encoded_body_handler(data: bytes, encoding: str) -> Callable[[Any], None]:
    head = f"Content-Type: application/json\r\nContent-Encoding: {encoding}\r\nContent-Length: {len(data)}\r\n\r\n"
    return lambda request: request.respond(b"HTTP/1.1 200 OK\r\n" + head.encode() + data)


def gzip_bomb() -> bytes:
    compressor = zlib.compressobj(1, wbits=31)
    return b"".join(compressor.compress(bytes(1 << 20)) for _ in range(64)) + compressor.flush()


def redirect_to_nowhere(request: Any) -> None:
    request.respond(b"HTTP/1.1 301 Moved\r\nContent-Length: 0\r\n\r\n")


def stay_open_after_the_last_event(request: Any) -> None:
    request.respond(STREAM_HEAD + b"\r\ndata: {}\n\ndata: [DONE]\n\n")
    request.wait(30)


NEVER_ENDING = [
    pytest.param(send_slow_headers, "no headers came", id="slow-headers"),
    pytest.param(stop_before_the_announced_end, "status 200 and 2 of 9 bytes came", id="length-too-long"),
    pytest.param(send_slow_body, "status 200 and", id="trickled-body"),
    pytest.param(send_endless_stream, "status 200 and", id="endless-stream"),
    pytest.param(stay_silent, "no headers came", id="silence"),
    pytest.param(
        stay_open_after_the_last_event,
        "status 200 and 24 bytes came, and the body does not end after [DONE]",
        id="open-end",
    ),
]
UNUSABLE = [
    pytest.param(redirect_to_nowhere, "status 301, which redirects, and without a Location", id="nowhere"),
    pytest.param(send_endless_headers, "no valid HTTP answer came: its headers are too long", id="endless-headers"),
    pytest.param(flood, "larger than 4 MiB", id="flood"),
    pytest.param(redirect_to_itself, "redirected (308) to /v1/chat/completions, which is not followed", id="redirect"),
    pytest.param(encoded_body_handler(gzip_bomb(), "gzip"), "larger than 4 MiB, decompressed", id="gzip-bomb"),
]


@pytest.mark.parametrize(("handle", "progress"), NEVER_ENDING)
def test_an_answer_that_never_ends_is_given_up_after_the_timeout(
    serve: Any, probe: Any, handle: Callable[[Any], None], progress: str
) -> None:
    result = probe(serve(handle).url, "--case", "plain", "--timeout", "1")
    assert "plain  inconclusive  " in result.output
    assert f"no whole answer within 1 s: {progress}" in result.output
    assert result.exit_code == 3


@pytest.mark.parametrize(("handle", "reason"), UNUSABLE)
def test_an_unusable_answer_is_inconclusive_at_once_and_takes_little_memory(
    serve: Any, probe: Any, handle: Callable[[Any], None], reason: str
) -> None:
    server = serve(handle)
    tracemalloc.start()
    try:
        result = probe(server.url, "--case", "plain", "--timeout", "60")
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert "plain  inconclusive  " in result.output
    assert reason in result.output
    assert result.exit_code == 3
    assert peak < 64 << 20


HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
NO_HTTP = {
    b"": "the connection was closed before all of its headers had come",
    HEAD: "the connection was closed before all of its headers had come",
    b"HTTP/1.1 102 Processing\r\n\r\n": "the connection was closed before all of its headers had come",
    b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n": "it changes the protocol (status 101)",
    b"220 mail.example.com ESMTP\r\n\r\n": "it does not begin with a status line: '220 mail.example.com ESMTP'",
    b"HTTP/1.1 OK 200\r\n\r\n": "it does not begin with a status line: 'HTTP/1.1 OK 200'",
    b"\x15\x03\x03\x00\x02\x02\x46": "it begins with bytes that are no text; if the server wants TLS, try https://",
    b"\r\n\r\n": "it begins with an empty line",
    HEAD + b"X-Key sk-test-0123456789abcdef\r\n\r\n": f"a line of its headers is malformed: 'X-Key {'*' * 24}'",
    HEAD + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\n{}": "it says several lengths in Content-Length",
    HEAD + b"Content-Length: -1\r\n\r\n{}": "its Content-Length is no valid length",
    HEAD + b"Transfer-Encoding: gzip, chunked\r\n\r\n": "it has another Transfer-Encoding than chunked",
    HEAD + b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n": "it has another Transfer-Encoding",
}
"""What a server sends before it closes the connection, and what is said about it, with no word of a library."""


@pytest.mark.parametrize("sent", NO_HTTP)
def test_what_is_wrong_with_an_answer_that_is_no_http_is_said_in_own_words(serve: Any, probe: Any, sent: bytes) -> None:
    result = probe(serve(lambda request: request.respond(sent)).url, "--case", "plain")
    assert f"no valid HTTP answer came: {NO_HTTP[sent]}" in " ".join(result.output.split())
    assert "bytearray" not in result.output
    assert result.exit_code == 3


def test_if_all_cases_end_alike_none_of_them_is_called_another_one(serve: Any, probe: Any) -> None:
    result = probe(serve(lambda request: request.respond(b"")).url, "--case", "plain,stream,tool,limit")
    assert result.output.startswith("4 cases ")


def test_a_server_that_speaks_something_else_than_http_gets_one_case_only(serve: Any, probe: Any) -> None:
    server = serve(lambda request: request.respond(b"220 mail.example.com ESMTP\r\n\r\n"))
    result = probe(server.url, "--case", "plain,stream,tool", "--format", "json")
    reasons = {case["name"]: case["reason"] for case in json.loads(result.output)["cases"]}
    assert reasons["stream"] == reasons["tool"] == f"not sent: {reasons['plain']}"
    assert {json.loads(request.body).get("stream") for request in server.requests} == {None}


BODY = json.dumps({"error": {"message": "No", "type": "x", "param": None, "code": None}}).encode()
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
ENCODED = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Encoding: %b\r\nConnection: close\r\n\r\n"
UNREADABLE = {
    CHUNKED + b"long\r\n" + BODY + b"\r\n": ("connection-broken", "a chunk has no size, or its size is no number"),
    CHUNKED + b"5\r\n" + BODY + b"\r\n0\r\n\r\n": ("connection-broken", "a chunk is longer than its size says"),
    CHUNKED + b"2\r\n{}0\r\n\r\n": ("connection-broken", r"a chunk is longer than its size says: '0\r'"),
    CHUNKED + b"5\r\n{": ("connection-broken", "the connection breaks inside the body"),
    ENCODED % b"br" + b"\x8b\x02\x80" + BODY: ("body-undecodable", "it is encoded as br, which was not asked for"),
    ENCODED % b"br" + BODY: ("body-undecodable", "it is encoded as br, which was not asked for"),
    ENCODED % b"zstd" + BODY: ("body-undecodable", "it is encoded as zstd, which was not asked for"),
    ENCODED % b"gzip" + BODY: ("body-undecodable", "it is not encoded as its Content-Encoding says"),
    ENCODED % b"gzip" + gzip.compress(BODY)[:-9]: ("body-undecodable", "it ends before its compressed data does"),
    ENCODED % b"" + gzip.compress(BODY): ("body-undecodable", "it is compressed with gzip, and has no"),
    ENCODED % b"identity" + "{}".encode("utf-16"): ("body-not-json", "the body is no text, neither JSON nor events"),
}
"""What a server sends, and the rule and the words of the only finding in it."""


@pytest.mark.parametrize("sent", UNREADABLE)
def test_a_body_that_nobody_can_read_deviates_with_the_fault_of_its_framing_or_encoding_live_and_offline(
    serve: Any, probe: Any, tmp_path: Path, sent: bytes
) -> None:
    server = serve(lambda request: request.respond(sent))
    live = probe(server.url, "--case", "plain", "--record", str(tmp_path / "answers"), "--format", "json")
    assert live.exit_code == 1
    findings = json.loads(live.output)["findings"]
    rule, words = UNREADABLE[sent]
    assert [one["rule"] for one in findings] == [rule]
    assert words in findings[0]["message"]
    offline = CliRunner().invoke(cli, ["check", str(tmp_path / "answers"), "--format", "json"])
    assert json.loads(offline.output)["findings"] == findings


@pytest.mark.parametrize("case", ["plain", "stream"])
def test_an_answer_that_says_its_length_in_two_ways_deviates_since_node_refuses_it(
    serve: Any, probe: Any, wire: SimpleNamespace, case: str
) -> None:
    def handle(request: Any) -> None:
        is_stream = request.json().get("stream")
        body = wire.events(*wire.chunks(request.json())) if is_stream else json.dumps(wire.completion(request.json()))
        data = body if isinstance(body, bytes) else body.encode()
        head = (STREAM_HEAD if is_stream else HEAD) + b"Transfer-Encoding: chunked\r\nContent-Length: %d\r\n\r\n"
        request.respond(head % len(data) + b"%x\r\n%b\r\n0\r\n\r\n" % (len(data), data))

    server = serve(handle)
    report = json.loads(probe(server.url, "--case", case, "--format", "json").output)
    [finding] = report["findings"]
    assert finding["rule"] == "connection-broken"
    assert "it has both Transfer-Encoding and Content-Length" in finding["message"]
    assert len(server.requests) == 1


def test_a_refusal_without_a_body_is_no_empty_stream(serve: Any, probe: Any) -> None:
    head = STREAM_HEAD.replace(b"200 OK", b"403 No")
    server = serve(lambda request: request.respond(head + b"Content-Length: 0\r\n\r\n"))
    report = json.loads(probe(server.url, "--case", "stream", "--format", "json").output)
    assert [one["rule"] for one in report["findings"] if one["rule"] != "unexpected-status"] == ["body-empty"]


@pytest.mark.parametrize(
    "body", [b": ping\n\n", b"\xef\xbb\xbf: a\r\r: b\r", b"\nretry: 3\nevent: x\nid: 7\n\n: ping\n"]
)
def test_a_stream_that_ends_after_its_heartbeats_is_empty(serve: Any, probe: Any, body: bytes) -> None:
    server = serve(lambda request: request.respond(STREAM_HEAD + b"Content-Length: %d\r\n\r\n" % len(body) + body))
    report = json.loads(probe(server.url, "--case", "stream", "--format", "json").output)
    assert [one["rule"] for one in report["findings"] if one["severity"] == "error"] == ["stream-empty"]


def test_a_key_in_a_body_that_cannot_be_decoded_is_not_recorded(
    serve: Any, probe: Any, wire: SimpleNamespace, tmp_path: Path
) -> None:
    compressed = gzip.compress(json.dumps({"your key": wire.key}).encode(), 0)  # stored, and so found by any search
    server = serve(lambda request: request.respond(ENCODED % b"br" + compressed))
    probe(server.url, "--case", "plain", "--record", str(tmp_path / "answers"))
    record = (tmp_path / "answers" / "plain.json").read_bytes()
    assert b"which was not asked for" in record
    assert b'"sse": ""' in record


def test_a_body_is_judged_only_up_to_its_content_length(serve: Any, probe: Any, wire: SimpleNamespace) -> None:
    def handle(request: Any) -> None:
        head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 40\r\n\r\n"
        request.respond(head + json.dumps(wire.completion(request.json())).encode())

    result = probe(serve(handle).url, "--case", "plain")
    assert "error[json-truncated]" in result.output
    assert result.exit_code == 1


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "raw-deflate", "gzip, identity"])
def test_a_compressed_answer_is_judged_like_any_other(
    serve: Any, probe: Any, wire: SimpleNamespace, encoding: str
) -> None:
    def handle(request: Any) -> None:
        data = json.dumps(wire.completion(request.json())).encode()
        compressed = {"deflate": zlib.compress(data), "raw-deflate": zlib.compress(data)[2:-4]}
        encoded_body_handler(compressed.get(encoding, gzip.compress(data)), encoding.removeprefix("raw-"))(request)

    assert probe(serve(handle).url, "--case", "plain").exit_code == 0


@pytest.mark.parametrize("name", ["UTF-8", "none", "application/json"])
def test_a_content_encoding_that_is_none_is_ignored_as_clients_do(
    serve: Any, probe: Any, wire: SimpleNamespace, name: str
) -> None:
    def handle(request: Any) -> None:
        encoded_body_handler(json.dumps(wire.completion(request.json())).encode(), name)(request)

    assert probe(serve(handle).url, "--case", "plain").exit_code == 0


def test_a_character_that_is_split_over_two_packets_is_decoded(serve: Any, probe: Any, wire: SimpleNamespace) -> None:
    def handle(request: Any) -> None:
        chunks = list(wire.chunks(request.json()))
        chunks[1]["choices"][0]["delta"]["content"] = "é"
        data = wire.events(*chunks).replace(b"\\u00e9", "é".encode())
        middle = data.index("é".encode()) + 1
        request.respond(STREAM_HEAD + f"Content-Length: {len(data)}\r\n\r\n".encode() + data[:middle])
        request.wait(0.05)
        request.respond(data[middle:])

    assert probe(serve(handle).url, "--case", "stream", "--fail-on", "note").exit_code == 0


def test_a_redirect_does_not_send_the_key_to_another_server(serve: Any, probe: Any, wire: SimpleNamespace) -> None:
    other_server = serve(wire.answer_correctly)
    head = f"HTTP/1.1 307 There\r\nLocation: {other_server.url}/chat/completions\r\nContent-Length: 0\r\n\r\n"
    server = serve(lambda request: request.respond(head.encode()))
    result = probe(server.url)
    assert f"redirected (307) to {other_server.url}" in result.output
    assert "if that is the server, give its URL" in " ".join(result.output.split())
    assert other_server.requests == []
    assert len(server.requests) == 1  # other requests would be redirected too
    assert result.exit_code == 3


MEASURED_RUN = """
import re
from isogloss.cli.main import cli
try:
    cli()
finally:
    status = open("/proc/self/status").read()
    print("peak", re.search(r"VmHWM:\\s+(\\d+) kB", status)[1])
"""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc, which has the peak of memory")
def test_three_hundred_thousand_properties_take_less_than_170_megabytes(serve: Any) -> None:
    body = b'{"choices": [], ' + b", ".join(b'"k%d": 1' % number for number in range(300_000)) + b"}"
    server = serve(encoded_body_handler(body, "identity"))
    command = [sys.executable, "-c", MEASURED_RUN, "probe", server.url, "--model", "tiny", "--case", "plain"]
    done = subprocess.run(command, cwd=ROOT, text=True, capture_output=True, check=False)
    assert "299,000 more findings" in done.stdout
    assert int(done.stdout.split()[-1]) < 170_000


def test_an_inconclusive_case_determines_the_exit_code_although_another_conforms(
    serve: Any, probe: Any, wire: SimpleNamespace
) -> None:
    server = serve(
        lambda request: request.respond(b"220 mail") if request.json().get("stream") else wire.answer_correctly(request)
    )
    result = probe(server.url, "--case", "plain,stream")
    assert "plain   conforms" in result.output
    assert "stream  inconclusive" in result.output
    assert result.exit_code == 3
