"""Make a JSON value smaller, place by place: properties of all items at once, then items, properties and texts.

``bytes`` in a value are text that is kept as it is: JSON with faults, or a block of an event stream.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from isogloss.validator.decode import decode_json
from isogloss.validator.reducing.ddmin import fewest
from isogloss.validator.reducing.neutral import in_place_of, known_words, same_shape

__all__ = ["compact", "neutralised", "shrunk", "without_columns", "without_what_was_asked"]

Holds: TypeAlias = Callable[[Any], bool]
Path: TypeAlias = tuple[str | None, ...]
"""The names to a property, ``None`` for every index."""

_MEMBERS = re.compile(r',?"[^"\\]*":(?:"[^"\\]*"|[\w.+-]+)|.', re.DOTALL)
_TOKENS = re.compile(r'"[^"\\]*"|\w+|\s+|.', re.DOTALL)
_WORDS = re.compile(r"\w+|\s+|.", re.DOTALL)
_LAST_EVENTS = 4
"""Events among which is what a request asked for and the finding does not need: the usage is in one of the last."""
_DISTINCT = 4
"""Characters from which on a value is looked for in text that is kept as it is."""
_DONE = b"data: [DONE]\n\n"
_MOST_TOKENS = 2_000
_LONGEST_KEPT = 24
"""Characters of a text that no neutral word may replace, up to which it is not taken to pieces."""


def compact(value: object) -> bytes:
    """A value as JSON without spaces. Raises ``UnicodeEncodeError`` for half a character, which no JSON has."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def without_columns(value: Any, holds: Holds) -> Any:
    """The value without the properties that can be left out of all items of an array at once: of all chunks."""
    for path in sorted(_paths(value), key=len):
        if holds(rest := _without(value, path)):
            value = rest
    return value


def without_what_was_asked(members: dict[str, Any], holds: Holds) -> dict[str, Any]:
    """The members of a sketch without what a request asks for and the answer has only therefore: both go at once."""
    asked = members.get("request")
    if not isinstance(asked, dict):
        return members
    for name in asked:
        rest = {**members, "request": {key: one for key, one in members["request"].items() if key != name}}
        if (fewer := next(filter(holds, _with_less_answer(rest)), None)) is not None:
            members = fewer
    return members


