"""Writers for every format that isogloss reads. Tests write the same exchanges in each, and compare what is read."""

from __future__ import annotations

import base64
import bz2
import csv
import gzip
import hashlib
import io
import json
import lzma
import re
import tarfile
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import Any

import brotli
import yaml
from backports import zstd

URL = "https://api.example.com/v1/chat/completions"


@dataclass(frozen=True)
class Recorded:
    """One exchange, with both bodies as they were sent. ``request`` is ``None`` if only a response was recorded."""

    request: str | None
    response: str
    status: int = 200
    content_type: str = "application/json"
    url: str = URL
    headers: tuple[tuple[str, str], ...] = ()

    @property
    def request_headers(self) -> dict[str, str]:
        return {"content-type": "application/json", **dict(self.headers)}

    @property
    def response_headers(self) -> dict[str, str]:
        return {"content-type": self.content_type, **dict(self.headers)}


Writer = Callable[[list[Recorded]], bytes]


class _StyledText(str):
    """A text with the style in which it is written as YAML."""

    style: str | None = None


class _YamlDumper(yaml.SafeDumper):
    pass


def _in_style(style: str | None) -> Callable[[str], _StyledText]:
    def add_style(text: str) -> _StyledText:
        styled = _StyledText(text)
        styled.style = style
        return styled

    return add_style


_YamlDumper.add_representer(
    _StyledText, lambda dumper, text: dumper.represent_scalar("tag:yaml.org,2002:str", str(text), style=text.style)
)


def _dump_yaml(value: Any) -> bytes:
    return yaml.dump(value, Dumper=_YamlDumper, allow_unicode=True, sort_keys=False, width=90).encode()


def _write_vcrpy(
    exchanges: list[Recorded],
    as_body: Callable[[str], Any] = str,
    dump: Callable[[Any], bytes] = _dump_yaml,
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


def _dump_json(value: Any) -> bytes:
    return json.dumps(value, indent=1).encode()


def _write_pydantic_ai(exchanges: list[Recorded]) -> bytes:
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
    return _dump_yaml({"interactions": interactions, "version": 1})


def _write_ruby_vcr(exchanges: list[Recorded], dump: Callable[[Any], bytes] = _dump_yaml) -> bytes:
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
    return b"---\n" * (dump is _dump_yaml) + dump({"http_interactions": interactions, "recorded_with": "VCR 6.1.0"})


def _write_har(
    exchanges: list[Recorded], content: Callable[[str], dict[str, Any]] = lambda text: {"text": text}, **headers: str
) -> bytes:
    entries = [
        {
            "startedDateTime": "2026-01-26T20:28:28.048Z",
            "request": {
                "method": "POST",
                "url": exchange.url,
                "headers": [{"name": name, "value": value} for name, value in exchange.request_headers.items()],
                "cookies": [],
                **(
                    {}
                    if exchange.request is None
                    else {"postData": {"mimeType": "application/json", "text": exchange.request}}
                ),
            },
            "response": {
                "status": exchange.status,
                "headers": [
                    {"name": name, "value": value} for name, value in (exchange.response_headers | headers).items()
                ],
                "content": {"mimeType": exchange.content_type, **content(exchange.response)},
            },
        }
        for exchange in exchanges
    ]
    return _dump_json({"log": {"version": "1.2", "creator": {"name": "a test"}, "entries": entries}})


def _compress(data: bytes) -> bytes:
    """Compress with gzip, without a time, so that the same data give the same bytes."""
    return gzip.compress(data, mtime=0)


def _polly_content(text: str) -> dict[str, Any]:
    compressed = _compress(text.encode())
    pieces = [base64.b64encode(piece).decode() for piece in (compressed[:30], compressed[30:])]
    return {"encoding": "base64", "text": json.dumps(pieces)}


def _write_httpmock(exchanges: list[Recorded]) -> bytes:
    return b"---\n".join(
        _dump_yaml(
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
                    "body": _in_style("|")(exchange.response),
                },
            }
        )
        for exchange in exchanges
    )


