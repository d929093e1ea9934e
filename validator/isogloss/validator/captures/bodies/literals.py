"""Read what programs print of a decoded payload as JSON: the literals of Python, JavaScript, Ruby, Elixir and Rust.

``{'id': 'chatcmpl-1', 'refusal': None}`` is what Python prints of a dict, ``{ id: 'chatcmpl-1', refusal: null }`` what
Node.js prints and what JSON5 allows, ``{"id"=>"chatcmpl-1", "refusal"=>nil}`` or ``{:id=>"chatcmpl-1"}`` what Ruby
prints, and Elixir the former behind ``%``. ``Object {"id": String("chatcmpl-1"), "refusal": Null}`` is what Rust prints
of a value of ``serde_json``. Such a literal has the values that were sent, in their order. An object of a class, as in
``ChatCompletion(id='chatcmpl-1')``, is no literal, nor is what is left out, as in ``[Object]``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from isogloss.validator.captures.capture import substituted
from isogloss.validator.decode import decode_json
from isogloss.validator.secrets import mask
from isogloss.validator.text import SegmentPairs, Text

__all__ = ["begins_with_literal", "literal_at", "literals_in", "may_hold_literals", "string_at", "whole_literal"]

_NO_DOTS = rb"(?:\.[^.\n]|[^.\xe2]|\xe2[^\x80]|\xe2\x80[^\xa6])"
_SPACE = rb"""(?x)(?:
      \s++
    | (?://|\#[ ]) [ \t]*+ (?: \n | \Z | %b [^\n]*+ )
    | /\* \s*+ (?: \*/ | %b (?s:.*?) (?:\*/|\Z) )
    )*+""" % (_NO_DOTS, _NO_DOTS)
"""Space and comments. A comment that begins with dots stands in place of a part that is left out."""
_OF_RUST = rb"(?:Object|Array|String|Number|Bool|Null)\b"
_START = rb"\{\s*+(?:'|:?[A-Za-z_$][\w$]*+\s*+(?:=>|:(?!:))|\"[^\"\\\n]{1,60}+\"(?:\s*+=>|:[ ]%b)|//|/\*)" % _OF_RUST
"""How a literal begins that is no JSON."""
_NAMED = rb"(?:choices|messages)\\?['\"]?\s*+(?::|=>)"
"""A property of a payload, as literals write it, also in a string. JSON has it, too: this is only a first test."""
_TOKEN = rb"""(?x)
      (?P<string> '(?:[^'\\\n]|\\(?s:.))*+' | "(?:[^"\\\n]|\\(?s:.))*+" | `(?:[^`\\]|\\(?s:.))*+` )
    | (?P<open> (?:Object[ ]|%)?+\{ | (?:Array[ ])?+\[ ) | (?P<close> [\]}] )
    | (?P<wrap> (?:String|Number|Bool)\( ) | :(?P<symbol> [A-Za-z_]\w*+ ) (?=\s*+=>)
    | (?P<colon> : | => ) | (?P<comma> , ) | (?P<joint> [()+] )
    | (?P<number> -?(?:0|[1-9]\d*+)(?:\.\d++)?+(?:[eE][+-]?\d++)?+ (?![\w.]) )
    | (?P<word> [A-Za-z_$][\w$]*+ )
"""
_BYTES = rb"(?:\\x[89abAB][0-9a-fA-F])"
_ESCAPE = rb"""(?x)
      (?P<utf8> \\x[cCdD][0-9a-fA-F] %b | \\x[eE][0-9a-fA-F] %b{2} | \\x[fF][0-7] %b{3} )
    | \\(?: x(?P<hex>[0-9a-fA-F]{2}) | u(?P<four>[0-9a-fA-F]{4}) | u\{(?P<braced>[0-9a-fA-F]{1,6})\}
          | U(?P<eight>[0-9a-fA-F]{8}) | (?P<end>\r?\n) | (?P<one>(?s:.)) )
    | (?P<quote>") | (?P<control>[\x00-\x1f])
""" % ((_BYTES,) * 3)
_WORDS = {
    b"None": b"null", b"null": b"null", b"nil": b"null", b"Null": b"null",
    b"True": b"true", b"true": b"true", b"False": b"false", b"false": b"false",
}  # fmt: skip
_WORD_OF_PYTHON = rb"[:\[,]\s*+(?:None|True|False)\s*+[,\]}]"
_COMMENT = rb"(?m)(?:^|[,{}\[\]\"\dle])[ \t]*+(?://|/\*|#[ ])"
"""A comment at the beginning of a line, or behind a value or a part of the syntax."""
_SAME_ESCAPES = b'nrtbf\\/"'
_OTHER_ESCAPES = {b"a": b"\\u0007", b"v": b"\\u000b", b"0": b"\\u0000", b"e": b"\\u001b"}
_PAIRS = {ord("{"): b"}", ord("["): b"]"}


def may_hold_literals(data: bytes) -> bool:
    """Return whether bytes may hold a literal of a payload that is no JSON. This takes little time."""
    return re.search(_NAMED, data) is not None and re.search(_START, data) is not None


def begins_with_literal(data: bytes) -> bool:
    """Return whether a text of one or several values begins with a literal that may be of a payload, and is no JSON."""
    return re.match(rb"(?:\xef\xbb\xbf)?[\s\[]*+" + _START, data) is not None and re.search(_NAMED, data) is not None


def literals_in(text: Text) -> Iterator[Text]:
    """Yield the literals in a text that are no JSON, outermost ones alone, each as the text of JSON."""
    position, start = 0, re.compile(_START)
    while match := start.search(text.data, position):
        literal, position = literal_at(text, match.start())
        if literal is not None:
            yield literal


def literal_at(text: Text, start: int) -> tuple[Text | None, int]:
    """Return the JSON that the literal at an offset of a text makes, and the offset at which reading ended.

    The first is ``None`` if no literal begins there, or if it is not complete, or not one that JSON can hold.
    """
    json, segments, end = _translated(text.data, start)
    if json is None or decode_json(json) is None:
        return None, end
    return Text.derived(mask(json), text, segments), end


def whole_literal(text: Text) -> Text | None:
    """Return the JSON that a text makes if all of it is one literal with words of Python or comments, or ``None``.

    The quotes may be those of JSON: people replace the others and leave the words, and explain JSON with comments. The
    literal may be a list.
    """
    if not re.search(_WORD_OF_PYTHON, text.data) and not re.search(_COMMENT, text.data):
        return None
    space = re.compile(_SPACE)
    before = space.match(text.data)
    literal, end = literal_at(text, before.end() if before else 0)
    return literal if space.fullmatch(text.data, end) else None


def string_at(text: Text, start: int) -> tuple[Text | None, int]:
    """Return the string in quotes at an offset of a text as the text of JSON, and where it ends.

    The first is ``None`` if it does not end on its line. In bytes, those of a character in UTF-8
    (``\\xc3\\xa9``) become this character.
    """
    match = re.compile(rb"""'(?:[^'\\\n]|\\[^\n])*+'|"(?:[^"\\\n]|\\[^\n])*+\"""").match(text.data, start)
    if match is None:
        return None, start + 1
    written, segments = bytearray(), SegmentPairs()
    _write_string(written, segments, text.data, start, match.end(), joined=False)
    return Text.derived(mask(bytes(written)), text, segments), match.end()


