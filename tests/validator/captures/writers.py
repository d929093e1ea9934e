"""The same exchanges written in every format that is read, for tests that hold the formats against each other."""

from __future__ import annotations

import base64
import bz2
import gzip
import hashlib
import io
import json
import lzma
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
    """As pydantic-ai: JSON bodies parsed, others as strings."""

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
    """What `curl -v` prints, both outputs in one file; it holds no request body."""
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
    """As spans of OpenInference in OTLP JSON; what was streamed is no one document, and left out."""

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
    """As Playwright with `content: 'attach'`: bodies in files of their own, then the archive that names them."""
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
    "http-response": lambda recorded: _http([replace(one, request=None) for one in recorded]),
    "curl-v": _curl,
    "openai-batch": lambda recorded: _batch([one for one in recorded if one.response.startswith("{")]),
}
"""Each holds the responses alone; a batch only those that are JSON."""
