"""Give a better reason for skipping a capture in which nothing was read, if it names Chat Completions.

If its first record holds an answer somewhere, the reason says which ``--columns`` read it. If it names the URL, the
reason says that the layout of the capture is not read, and names its properties. From this, a reader sees which layout
it is, and can tell isogloss where the request and the answer stand. If it holds answers as Python prints its objects,
or of which Node.js prints a part, the reason says how to print them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Set
from itertools import chain

from msgspec.structs import replace

from isogloss.validator.captures.capture import PAGES, Capture
from isogloss.validator.captures.traffic import NEITHER
from isogloss.validator.decode import decode
from isogloss.validator.exchange import Cause, Exchange, Skipped, Why
from isogloss.validator.kinds import SAY_WHERE, why_no_payload
from isogloss.validator.quoting import quote_name as quoted
from isogloss.validator.secrets import mask_text

__all__ = ["explain_skipped"]

_PATH = b"/chat/completions"
_KEY_OF_URL = rb"""["']?\w{0,30}(?:url|uri|path|endpoint|target)["']?"""
_URL_OF_CHAT = rb"""["']?[^\s"']{0,300}/chat/completions(?:\?[^\s"']{0,300})?["']?"""
_IN_JSON = rb"(?i)" + _KEY_OF_URL + rb"\s{0,9}:\s{0,9}" + _URL_OF_CHAT + rb"\s{0,9}(?:[,}\]]|\Z)"
_IN_YAML = rb"(?im)^(?: {0,30}- {1,9}| {0,30})" + _KEY_OF_URL + rb": {1,9}" + _URL_OF_CHAT + rb"[ \r]{0,9}$"
_OF_RECORDS = (
    rb"(?i)\b(?:[a-z]{1,20}_?)?(?:response|reply|answer|completion|received|result|output|event|chunk)s?"
    rb"(?:_?(?:body|text|data|json|payload|code|status))?[\"']?\s{0,9}:"
    rb"|\b(?:status(?:_?code)?|choices|messages|method|body\w{0,20})[\"']?\s{0,9}:"
)
"""A property that records have, and that a configuration with the URL hardly has."""
_BEGINS_AS_YAML = rb"(?:\s|---|#[^\n]*\n){0,100}(?:- |[\w.-]{1,60}:\s)"
"""How text in YAML begins. Source code, which has URLs too, begins with a comment or with an import."""
_KEY = rb"""(?m)^(?:- )?["']?([\w.-]{1,60})["']?:(?=\s)"""
_PRINTED_BY_PYTHON = rb"'object': 'chat\.completion|\bChatCompletion(?:Chunk)?\(id="
_TABLES = (".csv", ".tsv")
_OF_SKIPPED_RECORDS = frozenset({why_no_payload(None), NEITHER})
"""Why records are skipped. Other formats have reasons of their own, and do not read columns."""
_AS_PYTHON = Why(
    "holds answers as Python prints its objects, which is no JSON:"
    " print them with json.dumps(), or objects of the openai package with model_dump_json()"
)
_PRINTED_BY_NODE = rb"\b(?:choices|messages): (?:\[Array\]|\[\s{1,40}\[Object\])|\b(?:message|delta): \[Object\]"
_AS_NODE = Why("holds payloads as Node.js prints them, with parts left out: print them with JSON.stringify()")
_CHAT = b"chat.completion"
_PRINTED_WITHOUT_TYPES = rb"""(?x) \[object\][ ]=>[ ]chat\.completion         # print_r of PHP
    | (?m:^)[^\n]{0,9}\$[ ]object[ ]*:[ ]chr[ ]"chat\.completion           # str of R
    | (?m:^)object[ ]{1,40}:[ ]chat\.completion(?:\.chunk)?[ \t\r]*(?m:$)       # a list of PowerShell
    | \bmap\[[^\n]{0,4000}\bobject:chat\.completion                        # a map of Go
"""
_WITHOUT_TYPES = Why(
    "holds answers as a program prints them without the types of their values: write them as JSON"
    " (json_encode in PHP, ConvertTo-Json -Depth 9 in PowerShell, json.Marshal in Go)"
)
_PLAIN_PATH = r"[\w.@/-]{1,200}"
"""A path that needs no quotes as part of an option."""
_MOST_NAMES = 8
_MOST_HELD_BACK = 100
"""How many skipped parts before the first exchange are held back, at most."""


def explain_skipped(capture: Capture, found: Iterable[Exchange | Skipped]) -> Iterator[Exchange | Skipped]:
    """Return what was found in a capture, with a better reason for what was skipped if there is no exchange.

    There is a better reason for records that hold answers. There is another for a capture that names the URL of Chat
    Completions and has a property like those of records; without one, it may be the configuration of a program. A
    better reason replaces only reasons that say no more than that there is no traffic of Chat Completions. If more than
    ``_MOST_HELD_BACK`` parts were skipped, only the reason for records is given: it is true whatever follows. An empty
    result becomes one skipped part.
    """
    held_back: list[Skipped] = []
    remaining = iter(found)
    for item in remaining:
        if not isinstance(item, Skipped):
            return chain(held_back, [item], remaining)
        if len(held_back) == _MOST_HELD_BACK:
            rest = chain(held_back, [item], remaining)
            return rest if (why := _columns(capture, held_back)) is None else _explained(rest, why, {Cause.NOTHING})
        held_back.append(item)
    if not held_back:
        held_back.append(Skipped(file=capture.name, why=Why("nothing is recorded in it", Cause.OTHER)))
    is_page = capture.has_ending(PAGES)
    causes = {item.why.cause for item in held_back} & {Cause.NOTHING, Cause.FAULTY, *([Cause.OTHER] if is_page else [])}
    if causes and (printed := _printed(capture)) is not None:
        return _explained(held_back, printed, causes)  # such objects have faults as JSON, too
    if Cause.NOTHING not in causes or any(item.unread for item in held_back):
        return iter(held_back)
    if (why := _columns(capture, held_back)) is not None:
        return _explained(held_back, why, {Cause.NOTHING})
    return _with_layout(capture, held_back)


def _explained(found: Iterable[Exchange | Skipped], why: Why, causes: Set[Cause]) -> Iterator[Exchange | Skipped]:
    """Yield what was found, with another reason for what was skipped for one of these causes."""
    for item in found:
        yield replace(item, why=why) if isinstance(item, Skipped) and item.why.cause in causes else item


def _printed(capture: Capture) -> Why | None:
    """Return the reason for a capture with what a program printed in a form that is not read, or else ``None``."""
    is_output = capture.is_called_like_text or capture.has_ending(PAGES)
    if is_output and _CHAT in capture.head and re.search(_PRINTED_WITHOUT_TYPES, capture.head):
        return _WITHOUT_TYPES
    if not (capture.is_called_like_text or capture.begins_as_json or capture.has_ending(_TABLES)):
        return None  # it may be a program
    if re.search(_PRINTED_BY_PYTHON, capture.head):
        return _AS_PYTHON
    return _AS_NODE if re.search(_PRINTED_BY_NODE, capture.head) else None


def _columns(capture: Capture, skipped: Iterable[Skipped]) -> Why | None:
    """Return the reason that names the paths at which the first record holds an answer and its request, or ``None``.

    There is none unless something was skipped for a reason that records have. An answer without a request may be an
    example, unless it is one of several records. Then the reason says so.
    """
    if (
        not capture.begins_as_json
        or b"choices" not in capture.head
        or _OF_SKIPPED_RECORDS.isdisjoint(item.why for item in skipped)
    ):
        return None
    line, _, rest = capture.start.partition(b"\n")
    decoded = decode(line)
    value = decoded.value if decoded.sound else decode(capture.head).value
    record = value[0] if isinstance(value, list) and value else value
    is_one_of_several = record is not value or (decoded.sound and rest.strip() != b"")

    from isogloss.validator.captures.structures.objects.suggested import body_paths

    paths = body_paths(record)
    if "response" not in paths:
        return None
    if not all(re.fullmatch(_PLAIN_PATH, path) and mask_text(path) == path for path in paths.values()):
        return None
    bodies = {"request": "a request", "response": "an answer"}
    held = " and ".join(f"{bodies[part]} at {paths[part]}" for part in bodies if part in paths)
    columns = ",".join(f"{part}={paths[part]}" for part in bodies if part in paths)
    example = "" if is_one_of_several or "request" in paths else ", which may be an example"
    return Why(f"a record with {held}{example}: isogloss check --columns {columns} reads it")


def _with_layout(capture: Capture, skipped: list[Skipped]) -> Iterator[Exchange | Skipped]:
    """Return what was skipped, with the reason of an unknown layout if the capture names the URL.

    If each item of a list was skipped by itself, only those items have this reason that name the URL.
    """
    items = _items(capture) if _PATH in capture.head else []
    if 1 < len(items) == len(skipped):
        naming = [_PATH.decode() in str(item) for item in items]
        why = _better_reason(capture, items[naming.index(True)]) if any(naming) else None
        if why is None:
            return iter(skipped)
        return chain.from_iterable(
            _explained([part], why, {Cause.NOTHING} if names else set())
            for part, names in zip(skipped, naming, strict=True)
        )
    why = _better_reason(capture, items[0] if items else None)
    return iter(skipped) if why is None else _explained(skipped, why, {Cause.NOTHING})


def _items(capture: Capture) -> list[object]:
    """Return the items of a list in JSON, any other value in JSON as the only item, or nothing."""
    if not capture.begins_as_json:
        return []
    value = capture.document.value if capture.whole_head else decode(capture.head).value
    return value if isinstance(value, list) else [value]


def _better_reason(capture: Capture, record: object) -> Why | None:
    """Return the better reason for a capture that names the URL, or ``None`` for any other capture.

    ``record`` is the record in JSON whose properties the reason names. If no body is in it, no path leads to one.
    """
    if capture.is_binary or _PATH not in capture.head:
        return None  # most files do not contain the path; to search for it is far faster than the expressions
    if not capture.begins_as_json and not re.match(_BEGINS_AS_YAML, capture.start):
        return None
    if not re.search(_OF_RECORDS, capture.head):
        return None
    if not re.search(_IN_JSON if capture.begins_as_json else _IN_YAML, capture.head):
        return None
    names = _properties(capture, record)
    shown_names = [quoted(mask_text(name)) for name in names[:_MOST_NAMES]] + ["…"] * (len(names) > _MOST_NAMES)
    properties = f": its properties are {', '.join(shown_names)}" if names else ""
    words = f"names the URL of /chat/completions, in a layout that is not read{properties}"
    return Why(words, advice=f"isogloss check {SAY_WHERE}" if _holds_body(record) else "")


def _holds_body(record: object) -> bool:
    """Return whether a record holds a request or an answer, whose path somebody can name."""
    from isogloss.validator.captures.structures.objects.suggested import body_paths

    return bool(body_paths(record))


def _properties(capture: Capture, record: object) -> list[str]:
    """Return the names of the properties of the record, or of the outermost ones of a capture in YAML, in order."""
    if capture.begins_as_json:
        return list(record) if isinstance(record, dict) else []
    return list(dict.fromkeys(key.decode("utf-8", "replace") for key in re.findall(_KEY, capture.head)))
