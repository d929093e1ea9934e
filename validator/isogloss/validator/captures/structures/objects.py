"""Find the JSON objects in a line of text, and the payloads that stand on one line or on several.

What a program printed of a decoded object counts as this object (:mod:`.literals`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice

from isogloss.validator.captures.structures.literals import literal_at, may_hold_literals
from isogloss.validator.decode import decode_json, looks_like_sse
from isogloss.validator.kinds import kind_of
from isogloss.validator.text import Text

__all__ = ["MOST_OBJECTS", "groups_in", "objects_in", "payload_on_line", "without_counts", "without_prompt"]

_OBJECT = re.compile(r'\{\s*"')
_OBJECT_OR_LITERAL = r"\{\s*(?:\"|'|[A-Za-z_$]|//|/\*)"
_DECODER = json.JSONDecoder()
_LABEL = rb"""(?x)
    \s* (?: data:
        | (?! [-+*\#/] ) [^"'`={}]{1,200} [:\])|>]                # a label with a mark at its end
        | -[ ] [A-Za-z][\w ]{0,30} :                              # a label in a list, as LangChain4j writes it
        | \[ [\w.:/,+ -]{1,60} \] [^"'`={}]{0,200}               # a label with a name or a time in brackets
        | <OpenAIObject[ ] [^<>\n]{1,200} >[ ]JSON:               # as old versions of the openai package print
        )? \s*
"""
_LONGEST_LABEL = 300
_PROMPT = rb"""[^"'`={}]{0,100}[#$%>](?:[ ].*)?"""
"""What may stand behind the answer: a prompt, and the next command."""
_PROMPT_BEHIND_BODY = rb"""[^"'`={}<\r\n]{0,100}[#$%>](?:[ ](?s:.)*)?"""
"""The same behind a whole body. The command may have several lines, and markup is no prompt: a server can send it."""
_COUNTS_BEHIND_BODY = rb"[1-5]\d\d|(?:[A-Za-z][\w ]{0,30}[:=][ ]?[\d.]{1,20}(?:[ ]?m?s)?(?:\s+|\Z))+"
"""What ``curl --write-out`` adds: the status alone, or numbers with their names (``HTTP_CODE:200``)."""
_INDENTATION = b" \t"
_MOST_LINES = 10_000
"""The most lines of an object that is written over several lines."""
MOST_OBJECTS = 16
"""How many objects of a line are looked at."""
_GROUP = 32
"""How many objects :func:`groups_in` yields at a time."""


def objects_in(line: Text) -> Iterator[Text]:
    """Yield the text of each JSON object in a line. If one is not complete, it ends where the line ends.

    A literal that a program printed counts as the object that it makes, if it is complete.
    """
    return (found for _, _, found in _spans(line))


def _spans(line: Text) -> Iterator[tuple[int, int, Text]]:
    """Yield where each object of a line begins and ends, and its text."""
    text = line.data.decode("utf-8", "surrogateescape")
    may_hold = may_hold_literals(line.data)
    end = offset = 0  # of what was read so far: in the text, and in its bytes
    objects = re.compile(_OBJECT_OR_LITERAL) if may_hold else _OBJECT
    while begins := objects.search(text, end):
        start = offset + _size(text[end : begins.start()])
        try:
            _, object_end = _DECODER.raw_decode(text, begins.start())
        except (ValueError, RecursionError):
            if may_hold:
                literal, offset = literal_at(line, start)
                end = begins.start() + len(line.data[start:offset].decode("utf-8", "surrogateescape"))
                if literal is not None:
                    yield start, offset, literal
                if literal is not None or not begins[0].endswith('"'):
                    continue
            object_end = len(text)
        offset, end = start + _size(text[begins.start() : object_end]), object_end
        yield start, offset, line.slice(start, offset)


def _size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogateescape"))


def payload_on_line(line: Text) -> tuple[Text, ...]:
    """Return the text of the payload that a line holds, or nothing for another line.

    The line may begin with a label or with ``data:``, and may end in a prompt of a shell.
    """
    start = line.data.find(b"{", 0, _LONGEST_LABEL)
    if start < 0 or not re.fullmatch(_LABEL, line.data[:start]):
        return ()
    begin, end, payload = next(_spans(line), (-1, 0, line))
    if begin != start:
        return ()
    rest = line.data[end:].strip()
    if rest and not re.fullmatch(_PROMPT, rest):
        return ()
    decoded = decode_json(payload.data)
    return (payload,) if decoded is not None and kind_of(decoded.value) is not None else ()


def without_prompt(text: Text) -> Text:
    """Return the text of a body in a copy of a terminal, without the prompt of the shell behind it.

    The prompt may stand behind a JSON object, also on its last line, or be the last line behind events.
    """
    data = text.data
    content = data.rstrip()
    if content[-1:] in (b"}", b"]", b""):
        return text
    last_line = content.rfind(b"\n") + 1
    if content.endswith((b"\n\n", b"\r\n\r\n"), 0, last_line) and looks_like_sse(data):
        return text.slice(0, last_line) if re.fullmatch(_PROMPT_BEHIND_BODY, content[last_line:]) else text
    value = next(objects_in(text), None) if data.lstrip().startswith(b"{") else None
    if value is None:
        return text
    end = data.index(b"{") + len(value.data)
    return text.slice(0, end) if re.fullmatch(_PROMPT_BEHIND_BODY, data[end:].strip()) else text


def without_counts(text: Text) -> Text:
    """Return the text of a JSON object without the status or the numbers that ``curl --write-out`` added behind it."""
    data = text.data
    if not data.rstrip()[-1:].isalnum() or not data.lstrip().startswith(b"{"):
        return text
    value = next(objects_in(text), None)
    end = data.index(b"{") + len(value.data) if value is not None else 0
    return text.slice(0, end) if end and re.fullmatch(_COUNTS_BEHIND_BODY, data[end:].strip()) else text


def groups_in(lines: Iterable[Text], on_line: Callable[[Text], Iterable[Text]]) -> Iterator[list[Text]]:
    """Yield the texts of objects, some at a time: those that ``on_line`` finds, and payloads over several lines.

    The latter begin at the end of a line, as in ``body: {``. They are written with an indentation, and end in the first
    line with less of it, or before that line: LangChain4j may indent the last bracket as much as everything else. Lines
    that turn out to be no payload are read one by one.
    """
    found = _objects(lines, on_line)
    return iter(lambda: list(islice(found, _GROUP)), [])


def _objects(lines: Iterable[Text], on_line: Callable[[Text], Iterable[Text]]) -> Iterator[Text]:
    begun: list[Text] = []  # the lines of an object so far
    for line in lines:
        if begun and not _continues(begun, line):
            is_end = line.data.strip() == b"}"
            payload = _joined([*begun, line] if is_end else begun)
            if payload is not None:
                yield payload
                begun = []
                if is_end:
                    continue
            yield from chain.from_iterable(map(on_line, begun))
            begun = []
        if begun:
            begun.append(line)
        elif line.data.rstrip().endswith(b"{"):
            begun = [line] if _begins_object(line) else []
        else:
            yield from on_line(line)
    payload = _joined(begun) if begun else None
    yield from (payload,) if payload is not None else chain.from_iterable(map(on_line, begun))


def _begins_object(line: Text) -> bool:
    """Return whether only a label stands before the ``{`` at the end of a line."""
    label = line.data.rstrip()[:-1].lstrip(_INDENTATION + b"-")
    return len(label) <= _LONGEST_LABEL and re.fullmatch(_LABEL, label) is not None


def _continues(begun: list[Text], line: Text) -> bool:
    """Return whether a line has the indentation of the first line inside an object, and follows the last one."""
    inside = begun[1] if len(begun) > 1 else line
    least = max(1, len(inside.data) - len(inside.data.lstrip(_INDENTATION)))
    return (
        line.line == begun[-1].line + 1
        and len(begun) < _MOST_LINES
        and len(line.data) - len(line.data.lstrip(_INDENTATION)) >= least
    )


def _joined(lines: list[Text]) -> Text | None:
    """Return the text of a payload that is written over these lines, or ``None`` if they hold none."""
    first = lines[0]
    if lines[-1].data.strip() != b"}":
        return None
    if lines[-1].line - first.line + 1 != len(lines):
        return None  # a blank line is missing, so places would be wrong
    start = first.data.rindex(b"{")
    text = Text(b"\n".join([first.data[start:], *(line.data for line in lines[1:])]), first.line, first.column + start)
    decoded = decode_json(text.data)
    if decoded is None and may_hold_literals(text.data):
        literal, _ = literal_at(text, 0)
        text, decoded = (text, None) if literal is None else (literal, decode_json(literal.data))
    return text if decoded is not None and kind_of(decoded.value) is not None else None
