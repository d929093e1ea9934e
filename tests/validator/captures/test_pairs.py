"""HTTP pairs in JSON, definitions of nock and dumps of client libraries: what is read of each, and what is not."""

from __future__ import annotations

import base64
import gzip
import io
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from isogloss.cli.main import cli
from isogloss.validator import engines
from isogloss.validator.captures import Capture, read
from isogloss.validator.exchange import Exchange, Payload, Skipped, Stream
from isogloss.validator.findings import Finding
from isogloss.validator.judging.judge import Judge

GALLERY = Path(__file__).parents[3] / "fixtures" / "captures"
URL = "https://api.example.com/v1/chat/completions"
ASKED: dict[str, Any] = {"model": "m", "messages": [{"role": "user", "content": "Hi"}]}
ANSWER: dict[str, Any] = {
    "id": "chatcmpl-Fake1",
    "object": "chat.completion",
    "created": 1760000000,
    "model": "m",
    "choices": [
        {
            "index": 0,
            "message": {"role": "assistant", "content": "Ho", "refusal": None},
            "logprobs": None,
            "finish_reason": "stop",
        }
    ],
    "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
}


def _chunk(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
    return {"id": "chatcmpl-Fake2", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}


CHUNKS = [_chunk({"role": "assistant", "content": "Ho"}), _chunk({}, "stop")]
EVENTS = "".join(f"data: {json.dumps(one)}\n\n" for one in CHUNKS) + "data: [DONE]\n\n"


def _read(value: Any) -> list[Exchange | Skipped]:
    data = value if isinstance(value, bytes) else json.dumps(value).encode()
    return list(read(Capture(io.BytesIO(data), "capture")))


def _exchange(value: Any) -> Exchange:
    (found,) = _read(value)
    assert isinstance(found, Exchange), found
    return found


def _answer(value: Any) -> Payload | Stream:
    exchange = _exchange(value)
    body = exchange.response.body if exchange.response is not None else None
    assert isinstance(body, Payload | Stream)
    return body


def _findings(value: Any) -> list[Finding]:
    judge = Judge(engines.load())
    return [one for found in _read(value) if isinstance(found, Exchange) for one in judge.judge(found).findings]


def _pair(response: Any, **request: Any) -> dict[str, Any]:
    return {"request": {"method": "POST", "url": URL, "body": ASKED} | request, "response": response}


def _base64(value: Any) -> str:
    return base64.b64encode(json.dumps(value).encode()).decode()


# What a body may be

PIECES = [json.dumps(ANSWER).encode()[at : at + 30] for at in range(0, len(json.dumps(ANSWER)), 30)]

BODIES: dict[str, Any] = {
    "parsed": {"body": ANSWER},
    "text": {"body": json.dumps(ANSWER)},
    "content": {"content": json.dumps(ANSWER)},
    "Base64 by its name": {"body_base64": _base64(ANSWER)},
    "Base64 in an object": {"body": {"b64": _base64(ANSWER)}},
    "Base64 by an encoding inside": {"body": {"encoding": "base64", "string": _base64(ANSWER)}},
    "Base64 by an encoding beside": {"body": _base64(ANSWER), "encoding": "base64"},
    "Base64 by an encoding of the body beside": {"body": _base64(ANSWER), "bodyEncoding": "base64"},
    "Base64 behind a prefix": {"body": f"base64:{_base64(ANSWER)}"},
    "Base64 in a URL": {"body": f"data:application/octet-stream;base64,{_base64(ANSWER)}"},
    "Base64 of a compressed body": {
        "body": {"b64": base64.b64encode(gzip.compress(json.dumps(ANSWER).encode())).decode()}
    },
    "lines": {"body": json.dumps(ANSWER, indent=1).splitlines(keepends=True)},
    "pieces in Base64": {"body": [{"b64": base64.b64encode(piece).decode()} for piece in PIECES]},
    "pieces in Base64 as strings": {"body_base64": [base64.b64encode(piece).decode() for piece in PIECES]},
    "a file in memory of Python": {"body": {"state": [{"base64_string": _base64(ANSWER)}, 0, None]}},
    "canonical": {"canonical_json": ANSWER},
    "typed": {"body": {"type": "JSON", "json": json.dumps(ANSWER)}},
}  # fmt: skip


@pytest.mark.parametrize("name", BODIES)
def test_a_body_is_read_whatever_a_recorder_makes_of_it(name: str) -> None:
    answer = _answer(_pair({"status": 200, "headers": {}} | BODIES[name]))
    assert isinstance(answer, Payload)
    assert answer.value == ANSWER


@pytest.mark.parametrize(
    "body",
    [
        CHUNKS,
        EVENTS,
        [EVENTS[:70], EVENTS[70:]],
        [json.dumps(one) for one in CHUNKS],
        [{"b64": base64.b64encode(EVENTS.encode()[at : at + 50]).decode()} for at in range(0, len(EVENTS), 50)],
        [{"data": EVENTS[at : at + 50], "delay_ms": at} for at in range(0, len(EVENTS), 50)],
    ],
    ids=["chunks", "text", "pieces", "texts of chunks", "pieces in Base64", "pieces with the time"],
)
@pytest.mark.parametrize("member", ["body", "chunks", "body_chunks"])
def test_a_stream_is_read_out_of_any_list_of_its_parts(body: Any, member: str) -> None:
    answer = _answer(_pair({"status": 200, "headers": [], member: body}))
    assert isinstance(answer, Stream)
    assert [one for one in answer.values if isinstance(one, dict)] == CHUNKS


@pytest.mark.parametrize(
    "headers",
    [
        {"Content-Type": "application/json; charset=utf-8"},
        {"content-type": ["application/json; charset=utf-8"]},
        [["content-type", "application/json; charset=utf-8"]],
        [{"name": "Content-Type", "value": "application/json; charset=utf-8"}],
        [{"name": "Content-Type", "values": ["application/json; charset=utf-8"]}],
        [{"key": "content-type", "value": "application/json; charset=utf-8"}],
        ["Server: x", "Content-Type: application/json; charset=utf-8"],
        ["Server", "x", "Content-Type", "application/json; charset=utf-8"],
    ],
)
@pytest.mark.parametrize("status", [{"status": 201}, {"code": 201}, {"status": {"code": 201}}, {"statusCode": "201"},
                                    {"Status": {"Code": 201}}])  # fmt: skip
def test_status_and_headers_have_many_forms(headers: Any, status: dict[str, Any]) -> None:
    exchange = _exchange(_pair({"headers": headers, "body": ANSWER} | status))
    assert exchange.response is not None
    assert exchange.response.status == 201
    assert exchange.response.content_type == "application/json; charset=utf-8"


@pytest.mark.parametrize(
    "request_",
    [
        {"method": "POST", "url": URL},
        {"method": "post", "uri": URL},
        {"Method": "POST", "Uri": URL},
        {"method": "POST", "path": "/v1/chat/completions", "headers": {"Host": "api.example.com"}},
        {"method": "POST", "path": "/v1/chat/completions", "host": "api.example.com"},
        {"method": "POST", "endpoint": "/v1/chat/completions", "hostname": "api.example.com:443"},
    ],
)
def test_a_url_has_many_forms(request_: dict[str, Any]) -> None:
    exchange = _exchange({"request": request_ | {"body": ASKED}, "response": {"status": 200, "body": ANSWER}})
    assert (exchange.host, exchange.path) == ("api.example.com", "/v1/chat/completions")
    assert exchange.request is not None


@pytest.mark.parametrize(
    "document",
    [
        {"method": "POST", "url": URL, "body": ASKED, "response": {"status": 200, "body": ANSWER}},
        {"method": "POST", "url": URL, "request": ASKED, "response": {"status": 200, "body": ANSWER}},
        {"request": {"method": "POST", "url": URL, "body": ASKED}, "status": 200, "response_body": json.dumps(ANSWER)},
        {"requestUrl": URL, "requestMethod": "POST", "requestBody": json.dumps(ASKED), "statusCode": 200,
         "responseBody": ANSWER},
        {"url": URL, "init": {"method": "POST", "body": json.dumps(ASKED)},
         "response": {"status": 200, "body": ANSWER}},
    ],
)  # fmt: skip
def test_what_is_missing_of_a_half_may_stand_beside_it(document: dict[str, Any]) -> None:
    exchange = _exchange(document)
    assert (exchange.host, exchange.path) == ("api.example.com", "/v1/chat/completions")
    assert exchange.request is not None
    assert exchange.request.value == ASKED
    assert exchange.response is not None
    assert exchange.response.status == 200
    assert isinstance(exchange.response.body, Payload)
    assert exchange.response.body.value == ANSWER


def test_what_else_stands_beside_a_half_is_no_body() -> None:
    answered = _exchange({"content": {"a": 1}, "response": {"status": 200, "body": ANSWER}})
    assert answered.request is None
    asked = _exchange({"data": {"a": 1}, "request": {"method": "POST", "url": URL, "body": ASKED}})
    assert asked.response is None


@pytest.mark.parametrize("url", ["**REDACTED**", "<REDACTED>", "PLACEHOLDER", ""])
def test_a_url_that_was_left_out_tells_nothing(url: str) -> None:
    exchange = _exchange(_pair({"status": 200, "body": ANSWER}, url=url))
    assert (exchange.host, exchange.path) == (None, None)


MATCHERS: dict[str, tuple[Any, bool]] = {
    "Hoverfly's for the whole": ([{"matcher": "exact", "value": json.dumps(ASKED)}], True),
    "Hoverfly's for JSON": ([{"matcher": "json", "value": json.dumps(ASKED)}], True),
    "Hoverfly's of old": ({"exactMatch": json.dumps(ASKED)}, True),
    "Hoverfly's for a part": ([{"matcher": "jsonPartial", "value": '{"model": "m"}'}], False),
    "Hoverfly's for a pattern": ([{"matcher": "glob", "value": "*"}], False),
    "Hoverfly's for a pattern of old": ({"regexMatch": ".*"}, False),
    "MockServer's for JSON": ({"type": "JSON", "json": ASKED}, True),
    "MockServer's as recorded": ({"type": "JSON", "json": ASKED, "contentType": "x", "rawBytes": "e30="}, True),
    "MockServer's as text": ({"type": "JSON", "json": json.dumps(ASKED)}, True),
    "MockServer's for all of it": ({"type": "JSON", "json": ASKED, "matchType": "STRICT"}, True),
    "MockServer's for a part": ({"type": "JSON", "json": ASKED, "matchType": "ONLY_MATCHING_FIELDS"}, False),
    "MockServer's for what is no request": ({"type": "JSON", "json": {"model": "m"}}, False),
    "MockServer's for a part of a text": ({"type": "STRING", "string": "m", "subString": True}, False),
    "MockServer's for anything else": ({"type": "STRING", "string": json.dumps(ASKED), "not": True}, False),
    "MockServer's for a pattern": ({"type": "REGEX", "regex": ".*"}, False),
    "MockServer's for a place": ({"type": "JSON_PATH", "jsonPath": "$.model"}, False),
}


@pytest.mark.parametrize("name", MATCHERS)
def test_a_request_is_read_out_of_matchers_for_all_of_it_alone(name: str) -> None:
    body, is_whole = MATCHERS[name]
    exchange = _exchange(_pair({"status": 200, "body": ANSWER}, body=body))
    assert (exchange.request.value if exchange.request is not None else None) == (ASKED if is_whole else None)


def test_a_path_that_is_a_pattern_tells_nothing_and_a_template_is_no_answer() -> None:
    path = [{"matcher": "glob", "value": "*/chat/completions"}]
    pair = {"request": {"method": "POST", "path": path}, "response": {"status": 200, "body": ANSWER}}
    assert _exchange(pair).path is None
    (found,) = _read(_pair({"status": 200, "body": "{{ Request.Body }}", "templated": True}))
    assert isinstance(found, Skipped)
    assert found.reason == "a body that is a template"


def test_a_route_of_mockoon_has_all_the_responses_that_it_may_get() -> None:
    headers = [{"key": "Content-Type", "value": "application/json"}]
    response = {"statusCode": 200, "headers": headers, "bodyType": "INLINE", "disableTemplating": False}
    bodies = (json.dumps(ANSWER), json.dumps({"error": {"message": "x"}}), '{"id": "{{uuid}}"}', "")
    routes = [
        {"type": "http", "method": "post", "endpoint": "v1/chat/completions",
         "responses": [response | {"body": body} for body in bodies]},
        {"type": "http", "method": "get", "endpoint": "v1/models", "responses": [response | {"body": "{}"}]},
    ]  # fmt: skip
    found = _read({"uuid": "a", "name": "mock", "routes": routes, "folders": []})
    assert [one.number for one in found] == [0, 1, 2, 3, 4]
    assert [one.path if isinstance(one, Exchange) else one.reason for one in found] == [
        "/v1/chat/completions",
        "/v1/chat/completions",
        "a body that is a template",
        "/v1/chat/completions",
        "not Chat Completions: GET /v1/models",
    ]


# Where pairs stand

PAIR = _pair({"status": 200, "body": ANSWER})


@pytest.mark.parametrize(
    "document",
    [
        [PAIR, PAIR],
        {"recordings": [PAIR, PAIR], "version": 2},
        {"data": {"pairs": [PAIR, PAIR]}, "meta": {}},
        {"first": PAIR, "second": PAIR},
        {"a test": [PAIR], "another": [PAIR]},
        f"{json.dumps(PAIR)}\n{json.dumps(PAIR)}\n".encode(),
        f"{json.dumps({'event': PAIR})}\n{json.dumps({'events': [PAIR]})}\n".encode(),
    ],
)
def test_pairs_are_found_in_arrays_objects_and_lines(document: Any) -> None:
    found = _read(document)
    assert [(type(one), one.number) for one in found] == [(Exchange, 0), (Exchange, 1)]


@pytest.mark.parametrize(
    "document",
    [
        {"a": {"b": {"c": PAIR}}},
        {"paths": {"/v1/chat/completions": {"post": {"method": "POST", "responses": {}}}}},
        {"log": [{"level": "info", "message": "request", "url": URL}]},
        {"item": [{"request": {"method": "GET", "url": {"raw": "x"}}}]},
        {
            "endpoints": [
                {"method": "POST", "path": "/v1/chat/completions", "body": {"model": "string"}, "response": {}}
            ]
        },
        {"nodes": [{"parameters": {"method": "POST", "url": URL, "body": "={{ $json.body }}"}}]},
        {"resources": [{"method": "POST", "url": URL, "body": {"mimeType": "application/json", "text": "{% x %}"}}]},
        [],
    ],
)
def test_what_holds_no_pairs_is_skipped(document: Any) -> None:
    found = _read(document)
    assert found
    assert all(isinstance(one, Skipped) for one in found)


def test_an_empty_recording_is_said_to_be_empty() -> None:
    assert [one.reason for one in _read([]) if isinstance(one, Skipped)] == ["an empty array"]


def test_damage_is_told_where_bodies_are_texts() -> None:
    cut = json.dumps([_pair({"status": 200, "body": json.dumps(ANSWER)}, body=json.dumps(ASKED))] * 2)[:-40].encode()
    reasons = [one.reason for one in _read(cut) if isinstance(one, Skipped)]
    assert any("damaged" in reason for reason in reasons), reasons


# Definitions of nock

NOCK: dict[str, Any] = {"scope": "https://api.example.com:443", "method": "POST", "path": "/v1/chat/completions",
                        "body": ASKED, "status": 200}  # fmt: skip
PACKED = gzip.compress(json.dumps(ANSWER).encode(), mtime=0).hex()


@pytest.mark.parametrize(
    "response",
    [ANSWER, json.dumps(ANSWER), [PACKED], [PACKED[:40], PACKED[40:]], PACKED],
    ids=["object", "text", "hexadecimal in an array", "parts", "hexadecimal"],
)
@pytest.mark.parametrize(
    "rest",
    [
        {"rawHeaders": ["Content-Type", "application/json", "Content-Encoding", "gzip"]},
        {"headers": {"content-type": "application/json", "content-encoding": "gzip"}, "delay": 200},
        {"rawHeaders": {"content-type": ["application/json"]}, "reqheaders": {"content-encoding": "br"}},
        {"headers": [], "responseIsBinary": True},
        {},
    ],
)
def test_a_definition_of_nock_is_request_and_answer(response: Any, rest: dict[str, Any]) -> None:
    for definition in (NOCK, {name: one for name, one in NOCK.items() if name != "scope"}):
        exchange = _exchange([definition | {"response": response} | rest])
        assert exchange.request is not None
        assert exchange.request.value == ASKED
        assert exchange.path == "/v1/chat/completions"
        assert exchange.response is not None
        assert isinstance(exchange.response.body, Payload)
        assert exchange.response.body.value == ANSWER
        assert exchange.response.status == 200


def test_scopes_of_several_servers_stand_in_one_file() -> None:
    other = NOCK | {"scope": "http://localhost:8000", "response": EVENTS}
    found = _read({"a test": [NOCK | {"response": ANSWER}, other, NOCK | {"method": "GET", "response": {}}]})
    assert [one.host if isinstance(one, Exchange) else one.reason for one in found] == [
        "api.example.com",
        "localhost",
        "not Chat Completions: GET /v1/chat/completions",
    ]


# Objects of a client library

FILLED = ANSWER | {
    "service_tier": None,
    "system_fingerprint": None,
    "choices": [
        ANSWER["choices"][0]
        | {
            "message": ANSWER["choices"][0]["message"]
            | {"annotations": None, "function_call": None, "tool_calls": None}
        }
    ],
}


def _dump(value: dict[str, Any], kind: str = "openai.types.chat.chat_completion.ChatCompletion") -> dict[str, Any]:
    return {"__type__": kind, "__data__": value}


def _dumped_chunk(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    filled = dict.fromkeys(("content", "function_call", "refusal", "role", "tool_calls")) | delta
    kind = "openai.types.chat.chat_completion_chunk.ChatCompletionChunk"
    return _dump(_chunk(filled, finish) | {"service_tier": None, "system_fingerprint": None, "usage": None}, kind)


STREAMED = [_dumped_chunk({"role": "assistant", "content": "Ho"}), _dumped_chunk({}, "stop")]


def test_of_a_dumped_answer_nothing_is_said_that_only_the_wire_tells() -> None:
    assert "null-value" in {one.rule for one in _findings(FILLED)}
    assert _findings(_dump(FILLED)) == []
    assert _findings(_pair({"body": _dump(FILLED)})) == []
    assert _findings({"request": ASKED, "response": _dump(FILLED)}) == []
    assert _findings(STREAMED) == []
    assert _findings(_pair({"body": STREAMED}, body=ASKED | {"stream": True})) == []


def test_of_a_dumped_answer_everything_else_is_said_with_its_place() -> None:
    document = json.dumps(_pair({"body": _dump(FILLED | {"created": "yesterday"})}), indent=1)
    (finding,) = _findings(document.encode())
    assert (finding.rule, finding.pointer) == ("wrong-type", "/created")
    assert document.splitlines()[finding.source.line - 1][finding.source.column - 1 :].startswith('"yesterday"')
    chunks = [STREAMED[0], _dumped_chunk({"content": 7}), STREAMED[1]]
    document = json.dumps(_pair({"body": chunks}, body=ASKED | {"stream": True}), indent=1)
    (finding,) = _findings(document.encode())
    assert (finding.rule, finding.pointer, finding.source.event) == ("wrong-type", "/choices/0/delta/content", 1)
    assert document.splitlines()[finding.source.line - 1][finding.source.column - 1 :].startswith("7")


def test_a_fault_of_json_in_a_dumped_stream_is_no_finding_and_the_chunk_it_cuts_lacks_nothing() -> None:
    document = json.dumps(_pair({"body": STREAMED}, body=ASKED | {"stream": True}), indent=1)
    assert [one.rule for one in _findings(document[: document.rindex('"index"')].encode()) if one.severity > 2] == []


def test_arguments_of_a_call_that_are_not_sent_are_no_part_of_the_request() -> None:
    request = _exchange(_pair({"body": _dump(FILLED)}, body=ASKED | {"extra_body": {"x": 1}, "timeout": 5})).request
    assert request is not None
    assert request.value == ASKED


@pytest.mark.parametrize("kind", ["ollama._types.ChatResponse", "anthropic.types.message.Message", 7, ""])
def test_objects_of_other_libraries_are_skipped(kind: Any) -> None:
    (found,) = _read(_pair({"body": _dump(FILLED, kind)}))
    assert isinstance(found, Skipped)
    assert found.reason == "the answer is an object of a client library, not as it was sent"


# httprr


def test_lengths_of_httprr_that_lead_astray_are_told() -> None:
    trace = (GALLERY / "httprr" / "trace.httprr").read_bytes()
    for cut in (trace[:-5], trace + b"x", trace.replace(b"\r\n", b"\n")):
        found = _read(cut)
        assert isinstance(found[-1], Skipped)
        assert found[-1].reason.startswith("damaged at line")


# From the command line


@pytest.mark.parametrize(
    ("name", "exchanges"),
    [
        ("httprr/trace.httprr", 2),
        ("json/dump-stream.json", 1),
        ("json/dump.json", 1),
        ("json/easyvcr.json", 2),
        ("json/exvcr.json", 2),
        ("json/hoverfly.json", 2),
        ("json/mastra.json", 2),
        ("json/mockoon.json", 1),
        ("json/mockserver.json", 2),
        ("json/nock-gzip.json", 1),
        ("json/nock.json", 2),
        ("json/req-llm.json", 2),
        ("json/tapes.json", 2),
        ("json/test-agent.json", 1),
        ("vcrpy/key-objects.yaml", 2),
        ("vcrpy/lists.yaml", 1),
        ("vcrpy/req-cassette.json", 2),
    ],
)
def test_each_recording_is_checked_and_conforms(name: str, exchanges: int) -> None:
    done = CliRunner().invoke(cli, ["check", "--format", "json", str(GALLERY / name)])
    report = json.loads(done.stdout)
    assert done.exit_code == 0
    assert report["summary"]["exchanges"] == exchanges
    assert report["findings"] == report["skipped"] == []


def _unmarked(data: str) -> str:
    return base64.b64encode(data.encode()).decode()


@pytest.mark.parametrize(
    "response",
    [
        {"status": 200, "chunks": [_unmarked(EVENTS[:48]), _unmarked(EVENTS[48:])]},
        {"status": 200, "chunks": [EVENTS[:40], EVENTS[40:]]},
        {"status": 200, "body": _unmarked(EVENTS)},
    ],
)
def test_a_body_in_base64_is_told_by_what_comes_out_of_it_where_nothing_says_so(response: dict[str, Any]) -> None:
    found = _exchange({"request": {"method": "POST", "url": URL, "body": ASKED}, "response": response})
    assert found.response is not None
    assert isinstance(found.response.body, Stream)
    assert found.response.body.values[:-1] == CHUNKS


def test_a_trace_without_a_pair_says_that_nothing_is_in_it() -> None:
    (found,) = _read(b"httprr trace v1\n")
    assert isinstance(found, Skipped)
    assert found.reason == "nothing is recorded in it"
