"""Read one half of a recorded exchange, an HTTP request or response, from a JSON object.

Recorders keep the same things under different names. Names are compared without case and without the characters that
join words: ``statusCode``, ``status_code`` and ``StatusCode`` are the same name. If both halves are in one object, the
names of each half begin with ``request`` or ``response``. The pseudo-headers of HTTP/2 stand for the start line.
"""

from __future__ import annotations

import re
from typing import Any

from msgspec.structs import replace

from isogloss.validator.captures import http
from isogloss.validator.captures.bodies.described import BEGINNING
from isogloss.validator.captures.bodies.from_json import read_body, text_on_wire
from isogloss.validator.captures.bodies.matchers import in_answer, is_matcher, request_in_patterns, whole_value
from isogloss.validator.captures.document import Node, integer
from isogloss.validator.captures.http import RecordedMessage
from isogloss.validator.captures.limits import Budget, Unreadable
from isogloss.validator.captures.names import by_names, normalised_name, normalised_names
from isogloss.validator.captures.structures.objects.halves import Role, body_name, payload_kind
from isogloss.validator.kinds import kind_of
from isogloss.validator.text import Text

__all__ = ["Properties", "describes_response", "is_envelope", "is_message", "may_be_message", "message", "url_of"]

_MESSAGE_PROPERTIES = frozenset({
    "status", "code", "statuscode", "headers", "rawheaders", "requestheaders", "responseheaders", "url", "uri", "path",
    "method",
})  # fmt: skip
_BODIES = (
    "body", "bodytext", "content", "data", "postdata", "bodybase64", "bodyblob", "bodychunks", "bodyparts",
    "canonicaljson",
)  # fmt: skip
_PARSED = ("parsedbody", "bodyjson", "bodyasjson", "json", "decodedcontent")
_PIECES = ("chunks", "stream", "sse")
_RAW = ("raw",)
"""Names of the whole message as it is on the wire."""
_OTHER_BODIES = ("text", "payload", "output")
"""Names of a body that show nothing by themselves: anything may have them."""
_IN_ERRORS = frozenset({"choices", "detail", "error", "errors", "message", "msg", "object", "title"})
"""Properties of answers that have a status, too: of failures above all."""
_BODY_PROPERTIES = frozenset({*_BODIES, *_PARSED, *_PIECES, *_RAW})
_MOST_PROPERTIES = 1000
"""The most properties of a recorded message. Recorders with a property for each header write some dozens."""

_STATUSES = ("status", "code", "statuscode")
_WORDS = frozenset({"errmsg", "errormessage", "message", "msg", "success"})
"""Names under which servers say in an envelope what they did. No recorder has them in a message."""
_STATUS_LINE = r"([1-5]\d\d) [A-Za-z]"
"""How a status begins with its words behind it, as Go writes it."""
_HEADERS = ("headers", "rawheaders", "header", "contentheaders", "requestheaders", "responseheaders")
_OTHER_HALF = {"request": "response", "response": "request"}
_ONLY_IN_MESSAGES = frozenset({
    *_HEADERS, *_BODIES, *_PARSED, *_PIECES, *_RAW, "url", "uri", "path", "method", "statustext", "contenttype",
}) - {"data"}  # fmt: skip
"""Names of the parts of a message, except its status and ``data``: servers have these in envelopes of their own."""
_PREFIXES = ("", *_OTHER_HALF)
_ANY_HEADERS = frozenset(prefix + name for prefix in _PREFIXES for name in _HEADERS)
_ANY_PART = _ANY_HEADERS | frozenset(
    prefix + name
    for prefix in _PREFIXES
    for name in (
        *_MESSAGE_PROPERTIES, *_BODY_PROPERTIES, *_OTHER_BODIES, "contenttype", "endpoint", "scope", "host", "hostname",
        "destination", "disabletemplating", "templated",
    )
)  # fmt: skip
"""All names that parts of a message may have, except names that are used only for a message with a body."""


