"""Read HTTP Archives (HAR 1.2), as browsers, Playwright, mitmproxy and Polly.js write them, in JSON or in YAML.

The recordings of sourcegraph/cody are YAML (``recording.har.yaml``, 2026-11).

Playwright may write a body to a file of its own. Then everything in the body has its place where the archive names that
file. A trace of Playwright has such entries, too: each is the ``snapshot`` on a line of ``trace.network``, and the rest
of the trace says what a test did (recorded with playwright-core 1.65, 2026-11).
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator

import orjson

from isogloss.validator.captures import http
from isogloss.validator.captures.attachments import RESOURCES, read_attachment
from isogloss.validator.captures.capture import Capture, skip_unreadable, unpacked
from isogloss.validator.captures.document import Document, Node, documents
from isogloss.validator.captures.http import RecordedMessage
from isogloss.validator.captures.limits import Unreadable
from isogloss.validator.captures.traffic import NEITHER, may_answer_anyway, why_other_path
from isogloss.validator.exchange import Exchange, Skipped, Why
from isogloss.validator.quoting import join_first
from isogloss.validator.text import Text

__all__ = ["NAME", "WORDS", "read", "recognise"]

NAME = "har"
WORDS = (b'"log"', b"log:", b'"resource-snapshot"', b'"context-options"')

_CUT = "ABORTED|INCOMPLETE_CHUNKED|CONTENT_LENGTH_MISMATCH|CONNECTION_(?:RESET|CLOSED)|HTTP2_PROTOCOL_ERROR"
"""Part of the errors after which a body is not whole. Chromium's developer tools call them ``_error``, and Playwright
``_failureText``.
"""
_HALVES = ("request", "response")
_MOST_NAMED = 10
"""How many answers without a body are named."""
_ARCHIVE = rb'"(?:version|creator|browser|pages|entries)"[ \t\r\n]*:'
"""A property of the log of an archive. Other documents have a log, too."""
_TRACE = rb'\{"(?:version":\d+,"type":"context-options"|type":"resource-snapshot")'
_YAML = rb"(?:---[^\n]*\n)?log:[ \t]*\r?\n(?:(?s:.{0,2000}?)[\r\n])?[ ]+entries:"


def recognise(capture: Capture) -> int:
    """Recognise an object whose first property is ``log``, and a trace of Playwright."""
    if not capture.begins_as_json:
        return 95 if re.match(_YAML, capture.start) else 0
    is_archive = capture.first_property == (b"log", b"{") and re.search(_ARCHIVE, capture.head) is not None
    return 95 if is_archive or re.match(_TRACE, capture.start) else 0


def read(capture: Capture) -> Iterator[Exchange | Skipped]:
    """Yield the exchanges of the entries of the archive, and the entries that are skipped.

    Browsers leave out the bodies of some answers, such as streams: the last part that is skipped says of which.
    """
    without_body: list[int] = []
    for found in _snapshots(capture) if re.match(_TRACE, capture.start) else _entries(capture):
        if isinstance(found, Exchange) and found.response is None:
            without_body.append(found.number)
        yield found
    if without_body:
        named = join_first([*map(str, without_body)], _MOST_NAMED)
        why = Why(
            f"answers whose body is not in the capture: of the exchanges {named}, counted from 0;"
            " browsers leave out the bodies of some streams, and a proxy keeps them (docs/proxy.md)"
        )
        yield Skipped(file=capture.name, why=why, parts=len(without_body))


def _snapshots(capture: Capture) -> Iterator[Exchange | Skipped]:
    """Yield the exchanges of the snapshots in a trace. Other lines of it are no traffic."""
    lines = (line for line in capture.lines() if b'"resource-snapshot"' in line.data)
    for number, line in enumerate(lines):
        document = Document(line)
        yield _exchange(capture, number, document.root.get("snapshot"))


def _entries(capture: Capture) -> Iterator[Exchange | Skipped]:
    for document in documents(capture):  # an archive is one document
        for number, entry in enumerate(document.root.get("log").get("entries").items()):
            if isinstance(entry.value, dict) and not entry.value.keys().isdisjoint(_HALVES):
                yield _exchange(capture, number, entry)
            else:
                yield Skipped(file=capture.name, number=number, why=NEITHER)
        yield from document.damage(capture.name)


@skip_unreadable
def _exchange(capture: Capture, number: int, entry: Node) -> Exchange | Skipped:
    request, response = entry.get("request"), entry.get("response")
    headers, content = response.get("headers"), response.get("content")
    path, method = http.host_and_path(request.get("url").string())[1], request.get("method").string()
    if (why := why_other_path(path, method)) and not may_answer_anyway(path, method):
        return Skipped(file=capture.name, number=number, why=why)  # also for pages; their bodies are not read
    return http.exchange_of_part(
        capture,
        number,
        entry,
        RecordedMessage(
            body=_body(capture, request.get("postData"), request.get("headers")),
            url=request.get("url").string(),
            method=method,
            started=entry.get("startedDateTime").string(),
        ),
        RecordedMessage(
            body=_body(capture, content, headers),
            status=response.get("status").integer() or None,  # 0: there was no response
            content_type=http.header(headers, "content-type") if headers.value else content.get("mimeType").string(),
            failure=_failure(response),
        ),
    )


def _failure(response: Node) -> str | None:
    """Return why a body did not come to its end, or ``None`` if that is not known."""
    said = response.get("_error").string() or response.get("_failureText").string()
    return said if said is not None and re.search(_CUT, said) else None


def _body(capture: Capture, content: Node, headers: Node) -> Text | None:
    text = content.get("text").text()
    if (name := content.get("_file", "_sha1").text()) is not None:
        path = ("" if "_file" in content.value else RESOURCES) + name.data.decode("utf-8", "replace")
        text = unpacked(read_attachment(capture, path), name)
    elif text is None:  # Chrome and Polly.js write no text for an empty body
        is_empty = bool(content.value) and http.header(headers, "content-length") == "0"
        return Text.fixed(b"", content.document.text, content.document.places.offset(content.at)) if is_empty else None
    else:
        encoding = content.get("encoding").string()
        if encoding == "base64" or content.get("_isBinary").value is True:
            text = unpacked(_decode_content(text.data, encoding), text)
    return http.decoded_body(text, http.header(headers, "content-encoding"), capture.budget)


def _decode_content(data: bytes, encoding: str | None) -> bytes:
    """Decode content. Polly.js keeps compressed bodies as a JSON array of chunks in base64, formerly in hexadecimal."""
    chunks = [data]
    if data.startswith(b"["):
        try:
            chunks = [chunk.encode() for chunk in orjson.loads(data)]
        except (orjson.JSONDecodeError, AttributeError) as error:
            raise Unreadable("a body that is neither base64 nor an array of chunks") from error
    try:
        return b"".join(base64.b64decode(one) if encoding == "base64" else binascii.unhexlify(one) for one in chunks)
    except binascii.Error as error:
        raise Unreadable(f"a body that is marked as {encoding or 'hexadecimal'}, and is not: {error}") from error
