"""Servers and networks at their worst: a probe ends in time, in little memory, and says what happened."""

from __future__ import annotations

import gzip
import json
import os
import signal
import socket
import ssl
import subprocess
import sys
import threading
import tracemalloc
import zlib
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from isogloss.cli.probe import judging, sending, sending_cases

ROOT = Path(__file__).parents[3]
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"


def slow_headers(asked: Any) -> None:
    for byte in HEAD * 9:
        asked.write(bytes([byte]))
        if asked.wait(0.05):
            return


def trickled_body(asked: Any) -> None:
    asked.write(HEAD + b"Content-Length: 1000\r\n\r\n")
    while not asked.wait(0.05):
        asked.write(b":")


def endless_stream(asked: Any) -> None:
    asked.write(HEAD + b"\r\n")
    while not asked.wait(0.01):
        asked.write(b"data: {}\n\n")


def silence(asked: Any) -> None:
    asked.wait(30)


def cut_stream(asked: Any) -> None:
    asked.write(HEAD + b"Transfer-Encoding: chunked\r\n\r\nff\r\ndata: {")


def cut_length(asked: Any) -> None:
    asked.write(HEAD + b"Content-Length: 1000\r\n\r\ndata: {")


def no_http(asked: Any) -> None:
    asked.write(b"220 mail.example.com ESMTP\r\n")


def flood(asked: Any) -> None:
    asked.write(HEAD + b"Content-Length: 1073741824\r\n\r\n")
    block = b"data: {}\n\n" * 6554
    for _ in range(16384):
        asked.write(block)


def endless_headers(asked: Any) -> None:
    asked.write(HEAD)
    while not asked.wait(0):
        asked.write(b"X-More: " + b"x" * 1000 + b"\r\n")


def redirect_loop(asked: Any) -> None:
    asked.write(b"HTTP/1.1 308 Here\r\nLocation: /v1/chat/completions\r\nContent-Length: 0\r\n\r\n")


def body(data: bytes, encoding: str) -> Callable[[Any], None]:
    head = f"Content-Type: application/json\r\nContent-Encoding: {encoding}\r\nContent-Length: {len(data)}\r\n\r\n"
    return lambda asked: asked.write(b"HTTP/1.1 200 OK\r\n" + head.encode() + data)


def bomb() -> bytes:
    squeezer = zlib.compressobj(1, wbits=31)
    return b"".join(squeezer.compress(bytes(1 << 20)) for _ in range(64)) + squeezer.flush()


LATE = [
    pytest.param(slow_headers, "no headers came", id="slow-headers"),
    pytest.param(trickled_body, "status 200 and", id="trickled-body"),
    pytest.param(endless_stream, "status 200 and", id="endless-stream"),
    pytest.param(silence, "no headers came", id="silence"),
]
FAULTY = [
    pytest.param(lambda asked: None, "the connection failed", id="hang-up"),
    pytest.param(no_http, "the connection failed", id="no-http"),
    pytest.param(endless_headers, "the connection failed", id="endless-headers"),
    pytest.param(flood, "larger than 4 MiB", id="flood"),
    pytest.param(redirect_loop, "redirected (308) to /v1/chat/completions, which is not followed", id="redirect"),
    pytest.param(body(bomb(), "gzip"), "larger than 4 MiB, decompressed", id="gzip-bomb"),
    pytest.param(body(gzip.compress(b"{}") * 999, "gzip"), "larger than 4 MiB", id="gzip-of-many-members"),
    pytest.param(body(gzip.compress(b"{}" * 99)[:-9], "gzip"), "ends inside its compressed body", id="gzip-cut"),
    pytest.param(body(b"{}", "gzip"), "is not encoded as it says", id="gzip-in-name-only"),
    pytest.param(body(b"{}", "br"), "encoded as br, though no encoding was asked for", id="unasked-encoding"),
]


@pytest.mark.parametrize(("behaviour", "came"), LATE)
def test_a_server_that_never_comes_to_an_end_is_left_when_the_time_is_over(
    serve: Any, probe: Any, behaviour: Callable[[Any], None], came: str
) -> None:
    result = probe(serve(behaviour).url, "--case", "plain", "--timeout", "1")
    assert "plain  inconclusive  " in result.output
    assert f"no whole answer within 1 s: {came}" in result.output
    assert result.exit_code == 3


