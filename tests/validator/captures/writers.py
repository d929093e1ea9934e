"""The same exchanges written in every format that is read, for tests that hold the formats against each other."""

from __future__ import annotations

import base64
import bz2
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
    """One exchange: both bodies as text, as they were sent; no request for what only records responses."""

    request: str | None
    response: str
    status: int = 200
    content_type: str = "application/json"
    url: str = URL
    headers: tuple[tuple[str, str], ...] = ()

    @property
    def asked(self) -> dict[str, str]:
        return {"content-type": "application/json", **dict(self.headers)}

    @property
    def answered(self) -> dict[str, str]:
        return {"content-type": self.content_type, **dict(self.headers)}


Writer = Callable[[list[Recorded]], bytes]


class _Plain(str):
    """A string to be written as YAML in a style of its own."""

    style: str | None = None


class _Dumper(yaml.SafeDumper):
    pass


def _styled(style: str | None) -> Callable[[str], _Plain]:
    def make(text: str) -> _Plain:
        plain = _Plain(text)
        plain.style = style
        return plain

    return make


_Dumper.add_representer(
    _Plain, lambda dumper, text: dumper.represent_scalar("tag:yaml.org,2002:str", str(text), style=text.style)
)


def _yaml(value: Any) -> bytes:
    return yaml.dump(value, Dumper=_Dumper, allow_unicode=True, sort_keys=False, width=90).encode()


def _vcrpy(
    recorded: list[Recorded], as_body: Callable[[str], Any] = str, dump: Callable[[Any], bytes] = _yaml, **headers: str
) -> bytes:
    interactions = [
        {
            "request": {
                "body": as_body(one.request) if one.request is not None else None,
                "headers": {name: [value] for name, value in one.asked.items()},
                "method": "POST",
                "uri": one.url,
            },
            "response": {
                "body": {"string": as_body(one.response)},
                "headers": {name: [value] for name, value in (one.answered | headers).items()},
                "status": {"code": one.status, "message": "OK"},
            },
        }
        for one in recorded
    ]
    return dump({"interactions": interactions, "version": 1})


def _json(value: Any) -> bytes:
    return json.dumps(value, indent=1).encode()


def _parsed(recorded: list[Recorded]) -> bytes:
    """Write like pydantic-ai: JSON bodies are parsed, other bodies are strings."""

    def body(text: str) -> dict[str, Any]:
        return {"parsed_body": json.loads(text)} if text.startswith("{") else {"body": {"string": text}}

    interactions = [
        {
            "request": {"headers": one.asked, "method": "POST", "uri": one.url}
            | ({} if one.request is None else {"parsed_body": json.loads(one.request)}),
            "response": {"headers": one.answered, **body(one.response), "status": {"code": one.status}},
        }
        for one in recorded
    ]
    return _yaml({"interactions": interactions, "version": 1})


def _ruby(recorded: list[Recorded], dump: Callable[[Any], bytes] = _yaml) -> bytes:
    interactions = [
        {
            "request": {
                "method": "post",
                "uri": one.url,
                "body": {"encoding": "UTF-8", "string": one.request or ""},
                "headers": {name: [value] for name, value in one.asked.items()},
            },
            "response": {
                "status": {"code": one.status, "message": "OK"},
                "headers": {name: [value] for name, value in one.answered.items()},
                "body": {"encoding": "UTF-8", "string": one.response},
            },
            "recorded_at": "Sun, 26 Nov 2023 11:45:48 GMT",
        }
        for one in recorded
    ]
    return b"---\n" * (dump is _yaml) + dump({"http_interactions": interactions, "recorded_with": "VCR 6.1.0"})


def _har(
    recorded: list[Recorded], content: Callable[[str], dict[str, Any]] = lambda text: {"text": text}, **headers: str
) -> bytes:
    entries = [
        {
            "startedDateTime": "2026-01-26T20:28:28.048Z",
            "request": {
                "method": "POST",
                "url": one.url,
                "headers": [{"name": name, "value": value} for name, value in one.asked.items()],
                "cookies": [],
                **({} if one.request is None else {"postData": {"mimeType": "application/json", "text": one.request}}),
            },
            "response": {
                "status": one.status,
                "headers": [{"name": name, "value": value} for name, value in (one.answered | headers).items()],
                "content": {"mimeType": one.content_type, **content(one.response)},
            },
        }
        for one in recorded
    ]
    return _json({"log": {"version": "1.2", "creator": {"name": "a test"}, "entries": entries}})