def _with_less_answer(members: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for name in ("sse", "chunks"):
        events = members.get(name, [])
        for number in list(reversed(range(len(events))))[:_LAST_EVENTS]:
            yield {**members, name: [*events[:number], *events[number + 1 :]]}
    for path in sorted(_paths({name: one for name, one in members.items() if name != "request"}), key=len):
        if len(path) > 1:
            yield _without(members, path)


def _paths(value: object, at: Path = ()) -> dict[Path, None]:
    found: dict[Path, None] = {}
    if isinstance(value, dict):
        for name, one in value.items():
            found[(*at, name)] = None
            found |= _paths(one, (*at, name))
    elif isinstance(value, list):
        for one in value:
            found |= _paths(one, (*at, None))
    return found


def _without(value: Any, path: Path) -> Any:
    step, rest = path[0], path[1:]
    if step is None:
        return [_without(one, rest) for one in value] if isinstance(value, list) else value
    if not isinstance(value, dict) or step not in value:
        return value
    if not rest:
        return {name: one for name, one in value.items() if name != step}
    return {**value, step: _without(value[step], rest)}


def shrunk(value: Any, holds: Holds) -> Any:
    """The value with as few items and properties as it can have, and with texts that are no longer than they must."""
    if isinstance(value, list):
        value = fewest(value, holds)
        for number in range(len(value)):
            value = [*value[:number], _inner(value, number, holds), *value[number + 1 :]]
    elif isinstance(value, dict):
        value = dict(fewest(list(value.items()), lambda items: holds(dict(items))))
        for name in list(value):
            value = {**value, name: _inner(value, name, holds)}
    elif isinstance(value, bytes):
        value = _verbatim(value, holds)
    elif isinstance(value, str):
        value = _text(value, holds)
    return value


def _inner(value: Any, step: Any, holds: Holds) -> Any:
    """What is left of a part of a value when all else stays."""
    if isinstance(value, list):
        return shrunk(value[step], lambda one: holds([*value[:step], one, *value[step + 1 :]]))
    return shrunk(value[step], lambda one: holds({**value, step: one}))


def _verbatim(text: bytes, holds: Holds) -> Any:
    """Less of a text that is kept as it is, or the JSON that it holds, where that does."""
    if text == _DONE:
        return text
    decoded = decode_json(text.removeprefix(b"data:").strip())
    if decoded is not None and decoded.sound and isinstance(decoded.value, dict) and holds(decoded.value):
        return shrunk(decoded.value, holds)
    lines = fewest(text.splitlines(keepends=True), lambda some: holds(b"".join(some)))
    text = b"".join(lines)
    shorter = text.decode("utf-8", "surrogateescape")
    for pieces in (_MEMBERS, _TOKENS):
        shorter = _pieces(shorter, pieces, lambda one: holds(one.encode("utf-8", "surrogateescape")))
    return shorter.encode("utf-8", "surrogateescape")


def _text(text: str, holds: Holds) -> str:
    """A text that is as short as it can be. JSON in it, such as the arguments of a call, stays JSON.

    What a text says twice is made shorter twice.
    """
    half = text[: len(text) // 2]
    if text and text == half + half:
        half = _text(half, lambda one: holds(one + one))
        return half + half
    decoded = decode_json(text.encode("utf-8", "surrogatepass")) if text[:1] in ("{", "[") else None
    if decoded is not None and decoded.sound and isinstance(decoded.value, dict | list):

        def spelt(value: Any) -> str:
            return compact(value).decode()

        value = shrunk(decoded.value, lambda one: holds(spelt(one)))
        value = neutralised(value, lambda one: holds(spelt(one)))
        return spelt(value) if holds(spelt(value)) else text
    if text in known_words() or len(text) <= _LONGEST_KEPT:
        return text
    return _pieces(text, _WORDS, holds)


def _pieces(text: str, kind: re.Pattern[str], holds: Callable[[str], bool]) -> str:
    """Fewer pieces of a kind, and other words in place of those that are left."""
    pieces = kind.findall(text)
    if len(pieces) <= _MOST_TOKENS:
        pieces = fewest(pieces, lambda some: holds("".join(some)))
        for number, piece in enumerate(pieces):
            other = same_shape(piece)
            if other != piece and holds("".join([*pieces[:number], other, *pieces[number + 1 :]])):
                pieces[number] = other
    return "".join(pieces)


def neutralised(value: Any, holds: Holds, keep: frozenset[str] = frozenset()) -> Any:
    """The value with neutral words and small numbers in place of its own; the same text becomes the same everywhere.

    The words of the reference stay, and those of ``keep``.
    """
    known = known_words() | keep
    for name, old in dict.fromkeys(_leaves(value, "")):
        others = in_place_of(old, name) if isinstance(old, str) and old not in known else _numbers(old)
        for other in others:
            if holds(changed := _replaced(value, old, other)):
                value = changed
                break
    for name in [one for one in dict.fromkeys(_names(value)) if one not in known]:
        for other in in_place_of(name, ""):
            if holds(changed := _renamed(value, name, other)):
                value = changed
                break
    return value


def _numbers(old: object) -> Iterator[int | float]:
    if type(old) is int:
        yield from (small for small in (1, 0, 2) if len(str(small)) < len(str(old)))
    elif type(old) is float:
        yield from (small for small in (0.0, 0.5) if len(repr(small)) < len(repr(old)))


def _leaves(value: object, name: str) -> Iterator[tuple[str, object]]:
    if isinstance(value, dict):
        for key, one in value.items():
            yield from _leaves(one, key)
    elif isinstance(value, list):
        for one in value:
            yield from _leaves(one, name)
    elif isinstance(value, str) or type(value) in (int, float):
        yield name, value


def _names(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        yield from value
    for one in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _names(one)


def _replaced(value: Any, old: object, other: object) -> Any:
    if isinstance(value, dict):
        return {name: _replaced(one, old, other) for name, one in value.items()}
    if isinstance(value, list):
        return [_replaced(one, old, other) for one in value]
    if isinstance(value, bytes) and len(str(old)) >= _DISTINCT:
        return value.replace(compact(old), compact(other))
    return other if type(value) is type(old) and value == old else value


def _renamed(value: Any, old: str, other: str) -> Any:
    """The value with another name for a property, also where the name is said in a text: `required` has some."""
    if isinstance(value, dict):
        return {other if name == old else name: _renamed(one, old, other) for name, one in value.items()}
    if isinstance(value, list):
        return [_renamed(one, old, other) for one in value]
    return other if value == old else value
