r"""Read logs of HTTP clients that hold the bytes of each connection, piece by piece, among the other lines of a log.

* Apache HttpClient (the loggers ``org.apache.http.wire`` and ``org.apache.hc.client5.http.wire``; 4.5.14 and 5.1.3 were
  run, 2026-11) writes a line for each line that it sends or receives. It escapes line ends and what is not ASCII::

    … DEBUG org.apache.hc.client5.http.wire - http-outgoing-0 >> "POST /v1/chat/completions HTTP/1.1[\r][\n]"
    … DEBUG org.apache.hc.client5.http.wire - http-outgoing-0 << "data: {"id":"…"}[\n]"

* Ruby (``Net::HTTP#set_debug_output``) writes strings as ``inspect`` does, and has no ids of connections:
  ``<- "POST …\r\n"`` and ``-> "HTTP/1.1 200 OK\r\n"`` (tests of activemerchant/active_merchant, read 2026-11).
* reqwest (Rust, ``connection_verbose``) writes ``reqwest::connect::verbose: 274d2d2d write: b"POST …\r\n"`` (a page
  that shows its log, read 2026-11).
* Netty, and so Spring's WebClient with ``wiretap``, and ``curl --trace`` write dumps: the bytes in hexadecimal, below a
  line that says where they go (issues 233 and 813 of reactor/reactor-netty, read 2026-11; curl 7.88.1, run 2026-11).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TypeAlias

from isogloss.validator.captures.capture import Capture, made_of, substituted
from isogloss.validator.captures.http import host_and_path
from isogloss.validator.captures.traffic import is_chat_path
from isogloss.validator.captures.wire import WireMessage, content_length, wire_exchange, wire_messages
from isogloss.validator.exchange import Exchange, Skipped, Why
from isogloss.validator.kinds.endpoints import other_api
from isogloss.validator.text import Text

__all__ = ["NAME", "read", "recognise"]

NAME = "wire-log"

_SIGNS = (b'"POST ', b" 50 4f 53 54 20 ")
"""How a request begins in such a log: as a string, and in a dump."""
_LINE = rb"""(?mx)^
    (?: [^"\n]{0,500}? (?:
          [ ](?P<apache>[\w.-]{1,60}-\d{1,10})[ ](?P<to_apache>>>|<<)[ ]
        | (?P<to_ruby><-|->)[ ]
        | [ ](?P<reqwest>\w{1,40})[ ](?P<to_reqwest>read|write):[ ]b
      ) "(?P<quoted>[^\r\n]*)
    | [^\n]{0,500}? \[(?:id:[ ]0x)?(?P<netty>[0-9a-f-]{4,80}),[^\]\n]{0,300}\][ ](?P<to_netty>READ|WRITE):[ ]\d{1,12}B
    | (?:[\d:.]{8,20}[ ])?(?:\[[\dx-]{3,20}\][ ])?(?P<to_curl>=>|<=)[ ](?:Send|Recv)[ ](?P<tls>SSL[ ])?(?:header|data),
    | [^\n|]{0,40}\|[0-9a-f]{8}\|(?P<dump>(?:[ ][0-9a-f]{2}){1,16})[ ]
    | [0-9a-f]{4,8}:(?P<trace>(?:[ ][0-9a-f]{2}){1,16})[ ]
    )
