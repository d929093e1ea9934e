"""Probes servers that break one feature; tests how cases are chosen and explained."""

from __future__ import annotations

import copy
import json
import re
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner, Result

from isogloss.cli.main import cli
from isogloss.cli.probe import judging
from isogloss.cli.probe.cases import CASES, GROUPS
from isogloss.cli.probe.cases.meaning import STANDINGS, standings
from isogloss.cli.probe.choosing import PROFILES, choose_cases
from isogloss.validator import rules

DOCUMENT = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"


def cases(report: str) -> dict[str, str]:
    return {case["name"]: case["standing"] for case in json.loads(report)["cases"]}


def found(report: str) -> set[str]:
    return {one["rule"] for one in json.loads(report)["findings"] if one["severity"] != "note"}


def findings(output: str) -> list[str]:
    return sorted(json.dumps(one, sort_keys=True) for one in json.loads(output)["findings"])


def check(*arguments: str | Path) -> Result:
    return CliRunner().invoke(cli, ["check", *map(str, arguments)])


def constant_id(request: dict[str, Any], whole: dict[str, Any]) -> None:
    whole["id"] = f"chatcmpl-{'1' * 29}"


def none_ignored(request: dict[str, Any], whole: dict[str, Any]) -> None:
    call = {"id": "call_1", "type": "function", "function": {"name": "get_weather", "arguments": '{"city": "Paris"}'}}
    [choice] = whole["choices"]
    choice["message"] |= {"content": None, "tool_calls": [call]}
    choice["finish_reason"] = "tool_calls"


def limit_ignored(request: dict[str, Any], whole: dict[str, Any]) -> None:
    [choice] = whole["choices"]
    choice["message"]["content"] = "The sea is wide and blue, and nobody has ever seen all of it."
    choice["finish_reason"] = "stop"
    whole["usage"] = {"prompt_tokens": 9, "completion_tokens": 1, "total_tokens": 10}


def cut_call(request: dict[str, Any], whole: dict[str, Any]) -> None:
    [choice] = whole["choices"]
    choice["message"]["tool_calls"][0]["function"]["arguments"] = '{"city": "Pa'
    choice["finish_reason"] = "tool_calls"


@pytest.mark.parametrize(
    ("case", "change", "rule"),
    [
        ("two-answers", constant_id, "answer-id-reused"),
        ("at-once", constant_id, "answer-id-reused"),
        ("tool-none", none_ignored, "calls-despite-none"),
        ("limit", limit_ignored, "token-limit-exceeded"),
        ("limit-older", limit_ignored, "token-limit-exceeded"),
        ("tool", cut_call, "arguments-not-json"),
        ("tool-required", cut_call, "arguments-not-json"),
        ("tool-auto", cut_call, "arguments-not-json"),
    ],
)
def test_a_fault_that_users_report_deviates_live_and_in_the_recording(
    serve: Any, probe: Any, wire: SimpleNamespace, tmp_path: Path, case: str, change: Any, rule: str
) -> None:
    def behaviour(asked: Any) -> None:
        whole = wire.completion(asked.json())
        change(asked.json(), whole)
        asked.write(wire.http(200, "application/json", json.dumps(whole).encode()))

    result = probe(serve(behaviour).url, "--case", case, "--record", str(tmp_path), "--format", "json")
    assert cases(result.output) == {case: "deviates"}
    assert rule in found(result.output)
    assert findings(check(tmp_path, "--format", "json").output) == findings(result.output)


def everything_wrong(wire: SimpleNamespace, asked: Any) -> None:
    """Answer as a server with five faults: constant id, ignored none and limit, cut calls, overflow as 500."""
    request = asked.json()
    if len(asked.body) > 100_000:
        asked.write(wire.http(500, "application/json", json.dumps(wire.error("out of context")).encode()))
        return
    whole = wire.completion(request)
    constant_id(request, whole)
    if request.get("tool_choice") == "none":
        none_ignored(request, whole)
    elif 1 in (request.get("max_completion_tokens"), request.get("max_tokens")):
        limit_ignored(request, whole)
    elif whole["choices"][0]["message"].get("tool_calls"):
        cut_call(request, whole)
    asked.write(wire.http(200, "application/json", json.dumps(whole).encode()))