def _polly(text: str) -> dict[str, Any]:
    packed = gzip.compress(text.encode(), mtime=0)
    chunks = [base64.b64encode(part).decode() for part in (packed[:30], packed[30:])]
    return {"encoding": "base64", "text": json.dumps(chunks)}


def _httpmock(recorded: list[Recorded]) -> bytes:
    return b"---\n".join(
        _yaml(
            {
                "when": {
                    "path": "/v1/chat/completions",
                    "method": "POST",
                    "header": [{"name": name, "value": value} for name, value in one.asked.items()],
                    **({} if one.request is None else {"body": one.request}),
                },
                "then": {
                    "status": one.status,
                    "header": [{"name": name, "value": value} for name, value in one.answered.items()],
                    "body": _styled("|")(one.response),
                },
            }
        )
        for one in recorded
    )


def _session(recorded: list[Recorded]) -> bytes:
    def body(text: str | None) -> Any:
        return None if text is None else json.loads(text) if text[:1] == "{" else text.splitlines(keepends=True)

    entries = [
        {
            "RequestUri": one.url,
            "RequestMethod": "POST",
            "RequestHeaders": one.asked,
            "RequestBody": body(one.request),
            "StatusCode": one.status,
            "ResponseHeaders": one.answered,
            "ResponseBody": body(one.response),
        }
        for one in recorded
    ]
    return _json({"Entries": entries, "Variables": {}})


def _http(recorded: list[Recorded], *, chunked: bool = False) -> bytes:
    out = b""
    for one in recorded:
        if one.request is not None:
            body = one.request.encode()
            path = one.url.removeprefix("https://api.example.com")
            lines = [f"POST {path} HTTP/1.1", "Host: api.example.com", f"Content-Length: {len(body)}"]
            lines += [f"{name}: {value}" for name, value in one.asked.items()]
            out += "\r\n".join(lines).encode() + b"\r\n\r\n" + body + b"\r\n"
        body = one.response.encode()
        lines = [f"HTTP/1.1 {one.status} OK", *(f"{name}: {value}" for name, value in one.answered.items())]
        if chunked:
            lines.append("Transfer-Encoding: chunked")
            parts = [body[at : at + 37] for at in range(0, len(body), 37)]
            body = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in parts) + b"0\r\n\r\n"
        else:
            lines.append(f"Content-Length: {len(body)}")
        out += "\r\n".join(lines).encode() + b"\r\n\r\n" + body
    return out


def _curl(recorded: list[Recorded]) -> bytes:
    """Write what `curl -v` prints, with both outputs in one file. It has no request bodies."""
    out = ""
    for one in recorded:
        path = one.url.removeprefix("https://api.example.com")
        out += "* Connected to api.example.com (192.0.2.1) port 443 (#0)\n"
        out += f"> POST {path} HTTP/2\n> Host: api.example.com\n"
        out += "".join(f"> {name}: {value}\n" for name, value in one.asked.items())
        out += "> \n} [123 bytes data]\n"
        out += f"< HTTP/2 {one.status} \n" + "".join(f"< {name}: {value}\n" for name, value in one.answered.items())
        out += "< \n{ [1369 bytes data]\n" + one.response
        out += "\n" * (not out.endswith("\n")) + "* Connection #0 to host api.example.com left intact\n"
    return out.encode()


def records(recorded: list[Recorded]) -> bytes:
    lines = [
        {
            "host": "api.example.com",
            "path": one.url.removeprefix("https://api.example.com"),
            "status": one.status,
            "content_type": one.content_type,
            "response_text": one.response,
            **({} if one.request is None else {"request": json.loads(one.request)}),
        }
        for one in recorded
    ]
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


