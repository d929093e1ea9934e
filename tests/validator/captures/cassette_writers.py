"""Writers of cassettes: of vcrpy and its descendants, and of other recorders that keep a list of interactions."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from typing import Any

import yaml
from payloads import base64_of
from recorded import Recorded, compress, dump_json, dump_yaml, in_style


def write_vcrpy(
    exchanges: list[Recorded],
    as_body: Callable[[str], Any] = str,
    dump: Callable[[Any], bytes] = dump_yaml,
    **headers: str,
) -> bytes:
    interactions = [
        {
            "request": {
                "body": as_body(exchange.request) if exchange.request is not None else None,
                "headers": {name: [value] for name, value in exchange.request_headers.items()},
                "method": "POST",
                "uri": exchange.url,
            },
            "response": {
                "body": {"string": as_body(exchange.response)},
                "headers": {name: [value] for name, value in (exchange.response_headers | headers).items()},
                "status": {"code": exchange.status, "message": "OK"},
            },
        }
        for exchange in exchanges
    ]
    return dump({"interactions": interactions, "version": 1})


def write_pydantic_ai(exchanges: list[Recorded]) -> bytes:
    """Write like pydantic-ai, which parses JSON bodies, and keeps other bodies as strings."""

    def body(text: str) -> dict[str, Any]:
        return {"parsed_body": json.loads(text)} if text.startswith("{") else {"body": {"string": text}}

    interactions = [
        {
            "request": {"headers": exchange.request_headers, "method": "POST", "uri": exchange.url}
            | ({} if exchange.request is None else {"parsed_body": json.loads(exchange.request)}),
            "response": {
                "headers": exchange.response_headers,
                **body(exchange.response),
                "status": {"code": exchange.status},
            },
        }
        for exchange in exchanges
    ]
    return dump_yaml({"interactions": interactions, "version": 1})


def write_ruby_vcr(exchanges: list[Recorded], dump: Callable[[Any], bytes] = dump_yaml) -> bytes:
    interactions = [
        {
            "request": {
                "method": "post",
                "uri": exchange.url,
                "body": {"encoding": "UTF-8", "string": exchange.request or ""},
                "headers": {name: [value] for name, value in exchange.request_headers.items()},
            },
            "response": {
                "status": {"code": exchange.status, "message": "OK"},
                "headers": {name: [value] for name, value in exchange.response_headers.items()},
                "body": {"encoding": "UTF-8", "string": exchange.response},
            },
            "recorded_at": "Sun, 26 Nov 2023 11:45:48 GMT",
        }
        for exchange in exchanges
    ]
    return b"---\n" * (dump is dump_yaml) + dump({"http_interactions": interactions, "recorded_with": "VCR 6.1.0"})


def write_httpmock(exchanges: list[Recorded], *, in_base64: bool = False) -> bytes:
    return b"---\n".join(
        dump_yaml(
            {
                "when": {
                    "path": "/v1/chat/completions",
                    "method": "POST",
                    "header": [{"name": name, "value": value} for name, value in exchange.request_headers.items()],
                    **({} if exchange.request is None else {"body": exchange.request}),
                },
                "then": {
                    "status": exchange.status,
                    "header": [{"name": name, "value": value} for name, value in exchange.response_headers.items()],
                    **(
                        {"body_base64": base64_of(exchange.response)}
                        if in_base64
                        else {"body": in_style("|")(exchange.response)}
                    ),
                },
            }
        )
        for exchange in exchanges
    )


def write_session_records(exchanges: list[Recorded]) -> bytes:
    def body(text: str | None) -> Any:
        return None if text is None else json.loads(text) if text[:1] == "{" else text.splitlines(keepends=True)

    entries = [
        {
            "RequestUri": exchange.url,
            "RequestMethod": "POST",
            "RequestHeaders": exchange.request_headers,
            "RequestBody": body(exchange.request),
            "StatusCode": exchange.status,
            "ResponseHeaders": exchange.response_headers,
            "ResponseBody": body(exchange.response),
        }
        for exchange in exchanges
    ]
    return dump_json({"Entries": entries, "Variables": {}})


def write_tapes(exchanges: list[Recorded]) -> bytes:
    """Write like huggingface.js, which keeps no request bodies."""
    return dump_json(
        {
            hashlib.sha256(f"{number}".encode()).hexdigest(): {
                "url": exchange.url,
                "init": {"headers": {"Content-Type": "application/json"}, "method": "POST"},
                "response": {
                    "body": exchange.response,
                    "status": exchange.status,
                    "statusText": "OK",
                    "headers": exchange.response_headers,
                },
            }
            for number, exchange in enumerate(exchanges)
        }
    )


def write_dumps(exchanges: list[Recorded]) -> bytes:
    """Write like Llama Stack, which keeps responses as objects of the `openai` package, without status and headers."""

    def dump(value: Any, kind: str) -> dict[str, Any]:
        return {"__type__": f"openai.types.chat.{kind}", "__data__": value}

    def body(text: str) -> Any:
        if text.startswith("{"):
            return dump(json.loads(text), "chat_completion.ChatCompletion")
        events = [line.removeprefix("data: ") for line in text.splitlines() if line.startswith("data: {")]
        return [dump(json.loads(event), "chat_completion_chunk.ChatCompletionChunk") for event in events]

    return dump_json(
        [
            {
                "request": {"method": "POST", "url": exchange.url, "headers": {}},
                "response": {"body": body(exchange.response)},
            }
            for exchange in exchanges
        ]
    )


def write_req_cassette(exchanges: list[Recorded]) -> bytes:
    def body(text: str) -> dict[str, Any]:
        return (
            {"body_type": "json", "body_json": json.loads(text)}
            if text[:1] == "{"
            else {"body_type": "text", "body": text}
        )

    interactions = [
        {
            "request": {
                "method": "POST",
                "uri": exchange.url,
                "query_string": "",
                "headers": {},
                **body(exchange.request or ""),
            },
            "response": {
                "status": exchange.status,
                "headers": {name: [value] for name, value in exchange.response_headers.items()},
                **body(exchange.response),
            },
            "recorded_at": "2025-10-16T14:23:45.123456Z",
        }
        for exchange in exchanges
    ]
    return dump_json({"version": "1.0", "interactions": interactions})


def write_vcrpy_lists(exchanges: list[Recorded]) -> bytes:
    """Write like the tests of LangChain, in compressed YAML.

    There is one list of all requests, and one of all responses. Bodies are bytes.
    """
    interactions = yaml.safe_load(write_vcrpy(exchanges, lambda text: text.encode()))["interactions"]
    lists = {
        name: [interaction[name.rstrip("s")] for interaction in interactions] for name in ("requests", "responses")
    }
    return compress(dump_yaml(lists | {"version": 1}))


def write_vcrpy_key_objects(exchanges: list[Recorded]) -> bytes:
    """Write like vcrpy if the HTTP client, such as aiohttp, has objects of its own as names of headers."""
    return re.sub(
        rb"^( +)(content-type|authorization|api-key|x-api-key|cookie|set-cookie):\n +- ",
        rb"\1? !!python/object/apply:multidict._multidict.istr\n\1- \2\n\1: - ",
        write_vcrpy(exchanges),
        flags=re.MULTILINE,
    )