class Properties:
    """The properties of an object by their normalised names, without those that are null.

    With a prefix, a property whose name begins with it comes before the property without it.
    """

    def __init__(self, node: Node, prefix: str = "") -> None:
        self.node = node
        self._prefix = prefix
        value = node.value if isinstance(node.value, dict) else {}
        self._empty = {normalised_name(key) for key, inner in value.items() if inner is None}
        self._names = {normalised_name(key): key for key, inner in value.items() if inner is not None}

    def has(self, *names: str) -> bool:
        """Return whether one of the properties is there, even if it is null."""
        return not self._empty.isdisjoint(names) or not self._names.keys().isdisjoint(names)

    def holds_a_part(self) -> bool:
        """Return whether any property that is not null has a name that a part of a message may have."""
        return not self._names.keys().isdisjoint(_ANY_PART)

    def get(self, *names: str) -> Node:
        """Return the first of the properties that is there, or a node with the value ``None`` if none is."""
        for name in names:
            key = self._names.get(self._prefix + name) or self._names.get(name)
            if key is not None:
                return self.node.get(key)
        return self.node.get()

    def header(self, name: str) -> str | None:
        """Return the value of a header of this half, or ``None`` if it is missing."""
        if self._names.keys().isdisjoint(_ANY_HEADERS):
            return None
        other_half = _OTHER_HALF.get(self._prefix, " ")
        header_members = (self.get(names) for names in _HEADERS if not names.startswith(other_half))
        values = (http.header(headers, name) for headers in header_members if headers.value is not None)
        return next((value for value in values if value is not None), None)

    def string(self, *names: str) -> str | None:
        """Return the string that a property holds, or ``None``.

        It may also be the first item of a list, or the value of a matcher.
        """
        node = self.get(*names)
        node = next(node.items(), node)
        matched = whole_value(node) if is_matcher(node.value) else node
        return None if matched is None else matched.string()


def is_message(value: object) -> bool:
    """Return whether a JSON value is a recorded request or response, and not the body of one."""
    return (
        isinstance(value, dict)
        and len(value) <= _MOST_PROPERTIES
        and may_be_message(tuple(value))
        and kind_of(value) is None
        and not is_envelope(value)
    )


def is_envelope(value: dict[str, Any], *, as_sent: bool = False) -> bool:
    """Return whether an object with the names of a message is the envelope that a server puts around its answer.

    It has no headers, no URL and no body but ``data``, and it has words for people, or no status of HTTP. ``as_sent``
    says that the object is known to be the body: then a status of HTTP and ``data`` are an envelope, too. Programs that
    keep a response often keep just these two.
    """
    names = normalised_names(value)
    if not names.keys().isdisjoint(_ONLY_IN_MESSAGES):
        return False
    codes = [value[names[name]] for name in _STATUSES if name in names]
    return as_sent or not names.keys().isdisjoint(_WORDS) or not any(map(_may_be_status, codes))


def _may_be_status(code: object) -> bool:
    """Return whether a value may be the status of an HTTP response, in any of the forms of recorders."""
    if isinstance(code, str):
        return re.match(r"[1-5]\d\d\b", code) is not None
    return http.is_status(code) or isinstance(code, dict)


def describes_response(value: object) -> bool:
    """Return whether a JSON value in the place of a response says something of it, and is not its body.

    It has a status or headers, and perhaps the body. It may have other properties, such as the time that it took. A
    body of Chat Completions has no status, except in a failure.
    """
    if not isinstance(value, dict) or len(value) > _MOST_PROPERTIES or kind_of(value) is not None:
        return False
    names = normalised_names(value)
    if not names.keys().isdisjoint(_IN_ERRORS):
        return False
    status = next((value[names[name]] for name in ("status", "statuscode") if name in names), None)
    headers = next((value[names[name]] for name in _HEADERS if name in names), None)
    return http.is_status(status) or (isinstance(headers, dict | list) and bool(headers))


@by_names
def may_be_message(names: tuple[str, ...]) -> bool:
    """Return whether an object with these names can be a recorded request or response."""
    found = set(map(normalised_name, names))
    count = len(found & _MESSAGE_PROPERTIES)
    return count > 1 or (count == 1 and not found.isdisjoint(_BODY_PROPERTIES))


def message(node: Node, budget: Budget, prefix: str = "", role: Role | None = None) -> RecordedMessage:
    """Return a recorded request or response; each part of it may be missing. Raises :class:`Unreadable`.

    It may be the text of a message as it is on the wire, or have that as a property. If its ``role`` is known, its body
    may have any name.
    """
    properties = Properties(node, prefix)
    if (text := text_on_wire(node) or text_on_wire(properties.get(*_RAW))) is not None:
        return _on_wire(text, budget)
    if not properties.holds_a_part() and role is None:
        return RecordedMessage()
    body = _body(properties, budget, role)
    if role is not None and not _is_payload(body) and (name := body_name(node.value, role)) is not None:
        body = read_body(node.get(name), properties.header("content-encoding"), budget)
    return RecordedMessage(
        body=body,
        status=_status(properties),
        content_type=properties.header("content-type") or _content_type(properties),
        url=url_of(properties),
        method=(properties.string("method") or properties.header(":method") or "").removeprefix(":") or None,
    )


