"""Tests that the line and column of a finding lead to the broken value in the capture, in every format."""

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
from collections.abc import Callable
from typing import Any

import pytest
from backports import zstd
from reading import read_all
from writers import PARSED_FORMATS, Recorded, capture_name

from isogloss.validator import engines
from isogloss.validator.exchange import Exchange
from isogloss.validator.findings import Finding
from isogloss.validator.judging.judge import Judge

Writer = Callable[[list[Any]], bytes]

TEXT_BEFORE = 'Häagen \U0001f366 "quoted" back\\slash\nnew: line\'s # end  \ttab ' + "many words " * 30
ENCODING_WRITERS = ("vcrpy-base64", "vcrpy-gzip", "vcrpy-gzip-unsaid", "vcrpy-zstd", "vcrpy-lists", "har-base64",
                    "har-brotli", "har-deflate", "har-polly", "pair-datadog-base64", "pair-exvcr-binary",
                    "pair-hoverfly-base64", "pair-mockserver-binary", "pair-header-lines", "burp",
                    "pair-messages-raw", "pair-flat", "pair-undici", "nock-gzip", "wiremock-base64",
                    "httpmock-base64")  # fmt: skip
"""Names of the writers that encode bodies. Each place in such a body is the place where the encoded body begins."""

WRITERS_WITH_PLAIN_REQUESTS = ("har-base64", "har-brotli", "har-deflate", "har-polly", "pair-exvcr-binary",
                               "pair-hoverfly-base64", "pair-undici", "nock-gzip", "wiremock-base64",
                               "httpmock-base64")  # fmt: skip
"""Names of those of them that encode only the bodies of responses."""


def _completion(**changes: Any) -> str:
    message = {"role": "assistant", "content": TEXT_BEFORE, "refusal": None}
    value = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}],
        "created": 1700000000,
        "model": "m-1",
    }
    return json.dumps(value | changes, ensure_ascii=False)


def _stream(content: Any) -> str:
    def chunk(**delta: Any) -> str:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": None}
        value = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m-1", "choices": [choice]}
        return f"data: {json.dumps(value, ensure_ascii=False)}\n\n"

    return (
        chunk(role="assistant", content="") + chunk(content=TEXT_BEFORE) + chunk(content=content) + "data: [DONE]\n\n"
    )


@pytest.fixture(scope="module")
def request_body() -> str:
    return json.dumps({"model": "m-1", "messages": [{"role": "user", "content": TEXT_BEFORE}]}, ensure_ascii=False)


def _only_finding(data: bytes, rule: str) -> Finding:
    judge = Judge(engines.load(), active=[rule])
    exchanges = read_all(data, capture_name(data))
    assert all(isinstance(finding, Exchange) for finding in exchanges), exchanges
    findings = [
        finding
        for exchange in exchanges
        if isinstance(exchange, Exchange)
        for finding in judge.judge(exchange).findings
    ]
    assert len(findings) == 1, findings
    return findings[0]


def _unwrapped(data: bytes) -> str:
    """Return the text in which lines and columns are counted: that of the file, or of the file that is packed in it."""
    if data.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return archive.read(archive.namelist()[-1]).decode()
    if data.startswith(b"\x1f\x8b"):
        data = gzip.decompress(data)
    if data.startswith(b"\x28\xb5\x2f\xfd"):
        data = zstd.decompress(data)
    if data.startswith(b"\xfd7zXZ"):
        data = lzma.decompress(data)
    if data.startswith(b"BZh"):
        data = bz2.decompress(data)
    if data[257:262] == b"ustar":
        with tarfile.open(fileobj=io.BytesIO(data)) as archive:
            member = archive.extractfile(archive.getmembers()[0])
            assert member is not None
            data = member.read()
    return data.decode("utf-16" if data[:1] in (b"\xff", b"\xfe") else "utf-8")


def _text_from(data: bytes, finding: Finding) -> str:
    """Return the text of the file from the place of a finding to the end."""
    lines = re.split(r"\r\n|\n|\r", _unwrapped(data))
    return "\n".join([lines[finding.source.line - 1][finding.source.column - 1 :], *lines[finding.source.line :]])


def _assert_leads_to(text: str, value: str, writer_name: str, body: str) -> None:
    if writer_name.endswith("-chunked"):
        text = re.sub(r"\n[0-9a-f]+\n", "", text)  # the value may lie across two chunks
    if writer_name == "har-attached":  # the place is that of the name of the file with the body
        assert text.startswith(hashlib.sha1(body.encode()).hexdigest()), text[:80]
        return
    # This format keeps JSON responses parsed, and requests and streams in Base64.
    is_base64_body = writer_name == "pair-req-llm" and not body.startswith('{"id"')
    if writer_name not in ENCODING_WRITERS and not is_base64_body:
        assert re.sub(r'\A(?:[\\"]|&quot;)*', "", text).startswith(value), text[:80]
        return
    # Of a body in Base64, the beginning is compared. A compressed body has no bytes that are known here.
    start = base64.b64encode(body.encode()[:30]).decode() if writer_name.endswith("base64") else ""
    body_in_file = re.sub(r"\A(?:!!binary \|\n\s*|\\?\"|\[|\\\")*", "", text)
    assert re.match(r"[A-Za-z0-9+/]{30}", body_in_file), text[:80]
    assert body_in_file.startswith(start)


def test_a_finding_leads_to_a_value_in_a_json_body(any_writer: tuple[str, Writer], request_body: str) -> None:
    name, write = any_writer
    valid, broken = _completion(), _completion(created="yesterday")
    data = write([Recorded(request_body, valid), Recorded(request_body, broken)])
    finding = _only_finding(data, "wrong-type")
    assert finding.source.exchange == 1
    assert finding.source.event is None
    assert finding.pointer == "/created"
    _assert_leads_to(_text_from(data, finding), "yesterday", name, broken)


def test_a_finding_leads_to_a_value_in_a_request(writer: tuple[str, Writer], request_body: str) -> None:
    name, write = writer
    broken = json.dumps(json.loads(request_body) | {"temperature": "mild"}, ensure_ascii=False)
    data = write([Recorded(broken, _completion())])
    finding = _only_finding(data, "wrong-type")
    assert finding.kind == "request"
    _assert_leads_to(_text_from(data, finding), "mild", "" if name in WRITERS_WITH_PLAIN_REQUESTS else name, broken)


def test_a_finding_leads_to_a_value_in_an_event(any_writer: tuple[str, Writer], request_body: str) -> None:
    name, write = any_writer
    if name == "openai-batch":
        pytest.skip("batches do not stream")
    body = _stream(4711)
    data = write([Recorded(request_body, body, content_type="text/event-stream")])
    finding = _only_finding(data, "wrong-type")
    assert finding.source.event == 2
    _assert_leads_to(_text_from(data, finding), "4711", name, body)


def test_a_finding_leads_to_a_fault_of_the_json_text(any_writer: tuple[str, Writer], request_body: str) -> None:
    name, write = any_writer
    if name in PARSED_FORMATS:
        pytest.skip("keeps bodies parsed")
    body = _completion().replace("1700000000", "017")
    data = write([Recorded(request_body, body)])
    finding = _only_finding(data, "json-syntax")
    _assert_leads_to(_text_from(data, finding), "017", name, body)
