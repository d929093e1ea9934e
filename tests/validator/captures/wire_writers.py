"""Writers of messages as they are on the wire, of HTTP Archives, and of archives with captures in them."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import re
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any
from xml.sax.saxutils import escape

from cassette_writers import (
    write_vcrpy,
)
from recorded import Recorded, compress, dump_json


def write_har(
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
    return dump_json({"log": {"version": "1.2", "creator": {"name": "a test"}, "entries": entries}})


def polly_content(text: str) -> dict[str, Any]:
    compressed = compress(text.encode())
    pieces = [base64.b64encode(piece).decode() for piece in (compressed[:30], compressed[30:])]
    return {"encoding": "base64", "text": json.dumps(pieces)}


def write_http(exchanges: list[Recorded], *, chunked: bool = False) -> bytes:
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


def write_curl(exchanges: list[Recorded]) -> bytes:
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


def write_mitmproxy(exchanges: list[Recorded]) -> bytes:
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


def _zip_entry(name: str) -> zipfile.ZipInfo:
    """Return a compressed entry of a zip archive with a constant time, so that equal contents give equal bytes."""
    entry = zipfile.ZipInfo(name)
    entry.compress_type = zipfile.ZIP_DEFLATED
    return entry


def write_zip(exchanges: list[Recorded]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(_zip_entry("../cassettes/one.har"), write_har(exchanges))
    return out.getvalue()


def write_attached_har(exchanges: list[Recorded]) -> bytes:
    """Write like Playwright with `content: 'attach'`: each body in a file, and then the HAR that names these files."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:

        def attach(text: str) -> str:
            name = f"{hashlib.sha1(text.encode()).hexdigest()}.{'json' if text[:1] == '{' else 'dat'}"
            if name not in archive.NameToInfo:
                archive.writestr(_zip_entry(name), text)
            return name

        har = json.loads(write_har(exchanges, lambda text: {"_file": attach(text)}))
        for entry in har["log"]["entries"]:
            if post_data := entry["request"].get("postData"):
                post_data |= {"_file": attach(post_data["text"]), "text": "", "params": []}
        archive.writestr(_zip_entry("har.har"), json.dumps(har, indent=2))
    return out.getvalue()


def write_tar_gz(exchanges: list[Recorded]) -> bytes:
    out = io.BytesIO()
    data = write_vcrpy(exchanges)
    with tarfile.open(fileobj=out, mode="w") as archive:
        info = tarfile.TarInfo("/cassettes/one.yaml")
        info.size = len(data)
        archive.addfile(info, io.BytesIO(data))
    return compress(out.getvalue())


def _messages(exchanges: list[Recorded], *, chunked: bool = False) -> Iterator[tuple[bytes, bytes]]:
    """Yield each request and each response as they are on the wire."""
    for exchange in exchanges:
        request_body = exchange.request.encode() if exchange.request is not None else b""
        lines = [f"POST {exchange.url} HTTP/1.1", "Host: api.example.com", f"Content-Length: {len(request_body)}"]
        lines += [f"{name}: {value}" for name, value in exchange.request_headers.items()]
        request = "\r\n".join(lines).encode() + b"\r\n\r\n" + request_body
        response = write_http([replace(exchange, request=None)], chunked=chunked)
        yield request, response


def write_httprr(exchanges: list[Recorded], *, chunked: bool = False) -> bytes:
    pairs = _messages(exchanges, chunked=chunked)
    pieces = (b"%d %d\n" % (len(request), len(response)) + request + response for request, response in pairs)
    return b"httprr trace v1\n" + b"".join(pieces)


def write_goreplay(exchanges: list[Recorded]) -> bytes:
    """Write like GoReplay: all requests come before the responses."""
    pairs = list(enumerate(_messages(exchanges)))
    requests = (b"1 %024x 176%016d 0\n" % (number, number) + request for number, (request, _) in pairs)
    responses = (b"2 %024x 176%016d 5\n" % (number, number) + response for number, (_, response) in pairs)
    return b"".join(message + "\n🐵🙈🙉\n".encode() for message in (*requests, *responses))


