"""Test the records of a probe: a check of them gives the same findings, and they hold no secret."""

from __future__ import annotations

import base64
import copy
import gzip
import html
import json
import re
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import unquote

import anyio
import pytest
from click.testing import CliRunner
from hypothesis import example, given
from hypothesis import strategies as st
from odd_json import BODIES
from planted_keys import SHAPED, pieces, tells_in_pieces

from isogloss.cli.main import cli
from isogloss.cli.probe import transport
from isogloss.cli.probe.cases import CASES
from isogloss.cli.probe.recording import SentRequest, read_back, record
from isogloss.cli.probe.target import make_target
from isogloss.cli.probe.transport import HttpAnswer
from isogloss.validator.decode import response_body
from isogloss.validator.exchange import Payload
from isogloss.validator.rules.wire import stream_buffered
from isogloss.validator.text import Text


def answers(wire: SimpleNamespace, request: Any) -> Iterator[bytes]:
    """Yield responses of every form that a record can hold, in a loop without end."""
    payload = {"model": "tiny", "messages": []}
    json_type, stream_type = "application/json", "text/event-stream"
    while True:
        yield wire.response(200, json_type, json.dumps(wire.completion(payload) | {"extra": 1.0}, indent=2).encode())
        yield wire.response(200, json_type, b'{"id": 1, "id": 2, "object": "chat.completion", "choices": [')
        yield wire.response(200, stream_type, b": hello\r\n\r\n" + wire.events(*wire.chunks(payload)))
        yield wire.response(200, stream_type, wire.events({"choices": []})[:-20].replace(b"[", b"[\xff"))
        yield wire.response(200, json_type, b"\xef\xbb\xbf" + json.dumps(wire.completion(payload)).encode())
        yield wire.response(200, json_type, b'{"error": "\xe9"}')
        yield wire.response(502, "text/html; charset=latin-1", b"<html>Bad gateway</html>")
        yield wire.response(200, stream_type, b"")
        yield wire.response(200, json_type, b"")
        yield wire.response(200, json_type, b"null")
        yield wire.response(200, json_type, b"[1e999]")
        yield wire.response(422, json_type, b'{"detail": "no"}')


def test_the_recording_gives_the_same_findings_offline(
    serve: Any, probe: Any, wire: SimpleNamespace, tmp_path: Path
) -> None:
    responses = answers(wire, None)
    server = serve(lambda request: request.respond(next(responses)))
    folder = tmp_path / "answers"
    probe(serve(wire.answer_correctly).url, "--record", str(folder))  # the second probe must remove these records
    live = json.loads(probe(server.url, "--jobs", "1", "--record", str(folder), "--format", "json").output)
    result = CliRunner().invoke(cli, ["check", str(folder), "--format", "json"])
    offline = json.loads(result.output)
    assert len(live["findings"]) > 50
    encode = json.JSONEncoder(sort_keys=True).encode
    assert sorted(map(encode, offline["findings"])) == sorted(map(encode, live["findings"]))
    assert offline["skipped"] == []
    assert {name: offline["summary"][name] for name in ("exchanges", "payloads", "streams", "findings")} == {
        name: live["summary"][name] for name in ("exchanges", "payloads", "streams", "findings")
    }
    kinds = {name for path in folder.iterdir() for name in json.loads(path.read_bytes())}
    assert kinds >= {"case", "request", "request_text", "response", "sse", "response_text", "body_base64", "status"}


def test_json_answers_are_recorded_byte_for_byte(serve: Any, probe: Any, wire: SimpleNamespace, tmp_path: Path) -> None:
    data = b'{"created": 1.0e3,\n  "id" : "\\u0041"}'
    server = serve(lambda request: request.respond(wire.response(200, "application/json", data)))
    probe(server.url, "--case", "plain", "--record", str(tmp_path))
    assert b'"response": ' + data + b"\n}" in (tmp_path / "plain.json").read_bytes()


def test_an_answer_that_is_a_json_string_is_recorded_as_its_text(
    serve: Any, probe: Any, wire: SimpleNamespace, tmp_path: Path
) -> None:
    server = serve(lambda request: request.respond(wire.response(200, "application/json", b'"busy"')))
    report = json.loads(probe(server.url, "--case", "plain", "--record", str(tmp_path), "--format", "json").output)
    assert "wrong-type" in {finding["rule"] for finding in report["findings"]}
    record = json.loads((tmp_path / "plain.json").read_bytes())
    assert (record.get("response"), record["response_text"]) == (None, '"busy"')


