"""Test ``isogloss probe`` on servers that break one feature."""

from __future__ import annotations

import copy
import json
import threading
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from probe_reports import JSON_HEAD, STREAM_HEAD, check, read_findings, read_standings

from isogloss.cli.probe import judging
from isogloss.cli.probe.choosing import PROFILES
from isogloss.validator import rules


def read_rules(report: str) -> set[str]:
    return {finding["rule"] for finding in json.loads(report)["findings"] if finding["severity"] != "note"}


def set_constant_id(payload: dict[str, Any], completion: dict[str, Any]) -> None:
    completion["id"] = f"chatcmpl-{'1' * 29}"


def ignore_tool_choice_none(payload: dict[str, Any], completion: dict[str, Any]) -> None:
    call = {"id": "call_1", "type": "function", "function": {"name": "get_weather", "arguments": '{"city": "Paris"}'}}
    [choice] = completion["choices"]
    choice["message"] |= {"content": None, "tool_calls": [call]}
    choice["finish_reason"] = "tool_calls"


def ignore_token_limit(payload: dict[str, Any], completion: dict[str, Any]) -> None:
    [choice] = completion["choices"]
    choice["message"]["content"] = "The sea is wide and blue, and nobody has ever seen all of it."
    choice["finish_reason"] = "stop"
    completion["usage"] = {"prompt_tokens": 9, "completion_tokens": 1, "total_tokens": 10}


def cut_arguments(payload: dict[str, Any], completion: dict[str, Any]) -> None:
    [choice] = completion["choices"]
    choice["message"]["tool_calls"][0]["function"]["arguments"] = '{"city": "Pa'
    choice["finish_reason"] = "tool_calls"


@pytest.mark.parametrize(
    ("case", "change", "rule"),
    [
        ("two-answers", set_constant_id, "answer-id-reused"),
        ("at-once", set_constant_id, "answer-id-reused"),
        ("tool-none", ignore_tool_choice_none, "calls-despite-none"),
        ("limit", ignore_token_limit, "token-limit-exceeded"),
        ("limit-older", ignore_token_limit, "token-limit-exceeded"),
        ("tool", cut_arguments, "arguments-not-json"),
        ("tool-required", cut_arguments, "arguments-not-json"),
        ("tool-auto", cut_arguments, "arguments-not-json"),
    ],
)
def test_a_fault_that_users_report_deviates_live_and_in_the_recording(
    serve: Any, probe: Any, wire: SimpleNamespace, tmp_path: Path, case: str, change: Any, rule: str
) -> None:
    def handle(request: Any) -> None:
        completion = wire.completion(request.json())
        change(request.json(), completion)
        request.respond(wire.response(200, "application/json", json.dumps(completion).encode()))

    result = probe(serve(handle).url, "--case", case, "--record", str(tmp_path), "--format", "json")
    assert read_standings(result.output) == {case: "deviates"}
    assert rule in read_rules(result.output)
    assert read_findings(check(tmp_path, "--format", "json").output) == read_findings(result.output)


def answer_with_five_faults(wire: SimpleNamespace, request: Any) -> None:
    """Answer a request as a server with five faults.

    All its completions have the same id. It ignores ``tool_choice: none`` and the token limit, cuts the arguments of
    tool calls, and answers a prompt that is too long with status 500.
    """
    payload = request.json()
    if len(request.body) > 100_000:
        request.respond(wire.response(500, "application/json", json.dumps(wire.error("out of context")).encode()))
        return
    completion = wire.completion(payload)
    set_constant_id(payload, completion)
    if payload.get("tool_choice") == "none":
        ignore_tool_choice_none(payload, completion)
    elif 1 in (payload.get("max_completion_tokens"), payload.get("max_tokens")):
        ignore_token_limit(payload, completion)
    elif completion["choices"][0]["message"].get("tool_calls"):
        cut_arguments(payload, completion)
    request.respond(wire.response(200, "application/json", json.dumps(completion).encode()))


