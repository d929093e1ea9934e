"""Test what a probe reports about servers that fail, are busy, break the connection, or send answers without end."""

from __future__ import annotations

import json
import socket
import struct
import threading
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import jsonschema_rs
import pytest
from probe_reports import JSON_HEAD, STREAM_HEAD, check, read_findings, read_standings

from isogloss.cli.probe import judging

ROOT = Path(__file__).parents[3]
REPORT_SCHEMA = json.loads((ROOT / "schemas/isogloss/schemas/report/v1.json").read_bytes())


def error_handler(wire: SimpleNamespace, status: int, *headers: str) -> Callable[[Any], None]:
    body = json.dumps(wire.error("not now")).encode()
    return lambda request: request.respond(wire.response(status, "application/json", body, *headers))


def reset_connection(request: Any) -> None:
    request.respond.__self__.request.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    request.respond.__self__.request.close()


def test_the_json_report_says_which_clients_break_on_a_finding(serve: Any, probe: Any, wire: SimpleNamespace) -> None:
    def answer_without_choices(request: Any) -> None:
        body = wire.completion(request.json()) | {"choices": None}
        request.respond(wire.response(200, "application/json", json.dumps(body).encode()))

    report = json.loads(probe(serve(answer_without_choices).url, "--case", "plain", "--format", "json").stdout)
    [impact] = [finding["impact"] for finding in report["findings"] if finding["path"] == "choices"]
    assert "openai-python" in impact["clients"]


def drop_connection_in_event(request: Any) -> None:
    request.respond(STREAM_HEAD + b'\r\ndata: {"id": "chatcmpl-1"}\n\nda')
    reset_connection(request)


def send_short_body(request: Any) -> None:
    request.respond(JSON_HEAD + b'Content-Length: 99\r\n\r\n{"id": "a"}')


