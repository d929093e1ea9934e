"""Make an exchange from a flow of mitmproxy: one that was read from a file, or one that passes through the proxy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from isogloss.validator.captures import http
from isogloss.validator.captures.capture import Budget, Unreadable
from isogloss.validator.exchange import Exchange, Skipped
from isogloss.validator.text import Text

__all__ = ["Flow", "FlowMessage", "read_flow"]


class _Headers(Protocol):
    def get(self, name: str, /) -> str | None:
        """Return the value of a header, whatever its case, or ``None`` if there is none."""


class FlowMessage(Protocol):
    """The parts of a request or response of mitmproxy that isogloss reads (``mitmproxy.http.Message``)."""

    headers: _Headers
    raw_content: bytes | None


class _Request(FlowMessage, Protocol):
    method: str
    pretty_url: str


class _Response(FlowMessage, Protocol):
    status_code: int


class _Error(Protocol):
    msg: str


class Flow(Protocol):
    """The parts of a flow that isogloss reads (``mitmproxy.http.HTTPFlow``)."""

    request: _Request
    response: _Response | None
    error: _Error | None


def read_flow(
    flow: Flow, file: str, number: int, text: Text, body_of: Callable[[FlowMessage], Text | None], budget: Budget
) -> Exchange | Skipped:
    """Return the exchange of a flow, or a :class:`Skipped` if a body cannot be read or did not come to its end.

    Its findings have their places in ``text``, and ``body_of`` gives bodies as they were sent.
    """
    response, failure = flow.response, None if flow.error is None else flow.error.msg
    try:
        body = None if response is None else _body(response, body_of, budget)
        return http.exchange(
            file=file,
            number=number,
            text=text,
            request=_body(flow.request, body_of, budget),
            response=Text(b"") if response is not None and body is None and failure else body,
            url=flow.request.pretty_url,
            method=flow.request.method,
            status=None if response is None else response.status_code,
            content_type=None if response is None else response.headers.get("content-type"),
            failure=failure,
        )
    except Unreadable as unreadable:
        return unreadable.skipped(file, number)


def _body(message: FlowMessage, body_of: Callable[[FlowMessage], Text | None], budget: Budget) -> Text | None:
    text = body_of(message)
    return None if text is None else http.decoded_body(text, message.headers.get("content-encoding"), budget)
