"""Find the JSON objects in a line of text, and the payloads that stand on one line or on several."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice

from isogloss.validator.decode import decode_json, looks_like_sse
from isogloss.validator.kinds import kind_of
from isogloss.validator.text import Text

__all__ = ["groups_in", "objects_in", "payload_on_line", "without_prompt"]

_OBJECT = re.compile(r'\{\s*"')
_DECODER = json.JSONDecoder()
_LABEL = rb"""(?x)
    \s* (?: data:
        | (?! [-+*\#/] ) [^"'`={}]{1,200} [:\])|>]                # a label with a mark at its end
        | \[ [\w.:/,+ -]{1,60} \] [^"'`={}]{0,200}               # a label with a name or a time in brackets
        )? \s*
"""
_LONGEST_LABEL = 300
_PROMPT = rb"""[^"'`={}]{0,100}[#$%>](?:[ ].*)?"""
"""What may stand behind the answer: a prompt, and the next command."""
_PROMPT_BEHIND_BODY = rb"""[^"'`={}<\r\n]{0,100}[#$%>](?:[ ](?s:.)*)?"""
"""The same behind a whole body. The command may have several lines, and markup is no prompt: a server can send it."""
_INDENTATION = b" \t"
_MOST_LINES = 10_000
"""The most lines of an object that is written over several lines."""
_GROUP = 32
"""How many objects :func:`groups_in` yields at a time."""


def objects_in(line: Text) -> Iterator[Text]:
    """Yield the text of each JSON object in a line. If one is not complete, it ends where the line ends."""
    text = line.data.decode("utf-8", "surrogateescape")
    end = offset = 0  # of what was read so far: in the text, and in its bytes
    while begins := _OBJECT.search(text, end):
        try:
            _, object_end = _DECODER.raw_decode(text, begins.start())
        except (ValueError, RecursionError):
            object_end = len(text)
        start = offset + _size(text[end : begins.start()])
        offset, end = start + _size(text[begins.start() : object_end]), object_end
        yield line.slice(start, offset)


def _size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogateescape"))


def payload_on_line(line: Text) -> tuple[Text, ...]:
    """Return the text of the payload that a line holds, or nothing for another line.

    The line may begin with a label or with ``data:``, and may end in a prompt of a shell.
    """
    start = line.data.find(b"{", 0, _LONGEST_LABEL)
    if start < 0 or not re.fullmatch(_LABEL, line.data[:start]):
        return ()
    payload = next(objects_in(line), None)
    if payload is None or not line.data.startswith(payload.data, start):
        return ()
    rest = line.data[start + len(payload.data) :].strip()
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


def groups_in(lines: Iterable[Text], on_line: Callable[[Text], Iterable[Text]]) -> Iterator[list[Text]]:
    """Yield the texts of objects, some at a time: those that ``on_line`` finds, and payloads over several lines.

    The latter begin at the end of a line, as in ``body: {``. They are written with an indentation, and end in the first
    line with less of it. Lines that turn out to be no payload are read one by one.
    """
    found = _objects(lines, on_line)
    return iter(lambda: list(islice(found, _GROUP)), [])


def _objects(lines: Iterable[Text], on_line: Callable[[Text], Iterable[Text]]) -> Iterator[Text]:
    begun: list[Text] = []  # the lines of an object so far
    for line in lines:
        if begun and not _continues(begun, line):
            payload = _joined([*begun, line]) if line.data.strip() == b"}" else None
            if payload is not None:
                yield payload
                begun = []
                continue
            yield from chain.from_iterable(map(on_line, begun))
            begun = []
        if begun:
            begun.append(line)
        elif line.data.rstrip().endswith(b"{"):
            begun = [line] if _begins_object(line) else []
        else:
            yield from on_line(line)
    yield from chain.from_iterable(map(on_line, begun))


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
    if lines[-1].line - first.line + 1 != len(lines):
        return None  # a blank line is missing, so places would be wrong
    start = first.data.rindex(b"{")
    data = b"\n".join([first.data[start:], *(line.data for line in lines[1:])])
    decoded = decode_json(data)
    is_payload = decoded is not None and kind_of(decoded.value) is not None
    return Text(data, first.line, first.column + start) if is_payload else None
