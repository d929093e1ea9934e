"""Writers for every format that isogloss reads. Tests write the same exchanges in each, and compare what is read."""

from __future__ import annotations

import base64
import bz2
import csv
import gzip
import io
import json
import lzma
import zlib
from dataclasses import replace
from importlib.util import find_spec
from typing import Any

import brotli
from backports import zstd
from cassette_writers import (
    write_dumps,
    write_httpmock,
    write_pydantic_ai,
    write_req_cassette,
    write_ruby_vcr,
    write_session_records,
    write_tapes,
    write_vcrpy,
    write_vcrpy_key_objects,
    write_vcrpy_lists,
)
from pair_writers import (
    write_datadog,
    write_easyvcr,
    write_exvcr,
    write_flat,
    write_header_lines,
    write_hoverfly,
    write_mastra,
    write_messages,
    write_mockserver,
    write_nock,
    write_req_llm,
    write_undici,
    write_wiremock,
)
from payloads import base64_of
from recorded import Recorded, Writer, compress, dump_json, in_style
from sql_writers import sqlite_string, with_backslashes, write_inserts, write_pg_dump
from wire_writers import (
    polly_content,
    write_attached_har,
    write_burp,
    write_charles,
    write_curl,
    write_goreplay,
    write_har,
    write_http,
    write_httprr,
    write_mitmproxy,
    write_tar_gz,
    write_wire_log,
    write_wire_log_of_ruby,
    write_zip,
)


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


def write_batch(exchanges: list[Recorded]) -> bytes:
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


def write_otlp(exchanges: list[Recorded]) -> bytes:
    """Write spans of OpenInference in OTLP JSON, with the texts of the bodies in attributes."""

    def span(exchange: Recorded) -> dict[str, Any]:
        texts = {"input.value": exchange.request or "", "output.value": exchange.response}
        attributes = [{"key": name, "value": {"stringValue": text}} for name, text in texts.items()]
        status = {"key": "http.response.status_code", "value": {"intValue": str(exchange.status)}}
        return {"name": "ChatCompletion", "attributes": [*attributes, status]}

    return dump_json({"resourceSpans": [{"scopeSpans": [{"spans": [span(exchange) for exchange in exchanges]}]}]})


def write_helicone(exchanges: list[Recorded]) -> bytes:
    lines = [
        {"response_status": exchange.status, "request_path": exchange.url, "request_body": exchange.request,
         "response_body": exchange.response}
        for exchange in exchanges
    ]  # fmt: skip
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


def write_markdown(exchanges: list[Recorded]) -> bytes:
    blocks = [
        f"```{'json' if exchange.response[:1] == '{' else 'sse'}\n{exchange.response}\n```\n" for exchange in exchanges
    ]
    return "".join(blocks).encode()


def write_log(exchanges: list[Recorded]) -> bytes:
    """Write like a program that logs each line of a response, behind the time and the level."""
    lines = [line for exchange in exchanges for line in exchange.response.splitlines()]
    return "".join(f"2026-11-24 05:00:00,123 DEBUG gateway: got {line}\n" for line in lines).encode()


LOG_WRITERS: dict[str, Writer] = {
    "otlp": write_otlp, "helicone": write_helicone, "markdown": write_markdown, "log": write_log,
}  # fmt: skip
"""Writers of formats that hold only a part of an exchange: no content type, or no request."""


def _deflate(text: str) -> bytes:
    return zlib.compress(text.encode())


