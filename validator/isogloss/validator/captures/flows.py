"""Make an exchange from a flow of mitmproxy: one that was read from a file, or one that passes through the proxy."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Protocol

from isogloss.validator.captures import http
from isogloss.validator.captures.http import RecordedMessage
from isogloss.validator.captures.limits import Budget, Unreadable
from isogloss.validator.captures.wrapping.compression import Damaged, encoding_fault
from isogloss.validator.exchange import Exchange, Skipped
from isogloss.validator.text import Text

__all__ = ["Flow", "FlowMessage", "read_flow"]


_EITHER_SIDE = r"peer closed connection\Z|stream (?:reset|closed) by client |HTTP/[23] "
"""Messages of mitmproxy 12.3.1 that it writes for HTTP/2 and HTTP/3, whichever side ended the stream."""
_CANCELLED = frozenset({"CANCEL", "H3_REQUEST_CANCELLED"})
"""The reason why a client ends a stream. Servers have others."""
_SERVER_ENDED = "the server ended the stream"
_CLIENT_LEFT = "Client disconnected."


class _Headers(Protocol):
    def get(self, name: str, /) -> str | None:
        """Return the value of a header, whatever its case, or ``None`` if there is none."""


class FlowMessage(Protocol):
    """The parts of a request or response of mitmproxy that isogloss reads (``mitmproxy.http.Message``)."""

    headers: _Headers
    raw_content: bytes | None
    http_version: str


class _Request(FlowMessage, Protocol):
    method: str
    pretty_url: str


class _Response(FlowMessage, Protocol):
    status_code: int


class _Error(Protocol):
    msg: str


class _Connection(Protocol):
    connected: bool
    timestamp_end: float | None


class Flow(Protocol):
    """The parts of a flow that isogloss reads (``mitmproxy.http.HTTPFlow``).

    A connection is ``connected`` only as long as the flow passes, and never in a file.
    """

    client_conn: _Connection
    server_conn: _Connection
    request: _Request
    response: _Response | None
    error: _Error | None


def read_flow(
    flow: Flow,
    file: str,
    number: int,
    text: Text,
    body_of: Callable[[FlowMessage], Text | None],
    budget: Budget,
    *,
    live: bool = False,
) -> Exchange | Skipped:
    """Return the exchange of a flow, or a :class:`Skipped` if a body cannot be read or did not come to its end.

    Its findings have their places in ``text``, and ``body_of`` gives bodies as they were sent. ``live`` is that of
    :class:`Exchange`.
    """
    failure = _failure(flow)
    try:
        response = RecordedMessage(failure=failure)
        if flow.response is not None:
            response = _answer(flow.response, body_of, budget, failure)
        body = _body(flow.request, body_of, budget)
        request = RecordedMessage(body=body, url=flow.request.pretty_url, method=flow.request.method)
        return http.exchange(file=file, number=number, text=text, request=request, response=response, live=live)
    except Unreadable as unreadable:
        return unreadable.skipped(file, number)


def _failure(flow: Flow) -> str | None:
    """Return why a flow did not come to its end: what mitmproxy says, or who ended it if that may be either side.

    Where nobody knows, the client left.
    """
    if flow.error is None:
        return None
    if not re.match(_EITHER_SIDE, flow.error.msg):
        return flow.error.msg
    from_client = _is_multiplexed(flow.request.http_version)
    from_server = flow.response is not None and _is_multiplexed(flow.response.http_version)
    if from_client and from_server:
        reason = re.search(r"by client \((\w+)\)", flow.error.msg)
        from_server = _server_closed(flow) if reason is None else reason[1] not in _CANCELLED
    return _SERVER_ENDED if from_server or not from_client else _CLIENT_LEFT


def _server_closed(flow: Flow) -> bool:
    """Return whether the server closed its connection, and not the client before it.

    As a flow ends because the server closes its connection, mitmproxy 11.0.2 has noted when that was, also for the
    file; for a client, it notes this only afterwards. If a side announces the end (GOAWAY), neither is noted yet.
    """
    client, server = flow.client_conn, flow.server_conn
    if client.connected or server.timestamp_end is None:
        return client.connected
    return client.timestamp_end is None or server.timestamp_end <= client.timestamp_end


def _is_multiplexed(http_version: str) -> bool:
    return http_version.startswith(("HTTP/2", "HTTP/3"))


def _answer(
    response: _Response, body_of: Callable[[FlowMessage], Text | None], budget: Budget, failure: str | None
) -> RecordedMessage:
    """Return an answer. Its body is empty if nobody can decode it, or if the connection failed before it came."""
    sent, whole, headers = body_of(response), failure is None, response.headers
    fault = encoding_fault(sent.data, headers.get("content-encoding")) if sent is not None and whole else None
    body = Text(b"") if fault is not None or (sent is None and failure) else None
    try:
        body = body or _body(response, body_of, budget, whole=whole)
    except Damaged as error:
        if not whole:
            raise
        body, fault = Text(b""), error.fault
    return RecordedMessage(
        body=body,
        status=response.status_code,
        content_type=headers.get("content-type"),
        failure=failure,
        fault=fault,
    )


def _body(
    message: FlowMessage, body_of: Callable[[FlowMessage], Text | None], budget: Budget, *, whole: bool = False
) -> Text | None:
    text = body_of(message)
    encoding = message.headers.get("content-encoding")
    return None if text is None else http.decoded_body(text, encoding, budget, whole=whole)