def _write_session_records(exchanges: list[Recorded]) -> bytes:
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
    return _dump_json({"Entries": entries, "Variables": {}})


def _write_http(exchanges: list[Recorded], *, chunked: bool = False) -> bytes:
    out = b""
    for exchange in exchanges:
        if exchange.request is not None:
            body = exchange.request.encode()
            path = exchange.url.removeprefix("https://api.example.com")
            lines = [f"POST {path} HTTP/1.1", "Host: api.example.com", f"Content-Length: {len(body)}"]
            lines += [f"{name}: {value}" for name, value in exchange.request_headers.items()]
            out += "\r\n".join(lines).encode() + b"\r\n\r\n" + body + b"\r\n"
        body = exchange.response.encode()
        lines = [
            f"HTTP/1.1 {exchange.status} OK",
            *(f"{name}: {value}" for name, value in exchange.response_headers.items()),
        ]
        if chunked:
            lines.append("Transfer-Encoding: chunked")
            parts = [body[at : at + 37] for at in range(0, len(body), 37)]
            body = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in parts) + b"0\r\n\r\n"
        else:
            lines.append(f"Content-Length: {len(body)}")
        out += "\r\n".join(lines).encode() + b"\r\n\r\n" + body
    return out


def _write_curl(exchanges: list[Recorded]) -> bytes:
    """Write what `curl -v` prints, with standard output and standard error in one file. It has no request bodies."""
    out = ""
    for exchange in exchanges:
        path = exchange.url.removeprefix("https://api.example.com")
        out += "* Connected to api.example.com (192.0.2.1) port 443 (#0)\n"
        out += f"> POST {path} HTTP/2\n> Host: api.example.com\n"
        out += "".join(f"> {name}: {value}\n" for name, value in exchange.request_headers.items())
        out += "> \n} [123 bytes data]\n"
        out += f"< HTTP/2 {exchange.status} \n" + "".join(
            f"< {name}: {value}\n" for name, value in exchange.response_headers.items()
        )
        out += "< \n{ [1369 bytes data]\n" + exchange.response
        out += "\n" * (not out.endswith("\n")) + "* Connection #0 to host api.example.com left intact\n"
    return out.encode()


def write_records(exchanges: list[Recorded]) -> bytes:
    lines = [
        {
            "host": "api.example.com",
            "path": exchange.url.removeprefix("https://api.example.com"),
            "status": exchange.status,
            "content_type": exchange.content_type,
            "response_text": exchange.response,
            **({} if exchange.request is None else {"request": json.loads(exchange.request)}),
        }
        for exchange in exchanges
    ]
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


def _write_batch(exchanges: list[Recorded]) -> bytes:
    lines = [
        {
            "id": f"batch_req_{number}",
            "custom_id": f"request-{number}",
            "response": {"status_code": exchange.status, "request_id": "r", "body": json.loads(exchange.response)},
            "error": None,
        }
        for number, exchange in enumerate(exchanges)
    ]
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


