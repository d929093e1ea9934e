"""Read a block of text that stands in a larger document: in a page, in a snapshot, or among the outputs of a notebook.

A block is read like a file of its own, if it holds JSON, events or HTTP messages. In a copy of a terminal, and in what
a program printed, an answer may also be a line among others, or begin on a line and go on over indented ones.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from isogloss.validator.captures.bodies import php_dumps
from isogloss.validator.captures.bodies.literals import literal_at, may_hold_literals, whole_literal
from isogloss.validator.captures.bodies.objects import objects_in, payload_on_line, payload_or_end_on_line
from isogloss.validator.captures.bodies.over_lines import WithoutRepetition, groups_in
from isogloss.validator.captures.bodies.reads import ReadsOnLines
from isogloss.validator.captures.bodies.trailing import without_prompt, without_words
from isogloss.validator.captures.capture import Capture, made_of
from isogloss.validator.captures.document import BODIES_IN_BASE64, Document, documents_in
from isogloss.validator.captures.http import why_cut_off
from isogloss.validator.captures.structures.relations.copies import events_of
from isogloss.validator.captures.structures.values import exchanges, holds_exchange
from isogloss.validator.captures.texts.comments import lines_of_comments, without_comment_marks
from isogloss.validator.captures.texts.json_lines import exchanges_of_lines, exchanges_of_printed_lines
from isogloss.validator.captures.texts.log_entries import lines_of_entries
from isogloss.validator.captures.texts.split_pairs import is_complete
from isogloss.validator.captures.texts.terminal import (
    begins_as_terminal,
    begins_as_wire,
    exchanges_of_messages,
)
from isogloss.validator.decode import (
    decode_json,
    is_json_in_any_encoding,
    is_whole_event,
    kind_of_json,
    looks_like_sse,
    stream,
)
from isogloss.validator.exchange import Exchange, NotJson, Payload, Response, Skipped, Stream, as_dumped
from isogloss.validator.kinds import is_stream, kind_of, why_no_stream
from isogloss.validator.kinds.events import has_finish_reason, names_role
from isogloss.validator.kinds.marks import TELLING_PROPERTIES
from isogloss.validator.searching import holds_one_of
from isogloss.validator.sse import restore_blank_lines
from isogloss.validator.text import Text

__all__ = [
    "INDENTED", "OUTPUT", "OUTSIDE", "SPAN", "Block", "answers_among_words", "answers_in_comments", "answers_in_span",
    "as_shown", "block_of", "exchanges_of_block", "exchanges_of_printed", "exchanges_of_terminal", "may_hold_traffic",
]  # fmt: skip

_BEFORE_LITERAL = rb"""(?m)^(?:[^\s"'`={}][^"'`={}\n]{0,200}:)?[ ]?(?:Object[ ])?(?=%?\{)"""
"""What may stand before a literal on its line: nothing, or a label. In a program, there is a name."""
_PRINTED = rb"""(?mx)
    ^(?:[^\s"'`={}][^"'`={}\n]{0,200}:|<OpenAIObject[ ][^<>\n]{1,200}>[ ]JSON:)?[ ]?         # a label
    ((?:\{|\[)[ \t]*\r?\n                             # an object or a list over several lines, all of them indented
    (?:(?:[ \t][^\n]*|\r?)\n)+
    [}\]])[ \t]*\r?$
    | ^[^\r\n]+                                     # any other line
"""

_UNINDENTED = rb"""\{\s*"(?:id|object|created|model|choices)"\s*:"""
"""How an answer begins that may go on over lines that are not indented, as in a copy of what a browser shows."""
_GLUED = rb"""[^\r\n]*(?:[\w*.>\x80-\xff]|\}['"]?)(?=\{[ \t]*\r?\Z)"""
"""What an answer begins behind in a copy that has lost line ends: words, or a command or a request that ends there."""
_LONGEST_UNINDENTED = 50_000
_MOST_TRIED = 8
"""How many lines of a text that begin like such an answer, and are none, are read over several lines."""
_EVENT = rb"(?m)^data:[ \t]*(?=\{|\[DONE\])"
_END = b"[DONE]"
_BEFORE = rb"\s*+(?:1\r?\n2\r?\n(?:\d{1,4}\r?\n)++\s*+)?+"
"""What may stand before a body in a block: blanks, and the numbers of its lines, which a copy of a page keeps."""
_HARD_BREAK = rb"\\(?=\r?\n)"
_LINE_OF_BLANKS = rb"(?m)^[ \t]+(?=\r?$)"
"""A blank line of a page, in which editors and tools for pages leave blanks."""
_BROKEN_LIST = rb"\[\\\r?\n"
"""How a list begins in Markdown that Firecrawl wrote: it ends each line inside brackets with a backslash."""
_LIKE_JSON = rb"""(?:[{[]\s*+){1,3}(?:"|//|/\*|\#)"""
"""How a text begins that is JSON, with or without comments, where nothing says so; not a literal of a language."""
_COMMENT_LINE = rb"(?m)^[ \t]*+(?://|\#)(?![ \t]*+(?:\.{2}|\xe2\x80\xa6))[^\n{]*+(?:\n|\Z)"
"""A comment with which people say what a record of a block is: neither dots for a part, nor a record."""
_IN_EACH_ANSWER = frozenset({"id", "object", "created", "model", "choices"})
_NAMES = tuple(name.encode() for name in sorted(TELLING_PROPERTIES))
_DOTS = rb"(?m)^[ \t#/(\[<*-]{0,40}(?:\.{2,}|\xe2\x80\xa6)|^data:[^\n]*,\s?(?:\.{3}|\xe2\x80\xa6)\s?[,}]"


INDENTED, OUTPUT, OUTSIDE, SPAN = "indented", "output", "outside", "span"


class Block(Struct, frozen=True):
    """A block of code in a page: the word that names its language, in lower case, and the content.

    The word is empty if the page names no language. That of a block without fences is ``indented``, or ``output`` if
    it stands behind a block with fences: nbconvert writes what a cell printed like this. That of code between backticks
    in a sentence is ``span``, and that of all the text outside of blocks ``outside``.
    """

    language: str
    text: Text


def block_of(text: Text, spans: Sequence[tuple[int, int]], start: int = 0) -> Text:
    """Return the block that the parts of a text from each start to each end make. An empty block is at ``start``."""
    if not spans:
        return text.slice(start, start)
    parts = [(begin, text.data[begin:end]) for begin, end in spans]
    parts.append((spans[-1][1], _missing_end(b"".join([part for _, part in parts]))))
    return made_of(text, parts)


def _missing_end(data: bytes) -> bytes:
    """Return what has to stand behind the last event of a stream, and pages leave out."""
    if not looks_like_sse(data) and not _ends_in_event(data):
        return b""
    return b"\n" if data.endswith(b"\n") else b"\n\n"


def _ends_in_event(data: bytes) -> bool:
    return data.startswith(b"data:", data.rfind(b"\n", 0, -1) + 1)


def may_hold_traffic(data: bytes) -> bool:
    """Return whether a text may hold a payload. This takes little time: pages may have very many blocks without any."""
    return any(name in data for name in _NAMES) or holds_one_of(data, BODIES_IN_BASE64)


def exchanges_of_block(
    capture: Capture, number: int, text: Text, *, may_be_faulty: bool
) -> Iterator[Exchange | Skipped]:
    """Yield the exchanges of a block. ``may_be_faulty`` says that faulty JSON is read, too.

    JSON in another encoding is read in any case: the file has it, and not the block.
    """
    before = re.match(_BEFORE, text.data)
    text = text.slice(before.end() if before else 0, len(text.data))
    text = _without(_HARD_BREAK, text) if re.search(_BROKEN_LIST, text.data) else text
    text = without_prompt(text) if b"\n" in text.data.rstrip() else text
    if looks_like_sse(text.data):
        yield from _indented_events(capture, number, text) or [_events(capture, number, text)]
        return
    if begins_as_wire(text.data) or begins_as_terminal(text.data):
        whole = [found for found in exchanges_of_messages(capture, text, exchanges_of_terminal) if _is_whole(found)]
        yield from (replace(found, number=number + position) for position, found in enumerate(whole))
        return
    text = without_words(text) if may_be_faulty else text
    if documents := documents_in(_without(_COMMENT_LINE, text)):
        yield from exchanges_of_lines(capture, [documents], number)
        return
    document = Document(text)
    like_json = may_be_faulty or re.match(_LIKE_JSON, text.data)
    if like_json and not document.sound and (literal := whole_literal(text)) is not None:
        yield from map(as_dumped, exchanges(capture, number, Document(literal).root, capture.kind))
    elif may_be_faulty or document.sound or is_json_in_any_encoding(text.data):
        for one in exchanges(capture, number, document.root, capture.kind):
            cut = why_cut_off(one.response) if isinstance(one, Exchange) else None
            yield Skipped(file=capture.name, number=one.number, why=cut) if cut is not None else one


def _without(pattern: bytes, text: Text) -> Text:
    """Return a block without what a pattern matches in it."""
    found = [match.span() for match in re.finditer(pattern, text.data)]
    starts = (0, *(end for _, end in found))
    ends = (*(start for start, _ in found), len(text.data))
    return block_of(text, list(zip(starts, ends, strict=True))) if found else text


def _events(capture: Capture, number: int, text: Text) -> Exchange | Skipped:
    """Return the stream of the events in a text."""
    text = _without(_LINE_OF_BLANKS, text)
    body = stream(text)
    if body.framing is not None:
        restore_blank_lines(body.framing, is_whole_event)
    if capture.kind is None and not (is_stream(body.values) and _has_payload(body)):
        return Skipped(file=capture.name, number=number, why=why_no_stream(body))
    return Exchange(file=capture.name, number=number, text=text, response=body)


def _indented_events(capture: Capture, number: int, text: Text) -> list[Exchange | Skipped]:
    """Return the stream of events whose JSON goes on over several lines, as people write it in pages.

    The result is empty if no payload does. If one of the events is no JSON, none is read.
    """
    matches = list(re.finditer(_EVENT, text.data))
    ends = [*(match.start() for match in matches[1:]), len(text.data)]
    slices = [text.slice(match.end(), end) for match, end in zip(matches, ends, strict=False)]
    events = [one.slice(0, len(_END)) if one.data.startswith(_END) else next(objects_in(one), one) for one in slices]
    if not any(b"\n" in event.data and kind_of_json(event.data) for event in events):
        return []
    for event in events:
        if event.data != _END and (why := Document(event).fault) is not None:
            return [Skipped(file=capture.name, number=number, why=why)]
    return list(exchanges_of_lines(capture, [events], number))


def _has_payload(body: Stream) -> bool:
    """Return whether a stream has an event besides ``[DONE]``, which other APIs send, too."""
    return any(not isinstance(value, NotJson) for value in body.values)


def _is_whole(found: Exchange | Skipped) -> bool:
    """Return whether the bodies of an exchange are whole: not empty, and without dots or words for what was left out.

    Without a path, one of them must be of Chat Completions: pages show the failures of all APIs.
    """
    if not isinstance(found, Exchange):
        return False
    bodies = [body for body in (found.request, found.response) if body is not None]
    if found.path is None and all(isinstance(body, Payload) and kind_of(body.value) is None for body in bodies):
        return False  # a failure of any API
    return all(
        body.sound if isinstance(body, Payload) else isinstance(body, Stream) and bool(body.values) for body in bodies
    )


def as_shown(found: Exchange | Skipped) -> Exchange | Skipped:
    """Return an exchange of a page, or of a text that leaves something out.

    A stream that does not begin or end there is only a part of one. If it has only one chunk, this is the answer.
    """
    if not isinstance(found, Exchange) or not isinstance(body := found.response, Stream):
        return found
    if NotJson.DONE in body.values or (any(map(names_role, body.values)) and any(map(has_finish_reason, body.values))):
        return found
    if len(body.values) == 1 and kind_of(body.values[0]) == "chunk" and not body.unsound:
        chunk = Payload("chunk", body.values[0], body.text_of(0) or found.text)
        return replace(found, response=chunk, http=replace(found.http, content_type=None))  # that of the whole stream
    return replace(found, response=replace(body, is_part=True))


def exchanges_of_printed(capture: Capture, number: int, text: Text) -> Iterator[Exchange | Skipped]:
    """Return the exchanges of the payloads among other lines. Rules about the bytes that were sent are not applied.

    A request over several lines is not read: it may be what a command sends, or a program. If something is left out,
    with dots in its place, the end of a stream does not say that all of it is there.
    """
    on_line = payload_on_line if re.search(_DOTS, text.data) else payload_or_end_on_line
    reads = ReadsOnLines(WithoutRepetition(on_line))
    payloads = [*_payloads(text, reads), *reads.rest()]
    if not payloads and may_hold_literals(text.data):
        payloads = [literal for literal in _literals(text) if _is_answer(literal)]
    if not payloads and php_dumps.may_hold_dumps(text.data):
        payloads = [dump for dump in php_dumps.dumps_in(text) if _is_answer(dump)]
    return exchanges_of_printed_lines(capture, [payloads], number)


def exchanges_of_terminal(capture: Capture, number: int, text: Text) -> list[Exchange | Skipped]:
    """Return the exchanges in a copy of a terminal: of payloads among other lines, also of those in comments.

    If there are only requests, the answers may stand behind prefixes, or anywhere in the lines of a log.
    """
    text = without_comment_marks(text)
    parts = list(exchanges_of_printed(capture, number, text))
    has_answer = any(isinstance(part, Exchange) and part.response is not None for part in parts)
    return parts if has_answer else _answers_over_lines(capture, number, text) or parts


def answers_in_comments(capture: Capture, number: int, text: Text) -> list[Exchange | Skipped]:
    """Return the answers in the comments of a program that have all that each answer has: others are sketches."""
    spans = lines_of_comments(text.data)
    found = exchanges_of_terminal(capture, number, block_of(text, spans)) if spans else []
    return [one for one in found if isinstance(one, Exchange) and _has_all_of_an_answer(one.response)]


def answers_among_words(capture: Capture, number: int, text: Text) -> list[Exchange | Skipped]:
    """Return the answers that say what they are: in a sentence, others are examples, and a request is one to send."""
    found = exchanges_of_terminal(capture, number, text)
    return [one for one in found if isinstance(one, Exchange) and _says_what_it_is(one.response)]


def answers_in_span(capture: Capture, number: int, text: Text) -> list[Exchange | Skipped]:
    """Return the answers that a span of code in a sentence is, if they have all that each answer has."""
    found = exchanges_of_block(capture, number, text, may_be_faulty=False)
    return [one for one in found if isinstance(one, Exchange) and _has_all_of_an_answer(one.response)]


def _says_what_it_is(body: Response | None) -> bool:
    return any(str(value.get("object")).startswith("chat.completion") for value in events_of(body))


def _has_all_of_an_answer(body: Response | None) -> bool:
    return _says_what_it_is(body) and all(value.keys() >= _IN_EACH_ANSWER for value in events_of(body)[:1])


def _answers_over_lines(capture: Capture, number: int, text: Text) -> list[Exchange | Skipped]:
    """Return the answers over several lines of a block that each begin with what a tool or a logger writes there.

    If there are none, return those anywhere in a line that begins as one of a log does. In a list or a quotation,
    nothing is read: places would be wrong.
    """
    if text.place(0).column > 1:
        return []
    lines = [Text(line[0], *text.place(line.start())) for line in re.finditer(rb"[^\r\n]+", text.data)]
    return _answers_on(capture, number, lines, payload_on_line) or _answers_on(
        capture, number, lines_of_entries(lines), objects_in
    )


def _answers_on(
    capture: Capture, number: int, lines: Iterable[Text], on_line: Callable[[Text], Iterable[Text]]
) -> list[Exchange | Skipped]:
    groups = groups_in(lines, on_line, partial(holds_exchange, capture))
    found = (one for one in exchanges_of_lines(capture, groups, number) if isinstance(one, Exchange))
    return [as_dumped(one) for one in found if one.response is not None and is_complete(one)]


def _literals(text: Text) -> Iterator[Text]:
    """Yield the literals that begin a line, or stand behind a label there, each as the text of JSON."""
    before_literal = re.compile(_BEFORE_LITERAL)
    position = 0
    while match := before_literal.search(text.data, position):
        literal, end = literal_at(text, match.end())
        position = max(end, match.end() + 1)
        if literal is not None:
            yield literal


def _payloads(text: Text, on_line: Callable[[Text], Iterable[Text]]) -> Iterator[Text]:
    """Yield the text of each payload, on a line or over several."""
    printed, glued, unindented = re.compile(_PRINTED), re.compile(_GLUED), re.compile(_UNINDENTED)
    position = tried = 0
    while match := printed.search(text.data, position):
        position = match.end()
        goes_on = match[1] is None and not match[0].rstrip().endswith(b"}")
        words = glued.match(text.data, match.start(), match.end()) if goes_on else None
        start = words.end() if words else match.start()
        if goes_on and tried < _MOST_TRIED and unindented.match(text.data, start):
            rest = text.slice(start, start + _LONGEST_UNINDENTED)
            answer = next(objects_in(rest), rest)
            if _is_answer(answer):
                position = start + len(answer.data)
                yield answer
                continue
            tried += 1
        yield from _payload(text, match, on_line)


def _payload(text: Text, match: re.Match[bytes], on_line: Callable[[Text], Iterable[Text]]) -> Iterable[Text]:
    if match[1] is None:
        return on_line(text.slice(*match.span()))
    document = text.slice(*match.span(1))
    found = document if _is_answer(document) else whole_literal(document)  # people explain answers with comments
    return (found,) if found is not None and _is_answer(found) else ()


def _is_answer(text: Text) -> bool:
    """Return whether a text is an answer, or a list of nothing but answers and chunks."""
    decoded = decode_json(text.data)
    if decoded is None:
        return False
    values = decoded.value if isinstance(decoded.value, list) else [decoded.value]
    return bool(values) and all(kind_of(value) not in (None, "request") for value in values)