def _on_wire(text: Text, budget: Budget) -> RecordedMessage:
    from isogloss.validator.captures.wire import recorded_message, wire_messages  # hardly any capture has one

    found = next((one for one in wire_messages(text) if not one.is_interim), None)
    if found is None:
        return RecordedMessage()
    recorded = recorded_message(found, budget)
    is_empty = isinstance(recorded.body, Text) and not recorded.body.data
    return replace(recorded, body=None) if is_empty else recorded


def _status(properties: Properties) -> int | None:
    status = properties.get(*_STATUSES)
    if (code := status.integer()) is not None:
        return code
    inner = Properties(status).get("code", "statuscode").integer()
    with_words = re.match(_STATUS_LINE, status.string() or "")
    others = (properties.get(name).integer() for name in ("code", "statuscode"))
    found = (inner, with_words and int(with_words[1]), *others, integer(properties.header(":status")))
    return next((one for one in found if one is not None), None)


def _content_type(properties: Properties) -> str | None:
    """Return the content type that is recorded beside the body or in it, or ``None`` if there is none."""
    content_type = properties.get("contenttype", "mimetype").string()
    if content_type:
        return content_type
    body = Properties(properties.get("body", "content"))
    return body.get("contenttype", "mimetype", "mediatype").string()


def url_of(properties: Properties) -> str | None:
    """Return the URL of a request, or ``None``. A path alone is put behind the server's address if one is recorded."""
    url = (
        properties.string("uri", "url")
        or _url_in(Properties(properties.get("url")))
        or properties.string("path", "endpoint")
        or properties.header(":path")
    )
    if url is None or not url.startswith("/") or url.startswith("//"):
        return url
    if (scope := properties.string("scope")) is not None:
        return f"{scope}{url}"
    host = (
        properties.string("host", "hostname", "destination")
        or properties.header("host")
        or properties.header(":authority")
    )
    return url if host is None else f"//{host}{url}"


def _url_in(parts: Properties) -> str | None:
    """Return the URL that an object holds, whole or with parts in lists as in Postman, or in parts as Go writes it."""
    names = [[one.string() or "" for one in parts.get(name).items()] for name in ("host", "path")]
    host = ".".join(names[0]) or parts.string("host")
    path = "/" + "/".join(names[1]) if names[1] else parts.string("path")
    return parts.string("raw") or (f"//{host}{path}" if host and path else None)


def _body(properties: Properties, budget: Budget, role: Role | None) -> http.Answer:
    """Return the body as the recorder parsed it, or else its text, or else the pieces in which it came.

    If there are no pieces, the body is empty. Raises :class:`Unreadable`.
    """
    encoding = properties.header("content-encoding")
    parsed = properties.get(*_PARSED)
    if parsed.value is not None and not isinstance(parsed.value, str):
        return parsed
    if _is_template(properties):
        raise Unreadable("a body that is a template")
    for name in (*_BODIES, "parsedbody", "decodedcontent", *_PIECES, *_OTHER_BODIES):
        body = properties.get(name)
        if body.value == [] and name in _PIECES:
            return body.joined()
        if body.value is not None and not isinstance(body.value, bool):
            body = in_answer(body) if role == "answer" else body
            return read_body(body, encoding, budget, in_base64=_in_base64(properties, name))
    return request_in_patterns(properties.get("bodypatterns"))


def _is_payload(body: http.Answer) -> bool:
    """Return whether a body is a stream, a payload, or text that may be one."""
    if isinstance(body, Text):
        return re.match(BEGINNING, body.data) is not None
    if isinstance(body, Node):
        return isinstance(body.value, dict) and payload_kind(body.value) is not None
    return body is not None


def _is_template(properties: Properties) -> bool:
    """Return whether the body is a template that a mock server fills in.

    Hoverfly says so in ``templated``. A body of Mockoon is one if it has ``{{`` and ``disableTemplating`` is false.
    """
    body = properties.get("body").value
    if properties.get("disabletemplating").value is False and isinstance(body, str) and "{{" in body:
        return True
    return properties.get("templated").value is True


def _in_base64(properties: Properties, name: str) -> bool:
    """Return whether the name of a body, or a property beside it, says that its text is in Base64."""
    value: dict[str, Any] = properties.node.value
    encoding = properties.get("bodyencoding", "encoding").value
    return (
        name in ("bodybase64", "bodyblob")
        or encoding == "base64"
        or properties.get("encodedbody").value is True
        or (value.get("binary") is True and name == "body")
    )