def test_a_server_with_all_the_faults_that_users_report_deviates_in_each_of_them(
    serve: Any, probe: Any, wire: SimpleNamespace, tmp_path: Path
) -> None:
    deviating = "two-answers,tool-none,limit,limit-older,tool,tool-required,tool-auto,at-once,context-overflow"
    server = serve(lambda request: answer_with_five_faults(wire, request))
    arguments = ("--case", f"plain,{deviating},developer-role", "--record", str(tmp_path), "--format", "json")
    result = probe(server.url, *arguments)
    expected = dict.fromkeys(deviating.split(","), "deviates") | {"plain": "conforms", "developer-role": "conforms"}
    assert read_standings(result.output) == expected
    assert result.exit_code == 1
    assert read_findings(check(tmp_path, "--format", "json").output) == read_findings(result.output)


@pytest.mark.parametrize("case", ["tool-auto", "tool-auto-stream"])
def test_a_tool_call_that_leaks_as_text_deviates(serve: Any, probe: Any, wire: SimpleNamespace, case: str) -> None:
    leaked = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris"}}\n</tool_call>'

    def handle(request: Any) -> None:
        payload = {name: value for name, value in request.json().items() if name != "tools"}
        if payload.get("stream"):
            chunks = list(wire.chunks(payload))
            chunks[1]["choices"][0]["delta"]["content"] = leaked
            request.respond(wire.response(200, "text/event-stream", wire.events(*chunks)))
        else:
            completion = wire.completion(payload)
            completion["choices"][0]["message"]["content"] = leaked
            request.respond(wire.response(200, "application/json", json.dumps(completion).encode()))

    result = probe(serve(handle).url, "--case", case, "--format", "json")
    assert read_standings(result.output) == {case: "deviates"}
    assert "markup-in-content" in read_rules(result.output)


@pytest.mark.parametrize(
    ("case", "content", "standing"),
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
        ("stop", None, "inconclusive"),
    ],
)
def test_a_server_that_goes_on_after_a_stop_sequence_does_not_conform(
    serve: Any, probe: Any, wire: SimpleNamespace, tmp_path: Path, case: str, content: str | None, standing: str
) -> None:
    def handle(request: Any) -> None:
        payload = request.json()
        if payload.get("stream"):
            first, second, *rest = wire.chunks({**payload, "stop": "e"})
            text_chunks = [copy.deepcopy(second) for _ in content or ""]
            for chunk, character in zip(text_chunks, content or "", strict=True):
                chunk["choices"][0]["delta"]["content"] = character
            request.respond(wire.response(200, "text/event-stream", wire.events(first, *text_chunks, *rest)))
        else:
            completion = wire.completion(payload)
            completion["choices"][0]["message"]["content"] = content
            request.respond(wire.response(200, "application/json", json.dumps(completion).encode()))

    result = probe(serve(handle).url, "--case", case, "--record", str(tmp_path), "--format", "json")
    assert read_standings(result.output) == {case: standing}
    assert read_findings(check(tmp_path, "--format", "json").output) == read_findings(result.output)


@pytest.mark.parametrize(
    ("status", "code", "standing", "expected_rules"),
    [
        (400, "context_length_exceeded", "conforms", None),
        (400, None, "deviates", "error-code-unexpected"),
        (413, "context_length_exceeded", "deviates", "unexpected-status"),
        (500, "context_length_exceeded", "deviates", "unexpected-status context-overflow-unmarked"),
    ],
)
def test_a_prompt_that_is_too_long_is_sent_once_and_must_be_refused_with_400_and_its_code(
    serve: Any,
    probe: Any,
    wire: SimpleNamespace,
    status: int,
    code: str | None,
    standing: str,
    expected_rules: str | None,
) -> None:
    refusal = wire.response(
        status, "application/json", json.dumps(wire.error("The prompt is too long.", code)).encode()
    )
    server = serve(
        lambda request: request.respond(refusal) if len(request.body) > 100_000 else wire.answer_correctly(request)
    )
    result = probe(server.url, "--case", "plain,context-overflow", "--format", "json")
    assert read_standings(result.output) == {"plain": "conforms", "context-overflow": standing}
    assert read_rules(result.output) == set((expected_rules or "").split())
    assert len(server.requests) == 2
    assert server.requests[-1].json()["max_completion_tokens"] == 1


