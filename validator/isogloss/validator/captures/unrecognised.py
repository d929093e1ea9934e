"""Say why no input format recognises a capture, and what to do about it."""

from __future__ import annotations

import re

from isogloss.validator.captures.capture import FURTHEST, Capture
from isogloss.validator.decode import kind_of_json
from isogloss.validator.exchange import Cause, Why
from isogloss.validator.text import Text

__all__ = ["why_unrecognised"]

_SQLITE = b"SQLite format 3\0"
_LFS_POINTER = b"version https://git-lfs.github.com/spec/"
"""How a file begins that Git LFS did not fetch (https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md)."""
_NOT_READ = {
    rb"# serializer version: \d": "a snapshot of syrupy",
}
"""How captures begin of recorders that are known, and not read: of them, too little traffic is known."""
_OF_TRACE = rb"(?:[\d:.]{8,20} )?(?:== Info: |=> Send )"
_TRACE = Why(
    "the output of curl --trace-ascii, in which dots stand in the place of line ends and other characters:"
    " curl --trace, curl -v and curl -i write all of them"
)
_STRINGS = Why(
    "strings as JSON, and no payloads: payloads are objects", advice="write what the strings hold, as jq -r . FILE does"
)
_STRING = rb'"(?:[^"\\\n]|\\.)*+"[ \t\r]*(?:\n|\Z)'
_OF_CALLS = rb"/chat/completions\b|\bopenai\._base_client\b"
_CALLS = Why(
    "names requests to Chat Completions, and holds none of their answers",
    Cause.NOTHING,
    "record the bodies: with a cassette or an event hook of the client (docs/ci.md), or with a proxy (docs/proxy.md)",
)
_OF_CHAT = rb"chat\.completion|/chat/completions"
_FENCE = rb"(?m)^[ \t]{0,40}```"
_FENCED = Why(
    "a text with blocks of code, as a page has them: a body in it may be an example",
    Cause.NOTHING,
    "isogloss check --input-format markdown reads it as a page",
)
_SAVE_THE_BODY = (
    "save the JSON or the events of a body in a file of its own:"
    " isogloss reads recordings (docs/formats.md), and no program code or prose"
)
_PROGRAMS = (
    ".c", ".cc", ".clj", ".cljs", ".cpp", ".cs", ".dart", ".erl", ".ex", ".exs", ".fs", ".go", ".groovy", ".h", ".hs",
    ".java", ".jl", ".js", ".jsx", ".kt", ".kts", ".lua", ".mjs", ".mts", ".php", ".phpt", ".pl", ".ps1", ".py", ".rb",
    ".rs", ".scala", ".sh", ".svelte", ".swift", ".ts", ".tsx", ".vue", ".zig",
)  # fmt: skip
"""The endings of names of program code."""
_OF_PAYLOAD = rb"chat[./]completion|\bchoices\b|\bmessages\b"
_WRITE_AS_JSON = (
    "let the program write the payload as JSON into a file (json.dumps, JSON.stringify), or check it in a test"
    " (docs/ci.md): isogloss reads recordings"
)
_MAY_HOLD_PAYLOAD = rb"""["'](?:choices|messages)["']\s{0,99}:\s{0,99}\["""
_PAYLOADS = Why(
    "holds payloads of Chat Completions in a layout that is not read",
    advice="isogloss check --input-format log reads those that are JSON as a whole",
)
_ESCAPED = rb"&(?:quot|\#34);choices&(?:quot|\#34);\s{0,99}:"
_IN_MARKUP = Why("holds answers as escaped text of XML or HTML, which is not read", advice=_SAVE_THE_BODY)
_NOT_IN_ITS_BEGINNING = (
    f"no input format recognises its first {FURTHEST >> 20} MiB; isogloss check --input-format NAME reads all of it"
)
_READ_ALL = (
    "isogloss check --input-format log, or another format of docs/formats.md; or cut off what precedes the traffic"
)


def why_unrecognised(capture: Capture) -> Why:
    """Return the reason why no format reads a capture, in words for a reader."""
    if capture.whole_head and not capture.start.strip():
        return Why("empty", Cause.OTHER)
    if capture.head.startswith(_SQLITE):
        return Why("not text, but a database of SQLite: write its rows as text (sqlite3 FILE .dump)", Cause.OTHER)
    if capture.head.startswith(_LFS_POINTER):
        return Why("a pointer of Git LFS in place of the file: fetch it (git lfs pull)")
    if capture.is_binary:
        return Why("not text", Cause.OTHER, _SAVE_THE_BODY)
    if (name := _known_recorder(capture)) is not None:
        return Why(f"{name} with Chat Completions, which is not read", advice=_SAVE_THE_BODY)
    if capture.has_ending(_PROGRAMS) and re.search(_OF_PAYLOAD, capture.head):
        return Why("program code, in which payloads are not read", Cause.NOTHING, _WRITE_AS_JSON)
    if re.match(_OF_TRACE, capture.start) and re.search(_OF_CHAT, capture.head):
        return _TRACE
    if re.match(_STRING, capture.start) and re.search(_OF_PAYLOAD, capture.head):
        return _STRINGS
    if (scalar := _scalar(capture)) is not None:
        return Why(f"{scalar} as JSON, and no payload: payloads are objects", Cause.OTHER)
    if capture.is_longer_than_searched:
        return Why(_NOT_IN_ITS_BEGINNING, advice=_READ_ALL)
    if capture.is_called_like_text and re.search(_OF_CALLS, capture.head) and b"choices" not in capture.head:
        return _CALLS
    if capture.is_called_like_text and re.search(_OF_CHAT, capture.head) and re.search(_FENCE, capture.head):
        return _FENCED
    if re.search(_ESCAPED, capture.head):
        return _IN_MARKUP
    if re.search(_MAY_HOLD_PAYLOAD, capture.head) and _holds_payload(capture):
        return _PAYLOADS
    return Why("not a capture: no input format recognises it", Cause.NOTHING, _SAVE_THE_BODY)


def _holds_payload(capture: Capture) -> bool:
    """Return whether a whole payload stands somewhere in the beginning of a text, as bodies stand in logs."""
    from isogloss.validator.captures.bodies import objects, over_lines  # hardly any such text has a payload

    lines = (Text(line, number) for number, line in enumerate(capture.start.split(b"\n"), 1))
    found = over_lines.found_in(lines, objects.objects_in, lambda _: False)
    return any(kind_of_json(one.data) is not None for one in found)


def _known_recorder(capture: Capture) -> str | None:
    """Name what a recorder wrote whose captures are not read, if it holds traffic of Chat Completions."""
    name = next((name for begins, name in _NOT_READ.items() if re.match(begins, capture.start)), None)
    return name if name is not None and re.search(_OF_CHAT, capture.head) else None


def _scalar(capture: Capture) -> str | None:
    """Return what the whole capture is, in words for a reader, if it is JSON without an object or array."""
    if not capture.whole_head or not capture.document.sound:
        return None
    value = capture.document.value
    if isinstance(value, bool | None):
        return "null" if value is None else "a boolean"
    return "a string" if isinstance(value, str) else "a number" if isinstance(value, int | float) else None