def send_html(request: Any) -> None:
    request.respond(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 6\r\n\r\n<html>")


def redirect(request: Any) -> None:
    request.respond(b"HTTP/1.1 302 Found\r\nLocation: http://example.invalid/v1\r\nContent-Length: 0\r\n\r\n")


def send_many_properties(request: Any) -> None:
    body = b'{"choices": [], ' + b", ".join(b'"k%d": 1' % number for number in range(30_000)) + b"}"
    request.respond(JSON_HEAD + b"Content-Length: %d\r\n\r\n" % len(body) + body)


def send_many_choices(request: Any) -> None:
    body = json.dumps({"choices": [{"index": 0}] * 15_000}).encode()
    request.respond(JSON_HEAD + b"Content-Length: %d\r\n\r\n" % len(body) + body)


MISBEHAVING = [
    (reset_connection, "inconclusive", "the connection failed: ", 3),
    (redirect, "inconclusive", "which is not followed", 3),
    (drop_connection_in_event, "deviates", "connection-broken", 1),
    (send_short_body, "deviates", "connection-broken", 1),
    (send_html, "deviates", "body-not-json", 1),
    pytest.param(send_many_properties, "deviates", "unknown-property", 1, marks=pytest.mark.thorough, id="many_keys"),
    pytest.param(send_many_choices, "deviates", "missing-property", 1, marks=pytest.mark.thorough, id="many_choices"),
]


@pytest.mark.parametrize(
    ("handle", "standing", "expected", "exit_code"), MISBEHAVING, ids=lambda value: getattr(value, "__name__", "")
)
def test_a_misbehaving_server_determines_standing_reason_and_exit_code(
    serve: Any, probe: Any, handle: Callable[[Any], None], standing: str, expected: str, exit_code: int
) -> None:
    result = probe(serve(handle).url, "--case", "plain", "--timeout", "30", "--deadline", "60")
    assert f"plain  {standing} " in result.output
    assert expected in result.output
    assert ": :" not in result.output
    assert result.exit_code == exit_code


def test_a_page_of_html_speaks_no_dialect_and_a_refusal_of_the_simplest_request_says_what_to_try(
    serve: Any, probe: Any, wire: SimpleNamespace
) -> None:
    assert "speaks" not in probe(serve(send_html).url, "--case", "plain").output
    page = wire.response(404, "text/html", b"<html><h1>Not Found</h1></html>")
    result = probe(serve(lambda request: request.respond(page)).url.removesuffix("/v1"), "--case", "plain")
    assert "there is no such endpoint or model (status 404); is the URL right? It often ends in /v1; " in result.output
    result = probe(serve(error_handler(wire, 503)).url, "--case", "plain,stream")
    assert result.output.count("the server fails (status 503); if it is just starting, --wait waits for it") == 2
    key = wire.response(401, "application/json", json.dumps(wire.error("Who are you?", "invalid_api_key")).encode())
    result = probe(serve(lambda request: request.respond(key)).url, "--case", "plain")
    assert "inconclusive" in result.output
    assert "the key is refused (status 401)" in result.output


def test_an_answer_without_text_to_no_messages_is_one_finding_with_its_cause(
    serve: Any, probe: Any, wire: SimpleNamespace
) -> None:
    def answer(request: Any) -> None:
        completion = wire.completion(request.json())
        completion["choices"][0]["message"]["content"] = ""
        completion["usage"] |= {"prompt_tokens": 0, "total_tokens": completion["usage"]["completion_tokens"]}
        request.respond(wire.response(200, "application/json", json.dumps(completion).encode()))

    result = probe(serve(answer).url, "--case", "refuses-missing-messages", "--format", "json")
    findings = json.loads(result.output)["findings"]
    assert {one["rule"] for one in findings if one["severity"] != "note"} == {"bad-request-accepted"}


@pytest.mark.parametrize("status", [400, 422])
def test_a_refusal_says_nothing_about_its_case_if_the_simplest_request_is_refused_in_the_same_words(
    serve: Any, probe: Any, wire: SimpleNamespace, tmp_path: Path, status: int
) -> None:
    def refuse(request: Any) -> None:
        number = len(server.requests)
        error = wire.error(f"no graph is configured (request {number}a3f)")
        if request.body.startswith(b'{"model": "x"'):
            error = wire.error("the body is not JSON")
        if b'"stream":true' in request.body:
            wire.answer_correctly(request)
        else:
            request.respond(wire.response(status, "application/json", json.dumps(error).encode()))

    server = serve(refuse)
    cases = "plain,stream,tool,n,n-stream,refuses-missing-messages,refuses-invalid-json,missing-key,context-overflow"
    result = probe(server.url, "--case", cases, "--record", str(tmp_path), "--format", "json")
    standings = read_standings(result.output)
    assert {case for case, standing in standings.items() if standing == "inconclusive"} == {
        "plain", "tool", "n", "refuses-missing-messages", "missing-key", "context-overflow",
    }  # fmt: skip
    assert standings["stream"] == standings["n-stream"] == "conforms"
    assert standings["refuses-invalid-json"] == ("conforms" if status == 400 else "deviates")
    reasons = {case["name"]: case.get("reason") for case in json.loads(result.output)["cases"]}
    assert reasons["n"] == f"refused as the simplest request is (status {status})"
    assert result.exit_code == 3
    assert read_findings(check(tmp_path, "--format", "json").output) == read_findings(result.output)


@pytest.mark.parametrize(("status", "sent"), [(429, 1), (500, 2), (503, 2)])
def test_a_server_that_fails_on_the_first_request_gets_no_other_and_counts_as_not_checked(
    serve: Any, probe: Any, wire: SimpleNamespace, tmp_path: Path, status: int, sent: int
) -> None:
    server = serve(error_handler(wire, status))
    result = probe(server.url, "--record", str(tmp_path), "--format", "json")
    assert [request.body for request in server.requests] == [server.requests[0].body] * sent
    assert set(read_standings(result.output).values()) == {"inconclusive"}
    assert json.loads(result.output)["summary"]["verdict"] == "nothing-checked"
    assert result.exit_code == 3
    offline = check(tmp_path, "--format", "json")
    assert read_findings(offline.output) == read_findings(result.output)
    assert offline.exit_code == 3


def test_a_server_that_fails_once_on_the_first_request_is_probed(serve: Any, probe: Any, wire: SimpleNamespace) -> None:
    fail = error_handler(wire, 503)
    server = serve(lambda request: (fail if len(server.requests) == 1 else wire.answer_correctly)(request))
    result = probe(server.url, "--case", "plain,stream,at-once", "--format", "json")
    assert read_standings(result.output) == {"plain": "conforms", "stream": "conforms", "at-once": "conforms"}
    assert result.exit_code == 0


@pytest.mark.parametrize(
    ("status", "standing"), [(500, "deviates"), (503, "deviates"), (422, "deviates"), (429, "inconclusive")]
)
def test_a_failure_on_a_request_that_is_wrong_on_purpose_is_a_deviation(
    serve: Any, probe: Any, wire: SimpleNamespace, status: int, standing: str
) -> None:
    refuse = error_handler(wire, status)
    server = serve(lambda request: wire.answer_correctly(request) if b"messages" in request.body else refuse(request))
    result = probe(server.url, "--case", "plain,refuses-missing-messages", "--format", "json")
    assert read_standings(result.output) == {"plain": "conforms", "refuses-missing-messages": standing}


@pytest.mark.parametrize("status", [400, 404, 501])
def test_a_proper_refusal_of_a_feature_is_no_deviation(
    serve: Any, probe: Any, wire: SimpleNamespace, status: int
) -> None:
    refuse = error_handler(wire, status)
    server = serve(lambda request: refuse(request) if request.json().get("n") else wire.answer_correctly(request))
    result = probe(server.url, "--case", "plain,n", "--format", "json")
    assert read_standings(result.output) == {"plain": "conforms", "n": "unsupported"}
    assert result.exit_code == 0


@pytest.mark.parametrize("case", ["plain", "stream"])
def test_a_broken_answer_is_requested_once_more_and_then_recorded_and_judged(
    serve: Any, probe: Any, wire: SimpleNamespace, tmp_path: Path, case: str
) -> None:
    def handle(request: Any) -> None:
        body = json.dumps(wire.completion(request.json())).encode()
        if request.json().get("stream"):
            request.respond(
                STREAM_HEAD + b"Content-Length: 99999\r\n\r\n" + wire.events(*wire.chunks(request.json()))[:-30]
            )
        else:
            request.respond(JSON_HEAD + b"Content-Length: 99999\r\n\r\n" + body[:-30])

    server = serve(handle)
    live = probe(server.url, "--case", case, "--record", str(tmp_path), "--format", "json")
    assert len(server.requests) == 2
    assert [finding["rule"] for finding in json.loads(live.output)["findings"] if finding["severity"] == "error"] == [
        "connection-broken"
    ]
    record = json.loads((tmp_path / f"{case}.json").read_bytes())
    assert record["broken"] is True
    assert "chatcmpl" in record.get("sse", record.get("response_text"))
    offline = check(tmp_path, "--format", "json")
    assert read_findings(offline.output) == read_findings(live.output)
    assert live.exit_code == offline.exit_code == 1


def test_a_connection_that_breaks_only_once_is_no_deviation(serve: Any, probe: Any, wire: SimpleNamespace) -> None:
    server = serve(
        lambda request: (
            drop_connection_in_event(request) if len(server.requests) == 1 else wire.answer_correctly(request)
        )
    )
    assert "plain  conforms" in probe(server.url, "--case", "plain").output
    assert len(server.requests) == 2


def test_an_event_stream_without_events_is_an_empty_stream_with_or_without_its_request(
    serve: Any, probe: Any, wire: SimpleNamespace, tmp_path: Path
) -> None:
    server = serve(lambda request: request.respond(wire.response(200, "text/event-stream", b"")))
    live = probe(server.url, "--case", "stream", "--record", str(tmp_path))
    assert "error[stream-empty]" in live.output
    for record in (
        {"sse": "", "status": 200},
        {"status": 200, "content_type": "text/event-stream", "response_text": ""},
    ):
        path = tmp_path / "alone.json"
        path.write_text(json.dumps(record))
        assert "error[stream-empty]" in check(path).output


def test_a_failure_that_occurs_only_beside_other_requests_is_reported_in_the_case_at_once(
    serve: Any, probe: Any, wire: SimpleNamespace, tmp_path: Path
) -> None:
    both_arrived = threading.Barrier(2, timeout=20)
    fail = error_handler(wire, 500)

    def handle(request: Any) -> None:
        if request.json().get("stop") or request.json().get("seed"):
            is_first = sum(earlier.body == request.body for earlier in server.requests) == 1
            if is_first:
                both_arrived.wait()
                fail(request)
                return
        wire.answer_correctly(request)

    server = serve(handle)
    for cases in ("plain,stop,seed", "plain,stop,seed,at-once"):
        server.requests.clear()
        folder = tmp_path / cases
        live = probe(server.url, "--case", cases, "--record", str(folder), "--format", "json")
        assert read_standings(live.output) == {
            "plain": "conforms",
            "stop": "conforms",
            "seed": "conforms",
            "at-once": "deviates",
        }
        messages = [
            finding["message"] for finding in json.loads(live.output)["findings"] if finding["severity"] == "error"
        ]
        assert messages == ["failed with 500 beside other requests, and is answered with 200 when it is sent alone"] * 2
        assert live.exit_code == 1
        assert read_findings(check(folder, "--format", "json").output) == read_findings(live.output)


def test_a_request_that_failed_once_is_no_failure_beside_others_if_all_are_sent_one_by_one(
    serve: Any, probe: Any, wire: SimpleNamespace
) -> None:
    def handle(request: Any) -> None:
        is_first = sum(earlier.body == request.body for earlier in server.requests) == 1
        fail(request) if request.json().get("seed") and is_first else wire.answer_correctly(request)

    fail = error_handler(wire, 500)
    server = serve(handle)
    result = probe(server.url, "--case", "plain,seed", "--jobs", "1", "--format", "json")
    assert read_standings(result.output) == {"plain": "conforms", "seed": "conforms"}


def test_a_request_that_fails_alone_too_is_not_reported_as_failing_beside_others(
    serve: Any, probe: Any, wire: SimpleNamespace
) -> None:
    fail = error_handler(wire, 500)
    server = serve(lambda request: fail(request) if request.json().get("stream") else wire.answer_correctly(request))
    result = probe(server.url, "--case", "plain,keep-alive,seed", "--format", "json")
    assert "beside other requests" not in result.output
    assert "at-once" not in read_standings(result.output)


def test_a_server_that_takes_one_request_at_a_time_and_fails_on_others_deviates_only_at_once(
    serve: Any, probe: Any, wire: SimpleNamespace
) -> None:
    fail = error_handler(wire, 500)
    bodies: list[bytes] = []

    def handle(request: Any) -> None:
        bodies.append(request.body)
        if len(bodies) > 2:
            fail(request)
        else:
            wire.answer_correctly(request)

    result = probe(serve(handle).url, "--case", "plain,at-once", "--jobs", "3", "--format", "json")
    assert read_standings(result.output) == {"plain": "conforms", "at-once": "deviates"}


def test_a_prompt_gives_no_hint_to_a_server_that_ignores_the_response_format(
    serve: Any, probe: Any, wire: SimpleNamespace
) -> None:
    def handle(request: Any) -> None:
        payload = request.json()
        prompt = " ".join(message["content"] for message in payload["messages"]).lower()
        if any(hint in prompt for hint in ("answer in json", "name", "age", "object", "{")):
            wire.answer_correctly(request)
        else:
            del payload["response_format"]
            completion = wire.completion(payload)
            completion["choices"][0]["message"]["content"] = "The sea is wide."
            request.respond(wire.response(200, "application/json", json.dumps(completion).encode()))

    result = probe(serve(handle).url, "--case", "json-object,json-schema", "--format", "json")
    assert read_standings(result.output) == {"json-object": "deviates", "json-schema": "deviates"}
    assert {finding["rule"] for finding in json.loads(result.output)["findings"]} == {"content-not-json"}


def test_json_junit_and_html_reports_have_all_cases(serve: Any, probe: Any, wire: SimpleNamespace) -> None:
    refuse, fail = error_handler(wire, 400), error_handler(wire, 500)

    def handle(request: Any) -> None:
        payload = request.json()
        if payload.get("n"):
            refuse(request)
        elif payload.get("stop"):
            fail(request)
        elif payload.get("seed"):
            request.respond(wire.response(200, "application/json", b'{"object": "chat.completion", "choices": []}'))
        else:
            wire.answer_correctly(request)

    arguments = (serve(handle).url, "--case", "plain,n,stop,seed", "--format")
    report = json.loads(probe(*arguments, "json").output)
    jsonschema_rs.validate(REPORT_SCHEMA, report)
    cases = {case["name"]: case for case in report["cases"]}
    assert {name: case["standing"] for name, case in cases.items()} == {
        "plain": "conforms",
        "n": "unsupported",
        "stop": "deviates",
        "seed": "deviates",
    }
    [answer] = cases["plain"]["answers"]
    assert answer["status"] == 200
    assert 0 <= answer["first_byte_seconds"] <= answer["seconds"] <= cases["plain"]["seconds"]
    assert json.loads(answer["request"])["model"] == "tiny"
    assert json.loads(answer["answer"])["object"] == "chat.completion"
    assert len(cases["seed"]["answers"]) == 2
    assert sum(cases["seed"]["findings"].values()) == len(report["findings"]) - 2  # minus those of n and stop
    suite = ElementTree.fromstring(probe(*arguments, "junit").output)[0]
    assert suite.attrib["tests"] == "4"
    tags_by_case = {case.attrib["name"]: [element.tag for element in case] for case in suite}
    assert tags_by_case == {
        "plain": ["system-out"],
        "n": ["skipped", "system-out"],
        "stop": ["failure", "system-out"],
        "seed": ["failure", "system-out"],
    }
    assert "error[unexpected-status]" in str(suite.findtext("testcase[@name='stop']/failure"))
    page = probe(*arguments, "html").output
    for text in (
        "<code>seed</code>",
        "unsupported",
        "status 400",
        "chat.completion",
        "flexeval/pull/166",
    ):
        assert text in page


def test_records_of_the_same_cases_are_replaced_and_nothing_else(
    serve: Any, probe: Any, wire: SimpleNamespace, tmp_path: Path
) -> None:
    url = serve(wire.answer_correctly).url
    other_files = {"mine.json": '{"case": "mine"}', "plain-notes.json": "[1]", "stream.txt": "text", "other.json": "{"}
    for name, text in other_files.items():
        (tmp_path / name).write_text(text)
    probe(url, "--case", "plain,stream,seed", "--record", str(tmp_path))
    assert len(list(tmp_path.iterdir())) == len(other_files) + 4
    records = {path.name for path in tmp_path.iterdir()}
    (tmp_path / "plain-2.json").write_bytes((tmp_path / "plain.json").read_bytes())  # of a probe with --repeat
    probe(url, "--case", "plain", "--record", str(tmp_path))
    assert {path.name for path in tmp_path.iterdir()} == records
    assert {name: (tmp_path / name).read_text() for name in other_files} == other_files


def test_a_file_that_is_no_record_is_never_replaced_by_one(
    serve: Any, probe: Any, wire: SimpleNamespace, tmp_path: Path
) -> None:
    server = serve(wire.answer_correctly)
    (tmp_path / "plain.json").write_text('{"mine": true}')
    result = probe(server.url, "--case", "stream,plain", "--record", str(tmp_path))
    assert result.exit_code == 2
    assert "plain.json is there already and no record: name another folder" in result.output
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("plain.json", '{"mine": true}')]


