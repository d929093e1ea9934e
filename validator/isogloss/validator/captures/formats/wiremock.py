"""Read mappings of WireMock: requests that it matches, with its answers. A file has one mapping, or ``mappings``.

The answer is text (``body``), JSON (``jsonBody``), Base64 (``base64Body``) or in a file (``bodyFileName``, see
:mod:`isogloss.validator.captures.attachments`). The recorded request is among the ``bodyPatterns``. A pattern that is
no request of Chat Completions matches only a part of a request, and is left out. So is one that ignores what else the
request holds, unless WireMock recorded it: then it is the only pattern, and says whether the order of arrays counts.
Contracts of Spring Cloud Contract in YAML are read, too: they have a ``body`` in place of patterns
(https://docs.spring.io/spring-cloud-contract/reference/project-features-contract.html, read 2026-11).
Source: https://wiremock.org/docs/stubbing/ and https://wiremock.org/docs/request-matching/, read 2026-11, and the
recorded mappings of apache/camel-quarkus@a7fe3e3, integration-tests/openai.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from isogloss.validator.captures import http
from isogloss.validator.captures.attachments import read_served_file
from isogloss.validator.captures.bodies.encoded import from_base64
from isogloss.validator.captures.bodies.matchers import request_in_patterns
from isogloss.validator.captures.capture import Capture, skip_unreadable, unpacked
from isogloss.validator.captures.document import Node, documents
from isogloss.validator.captures.http import RecordedMessage
from isogloss.validator.decode import decode, decode_json
from isogloss.validator.exchange import Exchange, Skipped, Why
from isogloss.validator.text import Text

__all__ = ["NAME", "WORDS", "read", "recognise"]

NAME = "wiremock"
WORDS = (b'"request"', b'"response"', b"request:", b"response:")

_REQUEST_PROPERTIES = frozenset({"urlPath", "urlPattern", "urlPathPattern", "urlPathTemplate", "bodyPatterns"})
_RESPONSE_PROPERTIES = frozenset({"jsonBody", "base64Body", "bodyFileName"})
_PROPERTIES = "|".join(sorted(_REQUEST_PROPERTIES | _RESPONSE_PROPERTIES)).encode()
_PROPERTY = rb'"(?:' + _PROPERTIES + rb')"\s*:'
_YAML_PROPERTY = rb"(?m)^[ -]+(?:" + _PROPERTIES + rb"):"
_FILLED_IN = rb"[:,\[]\s*+\{\{"
"""The start of an expression of a template in the place of a JSON value."""
_YAML_HALF = rb"(?m)^(?:[ -]+)?%b:[ \t]*\r?$"


def recognise(capture: Capture) -> int:
    """Recognise a list of ``mappings``, or a single mapping: an object with ``request`` and ``response``.

    In a single mapping, one of the two must have a property that only WireMock has. The file may be YAML.
    """
    head = capture.head
    if not capture.begins_as_json:
        patterns = (_YAML_PROPERTY, *(_YAML_HALF % half for half in (b"request", b"response")))
        return 65 if all(re.search(pattern, head) for pattern in patterns) else 0
    if b'"request"' not in head or (capture.whole_head and b'"response"' not in head):
        return 0
    if capture.first_property == (b"mappings", b"["):
        return 80
    return 65 if re.search(_PROPERTY, head) and _is_mapping(decode(head).value) else 0


def _is_mapping(value: object) -> bool:
    """Return whether a value is a mapping. Mockoon, too, says ``urlPath``, but it has a ``statusCode``."""
    if not isinstance(value, dict):
        return False
    request, response = value.get("request"), value.get("response")
    if isinstance(response, dict) and "statusCode" in response:
        return False
    return (isinstance(request, dict) and not _REQUEST_PROPERTIES.isdisjoint(request)) or (
        isinstance(response, dict) and not _RESPONSE_PROPERTIES.isdisjoint(response)
    )


def read(capture: Capture) -> Iterator[Exchange | Skipped]:
    """Yield the exchange of each mapping of the file, or a :class:`Skipped`."""
    number = 0
    for document in documents(capture):
        root = document.root
        listed = root if isinstance(root.value, list) else root.get("mappings")
        for mapping in listed.items() if isinstance(listed.value, list) else [root]:
            yield _exchange(capture, number, mapping)
            number += 1
        yield from document.damage(capture.name)


@skip_unreadable
def _exchange(capture: Capture, number: int, mapping: Node) -> Exchange | Skipped:
    request, response = mapping.get("request"), mapping.get("response")
    headers, method = response.get("headers"), request.get("method").string()
    body = _body(capture, response)
    if _is_template(body, response):
        why = Why("a template, which WireMock fills in as it answers")
        return Skipped(file=capture.name, number=number, why=why)
    if isinstance(body, Text):
        body = http.decoded_body(body, http.header(headers, "content-encoding"), capture.budget)
    return http.exchange_of_part(
        capture,
        number,
        mapping,
        RecordedMessage(
            body=request_in_patterns(request.get("bodyPatterns")) or _whole_request(request),
            url=_url(request),
            method=None if method == "ANY" else method,
        ),
        RecordedMessage(
            body=body,
            status=response.get("status").integer() or (200 if response.value is not None else None),
            content_type=http.header(headers, "content-type"),
        ),
    )


def _whole_request(request: Node) -> Text | Node | None:
    """Return the body that a contract of Spring Cloud Contract expects: it has no patterns of WireMock for it."""
    body = request.get("body")
    return body.text() or (body if isinstance(body.value, dict) else None)


def _is_template(body: Text | Node | None, response: Node) -> bool:
    """Return whether WireMock may fill in a template in the body of an answer: it is marked as one, or is no JSON.

    Source: https://wiremock.org/docs/response-templating/, read 2026-11.
    """
    text = body.data if isinstance(body, Text) else repr(body.value).encode() if body is not None else b""
    if "response-template" in (response.get("transformers").value or ()):
        return b"{{" in text
    return isinstance(body, Text) and re.search(_FILLED_IN, text) is not None and decode_json(text) is None


def _url(request: Node) -> str | None:
    """Return the URL of the request that a mapping matches, or ``None``.

    Of a pattern that matches several URLs, return the path of Chat Completions if the pattern contains it, else the
    pattern without its backslashes.
    """
    url = request.get("url", "urlPath", "urlPathTemplate").string()
    pattern = request.get("urlPattern", "urlPathPattern").string()
    if url is None and pattern is not None:
        url = re.sub(r"\\(.)", r"\1", pattern)
        return "/chat/completions" if "/chat/completions" in url else url
    return url


def _body(capture: Capture, response: Node) -> Text | Node | None:
    body = response.get("jsonBody", "body", "base64Body", "bodyFileName")
    if body.value is None:
        return None
    if body.at[-1] == "jsonBody":
        return body
    text = body.text()
    if text is None or body.at[-1] == "body":
        return text
    if body.at[-1] == "bodyFileName":
        return unpacked(read_served_file(capture, text.data.decode("utf-8", "replace")), text)
    return from_base64(text)