def _batch(recorded: list[Recorded]) -> bytes:
    lines = [
        {
            "id": f"batch_req_{number}",
            "custom_id": f"request-{number}",
            "response": {"status_code": one.status, "request_id": "r", "body": json.loads(one.response)},
            "error": None,
        }
        for number, one in enumerate(recorded)
    ]
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


def _wiremock(recorded: list[Recorded], body: Callable[[str], dict[str, Any]] = lambda text: {"body": text}) -> bytes:
    def asked(one: Recorded) -> dict[str, Any]:
        patterns = {} if one.request is None else {"bodyPatterns": [{"equalToJson": one.request}]}
        return {"url": one.url, "method": "POST", **patterns}

    return _json({
        "mappings": [
            {"request": asked(one), "response": {"status": one.status, "headers": one.answered, **body(one.response)}}
            for one in recorded
        ]
    })  # fmt: skip


def _mitmproxy(recorded: list[Recorded]) -> bytes:
    from mitmproxy import http
    from mitmproxy import io as flow_io
    from mitmproxy.test import tflow

    out = io.BytesIO()
    for one in recorded:
        flow = tflow.tflow(resp=True)
        flow.request = http.Request.make("POST", one.url, one.request or b"", one.asked)
        if one.request is None:
            flow.request.raw_content = None
        flow.response = http.Response.make(one.status, one.response.encode(), one.answered)
        flow_io.FlowWriter(out).add(flow)
    return out.getvalue()


def _otlp(recorded: list[Recorded]) -> bytes:
    """Write spans of OpenInference in OTLP JSON, with the texts of the bodies in attributes."""

    def span(one: Recorded) -> dict[str, Any]:
        texts = {"input.value": one.request or "", "output.value": one.response}
        attributes = [{"key": name, "value": {"stringValue": text}} for name, text in texts.items()]
        status = {"key": "http.response.status_code", "value": {"intValue": str(one.status)}}
        return {"name": "ChatCompletion", "attributes": [*attributes, status]}

    return _json({"resourceSpans": [{"scopeSpans": [{"spans": [span(one) for one in recorded]}]}]})


def _helicone(recorded: list[Recorded]) -> bytes:
    lines = [
        {"response_status": one.status, "request_path": one.url, "request_body": one.request,
         "response_body": one.response}
        for one in recorded
    ]  # fmt: skip
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


def _page(recorded: list[Recorded]) -> bytes:
    blocks = [f"```{'json' if one.response[:1] == '{' else 'sse'}\n{one.response}\n```\n" for one in recorded]
    return "".join(blocks).encode()


LOG_WRITERS: dict[str, Writer] = {"otlp": _otlp, "helicone": _helicone, "markdown": _page}
"""Each holds a part of what was recorded alone: no content type, or no request."""