@pytest.mark.parametrize(
    ("usage", "reported"),
    [
        ({}, "the prompt was answered, as one of 9 tokens"),
        ({"usage": {"prompt_tokens": "9"}}, "context-overflow  deviates "),
        ({"usage": None}, "context-overflow  deviates "),
    ],
)
def test_a_long_prompt_that_is_answered_is_reported_with_its_number_of_tokens_if_that_is_known(
    serve: Any, probe: Any, wire: SimpleNamespace, usage: dict[str, Any], reported: str
) -> None:
    def handle(request: Any) -> None:
        completion = wire.completion(request.json()) | usage
        request.respond(wire.response(200, "application/json", json.dumps(completion).encode()))

    assert reported in probe(serve(handle).url, "--case", "context-overflow").output


@pytest.mark.parametrize("jobs", ["1", "4"])
def test_a_feature_that_fails_each_time_deviates_while_others_are_answered(
    serve: Any, probe: Any, wire: SimpleNamespace, tmp_path: Path, jobs: str
) -> None:
    failure = wire.response(500, "application/json", json.dumps(wire.error("failed")).encode())
    server = serve(
        lambda request: request.respond(failure) if b"logprobs" in request.body else wire.answer_correctly(request)
    )
    result = probe(
        server.url, "--case", "plain,logprobs", "--jobs", jobs, "--record", str(tmp_path), "--format", "json"
    )
    assert read_standings(result.output) == {"plain": "conforms", "logprobs": "deviates"}
    assert read_rules(result.output) == {"unexpected-status"}
    assert result.exit_code == 1
    offline = check(tmp_path, "--format", "json")
    assert read_findings(offline.output) == read_findings(result.output)
    assert offline.exit_code == 1
    assert len(server.requests) == 3


@pytest.mark.parametrize("status", [502, 503, 504])
def test_a_feature_is_inconclusive_if_a_gateway_error_answers_each_request(
    serve: Any, probe: Any, wire: SimpleNamespace, status: int
) -> None:
    failure = wire.response(status, "application/json", json.dumps(wire.error("failed")).encode())
    server = serve(
        lambda request: request.respond(failure) if b"logprobs" in request.body else wire.answer_correctly(request)
    )
    result = probe(server.url, "--case", "plain,logprobs", "--format", "json")
    assert read_standings(result.output) == {"plain": "conforms", "logprobs": "inconclusive"}
    assert result.exit_code == 3


def test_the_summary_says_that_nothing_was_checked_if_every_case_is_inconclusive(
    serve: Any, probe: Any, wire: SimpleNamespace, tmp_path: Path
) -> None:
    def handle(request: Any) -> None:
        payload = {**request.json(), "n": 1, "parallel_tool_calls": False}
        request.respond(wire.response(200, "application/json", json.dumps(wire.completion(payload)).encode()))

    server = serve(handle)
    result = probe(server.url, "--case", "tools-parallel,missing-key", "--record", str(tmp_path), "--format", "json")
    assert set(read_standings(result.output).values()) == {"inconclusive"}
    assert json.loads(result.output)["summary"]["verdict"] == "nothing-checked"
    assert result.exit_code == 3
    offline = check(tmp_path, "--format", "json")
    assert json.loads(offline.output)["summary"]["verdict"] == "nothing-checked"
    assert read_findings(offline.output) == read_findings(result.output)
    assert offline.exit_code == 3


