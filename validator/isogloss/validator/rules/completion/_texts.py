"""Find the texts of an answer.

Rules that look for markup also need to know which texts only mention it: text in code, and words of the request.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

import orjson
from msgspec import Struct

from isogloss.validator.nesting import values_in
from isogloss.validator.pointer import Pointer
from isogloss.validator.views import Call, Choice, Completion, Json, Request

__all__ = [
    "REASONING", "ChoiceText", "argument_texts", "mentions", "parse_json", "reasoning_of", "strings", "texts",
    "without_code",
]  # fmt: skip

REASONING = ("reasoning_content", "reasoning")
"""Vendors' names for the text of a model's reasoning."""

_CODE = r"(?s)```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|``[^\n]*?``|`[^`\n]*`"
_MOST_STRINGS = 1000


class ChoiceText(Struct, frozen=True):
    """A text of a choice, with the name of its property (``content`` or one of ``REASONING``) and its pointer."""

    name: str
    text: str
    at: Pointer
    choice: Choice


def texts(completion: Completion) -> Iterator[ChoiceText]:
    """Yield the content and the reasoning of each choice that has them."""
    for choice in completion.choices:
        if choice.content:
            yield ChoiceText("content", choice.content, (*choice.at, "message", "content"), choice)
        for name in REASONING:
            text = choice.message.get(name)
            if text and isinstance(text, str):
                yield ChoiceText(name, text, (*choice.at, "message", name), choice)


def argument_texts(completion: Completion) -> Iterator[tuple[Call, str]]:
    """Yield each function call of a completion that has arguments, with the text of the arguments."""
    for choice in completion.choices:
        for call in choice.called:
            if call.arguments and call.type == "function":
                yield call, call.arguments


def without_code(text: str) -> str:
    """Return the text with spaces in place of code fences and inline code. Other characters keep their positions."""
    return re.sub(_CODE, lambda code: " " * len(code[0]), text) if "`" in text or "~~~" in text else text


def mentions(request: Request | None, word: str) -> bool:
    """Return whether the request mentions a word: in a prompt, in a message of the user, or in the result of a tool."""
    return request is not None and word in request.prompt_text


def parse_json(text: str) -> object:
    """Return the JSON value of a text, or ``None`` if the text is not JSON."""
    try:
        return orjson.loads(text.encode("utf-8", "surrogatepass"))
    except orjson.JSONDecodeError:
        return None


def strings(value: object) -> Iterator[str]:
    """Return the strings in a JSON value, but not the names of properties: at most ``_MOST_STRINGS`` of them."""
    return islice((one for one in values_in(value) if isinstance(one, str)), _MOST_STRINGS)


def reasoning_of(message: Json) -> str:
    """Return the text of a message's reasoning, or an empty string if it has none."""
    return next((text for name in REASONING if isinstance(text := message.get(name), str) and text.strip()), "")