def test_each_answer_is_recorded_in_its_own_file_and_other_files_are_kept(
    serve: Any, probe: Any, wire: SimpleNamespace, tmp_path: Path
) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    probe(serve(wire.answer_correctly).url, "--record", str(tmp_path))
    suffixes_by_case = {case.name: set("123"[: len(case.requests(""))]) for case in CASES if len(case.requests("")) > 1}
    suffixes_by_case |= {"at-once": {"alone", *"12345678"}}
    del suffixes_by_case["client-gone"]  # the client does not wait for the first answer
    names = {case.name for case in CASES} - suffixes_by_case.keys()
    names |= {f"{name}-{suffix}" for name, suffixes in suffixes_by_case.items() for suffix in suffixes}
    assert {path.name for path in tmp_path.iterdir()} == {f"{name}.json" for name in names} | {"notes.txt"}
    assert json.loads((tmp_path / "plain.json").read_bytes())["host"] == "127.0.0.1"


def test_a_copy_of_a_record_under_another_name_is_kept(
    serve: Any, probe: Any, wire: SimpleNamespace, tmp_path: Path
) -> None:
    arguments = (serve(wire.answer_correctly).url, "--case", "plain", "--record", str(tmp_path))
    probe(*arguments)
    (tmp_path / "kept.json").write_bytes((tmp_path / "plain.json").read_bytes())
    probe(*arguments)
    assert {path.name for path in tmp_path.iterdir()} == {"plain.json", "kept.json"}