@pytest.mark.parametrize(
    ("status", "advice"),
    [
        (400, "only the error was checked: the answer has status 400"),
        (401, "no key was sent (status 401): set OPENAI_API_KEY"),
        (404, "there is no such endpoint or model (status 404); is the URL right? It often ends in /v1"),
        (429, "takes no more requests"),
        (500, "the answer has status 500"),
    ],
)  # fmt: skip
def test_a_live_check_whose_request_is_refused_says_so_and_that_nothing_was_checked(
    serve: Any, wire: SimpleNamespace, tmp_path: Path, status: int, advice: str
) -> None:
    request_path = tmp_path / "request.json"
    request_path.write_text('{"model": "tiny", "messages": [{"role": "user", "content": "Hi"}]}')
    url = serve(error_handler(wire, status)).url.removesuffix("/v1")
    result = check("--live", url, "--request", request_path)
    assert advice in result.output
    assert "nothing-checked" in result.output
    assert result.exit_code == 3


@pytest.mark.thorough
def test_a_live_check_that_gets_no_answer_ends_with_3_though_files_beside_it_conform(tmp_path: Path) -> None:
    request_path = tmp_path / "request.json"
    request_path.write_text('{"model": "tiny", "messages": [{"role": "user", "content": "Hi"}]}')
    result = check(request_path, "--live", "http://127.0.0.1:1/v1", "--request", request_path)
    assert "conforms: 1 exchange" in result.output
    assert "the server of --live gave no answer to the request" in result.output
    assert result.exit_code == 3