def write_csv(exchanges: list[Recorded], **options: Any) -> bytes:
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
    "csv": write_csv,
    "csv-quoted": lambda exchanges: write_csv(exchanges, quoting=csv.QUOTE_ALL, delimiter=";", lineterminator="\n"),
    "csv-backslashes": lambda exchanges: write_csv(
        exchanges, quoting=csv.QUOTE_ALL, doublequote=False, escapechar="\\"
    ),
    "csv-tabs": lambda exchanges: write_csv(exchanges, delimiter="\t", lineterminator="\r"),
    "sql-copy": write_pg_dump,
    "sql": write_inserts,
    "sql-sqlite": lambda exchanges: write_inserts(exchanges, sqlite_string),
    "sql-mysql": lambda exchanges: write_inserts(exchanges, with_backslashes, "`calls`", named=True),
    "vcrpy": write_vcrpy,
    "vcrpy-double-quoted": lambda exchanges: write_vcrpy(exchanges, in_style('"')),
    "vcrpy-single-quoted": lambda exchanges: write_vcrpy(exchanges, in_style("'")),
    "vcrpy-literal": lambda exchanges: write_vcrpy(exchanges, in_style("|")),
    "vcrpy-folded": lambda exchanges: write_vcrpy(exchanges, in_style(">")),
    "vcrpy-base64": lambda exchanges: write_vcrpy(exchanges, lambda text: text.encode()),
    "vcrpy-gzip": lambda exchanges: write_vcrpy(
        exchanges, lambda text: compress(text.encode()), **{"content-encoding": "gzip"}
    ),
    "vcrpy-gzip-unsaid": lambda exchanges: write_vcrpy(exchanges, lambda text: compress(text.encode())),
    "vcrpy-decoded": lambda exchanges: write_vcrpy(exchanges, **{"content-encoding": "gzip"}),
    "vcrpy-zstd": lambda exchanges: write_vcrpy(
        exchanges, lambda text: zstd.compress(text.encode()), **{"content-encoding": "zstd"}
    ),
    "vcrpy-json": lambda exchanges: write_vcrpy(exchanges, dump=dump_json),
    "pydantic-ai": write_pydantic_ai,
    "ruby-vcr": write_ruby_vcr,
    "ruby-vcr-json": lambda exchanges: write_ruby_vcr(exchanges, dump_json),
    "har": write_har,
    "har-base64": lambda exchanges: write_har(exchanges, lambda text: {"encoding": "base64", "text": base64_of(text)}),
    "har-brotli": lambda exchanges: write_har(
        exchanges,
        lambda text: {"encoding": "base64", "text": base64.b64encode(brotli.compress(text.encode())).decode()},
        **{"content-encoding": "br"},
    ),
    "har-deflate": lambda exchanges: write_har(
        exchanges,
        lambda text: {"encoding": "base64", "text": base64.b64encode(_deflate(text)).decode()},
        **{"content-encoding": "deflate"},
    ),
    "har-polly": lambda exchanges: write_har(exchanges, polly_content, **{"content-encoding": "gzip"}),
    "httpmock": write_httpmock,
    "httpmock-base64": lambda exchanges: write_httpmock(exchanges, in_base64=True),
    "session-records": write_session_records,
    "vcrpy-lists": write_vcrpy_lists,
    "vcrpy-key-objects": write_vcrpy_key_objects,
    "req-cassette": write_req_cassette,
    "httprr": write_httprr,
    "goreplay": write_goreplay,
    "wire-log": write_wire_log,
    "wire-log-ruby": write_wire_log_of_ruby,
    "burp": write_burp,
    "burp-plain": lambda exchanges: write_burp(exchanges, in_base64=False),
    "xml": write_charles,
    "xml-cdata": lambda exchanges: write_charles(exchanges, lambda text: f"<![CDATA[{text}]]>"),
    "httprr-chunked": lambda exchanges: write_httprr(exchanges, chunked=True),
    "pair-datadog": write_datadog,
    "pair-datadog-base64": lambda exchanges: write_datadog(exchanges, lambda text: f"base64:{base64_of(text)}"),
    "pair-req-llm": write_req_llm,
    "pair-exvcr": write_exvcr,
    "pair-exvcr-binary": lambda exchanges: write_exvcr(exchanges, binary=True),
    "pair-easyvcr": write_easyvcr,
    "pair-mastra": write_mastra,
    "pair-hoverfly": write_hoverfly,
    "pair-hoverfly-base64": lambda exchanges: write_hoverfly(exchanges, base64_bodies=True),
    "pair-mockserver": write_mockserver,
    "pair-mockserver-binary": lambda exchanges: write_mockserver(exchanges, binary=True),
    "pair-header-lines": write_header_lines,
    "pair-messages": write_messages,
    "pair-messages-raw": lambda exchanges: write_messages(
        exchanges, lambda text: {"id": 1, "headers": {}, "raw": base64_of(text)}
    ),
    "pair-flat": write_flat,
    "pair-undici": write_undici,
    "nock": write_nock,
    "nock-gzip": lambda exchanges: write_nock(exchanges, compressed=True),
    "http": write_http,
    "http-chunked": lambda exchanges: write_http(exchanges, chunked=True),
    "records": write_records,
    "records-gzip": lambda exchanges: compress(write_records(exchanges)),
    "records-zstd": lambda exchanges: zstd.compress(write_records(exchanges)),
    "records-utf-16": lambda exchanges: write_records(exchanges).decode().encode("utf-16"),
    "wiremock": write_wiremock,
    "wiremock-base64": lambda exchanges: write_wiremock(exchanges, lambda text: {"base64Body": base64_of(text)}),
    **({"mitmproxy": write_mitmproxy} if find_spec("mitmproxy") else {}),
    "har-attached": write_attached_har,
    "zip": write_zip,
    "tar-gzip": write_tar_gz,
    "tar-xz": lambda exchanges: lzma.compress(gzip.decompress(write_tar_gz(exchanges))),
    "tar-bzip2": lambda exchanges: bz2.compress(gzip.decompress(write_tar_gz(exchanges))),
    "records-xz": lambda exchanges: lzma.compress(write_records(exchanges)),
    "records-bzip2": lambda exchanges: bz2.compress(write_records(exchanges)),
}
"""Writers of formats that hold both bodies, the status and the content type."""


RESPONSE_WRITERS: dict[str, Writer] = {
    "tapes": write_tapes,
    "dumps": write_dumps,
    "http-response": lambda exchanges: write_http([replace(exchange, request=None) for exchange in exchanges]),
    "curl-v": write_curl,
    "openai-batch": lambda exchanges: write_batch(
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
