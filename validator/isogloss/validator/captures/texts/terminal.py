"""Read HTTP messages as they are written on the wire, or as a terminal shows them: ``curl -i``, ``curl -v``, HTTPie.

A copy of a terminal may begin with the command. Prompts may stand between and behind the messages, and other words that
a script printed between them, or bare answers, and lines of a log. ``curl -v`` prints no request bodies.

In a file of a REST client (``.http``, ``.rest``), each request stands in a section of its own between lines of ``###``,
perhaps behind remarks and variables. In a test of Hurl, what it expects of an answer stands between them. The body of a
request may be in another file, and where ``{{name}}`` stands in it, nobody knows what was sent
(https://jetbrains.com/help/pycharm/2021.3/exploring-http-syntax.html, read 2026-11).
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias

from msgspec.structs import replace

from isogloss.validator.captures.bodies.objects import objects_in
from isogloss.validator.captures.capture import Capture, without
from isogloss.validator.captures.texts.log_entries import begins_as_log
from isogloss.validator.captures.wire import (
    LEADING,
    WireMessage,
    content_length,
    first_line,
    wire_exchange,
    wire_messages,
)
from isogloss.validator.decode import decode_json, looks_like_sse
from isogloss.validator.exchange import Exchange, Kind, Skipped, Why
from isogloss.validator.http_faults import REDIRECTS
from isogloss.validator.kinds import kind_of
from isogloss.validator.text import Text

__all__ = [
    "begins_as_rest_client",
    "begins_as_terminal",
    "begins_as_wire",
    "begins_with_call",
    "exchanges_of_messages",
    "holds_call",
]

_COMMAND = rb"""(?:[^"'`={}<\r\n]{0,100}[#$%>][ ]?)?(?:curl|https?|xh)[ ]"""
"""A prompt of a shell, and the command that prints messages."""
_PROMPT = rb"""[^"'`={}<\r\n]{0,100}[#$%>]\s?"""
_CALL = rb"curl\s[^{}]{0,2000}?/chat/completions\b"
"""The command in which ``curl`` calls Chat Completions."""
_MESSAGE = rb"(?m)^(?:HTTP/\d|[<>] (?:HTTP/\d|[A-Z]{3,7} [^\r\n]*HTTP/\d))"
"""The start line of a message, alone or behind a mark of curl."""
_FIRST = rb"(?m)^(?:HTTP/\d|[*<>] |[{}] \[\d+ bytes data\])"
_CURL_BEGINS = (b"* ", b"> ", b"< ", b"{ [", b"} [")
_CURL = rb"(?m)^(?:[*><] |[{}] \[\d+ bytes data\])"
_CURL_NOISE = (
    rb"(?m)^(?:\* [^\n]*|[{}] \[\d+ bytes data\][^\n]*"
    rb"|  % Total[^\n]*| {10,}Dload[^\n]*|[\r ]*\d+ [^\n]*--:--[^\n]*)(?:\n|\Z)"
    rb"|(?<=[}\]])\*[ ]+(?:Connection #\d|Closing |shutting down |Trying |Host |Uses |Found |Re-using )[^\n]*"
    rb"|\* transfer closed with \d+ bytes remaining to read[^\n]*"
    rb"|\* (?:Connection #\d+ to host [^\n]{1,300} left intact|(?:Closing|shutting down) connection[^\n]{0,100})\n?\Z"
)
_BODIES_OF_HURL = rb"""(?mx) ^ \* [ ] (?:Request|Response) [ ] body: \r?\n
    (?P<body> (?: \* (?: [ ] (?! (?:Request|Response) [ ] body: ) [^\n]*+ | \r? ) \n )*? )
    (?= \*\r?\n \* [ ] (?: Timings: | Response: | => | -{3} )
      | \*\* | \* [ ] (?: Request[ ]body | Response ): | [^*] | \Z )"""
"""What Hurl prints of bodies with ``--very-verbose`` (integration/hurl/tests_ok/very_verbose of
Orange-OpenSource/hurl, read 2026-11). Each of its lines has the mark of a remark."""
_REMARKS_OF_HURL = rb"(?m)^\*(?:\*[^\n]*|\r?)(?:\n|\Z)"
_COUNTED = rb"(?m)^\{ \[[1-9]\d* bytes data\]"
_CURL_HEADERS = rb"(?m)^[<>|] ?"
"""The marks before headers. Insomnia marks bodies, too."""
_SEPARATOR = (
    rb"(?m)^(?:###[^\n]*(?:\n|\Z)"
    rb"|HTTP (?:\d{3}|\*)[ \t]*\r?\n(?:(?!(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)[ \t])[^\n]*\n)*)"
)
"""What stands between the requests in a file of a REST client: a line, or what a test of Hurl expects of an answer."""
_FRAMED = rb"(?mi)^transfer-encoding:[^\r\n]*chunked[^\r\n]*\r?\n(?:[^\r\n]++\r?\n){0,200}+\r?\n[0-9a-f]{1,8}\r?\n"
"""A body with chunk framing, as it is on the wire. A chunk in it may begin like a separator."""
_REMARKS = rb"(?:[ \t\r]*(?:(?:#|//|@)[^\n]*)?\n)*+"
_VARIABLE = rb"\{\{[^{}\r\n]{1,200}\}\}"
_ANSWER_ENDS = rb"[ \t]*\r?\n\s*|(?=\{)"
_WORDS = rb"(?m)(?:(?!(?:data|event|id|retry)?:|[0-9a-fA-F]{1,8}\r?$)[^\"{}<\n]{0,300}\n)*"
"""Lines of words, as a script prints them. The hexadecimal digits of chunk framing are none."""
_INDENTATION = rb"\n[ ]*"
_INDENTED_EVENT = rb"(?m)^data: (\{\n(?:[ ]{4}[^\n]*\n){1,1000}\})$"
_STREAM_ENDS = rb"(?m)^data: ?\[DONE\][ \t]*\r?\n[ \t]*\r?\n\s*"
_CURL_LACKS_BYTES = b"curl: (18) "
"""The beginning of the message that ``curl`` prints if a body has fewer bytes than ``Content-Length`` announces."""
_NOT_PRINTED = Why("an answer whose body was not printed")
_HEADERS_ALONE = Why("headers alone, as curl -D and -I print them, or those of an empty body")
_WITH_VARIABLES = Why("a request with variables, which a REST client fills in")


def begins_as_wire(head: bytes) -> bool:
    """Return whether a text begins with the start line of a message."""
    head = head.lstrip(LEADING)
    return head[:1].isupper() and first_line(head) is not None


def begins_as_terminal(head: bytes) -> bool:
    """Return whether a text begins like the output of ``curl -v``, or with a command before messages."""
    head = head.lstrip(LEADING)
    if head.startswith(_CURL_BEGINS):
        return b"HTTP/" in head and bool(re.match(_CURL, head) and re.search(_CURL_HEADERS, head))
    return b"HTTP/" in head and bool(re.match(_COMMAND, head) and re.search(_MESSAGE, head))


def begins_with_call(head: bytes) -> bool:
    """Return whether a text begins with a command in which ``curl`` calls Chat Completions, perhaps behind a prompt."""
    return re.match(rb"\s*(?:%b)?%b" % (_PROMPT, _CALL), head) is not None


def holds_call(data: bytes, *, needs_prompt: bool) -> bool:
    """Return whether a line of a text begins with such a command.

    With ``needs_prompt``, a prompt must stand before it. A mark that may begin a comment is no prompt then.
    """
    prompt = rb"(?!\s*(?:#|//|>))%b" if needs_prompt else rb"(?:%b)?"
    return re.search(rb"(?m)^%b%b" % (prompt % _PROMPT, _CALL), data) is not None


def begins_as_rest_client(head: bytes) -> bool:
    """Return whether a text begins with a request of a REST client, behind remarks and variables."""
    match = first_line(head, _length_of_remarks(head))
    return match is not None and match.groupdict().get("method") is not None


def _length_of_remarks(data: bytes) -> int:
    remarks = re.match(_REMARKS, data)
    return remarks.end() if remarks else 0


ReadOther: TypeAlias = Callable[[Capture, int, Text], Iterable[Exchange | Skipped]]
"""Reads the exchanges of what stands beside messages, numbered from a number."""


def exchanges_of_messages(capture: Capture, text: Text, read_other: ReadOther) -> Iterator[Exchange | Skipped]:
    """Yield the exchanges of the messages in a text, numbered from 0. A request and the response after it are one.

    ``read_other`` reads what other commands and programs printed behind responses.
    """
    text = _with_events_as_sent(text.slice(len(text.data) - len(text.data.lstrip(LEADING)), len(text.data)))
    has_sections = _length_of_remarks(text.data) > 0 or re.search(_SEPARATOR, text.data) is not None
    if has_sections and begins_as_rest_client(text.data) and re.search(_FRAMED, text.data) is None:
        number = 0
        for section in _sections(text):
            for found in _exchanges(capture, section, number, read_other):
                request = found.request if isinstance(found, Exchange) else None
                has_variables = request is not None and re.search(_VARIABLE, request.text.data)
                yield Skipped(capture.name, _WITH_VARIABLES, number) if has_variables else found
                number += 1
    else:
        yield from _exchanges(capture, text, 0, read_other)


def _with_events_as_sent(text: Text) -> Text:
    """Return a text in which the JSON of each event stands on one line: HTTPie indents it, and sorts the properties."""
    found = re.finditer(_INDENTED_EVENT, text.data) if b"data: {" in text.data else ()
    return without(
        text,
        [
            blanks.span()
            for event in found
            if (decoded := decode_json(event[1])) is not None
            and json.dumps(decoded.value, indent=4, sort_keys=True, ensure_ascii=False).encode() == event[1]
            for blanks in re.compile(_INDENTATION).finditer(text.data, *event.span(1))
        ],
    )


def _sections(text: Text) -> Iterator[Text]:
    """Yield the sections between separators, each from its first request on."""
    start = 0
    for match in (*re.finditer(_SEPARATOR, text.data), None):
        section = text.slice(start, len(text.data) if match is None else match.start())
        yield section.slice(_length_of_remarks(section.data), len(section.data))
        start = len(text.data) if match is None else match.end()


def _exchanges(capture: Capture, text: Text, number: int, read_other: ReadOther) -> Iterator[Exchange | Skipped]:
    """Yield the exchanges of one section: each answer with the request before it, and what stands behind it."""
    if re.match(_COMMAND, text.data) and (first := re.search(_FIRST, text.data)):
        text = text.slice(first.start(), len(text.data))
    is_raw = may_have_body = first_line(text.data) is not None
    if not is_raw:
        may_have_body = re.search(_COUNTED, text.data) is not None
        text = _without_curl(text)
    request: WireMessage | None = None
    for message in wire_messages(text):
        if message.status is None:
            if request is not None:
                yield wire_exchange(capture, number, text, request, None)
                number += 1
            request = message
        elif not message.is_interim and (message.status not in REDIRECTS or message.body.data):
            body, others = _split_behind_answer(message.body)
            answer = replace(message, body=body)
            why = _why_not_printed(request, answer, is_raw=is_raw, may_have_body=may_have_body)
            yield _exchange(capture, number, text, request, answer, why)
            number += 1
            request = None
            for other in (others, message.behind):
                for found in read_other(capture, number, other) if b'"choices"' in other.data else ():
                    if isinstance(found, Exchange):
                        yield found
                        number += 1
    if request is not None:
        yield wire_exchange(capture, number, text, request, None)


def _exchange(
    capture: Capture, number: int, text: Text, request: WireMessage | None, answer: WireMessage, why: Why | None
) -> Exchange | Skipped:
    """Return the exchange of an answer, or of the request alone if the body of the answer was not printed.

    Then ``why`` says so.
    """
    if answer.body.data.strip() or why is None:
        return wire_exchange(capture, number, text, request, answer)
    if request is not None and request.body.data.strip():
        return wire_exchange(capture, number, text, request, None)
    return Skipped(capture.name, why, number)


def _why_not_printed(
    request: WireMessage | None, answer: WireMessage, *, is_raw: bool, may_have_body: bool
) -> Why | None:
    """Return why the body of an answer does not stand in the text, or ``None`` if it does, or if there was none."""
    if not _has_body(answer, may_have_body=may_have_body) or _is_cut_off(request, answer, is_raw=is_raw):
        return None
    is_known = not is_raw or content_length(answer.headers) is not None
    return _NOT_PRINTED if is_known else _HEADERS_ALONE


def _is_cut_off(request: WireMessage | None, answer: WireMessage, *, is_raw: bool) -> bool:
    """Return whether a server announced a body and sent none: curl says so, or the body of the request is printed.

    ``is_raw`` says that the messages are no output of ``curl -v``; Insomnia prints the bodies of requests alone.
    """
    is_body_shown = is_raw and request is not None and bool(request.body.data.strip())
    return is_body_shown or _CURL_LACKS_BYTES in answer.behind.data


def _has_body(message: WireMessage, *, may_have_body: bool) -> bool:
    """Return whether a response had a body, by its framing. Without any, it had if it ``may_have_body``.

    It may if curl counts bytes that it does not show, or if there are headers alone: ``curl -D`` prints no body.
    """
    if message.is_empty:
        return False
    length = content_length(message.headers)
    return may_have_body if length is None else length > 0


def _split_behind_answer(text: Text) -> tuple[Text, Text]:
    """Split a body in a copy of a terminal behind a whole answer, if something else follows.

    That is an answer of another id, as the next command prints it, perhaps behind words, or a line of a log on the next
    line. No server sends these in a body.
    """
    data, end = text.data, 0
    answer = next(objects_in(text), None) if data.lstrip().startswith((b"{", b"data:")) else None
    if answer is not None and looks_like_sse(data):
        ends = re.search(_STREAM_ENDS, data)
        end = ends.end() if ends else 0
    elif answer is not None and (ends := re.compile(_ANSWER_ENDS).match(data, data.index(b"{") + len(answer.data))):
        end = ends.end()
    if answer is None or not end or not _is_other_than(answer, text.slice(end, len(data))):
        return text, text.slice(len(data), len(data))
    return text.slice(0, end), text.slice(end, len(data))


def _is_other_than(answer: Text, behind: Text) -> bool:
    """Return whether a line of a log stands behind a whole answer, or an answer of another id."""
    value, kind = _value_and_kind(answer)
    if kind not in ("completion", "chunk", "error"):
        return False
    words = re.match(_WORDS, behind.data)
    start = words.end() if words else 0
    if not behind.data.startswith((b"{", b"data:"), start):
        return begins_as_log(behind.data)
    following, kind = _value_and_kind(next(objects_in(behind.slice(start, len(behind.data))), behind))
    return kind in ("completion", "chunk") and following.get("id") != value.get("id")


def _value_and_kind(text: Text) -> tuple[dict[str, object], Kind | None]:
    decoded = decode_json(text.data)
    value = decoded.value if decoded is not None and isinstance(decoded.value, dict) else {}
    return value, kind_of(value)


def _without_curl(text: Text) -> Text:
    """Return the output of ``curl -v`` without its remarks and without the marks before headers.

    That of Hurl has bodies among its remarks. They are kept.
    """
    spans = [match.span() for one in (_CURL_NOISE, _CURL_HEADERS) for match in re.finditer(one, text.data)]
    if bodies := list(re.finditer(_BODIES_OF_HURL, text.data)):
        spans += [match.span() for match in re.finditer(_REMARKS_OF_HURL, text.data)]
        starts = [body.start() for body in bodies]
        before = ((span, bisect_right(starts, span[0]) - 1) for span in spans)
        spans = [span for span, body in before if body < 0 or span[0] >= bodies[body].end()]
        spans += [(body.start(), body.start("body")) for body in bodies]
        mark = re.compile(rb"(?m)^\* ?")
        spans += [line.span() for body in bodies for line in mark.finditer(text.data, *body.span("body"))]
    return without(text, sorted(spans))
