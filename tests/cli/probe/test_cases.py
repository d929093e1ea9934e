"""What the cases of a probe come to, by what a server answers."""

from __future__ import annotations

import io
import json
import re
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner

from isogloss.cli.main import cli
from isogloss.cli.probe.cases import CASES
from isogloss.cli.probe.outcome import Outcome
from isogloss.cli.probe.progress import Progress
from isogloss.cli.reporters import FORMATS
from isogloss.validator.exchange import Exchange
from isogloss.validator.judging.judge import Judge, Verdict


def standings(output: str) -> dict[str, str]:
    return dict(re.findall(r"^([a-z-]+) +(conforms|deviates|unsupported|inconclusive)\b", output, re.MULTILINE))


def test_every_case_conforms_on_a_server_that_keeps_the_reference(
    serve: Any, probe: Any, wire: SimpleNamespace
) -> None:
    server = serve(wire.well)
    result = probe(server.url)
    assert standings(result.output) == {case.name: "conforms" for case in CASES}
    assert result.exit_code == 0
    assert len(server.asked) == sum(len(case.requests("tiny")) for case in CASES) + 8  # those at once
    assert server.most_at_once <= 8
    assert {asked.headers["host"] for asked in server.asked} == {f"127.0.0.1:{server.port}"}


def test_every_good_request_is_one_that_the_reference_accepts_and_bounds_the_answer(
    serve: Any, probe: Any, wire: SimpleNamespace, tmp_path: Any
) -> None:
    server = serve(wire.well)
    probe(server.url, "--skip", ",".join(case.name for case in CASES if case.refusal))
    server.asked = [asked for asked in server.asked if asked.body]
    limits = [asked.json().get("max_completion_tokens", asked.json().get("max_tokens")) for asked in server.asked]
    assert all(0 < limit <= 64 for limit in limits)
    requests = tmp_path / "requests.jsonl"
    requests.write_bytes(b"\n".join(asked.body for asked in server.asked))
    wrong = "deprecated-property,unknown-property,token-limits-both"  # on purpose
    result = CliRunner().invoke(cli, ["check", str(requests), "--kind", "request", "--ignore", wrong])
    assert "0 errors, 0 warnings" in result.output


def test_each_question_is_asked_a_few_at_a_time_and_the_wrong_key_once_and_after_all_that_do_no_harm(
    serve: Any, probe: Any, wire: SimpleNamespace
) -> None:
    server = serve(wire.well)
    probe(server.url, "--jobs", "1")
    assert server.most_at_once == 1
    keys = [asked.headers.get("authorization") for asked in server.asked]
    assert set(keys[:-3]) == {keys[-1]} == {f"Bearer {wire.key}"}
    assert keys[-3] is None
    assert keys[-2] not in (None, keys[-1])


def test_what_is_refused_in_due_form_is_unsupported_and_what_fails_is_inconclusive(
    serve: Any, probe: Any, wire: SimpleNamespace
) -> None:
    def behaviour(asked: Any) -> None:
        request = asked.json()
        if request.get("n"):
            asked.write(wire.http(400, "application/json", json.dumps(wire.error("n must be 1")).encode()))
        elif request.get("logprobs"):
            asked.write(wire.http(500, "application/json", json.dumps(wire.error("failed")).encode()))
        elif request.get("stop"):
            asked.write(wire.http(503, "application/json", json.dumps(wire.error("overloaded")).encode()))
        elif request.get("seed"):
            asked.write(wire.http(422, "application/json", b'{"detail": "no seed"}'))
        else:
            wire.well(asked)

    result = probe(serve(behaviour).url, "--case", "plain,n,logprobs,stop,seed")
    assert standings(result.output) == {
        "plain": "conforms",
        "n": "unsupported",
        "logprobs": "deviates",
        "stop": "inconclusive",
        "seed": "deviates",
    }
    assert result.exit_code == 1


def test_a_bad_request_that_is_answered_deviates(serve: Any, probe: Any, wire: SimpleNamespace) -> None:
    def behaviour(asked: Any) -> None:
        good = {"model": "tiny", "messages": [], "stream": b"stream" in asked.body}
        if good["stream"]:
            asked.write(wire.http(200, "text/event-stream", b'data: {"error": {"message": "no messages"}}\n\n'))
        else:
            asked.write(wire.http(200, "application/json", json.dumps(wire.completion(good)).encode()))

    refusals = [case.name for case in CASES if case.refusal]
    result = probe(serve(behaviour).url, "--case", ",".join(refusals), "--select", "bad-request-accepted")
    assert standings(result.output) == dict.fromkeys(refusals, "deviates")
    assert "refused only inside a stream that had begun" in result.output
    assert result.exit_code == 0  # they are warnings
    assert probe(serve(behaviour).url, "--case", refusals[0], "--fail-on", "warning").exit_code == 1