@pytest.mark.parametrize(("behaviour", "reason"), FAULTY)
def test_an_answer_that_is_none_is_inconclusive_at_once_and_takes_little_memory(
    serve: Any, probe: Any, behaviour: Callable[[Any], None], reason: str
) -> None:
    server = serve(behaviour)
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


def test_a_body_that_is_longer_than_its_length_says_is_judged_as_far_as_it_is_said_to_go(
    serve: Any, probe: Any, wire: SimpleNamespace
) -> None:
    def behaviour(asked: Any) -> None:
        head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 40\r\n\r\n"
        asked.write(head + json.dumps(wire.completion(asked.json())).encode())

    result = probe(serve(behaviour).url, "--case", "plain")
    assert "error[json-truncated]" in result.output
    assert result.exit_code == 1


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "raw-deflate", "gzip, identity"])
def test_a_compressed_answer_is_judged_like_any_other(
    serve: Any, probe: Any, wire: SimpleNamespace, encoding: str
) -> None:
    def behaviour(asked: Any) -> None:
        data = json.dumps(wire.completion(asked.json())).encode()
        packed = {"deflate": zlib.compress(data), "raw-deflate": zlib.compress(data)[2:-4]}
        body(packed.get(encoding, gzip.compress(data)), encoding.removeprefix("raw-"))(asked)

    assert probe(serve(behaviour).url, "--case", "plain").exit_code == 0


def test_a_character_split_over_two_packets_is_whole(serve: Any, probe: Any, wire: SimpleNamespace) -> None:
    def behaviour(asked: Any) -> None:
        chunks = list(wire.chunks(asked.json()))
        chunks[1]["choices"][0]["delta"]["content"] = "é"
        data = wire.events(*chunks).replace(b"\\u00e9", "é".encode())
        middle = data.index("é".encode()) + 1
        asked.write(HEAD + f"Content-Length: {len(data)}\r\n\r\n".encode() + data[:middle])
        asked.wait(0.05)
        asked.write(data[middle:])

    assert probe(serve(behaviour).url, "--case", "stream", "--fail-on", "note").exit_code == 0


def test_a_redirect_takes_the_key_nowhere(serve: Any, probe: Any, wire: SimpleNamespace) -> None:
    elsewhere = serve(wire.well)
    head = f"HTTP/1.1 307 There\r\nLocation: {elsewhere.url}/chat/completions\r\nContent-Length: 0\r\n\r\n"
    server = serve(lambda asked: asked.write(head.encode()))
    result = probe(server.url)
    assert f"redirected (307) to {elsewhere.url}" in result.output
    assert elsewhere.asked == []
    assert len(server.asked) == 1  # nothing else is to be learned at that address
    assert result.exit_code == 3


@pytest.mark.parametrize(
    ("header", "times", "standing"),
    [("Retry-After: 0", 2, "conforms"), ("Retry-After: 3600", 1, "inconclusive"), ("X-Nothing: 0", 1, "inconclusive")],
)
def test_who_is_told_when_to_come_back_comes_back_if_that_is_soon(
    serve: Any, probe: Any, wire: SimpleNamespace, header: str, times: int, standing: str
) -> None:
    def behaviour(asked: Any) -> None:
        if len(server.asked) == 1:
            asked.write(wire.http(429, "application/json", json.dumps(wire.error("slow down")).encode(), header))
        else:
            wire.well(asked)

    server = serve(behaviour)
    result = probe(server.url, "--case", "plain")
    assert f"plain  {standing} " in result.output
    assert len(server.asked) == times


def test_who_is_always_sent_away_gives_up(serve: Any, probe: Any, wire: SimpleNamespace) -> None:
    data = json.dumps(wire.error("slow down")).encode()
    server = serve(lambda asked: asked.write(wire.http(429, "application/json", data, "Retry-After: 0")))
    assert "plain  inconclusive" in probe(server.url, "--case", "plain").output
    assert len(server.asked) == 3


def test_nobody_there_is_reported_at_once(probe: Any) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        result = probe(f"http://127.0.0.1:{taken.getsockname()[1]}/v1")
    assert "cannot connect" in result.output
    assert result.exit_code == 3