def test_a_server_with_all_the_faults_that_users_report_deviates_in_each_of_them(
    serve: Any, probe: Any, wire: SimpleNamespace, tmp_path: Path
) -> None:
    wrong = "two-answers,tool-none,limit,limit-older,tool,tool-required,tool-auto,at-once,context-overflow"
    server = serve(lambda asked: everything_wrong(wire, asked))
    arguments = ("--case", f"plain,{wrong},developer-role", "--record", str(tmp_path), "--format", "json")
    result = probe(server.url, *arguments)
    expected = dict.fromkeys(wrong.split(","), "deviates") | {"plain": "conforms", "developer-role": "conforms"}
    assert cases(result.output) == expected
    assert result.exit_code == 1
    assert findings(check(tmp_path, "--format", "json").output) == findings(result.output)


@pytest.mark.parametrize("case", ["tool-auto", "tool-auto-stream"])
def test_a_call_that_leaks_as_text_deviates(serve: Any, probe: Any, wire: SimpleNamespace, case: str) -> None:
    leaked = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris"}}\n</tool_call>'

    def behaviour(asked: Any) -> None:
        request = {name: value for name, value in asked.json().items() if name != "tools"}
        if request.get("stream"):
            chunks = list(wire.chunks(request))
            chunks[1]["choices"][0]["delta"]["content"] = leaked
            asked.write(wire.http(200, "text/event-stream", wire.events(*chunks)))
        else:
            whole = wire.completion(request)
            whole["choices"][0]["message"]["content"] = leaked
            asked.write(wire.http(200, "application/json", json.dumps(whole).encode()))

    result = probe(serve(behaviour).url, "--case", case, "--format", "json")
    assert cases(result.output) == {case: "deviates"}
    assert "markup-in-content" in found(result.output)


@pytest.mark.parametrize(
    ("case", "said", "standing"),
    [
        ("stop", "Hll!  m  smll mdl. sk m nythng.", "deviates"),
        ("stop-stream", "Hll!  m  smll mdl. sk m nythng.", "deviates"),
        ("stop-stream", "The sea is calm", "deviates"),
        ("stop", "Th s  s clm nd c", "inconclusive"),
        ("stop-text", "Hllo! I am a small modl.", "inconclusive"),
        ("stop-text-stream", "Hi!", "inconclusive"),
        ("stop-parts-stream", "Hello! I am a small model.", "deviates"),
        ("stop-parts-stream", "Hel! I am a small model.", "inconclusive"),
        ("stop-parts-stream", "T", "conforms"),
        ("stop", "", "conforms"),
    ],
)
def test_a_server_that_goes_on_after_a_stop_sequence_does_not_conform(
    serve: Any, probe: Any, wire: SimpleNamespace, tmp_path: Path, case: str, said: str, standing: str
) -> None:
    def behaviour(asked: Any) -> None:
        request = asked.json()
        if request.get("stream"):
            first, second, *rest = wire.chunks({**request, "stop": "e"})
            parts = [copy.deepcopy(second) for _ in said]
            for part, character in zip(parts, said, strict=True):
                part["choices"][0]["delta"]["content"] = character
            asked.write(wire.http(200, "text/event-stream", wire.events(first, *parts, *rest)))
        else:
            whole = wire.completion(request)
            whole["choices"][0]["message"]["content"] = said
            asked.write(wire.http(200, "application/json", json.dumps(whole).encode()))

    result = probe(serve(behaviour).url, "--case", case, "--record", str(tmp_path), "--format", "json")
    assert cases(result.output) == {case: standing}
    assert findings(check(tmp_path, "--format", "json").output) == findings(result.output)


@pytest.mark.parametrize(
    ("status", "code", "standing", "rule"),
    [
        (400, "context_length_exceeded", "conforms", None),
        (400, None, "deviates", "error-code-unexpected"),
        (413, "context_length_exceeded", "deviates", "unexpected-status"),
        (500, "context_length_exceeded", "deviates", "unexpected-status context-overflow-unmarked"),
    ],
)
def test_a_prompt_that_is_too_long_is_sent_once_and_refused_with_400_and_its_code(
    serve: Any, probe: Any, wire: SimpleNamespace, status: int, code: str | None, standing: str, rule: str | None
) -> None:
    refusal = wire.http(status, "application/json", json.dumps(wire.error("The prompt is too long.", code)).encode())
    server = serve(lambda asked: asked.write(refusal) if len(asked.body) > 100_000 else wire.well(asked))
    result = probe(server.url, "--case", "plain,context-overflow", "--format", "json")
    assert cases(result.output) == {"plain": "conforms", "context-overflow": standing}
    assert found(result.output) == set((rule or "").split())
    assert len(server.asked) == 2
    assert server.asked[-1].json()["max_completion_tokens"] == 1