def test_a_server_that_takes_any_key_is_no_deviation(serve: Any, probe: Any, wire: SimpleNamespace) -> None:
    def behaviour(asked: Any) -> None:
        asked.headers["authorization"] = f"Bearer {wire.key}"
        wire.well(asked)

    result = probe(serve(behaviour).url, "--case", "plain,missing-key,refuses-wrong-key")
    assert standings(result.output) == {
        "plain": "conforms",
        "missing-key": "inconclusive",
        "refuses-wrong-key": "inconclusive",
    }
    assert result.exit_code == 0


@pytest.mark.parametrize("case", ["tools-parallel", "limit"])
def test_what_a_model_does_not_do_is_inconclusive(serve: Any, probe: Any, wire: SimpleNamespace, case: str) -> None:
    def behaviour(asked: Any) -> None:
        request = {**asked.json(), "parallel_tool_calls": False}
        answer = wire.completion({**request, "max_completion_tokens": 2})
        del answer["usage"]  # how many tokens it has is not known
        asked.write(wire.http(200, "application/json", json.dumps(answer).encode()))

    result = probe(serve(behaviour).url, "--case", case)
    assert standings(result.output) == {case: "inconclusive"}
    assert result.exit_code == 3  # nothing was settled


@pytest.mark.parametrize(("status", "reason"), [(401, "the key is refused"), (404, "no such endpoint or model")])
def test_the_first_answer_may_end_the_asking(
    serve: Any, probe: Any, wire: SimpleNamespace, status: int, reason: str
) -> None:
    body = json.dumps(wire.error("no")).encode()
    server = serve(lambda asked: asked.write(wire.http(status, "application/json", body)))
    result = probe(server.url)
    assert len(server.asked) == 1
    assert reason in result.output
    assert result.exit_code == 3


@pytest.mark.parametrize("name", FORMATS)
def test_every_output_format_reports_findings_and_what_was_inconclusive(
    serve: Any, probe: Any, wire: SimpleNamespace, name: str
) -> None:
    def behaviour(asked: Any) -> None:
        if asked.json().get("stream"):
            asked.write(wire.http(503, "application/json", json.dumps(wire.error("overloaded")).encode()))
        else:
            asked.write(wire.http(200, "application/json", b'{"object": "chat.completion", "choices": []}'))

    result = probe(serve(behaviour).url, "--case", "plain,stream", "--format", name)
    assert result.exit_code == 1
    assert "missing-property" in result.output
    assert name != "text" or "status 503" in result.output
    if name == "json":
        report = json.loads(result.output)
        assert report["summary"]["verdict"] == "deviates"
        assert report["skipped"] == [{"file": "stream", "reason": "status 503"}]


def test_the_list_names_every_case_and_asks_nothing() -> None:
    result = CliRunner().invoke(cli, ["probe", "--list"])
    assert result.exit_code == 0
    assert [line.split()[0] for line in result.output.splitlines()] == [case.name for case in CASES]
    assert len({case.name for case in CASES}) == len(CASES)


def test_an_unknown_case_is_a_usage_error_that_names_the_nearest(probe: Any) -> None:
    result = probe("http://127.0.0.1:1", "--case", "steam")
    assert result.exit_code == 2
    assert "did you mean 'stream'?" in result.output


def test_progress_is_one_line_on_a_terminal_that_is_wiped_in_the_end_and_nothing_elsewhere() -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    outcome = Outcome(case=CASES[0], standing="conforms")
    line = "1/2  plain: conforms\r\x1b[K"
    for out, server, shown in (
        (Terminal(), None, f"\r\x1b[K{line}"),
        (Terminal(), "mine", f"\r\x1b[Kmine  {line}"),
        (io.StringIO(), "mine", ""),
    ):
        progress = Progress(2, out, server)
        progress.done(outcome)
        progress.close()
        assert out.getvalue() == shown


def test_what_isogloss_itself_fails_on_is_one_case_and_the_others_go_on(
    serve: Any, probe: Any, wire: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = Judge.judge

    def broken(self: Judge, exchange: Exchange) -> Verdict:
        if exchange.file == "plain.json":
            raise ZeroDivisionError
        return whole(self, exchange)

    monkeypatch.setattr(Judge, "judge", broken)
    done = probe(serve(wire.well).url, "--case", "plain,stream")
    assert done.exit_code == 4
    assert "internal error, please report it: ZeroDivisionError" in done.output
    assert "conforms" in done.output
