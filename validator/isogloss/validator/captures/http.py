"""From the parts of a recorded HTTP exchange to an :class:`Exchange`: what every format that records HTTP shares.

Headers are looked at here and then dropped: of their values an exchange keeps the content type alone. Of the URL it
keeps host and path; user names, passwords and queries, in which keys travel, are dropped too.
"""

from __future__ import annotations

import re
from functools import lru_cache
from urllib.parse import unquote, urlsplit

from isogloss.validator import jsontext
from isogloss.validator.captures.capture import Budget
from isogloss.validator.captures.document import Node
from isogloss.validator.captures.traffic import is_ours, not_ours
from isogloss.validator.captures.wrapping.compression import decompressed
from isogloss.validator.decode import decode, response_body
from isogloss.validator.exchange import Body, Exchange, Payload, Response, Skipped, Stream
from isogloss.validator.kinds import answer_kind
from isogloss.validator.pointer import Pointer
from isogloss.validator.secrets import mask, masked
from isogloss.validator.text import Text

__all__ = ["exchange", "header", "host_and_path", "parsed_body", "plain"]

_LONG_URL = 1024
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
    names = headers.value if isinstance(headers.value, list) else []
    if names and all(isinstance(one, str) for one in names):  # names and values by turns, as Node.js has them
        found += [value for key, value in zip(names[::2], names[1::2], strict=False) if key.lower() == name]
    for item in headers.items():
        if isinstance(item.value, list) and len(item.value) == 2:
            key, value = item.value
        else:
            key, value = item.member("name").value, item.member("value").value
        if isinstance(key, str) and key.lower() == name:
            found.append(value)
    return ", ".join(value for value in found if isinstance(value, str)) or None


def host_and_path(url: str | None) -> tuple[str | None, str | None]:
    """Host and path of a URL or of a request target; ``None`` for what it does not tell.

    What has neither a scheme nor a slash in front begins with a host where that looks like one, else with the path.
    """
    if not url:
        return None, None
    return _split(url) if len(url) < _LONG_URL else _split.__wrapped__(url)


@lru_cache(1024)
def _split(url: str) -> tuple[str | None, str | None]:
    if "://" not in url and not url.startswith("/"):
        first = url.partition("/")[0]
        url = f"//{url}" if "." in first or ":" in first or first == "localhost" else f"/{url}"
    try:
        parts = urlsplit(url)
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
    recorded = any(one is not None for one in (status, content_type, host))
    if reason := not_ours(request.value if request else None, body, path, method, recorded=recorded):
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
    if value is jsontext.MISSING and not is_ours(path):
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
    return body.payload(answer_kind(body.value, status))
