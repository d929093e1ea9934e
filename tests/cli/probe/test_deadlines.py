"""Test how long a probe goes on: which requests it repeats, and how its deadline and Ctrl-C end it."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from probe_reports import stay_silent

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize(
    ("header", "requests", "standing"),
    [
        ("Retry-After: 0", 2, "conforms"),
        ("Retry-After: 0.01", 2, "conforms"),
        ("Retry-After: Wed, 21 Oct 2015 07:28:00 GMT", 2, "conforms"),
        ("Retry-After: 3600", 1, "inconclusive"),
        ("Retry-After: Mon, 21 Oct 2999 07:28:00 GMT", 1, "inconclusive"),
        ("Retry-After: soon", 1, "inconclusive"),
        (f"Retry-After: Mon, 21 Oct 2024 {'9' * 20}:28:00 GMT", 1, "inconclusive"),
        ("X-Nothing: 0", 1, "inconclusive"),
    ],
)
def test_a_request_is_repeated_only_if_retry_after_is_short(
    serve: Any, probe: Any, wire: SimpleNamespace, header: str, requests: int, standing: str
) -> None:
    def handle(request: Any) -> None:
        if len(server.requests) == 1:
            request.respond(
                wire.response(429, "application/json", json.dumps(wire.error("slow down")).encode(), header)
            )
        else:
            wire.answer_correctly(request)

    server = serve(handle)
    result = probe(server.url, "--case", "plain")
    assert f"plain  {standing} " in result.output
    assert len(server.requests) == requests


def test_a_request_is_repeated_at_most_twice(serve: Any, probe: Any, wire: SimpleNamespace) -> None:
    data = json.dumps(wire.error("slow down")).encode()
    server = serve(lambda request: request.respond(wire.response(429, "application/json", data, "Retry-After: 0")))
    assert "plain  inconclusive" in probe(server.url, "--case", "plain").output
    assert len(server.requests) == 3


@pytest.mark.parametrize("case", ["missing-key", "refuses-wrong-key"])
def test_a_request_without_the_right_key_is_never_repeated(
    serve: Any, probe: Any, wire: SimpleNamespace, case: str
) -> None:
    data = json.dumps(wire.error("slow down")).encode()
    server = serve(lambda request: request.respond(wire.response(429, "application/json", data, "Retry-After: 0")))
    probe(server.url, "--case", case)
    assert [request.headers.get("authorization") == f"Bearer {wire.key}" for request in server.requests] == [False]


def test_nothing_is_sent_after_the_deadline(
    serve: Any, probe: Any, wire: SimpleNamespace, clock: SimpleNamespace
) -> None:
    def handle(request: Any) -> None:
        clock.now += 10
        wire.answer_correctly(request)

    server = serve(handle)
    result = probe(server.url, "--deadline", "25", "--jobs", "1")
    assert len(server.requests) == 3
    assert "not sent: the deadline has passed" in result.output
    assert result.exit_code == 3


def test_the_wait_for_an_answer_ends_at_the_deadline(
    serve: Any, probe: Any, wire: SimpleNamespace, clock: SimpleNamespace
) -> None:
    def handle(request: Any) -> None:
        if request.json().get("stream"):
            stay_silent(request)
        clock.now = 9
        wire.answer_correctly(request)

    result = probe(serve(handle).url, "--case", "plain,stream", "--deadline", "10", "--timeout", "60")
    assert "stream  inconclusive  " in result.output
    assert "no whole answer within 1 s" in result.output
    assert result.exit_code == 3


def test_a_server_that_never_answers_gets_one_request(serve: Any, probe: Any) -> None:
    server = serve(stay_silent)
    result = probe(server.url, "--timeout", "0.2")
    assert len(server.requests) == 1
    assert "no headers came; --timeout gives it more time, and --wait waits for a server that starts" in result.output
    assert re.search(r"^\d\d other cases +inconclusive +not sent: no whole answer within", result.output, re.MULTILINE)
    assert result.exit_code == 3


@pytest.mark.parametrize("jobs", [1, 3])
def test_a_server_that_answers_no_more_is_given_up(serve: Any, probe: Any, wire: SimpleNamespace, jobs: int) -> None:
    def handle(request: Any) -> None:
        if len(server.requests) > 4:
            request.respond(b"")
        else:
            wire.answer_correctly(request)

    server = serve(handle)
    result = probe(server.url, "--jobs", str(jobs))
    assert f"not sent: {2 * jobs} requests in a row had no answer: no valid HTTP answer came" in result.output
    assert len(server.requests) < 4 + 2 * 4 * jobs
    assert result.exit_code == 3


def test_a_server_that_leaves_some_requests_without_an_answer_is_asked_all_the_others(
    serve: Any, probe: Any, wire: SimpleNamespace
) -> None:
    def handle(request: Any) -> None:
        if len(server.requests) % 4 > 1:  # both tries of each second case
            request.respond(b"")
        else:
            wire.answer_correctly(request)

    server = serve(handle)
    result = probe(server.url, "--jobs", "1", "--case", "plain,stream,n,stop,seed,limit")
    assert "not sent" not in result.output


INTERRUPTIBLE = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell that runs the tests in the background ignores it
from isogloss.cli.main import main
main()
"""


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals")
def test_ctrl_c_ends_the_probe_with_a_report_of_the_cases_so_far(
    serve: Any, wire: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", wire.key)
    streaming = threading.Event()

    def handle(request: Any) -> None:
        if request.json().get("stream"):
            streaming.set()
            stay_silent(request)
        wire.answer_correctly(request)

    server = serve(handle)
    cases = ["--case", "plain,stream,n"]
    command = [sys.executable, "-c", INTERRUPTIBLE, "probe", server.url, "--model", "tiny", *cases]
    with subprocess.Popen(command, cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert streaming.wait(60)
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate()
    assert "plain   conforms" in output
    reasons = dict(re.findall(r"^(\w+) +inconclusive +(.*)$", output, re.MULTILINE))
    assert reasons == {"stream": "interrupted, before its answer was complete", "n": "not sent: interrupted"}
    assert errors == ""
    assert process.returncode == 130


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals")
def test_ctrl_c_names_the_servers_that_were_not_probed(serve: Any, wire: SimpleNamespace) -> None:
    asked = threading.Event()

    def handle(request: Any) -> None:
        asked.set()
        stay_silent(request)

    servers = [serve(handle).url, serve(wire.answer_correctly).url]
    command = [sys.executable, "-c", INTERRUPTIBLE, "probe", *servers, "--model", "tiny", "--case", "plain"]
    with subprocess.Popen(command, cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert asked.wait(60)
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate()
    assert "interrupted, before its answer was complete" in output
    assert re.fullmatch(r"interrupted: not probed: 127\.0\.0\.1-\d+\n", errors)
    assert process.returncode == 130
