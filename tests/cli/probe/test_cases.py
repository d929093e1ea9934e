"""Test which standing each case of a probe gets, and which exit code the run, for the answers of a server."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner

from isogloss.cli.main import cli
from isogloss.cli.probe.cases import CASES
from isogloss.cli.process.progress import Status
from isogloss.cli.reporters import FORMATS
from isogloss.validator.exchange import Exchange
from isogloss.validator.judging.judge import Judge, Verdict


def read_standings(output: str) -> dict[str, str]:
    return dict(re.findall(r"^([a-z-]+) +(conforms|deviates|unsupported|inconclusive)\b", output, re.MULTILINE))


def test_every_case_conforms_on_a_server_that_follows_the_reference(
    serve: Any, probe: Any, wire: SimpleNamespace
) -> None:
    server = serve(wire.answer_correctly)
    result = probe(server.url)
    assert read_standings(result.output) == {case.name: "conforms" for case in CASES}
    assert result.exit_code == 0
    assert " \n" not in result.output
    assert len(server.requests) == sum(len(case.requests("tiny")) for case in CASES) + 8  # these 8 are of at-once
    assert server.max_concurrent <= 8
    assert {request.headers["host"] for request in server.requests} == {f"127.0.0.1:{server.port}"}


def test_every_good_request_conforms_to_the_reference_and_limits_the_tokens(
    serve: Any, probe: Any, wire: SimpleNamespace, tmp_path: Any
) -> None:
    server = serve(wire.answer_correctly)
    probe(server.url, "--skip", ",".join(case.name for case in CASES if case.refusal))
    server.requests = [request for request in server.requests if request.body]
    limits = [
        request.json().get("max_completion_tokens", request.json().get("max_tokens")) for request in server.requests
    ]
    assert all(0 < limit <= 64 for limit in limits)
    requests_path = tmp_path / "requests.jsonl"
    requests_path.write_bytes(b"\n".join(request.body for request in server.requests))
    ignored_rules = "deprecated-property,unknown-property,token-limits-both"  # some requests break these on purpose
    result = CliRunner().invoke(cli, ["check", str(requests_path), "--kind", "request", "--ignore", ignored_rules])
    assert "0 errors, 0 warnings" in result.output


def test_one_job_sends_one_request_at_a_time_and_requests_without_the_right_key_near_the_end(
    serve: Any, probe: Any, wire: SimpleNamespace
) -> None:
    server = serve(wire.answer_correctly)
    probe(server.url, "--jobs", "1")
    assert server.max_concurrent == 1
    keys = [request.headers.get("authorization") for request in server.requests]
    assert set(keys[:-3]) == {keys[-1]} == {f"Bearer {wire.key}"}
    assert keys[-3] is None
    assert keys[-2] not in (None, keys[-1])


def test_the_standing_of_a_refused_feature_depends_on_the_status_and_the_form_of_the_error(
    serve: Any, probe: Any, wire: SimpleNamespace
) -> None:
    def handle(request: Any) -> None:
        payload = request.json()
        if payload.get("n"):
            request.respond(wire.response(400, "application/json", json.dumps(wire.error("n must be 1")).encode()))
        elif payload.get("logprobs"):
            request.respond(wire.response(500, "application/json", json.dumps(wire.error("failed")).encode()))
        elif payload.get("stop"):
            request.respond(wire.response(503, "application/json", json.dumps(wire.error("overloaded")).encode()))
        elif payload.get("seed"):
            request.respond(wire.response(422, "application/json", b'{"detail": "no seed"}'))
        else:
            wire.answer_correctly(request)

    result = probe(serve(handle).url, "--case", "plain,n,logprobs,stop,seed")
    assert read_standings(result.output) == {
        "plain": "conforms",
        "n": "unsupported",
        "logprobs": "deviates",
        "stop": "inconclusive",
        "seed": "deviates",
    }
    assert result.exit_code == 1


def test_a_bad_request_that_is_answered_deviates(serve: Any, probe: Any, wire: SimpleNamespace) -> None:
    def handle(request: Any) -> None:
        payload = {"model": "tiny", "messages": [], "stream": b"stream" in request.body}
        if payload["stream"]:
            request.respond(wire.response(200, "text/event-stream", b'data: {"error": {"message": "no messages"}}\n\n'))
        else:
            request.respond(wire.response(200, "application/json", json.dumps(wire.completion(payload)).encode()))

    refusals = [case.name for case in CASES if case.refusal]
    result = probe(serve(handle).url, "--case", ",".join(refusals), "--select", "bad-request-accepted")
    assert read_standings(result.output) == dict.fromkeys(refusals, "deviates")
    assert "refused only inside a stream that had begun" in result.output
    assert result.exit_code == 0  # the findings are only warnings
    assert probe(serve(handle).url, "--case", refusals[0], "--fail-on", "warning").exit_code == 1


def test_a_server_that_accepts_any_key_does_not_deviate(serve: Any, probe: Any, wire: SimpleNamespace) -> None:
    def handle(request: Any) -> None:
        request.headers["authorization"] = f"Bearer {wire.key}"
        wire.answer_correctly(request)

    result = probe(serve(handle).url, "--case", "plain,missing-key,refuses-wrong-key")
    assert read_standings(result.output) == {
        "plain": "conforms",
        "missing-key": "inconclusive",
        "refuses-wrong-key": "inconclusive",
    }
    assert result.exit_code == 0


@pytest.mark.parametrize("case", ["tools-parallel", "limit"])
def test_a_case_is_inconclusive_if_the_answer_does_not_show_its_feature(
    serve: Any, probe: Any, wire: SimpleNamespace, case: str
) -> None:
    def handle(request: Any) -> None:
        payload = {**request.json(), "parallel_tool_calls": False}
        completion = wire.completion({**payload, "max_completion_tokens": 2})
        del completion["usage"]  # the number of tokens is unknown then
        request.respond(wire.response(200, "application/json", json.dumps(completion).encode()))

    result = probe(serve(handle).url, "--case", case)
    assert read_standings(result.output) == {case: "inconclusive"}
    assert result.exit_code == 3  # no case has a result


def test_a_text_in_place_of_an_answer_deviates(serve: Any, probe: Any, wire: SimpleNamespace) -> None:
    server = serve(lambda request: request.respond(wire.response(200, "text/plain", b"Hello")))
    result = probe(server.url, "--case", "n")
    assert "error[body-not-json]" in result.output
    assert read_standings(result.output) == {"n": "deviates"}
    assert result.exit_code == 1


def test_a_request_that_is_refused_alone_is_not_sent_several_times_at_once(
    serve: Any, probe: Any, wire: SimpleNamespace
) -> None:
    body = json.dumps(wire.error("Unsupported parameter.")).encode()
    server = serve(lambda request: request.respond(wire.response(400, "application/json", body)))
    probe(server.url, "--case", "at-once")
    assert len(server.requests) == 1


def test_after_both_limits_are_refused_the_other_cases_keep_the_newer_one(
    serve: Any, probe: Any, wire: SimpleNamespace
) -> None:
    handle = refuse_the_newer_limit(wire, lambda request: request.respond(no_answer))
    no_answer = wire.response(400, "application/json", json.dumps(wire.error("No.")).encode())
    server = serve(handle)
    result = probe(server.url, "--case", "plain,n")
    limits = [set(request.json()) & {"max_completion_tokens", "max_tokens"} for request in server.requests]
    assert limits == [{"max_completion_tokens"}, {"max_tokens"}, {"max_completion_tokens"}]
    assert "with max_tokens, since" not in result.output


def test_what_an_answer_with_the_older_limit_lacks_is_its_reason(serve: Any, probe: Any, wire: SimpleNamespace) -> None:
    def handle(request: Any) -> None:
        body = json.dumps(wire.completion({**request.json(), "parallel_tool_calls": False})).encode()
        request.respond(wire.response(200, "application/json", body))

    result = probe(serve(refuse_the_newer_limit(wire, handle)).url, "--case", "tools-parallel")
    assert read_standings(result.output) == {"tools-parallel": "inconclusive"}
    assert "with max_tokens, since" not in result.output


def test_the_stream_whose_times_are_measured_is_sent_while_nothing_else_is(
    serve: Any, probe: Any, wire: SimpleNamespace
) -> None:
    def handle(request: Any) -> None:
        if request.json().get("stream"):
            request.wait(0.1)  # other requests would come meanwhile
            arrived.append(len(server.requests))
        wire.answer_correctly(request)

    arrived: list[int] = []
    server = serve(handle)
    result = probe(server.url, "--case", "plain,stream,n,stop,seed", "--jobs", "4")
    assert result.exit_code == 0
    assert arrived == [2]


@pytest.mark.parametrize(
    ("status", "reason"),
    [
        (401, "the key is refused"),
        (402, "the account cannot pay"),
        (404, "no such endpoint or model"),
        (405, "takes no POST requests"),
        (410, "no such endpoint or model"),
    ],
)
def test_a_first_answer_that_no_other_request_can_change_ends_the_probe(
    serve: Any, probe: Any, wire: SimpleNamespace, status: int, reason: str
) -> None:
    body = json.dumps(wire.error("no")).encode()
    server = serve(lambda request: request.respond(wire.response(status, "application/json", body)))
    result = probe(server.url)
    assert len(server.requests) == 1
    assert reason in result.output
    assert result.exit_code == 3


@pytest.mark.parametrize("status", [200, 400])
def test_a_page_in_place_of_the_first_answer_ends_the_probe(
    serve: Any, probe: Any, wire: SimpleNamespace, status: int
) -> None:
    page = wire.response(status, "text/html", b"\n<!doctype html><html></html>")
    server = serve(lambda request: request.respond(page))
    result = probe(server.url.removesuffix("/v1"))
    assert len(server.requests) == 1
    assert "not sent: a page came in place of an answer; is the URL right? It often ends in /v1" in result.output
    assert "plain                            deviates" in result.output
    assert result.exit_code == 1


@pytest.mark.parametrize("has_version", [True, False])
def test_a_first_answer_with_status_404_says_nothing_about_the_case_and_what_to_try(
    serve: Any, probe: Any, wire: SimpleNamespace, tmp_path: Path, has_version: bool
) -> None:
    body = json.dumps(wire.error("no")).encode()
    server = serve(lambda request: request.respond(wire.response(404, "application/json", body)))
    url = server.url if has_version else server.url.removesuffix("/v1")
    result = probe(url, "--case", "plain", "--record", str(tmp_path))
    assert "plain  inconclusive" in result.output
    assert ("It often ends in /v1" in result.output) is not has_version
    offline = CliRunner().invoke(cli, ["check", str(tmp_path)])
    assert (result.exit_code, offline.exit_code) == (3, 3)


@pytest.mark.parametrize(("status", "waits"), [(500, False), (503, True)])
def test_a_server_that_fails_on_the_simplest_request_is_said_to_fail(
    serve: Any, probe: Any, wire: SimpleNamespace, status: int, waits: bool
) -> None:
    body = json.dumps(wire.error("no")).encode()
    server = serve(lambda request: request.respond(wire.response(status, "application/json", body)))
    result = probe(server.url, "--case", "plain,n")
    assert f"the server fails (status {status})" in result.output
    assert ("--wait waits for it" in result.output) == waits
    assert result.exit_code == 3


def test_the_probe_of_a_server_that_refuses_everything_does_not_pass(
    serve: Any, probe: Any, wire: SimpleNamespace, tmp_path: Path
) -> None:
    body = json.dumps(wire.error("Unsupported parameter.")).encode()
    server = serve(lambda request: request.respond(wire.response(400, "application/json", body)))
    result = probe(server.url, "--case", "plain,n,refuses-invalid-json", "--record", str(tmp_path))
    assert set(read_standings(result.output).values()) == {"inconclusive"}
    assert "the simplest request is refused (status 400)" in result.output
    assert result.exit_code == 3


def refuse_the_newer_limit(
    wire: SimpleNamespace, answer: Callable[[Any], None], status: int = 422
) -> Callable[[Any], None]:
    error = json.dumps(wire.error("max_completion_tokens: Extra inputs are not permitted")).encode()

    def handle(request: Any) -> None:
        if b"max_completion_tokens" in request.body:
            request.respond(wire.response(status, "application/json", error))
        else:
            answer(request)

    return handle


@pytest.mark.parametrize(
    ("status", "limit", "exit_code"), [(422, "unsupported", 0), (500, "deviates", 1)], ids=["refused", "failed"]
)
def test_a_server_that_refuses_the_newer_limit_is_asked_with_the_older_one(
    serve: Any, probe: Any, wire: SimpleNamespace, tmp_path: Path, status: int, limit: str, exit_code: int
) -> None:
    handle = refuse_the_newer_limit(wire, wire.answer_correctly, status)
    result = probe(serve(handle).url, "--case", "plain,n,limit,limit-older,keep-alive", "--record", str(tmp_path))
    assert read_standings(result.output) == {
        "plain": "conforms",
        "n": "conforms",
        "limit": limit,
        "limit-older": "conforms",
        "keep-alive": "conforms",
    }
    assert f"with max_tokens, since max_completion_tokens is refused (status {status})" in result.output
    assert json.loads((tmp_path / "plain.json").read_text())["request"]["max_tokens"] == 16
    assert result.exit_code == exit_code


def test_a_server_that_refuses_both_limits_is_asked_without_one(serve: Any, probe: Any, wire: SimpleNamespace) -> None:
    def handle(request: Any) -> None:
        if b"max_tokens" in request.body:
            refusal = wire.error("max_tokens: Extra inputs are not permitted")
            request.respond(wire.response(400, "application/json", json.dumps(refusal).encode()))
        else:
            wire.answer_correctly(request)

    server = serve(refuse_the_newer_limit(wire, handle))
    result = probe(server.url, "--case", "plain,n,limit,limit-older")
    assert read_standings(result.output) == {
        "plain": "conforms",
        "n": "conforms",
        "limit": "unsupported",
        "limit-older": "unsupported",
    }
    assert "with no limit of tokens, since max_tokens is refused (status 400)" in result.output


def test_a_server_that_refuses_the_newer_limit_may_not_answer_with_the_older_one(
    serve: Any, probe: Any, wire: SimpleNamespace
) -> None:
    handle = refuse_the_newer_limit(wire, lambda request: request.respond.__self__.request.close())
    result = probe(serve(handle).url, "--case", "plain")
    assert read_standings(result.output) == {"plain": "inconclusive"}


@pytest.mark.parametrize("name", FORMATS)
def test_every_output_format_reports_findings_and_inconclusive_cases(
    serve: Any, probe: Any, wire: SimpleNamespace, name: str
) -> None:
    def handle(request: Any) -> None:
        if request.json().get("stream"):
            request.respond(wire.response(503, "application/json", json.dumps(wire.error("overloaded")).encode()))
        else:
            request.respond(wire.response(200, "application/json", b'{"object": "chat.completion", "choices": []}'))

    result = probe(serve(handle).url, "--case", "plain,stream", "--format", name)
    assert result.exit_code == 1
    assert "missing-property" in result.output
    assert name != "text" or "status 503" in result.output
    if name == "json":
        report = json.loads(result.output)
        assert report["summary"]["verdict"] == "deviates"
        assert report["skipped"] == [{"file": "stream", "reason": "status 503"}]


def test_the_list_names_every_case_once() -> None:
    result = CliRunner().invoke(cli, ["probe", "--list"])
    assert result.exit_code == 0
    assert [line.split()[0] for line in result.output.splitlines()] == [case.name for case in CASES]
    assert len({case.name for case in CASES}) == len(CASES)


def test_an_unknown_case_is_a_usage_error_that_names_the_nearest(probe: Any) -> None:
    result = probe("http://127.0.0.1:1", "--case", "steam")
    assert result.exit_code == 2
    assert "did you mean 'stream'?" in result.output


def test_each_case_that_has_ended_is_shown_with_the_server_if_there_are_several(
    serve: Any, probe: Any, wire: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[str] = []
    monkeypatch.setattr(Status, "show", lambda _, text: shown.append(text))
    server = serve(wire.answer_correctly)
    probe(server.url, "--case", "plain,stream")
    probe(server.url, server.url, "--case", "plain", "--api-key-env", "OPENAI_API_KEY")
    name = f"127.0.0.1-{server.port}"
    assert shown == [
        "1/2  plain: conforms",
        "2/2  stream: conforms",
        f"{name}  1/1  plain: conforms",
        f"{name}-2  1/1  plain: conforms",
    ]


def test_a_page_says_of_a_case_what_it_tests_why_that_matters_and_what_its_standing_means(
    serve: Any, probe: Any, wire: SimpleNamespace, tmp_path: Path
) -> None:
    probe(serve(wire.answer_correctly).url, "--case", CASES[0].name, "--output", f"html:{tmp_path / 'page.html'}")
    about = f'Tests {CASES[0].tests}. {CASES[0].why} (<a href="{CASES[0].thread}">reported</a>) The answer has neither'
    assert about in (tmp_path / "page.html").read_text()


def test_an_internal_error_in_one_case_does_not_stop_the_others(
    serve: Any, probe: Any, wire: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    judge = Judge.judge

    def judge_with_error(self: Judge, exchange: Exchange) -> Verdict:
        if exchange.file == "plain.json":
            raise ZeroDivisionError
        return judge(self, exchange)

    monkeypatch.setattr(Judge, "judge", judge_with_error)
    result = probe(serve(wire.answer_correctly).url, "--case", "plain,stream")
    assert result.exit_code == 4
    assert "internal error, please report it: ZeroDivisionError" in result.output
    assert "conforms" in result.output
