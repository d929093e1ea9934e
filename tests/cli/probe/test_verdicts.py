"""What a probe says of servers that fail, are busy, break off or answer what nobody reads to the end."""

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
from click.testing import CliRunner, Result

from isogloss.cli.main import cli
from isogloss.cli.probe import judging

ROOT = Path(__file__).parents[3]
REPORT = json.loads((ROOT / "schemas/isogloss/schemas/report/v1.json").read_bytes())
STREAM = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
DOCUMENT = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"


def check(*arguments: str | Path) -> Result:
    return CliRunner().invoke(cli, ["check", *map(str, arguments)])


def findings(output: str) -> list[str]:
    return sorted(json.dumps(one, sort_keys=True) for one in json.loads(output)["findings"])


def standings(report: str) -> dict[str, str]:
    return {case["name"]: case["standing"] for case in json.loads(report)["cases"]}


def always(wire: SimpleNamespace, status: int, *headers: str) -> Callable[[Any], None]:
    body = json.dumps(wire.error("not now")).encode()
    return lambda asked: asked.write(wire.http(status, "application/json", body, *headers))


def reset(asked: Any) -> None:
    asked.write.__self__.request.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    asked.write.__self__.request.close()


def dropped_in_an_event(asked: Any) -> None:
    asked.write(STREAM + b'\r\ndata: {"id": "chatcmpl-1"}\n\nda')
    reset(asked)


def hang(asked: Any) -> None:
    asked.wait(30)


def half_headers(asked: Any) -> None:
    asked.write(STREAM[:-20])
    asked.wait(30)


def a_byte_at_a_time(asked: Any) -> None:
    asked.write(STREAM + b"\r\n")
    while not asked.wait(0.1):
        asked.write(b"d")


def endless_comments(asked: Any) -> None:
    asked.write(STREAM + b"\r\n")
    while not asked.wait(0.01):
        asked.write(b": still here\n\n")


def too_short(asked: Any) -> None:
    asked.write(DOCUMENT + b'Content-Length: 99\r\n\r\n{"id": "a"}')


def a_page(asked: Any) -> None:
    asked.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 6\r\n\r\n<html>")


def elsewhere(asked: Any) -> None:
    asked.write(b"HTTP/1.1 302 Found\r\nLocation: http://example.invalid/v1\r\nContent-Length: 0\r\n\r\n")


def many_keys(asked: Any) -> None:
    whole = b'{"choices": [], ' + b", ".join(b'"k%d": 1' % number for number in range(30_000)) + b"}"
    asked.write(DOCUMENT + b"Content-Length: %d\r\n\r\n" % len(whole) + whole)


def many_choices(asked: Any) -> None:
    whole = json.dumps({"choices": [{"index": 0}] * 50_000}).encode()
    asked.write(DOCUMENT + b"Content-Length: %d\r\n\r\n" % len(whole) + whole)


MISBEHAVING = [
    (hang, "inconclusive", "no headers came", 3),
    (half_headers, "inconclusive", "no headers came", 3),
    (a_byte_at_a_time, "inconclusive", "status 200 and", 3),
    (endless_comments, "inconclusive", "status 200 and", 3),
    (reset, "inconclusive", "the connection failed: ", 3),
    (elsewhere, "inconclusive", "which is not followed", 3),
    (dropped_in_an_event, "deviates", "connection-broken", 1),
    (too_short, "deviates", "connection-broken", 1),
    (a_page, "deviates", "body-not-json", 1),
    pytest.param(many_keys, "deviates", "unknown-property", 1, marks=pytest.mark.thorough, id="many_keys"),
    pytest.param(many_choices, "deviates", "missing-property", 1, marks=pytest.mark.thorough, id="many_choices"),
]


@pytest.mark.parametrize(
    ("behaviour", "standing", "said", "code"), MISBEHAVING, ids=lambda one: getattr(one, "__name__", "")
)
def test_a_misbehaving_server_gets_the_verdict_that_it_earns(
    serve: Any, probe: Any, behaviour: Callable[[Any], None], standing: str, said: str, code: int
) -> None:
    result = probe(serve(behaviour).url, "--case", "plain", "--timeout", "1", "--deadline", "60")
    assert f"plain  {standing} " in result.output
    assert said in result.output
    assert ": :" not in result.output
    assert result.exit_code == code


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_server_that_refuses_everything_or_fails_on_everything_is_asked_once_and_was_not_checked(
    serve: Any, probe: Any, wire: SimpleNamespace, tmp_path: Path, status: int
) -> None:
    server = serve(always(wire, status))
    result = probe(server.url, "--record", str(tmp_path), "--format", "json")
    assert len(server.asked) == 1
    assert set(standings(result.output).values()) == {"inconclusive"}
    assert json.loads(result.output)["summary"]["verdict"] == "nothing-checked"
    assert result.exit_code == 3
    offline = check(tmp_path, "--format", "json")
    assert findings(offline.output) == findings(result.output)
    assert offline.exit_code == 3


