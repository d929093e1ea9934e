"""From the parts of a recorded HTTP exchange to an :class:`Exchange`: what every format that records HTTP shares.

Headers are looked at here and then dropped: of their values an exchange keeps the content type alone. Of the URL it
keeps host and path; user names, passwords and queries, in which keys travel, are dropped too.
"""

from __future__ import annotations

import re
from urllib.parse import unquote, urlsplit

from isogloss.validator import jsontext
from isogloss.validator.captures.capture import Budget
from isogloss.validator.captures.document import Node
from isogloss.validator.captures.wrapping.compression import decompressed
from isogloss.validator.decode import decode, response_body
from isogloss.validator.exchange import Body, Exchange, Payload, Response, Skipped, Stream
from isogloss.validator.kinds import kind_of, kind_of_answer, other_api, other_endpoint
from isogloss.validator.pointer import Pointer
from isogloss.validator.secrets import mask, masked
from isogloss.validator.text import Text

__all__ = ["elsewhere", "exchange", "header", "host_and_path", "not_ours", "parsed_body", "plain"]

_MEDIA_TYPE = re.compile(r"[\w.+-]+/[\w.+-]+(?: *; *[\w-]+ *= *\"?[\w.+-]+\"?)*")


def header(headers: Node, name: str) -> str | None:
    """The value of a header, however the recorder keeps them: by name, or as a list of names and values.

    Several lines of one name are joined by commas, as RFC 9110 has it.
    """
    found: list[object] = []
    if isinstance(headers.value, dict):
        for key, value in headers.value.items():
            if key.lower() == name:
                found += value if isinstance(value, list) else [value]
    for item in headers.items():
        if isinstance(item.value, list) and len(item.value) == 2:
            key, value = item.value
        else:
            key, value = item.member("name").value, item.member("value").value
        if isinstance(key, str) and key.lower() == name:
            found.append(value)
    return ", ".join(value for value in found if isinstance(value, str)) or None


def host_and_path(url: str | None) -> tuple[str | None, str | None]:
    """Host and path of a URL or of a request target; ``None`` for what it does not tell."""
    if not url:
        return None, None
    try:
        parts = urlsplit(url if "://" in url or url.startswith("/") else f"//{url}")
        path = unquote(parts.path)
        return parts.hostname, (parts.path if path == masked(path) else masked(path)) or None
    except ValueError:  # urllib's word for a URL that is none
        return None, None


def plain(text: Text, encoding: str | None, budget: Budget) -> Text:
    """A body without its content encodings; where it was encoded, all of it stands where the encoded body begins.

    Raises :class:`Unreadable`.
    """
    data = text.data
    if data.startswith((b"\x1f\xc2\x8b", b"(\xc2\xb5/\xc3\xbd")):  # bytes that a recorder took for characters
        try:
            data = data.decode().encode("latin-1")
        except UnicodeError:
            return text
    decoded = decompressed(data, encoding, budget)
    return text if decoded is text.data else Text.fixed(mask(decoded), text, 0)


def exchange(
    *,
    file: str,
    number: int,
    text: Text,
    at: Pointer = (),
    request: Payload | Text | None,
    response: Node | Text | None,
    url: str | None = None,
    method: str | None = None,
    status: int | None = None,
    content_type: str | None = None,
) -> Exchange | Skipped:
    """The exchange that recorded parts make, or why it is not checked: other traffic stands in the same files.

    Bodies are texts without content encodings, or parts of a document where the recorder parsed them.
    """
    host, path = host_and_path(url)
    content_type = match[0] if content_type and (match := _MEDIA_TYPE.match(content_type.strip())) else None
    body = _response(response, status, content_type)
    if isinstance(request, Text):
        request = _request(request, path)
    if reason := not_ours(request.value if request else None, body, path, method):
        return Skipped(file=file, number=number, reason=reason)
    return Exchange(
        file=file,
        number=number,
        text=text,
        at=at,
        request=request,
        response=None if body is None else Response(body=body, status=status, content_type=content_type),
        host=host,
        path=path,
    )


def _request(text: Text, path: str | None) -> Payload | None:
    if not text.data.strip():
        return None
    value, sound = decode(text.data)
    if value is jsontext.MISSING and not _ours(path):
        return None
    return Payload(kind="request", value=value, text=text, sound=sound)


def _response(
    response: Node | Text | None, status: int | None, content_type: str | None
) -> Payload | Stream | Body | None:
    if response is None:
        return None
    if isinstance(response, Text):
        return response_body(response, status=status, content_type=content_type)
    return parsed_body(response, status)


def parsed_body(body: Node, status: int | None) -> Payload:
    """The response body that a recorder kept parsed; what its content does not tell, its status does."""
    return body.payload(kind_of_answer(body.value, status))


def _ours(path: str | None) -> bool:
    return path is not None and path.rstrip("/").endswith("/chat/completions")


def not_ours(request: object, body: Payload | Stream | Body | None, path: str | None, method: str | None) -> str | None:
    """Why recorded traffic is no Chat Completions exchange, or ``None`` when it is one.

    The path decides where it is one of ours or of another API, else what the bodies look like.
    """
    if reason := elsewhere(path, method):
        return reason
    if request is None and body is None:
        return "neither a request body nor a response body"
    if _ours(path) or kind_of(request) == "request":
        return None
    if isinstance(body, Payload) and kind_of(body.value) in ("completion", "chunk", "error"):
        return None
    if isinstance(body, Stream) and any(kind_of(value) in ("chunk", "error") for value in body.values):
        return None
    if (
        path is None
        and request is None
        and (isinstance(body, Body) or (isinstance(body, Payload) and body.kind == "error"))
    ):
        return None  # a response alone that failed: nothing says that it is other traffic
    return other_api(request if request is not None else body.value if isinstance(body, Payload) else None)


def elsewhere(path: str | None, method: str | None) -> str | None:
    """Why traffic is no Chat Completions exchange by its method and path alone, or ``None`` where it may be one."""
    if method is not None and method.upper() != "POST":
        return f"not Chat Completions: {_method(method)} {path or ''}".rstrip()
    if path is not None and other_endpoint(path):
        return f"not Chat Completions: {path}"
    return None


def _method(method: str) -> str:
    return method.upper() if method.isascii() and method.isalpha() and len(method) < 10 else "another method"
