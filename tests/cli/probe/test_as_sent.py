"""Test that nothing a server sends itself is taken for the work of a recorder: by a probe, its records and a hook."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from click.testing import CliRunner

from isogloss.cli.main import cli
from isogloss.cli.proxy.judging import ProxyJudge
from isogloss.validator import ResponseHook, check

REQUEST = {"model": "tiny", "messages": [{"role": "user", "content": "Hi"}]}
MESSAGE = {"role": "assistant", "content": "Hi", "refusal": None}
CHOICE = {"finish_reason": "stop", "index": 0, "logprobs": None, "message": MESSAGE}
USAGE = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
HEAD = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1760000000, "model": "tiny"}
ANSWER = HEAD | {"choices": [CHOICE], "usage": USAGE}
CHUNK = HEAD | {
    "object": "chat.completion.chunk",
    "choices": [{"index": 0, "delta": MESSAGE, "logprobs": None, "finish_reason": "stop"}],
}
TEXT = json.dumps(ANSWER)
NULLS = {"function_call": None, "tool_calls": None}
LIKE_A_DUMP = {
    "id": "chatcmpl-1",
    "choices": [CHOICE | {"message": MESSAGE | NULLS}],
    "created": 1760000000,
    "model": "tiny",
    "object": "chat.completion",
    "usage": USAGE,
}
LIKE_RECORDINGS: dict[str, tuple[Any, str]] = {
    "a-name": (ANSWER | {"created": "[created]"}, "wrong-type"),
    "a-word": (ANSWER | {"created": "[REDACTED]"}, "wrong-type"),
    "stars": (ANSWER | {"created": "***"}, "wrong-type"),
    "a-number": (7, "wrong-type"),
    "an-empty-object": ({}, "body-not-completion"),
    "text-in-an-object": ({"string": TEXT}, "body-not-completion"),
    "described-text": ({"mimeType": "application/json", "text": TEXT}, "body-not-completion"),
    "base64": ({"encoding": "base64", "data": base64.b64encode(TEXT.encode()).decode()}, "body-not-completion"),
    "a-buffer": ({"type": "Buffer", "data": list(TEXT.encode())}, "body-not-completion"),
    "a-matcher": ({"type": "JSON", "json": ANSWER}, "completion-wrapped"),
    "a-list-of-chunks": ([CHUNK], "wrong-type"),
    "a-list-of-events": ([{"data": CHUNK}], "wrong-type"),
    "a-list-of-texts": ([json.dumps(CHUNK)], "wrong-type"),
    "a-dump": (LIKE_A_DUMP, "null-value"),
    "no-body": (b"[FILTERED]", "body-not-json"),
    "cut-off": (TEXT[:-30].encode() + b"...", "json-truncated"),
}
"""Answers that have the form of something that a recorder, or a user of one, writes; and the rule that each breaks."""


def _respond(value: Any) -> Any:
    """Return a handler that sends a body without a content type, which would show that it was sent like that."""
    body = value if isinstance(value, bytes) else json.dumps(value).encode()
    head = f"HTTP/1.1 200 OK\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n".encode()
    return lambda request: request.respond(head + body)


@pytest.mark.parametrize("name", LIKE_RECORDINGS)
def test_what_looks_like_the_work_of_a_recorder_deviates_if_a_server_sends_it(
    serve: Any, probe: Any, tmp_path: Path, name: str
) -> None:
    sent, rule = LIKE_RECORDINGS[name]
    server, folder = serve(_respond(sent)), tmp_path / "answers"
    live = probe(server.url, "--case", "plain", "--record", str(folder), "--format", "json")
    assert rule in {finding["rule"] for finding in json.loads(live.output)["findings"]}
    offline = CliRunner().invoke(cli, ["check", str(folder), "--format", "json"])
    assert json.loads(offline.output)["findings"] == json.loads(live.output)["findings"]
    hook = ResponseHook()
    with httpx.Client(event_hooks={"response": [hook]}) as client:
        response = client.post(f"{server.url}/chat/completions", json=REQUEST)
    assert rule in {finding.rule for finding in hook.findings}
    assert rule in {finding.rule for finding in check(response).findings}


def _flow(body: bytes, is_replay: str | None) -> SimpleNamespace:
    request = SimpleNamespace(
        method="POST",
        pretty_url="http://127.0.0.1/v1/chat/completions",
        raw_content=json.dumps(REQUEST).encode(),
        headers={},
        http_version="HTTP/1.1",
    )
    response = SimpleNamespace(status_code=200, raw_content=body, headers={}, http_version="HTTP/1.1")
    return SimpleNamespace(id="1", request=request, response=response, error=None, is_replay=is_replay)


@pytest.mark.parametrize("name", ["a-word", "a-dump", "no-body", "cut-off"])
def test_a_proxy_tolerates_the_work_of_a_recorder_only_in_answers_that_it_replays(name: str, tmp_path: Path) -> None:
    sent, rule = LIKE_RECORDINGS[name]
    body = sent if isinstance(sent, bytes) else json.dumps(sent).encode()
    for is_replay, is_found in ((None, True), ("request", True), ("response", False)):
        judge = ProxyJudge("", "", [f"json:{tmp_path / 'report.json'}"], before=None)
        judge.judge(_flow(body, is_replay), body)
        judge.report()
        report = json.loads((tmp_path / "report.json").read_bytes())
        assert (rule in {finding["rule"] for finding in report["findings"]}) == is_found


def test_a_recorded_answer_that_a_double_gives_to_a_client_may_be_overwritten() -> None:
    def play(request: httpx.Request) -> httpx.Response:
        return httpx.Response(200, json=ANSWER | {"created": "[REDACTED]"})

    hook = ResponseHook()
    with httpx.Client(transport=httpx.MockTransport(play), event_hooks={"response": [hook]}) as client:
        response = client.post("http://127.0.0.1/v1/chat/completions", json=REQUEST)
    assert [*hook.findings, *check(response).findings] == []