def write_wire_log(exchanges: list[Recorded]) -> bytes:
    """Write like Apache HttpClient: a line of a log for each line on the wire, in which few bytes are escaped."""

    def escaped(line: bytes) -> str:
        end = "[\\r][\\n]" * line.endswith(b"\r\n") or "[\\n]" * line.endswith(b"\n")
        plain = line.removesuffix(b"\n").removesuffix(b"\r")
        return "".join(chr(one) if 32 <= one < 127 else f"[0x{one:x}]" for one in plain) + end

    lines = [
        f'12:00:01.002 [main] DEBUG org.apache.hc.client5.http.wire - http-outgoing-{number} {mark} "{escaped(line)}"\n'
        for number, messages in enumerate(_messages(exchanges))
        for mark, message in zip((">>", "<<"), messages, strict=True)
        for line in re.findall(rb"[^\n]*\n|[^\n]+", message)
    ]
    return "".join(lines).encode()


def write_wire_log_of_ruby(exchanges: list[Recorded]) -> bytes:
    """Write like ``Net::HTTP#set_debug_output``: pieces of what is sent and received, escaped like strings."""

    def inspected(piece: bytes) -> str:
        escapes = {10: "\\n", 13: "\\r", 34: '\\"', 92: "\\\\"}
        return "".join(escapes.get(one, chr(one) if 32 <= one < 127 else f"\\x{one:02X}") for one in piece)

    lines = ["opening connection to api.example.com:443...\n", "opened\n"]
    for request, response in _messages(exchanges):
        lines += [f'<- "{inspected(request)}"\n', "reading 100 bytes...\n"]
        lines += [f'-> "{inspected(response[at : at + 100])}"\n' for at in range(0, len(response), 100)]
    return "".join(lines).encode()


def write_burp(exchanges: list[Recorded], *, in_base64: bool = True) -> bytes:
    """Write the items that Burp Suite exports."""

    def element(name: bytes, message: bytes) -> bytes:
        message = base64.b64encode(message) if in_base64 else message
        return b'<%b base64="%b"><![CDATA[%b]]></%b>' % (name, b"true" if in_base64 else b"false", message, name)

    items = (
        b"  <item>\n    %b\n    <status>200</status>\n    %b\n  </item>\n"
        % (element(b"request", request), element(b"response", response))
        for request, response in _messages(exchanges)
    )
    return b'<?xml version="1.0"?>\n<items burpVersion="2025.6.5">\n' + b"".join(items) + b"</items>\n"


def write_charles(
    exchanges: list[Recorded], body: Callable[[str], str] = lambda text: escape(text, {'"': "&quot;"})
) -> bytes:
    """Write the session that Charles exports as XML, with the element of each body as `body` writes its text."""

    def headers(values: dict[str, str]) -> str:
        elements = (f"<header><name>{name}</name><value>{value}</value></header>" for name, value in values.items())
        return f"<headers><first-line>…</first-line>{''.join(elements)}</headers>"

    transactions = (
        f"""  <transaction status="COMPLETE" method="POST" protocol="https" host="api.example.com" port="443"
     path="{escape(exchange.url.removeprefix("https://api.example.com"))}">
    <request headers="true" body="{"true" if exchange.request else "false"}">{headers(exchange.request_headers)}
      {f'<body encoding="plain">{body(exchange.request)}</body>' if exchange.request else ""}</request>
    <response status="{exchange.status}" headers="true" body="true">{headers(exchange.response_headers)}
      <body encoding="plain">{body(exchange.response)}</body></response>
  </transaction>
"""
        for exchange in exchanges
    )
    doctype = '<!DOCTYPE charles-session SYSTEM "https://www.charlesproxy.com/dtd/charles-session-1_2.dtd">'
    declaration = f'<?xml version="1.0" encoding="UTF-8"?>\n{doctype}\n'
    return f"{declaration}<charles-session>\n{''.join(transactions)}</charles-session>\n".encode()
