"""Read what a program holds: a JSON value, an object of the ``openai`` library, or a response of an HTTP client."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from isogloss.validator.exchange import HttpFacts
from isogloss.validator.secrets import mask
from isogloss.validator.text import Text

__all__ = ["Received", "bytes_of", "came_live", "received", "request_of", "text_of", "to_json"]


class Received(NamedTuple):
    """An answer that a client received, as far as it came: its body, facts about it, and the URL.

    ``live`` is that of :class:`Exchange`. ``request`` is the body of the request, or ``None`` if it is not known.
    """

    content: bytes
    facts: HttpFacts
    url: str | None
    live: bool = False
    request: bytes | None = None


def received(subject: Any) -> Received | None:
    """Return the answer that an HTTP client's response holds, or ``None`` for any other subject.

    The client must have read the response.
    """
    if isinstance(subject, Received):
        return subject
    subject = getattr(subject, "http_response", subject)  # of an APIResponse of openai
    status, headers = getattr(subject, "status_code", None), getattr(subject, "headers", None)
    if isinstance(subject, Mapping) or type(status) is not int or headers is None:
        return None
    content: bytes = subject.content
    try:
        url = str(getattr(subject, "url", None) or "")
    except RuntimeError:  # httpx: a response without a request has no URL
        url = ""
    facts = HttpFacts(status, headers.get("content-type"))
    return Received(content, facts, url or None, came_live(subject), request_of(subject))


def came_live(response: Any) -> bool:
    """Return whether a response of ``httpx`` came over a connection, and not from a cassette or another double.

    ``httpcore`` (1.0, and 2.16 of ``httpx2``) gives its responses the stream of the network; vcrpy 9.4, respx 0.23 and
    transports for tests do not.
    """
    extensions = getattr(response, "extensions", None)
    return isinstance(extensions, Mapping) and "network_stream" in extensions


def request_of(response: Any) -> bytes | None:
    """Return the body of the request that a response of an HTTP client answers, or ``None`` if that was not kept.

    ``httpx`` has it as ``content``, and ``requests`` as ``body``.
    """
    try:
        request = getattr(response, "request", None)
        body = getattr(request, "content", None) or getattr(request, "body", None)
    except RuntimeError:  # httpx: a response without a request, or a request whose body was streamed
        return None
    return bytes_of(body) if isinstance(body, bytes | str) else None


def text_of(subject: Any) -> Text:
    """Return the text of a subject, with keys masked."""
    return Text(mask(bytes_of(subject)))


def bytes_of(subject: Any) -> bytes:
    """Return bytes and text as they are, as bytes, and any other subject as compact JSON. Raises ``TypeError``."""
    if isinstance(subject, bytes | bytearray | memoryview):
        return bytes(subject)
    if isinstance(subject, str):
        return subject.encode("utf-8", "surrogatepass")
    if isinstance(subject, os.PathLike):
        raise TypeError("a path is no JSON value: pass the content of the file, path.read_bytes()")
    return to_json(subject)


def to_json(subject: Any) -> bytes:
    """Write a subject as compact JSON. Raises ``ValueError`` if it is nested too deep for that."""
    try:
        return json.dumps(_value(subject), separators=(",", ":")).encode()
    except RecursionError:
        raise ValueError("nested too deep to be written as JSON") from None


def _value(subject: Any) -> Any:
    """Return the JSON value of a subject: for a model, what it was made from, without the defaults it fills in."""
    if hasattr(subject, "model_dump"):
        value = subject.model_dump(mode="json", exclude_unset=True, by_alias=True)
        return _without_parsed(value) if _PARSED in (one.__name__ for one in type(subject).__mro__) else value
    if isinstance(subject, Mapping):
        return dict(subject)
    if hasattr(subject, "read"):
        raise TypeError("an open file is no JSON value: pass its content, file.read()")
    if isinstance(subject, Iterable) and not isinstance(subject, str | bytes):
        return [_load(item) for item in subject]
    if hasattr(subject, "__aiter__"):
        raise TypeError("an asynchronous stream is no JSON value: pass its chunks, [chunk async for chunk in stream]")
    if hasattr(subject, "__await__"):
        raise TypeError("a coroutine is no JSON value: await it, and pass what it returns")
    return subject


_PARSED = "ParsedChatCompletion"
"""The class of the answers of ``parse`` and ``stream`` in openai (3.57.0). They hold more than the server sent."""


def _without_parsed(completion: Any) -> Any:
    """Remove what ``openai`` adds to a completion: parsed content and arguments, and null in place of calls.

    A completion that was put together from a stream has null for more. The rules know that from ``function_call``.
    """
    for choice in completion.get("choices") or ():
        message = choice.get("message") or {}
        message.pop("parsed", None)
        if message.get("tool_calls", ()) is None and "function_call" not in message:
            del message["tool_calls"]
        for call in message.get("tool_calls") or ():
            (call.get("function") or {}).pop("parsed_arguments", None)
    return completion


def _load(item: Any) -> Any:
    try:
        return json.loads(item) if isinstance(item, str | bytes) else _value(item)
    except json.JSONDecodeError as error:
        raise ValueError(
            f"an item of a list is text, but no JSON: {error}; pass a body as one text, not as lines or pieces of it"
        ) from None
