"""Find the JSON objects in a line of text, and the payload that it holds.

What a program printed of a decoded object counts as this object (:mod:`.literals`). So does an object in a string in
quotes, as in logfmt (``body="{\\"id\\": …}"``), or where a program prints bytes (``b'{"id": …}'``), and one that nginx
wrote into an access log (``{\\x22id\\x22: …}``; CHANGES of nginx 0.7.0 and 1.1.6, as
https://stackoverflow.com/questions/25049667 quotes them, read 2026-11), or morgan for Node.js (``{\\"id\\": …}``). A
line that is one string with events counts as the lines that it spells: Python prints like this what it reads of a
stream, line by line (``b'data: {"id": …}'``) or in larger parts.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from itertools import chain, pairwise

from isogloss.validator.captures.bodies.encoded import bodies_in_base64
from isogloss.validator.captures.bodies.literals import literal_at, may_hold_literals, string_at
from isogloss.validator.captures.capture import made_of, substituted
from isogloss.validator.captures.document import Document
from isogloss.validator.decode import decode_json, kind_of_json
from isogloss.validator.exchange import Kind
from isogloss.validator.text import Text

__all__ = ["is_label", "objects_in", "payload_on_line", "payload_or_end_on_line", "string_on"]

_QUOTED = r"""(?x:(?<!\\)(?:
      " (?: [^"\\{]++ | \\[^\n] | \{ ){0,4000}? \{ (?:\s|\\[nrt])*+ \\"   # anything may stand before the object
    | (?: (?<=\bb)' | ' (?= POST[ ]/ | HTTP/\d ) )        # likewise, in bytes or in an HTTP message as Python prints
      (?: [^'\\{\n]++ | \\[^\n] | \{ ){0,4000}? \{ (?:\s|\\[nrt])*+ "
    | ' \s* (?:data:\s*)? \{ (?:\s|\\[nrt])*+ "
    ))"""
"""How a string in quotes begins that holds an object, as logfmt and programs write it."""
_ESCAPED = r"\{(?:\s|\\x0[9AaDd])*+\\x22"
"""How an object begins in which each quotation mark and backslash is a number."""
_WITH_BACKSLASHES = r"\{[ \t]*+\\\""
"""How an object begins in which a backslash stands before each quotation mark and backslash, without quotes around."""
_ESCAPED_RUN = rb"""(?:[^"\\]++|\\["\\])*+"""
_OBJECT = r'\{\s*"|' + _QUOTED
_OBJECT_OR_LITERAL = r"\{\s*(?:\"|'|:?[A-Za-z_$]|//|/\*)|" + _QUOTED
_DECODER = json.JSONDecoder()
_LABEL = rb"""(?x)
    \s* (?: (?: \}['"]? )? data:
        | \}['"]                                                       # the end of what a command sends
        | (?: [\w.]{1,40} \s? [:=]+ \s? )? (?: ` | "{3} | '{3} ) data:     # the first event of a string over many lines
        | (?! [-+*\#/] ) [^"'`={}]{1,200}                         # a label with a mark at its end,
          (?: (?<=[ ]) ["'`] [\w.-]{1,60} ["'`] [ ] [^"'`={}]{1,200} ){0,3} [:\])|>]   # and with words in quotes
        | (?! [-+*\#/] ) (?= [^{}]* = \s* \Z )                   # a name, as in logfmt, and values before it
          (?: [^"'`={}]{0,200} [\s\]:] )?
          (?: [\w.-]{1,40} = [^\s"'`={}]{0,99} \s )* [\w.-]{1,40} =
        | \#> (?: [ ] [<>]{2} )? | [<>]{1,2}           # marks of output in R, and of what was sent and received
        | [^"'`={}]{0,200} (?: \xe2\x94[\x82\x83] | \xe2\x95\x91 )        # the edge of a box,
          [ ]? [\x80-\xff]{0,12}                                # and a symbol behind it
        | -[ ] [A-Za-z][\w ]{0,30} :                              # a label in a list, as LangChain4j writes it
        | (?: [-+*][ ] )? [*]{2} [^"'`={}*]{1,100} (?: [*]{2}[ ]?:? | :[*]{2} )  # a label in bold, as in Markdown
        | (?! [-+*\#/] ) [^"'`={}]{0,80} \d\d:\d\d:\d\d [^"'`={}]{0,200}        # a time, and anything
        | \[ [\w.:/,+ -]{1,60} \] [^"'`={}]{0,200} (?: =[ ] )?    # a label with a name or a time in brackets
        | <OpenAIObject[ ] [^<>\n]{1,200} >[ ]JSON:               # as old versions of the openai package print
        | < [a-z]{1,12} (?: [ ] [a-z-]{1,12} = ["'] [^<>"'{}]{0,100} ["'] ){1,3} >     # a tag of HTML with attributes
        )? \s* (?: Object[ ] )?                                   # as Rust prints
"""
_LONGEST_LABEL = 300
_BYTES = b"b'"
"""How bytes begin that Python prints."""
_END = rb"""\s*data: ?(\[DONE\])\s*(?:(?:`|"{3}|'{3})[;,]?\s*)?"""
_EVENT = b"data:"
_BETWEEN_EVENTS = rb"(?<=\})\s*+(?=data:[ ]?(?:\{|\[DONE\]))"
"""What stands between the events that are on one line."""
_STRING = rb"""([^\s"'{}][^"'{}]{0,%d}?)??(?P<bytes>b?)(?P<string>["'])""" % _LONGEST_LABEL
"""How a line begins that is one string, perhaps behind a label. In a program, it would be indented."""
_BEHIND_OBJECT = rb"[ ](?:data:[ ]?)?\{"
"""What leads to a payload from an object before it, such as the headers that axios-logger writes there."""
_STATUS = rb"[1-5]\d\d"
_WORDS = rb"""(?:\w|[=*]{1,2}[ ])[^"'`={}<>]{0,300}"""
"""What ``wget -d``, ``curl -v`` and ``curl --trace-ascii`` print behind a body, and names of numbers of a script."""
_PROMPT = rb"""[^"'`={}]{0,100}(?:[#$%>]|\xe2\x8f\x8e)(?:[ ].*)?|\([\w.-]{1,30}\)"""
"""What may stand behind the answer: a prompt, and the next command, or the mark of fish (``⏎``).

Of a prompt that begins with the name of an environment of Python, some copy only this: ``(base)``.
"""
_MOST_OBJECTS = 16
"""How many objects of a line are looked at, unless the last of them is a chunk: a line may hold a whole stream."""


def objects_in(line: Text) -> Iterator[Text]:
    """Yield the text of each JSON object in a line. If one is not complete, it ends where the line ends.

    A literal that a program printed counts as the object that it makes, if it is complete. In a line without objects,
    they may be in Base64.
    """
    spans = _spans(line) if b"{" in line.data else chain.from_iterable(map(_spans, bodies_in_base64(line)))
    last = line
    for number, (_, _, found) in enumerate(spans):
        if number >= _MOST_OBJECTS and b"choices" not in last.data:
            return
        yield found
        last = found


def _spans(line: Text) -> Iterator[tuple[int, int, Text]]:
    """Yield where each object of a line begins and ends, and its text."""
    text = line.data.decode("utf-8", "surrogateescape")
    may_hold = may_hold_literals(line.data)
    end = offset = 0  # of what was read so far: in the text, and in its bytes
    pattern = _OBJECT_OR_LITERAL if may_hold else _OBJECT
    if b"\\x22" in line.data:
        pattern = f"{_ESCAPED}|{pattern}"
    objects = re.compile(f"{_WITH_BACKSLASHES}|{pattern}" if b'{\\"' in line.data else pattern)
    while begins := objects.search(text, end):
        start = offset + _size(text[end : begins.start()])
        if begins[0][0] != "{" or begins[0].endswith("\\x22"):
            quoted, offset = _unescaped(line, start) if begins[0][0] == "{" else _quoted(line, start)
            end = begins.start() + len(line.data[start:offset].decode("utf-8", "surrogateescape"))
            yield from ((start, offset, found) for found in (objects_in(quoted) if quoted is not None else ()))
            continue
        if begins[0].endswith('\\"') and begins[0][0] == "{":
            escaped, offset = _without_backslashes(line, start)
            end = begins.start() + len(line.data[start:offset].decode("utf-8", "surrogateescape"))
            yield from ((start, offset, one) for one in objects_in(escaped) if decode_json(one.data) is not None)
            continue
        object_end = _end_of_object(text, begins.start())
        if object_end is None and may_hold:
            literal, offset = literal_at(line, start)
            end = begins.start() + len(line.data[start:offset].decode("utf-8", "surrogateescape"))
            if literal is not None:
                yield start, offset, literal
            if literal is not None or not begins[0].endswith('"'):
                continue
        if object_end is None:
            object_end = len(text)
        offset, end = start + _size(text[begins.start() : object_end]), object_end
        yield start, offset, line.slice(start, offset)


def _end_of_object(text: str, start: int) -> int | None:
    """Return where the JSON object at a position of a text ends, or ``None`` if it is not complete."""
    try:
        return _DECODER.raw_decode(text, start)[1]
    except (ValueError, RecursionError):
        return None


def _quoted(line: Text, start: int) -> tuple[Text | None, int]:
    """Return what the string in quotes at an offset of a line holds, and where it ends.

    The first is ``None`` for a string that is cut off, and for one in which an object stands as it is, as behind the
    ``-d`` of a command: what follows the quote is read then.
    """
    string, end = string_at(line, start)
    if string is None or decode_json(line.data[line.data.index(b"{", start) : end - 1].rstrip()) is not None:
        return None, start + 1
    document = Document(string)
    return document.root.text(), end


def _unescaped(line: Text, start: int) -> tuple[Text, int]:
    """Return what is escaped from an offset of a line on, and where it ends: before a quotation mark that is not."""
    end = line.data.find(b'"', start)
    end = len(line.data) if end < 0 else end
    escapes = re.compile(rb"\\x([0-9A-Fa-f]{2})").finditer(line.data, start, end)

    def parts() -> Iterator[tuple[int, bytes]]:
        position = start
        for escape in escapes:
            yield position, line.data[position : escape.start()]
            yield escape.start(), bytes.fromhex(escape[1].decode())
            position = escape.end()
        yield position, line.data[position:end]

    return made_of(line, parts()), end


def _without_backslashes(line: Text, start: int) -> tuple[Text, int]:
    """Return what is escaped from an offset of a line on, and where it ends: before a quotation mark that is not."""
    end = next(re.compile(_ESCAPED_RUN).finditer(line.data, start)).end()
    return made_of(line, substituted(line.data, rb"\\(.)", lambda escape: escape[1], start, end)), end


def is_label(data: bytes) -> bool:
    """Return whether bytes may stand before a payload on its line, as a label of it."""
    return len(data) <= _LONGEST_LABEL and re.fullmatch(_LABEL, data) is not None


def _size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogateescape"))


def payload_on_line(line: Text) -> tuple[Text, ...]:
    """Return the text of the payload that a line holds, or nothing for another line.

    The line may begin with a label or with ``data:``, and may end in a prompt of a shell. If it is one string with
    events, all their payloads are returned.
    """
    if not _may_hold_any(line.data):
        return ()
    return tuple(payload for one in _lines_spelled(line) for payload in _payload_on(one))


def payload_or_end_on_line(line: Text) -> tuple[Text, ...]:
    """Return the same as :func:`payload_on_line`, or ``[DONE]`` for an event that is nothing else."""
    if not _may_hold_any(line.data):
        return ()
    return tuple(found for one in _lines_spelled(line) for found in _end_on(one) or _payload_on(one))


def _may_hold_any(data: bytes) -> bool:
    """Return whether a line may hold a payload or an event. Most lines of a log hold none."""
    return (b"}" in data and b"{" in data) or _EVENT in data


def _lines_spelled(line: Text) -> Iterable[Text]:
    """Return the lines that a line spells if it is one string with events, or else the line itself.

    In a copy that has lost the line ends, a line may also be the events themselves.
    """
    if line.data.startswith(_EVENT) and line.data.find(_EVENT, len(_EVENT)) > 0:
        on_line = _events_on(line)
        return on_line if all(_end_on(one) or _holds_json(one) for one in on_line) else (line,)
    found = string_on(line) if _EVENT in line.data else None
    if found is None or not found[1].data.startswith(_EVENT):
        return (line,)
    events = found[1]
    return (events.slice(*one.span()) for one in re.finditer(rb"[^\r\n]+", events.data))


def string_on(line: Text) -> tuple[bytes, Text] | None:
    """Return the words before the string that a line is, and what the string spells, or ``None`` for another line.

    The words are a label. Before bytes, they may be any: before other strings, these may be a command.
    """
    begins = re.match(_STRING, line.data)
    if begins is None or not (begins[1] is None or is_label(begins[1] + (b":" if begins["bytes"] else b""))):
        return None
    string, end = string_at(line, begins.start("string"))
    spelled = Document(string).root.text() if string is not None and not line.data[end:].strip() else None
    return None if spelled is None else (begins[1] or b"", spelled)


def _events_on(line: Text) -> list[Text]:
    starts = [0, *(found.end() for found in re.finditer(_BETWEEN_EVENTS, line.data))]
    return [line.slice(start, end) for start, end in pairwise([*starts, len(line.data)])]


def _holds_json(event: Text) -> bool:
    return decode_json(event.data.removeprefix(_EVENT)) is not None


def _end_on(line: Text) -> tuple[Text, ...]:
    end = re.fullmatch(_END, line.data)
    return (line.slice(*end.span(1)),) if end else ()


def _payload_on(line: Text) -> tuple[Text, ...]:
    start = line.data.find(b"{", 0, _LONGEST_LABEL)
    if start < 0 or b"}" not in line.data:
        return ()
    before = line.data[:start]
    are_bytes = before.endswith(_BYTES)
    if not is_label(before.removesuffix(_BYTES)):
        return ()
    spans = _spans(line)
    begin, end, payload = next(spans, (-1, 0, line))
    if begin != start - (are_bytes and line.data[begin : begin + 1] == b"'"):
        return ()
    while not are_bytes and re.compile(_BEHIND_OBJECT).match(line.data, end) and kind_of_json(payload.data) is None:
        begin, end, payload = next(spans, (-1, len(line.data), line))
    kind = kind_of_json(payload.data)
    rest = line.data[end:].removeprefix(b"'" if are_bytes else b"").strip()
    if rest and not re.fullmatch(_PROMPT, rest) and not (start == 0 and _is_of_command(rest, kind)):
        return ()
    return () if kind is None else (payload,)


def _is_of_command(rest: bytes, kind: Kind | None) -> bool:
    """Return whether a command may have printed the rest of a line, behind an answer without a line end.

    That is the status, or an object, as ``curl --write-out`` prints them; behind a completion, also words.
    """
    if rest.startswith(b"{"):
        return kind_of_json(rest) is None and decode_json(rest) is not None
    return re.fullmatch(_WORDS if kind == "completion" else _STATUS, rest) is not None
