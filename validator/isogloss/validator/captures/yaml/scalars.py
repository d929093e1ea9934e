"""Find where the characters of a YAML scalar are written. For this, each style of scalar is read a second time.

The decoded value is known. If this second reading differs from the result of the YAML parser, no places are returned.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import TypeAlias

from isogloss.validator.text import SegmentPairs

__all__ = ["scalar_segments"]

_Runs: TypeAlias = Iterator[tuple[bytes, int]]
"""Decoded bytes and their offset in the source. They are yielded one by one, since each escape makes one."""

_PROPERTIES = re.compile(rb"(?:[!&][^\s]*+[ \t]*+(?:(?:#[^\r\n]*+)?+[\r\n]++[ \t]*+)*+)*+")
_BREAK = rb"(?:\r\n|\n|\r)"
_FLOW = re.compile(
    rb"(?P<skip>\\" + _BREAK + rb"(?P<blank>(?:[ \t]*+" + _BREAK + rb")*+)[ \t]*+)"
    rb"|(?P<escape>\\(?:x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|.))"
    rb"|(?P<fold>[ \t]*+" + _BREAK + rb"(?:[ \t]*+" + _BREAK + rb")*+[ \t]*+)"
    rb"|(?P<run>[^\\\r\n \t]++|[ \t]++)"
)
_FOLDED = rb"(?:(?<![ \t])[ \t]++)?" + _BREAK + rb"[ \t]*+"
_SPECIAL = {
    b"'": re.compile(rb"''|" + _FOLDED),
    b'"': re.compile(rb"\\" + _BREAK + rb"[ \t]*+|\\(?:x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|.)|" + _FOLDED),
}
"""By the quote: patterns for what does not stand for itself, in the form that most writers use, without blank lines."""
_MOST_PARTS = 1 << 12
_SINGLE = re.compile(
    rb"(?P<escape>'')"
    rb"|(?P<fold>[ \t]*+" + _BREAK + rb"(?:[ \t]*+" + _BREAK + rb")*+[ \t]*+)"
    rb"|(?P<run>[^'\r\n \t]++|[ \t]++)"
)
_HEADER = re.compile(rb"[|>][-+0-9]*[^\r\n]*" + _BREAK)
_LINE = re.compile(rb"([^\r\n]*+)(" + _BREAK + rb"|\Z)")
_BREAKS = re.compile(_BREAK)
_ESCAPES = {
    b"0": "\0", b"a": "\a", b"b": "\b", b"t": "\t", b"\t": "\t", b"n": "\n", b"v": "\v", b"f": "\f",
    b"r": "\r", b"e": "\x1b", b" ": " ", b'"': '"', b"/": "/", b"\\": "\\",
    b"N": "\x85", b"_": "\xa0", b"L": "\u2028", b"P": "\u2029",
}  # fmt: skip


def scalar_segments(source: bytes, value: bytes) -> SegmentPairs | None:
    """Return ascending (offset in the value, offset in the source) pairs, both in UTF-8.

    ``source`` is the scalar as written, with the quotes or the header that show its style, and ``value`` is its decoded
    value. The result is ``None`` if the source does not lead to the value.
    """
    match = _PROPERTIES.match(source)
    start = match.end() if match else 0
    style = source[start : start + 1]
    if (special := _SPECIAL.get(style)) and (found := _quoted(source, start + 1, value, special)):
        return found
    if style == b"'":
        runs = _flow(source, start + 1, _SINGLE)
    elif style == b'"':
        runs = _flow(source, start + 1, _FLOW)
    elif style in (b"|", b">"):
        runs = _block(source, start, value, folded=style == b">")
    else:
        runs = _flow(source, start, _SINGLE, plain=True)
    segments = SegmentPairs()
    size = ahead = 0  # the written text is this many bytes ahead of its value
    for run, offset in runs:
        if size >= len(value) and segments:
            break
        if not value.startswith(run, size) and not run.startswith(value[size:]):
            return None
        if not segments or offset - size != ahead:  # otherwise the segment continues
            segments.add(size, offset)
            ahead = offset - size
        size += len(run)
    if not segments and not value and style in _SPECIAL:  # nothing but an escaped line break between the quotes
        segments.add(0, len(source) - 1)
    return segments if segments and size >= len(value) else None


def _quoted(source: bytes, start: int, value: bytes, special: re.Pattern[bytes]) -> SegmentPairs | None:
    """Return the segments of a quoted scalar, or ``None`` if it does not lead to the value.

    Each escape takes only one step.
    """
    segments = SegmentPairs()
    parts: list[bytes] = []
    checked = size = 0
    position, ahead, end = start, -1, len(source) - 1
    for match in special.finditer(source, start, end):
        at, token = match.start(), match[0]
        decoded = _decoded_token(token)
        if position - size != ahead and (decoded or at > position):
            ahead = position - size
            segments.add(size, position)
        parts += (source[position:at], decoded)
        size += at - position + len(decoded)
        position = at + len(token)
        if len(parts) > _MOST_PARTS:
            part = b"".join(parts)
            if not value.startswith(part, checked):
                return None
            parts, checked = [], size
    if position - size != ahead and (end > position or not segments):
        segments.add(size, position)
    parts.append(source[position:end])
    return segments if value[checked:] == b"".join(parts) else None


@lru_cache(maxsize=256)
def _decoded_token(token: bytes) -> bytes:
    """Return the characters that an escape or a line break is read as; none for an escaped line break."""
    if token[:1] not in b"\\'":
        return b" "
    return b"" if _BREAKS.match(token, 1) else _unescaped(token)


def _flow(source: bytes, start: int, tokens: re.Pattern[bytes], *, plain: bool = False) -> _Runs:
    """Yield the runs of a quoted or plain scalar that begins at `start`, after its quote."""
    end = len(source) if plain else len(source) - 1
    position = start
    if position >= end:
        yield b"", start
    while position < end:
        match = tokens.match(source, position, end)
        if match is None:
            if not plain:
                return
            yield source[position : position + 1], position  # an apostrophe, which has no meaning in a plain scalar
            position += 1
            continue
        kind, text = match.lastgroup, match[0]
        if kind == "escape" and plain:
            yield text, position
        elif kind == "escape":
            yield _unescaped(text), position
        elif kind == "fold":
            breaks = len(_BREAKS.findall(text))
            yield b"\n" * (breaks - 1) or b" ", position
        elif kind == "run":
            yield text, position
        elif match["blank"]:  # an escaped line break gives nothing, but blank lines after it do
            yield b"\n" * len(_BREAKS.findall(match["blank"])), position
        position = match.end()


@lru_cache(maxsize=256)
def _unescaped(text: bytes) -> bytes:
    if text == b"''":
        return b"'"
    code = text[1:]
    if code[:1] in b"xuU" and len(code) > 1:
        return chr(min(int(code[1:], 16), 0x10FFFF)).encode("utf-8", "surrogatepass")
    return _ESCAPES.get(code, "").encode()


def _block(source: bytes, start: int, value: bytes, *, folded: bool) -> _Runs:
    """Yield the runs of a literal or folded scalar whose header begins at `start`."""
    header = _HEADER.match(source, start)
    if header is None:
        return
    lines = []  # (offset, bytes without the line break)
    position = header.end()
    while position < len(source) and (match := _LINE.match(source, position)):
        lines.append((position, match[1]))
        position = match.end()
    indent = _indent(lines, value)
    has_content = False
    pending: list[tuple[bytes, int]] = []  # line breaks; folding drops some
    previous_spaced = False  # the previous line begins with white space, so its break is kept
    for offset, line in lines:
        content = line[indent:]
        breaks = (b"\n", offset + len(line))
        if not content:
            pending.append(breaks)
            continue
        spaced = content[:1] in b" \t"
        if folded and pending and has_content and not previous_spaced and not spaced:
            pending = pending[1:] or [(b" ", pending[0][1])]
        yield from pending
        yield content, offset + indent
        has_content = True
        pending, previous_spaced = [breaks], spaced
    yield from pending


def _indent(lines: list[tuple[int, bytes]], value: bytes) -> int:
    """Count the columns before the content: those of the first line, less the spaces that begin the value itself."""
    first = next((line for _, line in lines if line.strip(b" ")), b"")
    content = value.lstrip(b"\n")
    return max(0, (len(first) - len(first.lstrip(b" "))) - (len(content) - len(content.lstrip(b" "))))
