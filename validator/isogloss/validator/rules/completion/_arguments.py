"""The arguments of a completion's function calls, parsed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import orjson

from isogloss.validator.pointer import Pointer
from isogloss.validator.views import Completion, string

__all__ = ["Parsed", "parsed_arguments"]

_WHOLE = frozenset({"stop", "tool_calls", "function_call"})
"""The finish reasons after which arguments are complete; after any other, and without one, they may be cut."""


class Parsed(NamedTuple):
    """The JSON value that arguments hold."""

    value: object


def parsed_arguments(completion: Completion) -> Iterator[tuple[Pointer, str, Parsed | None]]:
    """Place, text and value of the arguments of each function call that is whole; ``None`` for what is not JSON."""
    for choice in completion.choices:
        if choice.finish_reason not in _WHOLE:
            continue
        texts = [(call.arguments_at, call.arguments) for call in choice.calls if call.type == "function"]
        if choice.function_call is not None:
            at = (*choice.at, "message", "function_call", "arguments")
            texts.append((at, string(choice.function_call.get("arguments"))))
        for at, text in texts:
            if text is not None:
                yield at, text, _parse(text)


def _parse(text: str) -> Parsed | None:
    try:
        return Parsed(orjson.loads(text.encode("utf-8", "surrogatepass")))
    except orjson.JSONDecodeError:
        return None