def _zip(recorded: list[Recorded]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("../cassettes/one.har", _har(recorded))
    return out.getvalue()


def _attached(recorded: list[Recorded]) -> bytes:
    """Write like Playwright with `content: 'attach'`: bodies in their own files, then the archive that names them."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:

        def attach(text: str) -> str:
            name = f"{hashlib.sha1(text.encode()).hexdigest()}.{'json' if text[:1] == '{' else 'dat'}"
            if name not in archive.NameToInfo:
                archive.writestr(name, text)
            return name

        har = json.loads(_har(recorded, lambda text: {"_file": attach(text)}))
        for entry in har["log"]["entries"]:
            if posted := entry["request"].get("postData"):
                posted |= {"_file": attach(posted["text"]), "text": "", "params": []}
        archive.writestr("har.har", json.dumps(har, indent=2))
    return out.getvalue()


def _tar_gz(recorded: list[Recorded]) -> bytes:
    out = io.BytesIO()
    data = _vcrpy(recorded)
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        info = tarfile.TarInfo("/cassettes/one.yaml")
        info.size = len(data)
        archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


def _lines(values: list[Any]) -> bytes:
    return b"".join(json.dumps(value, ensure_ascii=False).encode() + b"\n" for value in values)


def _base64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def _pieces(text: str) -> list[str]:
    return [text[at : at + 50] for at in range(0, len(text), 50)]


def _as_json(text: str) -> Any:
    """Return the body as a recorder parses it: JSON as a value, anything else as text."""
    return json.loads(text) if text.startswith("{") else text


def _datadog(recorded: list[Recorded], body: Callable[[str], Any] = str) -> bytes:
    """Write like Datadog's test agent. It writes a file for each exchange; here, each exchange is a line."""
    return _lines(
        [
            {
                "request": {"method": "POST", "url": one.url, "headers": one.asked, "body": body(one.request or "")},
                "response": {
                    "status": {"code": one.status, "message": "OK"},
                    "headers": one.answered,
                    "body": body(one.response),
                },
            }
            for one in recorded
        ]
    )


def _req_llm(recorded: list[Recorded]) -> bytes:
    """Write like ReqLLM, but all exchanges in one array.

    Requests are in Base64 and as canonical JSON. Answers are parsed. Streams are in pieces, in Base64.
    """
    return _json(
        [
            {
                **(
                    {}
                    if one.response.startswith("{")
                    else {"chunks": [{"b64": _base64(p)} for p in _pieces(one.response)]}
                ),
                "request": {
                    "body": {"b64": _base64(one.request or "")},
                    "canonical_json": json.loads(one.request or "{}"),
                    "headers": {name: [value] for name, value in one.asked.items()},
                    "method": "post",
                    "url": one.url,
                },
                "response": {
                    "body": json.loads(one.response) if one.response.startswith("{") else None,
                    "headers": {name: [value] for name, value in one.answered.items()},
                    "status": one.status,
                },
            }
            for one in recorded
        ]
    )


def _exvcr(recorded: list[Recorded], *, binary: bool = False) -> bytes:
    def term(text: str) -> str:
        data = text.encode()
        return base64.b64encode(b"\x83m" + len(data).to_bytes(4) + data).decode()

    return _json(
        [
            {
                "request": {
                    "body": one.request or "",
                    "headers": one.asked,
                    "method": "post",
                    "options": [],
                    "request_body": "",
                    "url": one.url,
                },
                "response": {
                    "binary": binary,
                    "body": term(one.response) if binary else one.response,
                    "headers": one.answered,
                    "status_code": one.status,
                    "type": "ok",
                },
            }
            for one in recorded
        ]
    )


def _easyvcr(recorded: list[Recorded]) -> bytes:
    return _json(
        [
            {
                "Duration": 284,
                "Request": {
                    "Body": one.request or "",
                    "BodyContentType": "Json",
                    "ContentHeaders": {"Content-Type": "application/json"},
                    "Method": "POST",
                    "RequestHeaders": dict(one.headers),
                    "Uri": one.url,
                },
                "Response": {
                    "Body": one.response,
                    "BodyContentType": "Json",
                    "ContentHeaders": {"Content-Type": one.content_type},
                    "HttpVersion": "1.1",
                    "ResponseHeaders": {"Server": "a test", **dict(one.headers)},
                    "Status": {"Code": one.status, "Message": "OK"},
                },
            }
            for one in recorded
        ]
    )


def _mastra(recorded: list[Recorded]) -> bytes:
    def answer(text: str) -> dict[str, Any]:
        if text.startswith("{"):
            return {"body": json.loads(text), "isStreaming": False}
        return {"chunks": _pieces(text), "chunkTimings": [2, 8], "isStreaming": True}

    return _json(
        [
            {
                "hash": "f98adc5ac5da9e8a",
                "request": {"url": one.url, "method": "POST", "body": _as_json(one.request or ""), "timestamp": 1},
                "response": {
                    "status": one.status,
                    "statusText": "OK",
                    "headers": one.answered,
                    **answer(one.response),
                },
            }
            for one in recorded
        ]
    )


def _hoverfly(recorded: list[Recorded], *, encoded: bool = False) -> bytes:
    def exact(value: str) -> list[dict[str, str]]:
        return [{"matcher": "exact", "value": value}]

    def pair(one: Recorded) -> dict[str, Any]:
        scheme, _, rest = one.url.partition("://")
        host, _, path = rest.partition("/")
        path, _, query = path.partition("?")
        return {
            "request": {
                "path": exact(f"/{path}"),
                "method": exact("POST"),
                "destination": exact(host),
                "scheme": exact(scheme),
                "query": {"query": exact(query)},
                "body": exact(one.request or ""),
                "headers": {name: exact(value) for name, value in one.asked.items()},
            },
            "response": {
                "status": one.status,
                "body": _base64(one.response) if encoded else one.response,
                "encodedBody": encoded,
                "headers": {name: [value] for name, value in one.answered.items()},
                "templated": False,
            },
        }

    pairs = {"pairs": [pair(one) for one in recorded], "globalActions": {"delays": []}}
    return _json({"data": pairs, "meta": {"schemaVersion": "v5.1", "hoverflyVersion": "v1.2.0"}})


def _mockserver(recorded: list[Recorded], *, binary: bool = False) -> bytes:
    def body(text: str) -> Any:
        if binary:
            return {"type": "BINARY", "base64Bytes": _base64(text)}
        return (
            {"type": "JSON", "json": json.loads(text)} if text.startswith("{") else {"type": "STRING", "string": text}
        )

    def expectation(one: Recorded) -> dict[str, Any]:
        _, _, rest = one.url.partition("://")
        host, _, path = rest.partition("/")
        return {
            "httpRequest": {
                "method": "POST",
                "path": f"/{path}",
                "headers": [{"name": name, "values": [value]} for name, value in {"Host": host, **one.asked}.items()],
                "body": body(one.request or ""),
            },
            "httpResponse": {
                "statusCode": one.status,
                "headers": [{"name": name, "values": [value]} for name, value in one.answered.items()],
                "body": body(one.response),
            },
            "times": {"unlimited": True},
        }

    return _json([expectation(one) for one in recorded])


def _nock(recorded: list[Recorded], *, packed: bool = False) -> bytes:
    """Write like nock with `output_objects`: requests and answers are parsed, or in hexadecimal if they are compressed.

    The names and values of headers alternate in one array. With `packed`, the answers are compressed.
    """

    def response(text: str) -> Any:
        data = gzip.compress(text.encode(), mtime=0)
        return [data[:40].hex(), data[40:].hex()] if packed else _as_json(text)

    def definition(one: Recorded) -> dict[str, Any]:
        scheme, _, rest = one.url.partition("://")
        host, _, path = rest.partition("/")
        headers = one.answered | ({"Content-Encoding": "gzip"} if packed else {})
        return {
            "scope": f"{scheme}://{host}:443",
            "method": "POST",
            "path": f"/{path}",
            "body": _as_json(one.request or ""),
            "status": one.status,
            "response": response(one.response),
            "rawHeaders": [part for name, value in headers.items() for part in (name, value)],
            "responseIsBinary": False,
        }

    return _json([definition(one) for one in recorded])


def _tapes(recorded: list[Recorded]) -> bytes:
    """Write like huggingface.js, which keeps no request bodies."""
    return _json(
        {
            hashlib.sha256(f"{number}".encode()).hexdigest(): {
                "url": one.url,
                "init": {"headers": {"Content-Type": "application/json"}, "method": "POST"},
                "response": {
                    "body": one.response,
                    "status": one.status,
                    "statusText": "OK",
                    "headers": one.answered,
                },
            }
            for number, one in enumerate(recorded)
        }
    )


def _dumps(recorded: list[Recorded]) -> bytes:
    """Write like Llama Stack: answers are objects of the `openai` package, without status and headers."""

    def dump(value: Any, kind: str) -> dict[str, Any]:
        return {"__type__": f"openai.types.chat.{kind}", "__data__": value}

    def body(text: str) -> Any:
        if text.startswith("{"):
            return dump(json.loads(text), "chat_completion.ChatCompletion")
        events = [line.removeprefix("data: ") for line in text.splitlines() if line.startswith("data: {")]
        return [dump(json.loads(event), "chat_completion_chunk.ChatCompletionChunk") for event in events]

    return _json(
        [
            {"request": {"method": "POST", "url": one.url, "headers": {}}, "response": {"body": body(one.response)}}
            for one in recorded
        ]
    )


def _req_cassette(recorded: list[Recorded]) -> bytes:
    def body(text: str) -> dict[str, Any]:
        return (
            {"body_type": "json", "body_json": json.loads(text)}
            if text[:1] == "{"
            else {"body_type": "text", "body": text}
        )

    interactions = [
        {
            "request": {"method": "POST", "uri": one.url, "query_string": "", "headers": {}, **body(one.request or "")},
            "response": {
                "status": one.status,
                "headers": {name: [value] for name, value in one.answered.items()},
                **body(one.response),
            },
            "recorded_at": "2025-10-16T14:23:45.123456Z",
        }
        for one in recorded
    ]
    return _json({"version": "1.0", "interactions": interactions})


def _langchain(recorded: list[Recorded]) -> bytes:
    """Write like the tests of LangChain, in compressed YAML.

    Requests and responses are in a list each, and bodies are bytes.
    """
    whole = yaml.safe_load(_vcrpy(recorded, lambda text: text.encode()))["interactions"]
    lists = {half: [one[half.rstrip("s")] for one in whole] for half in ("requests", "responses")}
    return gzip.compress(_yaml(lists | {"version": 1}), mtime=0)


def _istr(recorded: list[Recorded]) -> bytes:
    """Write like vcrpy if aiohttp or httpx uses its own objects for the names of headers."""
    return re.sub(
        rb"^( +)(content-type|authorization|api-key|x-api-key|cookie|set-cookie):\n +- ",
        rb"\1? !!python/object/apply:multidict._multidict.istr\n\1- \2\n\1: - ",
        _vcrpy(recorded),
        flags=re.MULTILINE,
    )


def _httprr(recorded: list[Recorded], *, chunked: bool = False) -> bytes:
    out = b"httprr trace v1\n"
    for one in recorded:
        asked = one.request.encode() if one.request is not None else b""
        lines = [f"POST {one.url} HTTP/1.1", "Host: api.example.com", f"Content-Length: {len(asked)}"]
        lines += [f"{name}: {value}" for name, value in one.asked.items()]
        request = "\r\n".join(lines).encode() + b"\r\n\r\n" + asked
        response = _http([replace(one, request=None)], chunked=chunked)
        out += b"%d %d\n" % (len(request), len(response)) + request + response
    return out


def _header_lines(recorded: list[Recorded]) -> bytes:
    """Write like a handmade recorder: headers are lines, and properties say that bodies are in Base64."""
    return _lines(
        [
            {
                "request": {
                    "method": "POST",
                    "path": one.url.removeprefix("https://api.example.com"),
                    "headers": ["Host: api.example.com", *(f"{name}: {value}" for name, value in one.asked.items())],
                    "body_base64": _base64(one.request or ""),
                },
                "response": {
                    "code": one.status,
                    "headers": [f"{name}: {value}" for name, value in one.answered.items()],
                    "body": {"encoding": "base64", "data": _base64(one.response)},
                },
            }
            for one in recorded
        ]
    )


def _deflated(text: str) -> bytes:
    return zlib.compress(text.encode())


WRITERS: dict[str, Writer] = {
    "vcrpy": _vcrpy,
    "vcrpy-double-quoted": lambda recorded: _vcrpy(recorded, _styled('"')),
    "vcrpy-single-quoted": lambda recorded: _vcrpy(recorded, _styled("'")),
    "vcrpy-literal": lambda recorded: _vcrpy(recorded, _styled("|")),
    "vcrpy-folded": lambda recorded: _vcrpy(recorded, _styled(">")),
    "vcrpy-base64": lambda recorded: _vcrpy(recorded, lambda text: text.encode()),
    "vcrpy-gzip": lambda recorded: _vcrpy(
        recorded, lambda text: gzip.compress(text.encode()), **{"content-encoding": "gzip"}
    ),
    "vcrpy-gzip-unsaid": lambda recorded: _vcrpy(recorded, lambda text: gzip.compress(text.encode())),
    "vcrpy-decoded": lambda recorded: _vcrpy(recorded, **{"content-encoding": "gzip"}),
    "vcrpy-zstd": lambda recorded: _vcrpy(
        recorded, lambda text: zstd.compress(text.encode()), **{"content-encoding": "zstd"}
    ),
    "vcrpy-json": lambda recorded: _vcrpy(recorded, dump=_json),
    "pydantic-ai": _parsed,
    "ruby-vcr": _ruby,
    "ruby-vcr-json": lambda recorded: _ruby(recorded, _json),
    "har": _har,
    "har-base64": lambda recorded: _har(
        recorded, lambda text: {"encoding": "base64", "text": base64.b64encode(text.encode()).decode()}
    ),
    "har-brotli": lambda recorded: _har(
        recorded,
        lambda text: {"encoding": "base64", "text": base64.b64encode(brotli.compress(text.encode())).decode()},
        **{"content-encoding": "br"},
    ),
    "har-deflate": lambda recorded: _har(
        recorded,
        lambda text: {"encoding": "base64", "text": base64.b64encode(_deflated(text)).decode()},
        **{"content-encoding": "deflate"},
    ),
    "har-polly": lambda recorded: _har(recorded, _polly, **{"content-encoding": "gzip"}),
    "httpmock": _httpmock,
    "session-records": _session,
    "vcrpy-lists": _langchain,
    "vcrpy-key-objects": _istr,
    "req-cassette": _req_cassette,
    "httprr": _httprr,
    "httprr-chunked": lambda recorded: _httprr(recorded, chunked=True),
    "pair-datadog": _datadog,
    "pair-datadog-base64": lambda recorded: _datadog(recorded, lambda text: f"base64:{_base64(text)}"),
    "pair-req-llm": _req_llm,
    "pair-exvcr": _exvcr,
    "pair-exvcr-binary": lambda recorded: _exvcr(recorded, binary=True),
    "pair-easyvcr": _easyvcr,
    "pair-mastra": _mastra,
    "pair-hoverfly": _hoverfly,
    "pair-hoverfly-base64": lambda recorded: _hoverfly(recorded, encoded=True),
    "pair-mockserver": _mockserver,
    "pair-mockserver-binary": lambda recorded: _mockserver(recorded, binary=True),
    "pair-header-lines": _header_lines,
    "nock": _nock,
    "nock-gzip": lambda recorded: _nock(recorded, packed=True),
    "http": _http,
    "http-chunked": lambda recorded: _http(recorded, chunked=True),
    "records": records,
    "records-gzip": lambda recorded: gzip.compress(records(recorded)),
    "records-zstd": lambda recorded: zstd.compress(records(recorded)),
    "records-utf-16": lambda recorded: records(recorded).decode().encode("utf-16"),
    "wiremock": _wiremock,
    "wiremock-base64": lambda recorded: _wiremock(
        recorded, lambda text: {"base64Body": base64.b64encode(text.encode()).decode()}
    ),
    **({"mitmproxy": _mitmproxy} if find_spec("mitmproxy") else {}),
    "har-attached": _attached,
    "zip": _zip,
    "tar-gzip": _tar_gz,
    "tar-xz": lambda recorded: lzma.compress(gzip.decompress(_tar_gz(recorded))),
    "tar-bzip2": lambda recorded: bz2.compress(gzip.decompress(_tar_gz(recorded))),
    "records-xz": lambda recorded: lzma.compress(records(recorded)),
    "records-bzip2": lambda recorded: bz2.compress(records(recorded)),
}
"""Each holds both bodies, status and content type."""

RESPONSE_WRITERS: dict[str, Writer] = {
    "tapes": _tapes,
    "dumps": _dumps,
    "http-response": lambda recorded: _http([replace(one, request=None) for one in recorded]),
    "curl-v": _curl,
    "openai-batch": lambda recorded: _batch([one for one in recorded if one.response.startswith("{")]),
}
"""Each holds the responses alone; a batch only those that are JSON. Of dumps less is said than of what was sent."""

PARSED = frozenset({
    "pydantic-ai", "session-records", "openai-batch", "req-cassette", "pair-req-llm", "pair-mastra", "pair-mockserver",
    "nock", "dumps", "otlp",
})  # fmt: skip
"""Those that keep bodies parsed, or what a client library wrote anew: no JSON is broken in them."""