def test_a_prompt_that_the_context_holds_says_nothing(serve: Any, probe: Any, wire: SimpleNamespace) -> None:
    def behaviour(asked: Any) -> None:
        asked.write(wire.http(200, "application/json", json.dumps(wire.completion(asked.json())).encode()))

    result = probe(serve(behaviour).url, "--case", "context-overflow")
    assert "the prompt was answered, as one of 9 tokens" in result.output


@pytest.mark.parametrize("jobs", ["1", "4"])
def test_a_feature_that_fails_each_time_deviates_while_others_are_answered(
    serve: Any, probe: Any, wire: SimpleNamespace, tmp_path: Path, jobs: str
) -> None:
    failing = wire.http(500, "application/json", json.dumps(wire.error("failed")).encode())
    server = serve(lambda asked: asked.write(failing) if b"logprobs" in asked.body else wire.well(asked))
    result = probe(
        server.url, "--case", "plain,logprobs", "--jobs", jobs, "--record", str(tmp_path), "--format", "json"
    )
    assert cases(result.output) == {"plain": "conforms", "logprobs": "deviates"}
    assert found(result.output) == {"unexpected-status"}
    assert result.exit_code == 1
    offline = check(tmp_path, "--format", "json")
    assert findings(offline.output) == findings(result.output)
    assert offline.exit_code == 1
    assert len(server.asked) == 3


@pytest.mark.parametrize("status", [502, 503, 504])
def test_a_gateway_that_fails_each_time_says_nothing_of_the_feature(
    serve: Any, probe: Any, wire: SimpleNamespace, status: int
) -> None:
    failing = wire.http(status, "application/json", json.dumps(wire.error("failed")).encode())
    server = serve(lambda asked: asked.write(failing) if b"logprobs" in asked.body else wire.well(asked))
    result = probe(server.url, "--case", "plain,logprobs", "--format", "json")
    assert cases(result.output) == {"plain": "conforms", "logprobs": "inconclusive"}
    assert result.exit_code == 3


def test_when_everything_is_inconclusive_the_summary_says_so_live_and_in_the_recording(
    serve: Any, probe: Any, wire: SimpleNamespace, tmp_path: Path
) -> None:
    def behaviour(asked: Any) -> None:
        request = {**asked.json(), "n": 1, "parallel_tool_calls": False}
        asked.write(wire.http(200, "application/json", json.dumps(wire.completion(request)).encode()))

    server = serve(behaviour)
    result = probe(server.url, "--case", "tools-parallel,missing-key", "--record", str(tmp_path), "--format", "json")
    assert set(cases(result.output).values()) == {"inconclusive"}
    assert json.loads(result.output)["summary"]["verdict"] == "nothing-checked"
    assert result.exit_code == 3
    offline = check(tmp_path, "--format", "json")
    assert json.loads(offline.output)["summary"]["verdict"] == "nothing-checked"
    assert findings(offline.output) == findings(result.output)
    assert offline.exit_code == 3