def _translated(data: bytes, start: int) -> tuple[bytes | None, SegmentPairs, int]:
    """Return the JSON of the literal at an offset with its segments, and where it ends.

    The JSON is ``None`` if something is no part of a literal. Decoding it shows whether it is JSON.
    """
    written, segments = bytearray(), SegmentPairs()
    open_brackets: list[bytes] = []
    tokens, space = re.compile(_TOKEN), re.compile(_SPACE)
    position, last, is_wrapped = start, "", False
    while match := tokens.match(data, position):
        kind, token = match.lastgroup or "", match[0]
        following = space.match(data, match.end())
        position = following.end() if following else match.end()
        if kind == "wrap":
            is_wrapped = True
            continue
        if kind == "joint":
            if not (is_wrapped and token == b")") and (token == b"(") == (last == "string"):
                return None, segments, match.start()
            is_wrapped = False
            continue  # around or between the parts of a string
        if kind == "string" and last == "string":
            del written[-1:]  # the quote behind the part before
        else:
            segments.add(len(written), match.start())
        if kind == "string":
            _write_string(written, segments, data, match.start(), match.end(), joined=last == "string")
        elif kind == "open":
            open_brackets.append(_PAIRS[token[-1]])
            written += token[-1:]
        elif kind == "close":
            if not open_brackets or open_brackets.pop() != token:
                return None, segments, match.start()
            if last == "comma":
                del written[-1:]
            written += token
            if not open_brackets:
                return bytes(written), segments, match.end()
        elif (json := _token_as_json(match, is_key=data.startswith(b":", position))) is not None:
            written += json
        else:
            return None, segments, match.start()
        last = kind
    return None, segments, max(position, start + 1)


def _token_as_json(match: re.Match[bytes], *, is_key: bool) -> bytes | None:
    """Return what a token that is no string and no bracket is in JSON, or ``None`` for a word that no literal has.

    ``is_key`` says that a colon stands behind it.
    """
    kind, token = match.lastgroup, match[0]
    if kind == "symbol":
        return b'"%b"' % match["symbol"]
    if kind == "word":
        return b'"%b"' % token if is_key else _WORDS.get(token)
    return b":" if kind == "colon" else token


def _write_string(
    written: bytearray, segments: SegmentPairs, data: bytes, start: int, end: int, *, joined: bool
) -> None:
    """Write a string with its quotes; ``joined`` says that it goes on with the string before it."""
    if not joined:
        written += b'"'
    for offset, part in substituted(data, _ESCAPE, _escape, start + 1, end - 1):
        segments.add(len(written), offset)
        written += part
    written += b'"'


def _escape(match: re.Match[bytes]) -> bytes:
    """Return what an escape, or a character that JSON escapes, is in JSON."""
    kind = match.lastgroup
    found = match[kind or 0]
    if kind == "utf8":
        data = bytes.fromhex(found.replace(b"\\x", b"").decode())
        return data if data.decode("utf-8", "ignore") else b"".join(b"\\u%04x" % byte for byte in data)
    if kind == "quote":
        return b'\\"'
    if kind == "control":
        return b"\\u%04x" % found[0]
    if kind == "end":
        return b""
    if kind == "one":
        return b"\\" + found if found in _SAME_ESCAPES else _OTHER_ESCAPES.get(found, found)
    code = int(found, 16)
    if code < 0x10000:
        return b"\\u%04x" % code
    return chr(code).encode() if code < 0x110000 else b"\\ufffd"