def test_judging_one_answer_does_not_delay_reading_another(
    serve: Any, probe: Any, wire: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    seed_is_answered = threading.Event()
    read_back = judging.read_back

    def read_back_slowly(data: bytes, name: str) -> Any:
        if name == "stop.json":
            assert seed_is_answered.wait(20)  # meanwhile the event loop reads the answer to the other case
        return read_back(data, name)

    def handle(request: Any) -> None:
        wire.answer_correctly(request)
        if request.json().get("seed"):
            seed_is_answered.set()

    monkeypatch.setattr(judging, "read_back", read_back_slowly)
    result = probe(serve(handle).url, "--case", "plain,stop,seed", "--jobs", "2", "--format", "json")
    assert read_standings(result.output) == {"plain": "conforms", "stop": "conforms", "seed": "conforms"}


def test_an_answer_that_is_not_judged_before_the_deadline_is_inconclusive(
    serve: Any, probe: Any, wire: SimpleNamespace, clock: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def handle(request: Any) -> None:
        clock.now = 60
        wire.answer_correctly(request)

    test_is_over = threading.Event()
    monkeypatch.setattr(judging, "read_back", lambda *_: test_is_over.wait(30))
    try:
        result = probe(serve(handle).url, "--case", "plain", "--deadline", "60")
    finally:
        test_is_over.set()
    assert "answered, and not judged before the deadline" in result.output
    assert result.exit_code == 3


def test_the_last_line_counts_cases_in_the_singular_and_in_the_plural(
    serve: Any, probe: Any, wire: SimpleNamespace
) -> None:
    url = serve(wire.answer_correctly).url
    assert probe(url, "--case", "plain").output.endswith("1 case: 1 conforms\n")
    assert probe(url, "--case", "plain,stop").output.endswith("2 cases: 2 conform\n")


@pytest.mark.parametrize(
    ("of_choice", "of_answer", "said"),
    [
        ({}, {}, "speaks no dialect that differs from the reference"),
        ({}, {"mine": 1}, "speaks no dialect that isogloss knows, as far as the answers show"),
        ({"matched_stop": None}, {}, "speaks no dialect for certain; nearest: sglang (confidence "),
    ],
)
def test_a_dialect_is_named_as_the_nearest_one_only_if_something_speaks_for_it(
    serve: Any, probe: Any, wire: SimpleNamespace, of_choice: dict[str, Any], of_answer: dict[str, Any], said: str
) -> None:
    def answer(request: Any) -> None:
        if request.path != "/v1/chat/completions":
            wire.answer_correctly(request)
            return
        completion = wire.completion(request.json()) | of_answer
        completion["choices"][0] |= of_choice
        request.respond(wire.response(200, "application/json", json.dumps(completion).encode()))

    assert said in probe(serve(answer).url, "--case", "plain").output