def test_a_certificate_of_an_unknown_authority_is_refused_and_nothing_is_sent(
    serve: Any, probe: Any, wire: SimpleNamespace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import trustme

    authority = trustme.CA()
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(tls)
    server = serve(wire.well, tls)
    refused = probe(server.url, "--case", "plain")
    assert "the certificate is not trusted" in refused.output
    assert server.asked == []
    assert refused.exit_code == 3
    authority.cert_pem.write_to_path(str(tmp_path / "authority.pem"))
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "authority.pem"))
    assert probe(server.url, "--case", "plain").exit_code == 0


MEASURED = """
import re
from isogloss.cli.main import cli
try:
    cli()
finally:
    status = open("/proc/self/status").read()
    print("peak", re.search(r"VmHWM:\\s+(\\d+) kB", status)[1])
"""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="tells the peak of memory on Linux")
def test_three_hundred_thousand_keys_take_less_than_170_megabytes(serve: Any) -> None:
    whole = b'{"choices": [], ' + b", ".join(b'"k%d": 1' % number for number in range(300_000)) + b"}"
    server = serve(body(whole, "identity"))
    run = [sys.executable, "-c", MEASURED, "probe", server.url, "--model", "tiny", "--case", "plain"]
    done = subprocess.run(run, cwd=ROOT, text=True, capture_output=True, check=False)
    assert "299,000 more findings" in done.stdout
    assert int(done.stdout.split()[-1]) < 170_000


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """Replace the clock that deadlines are measured with. The new clock stands still until a server moves it on."""
    clock = SimpleNamespace(now=0.0)
    for module in (sending_cases, judging, sending):
        monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: clock.now))
    return clock


def test_after_the_deadline_nothing_more_is_asked(
    serve: Any, probe: Any, wire: SimpleNamespace, clock: SimpleNamespace
) -> None:
    def behaviour(asked: Any) -> None:
        clock.now += 10
        wire.well(asked)

    server = serve(behaviour)
    result = probe(server.url, "--deadline", "25", "--jobs", "1")
    assert len(server.asked) == 3
    assert "not asked: the deadline has passed" in result.output
    assert result.exit_code == 3


def test_an_answer_is_waited_for_no_longer_than_to_the_deadline(
    serve: Any, probe: Any, wire: SimpleNamespace, clock: SimpleNamespace
) -> None:
    def behaviour(asked: Any) -> None:
        if asked.json().get("stream"):
            silence(asked)
        clock.now = 9
        wire.well(asked)

    result = probe(serve(behaviour).url, "--case", "plain,stream", "--deadline", "10", "--timeout", "60")
    assert "stream  inconclusive  " in result.output
    assert "no whole answer within 1 s" in result.output
    assert result.exit_code == 3


def test_a_failed_case_does_not_hide_behind_those_that_conform(serve: Any, probe: Any, wire: SimpleNamespace) -> None:
    server = serve(lambda asked: no_http(asked) if asked.json().get("stream") else wire.well(asked))
    result = probe(server.url, "--case", "plain,stream")
    assert "plain   conforms" in result.output
    assert "stream  inconclusive" in result.output
    assert result.exit_code == 3


def test_a_proxy_of_the_environment_is_used_but_not_for_this_machine(
    serve: Any, probe: Any, wire: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []

    def behaviour(asked: Any) -> None:
        seen.append(asked.path)
        asked.path = asked.path.removeprefix("http://models.example")
        wire.well(asked)

    server = serve(behaviour)
    monkeypatch.setenv("http_proxy", server.url.removesuffix("/v1"))
    assert probe("http://models.example/v1", "--case", "plain").exit_code == 0
    assert probe(server.url, "--case", "plain").exit_code == 0
    assert seen == ["http://models.example/v1/chat/completions", "/v1/chat/completions"]


INTERRUPTIBLE = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell that runs the tests in the background ignores it
from isogloss.cli.main import main
main()
"""


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_ctrl_c_ends_with_what_was_learned_so_far(
    serve: Any, wire: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", wire.key)
    streaming = threading.Event()

    def behaviour(asked: Any) -> None:
        if asked.json().get("stream"):
            streaming.set()
            silence(asked)
        wire.well(asked)

    server = serve(behaviour)
    run = [sys.executable, "-c", INTERRUPTIBLE, "probe", server.url, "--model", "tiny", "--case", "plain,stream"]
    with subprocess.Popen(run, cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert streaming.wait(60)
        process.send_signal(signal.SIGINT)
        output, complaints = process.communicate()
    assert "plain   conforms" in output
    assert "not asked: interrupted" in output
    assert complaints == ""
    assert process.returncode == 130
