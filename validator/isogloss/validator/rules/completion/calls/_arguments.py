"""Find the complete function calls of a completion, with the text of their arguments."""

from __future__ import annotations

from collections.abc import Iterator

import orjson

from isogloss.validator.views import Call, Completion

__all__ = ["fault_position", "whole_calls"]

_COMPLETE = frozenset({"stop", "tool_calls", "function_call"})
"""The finish reasons of choices whose arguments are complete. With any other, or with none, they may be cut."""


def whole_calls(completion: Completion) -> Iterator[tuple[Call, str]]:
    """Yield each complete function call that has arguments, with the text of the arguments."""
    for choice in completion.choices:
        if choice.finish_reason in _COMPLETE:
            for call in choice.called:
                if call.arguments is not None and call.type == "function":
                    yield call, call.arguments


def fault_position(text: str) -> int | None:
    """Return the position of the character at which a text stops being JSON, or ``None`` if it is JSON."""
    try:
        orjson.loads(text.encode("utf-8", "surrogatepass"))
    except orjson.JSONDecodeError as error:
        return max(0, min(error.pos, len(text) - 1))
    return None