def test_an_answer_that_was_not_judged_is_not_recorded(
    serve: Any, probe: Any, wire: SimpleNamespace, clock: SimpleNamespace, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    plain_is_judged, test_is_over = threading.Event(), threading.Event()
    read_back = judging.read_back

    def read_back_late(data: bytes, name: str) -> Any:
        if name.endswith("stream.json"):
            test_is_over.wait(30)
        else:
            plain_is_judged.set()
        return read_back(data, name)

    def handle(request: Any) -> None:
        if request.json().get("stream"):
            assert plain_is_judged.wait(30)
            clock.now = 60
        wire.answer_correctly(request)

    monkeypatch.setattr(judging, "read_back", read_back_late)
    try:
        arguments = ("--case", "plain,stream", "--deadline", "60", "--record", str(tmp_path), "--format", "json")
        live = probe(serve(handle).url, *arguments)
    finally:
        test_is_over.set()
    assert read_standings(live.output) == {"plain": "conforms", "stream": "inconclusive"}
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
def test_the_list_of_models_must_have_a_form_that_clients_read(
    serve: Any, probe: Any, wire: SimpleNamespace, tmp_path: Path, body: bytes, standing: str
) -> None:
    server = serve(lambda request: request.respond(wire.response(200, "application/json", body)))
    result = probe(server.url, "--case", "models", "--record", str(tmp_path), "--format", "json")
    assert read_standings(result.output) == {"models": standing}
    assert read_findings(check(tmp_path, "--format", "json").output) == read_findings(result.output)


def test_endpoints_for_models_that_do_not_exist_are_unsupported(serve: Any, probe: Any, wire: SimpleNamespace) -> None:
    refusal = wire.response(404, "application/json", json.dumps(wire.error("Invalid URL.")).encode())
    server = serve(lambda request: wire.answer_correctly(request) if request.body else request.respond(refusal))
    result = probe(server.url, "--group", "models", "--case", "plain", "--format", "json")
    assert read_standings(result.output) == {"plain": "conforms", "models": "unsupported", "model": "unsupported"}
    assert {request.path for request in server.requests if not request.body} == {"/v1/models", "/v1/models/tiny"}


def test_a_connection_that_breaks_at_each_second_request_deviates(
    serve: Any, probe: Any, wire: SimpleNamespace, tmp_path: Path
) -> None:
    def handle(request: Any) -> None:
        body = json.dumps(wire.completion(request.json())).encode()
        request.respond(JSON_HEAD + b"Content-Length: %d\r\n\r\n" % len(body) + body)
        request.read_more()  # read the next request, and do not answer it

    server = serve(handle)
    result = probe(server.url, "--case", "keep-alive", "--record", str(tmp_path), "--format", "json")
    assert read_standings(result.output) == {"keep-alive": "deviates"}
    assert "connection-broken" in read_rules(result.output)
    assert "the connection breaks before an answer begins" in result.output
    assert read_findings(check(tmp_path, "--format", "json").output) == read_findings(result.output)


SENT_AGAIN = "is an earlier answer again, which was no stream, in place of the answer to this request"


@pytest.mark.parametrize(
    ("behind", "words"),
    [
        (lambda sent: sent, SENT_AGAIN),
        (lambda sent: b"more", "no answer follows on the connection: it does not begin with a status line: 'more"),
    ],
)
def test_what_a_server_sends_behind_an_answer_is_a_fault_of_the_connection_and_of_no_other_case(
    serve: Any, probe: Any, wire: SimpleNamespace, tmp_path: Path, behind: Callable[[bytes], bytes], words: str
) -> None:
    def handle(request: Any) -> None:
        stream = request.json().get("stream")
        payload = wire.events(*wire.chunks(request.json())) if stream else json.dumps(wire.completion(request.json()))
        body, head = (payload, STREAM_HEAD) if stream else (payload.encode(), JSON_HEAD)
        sent = head + b"Content-Length: %d\r\n\r\n" % len(body) + body
        request.respond(sent + behind(sent))
        while line := request.read_more():  # the next request, on the same connection
            if line == b"\r\n":
                request.respond(sent + behind(sent))

    cases = ("--case", "plain,stream,keep-alive")
    result = probe(serve(handle).url, *cases, "--record", str(tmp_path), "--format", "json")
    assert read_standings(result.output) == {"plain": "conforms", "stream": "conforms", "keep-alive": "deviates"}
    [finding] = read_findings(result.output)
    assert words in str(finding)
    assert read_findings(check(tmp_path, "--format", "json").output) == [finding]


def test_a_server_that_fails_after_a_client_disconnected_deviates(
    serve: Any, probe: Any, wire: SimpleNamespace, tmp_path: Path
) -> None:
    failure = wire.response(500, "application/json", json.dumps(wire.error("failed")).encode())
    server = serve(
        lambda request: (
            request.respond(failure)
            if any(b"stream" in earlier.body for earlier in server.requests[:-1]) and b"stream" not in request.body
            else wire.answer_correctly(request)
        )
    )
    arguments = ("--case", "plain,client-gone", "--record", str(tmp_path), "--format", "json")
    result = probe(server.url, *arguments)
    assert read_standings(result.output) == {"plain": "conforms", "client-gone": "deviates"}
    assert "client-gone" in {path.stem for path in tmp_path.iterdir()}


def test_a_missing_tool_call_is_inconclusive_with_the_profile_for_small_models(
    serve: Any, probe: Any, wire: SimpleNamespace, tmp_path: Path
) -> None:
    def handle(request: Any) -> None:
        payload = {name: value for name, value in request.json().items() if name not in ("tools", "tool_choice")}
        request.respond(wire.response(200, "application/json", json.dumps(wire.completion(payload)).encode()))

    url = serve(handle).url
    for profile, standing in (("usual", "deviates"), ("small", "inconclusive")):
        folder = tmp_path / profile
        arguments = ("--case", "tool,tool-required", "--profile", profile, "--record", str(folder), "--format", "json")
        result = probe(url, *arguments)
        assert read_standings(result.output) == {"tool": standing, "tool-required": standing}
        assert read_findings(check(folder, "--format", "json").output) == read_findings(result.output)
    assert {name for profile in PROFILES.values() for name in profile.excused} <= set(rules.names())


@pytest.mark.parametrize(
    ("fingerprints", "texts", "standing"),
    [
        (("fp_1", "fp_1"), ("Hi", "Ho"), "inconclusive"),
        (("fp_1", "fp_1"), ("Hi", "Hi"), "conforms"),
        (("fp_1", "fp_2"), ("Hi", "Ho"), "conforms"),
        ((None, None), ("Hi", "Ho"), "conforms"),
    ],
)
def test_different_texts_for_one_seed_are_inconclusive_if_the_system_fingerprint_is_the_same(
    serve: Any,
    probe: Any,
    wire: SimpleNamespace,
    fingerprints: tuple[str | None, str | None],
    texts: tuple[str, str],
    standing: str,
) -> None:
    def handle(request: Any) -> None:
        completion = wire.completion(request.json())
        index = len(server.requests) - 1
        completion["system_fingerprint"] = fingerprints[index]
        completion["choices"][0]["message"]["content"] = texts[index]
        request.respond(wire.response(200, "application/json", json.dumps(completion).encode()))

    server = serve(handle)
    assert read_standings(probe(server.url, "--case", "seed", "--format", "json").output) == {"seed": standing}


def test_a_connection_that_the_server_closed_is_replaced_before_the_client_disconnects(
    serve: Any, probe: Any, wire: SimpleNamespace
) -> None:
    def handle(request: Any) -> None:
        if request.json().get("stream"):
            wire.answer_correctly(request)
            return
        body = json.dumps(wire.completion(request.json())).encode()
        request.respond(JSON_HEAD + b"Content-Length: %d\r\n\r\n" % len(body) + body)
        request.read_more()  # keep the connection until the next request comes, and close it then

    result = probe(serve(handle).url, "--case", "plain,client-gone", "--format", "json")
    assert read_standings(result.output) == {"plain": "conforms", "client-gone": "conforms"}


def test_an_optional_tool_call_that_is_missing_is_inconclusive(serve: Any, probe: Any, wire: SimpleNamespace) -> None:
    def handle(request: Any) -> None:
        payload = {name: value for name, value in request.json().items() if name != "tools"}
        request.respond(wire.response(200, "application/json", json.dumps(wire.completion(payload)).encode()))

    result = probe(serve(handle).url, "--case", "tool-auto", "--format", "json")
    assert read_standings(result.output) == {"tool-auto": "inconclusive"}