def test_an_answer_that_was_not_judged_is_not_recorded(
    serve: Any, probe: Any, wire: SimpleNamespace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    over = threading.Event()
    whole = judging.read_back

    def late(data: bytes, name: str) -> Any:
        if name.endswith("stream.json"):
            over.wait(30)
        return whole(data, name)

    monkeypatch.setattr(judging, "read_back", late)
    try:
        arguments = ("--case", "plain,stream", "--deadline", "3", "--record", str(tmp_path), "--format", "json")
        live = probe(serve(wire.well).url, *arguments)
    finally:
        over.set()
    assert cases(live.output) == {"plain": "conforms", "stream": "inconclusive"}
    assert [path.name for path in tmp_path.iterdir()] == ["plain.json"]
    offline = json.loads(check(tmp_path, "--format", "json").output)
    assert offline["findings"] == json.loads(live.output)["findings"]


@pytest.mark.parametrize(
    ("body", "standing"),
    [
        (
            b'{"object": "list", "data": [{"id": "a", "object": "model", "created": 1, "owned_by": "b"}]}',
            "conforms",
        ),
        (b'{"data": [{"id": "tiny"}]}', "conforms"),
        (b'{"object": "list", "data": []}', "deviates"),
        (b'{"models": ["tiny"]}', "deviates"),
        (b'{"data": [{"name": "tiny"}]}', "deviates"),
        (b'["tiny"]', "deviates"),
        (b"tiny", "deviates"),
        (b"<html></html>", "deviates"),
    ],
)
def test_the_models_of_a_server_have_to_be_a_list_that_clients_read(
    serve: Any, probe: Any, wire: SimpleNamespace, tmp_path: Path, body: bytes, standing: str
) -> None:
    server = serve(lambda asked: asked.write(wire.http(200, "application/json", body)))
    result = probe(server.url, "--case", "models", "--record", str(tmp_path), "--format", "json")
    assert cases(result.output) == {"models": standing}
    assert findings(check(tmp_path, "--format", "json").output) == findings(result.output)


def test_models_that_are_not_there_are_unsupported(serve: Any, probe: Any, wire: SimpleNamespace) -> None:
    refusal = wire.http(404, "application/json", json.dumps(wire.error("Invalid URL.")).encode())
    server = serve(lambda asked: wire.well(asked) if asked.body else asked.write(refusal))
    result = probe(server.url, "--group", "models", "--case", "plain", "--format", "json")
    assert cases(result.output) == {"plain": "conforms", "models": "unsupported", "model": "unsupported"}
    assert {asked.path for asked in server.asked if not asked.body} == {"/v1/models", "/v1/models/tiny"}


def test_a_connection_that_breaks_whenever_it_is_used_again_deviates(
    serve: Any, probe: Any, wire: SimpleNamespace, tmp_path: Path
) -> None:
    def behaviour(asked: Any) -> None:
        whole = json.dumps(wire.completion(asked.json())).encode()
        asked.write(DOCUMENT + b"Content-Length: %d\r\n\r\n" % len(whole) + whole)
        asked.read_more()  # the next request is read, and nothing is answered

    server = serve(behaviour)
    result = probe(server.url, "--case", "keep-alive", "--record", str(tmp_path), "--format", "json")
    assert cases(result.output) == {"keep-alive": "deviates"}
    assert "connection-broken" in found(result.output)
    assert findings(check(tmp_path, "--format", "json").output) == findings(result.output)


def test_a_server_that_fails_after_a_client_went_away_deviates(
    serve: Any, probe: Any, wire: SimpleNamespace, tmp_path: Path
) -> None:
    failing = wire.http(500, "application/json", json.dumps(wire.error("failed")).encode())
    server = serve(
        lambda asked: (
            asked.write(failing)
            if any(b"stream" in one.body for one in server.asked[:-1]) and b"stream" not in asked.body
            else wire.well(asked)
        )
    )
    arguments = ("--case", "plain,client-gone", "--record", str(tmp_path), "--format", "json")
    result = probe(server.url, *arguments)
    assert cases(result.output) == {"plain": "conforms", "client-gone": "deviates"}
    assert "client-gone" in {path.stem for path in tmp_path.iterdir()}


def test_a_small_model_that_calls_no_tool_is_no_deviation_of_the_server(
    serve: Any, probe: Any, wire: SimpleNamespace, tmp_path: Path
) -> None:
    def behaviour(asked: Any) -> None:
        request = {name: value for name, value in asked.json().items() if name not in ("tools", "tool_choice")}
        asked.write(wire.http(200, "application/json", json.dumps(wire.completion(request)).encode()))

    url = serve(behaviour).url
    for profile, standing in (("usual", "deviates"), ("small", "inconclusive")):
        folder = tmp_path / profile
        arguments = ("--case", "tool,tool-required", "--profile", profile, "--record", str(folder), "--format", "json")
        result = probe(url, *arguments)
        assert cases(result.output) == {"tool": standing, "tool-required": standing}
        assert findings(check(folder, "--format", "json").output) == findings(result.output)
    assert {name for profile in PROFILES.values() for name in profile.excused} <= set(rules.names())


@pytest.mark.parametrize(
    ("systems", "texts", "standing"),
    [
        (("fp_1", "fp_1"), ("Hi", "Ho"), "inconclusive"),
        (("fp_1", "fp_1"), ("Hi", "Hi"), "conforms"),
        (("fp_1", "fp_2"), ("Hi", "Ho"), "conforms"),
        ((None, None), ("Hi", "Ho"), "conforms"),
    ],
)
def test_two_texts_with_one_seed_are_inconclusive_where_the_system_is_the_same(
    serve: Any,
    probe: Any,
    wire: SimpleNamespace,
    systems: tuple[str | None, str | None],
    texts: tuple[str, str],
    standing: str,
) -> None:
    def behaviour(asked: Any) -> None:
        whole = wire.completion(asked.json())
        number = len(server.asked) - 1
        whole["system_fingerprint"] = systems[number]
        whole["choices"][0]["message"]["content"] = texts[number]
        asked.write(wire.http(200, "application/json", json.dumps(whole).encode()))

    server = serve(behaviour)
    assert cases(probe(server.url, "--case", "seed", "--format", "json").output) == {"seed": standing}


def test_a_small_model_is_asked_for_a_prompt_that_is_too_long_only_by_name() -> None:
    costly = set(PROFILES["small"].costly)
    assert costly == {case.name for case in CASES if case.once}
    assert not costly.intersection(case.name for case in choose_cases([], ["errors"], [], costly))
    assert {case.name for case in choose_cases(["context-overflow"], [], [], costly)} == costly
    assert costly <= {case.name for case in choose_cases([], [], [])}


def test_a_connection_that_the_server_closed_is_replaced_before_a_client_goes_away(
    serve: Any, probe: Any, wire: SimpleNamespace
) -> None:
    def behaviour(asked: Any) -> None:
        if asked.json().get("stream"):
            wire.well(asked)
            return
        whole = json.dumps(wire.completion(asked.json())).encode()
        asked.write(DOCUMENT + b"Content-Length: %d\r\n\r\n" % len(whole) + whole)
        asked.read_more()  # the connection is kept until the next request comes, and closed then

    result = probe(serve(behaviour).url, "--case", "plain,client-gone", "--format", "json")
    assert cases(result.output) == {"plain": "conforms", "client-gone": "conforms"}


def test_a_tool_that_may_be_called_and_is_not_is_inconclusive(serve: Any, probe: Any, wire: SimpleNamespace) -> None:
    def behaviour(asked: Any) -> None:
        request = {name: value for name, value in asked.json().items() if name != "tools"}
        asked.write(wire.http(200, "application/json", json.dumps(wire.completion(request)).encode()))

    result = probe(serve(behaviour).url, "--case", "tool-auto", "--format", "json")
    assert cases(result.output) == {"tool-auto": "inconclusive"}


def test_groups_choose_cases_beside_those_that_are_named(probe: Any, serve: Any, wire: SimpleNamespace) -> None:
    url = serve(wire.well).url
    asked = cases(probe(url, "--group", "tools", "--case", "plain", "--skip", "tool", "--format", "json").output)
    assert set(asked) == {case.name for case in CASES if case.group == "tools"} - {"tool"} | {"plain"}
    streams = cases(probe(url, "--group", "streams", "--group", "models", "--format", "json").output)
    assert {"stream", "tool-stream", "models"} <= set(streams)
    assert "plain" not in streams
    result = probe(url, "--group", "tool")
    assert result.exit_code == 2
    assert "did you mean 'tools'?" in result.output


def test_every_case_says_what_it_tests_why_that_matters_where_it_was_reported_and_what_its_standing_means() -> None:
    assert {group for case in CASES for group in case.groups} == set(GROUPS)
    for case in CASES:
        assert re.fullmatch(r"https://github\.com/[\w.-]+/[\w.-]+/(issues|pull)/\d+", case.thread), case.name
        assert case.tests
        assert case.why.endswith(".")
        assert {"conforms", "deviates", "inconclusive"} <= standings(case).keys() <= STANDINGS.keys()
    result = CliRunner().invoke(cli, ["probe", "--list-cases"])
    assert result.exit_code == 0
    for case in CASES:
        assert f"\n{case.name}: {case.what}\n" in result.output
        assert f"  see: {case.thread}\n" in result.output


def test_no_word_of_a_case_about_a_parameter_asks_for_what_the_parameter_does() -> None:
    for case in CASES:
        if case.group != "formats" or not isinstance(case.body, dict):
            continue
        said = " ".join(message["content"] for message in case.body["messages"] if message["role"] == "user").lower()
        schema = json.dumps(case.body["response_format"])
        names = set(re.findall(r'"properties": \{"(\w+)"', schema))
        assert not [word for word in ("json", "schema", "object", *names) if word in said], case.name