def _write_wiremock(
    exchanges: list[Recorded], body: Callable[[str], dict[str, Any]] = lambda text: {"body": text}
) -> bytes:
    def request_pattern(exchange: Recorded) -> dict[str, Any]:
        body_patterns = {} if exchange.request is None else {"bodyPatterns": [{"equalToJson": exchange.request}]}
        return {"url": exchange.url, "method": "POST", **body_patterns}

    return _dump_json({
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


def _write_mitmproxy(exchanges: list[Recorded]) -> bytes:
    from mitmproxy import http
    from mitmproxy import io as flow_io
    from mitmproxy.test import tflow

    out = io.BytesIO()
    for exchange in exchanges:
        flow = tflow.tflow(resp=True)
        flow.request = http.Request.make("POST", exchange.url, exchange.request or b"", exchange.request_headers)
        if exchange.request is None:
            flow.request.raw_content = None
        flow.response = http.Response.make(exchange.status, exchange.response.encode(), exchange.response_headers)
        flow_io.FlowWriter(out).add(flow)
    return out.getvalue()


def _write_otlp(exchanges: list[Recorded]) -> bytes:
    """Write spans of OpenInference in OTLP JSON, with the texts of the bodies in attributes."""

    def span(exchange: Recorded) -> dict[str, Any]:
        texts = {"input.value": exchange.request or "", "output.value": exchange.response}
        attributes = [{"key": name, "value": {"stringValue": text}} for name, text in texts.items()]
        status = {"key": "http.response.status_code", "value": {"intValue": str(exchange.status)}}
        return {"name": "ChatCompletion", "attributes": [*attributes, status]}

    return _dump_json({"resourceSpans": [{"scopeSpans": [{"spans": [span(exchange) for exchange in exchanges]}]}]})


def _write_helicone(exchanges: list[Recorded]) -> bytes:
    lines = [
        {"response_status": exchange.status, "request_path": exchange.url, "request_body": exchange.request,
         "response_body": exchange.response}
        for exchange in exchanges
    ]  # fmt: skip
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


def _write_markdown(exchanges: list[Recorded]) -> bytes:
    blocks = [
        f"```{'json' if exchange.response[:1] == '{' else 'sse'}\n{exchange.response}\n```\n" for exchange in exchanges
    ]
    return "".join(blocks).encode()


def _write_log(exchanges: list[Recorded]) -> bytes:
    """Write like a program that logs each line of a response, behind the time and the level."""
    lines = [line for exchange in exchanges for line in exchange.response.splitlines()]
    return "".join(f"2026-11-24 05:00:00,123 DEBUG gateway: got {line}\n" for line in lines).encode()


LOG_WRITERS: dict[str, Writer] = {
    "otlp": _write_otlp, "helicone": _write_helicone, "markdown": _write_markdown, "log": _write_log,
}  # fmt: skip
"""Writers of formats that hold only a part of an exchange: no content type, or no request."""


def _zip_entry(name: str) -> zipfile.ZipInfo:
    """Return a compressed entry of a zip archive with a constant time, so that equal contents give equal bytes."""
    entry = zipfile.ZipInfo(name)
    entry.compress_type = zipfile.ZIP_DEFLATED
    return entry


def _write_zip(exchanges: list[Recorded]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(_zip_entry("../cassettes/one.har"), _write_har(exchanges))
    return out.getvalue()


def _write_attached_har(exchanges: list[Recorded]) -> bytes:
    """Write like Playwright with `content: 'attach'`: each body in a file, and then the HAR that names these files."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:

        def attach(text: str) -> str:
            name = f"{hashlib.sha1(text.encode()).hexdigest()}.{'json' if text[:1] == '{' else 'dat'}"
            if name not in archive.NameToInfo:
                archive.writestr(_zip_entry(name), text)
            return name

        har = json.loads(_write_har(exchanges, lambda text: {"_file": attach(text)}))
        for entry in har["log"]["entries"]:
            if post_data := entry["request"].get("postData"):
                post_data |= {"_file": attach(post_data["text"]), "text": "", "params": []}
        archive.writestr(_zip_entry("har.har"), json.dumps(har, indent=2))
    return out.getvalue()


def _write_tar_gz(exchanges: list[Recorded]) -> bytes:
    out = io.BytesIO()
    data = _write_vcrpy(exchanges)
    with tarfile.open(fileobj=out, mode="w") as archive:
        info = tarfile.TarInfo("/cassettes/one.yaml")
        info.size = len(data)
        archive.addfile(info, io.BytesIO(data))
    return _compress(out.getvalue())


def _dump_lines(values: list[Any]) -> bytes:
    return b"".join(json.dumps(value, ensure_ascii=False).encode() + b"\n" for value in values)


def _base64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def _pieces(text: str) -> list[str]:
    return [text[at : at + 50] for at in range(0, len(text), 50)]


def _parsed_body(text: str) -> Any:
    """Return the body as a recorder parses it: JSON as a value, anything else as text."""
    return json.loads(text) if text.startswith("{") else text


def _write_datadog(exchanges: list[Recorded], body: Callable[[str], Any] = str) -> bytes:
    """Write like Datadog's test agent, but each exchange on a line. The test agent writes a file for each."""
    return _dump_lines(
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


def _write_req_llm(exchanges: list[Recorded]) -> bytes:
    """Write like ReqLLM, but all exchanges in one array.

    Requests are written in Base64, and as canonical JSON. JSON responses are parsed. Streams are split into pieces, in
    Base64.
    """
    return _dump_json(
        [
            {
                **(
                    {}
                    if exchange.response.startswith("{")
                    else {"chunks": [{"b64": _base64(piece)} for piece in _pieces(exchange.response)]}
                ),
                "request": {
                    "body": {"b64": _base64(exchange.request or "")},
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


def _write_exvcr(exchanges: list[Recorded], *, binary: bool = False) -> bytes:
    def erlang_term(text: str) -> str:
        data = text.encode()
        return base64.b64encode(b"\x83m" + len(data).to_bytes(4) + data).decode()

    return _dump_json(
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


def _write_easyvcr(exchanges: list[Recorded]) -> bytes:
    return _dump_json(
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


def _write_mastra(exchanges: list[Recorded]) -> bytes:
    def response_body(text: str) -> dict[str, Any]:
        if text.startswith("{"):
            return {"body": json.loads(text), "isStreaming": False}
        return {"chunks": _pieces(text), "chunkTimings": [2, 8], "isStreaming": True}

    return _dump_json(
        [
            {
                "hash": "f98adc5ac5da9e8a",
                "request": {
                    "url": exchange.url,
                    "method": "POST",
                    "body": _parsed_body(exchange.request or ""),
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


def _write_hoverfly(exchanges: list[Recorded], *, base64_bodies: bool = False) -> bytes:
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
                "body": _base64(exchange.response) if base64_bodies else exchange.response,
                "encodedBody": base64_bodies,
                "headers": {name: [value] for name, value in exchange.response_headers.items()},
                "templated": False,
            },
        }

    pairs = {"pairs": [pair(exchange) for exchange in exchanges], "globalActions": {"delays": []}}
    return _dump_json({"data": pairs, "meta": {"schemaVersion": "v5.1", "hoverflyVersion": "v1.2.0"}})


def _write_mockserver(exchanges: list[Recorded], *, binary: bool = False) -> bytes:
    def body(text: str) -> Any:
        if binary:
            return {"type": "BINARY", "base64Bytes": _base64(text)}
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

    return _dump_json([expectation(exchange) for exchange in exchanges])


def _write_nock(exchanges: list[Recorded], *, compressed: bool = False) -> bytes:
    """Write like nock with `output_objects`, which parses requests and responses.

    The names and values of headers alternate in one array. With ``compressed``, the responses are compressed, and
    written in hexadecimal.
    """

    def response(text: str) -> Any:
        data = _compress(text.encode())
        return [data[:40].hex(), data[40:].hex()] if compressed else _parsed_body(text)

    def definition(exchange: Recorded) -> dict[str, Any]:
        scheme, _, rest = exchange.url.partition("://")
        host, _, path = rest.partition("/")
        headers = exchange.response_headers | ({"Content-Encoding": "gzip"} if compressed else {})
        return {
            "scope": f"{scheme}://{host}:443",
            "method": "POST",
            "path": f"/{path}",
            "body": _parsed_body(exchange.request or ""),
            "status": exchange.status,
            "response": response(exchange.response),
            "rawHeaders": [part for name, value in headers.items() for part in (name, value)],
            "responseIsBinary": False,
        }

    return _dump_json([definition(exchange) for exchange in exchanges])


def _write_tapes(exchanges: list[Recorded]) -> bytes:
    """Write like huggingface.js, which keeps no request bodies."""
    return _dump_json(
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


def _write_dumps(exchanges: list[Recorded]) -> bytes:
    """Write like Llama Stack, which keeps responses as objects of the `openai` package, without status and headers."""

    def dump(value: Any, kind: str) -> dict[str, Any]:
        return {"__type__": f"openai.types.chat.{kind}", "__data__": value}

    def body(text: str) -> Any:
        if text.startswith("{"):
            return dump(json.loads(text), "chat_completion.ChatCompletion")
        events = [line.removeprefix("data: ") for line in text.splitlines() if line.startswith("data: {")]
        return [dump(json.loads(event), "chat_completion_chunk.ChatCompletionChunk") for event in events]

    return _dump_json(
        [
            {
                "request": {"method": "POST", "url": exchange.url, "headers": {}},
                "response": {"body": body(exchange.response)},
            }
            for exchange in exchanges
        ]
    )


def _write_req_cassette(exchanges: list[Recorded]) -> bytes:
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
    return _dump_json({"version": "1.0", "interactions": interactions})


def _write_vcrpy_lists(exchanges: list[Recorded]) -> bytes:
    """Write like the tests of LangChain, in compressed YAML.

    There is one list of all requests, and one of all responses. Bodies are bytes.
    """
    interactions = yaml.safe_load(_write_vcrpy(exchanges, lambda text: text.encode()))["interactions"]
    lists = {
        name: [interaction[name.rstrip("s")] for interaction in interactions] for name in ("requests", "responses")
    }
    return _compress(_dump_yaml(lists | {"version": 1}))


def _write_vcrpy_key_objects(exchanges: list[Recorded]) -> bytes:
    """Write like vcrpy if the HTTP client, such as aiohttp, has objects of its own as names of headers."""
    return re.sub(
        rb"^( +)(content-type|authorization|api-key|x-api-key|cookie|set-cookie):\n +- ",
        rb"\1? !!python/object/apply:multidict._multidict.istr\n\1- \2\n\1: - ",
        _write_vcrpy(exchanges),
        flags=re.MULTILINE,
    )


def _write_httprr(exchanges: list[Recorded], *, chunked: bool = False) -> bytes:
    out = b"httprr trace v1\n"
    for exchange in exchanges:
        request_body = exchange.request.encode() if exchange.request is not None else b""
        lines = [f"POST {exchange.url} HTTP/1.1", "Host: api.example.com", f"Content-Length: {len(request_body)}"]
        lines += [f"{name}: {value}" for name, value in exchange.request_headers.items()]
        request = "\r\n".join(lines).encode() + b"\r\n\r\n" + request_body
        response = _write_http([replace(exchange, request=None)], chunked=chunked)
        out += b"%d %d\n" % (len(request), len(response)) + request + response
    return out


def _write_header_lines(exchanges: list[Recorded]) -> bytes:
    """Write like a handmade recorder: headers are lines, and the names of properties mark bodies as Base64."""
    return _dump_lines(
        [
            {
                "request": {
                    "method": "POST",
                    "path": exchange.url.removeprefix("https://api.example.com"),
                    "headers": [
                        "Host: api.example.com",
                        *(f"{name}: {value}" for name, value in exchange.request_headers.items()),
                    ],
                    "body_base64": _base64(exchange.request or ""),
                },
                "response": {
                    "code": exchange.status,
                    "headers": [f"{name}: {value}" for name, value in exchange.response_headers.items()],
                    "body": {"encoding": "base64", "data": _base64(exchange.response)},
                },
            }
            for exchange in exchanges
        ]
    )


def _write_messages(exchanges: list[Recorded], message: Callable[[str], Any] = str) -> bytes:
    """Write both messages of each exchange as they are on the wire, like Nuclei and goflow, as ``message`` says."""
    pairs = []
    for exchange in exchanges:
        wire = _write_http([exchange]).decode()
        start = wire.index("HTTP/1.1 ", wire.index("HTTP/1.1") + 1) if exchange.request is not None else 0
        request = {"request": message(wire[:start])} if start else {}
        pairs.append({"url": exchange.url, **request, "response": message(wire[start:])})
    return _dump_lines(pairs)


def _write_flat(exchanges: list[Recorded]) -> bytes:
    """Write like llama-swap, which keeps both halves in one object, with bodies in Base64; but with the status, too."""
    return _dump_lines(
        [
            {
                "id": number,
                "req_path": exchange.url,
                "req_headers": exchange.request_headers,
                "req_body": _base64(exchange.request or ""),
                "resp_status_code": exchange.status,
                "resp_headers": exchange.response_headers,
                "resp_body": _base64(exchange.response),
            }
            for number, exchange in enumerate(exchanges)
        ]
    )


def _write_undici(exchanges: list[Recorded]) -> bytes:
    """Write like the snapshots of undici, which keep all responses that a request got, in Base64."""
    return _dump_json(
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
                            "body": _base64(exchange.response),
                            "trailers": {},
                        }
                    ],
                    "callCount": 0,
                },
            }
            for number, exchange in enumerate(exchanges)
        ]
    )


def _deflate(text: str) -> bytes:
    return zlib.compress(text.encode())


def _write_csv(exchanges: list[Recorded], **options: Any) -> bytes:
    """Write a table as databases export it."""
    out = io.StringIO(newline="")
    table = csv.writer(out, **options)
    table.writerow(("id", "path", "request", "response", "status", "content_type"))
    for number, exchange in enumerate(exchanges):
        table.writerow(
            (number, exchange.url, exchange.request, exchange.response, exchange.status, exchange.content_type)
        )
    return out.getvalue().encode()


def capture_name(data: bytes) -> str:
    """Return a name for what one of the writers wrote: a page is read only if its name says that it is one."""
    return "capture.md" if b"```" in data or b"~~~" in data else "capture"


WRITERS: dict[str, Writer] = {
    "csv": _write_csv,
    "csv-quoted": lambda exchanges: _write_csv(exchanges, quoting=csv.QUOTE_ALL, delimiter=";", lineterminator="\n"),
    "csv-backslashes": lambda exchanges: _write_csv(
        exchanges, quoting=csv.QUOTE_ALL, doublequote=False, escapechar="\\"
    ),
    "csv-tabs": lambda exchanges: _write_csv(exchanges, delimiter="\t", lineterminator="\r"),
    "vcrpy": _write_vcrpy,
    "vcrpy-double-quoted": lambda exchanges: _write_vcrpy(exchanges, _in_style('"')),
    "vcrpy-single-quoted": lambda exchanges: _write_vcrpy(exchanges, _in_style("'")),
    "vcrpy-literal": lambda exchanges: _write_vcrpy(exchanges, _in_style("|")),
    "vcrpy-folded": lambda exchanges: _write_vcrpy(exchanges, _in_style(">")),
    "vcrpy-base64": lambda exchanges: _write_vcrpy(exchanges, lambda text: text.encode()),
    "vcrpy-gzip": lambda exchanges: _write_vcrpy(
        exchanges, lambda text: _compress(text.encode()), **{"content-encoding": "gzip"}
    ),
    "vcrpy-gzip-unsaid": lambda exchanges: _write_vcrpy(exchanges, lambda text: _compress(text.encode())),
    "vcrpy-decoded": lambda exchanges: _write_vcrpy(exchanges, **{"content-encoding": "gzip"}),
    "vcrpy-zstd": lambda exchanges: _write_vcrpy(
        exchanges, lambda text: zstd.compress(text.encode()), **{"content-encoding": "zstd"}
    ),
    "vcrpy-json": lambda exchanges: _write_vcrpy(exchanges, dump=_dump_json),
    "pydantic-ai": _write_pydantic_ai,
    "ruby-vcr": _write_ruby_vcr,
    "ruby-vcr-json": lambda exchanges: _write_ruby_vcr(exchanges, _dump_json),
    "har": _write_har,
    "har-base64": lambda exchanges: _write_har(
        exchanges, lambda text: {"encoding": "base64", "text": base64.b64encode(text.encode()).decode()}
    ),
    "har-brotli": lambda exchanges: _write_har(
        exchanges,
        lambda text: {"encoding": "base64", "text": base64.b64encode(brotli.compress(text.encode())).decode()},
        **{"content-encoding": "br"},
    ),
    "har-deflate": lambda exchanges: _write_har(
        exchanges,
        lambda text: {"encoding": "base64", "text": base64.b64encode(_deflate(text)).decode()},
        **{"content-encoding": "deflate"},
    ),
    "har-polly": lambda exchanges: _write_har(exchanges, _polly_content, **{"content-encoding": "gzip"}),
    "httpmock": _write_httpmock,
    "session-records": _write_session_records,
    "vcrpy-lists": _write_vcrpy_lists,
    "vcrpy-key-objects": _write_vcrpy_key_objects,
    "req-cassette": _write_req_cassette,
    "httprr": _write_httprr,
    "httprr-chunked": lambda exchanges: _write_httprr(exchanges, chunked=True),
    "pair-datadog": _write_datadog,
    "pair-datadog-base64": lambda exchanges: _write_datadog(exchanges, lambda text: f"base64:{_base64(text)}"),
    "pair-req-llm": _write_req_llm,
    "pair-exvcr": _write_exvcr,
    "pair-exvcr-binary": lambda exchanges: _write_exvcr(exchanges, binary=True),
    "pair-easyvcr": _write_easyvcr,
    "pair-mastra": _write_mastra,
    "pair-hoverfly": _write_hoverfly,
    "pair-hoverfly-base64": lambda exchanges: _write_hoverfly(exchanges, base64_bodies=True),
    "pair-mockserver": _write_mockserver,
    "pair-mockserver-binary": lambda exchanges: _write_mockserver(exchanges, binary=True),
    "pair-header-lines": _write_header_lines,
    "pair-messages": _write_messages,
    "pair-messages-raw": lambda exchanges: _write_messages(
        exchanges, lambda text: {"id": 1, "headers": {}, "raw": _base64(text)}
    ),
    "pair-flat": _write_flat,
    "pair-undici": _write_undici,
    "nock": _write_nock,
    "nock-gzip": lambda exchanges: _write_nock(exchanges, compressed=True),
    "http": _write_http,
    "http-chunked": lambda exchanges: _write_http(exchanges, chunked=True),
    "records": write_records,
    "records-gzip": lambda exchanges: _compress(write_records(exchanges)),
    "records-zstd": lambda exchanges: zstd.compress(write_records(exchanges)),
    "records-utf-16": lambda exchanges: write_records(exchanges).decode().encode("utf-16"),
    "wiremock": _write_wiremock,
    "wiremock-base64": lambda exchanges: _write_wiremock(
        exchanges, lambda text: {"base64Body": base64.b64encode(text.encode()).decode()}
    ),
    **({"mitmproxy": _write_mitmproxy} if find_spec("mitmproxy") else {}),
    "har-attached": _write_attached_har,
    "zip": _write_zip,
    "tar-gzip": _write_tar_gz,
    "tar-xz": lambda exchanges: lzma.compress(gzip.decompress(_write_tar_gz(exchanges))),
    "tar-bzip2": lambda exchanges: bz2.compress(gzip.decompress(_write_tar_gz(exchanges))),
    "records-xz": lambda exchanges: lzma.compress(write_records(exchanges)),
    "records-bzip2": lambda exchanges: bz2.compress(write_records(exchanges)),
}
"""Writers of formats that hold both bodies, the status and the content type."""

RESPONSE_WRITERS: dict[str, Writer] = {
    "tapes": _write_tapes,
    "dumps": _write_dumps,
    "http-response": lambda exchanges: _write_http([replace(exchange, request=None) for exchange in exchanges]),
    "curl-v": _write_curl,
    "openai-batch": lambda exchanges: _write_batch(
        [exchange for exchange in exchanges if exchange.response.startswith("{")]
    ),
}
"""Writers of formats that hold only responses. A batch holds only those that are JSON.

Dumps do not show what was sent, so that they have fewer findings.
"""

PARSED_FORMATS = frozenset({
    "pydantic-ai", "session-records", "openai-batch", "req-cassette", "pair-req-llm", "pair-mastra", "pair-mockserver",
    "nock", "dumps", "otlp", "log",
})  # fmt: skip
"""Names of the writers whose formats keep bodies as parsed JSON, which cannot be broken, or may do so."""