@pytest.mark.parametrize(
    ("status", "standing"), [(500, "deviates"), (503, "deviates"), (422, "deviates"), (429, "inconclusive")]
)
def test_a_failure_on_a_request_that_is_wrong_on_purpose_is_a_deviation(
    serve: Any, probe: Any, wire: SimpleNamespace, status: int, standing: str
) -> None:
    refusing = always(wire, status)
    server = serve(lambda asked: wire.well(asked) if b"messages" in asked.body else refusing(asked))
    result = probe(server.url, "--case", "plain,refuses-missing-messages", "--format", "json")
    assert standings(result.output) == {"plain": "conforms", "refuses-missing-messages": standing}


@pytest.mark.parametrize("status", [400, 404, 501])
def test_a_proper_refusal_of_a_feature_is_no_deviation(
    serve: Any, probe: Any, wire: SimpleNamespace, status: int
) -> None:
    refusing = always(wire, status)
    server = serve(lambda asked: refusing(asked) if asked.json().get("n") else wire.well(asked))
    result = probe(server.url, "--case", "plain,n", "--format", "json")
    assert standings(result.output) == {"plain": "conforms", "n": "unsupported"}
    assert result.exit_code == 0


@pytest.mark.parametrize("case", ["plain", "stream"])
def test_a_connection_that_breaks_is_tried_once_more_and_what_came_is_recorded_and_judged(
    serve: Any, probe: Any, wire: SimpleNamespace, tmp_path: Path, case: str
) -> None:
    def behaviour(asked: Any) -> None:
        whole = json.dumps(wire.completion(asked.json())).encode()
        if asked.json().get("stream"):
            asked.write(STREAM + b"Content-Length: 99999\r\n\r\n" + wire.events(*wire.chunks(asked.json()))[:-30])
        else:
            asked.write(DOCUMENT + b"Content-Length: 99999\r\n\r\n" + whole[:-30])

    server = serve(behaviour)
    live = probe(server.url, "--case", case, "--record", str(tmp_path), "--format", "json")
    assert len(server.asked) == 2
    assert [one["rule"] for one in json.loads(live.output)["findings"] if one["severity"] == "error"] == [
        "connection-broken"
    ]
    record = json.loads((tmp_path / f"{case}.json").read_bytes())
    assert record["broken"] is True
    assert "chatcmpl" in record.get("sse", record.get("response_text"))
    offline = check(tmp_path, "--format", "json")
    assert findings(offline.output) == findings(live.output)
    assert live.exit_code == offline.exit_code == 1


def test_a_connection_that_breaks_once_is_forgiven(serve: Any, probe: Any, wire: SimpleNamespace) -> None:
    server = serve(lambda asked: dropped_in_an_event(asked) if len(server.asked) == 1 else wire.well(asked))
    assert "plain  conforms" in probe(server.url, "--case", "plain").output
    assert len(server.asked) == 2


def test_an_event_stream_without_events_is_an_empty_stream_with_its_request_and_without(
    serve: Any, probe: Any, wire: SimpleNamespace, tmp_path: Path
) -> None:
    server = serve(lambda asked: asked.write(wire.http(200, "text/event-stream", b"")))
    live = probe(server.url, "--case", "stream", "--record", str(tmp_path))
    assert "error[stream-empty]" in live.output
    for record in (
        {"sse": "", "status": 200},
        {"status": 200, "content_type": "text/event-stream", "response_text": ""},
    ):
        path = tmp_path / "alone.json"
        path.write_text(json.dumps(record))
        assert "error[stream-empty]" in check(path).output


def test_what_fails_only_beside_other_requests_is_told_by_a_case_of_its_own(
    serve: Any, probe: Any, wire: SimpleNamespace, tmp_path: Path
) -> None:
    together = threading.Barrier(2, timeout=20)
    failing = always(wire, 500)

    def behaviour(asked: Any) -> None:
        if asked.json().get("stop") or asked.json().get("seed"):
            with_others = sum(one.body == asked.body for one in server.asked) == 1
            if with_others:
                together.wait()
                failing(asked)
                return
        wire.well(asked)

    server = serve(behaviour)
    for cases in ("plain,stop,seed", "plain,stop,seed,at-once"):
        server.asked.clear()
        folder = tmp_path / cases
        live = probe(server.url, "--case", cases, "--record", str(folder), "--format", "json")
        assert standings(live.output) == {
            "plain": "conforms",
            "stop": "conforms",
            "seed": "conforms",
            "at-once": "deviates",
        }
        told = [one["message"] for one in json.loads(live.output)["findings"] if one["severity"] == "error"]
        assert told == ["failed with 500 beside other requests, and is answered with 200 when it is sent alone"] * 2
        assert live.exit_code == 1
        assert findings(check(folder, "--format", "json").output) == findings(live.output)


def test_a_server_that_takes_one_request_at_a_time_and_fails_on_others_deviates_only_at_once(
    serve: Any, probe: Any, wire: SimpleNamespace
) -> None:
    failing = always(wire, 500)
    seen: list[bytes] = []

    def behaviour(asked: Any) -> None:
        seen.append(asked.body)
        if len(seen) > 2:
            failing(asked)
        else:
            wire.well(asked)

    result = probe(serve(behaviour).url, "--case", "plain,at-once", "--jobs", "3", "--format", "json")
    assert standings(result.output) == {"plain": "conforms", "at-once": "deviates"}