"""
_KINDS = ("quoted", "dump", "trace", "to_netty", "to_curl")
_SENT = (b">>", b"<-", b"write", b"WRITE", b"=>")
_BRACKETS = rb"\[0x([0-9a-f]{1,8})\]|\[\\r\](?=(?:\[\\n\])?\Z)|\[\\n\]\Z"
_BACKSLASHES = rb"\\(?:x([0-9A-Fa-f]{2})|u\{?([0-9A-Fa-f]{1,6})\}?|(.))"
_HEXADECIMAL = rb"[ ]([0-9a-f]{2})"
_CONTROLS = dict(zip(b"nrt0abefv", b"\n\r\t\0\a\b\x1b\f\v", strict=True))
_REQUEST = rb"POST (\S+) HTTP/"
_ABOUT = rb"end of stream\Z|\[[a-z]{1,20}\] I/O error"
"""What Apache HttpClient writes in place of bytes: that the server closed the connection, or that it broke."""
_FIRST_CHUNK = rb"\r?\n\r?\n[0-9a-fA-F]{1,8}\r?\n"
_LAST_CHUNK = rb"(?:\A|\n)0+\r?\n(?:[^\r\n]+\r?\n)*\r?\n\Z"
_LONGEST_END = 1000
_INTERIM = rb"HTTP/1\.\d 1(?s:.){0,200}"
_Piece: TypeAlias = tuple[int, int, bytes]
"""Where bytes of a connection begin and end in the log, and the expression that finds what is escaped in them."""
_FEW = 9
"""How many pieces are looked at to see how a message begins."""
_CUT = Why("the log has cut off a line of the connection")
_ENDS = Why("the log ends before the answer does")
_MIXED = Why("several connections have this id in the log, so that nobody knows what belongs together")


class _Turn:
    """What a connection sends until an answer comes, and the answer."""

    def __init__(self, key: bytes) -> None:
        self.key = key
        self.sent: list[_Piece] = []
        self.received: list[_Piece] = []
        self.is_cut = False
        self.is_over = False
        self.announcing = 0
        """How many of the pieces that were received are known to announce the answer only."""


def recognise(capture: Capture) -> int:
    """Recognise a capture in whose head a connection sends a request to an API of models."""
    if capture.start.startswith(b"{") or not any(sign in capture.head for sign in _SIGNS):
        return 0
    head = Text(capture.head)
    requests = (re.match(_REQUEST, _joined(head, turn.sent[:_FEW]).data) for turn in _turns(head.data))
    return 90 if any(request and _is_of_models(request[1].decode("latin-1")) for request in requests) else 0


def _is_of_models(target: str) -> bool:
    """Return whether a URL is one of Chat Completions, or of an API that is known not to be."""
    _, path = host_and_path(target)
    return path is not None and (is_chat_path(path) or other_api(path) is not None)


def read(capture: Capture) -> Iterator[Exchange | Skipped]:
    """Yield the exchange of each request, in the order in which they end. Connections may be open at the same time."""
    text = capture.text
    turns = [(turn, *_messages(text, turn)) for turn in _turns(text.data) if turn.sent]
    mixed = {turn.key for turn, requests, responses in turns if _is_mixed(text, turn, requests, responses)}
    number = 0
    for turn, requests, responses in turns:
        if not requests:
            continue
        why = _CUT if turn.is_cut else _MIXED if turn.key in mixed else None
        if why is None and responses and not turn.is_over and _is_incomplete(text, turn, responses[0]):
            why = _ENDS
        if why is None:
            part = text.slice(min(turn.sent)[0], max(turn.sent + turn.received)[1])
            yield wire_exchange(capture, number, part, requests[0], responses[0] if responses else None)
        else:
            yield Skipped(file=capture.name, number=number, why=why)
        number += 1


def _messages(text: Text, turn: _Turn) -> tuple[list[WireMessage], list[WireMessage]]:
    """Return the requests and the responses of a turn, without responses that only announce another one."""
    requests = [message for message in wire_messages(_joined(text, turn.sent)) if message.method is not None]
    responses = wire_messages(_joined(text, turn.received))
    return requests, [message for message in responses if message.status is not None and not message.is_interim]


def _is_mixed(text: Text, turn: _Turn, requests: list[WireMessage], responses: list[WireMessage]) -> bool:
    """Return whether a turn has parts of several: each client of a program may count its connections from zero."""
    begins_inside = bool(turn.received) and not _joined(text, turn.received[:1]).data.startswith(b"HTTP/")
    return begins_inside or len(requests) > 1 or len(responses) > 1


def _is_incomplete(text: Text, turn: _Turn, response: WireMessage) -> bool:
    """Return whether the framing of the last response of a connection says that more was to come."""
    if "chunked" in response.headers.get("transfer-encoding", "").lower():
        data = _joined(text, turn.received).data  # curl writes bodies without their framing
        return re.search(_FIRST_CHUNK, data) is not None and not re.search(_LAST_CHUNK, data[-_LONGEST_END:])
    length = content_length(response.headers)
    return length is not None and len(response.body.data) < length


def _turns(data: bytes) -> Iterator[_Turn]:
    """Yield the turns of all connections."""
    turns: dict[bytes, _Turn] = {}
    dumped: tuple[bytes, bool] | None = None  # the connection of a dump, and whether it sends
    for line in re.finditer(_LINE, data):
        kind = next(kind for kind in _KINDS if line[kind] is not None)
        if kind.startswith("to_"):
            dumped = None if line["tls"] else (line["netty"] or b"", line[kind] in _SENT)
            continue
        if kind == "quoted":
            mark = line["to_apache"] or line["to_ruby"] or line["to_reqwest"]
            key, is_sent = line["apache"] or line["reqwest"] or b"", mark in _SENT
            escape = _BRACKETS if line["apache"] else _BACKSLASHES
        elif dumped is not None:
            (key, is_sent), escape = dumped, _HEXADECIMAL
        else:
            continue
        turn = turns.setdefault(key, _Turn(key))
        if is_sent and len(turn.received) > turn.announcing:
            if _is_interim(data, turn.received):
                turn.announcing = len(turn.received)
            else:
                turn.is_over = True
                yield turns.pop(key)
                turn = turns.setdefault(key, _Turn(key))
        start, end = line.span(kind)
        if escape == _BRACKETS and re.match(_ABOUT, data[start : end - 1]):
            turn.is_over = True
            continue
        if kind == "quoted":
            end -= 1
            turn.is_cut = turn.is_cut or end < start or data[end : end + 1] != b'"'
        (turn.sent if is_sent else turn.received).append((start, max(start, end), escape))
    yield from turns.values()


def _is_interim(data: bytes, received: list[_Piece]) -> bool:
    """Return whether nothing came but a response that announces another one, such as ``100 Continue``."""
    return len(received) < _FEW and re.fullmatch(_INTERIM, _joined(Text(data), received).data) is not None


def _joined(text: Text, pieces: list[_Piece]) -> Text:
    """Return the bytes of all pieces, one after the other, without their escapes."""
    parts = (part for start, end, escape in pieces for part in substituted(text.data, escape, _unescaped, start, end))
    return made_of(text, (part for part in parts if part[1]))


def _unescaped(escaped: re.Match[bytes]) -> bytes:
    """Return the bytes that an escape represents."""
    if escaped[0].startswith(b"[\\"):
        return b"\r" if escaped[0] == b"[\\r]" else b"\n"
    if escaped[1]:
        return bytes([int(escaped[1][-2:], 16)])
    if escaped[2]:
        return chr(min(int(escaped[2], 16), 0xFFFD)).encode("utf-8", "replace")
    return bytes([_CONTROLS.get(escaped[3][0], escaped[3][0])])
