"""Writers of pairs of a request and its response in JSON, as recorders and mock servers keep them."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from typing import Any

from payloads import base64_of
from recorded import Recorded, compress, dump_json, dump_lines, parsed_body, pieces
from wire_writers import (
    write_http,
)


def write_wiremock(
    exchanges: list[Recorded], body: Callable[[str], dict[str, Any]] = lambda text: {"body": text}
) -> bytes:
    def request_pattern(exchange: Recorded) -> dict[str, Any]:
        body_patterns = {} if exchange.request is None else {"bodyPatterns": [{"equalToJson": exchange.request}]}
        return {"url": exchange.url, "method": "POST", **body_patterns}

    return dump_json({
        "mappings": [
            {
                "request": request_pattern(exchange),
                "response": {
                    "status": exchange.status, "headers": exchange.response_headers, **body(exchange.response),
                },
            }
            for exchange in exchanges
        ]
    })  # fmt: skip


def write_datadog(exchanges: list[Recorded], body: Callable[[str], Any] = str) -> bytes:
    """Write like Datadog's test agent, but each exchange on a line. The test agent writes a file for each."""
    return dump_lines(
        [
            {
                "request": {
                    "method": "POST",
                    "url": exchange.url,
                    "headers": exchange.request_headers,
                    "body": body(exchange.request or ""),
                },
                "response": {
                    "status": {"code": exchange.status, "message": "OK"},
                    "headers": exchange.response_headers,
                    "body": body(exchange.response),
                },
            }
            for exchange in exchanges
        ]
    )


def write_req_llm(exchanges: list[Recorded]) -> bytes:
    """Write like ReqLLM, but all exchanges in one array.

    Requests are written in Base64, and as canonical JSON. JSON responses are parsed. Streams are split into pieces, in
    Base64.
    """
    return dump_json(
        [
            {
                **(
                    {}
                    if exchange.response.startswith("{")
                    else {"chunks": [{"b64": base64_of(piece)} for piece in pieces(exchange.response)]}
                ),
                "request": {
                    "body": {"b64": base64_of(exchange.request or "")},
                    "canonical_json": json.loads(exchange.request or "{}"),
                    "headers": {name: [value] for name, value in exchange.request_headers.items()},
                    "method": "post",
                    "url": exchange.url,
                },
                "response": {
                    "body": json.loads(exchange.response) if exchange.response.startswith("{") else None,
                    "headers": {name: [value] for name, value in exchange.response_headers.items()},
                    "status": exchange.status,
                },
            }
            for exchange in exchanges
        ]
    )


def write_exvcr(exchanges: list[Recorded], *, binary: bool = False) -> bytes:
    def erlang_term(text: str) -> str:
        data = text.encode()
        return base64.b64encode(b"\x83m" + len(data).to_bytes(4) + data).decode()

    return dump_json(
        [
            {
                "request": {
                    "body": exchange.request or "",
                    "headers": exchange.request_headers,
                    "method": "post",
                    "options": [],
                    "request_body": "",
                    "url": exchange.url,
                },
                "response": {
                    "binary": binary,
                    "body": erlang_term(exchange.response) if binary else exchange.response,
                    "headers": exchange.response_headers,
                    "status_code": exchange.status,
                    "type": "ok",
                },
            }
            for exchange in exchanges
        ]
    )


def write_easyvcr(exchanges: list[Recorded]) -> bytes:
    return dump_json(
        [
            {
                "Duration": 284,
                "Request": {
                    "Body": exchange.request or "",
                    "BodyContentType": "Json",
                    "ContentHeaders": {"Content-Type": "application/json"},
                    "Method": "POST",
                    "RequestHeaders": dict(exchange.headers),
                    "Uri": exchange.url,
                },
                "Response": {
                    "Body": exchange.response,
                    "BodyContentType": "Json",
                    "ContentHeaders": {"Content-Type": exchange.content_type},
                    "HttpVersion": "1.1",
                    "ResponseHeaders": {"Server": "a test", **dict(exchange.headers)},
                    "Status": {"Code": exchange.status, "Message": "OK"},
                },
            }
            for exchange in exchanges
        ]
    )


def write_mastra(exchanges: list[Recorded]) -> bytes:
    def response_body(text: str) -> dict[str, Any]:
        if text.startswith("{"):
            return {"body": json.loads(text), "isStreaming": False}
        return {"chunks": pieces(text), "chunkTimings": [2, 8], "isStreaming": True}

    return dump_json(
        [
            {
                "hash": "f98adc5ac5da9e8a",
                "request": {
                    "url": exchange.url,
                    "method": "POST",
                    "body": parsed_body(exchange.request or ""),
                    "timestamp": 1,
                },
                "response": {
                    "status": exchange.status,
                    "statusText": "OK",
                    "headers": exchange.response_headers,
                    **response_body(exchange.response),
                },
            }
            for exchange in exchanges
        ]
    )