def test_no_words_help_a_server_that_ignores_the_response_format(serve: Any, probe: Any, wire: SimpleNamespace) -> None:
    def behaviour(asked: Any) -> None:
        request = asked.json()
        said = " ".join(message["content"] for message in request["messages"]).lower()
        if any(hint in said for hint in ("answer in json", "name", "age", "object", "{")):
            wire.well(asked)
        else:
            del request["response_format"]
            whole = wire.completion(request)
            whole["choices"][0]["message"]["content"] = "The sea is wide."
            asked.write(wire.http(200, "application/json", json.dumps(whole).encode()))

    result = probe(serve(behaviour).url, "--case", "json-object,json-schema", "--format", "json")
    assert standings(result.output) == {"json-object": "deviates", "json-schema": "deviates"}
    assert {one["rule"] for one in json.loads(result.output)["findings"]} == {"content-not-json"}


def test_every_report_carries_the_cases(serve: Any, probe: Any, wire: SimpleNamespace) -> None:
    refusing, failing = always(wire, 400), always(wire, 500)

    def behaviour(asked: Any) -> None:
        request = asked.json()
        if request.get("n"):
            refusing(asked)
        elif request.get("stop"):
            failing(asked)
        elif request.get("seed"):
            asked.write(wire.http(200, "application/json", b'{"object": "chat.completion", "choices": []}'))
        else:
            wire.well(asked)

    arguments = (serve(behaviour).url, "--case", "plain,n,stop,seed", "--format")
    report = json.loads(probe(*arguments, "json").output)
    jsonschema_rs.validate(REPORT, report)
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
    assert sum(cases["seed"]["findings"].values()) == len(report["findings"]) - 2  # notes of the two that were refused
    suite = ElementTree.fromstring(probe(*arguments, "junit").output)[0]
    assert suite.attrib["tests"] == "4"
    said = {case.attrib["name"]: [one.tag for one in case] for case in suite}
    assert said == {
        "plain": ["system-out"],
        "n": ["skipped", "system-out"],
        "stop": ["failure", "system-out"],
        "seed": ["failure", "system-out"],
    }
    page = probe(*arguments, "html").output
    for shown in (
        "<code>seed</code>",
        "unsupported",
        "status 400",
        "chat.completion",
        "flexeval/pull/166",
    ):
        assert shown in page


def test_records_of_earlier_probes_are_removed_and_nothing_else(
    serve: Any, probe: Any, wire: SimpleNamespace, tmp_path: Path
) -> None:
    url = serve(wire.well).url
    mine = {"mine.json": '{"case": "mine"}', "plain-notes.json": "[1]", "stream.txt": "text", "other.json": "{"}
    for name, text in mine.items():
        (tmp_path / name).write_text(text)
    probe(url, "--case", "plain,stream,seed", "--record", str(tmp_path))
    assert len(list(tmp_path.iterdir())) == len(mine) + 4
    probe(url, "--case", "plain", "--record", str(tmp_path))
    assert {path.name for path in tmp_path.iterdir()} == {*mine, "plain.json"}
    assert {name: (tmp_path / name).read_text() for name in mine} == mine


@pytest.mark.parametrize("status", [400, 429, 500])
def test_a_live_check_that_is_refused_says_so_and_conforms_to_nothing(
    serve: Any, wire: SimpleNamespace, tmp_path: Path, status: int
) -> None:
    request = tmp_path / "request.json"
    request.write_text('{"model": "tiny", "messages": [{"role": "user", "content": "Hi"}]}')
    result = check("--live", serve(always(wire, status)).url, "--request", request)
    assert f"refused with status {status}" in result.output
    assert "nothing-checked" in result.output
    assert result.exit_code == 3


def test_the_deadline_holds_for_judging_too_and_other_answers_are_not_late_for_it(
    serve: Any, probe: Any, wire: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    answered = threading.Event()
    whole = judging.read_back

    def slow(data: bytes, name: str) -> Any:
        if name == "stop.json":
            assert answered.wait(20)  # the event loop goes on and reads the answer to the other case
        return whole(data, name)

    def behaviour(asked: Any) -> None:
        wire.well(asked)
        if asked.json().get("seed"):
            answered.set()

    monkeypatch.setattr(judging, "read_back", slow)
    result = probe(serve(behaviour).url, "--case", "plain,stop,seed", "--jobs", "2", "--format", "json")
    assert standings(result.output) == {"plain": "conforms", "stop": "conforms", "seed": "conforms"}


def test_what_is_not_judged_before_the_deadline_is_inconclusive(
    serve: Any, probe: Any, wire: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    over = threading.Event()
    monkeypatch.setattr(judging, "read_back", lambda *_: over.wait(30))
    try:
        result = probe(serve(wire.well).url, "--case", "plain", "--deadline", "1")
    finally:
        over.set()
    assert "answered, and not judged before the deadline" in result.output
    assert result.exit_code == 3
