"""A finding's line and column lead to the broken value in the capture file, however it is wrapped there."""

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

from isogloss.validator import engines
from isogloss.validator.captures import Capture, read
from isogloss.validator.exchange import Exchange
from isogloss.validator.findings import Finding
from isogloss.validator.judging.judge import Judge

Writer = Callable[[list[Any]], bytes]

BEFORE = 'Häagen \U0001f366 "quoted" back\\slash\nnew: line\'s # end  \ttab ' + "many words " * 30
ENCODED = ("vcrpy-base64", "vcrpy-gzip", "vcrpy-gzip-unsaid", "vcrpy-zstd", "vcrpy-lists", "har-base64", "har-brotli",
           "har-deflate", "har-polly", "pair-datadog-base64", "pair-exvcr-binary", "pair-hoverfly-base64",
           "pair-mockserver-binary", "pair-header-lines", "nock-gzip", "wiremock-base64")  # fmt: skip
"""Writers whose bodies stand in the file encoded: all of a body is where its encoding begins."""

PLAIN_REQUESTS = ("har-base64", "har-brotli", "har-deflate", "har-polly", "pair-exvcr-binary", "pair-hoverfly-base64",
                  "nock-gzip", "wiremock-base64")  # fmt: skip
"""Those of them that encode only responses."""


def _completion(**changes: Any) -> str:
    message = {"role": "assistant", "content": BEFORE, "refusal": None}
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

    return chunk(role="assistant", content="") + chunk(content=BEFORE) + chunk(content=content) + "data: [DONE]\n\n"


@pytest.fixture(scope="module")
def request_body() -> str:
    return json.dumps({"model": "m-1", "messages": [{"role": "user", "content": BEFORE}]}, ensure_ascii=False)


def _finding(data: bytes, rule: str) -> Finding:
    judge = Judge(engines.load(), active=[rule])
    exchanges = list(read(Capture(io.BytesIO(data), "capture.md")))
    assert all(isinstance(one, Exchange) for one in exchanges), exchanges
    found = [one for exchange in exchanges if isinstance(exchange, Exchange) for one in judge.judge(exchange).findings]
    assert len(found) == 1, found
    return found[0]


def _unwrapped(data: bytes) -> str:
    """Return the text in which lines and columns are counted: that of the file, or of what is packed in it."""
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


def _rest(data: bytes, finding: Finding) -> str:
    """Return the text of the file from the place of the finding to the end."""
    lines = re.split(r"\r\n|\n|\r", _unwrapped(data))
    return "\n".join([lines[finding.source.line - 1][finding.source.column - 1 :], *lines[finding.source.line :]])


def _assert_leads_to(rest: str, value: str, writer: str, body: str) -> None:
    if writer.endswith("-chunked"):
        rest = re.sub(r"\n[0-9a-f]+\n", "", rest)  # the value may lie across two chunks
    if writer == "har-attached":  # the name of the file that the body is in
        assert rest.startswith(hashlib.sha1(body.encode()).hexdigest()), rest[:80]
        return
    encoded_by_half = writer == "pair-req-llm" and not body.startswith('{"id"')  # answers in JSON are kept parsed
    if writer not in ENCODED and not encoded_by_half:
        assert rest.lstrip('\\"').startswith(value), rest[:80]
        return
    # the start of the encoded body, of which as much as is encoded by itself can be compared
    start = base64.b64encode(body.encode()[:30]).decode() if writer.endswith("base64") else ""
    encoded = re.sub(r"\A(?:!!binary \|\n\s*|\\?\"|\[|\\\")*", "", rest)
    assert re.match(r"[A-Za-z0-9+/]{30}", encoded), rest[:80]
    assert encoded.startswith(start)


def test_a_value_in_a_json_body(any_writer: tuple[str, Writer], recorded_type: Any, request_body: str) -> None:
    name, write = any_writer
    sound, broken = _completion(), _completion(created="yesterday")
    data = write([recorded_type(request_body, sound), recorded_type(request_body, broken)])
    finding = _finding(data, "wrong-type")
    assert finding.source.exchange == 1
    assert finding.source.event is None
    assert finding.pointer == "/created"
    _assert_leads_to(_rest(data, finding), "yesterday", name, broken)


def test_a_value_in_a_request(writer: tuple[str, Writer], recorded_type: Any, request_body: str) -> None:
    name, write = writer
    broken = json.dumps(json.loads(request_body) | {"temperature": "mild"}, ensure_ascii=False)
    data = write([recorded_type(broken, _completion())])
    finding = _finding(data, "wrong-type")
    assert finding.kind == "request"
    _assert_leads_to(_rest(data, finding), "mild", "" if name in PLAIN_REQUESTS else name, broken)


def test_a_value_in_an_event(any_writer: tuple[str, Writer], recorded_type: Any, request_body: str) -> None:
    name, write = any_writer
    if name == "openai-batch":
        pytest.skip("batches do not stream")
    body = _stream(4711)
    data = write([recorded_type(request_body, body, content_type="text/event-stream")])
    finding = _finding(data, "wrong-type")
    assert finding.source.event == 2
    _assert_leads_to(_rest(data, finding), "4711", name, body)


def test_a_fault_of_json_itself(
    any_writer: tuple[str, Writer], recorded_type: Any, request_body: str, keeps_parsed: frozenset[str]
) -> None:
    name, write = any_writer
    if name in keeps_parsed:
        pytest.skip("keeps bodies parsed")
    body = _completion().replace("1700000000", "017")
    data = write([recorded_type(request_body, body)])
    finding = _finding(data, "json-syntax")
    _assert_leads_to(_rest(data, finding), "017", name, body)
