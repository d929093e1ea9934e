"""Answer Chat Completions requests with given bodies, byte for byte, in given pieces.

``ReplayServer`` listens on a free port of the loopback address. A ``Reply`` is registered under a token, and the base
URL ``http://127.0.0.1:PORT/TOKEN/v1`` then answers ``POST chat/completions`` with it and ``GET models`` with a list of
one model. Each piece of a body is one chunk of HTTP's chunked transfer coding, so that a client can see where the
server paused.
"""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

__all__ = ["MODEL", "ReplayServer", "Reply", "split_events"]

MODEL = "gpt-4.1-mini"
"""The model that every request asks for."""
MAX_REQUESTS = 12
"""How many requests to one token are answered. After that, a client that never stops gets an error."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """An answer as it is sent.

    If ``broken`` is true, the connection ends before the body is complete.
    """

    pieces: Sequence[bytes]
    status: int = 200
    content_type: str = "application/json"
    broken: bool = False


@dataclass(slots=True, kw_only=True)
class _Registration:
    """The replies to requests with one token, and the requests so far.

    ``closing_replies`` are for requests that have more messages than the first one. Their key is true for a request
    that asks for a stream.
    """

    reply: Reply
    closing_replies: Mapping[bool, Reply]
    requests: list[Any] = field(default_factory=list)


def split_events(body: bytes) -> list[bytes]:
    """Return the pieces of a stream, cut after each blank line, so that each piece is one event."""
    pieces: list[bytes] = []
    piece = b""
    for line in body.splitlines(keepends=True):
        piece += line
        if not line.strip(b"\r\n"):
            pieces.append(piece)
            piece = b""
    return [*pieces, piece] if piece else pieces


class _Server(ThreadingHTTPServer):
    def handle_error(self, request: object, client_address: object) -> None:
        """Print errors, except if a client closed the connection before the end of the answer."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]


class ReplayServer:
    """A server on the loopback address that sends the registered replies. Use it in a ``with`` statement."""

    def __init__(self) -> None:
        self._registrations: dict[str, _Registration] = {}
        self._server = _Server(("127.0.0.1", 0), _handler_class(self._registrations))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)

    def __enter__(self) -> ReplayServer:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()

    def register(self, token: str, reply: Reply, closing_replies: Mapping[bool, Reply] | None = None) -> str:
        """Register a reply under a token, and return the base URL for clients.

        ``closing_replies`` are for clients that run tools: they answer later requests, which have more messages.
        """
        self._registrations[token] = _Registration(reply=reply, closing_replies=closing_replies or {})
        return f"http://127.0.0.1:{self._server.server_address[1]}/{token}/v1"

    def unregister(self, token: str) -> list[Any]:
        """Remove a token, and return the requests with that token, decoded from JSON."""
        return self._registrations.pop(token).requests


def _handler_class(registrations: Mapping[str, _Registration]) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_GET(self) -> None:
            model = {"id": MODEL, "object": "model", "created": 1760000000, "owned_by": "openai"}
            self._send(Reply(pieces=[json.dumps({"object": "list", "data": [model]}).encode()]))

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            token, _, path = self.path.lstrip("/").partition("/")
            registration = registrations.get(token)
            if (
                registration is None
                or path.partition("?")[0] != "v1/chat/completions"
                or len(registration.requests) >= MAX_REQUESTS
            ):
                error = {"message": f"nothing answers {path}", "type": "server_error", "param": None, "code": None}
                self._send(Reply(pieces=[json.dumps({"error": error}).encode()], status=404))
                return
            request = json.loads(body)
            registration.requests.append(request)
            self._send(_choose_reply(registration, request))

        def _send(self, reply: Reply) -> None:
            self.send_response(reply.status)
            self.send_header("content-type", reply.content_type)
            self.send_header("transfer-encoding", "chunked")
            self.end_headers()
            for piece in filter(None, reply.pieces):
                self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
            if reply.broken:
                self.close_connection = True
                return
            self.wfile.write(b"0\r\n\r\n")

        def log_message(self, format: str, *args: object) -> None:
            """Print nothing. The outcome of the case says what happened."""

    return Handler


def _choose_reply(registration: _Registration, request: Mapping[str, Any]) -> Reply:
    """Return the closing reply if there is one and the conversation went on, and the reply of the case otherwise."""
    is_continued = len(request.get("messages", ())) > len(registration.requests[0].get("messages", ()))
    return (
        registration.closing_replies[bool(request.get("stream"))]
        if is_continued and registration.closing_replies
        else registration.reply
    )
