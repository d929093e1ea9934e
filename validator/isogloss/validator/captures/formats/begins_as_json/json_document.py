"""Read a JSON file: one payload, exchange record or HTTP pair, or several of them in an array or object.

Chunks in an array are one stream. A file may hold several indented documents, one after another. A file whose name is
not that of JSON may hold what a program printed, JSON5, as the recorder talkback writes it, or JSON with comments. A
file with the name of a text may hold more answers behind words.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from isogloss.validator.captures.bodies.literals import begins_with_literal, literals_in, whole_literal
from isogloss.validator.captures.bodies.trailing import (
    WORDS_BEHIND,
    has_words_behind,
    without_counts,
    without_prompt,
    without_words,
)
from isogloss.validator.captures.capture import BYTE_ORDER_MARK, Capture, without
from isogloss.validator.captures.document import Document, documents_in
from isogloss.validator.captures.structures.alone import answer_alone
from isogloss.validator.decode import Decoded, decode
from isogloss.validator.exchange import Exchange, Skipped, as_dumped
from isogloss.validator.kinds import kind_of
from isogloss.validator.text import Text

__all__ = ["NAME", "read", "recognise"]

NAME = "json"

_WITH_COMMENTS = (".json5", ".jsonc")
"""The endings of names of files in which people write JSON with comments."""


def recognise(capture: Capture) -> int:
    """Recognise a capture that begins like a JSON object or array."""
    return 50 if capture.begins_as_json else 0


def read(capture: Capture) -> Iterator[Exchange | Skipped]:
    """Yield the exchanges of the document, and a :class:`Skipped` for the words behind it in a file of texts.

    If the document is damaged and none of its payloads shows that, also yield a :class:`Skipped` that says so.
    """
    text, decoded = capture.text, capture.document
    if not decoded.sound and text.data.startswith(BYTE_ORDER_MARK) and (capture.kind or kind_of(decoded.value)) is None:
        # a program wrote it that saved the records, and no server
        text = without(text, [(0, len(BYTE_ORDER_MARK))])
        decoded = decode(text.data)
    if decoded.sound:
        yield from _exchanges(capture, text, decoded, is_copy=False)
    elif capture.is_called_like_text:
        from isogloss.validator.captures.texts.command_pairs import with_commands

        yield from with_commands(capture, _with_what_is_behind(capture, text, decoded))
    else:
        yield from _with_what_is_behind(capture, text, decoded)


def _with_what_is_behind(capture: Capture, text: Text, decoded: Decoded) -> Iterator[Exchange | Skipped]:
    """Yield the exchanges of a document that has a fault, or behind which something else stands."""
    is_copy = not capture.has_ending(".json")  # perhaps of a terminal
    body = without_counts(text)
    if is_copy and body is text:
        body = without_prompt(text)
        if capture.is_called_like_text and _has_answers(capture, text.slice(len(body.data), len(text.data))):
            body = text  # the copy goes on with the next command, and what that got
    printed = body
    body = without_words(text) if capture.is_called_like_text and body is text else body
    has_exchanges = False
    for found in _exchanges(capture, body, decoded if body is text else decode(body.data), is_copy=is_copy):
        yield found
        has_exchanges = has_exchanges or isinstance(found, Exchange)
    if has_exchanges and body is not printed:
        yield Skipped(file=capture.name, why=WORDS_BEHIND)


def _exchanges(capture: Capture, text: Text, decoded: Decoded, *, is_copy: bool) -> Iterator[Exchange | Skipped]:
    """Yield the exchanges of a document. ``is_copy`` says that it may be a copy of a terminal."""
    if is_copy and capture.kind is None and (literals := _literals(text)):
        from_lines = _on_lines(capture, literals)
        yield from from_lines if capture.has_ending(_WITH_COMMENTS) else map(as_dumped, from_lines)
        return
    value, sound = decoded
    if not sound and (documents := documents_in(text)):
        yield from _on_lines(capture, documents)
        return
    if not sound and capture.is_called_like_text and (parts := _printed(capture, text, value)):
        yield from parts
        return
    answer = answer_alone(capture, 0, text, capture.kind or kind_of(value), value, sound)
    if answer is not None:
        yield answer
        return
    yield from _exchanges_in(capture, Document(text, decoded))


def _on_lines(capture: Capture, lines: list[Text], *, is_log: bool | None = None) -> Iterator[Exchange | Skipped]:
    from isogloss.validator.captures.texts import json_lines

    return json_lines.exchanges_of_lines(capture, [lines], is_log=is_log)


def _exchanges_in(capture: Capture, document: Document) -> Iterator[Exchange | Skipped]:
    """Yield the exchanges of a document that is no answer by itself."""
    from isogloss.validator.captures.structures import values
    from isogloss.validator.captures.texts import log_arrays, logged_lines

    if records := log_arrays.log_in(capture, document):
        yield from _on_lines(capture, records, is_log=True)
        return
    if capture.kind is None and logged_lines.holds_lines(document.root.value):
        yield from _on_lines(capture, [document.text])
        return
    has_exchanges = is_damage_shown = False
    for found in values.exchanges(capture, 0, document.root, capture.kind):
        yield found
        has_exchanges = has_exchanges or isinstance(found, Exchange)
        is_damage_shown = is_damage_shown or (isinstance(found, Exchange) and _has_payload_of(found, document))
    if has_exchanges and not is_damage_shown:
        yield from document.damage(capture.name)


def _printed(capture: Capture, text: Text, value: object) -> list[Exchange | Skipped]:
    """Return the exchanges of a text of several answers, or nothing.

    The text may also hold one answer, behind a request or what is no payload, and words.
    """
    from isogloss.validator.captures.texts import blocks

    parts, kind = list(blocks.exchanges_of_printed(capture, 0, text)), kind_of(value)
    may_be_copy = kind == "request" or (kind is None and _holds_answer(parts))
    return parts if len(parts) > 1 or (may_be_copy and has_words_behind(text.data)) else []


def _has_answers(capture: Capture, rest: Text) -> bool:
    """Return whether answers stand among the lines of a text."""
    from isogloss.validator.captures.texts import blocks  # hardly any document has something behind it

    return bool(rest.data.strip()) and _holds_answer(blocks.exchanges_of_printed(capture, 0, rest))


def _holds_answer(parts: Iterable[Exchange | Skipped]) -> bool:
    return any(isinstance(one, Exchange) and one.response is not None for one in parts)


def _literals(text: Text) -> list[Text]:
    """Return the literals that a text consists of, each as the text of JSON: one, or those of a program that prints."""
    if (whole := whole_literal(text)) is not None:
        return [whole]
    return list(literals_in(text)) if begins_with_literal(text.data) else []


def _has_payload_of(exchange: Exchange, document: Document) -> bool:
    """Return whether a payload of the exchange is a part of the document, so that its faults are findings.

    They are no findings if a program printed the payload or a client library wrote it.
    """
    payloads = (exchange.request, exchange.response)
    return not exchange.dumped and any(payload is not None and payload.text is document.text for payload in payloads)
