"""The arguments of a completion's function calls, parsed."""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.views import Call, Completion

__all__ = ["whole_calls"]

_WHOLE = frozenset({"stop", "tool_calls", "function_call"})
"""The finish reasons after which arguments are complete; after any other, and without one, they may be cut."""


def whole_calls(completion: Completion) -> Iterator[tuple[Call, str]]:
    """Each function call that is whole and has arguments, with their text."""
    for choice in completion.choices:
        if choice.finish_reason in _WHOLE:
            for call in choice.called:
                if call.arguments is not None and call.type == "function":
                    yield call, call.arguments