def test_secrets_are_neither_recorded_nor_printed(
    serve: Any, probe: Any, wire: SimpleNamespace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secrets = {"OPENAI_API_KEY": 'k"ey-1', "TENANT": "tenant-secret", "COOKIE": "session=c00kie"}
    for name, value in secrets.items():
        monkeypatch.setenv(name, value)

    def handle(request: Any) -> None:
        values = " ".join(request.headers.values())
        if request.json().get("stream"):
            chunk = {"choices": [{"index": 0, "delta": {"content": values, values: 1}}]}
            request.respond(wire.response(200, "text/event-stream", wire.events(chunk) + values.encode() + b"\xff"))
        elif request.json().get("n"):
            request.respond(f"HTTP/1.1 302 F\r\nLocation: /{request.headers['authorization']}\r\n\r\n".encode())
        else:
            status = 200 if b"logprobs" in request.body else 400
            body = json.dumps(wire.error(f"{values} is wrong", values) | {values: values}).encode()
            request.respond(wire.response(status, f"application/json; {request.headers['x-tenant']}", body))

    server = serve(handle)
    arguments = [
        "--header-env",
        "X-Tenant=TENANT",
        "--header-env",
        "Cookie=COOKIE",
        "--header",
        "X-Api-Key: plain-secret",
    ]
    arguments += ["--case", "stop,stream,stream-usage,n,logprobs", "--record", str(tmp_path)]
    outputs = [probe(server.url, *arguments, "--format", name).output for name in ("text", "json")]
    assert server.requests[0].headers["authorization"] == 'Bearer k"ey-1'
    assert server.requests[0].headers["x-tenant"] == "tenant-secret"
    recorded = [path.read_text() for path in tmp_path.iterdir()]
    assert len(recorded) == 4
    for secret in ('k"ey-1', 'k\\"ey-1', "tenant-secret", "c00kie", "plain-secret"):
        assert [text for text in recorded + outputs if secret in text] == []


@pytest.mark.parametrize("property_name", ["content", "reasoning_content"])
@pytest.mark.parametrize("end", [b"", b"data: \xff\n\n"], ids=["text", "no-utf-8"])
def test_secrets_that_a_server_sends_in_pieces_are_not_recorded(
    serve: Any,
    probe: Any,
    wire: SimpleNamespace,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    property_name: str,
    end: bytes,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k3y-of-no-known-shape")

    def handle(request: Any) -> None:
        pieces = ["Yours: k3y-of-", "no-known-sha", "pe; mine: sk-pr", "oj-Zq8LmN4xR7vT", "2wY6pK1s"]
        chunks = [{"choices": [{"index": 0, "delta": {property_name: piece}}]} for piece in pieces]
        request.respond(wire.response(200, "text/event-stream", wire.events(*chunks) + end))

    probe(serve(handle).url, "--case", "stream", "--record", str(tmp_path))
    record = json.loads((tmp_path / "stream.json").read_bytes())
    body = record["sse"] if not end else base64.b64decode(record["body_base64"]).decode("utf-8", "replace")
    received = "".join(
        json.loads(line[6:])["choices"][0]["delta"][property_name] for line in body.splitlines() if "delta" in line
    )
    assert received == f"Yours: {'*' * 21}; mine: sk-{'*' * 25}"


@pytest.mark.parametrize("size", [3, 100])
def test_nothing_of_any_documented_kind_of_key_is_recorded_or_printed(
    serve: Any, probe: Any, wire: SimpleNamespace, tmp_path: Path, size: int
) -> None:
    def handle(request: Any) -> None:
        parts = [pieces(key, size) for key in SHAPED]
        if request.json().get("stream"):
            chunks = [
                {"choices": [{"index": choice, "delta": {"content": part, "reasoning": part}}]}
                for choice, key in enumerate(parts)
                for part in key
            ]
            request.respond(wire.response(200, "text/event-stream", wire.events(*chunks)))
        else:
            choices = [
                {"message": {"content": key, key: key}, "logprobs": {"content": [{"token": part} for part in tokens]}}
                for key, tokens in zip(SHAPED, parts, strict=True)
            ]
            request.respond(
                wire.response(200, "application/json", json.dumps({"id": SHAPED[0], "choices": choices}).encode())
            )

    server = serve(handle)
    for key in SHAPED:
        assert key in tells_in_pieces(json.dumps([{"token": part} for part in pieces(key, 3)]))
    printed = probe(server.url, "--case", "plain,stream", "--record", str(tmp_path), "--format", "json").output
    recorded = [path.read_text() for path in sorted(tmp_path.iterdir())]
    assert len(recorded) == 2
    files = [str(path) for path in sorted(tmp_path.iterdir())]
    checked = CliRunner().invoke(cli, ["check", "--show-values", "--format", "json", *files]).output
    folded = CliRunner().invoke(cli, ["fold", str(tmp_path / "stream.json")]).output
    for text in (printed, *recorded, checked, folded):
        assert tells_in_pieces(text) == []
        assert [key for key in SHAPED if key in text] == []


def test_a_recording_that_cannot_be_written_is_a_usage_error(
    serve: Any, probe: Any, wire: SimpleNamespace, tmp_path: Path
) -> None:
    (tmp_path / "plain.json").mkdir()
    result = probe(serve(wire.answer_correctly).url, "--record", str(tmp_path))
    assert result.exit_code == 2
    assert "cannot write to" in result.output
    assert [path.name for path in tmp_path.iterdir()] == ["plain.json"]


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="there is no folder that nobody can write to")
def test_a_folder_that_cannot_be_written_to_is_noticed_before_a_request_is_sent(
    serve: Any, probe: Any, wire: SimpleNamespace
) -> None:
    server = serve(wire.answer_correctly)
    result = probe(server.url, "--record", "/proc/self")
    assert (result.exit_code, server.requests) == (2, [])
    assert "cannot write to /proc/self: " in result.output


SPELLINGS = {
    "as it is": lambda character: character,
    "escapes of JSON": lambda character: f"\\u{ord(character):04X}",
    "escapes of JSON in JSON": lambda character: f"\\\\u{ord(character):04x}",
    "escaped slashes": lambda character: character.replace("/", "\\/"),
    "percent-encoded": lambda character: f"%{ord(character):02X}",
    "percent-encoded twice": lambda character: f"%25{ord(character):02x}",
    "character references": lambda character: f"&#{ord(character)};",
    "hexadecimal character references": lambda character: f"&#x{ord(character):x};",
}


@pytest.mark.parametrize("spell", SPELLINGS.values(), ids=SPELLINGS)
@pytest.mark.parametrize("size", [1, 3, 100])
def test_the_key_of_a_server_is_masked_in_every_spelling_and_in_pieces(
    serve: Any,
    probe: Any,
    wire: SimpleNamespace,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    spell: Any,
    size: int,
) -> None:
    key = "Zq8+LmN4/xR7v_T2wY6"
    monkeypatch.setenv("OPENAI_API_KEY", key)
    pieces = ["".join(map(spell, key[at : at + size])) for at in range(0, len(key), size)]

    def handle(request: Any) -> None:
        spelled_key = "".join(pieces)
        if request.json().get("stream"):
            template = '{"note": {"%s": "%s"}, "choices": [{"index": 0, "delta": {}}]}'
            events = "".join(f"data: {template % (spelled_key, piece)}\n\n" for piece in pieces)
            request.respond(wire.response(200, "text/event-stream", events.encode()))
        else:
            tokens = ", ".join(f'{{"token": "{piece}"}}' for piece in pieces)
            body = (
                f'{{"{spelled_key}": "yours: {spelled_key}", "choices": [{{"logprobs": {{"content": [{tokens}]}}}}]}}'
            )
            request.respond(wire.response(200, "application/json", body.encode()))

    server = serve(handle)
    output = probe(server.url, "--case", "plain,stream", "--record", str(tmp_path), "--format", "json").output
    for text in (output, *(path.read_text() for path in tmp_path.iterdir())):
        decoded = text
        for _ in range(4):
            decoded = html.unescape(unquote(re.sub(r"\\+u00(..)", lambda code: chr(int(code[1], 16)), decoded)))
        decoded = decoded.replace("\\", "")
        assert not [part for part in ("Zq8", "mN4", "R7v", "wY6") if part in decoded], text
    record = json.loads((tmp_path / "stream.json").read_bytes())
    notes = [json.loads(line[6:])["note"] for line in record["sse"].splitlines() if line]
    assert {character for note in notes for value in note.values() for character in value} == {"*"}


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_the_key_of_a_server_is_masked_in_a_body_of_wide_characters(
    serve: Any, probe: Any, wire: SimpleNamespace, tmp_path: Path, encoding: str
) -> None:
    body = json.dumps({"your key": wire.key}).encode(encoding)
    server = serve(lambda request: request.respond(wire.response(200, "application/json", body)))
    probe(server.url, "--case", "plain", "--record", str(tmp_path))
    record = json.loads((tmp_path / "plain.json").read_bytes())
    recorded = base64.b64decode(record["body_base64"]) if "body_base64" in record else record["response_text"].encode()
    assert wire.key not in recorded.replace(b"\0", b"").decode("latin-1")
    assert b"*" * 2 * len(wire.key) in recorded


def test_a_key_that_cannot_be_sent_is_a_usage_error(probe: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "schlüssel")
    result = probe("http://localhost:9/v1")
    assert result.exit_code == 2
    assert "characters that cannot be sent" in result.output


def test_a_record_has_the_arrival_times_of_the_bytes(
    serve: Any, probe: Any, wire: SimpleNamespace, tmp_path: Path
) -> None:
    probe(serve(wire.answer_correctly).url, "--case", "plain,stream", "--record", str(tmp_path))
    records = [json.loads(path.read_bytes()) for path in tmp_path.iterdir()]
    assert sorted("sse" in record for record in records) == [False, True]
    for one in records:
        sizes, seconds = zip(*one["arrivals"], strict=True)
        assert 0 < sizes[0] <= sizes[-1]
        assert list(sizes) == sorted(set(sizes))
        assert list(seconds) == sorted(seconds)
        assert sizes[-1] == len(one["sse"]) if "sse" in one else sizes[-1] > 100


def test_the_record_of_a_compressed_answer_has_no_arrivals(
    serve: Any, probe: Any, wire: SimpleNamespace, tmp_path: Path
) -> None:
    body = gzip.compress(json.dumps(wire.completion({"model": "tiny", "messages": []})).encode())
    server = serve(
        lambda request: request.respond(wire.response(200, "application/json", body, "Content-Encoding: gzip"))
    )
    probe(server.url, "--case", "plain", "--record", str(tmp_path))
    assert "arrivals" not in json.loads((tmp_path / "plain.json").read_bytes())


def test_a_record_keeps_the_first_the_last_and_evenly_chosen_arrivals_of_many() -> None:
    arrivals = tuple((size, size / 1000) for size in range(1, 20_001))
    answer = HttpAnswer(status=200, content_type=None, body=b" " * 20_000, arrivals=arrivals, seconds=20.0)
    target = make_target("http://localhost/v1", key_variable=None)
    recorded = json.loads(record(target, SentRequest(body=b"{}", path="/"), answer).data)
    sizes = [size for size, _ in recorded["arrivals"]]
    assert (sizes[0], sizes[-1]) == (1, 20_000)
    assert len(sizes) <= 1000
    assert max(after - before for before, after in pairwise(sizes)) == 40


def test_a_stream_that_comes_at_once_after_a_long_wait_is_buffered_live_and_offline(
    serve: Any, probe: Any, wire: SimpleNamespace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def handle(request: Any) -> None:
        chunks = [*wire.chunks(request.json())]
        words = [copy.deepcopy(chunks[1]) for _ in range(6)]
        request.respond(wire.response(200, "text/event-stream", wire.events(chunks[0], *words, *chunks[2:])))

    monkeypatch.setattr(stream_buffered, "_LONG", 0.0)
    result = probe(serve(handle).url, "--case", "stream", "--record", str(tmp_path))
    assert "note[stream-buffered] stream" in result.output
    assert "note[stream-buffered] stream" in CliRunner().invoke(cli, ["check", str(tmp_path)]).output


def test_the_times_of_arrival_count_from_the_sending_of_the_request_and_not_from_the_connecting(
    serve: Any, probe: Any, wire: SimpleNamespace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    connect, taken = anyio.connect_tcp, [0.0]

    async def connect_slowly(*arguments: Any, **options: Any) -> Any:
        taken[0] += 1000.0
        return await connect(*arguments, **options)

    clock = SimpleNamespace(monotonic=lambda: time.monotonic() + taken[0], time=time.time)
    monkeypatch.setattr(anyio, "connect_tcp", connect_slowly)
    monkeypatch.setattr(transport, "time", clock)
    probe(serve(wire.answer_correctly).url, "--case", "stream", "--record", str(tmp_path))
    assert taken[0] >= 1000.0
    assert json.loads((tmp_path / "stream.json").read_bytes())["arrivals"][-1][1] < 1000.0


def test_a_record_says_whether_other_requests_were_sent_at_the_same_time(
    serve: Any, probe: Any, wire: SimpleNamespace, tmp_path: Path
) -> None:
    probe(serve(wire.answer_correctly).url, "--case", "plain,stream,at-once", "--record", str(tmp_path))
    names = {path.stem for path in tmp_path.iterdir() if "beside_others" in json.loads(path.read_bytes())}
    assert names <= {f"at-once-{number}" for number in range(1, 9)}
    assert len(names) > 1


def test_nothing_is_sent_if_two_outputs_would_be_the_same_file(
    serve: Any, probe: Any, wire: SimpleNamespace, tmp_path: Path
) -> None:
    server = serve(wire.answer_correctly)
    target = str(tmp_path / "out")
    twice = probe(server.url, "--output", f"json:{target}", "--output", f"html:{target}")
    as_folder = probe(server.url, "--output", f"json:{target}", "--record", target)
    assert (twice.exit_code, as_folder.exit_code) == (2, 2)
    assert "two outputs would be written to" in twice.output
    assert "the records of --record and a report would both be" in as_folder.output
    assert not server.requests
    assert not (tmp_path / "out").exists()


SERVER = make_target("http://localhost/v1", key_variable=None)
TYPES = st.sampled_from(["application/json", "text/event-stream", None])


def answered(body: Any, status: int, content_type: str | None) -> HttpAnswer:
    return HttpAnswer(status=status, content_type=content_type, body=json.dumps(body).encode(), arrivals=(), seconds=1)


@given(BODIES, st.sampled_from([200, 400]), TYPES)
@example({"status": 200, "body": {"object": "chat.completion", "choices": []}}, 200, "application/json")
def test_whatever_json_a_server_answers_its_record_is_read_as_that_answer(
    body: Any, status: int, content_type: str | None
) -> None:
    answer = answered(body, status, content_type)
    exchange = read_back(
        record(SERVER, SentRequest(body=b'{"model": "m"}', path="/v1/chat/completions"), answer).data, ""
    )
    expected = response_body(Text(answer.body), status=status, content_type=content_type)
    assert type(exchange.response) is type(expected)
    if isinstance(expected, Payload) and isinstance(exchange.response, Payload):
        assert (exchange.response.kind, exchange.response.value) == (expected.kind, expected.value)


@given(BODIES, TYPES)
@example({"status": 200, "body": {"object": "list", "data": []}}, "application/json")
def test_whatever_json_a_server_lists_its_models_with_its_record_is_read_as_that_answer(
    body: Any, content_type: str | None
) -> None:
    answer = answered(body, 200, content_type)
    asked = SentRequest(body=None, path="/v1/models", method="GET", expected=(200,))
    assert read_back(record(SERVER, asked, answer).data, "").models in (body, answer.body.decode())