def write_hoverfly(exchanges: list[Recorded], *, base64_bodies: bool = False) -> bytes:
    def exact_matcher(value: str) -> list[dict[str, str]]:
        return [{"matcher": "exact", "value": value}]

    def pair(exchange: Recorded) -> dict[str, Any]:
        scheme, _, rest = exchange.url.partition("://")
        host, _, path = rest.partition("/")
        path, _, query = path.partition("?")
        return {
            "request": {
                "path": exact_matcher(f"/{path}"),
                "method": exact_matcher("POST"),
                "destination": exact_matcher(host),
                "scheme": exact_matcher(scheme),
                "query": {"query": exact_matcher(query)},
                "body": exact_matcher(exchange.request or ""),
                "headers": {name: exact_matcher(value) for name, value in exchange.request_headers.items()},
            },
            "response": {
                "status": exchange.status,
                "body": base64_of(exchange.response) if base64_bodies else exchange.response,
                "encodedBody": base64_bodies,
                "headers": {name: [value] for name, value in exchange.response_headers.items()},
                "templated": False,
            },
        }

    pairs = {"pairs": [pair(exchange) for exchange in exchanges], "globalActions": {"delays": []}}
    return dump_json({"data": pairs, "meta": {"schemaVersion": "v5.1", "hoverflyVersion": "v1.2.0"}})


def write_mockserver(exchanges: list[Recorded], *, binary: bool = False) -> bytes:
    def body(text: str) -> Any:
        if binary:
            return {"type": "BINARY", "base64Bytes": base64_of(text)}
        return (
            {"type": "JSON", "json": json.loads(text)} if text.startswith("{") else {"type": "STRING", "string": text}
        )

    def expectation(exchange: Recorded) -> dict[str, Any]:
        _, _, rest = exchange.url.partition("://")
        host, _, path = rest.partition("/")
        return {
            "httpRequest": {
                "method": "POST",
                "path": f"/{path}",
                "headers": [
                    {"name": name, "values": [value]}
                    for name, value in {"Host": host, **exchange.request_headers}.items()
                ],
                "body": body(exchange.request or ""),
            },
            "httpResponse": {
                "statusCode": exchange.status,
                "headers": [{"name": name, "values": [value]} for name, value in exchange.response_headers.items()],
                "body": body(exchange.response),
            },
            "times": {"unlimited": True},
        }

    return dump_json([expectation(exchange) for exchange in exchanges])


def write_nock(exchanges: list[Recorded], *, compressed: bool = False) -> bytes:
    """Write like nock with `output_objects`, which parses requests and responses.

    The names and values of headers alternate in one array. With ``compressed``, the responses are compressed, and
    written in hexadecimal.
    """

    def response(text: str) -> Any:
        data = compress(text.encode())
        return [part.hex() for part in (data[:40], data[40:]) if part] if compressed else parsed_body(text)

    def definition(exchange: Recorded) -> dict[str, Any]:
        scheme, _, rest = exchange.url.partition("://")
        host, _, path = rest.partition("/")
        headers = exchange.response_headers | ({"Content-Encoding": "gzip"} if compressed else {})
        return {
            "scope": f"{scheme}://{host}:443",
            "method": "POST",
            "path": f"/{path}",
            "body": parsed_body(exchange.request or ""),
            "status": exchange.status,
            "response": response(exchange.response),
            "rawHeaders": [part for name, value in headers.items() for part in (name, value)],
            "responseIsBinary": False,
        }

    return dump_json([definition(exchange) for exchange in exchanges])


def write_header_lines(exchanges: list[Recorded]) -> bytes:
    """Write like a handmade recorder: headers are lines, and the names of properties mark bodies as Base64."""
    return dump_lines(
        [
            {
                "request": {
                    "method": "POST",
                    "path": exchange.url.removeprefix("https://api.example.com"),
                    "headers": [
                        "Host: api.example.com",
                        *(f"{name}: {value}" for name, value in exchange.request_headers.items()),
                    ],
                    "body_base64": base64_of(exchange.request or ""),
                },
                "response": {
                    "code": exchange.status,
                    "headers": [f"{name}: {value}" for name, value in exchange.response_headers.items()],
                    "body": {"encoding": "base64", "data": base64_of(exchange.response)},
                },
            }
            for exchange in exchanges
        ]
    )


def write_messages(exchanges: list[Recorded], message: Callable[[str], Any] = str) -> bytes:
    """Write both messages of each exchange as they are on the wire, like Nuclei and goflow, as ``message`` says."""
    pairs = []
    for exchange in exchanges:
        wire = write_http([exchange]).decode()
        start = wire.index("HTTP/1.1 ", wire.index("HTTP/1.1") + 1) if exchange.request is not None else 0
        request = {"request": message(wire[:start])} if start else {}
        pairs.append({"url": exchange.url, **request, "response": message(wire[start:])})
    return dump_lines(pairs)


def write_flat(exchanges: list[Recorded]) -> bytes:
    """Write like llama-swap, which keeps both halves in one object, with bodies in Base64; but with the status, too."""
    return dump_lines(
        [
            {
                "id": number,
                "req_path": exchange.url,
                "req_headers": exchange.request_headers,
                "req_body": base64_of(exchange.request or ""),
                "resp_status_code": exchange.status,
                "resp_headers": exchange.response_headers,
                "resp_body": base64_of(exchange.response),
            }
            for number, exchange in enumerate(exchanges)
        ]
    )


def write_undici(exchanges: list[Recorded]) -> bytes:
    """Write like the snapshots of undici, which keep all responses that a request got, in Base64."""
    return dump_json(
        [
            {
                "hash": str(number),
                "snapshot": {
                    "request": {
                        "method": "POST",
                        "url": exchange.url,
                        "headers": exchange.request_headers,
                        "body": exchange.request,
                    },
                    "responses": [
                        {
                            "statusCode": exchange.status,
                            "headers": exchange.response_headers,
                            "body": base64_of(exchange.response),
                            "trailers": {},
                        }
                    ],
                    "callCount": 0,
                },
            }
            for number, exchange in enumerate(exchanges)
        ]
    )
