"""The texts of an answer, and what tells text that a server let slip from text that speaks of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

import orjson

from isogloss.validator.pointer import Pointer
from isogloss.validator.views import Call, Choice, Completion, Json, Request

__all__ = [
    "REASONING",
    "Text",
    "argument_texts",
    "mentions",
    "parsed",
    "reasoning_of",
    "strings",
    "texts",
    "without_code",
]

REASONING = ("reasoning_content", "reasoning")
"""Vendors' names for the text of a model's reasoning."""

_CODE = r"(?s)```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|``[^\n]*?``|`[^`\n]*`"
_MOST_STRINGS = 1000
_SPOKEN = frozenset({"system", "developer", "user", "tool", "function"})


class Text(NamedTuple):
    """A text of a choice: what it is (``content`` or a name of reasoning), where it stands, and the choice."""

    name: str
    text: str
    at: Pointer
    choice: Choice


def texts(completion: Completion) -> Iterator[Text]:
    """Yield the content and the reasoning of each choice that has them."""
    for choice in completion.choices:
        if choice.content:
            yield Text("content", choice.content, (*choice.at, "message", "content"), choice)
        for name in REASONING:
            text = choice.message.get(name)
            if text and isinstance(text, str):
                yield Text(name, text, (*choice.at, "message", name), choice)


def argument_texts(choice: Choice) -> Iterator[tuple[Call, str]]:
    """Yield each function call of a choice that has arguments, with the text of the arguments."""
    for call in choice.called:
        if call.arguments and call.type == "function":
            yield call, call.arguments


def without_code(text: str) -> str:
    """Return the text with spaces in place of code fences and inline code. Other characters keep their positions."""
    return re.sub(_CODE, lambda found: " " * len(found[0]), text) if "`" in text or "~~~" in text else text


def mentions(request: Request | None, word: str) -> bool:
    """Return whether the request mentions a word: in a prompt, in a message of the user, or in the result of a tool."""
    if request is None:
        return False
    return any(
        word in text for message in request.messages if message.role in _SPOKEN for text in _texts_of(message.content)
    )


def _texts_of(content: object) -> Iterator[str]:
    if isinstance(content, str):
        yield content
    elif isinstance(content, list):
        for part in content:
            if isinstance(part, dict) and isinstance(text := part.get("text"), str):
                yield text


def parsed(text: str) -> object:
    """Return the JSON value of a text, or ``None`` if the text is not JSON."""
    try:
        return orjson.loads(text.encode("utf-8", "surrogatepass"))
    except orjson.JSONDecodeError:
        return None


def strings(value: object) -> Iterator[str]:
    """Yield the strings in a JSON value, but not the names of properties. At most ``_MOST_STRINGS`` are yielded."""
    waiting, found = [value], 0
    while waiting and found < _MOST_STRINGS:
        part = waiting.pop()
        if isinstance(part, str):
            found += 1
            yield part
        elif isinstance(part, dict):
            waiting.extend(part.values())
        elif isinstance(part, list):
            waiting.extend(part)


def reasoning_of(message: Json) -> str:
    """Return the text of a message's reasoning, or an empty string if it has none."""
    return next((text for name in REASONING if isinstance(text := message.get(name), str) and text.strip()), "")
