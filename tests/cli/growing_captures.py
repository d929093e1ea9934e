"""Make captures in which one part grows, whatever it is: the exchanges of a format, or what is in one exchange."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from recorded import Recorded, Writer
from writers import LOG_WRITERS, RESPONSE_WRITERS, WRITERS

__all__ = ["ANSWER", "CHOICE", "GROWING", "MESSAGE", "REQUEST", "event", "fragment", "lines"]

REQUEST: dict[str, Any] = {"model": "m", "messages": [{"role": "user", "content": "a"}]}
MESSAGE: dict[str, Any] = {"role": "assistant", "content": "a", "refusal": None}
CHOICE: dict[str, Any] = {"index": 0, "message": MESSAGE, "logprobs": None, "finish_reason": "stop"}
ANSWER: dict[str, Any] = {
    "id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "m", "choices": [CHOICE],
}  # fmt: skip
_LIKELY = {"token": "a", "logprob": -0.5, "bytes": [97]}
_TOKEN = _LIKELY | {"top_logprobs": [_LIKELY]}
_SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}}


def lines(values: Iterable[object]) -> str:
    return "".join(f"{json.dumps(value)}\n" for value in values)


def event(choices: list[Any], **properties: Any) -> str:
    chunk = ANSWER | {"object": "chat.completion.chunk", "choices": choices} | properties
    return f"data: {json.dumps(chunk)}\n\n"


def fragment(index: int, **fragment: Any) -> str:
    return _delta(tool_calls=[{"index": index, **fragment}])


def _delta(finish_reason: str | None = None, **delta: Any) -> str:
    return event([{"index": 0, "delta": delta, "finish_reason": finish_reason}])


def _stream(*events: str) -> str:
    return "".join([_delta(role="assistant", content=""), *events, _delta("stop"), "data: [DONE]\n\n"])


def _answer(**properties: Any) -> str:
    return json.dumps(ANSWER | properties)


def _choice(**properties: Any) -> str:
    return _answer(choices=[CHOICE | properties])


def _calls(size: int, arguments: str = "{}") -> list[Any]:
    return [
        {"id": f"call_{number}", "type": "function", "function": {"name": f"f{number}", "arguments": arguments}}
        for number in range(size)
    ]


def _record(request: dict[str, Any], answer: object = ANSWER) -> str:
    return json.dumps({"request": REQUEST | request, "response": answer})


def _with_calls(calls: list[Any]) -> dict[str, Any]:
    message = MESSAGE | {"content": None, "tool_calls": calls}
    return ANSWER | {"choices": [CHOICE | {"message": message, "finish_reason": "tool_calls"}]}


def _tool(name: str, schema: dict[str, Any], **properties: Any) -> dict[str, Any]:
    return {"type": "function", "function": {"name": name, "parameters": schema} | properties}


def _with_schema(schema: dict[str, Any], strict: bool = False) -> str:
    return _record({"tools": [_tool("f0", schema, strict=strict)]}, _with_calls(_calls(1, '{"p0": {"p0": 1}}')))


def _deep_schema(size: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(size):
        schema = {"type": "object", "properties": {"p0": schema}}
    return schema


def _http(headers: str, body: str) -> str:
    return f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n{headers}\r\n{body}"


def _chunked(body: str) -> str:
    return _http("transfer-encoding: chunked\r\n", "".join(f"1\r\n{one}\r\n" for one in body) + "0\r\n\r\n")


def _in_each_line(size: int) -> str:
    log = "2026-11-24 05:00:00,123 DEBUG gateway: request_id=r{} {}\n"
    sent = [log.format(number, json.dumps(REQUEST | {"seed": number})) for number in range(size)]
    return "".join([*sent, *(log.format(number, _answer(id=f"c{number}")) for number in range(size))])


def _postman(size: int) -> str:
    schema = "https://schema.getpostman.com/json/collection/v2.1.0/collection.json"
    body = {"mode": "raw", "raw": json.dumps(REQUEST)}
    request = {"method": "POST", "url": {"raw": "https://h/v1/chat/completions"}, "body": body}
    responses = [{"name": "r", "code": 200, "header": [], "body": _answer(id=f"c{number}")} for number in range(size)]
    items = [{"name": "i", "request": request, "response": [response]} for response in responses]
    return json.dumps({"info": {"_postman_id": "x", "name": "x", "schema": schema}, "item": items})


def _commands(size: int) -> str:
    command = "```sh\ncurl https://h/v1/chat/completions \\\n  -d '{}'\n```\n"
    commands = [command.format(json.dumps(REQUEST | {"seed": number})) for number in range(size)]
    return "".join([*commands, *(f"```json\n{_answer(id=f'c{number}')}\n```\n" for number in range(size))])


def _attributes(size: int) -> str:
    values = [*(_answer(id=f"c{number}") for number in range(size)), json.dumps(REQUEST)]
    return json.dumps({"a": [{"key": f"k{n}", "value": {"stringValue": one}} for n, one in enumerate(values)]})


def _numbered(size: int, prefix: str = "", **values: Any) -> dict[str, Any]:
    return {f"{prefix}{name}{number}": value for number in range(size) for name, value in values.items()}


_IN_JSON: dict[str, Callable[[int], str]] = {
    "answers of an object": lambda size: json.dumps(_numbered(size, raw=ANSWER) | {"request": REQUEST}),
    "texts of an object": lambda size: json.dumps(_numbered(size, raw=_answer()) | {"request": REQUEST}),
    "answers alone in an object": lambda size: json.dumps(_numbered(size, case=ANSWER)),
    "requests and answers of an object": lambda size: json.dumps(_numbered(size, req=REQUEST, res=ANSWER)),
    "answers of an inner object": lambda size: json.dumps({"request": REQUEST, "all": _numbered(size, r=ANSWER)}),
    "attributes of an object": lambda size: _attributes(2 * size),  # all sizes are longer than the head of a capture
    "named answers of a list": lambda size: json.dumps({"request": REQUEST, "all": [{"a": ANSWER}] * size}),
    "pairs of an object": lambda size: json.dumps(_numbered(size, case={"in": REQUEST, "out": ANSWER})),
    "properties beside an answer": lambda size: json.dumps(
        {"request": REQUEST, "response": ANSWER} | _numbered(size, k={"a": 1})
    ),
    "a name with dots": lambda size: json.dumps({"request": REQUEST, "all": [{"A word. " * size: ANSWER}]}),
    "spans": lambda size: lines(
        {"span_id": f"s{n}", "parent_id": f"s{n - 1}", "input": REQUEST, "output": ANSWER} for n in range(size)
    ),
    "duplicate keys": lambda size: _answer()[:-1] + ', "a": 1' * size + "}",
    "objects with duplicate keys": lambda size: _answer()[:-1] + ', "x": [' + '{"a": 1, "a": 2},' * size + "1]}",
    "faults of JSON": lambda size: _answer()[:-1] + ', "x": [' + "[1,]," * size + "1]}",
    "faulty lines": lambda size: (_answer() + "\n" + _answer()[:-9] + "\n") * size,
}
_IN_PAYLOADS: dict[str, Callable[[int], str]] = {
    "choices": lambda size: _answer(choices=[CHOICE | {"index": number} for number in range(size)]),
    "choices of one index": lambda size: _answer(choices=[CHOICE] * size),
    "calls": lambda size: _record(
        {"tools": [_tool(f"f{number}", _SCHEMA) for number in range(size)]}, _with_calls(_calls(size))
    ),
    "log probabilities": lambda size: _choice(logprobs={"content": [_TOKEN] * size, "refusal": None}),
    "likely tokens": lambda size: _choice(
        logprobs={"content": [_TOKEN | {"top_logprobs": [_LIKELY] * size}], "refusal": None}
    ),
    "a long text": lambda size: _choice(message=MESSAGE | {"content": '<think> {"a": 1} \n```' * size}),
    "messages": lambda size: _record({"messages": REQUEST["messages"] * size}),
    "parts of a message": lambda size: _record(
        {"messages": [{"role": "user", "content": [{"type": "text", "text": "a"}] * size}]}
    ),
    "a wide schema": lambda size: _with_schema(_SCHEMA | {"properties": _numbered(size, p={"type": "string"})}),
    "a wide strict schema": lambda size: _with_schema(
        _SCHEMA | {"properties": _numbered(size, p={"type": "string"})}, strict=True
    ),
    "a deep schema": lambda size: _with_schema(_deep_schema(size // 20)),
    "references of a schema": lambda size: _with_schema(
        _SCHEMA | {"properties": _numbered(size, p={"$ref": "#/$defs/d"}), "$defs": {"d": _SCHEMA}}
    ),
    "a cycle of references": lambda size: _with_schema({
        "$ref": "#/$defs/d0",
        "$defs": {f"d{n}": {"properties": {"p0": {"$ref": f"#/$defs/d{(n + 1) % size}"}}} for n in range(size)},
    }),
}  # fmt: skip
_IN_STREAMS: dict[str, Callable[[int], str]] = {
    "chunks": lambda size: _stream(*[_delta(content="a")] * size),
    "chunks with other ids": lambda size: "".join(event([], id=f"c{number}") for number in range(size)),
    "chunks with other properties": lambda size: _stream(*[event([], **{f"k{n}": 1}) for n in range(size)]),
    "fragments of a call": lambda size: _stream(
        fragment(0, id="c", type="function", function={"name": "f", "arguments": ""}),
        *[fragment(0, function={"arguments": "1"})] * size,
    ),
    "fragments that repeat a name": lambda size: _stream(
        *[fragment(0, id="c", type="function", function={"name": "f", "arguments": "1"})] * size
    ),
    "choices of each chunk": lambda size: "".join(
        event([{"index": n, "delta": {"role": "assistant"}, "finish_reason": None} for n in range(size // 10)])
        for _ in range(10)
    ),
    "streams": lambda size: _stream(_delta(content="a")) * size,
    "a key in pieces": lambda size: _stream(_delta(content="sk-abcdefghij"), *[_delta(content="aB3")] * size),
    "comments": lambda size: _stream(": a\n\n" * size),
    "fields": lambda size: _stream("event: a\nid: 1\nx: y\n\n" * size),
    "events without blank lines": lambda size: _stream(*[_delta(content="a")[:-1]] * size),
    "events with carriage returns": lambda size: _stream(*[_delta(content="a")] * size).replace("\n", "\r"),
    "lines of an event": lambda size: _delta(content="a")[:-4] + "\n" + "data:\n" * size + "data: }\n\n",
    "headers": lambda size: _http("".join(f"x-{number}: a\r\n" for number in range(size)), _answer()),
    "pieces of a chunked body": lambda size: _chunked(_choice(message=MESSAGE | {"content": "a" * size})),
}
_IN_TEXTS: dict[str, Callable[[int], str]] = {
    "lines of a log": _in_each_line,
    "commands of a page": _commands,
    "blocks of a page": lambda size: "```python\nprint(1)\n```\na\n" * size + f"```json\n{_answer()}\n```\n",
    "comments of a page": lambda size: "```go\n" + f"func f() {{}}\n// {_answer()}\n" * size + "```\n",
    "items of a collection": _postman,
    "printed values": lambda size: f"2026-11-24 05:00:00,123 DEBUG got {ANSWER!r}\n" * size,
    "strings in Base64": lambda size: json.dumps(
        {"request": REQUEST, "all": [base64.b64encode(_answer().encode()).decode()] * size}
    ),
}
_FORMATS = (
    "csv", "sql", "sql-copy", "vcrpy", "vcrpy-gzip", "ruby-vcr", "har", "httpmock", "httprr-chunked", "goreplay",
    "wire-log", "burp", "xml", "pair-exvcr", "nock", "http", "wiremock", "zip", "tar-gzip", "records", "tapes",
    "curl-v", "otlp", "markdown", "log",
)  # fmt: skip
"""Formats that differ in how they are read; others are read like one of these."""


def _written(writer: Writer, size: int) -> bytes:
    requests = [json.dumps(REQUEST | {"seed": number}) for number in range(size)]
    return writer([Recorded(request, _answer(id=f"c{number}")) for number, request in enumerate(requests)])


GROWING: dict[str, Callable[[int], str | bytes]] = {
    **_IN_JSON, **_IN_PAYLOADS, **_IN_STREAMS, **_IN_TEXTS,
    **{f"exchanges in {name}": partial(_written, (WRITERS | LOG_WRITERS | RESPONSE_WRITERS)[name])
       for name in _FORMATS},
}  # fmt: skip
