"""Check that an answer has what its case is about, such as a tool call. The text that a model writes is not checked.

Each function returns what is missing, or ``None``. A function that compares two answers gets the earlier one first.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from string import ascii_lowercase
from typing import TypeAlias

from isogloss.validator import views
from isogloss.validator.exchange import Exchange, Payload, Stream
from isogloss.validator.streams.fold import fold
from isogloss.validator.streams.trace import Trace

__all__ = [
    "Completion", "completion_of", "expect_limit", "expect_logprobs", "expect_refusal", "expect_same_text",
    "expect_several_bytes", "expect_stop", "expect_tool_call", "expect_two_choices", "expect_two_tool_calls",
    "expect_whole_answer",
]  # fmt: skip

Completion: TypeAlias = views.Json


def completion_of(exchange: Exchange) -> Completion | None:
    """Return the completion in the answer, or the one that its stream folds into; ``None`` if there is neither."""
    body = exchange.response
    if isinstance(body, Stream):
        folded = fold(Trace(body))
        return folded.value if folded is not None else None
    if isinstance(body, Payload) and body.kind == "completion" and isinstance(body.value, dict):
        return body.value
    return None


def _choices(completion: Completion) -> Sequence[views.Choice]:
    return views.Completion(completion).choices


def _call_count(completion: Completion) -> int:
    return max((len(choice.calls) for choice in _choices(completion)), default=0)


def _texts(completion: Completion) -> list[str]:
    return [choice.content for choice in _choices(completion) if choice.content is not None]


_SENTENCE_ENDS = (".", "!", "?", "\N{HORIZONTAL ELLIPSIS}", "\N{IDEOGRAPHIC FULL STOP}")
_VOWELS = frozenset("aeio")
_LETTERS = frozenset(ascii_lowercase)
_MOST_WITHOUT_VOWEL = 6
"""The most lower-case letters that words have in a row without one of the vowels above, as in "rhythm"."""

_CALL_AS_TEXT = re.compile(
    r"<\|?/?(?:tool|function)_?calls?\b|\[TOOL_CALLS\]|<\|python_tag\|>|\"name\"\s*:\s*\"get_weather"
)


def expect_tool_call(completion: Completion) -> str | None:
    """Expect a tool call."""
    if _call_count(completion):
        return None
    texts = [text for text in _texts(completion) if _CALL_AS_TEXT.search(text)]
    return "the answer calls no tool" + ("; its text looks like a call" if texts else "")


def expect_whole_answer(completion: Completion) -> str | None:
    """Expect an answer that ends before the limit of tokens.

    Half of a JSON document need not be JSON, and what ended at the limit did not stop by itself.
    """
    is_cut = any(choice.finish_reason == "length" for choice in _choices(completion))
    return "the answer ended at the limit of tokens" if is_cut else None


def expect_stop(completion: Completion) -> str | None:
    """Expect an answer that a stop sequence ended: in the middle of a sentence, and early."""
    if cut := expect_whole_answer(completion):
        return cut
    texts = _texts(completion)
    if not texts:
        return "the answer has no text"
    for text in texts:
        if text.rstrip().endswith(_SENTENCE_ENDS):
            return "the answer ended by itself: it met no stop sequence, or went on after one"
        if sum(character in _LETTERS for character in text) > _MOST_WITHOUT_VOWEL and not _VOWELS.intersection(text):
            return "the answer may have gone on after a stop sequence"
    return None


def expect_two_tool_calls(completion: Completion) -> str | None:
    """Expect parallel tool calls."""
    return None if _call_count(completion) > 1 else "the answer does not have two calls"


def expect_two_choices(completion: Completion) -> str | None:
    """Expect a second choice."""
    return None if len(_choices(completion)) > 1 else "the answer has no second choice"


def expect_logprobs(completion: Completion) -> str | None:
    """Expect log probabilities."""
    return None if any(choice.logprobs for choice in _choices(completion)) else "the answer has no logprobs"


def expect_limit(completion: Completion) -> str | None:
    """Expect an answer that ends at the limit of tokens."""
    reached = any(choice.finish_reason == "length" for choice in _choices(completion))
    return None if reached else "the answer ended before the limit"


def expect_same_text(earlier: Completion, completion: Completion) -> str | None:
    """Expect the text of the answer before, where both name the same system."""
    system = completion.get("system_fingerprint")
    if not system or system != earlier.get("system_fingerprint") or _texts(earlier) == _texts(completion):
        return None
    return "the texts of the two answers differ, and system_fingerprint is the same"


def expect_refusal(completion: Completion) -> str | None:
    """Expect nothing: a prompt that was meant to be too long was answered, so that no refusal was seen."""
    usage = completion.get("usage")
    token_count = usage.get("prompt_tokens") if isinstance(usage, dict) else None
    return "the prompt was answered" + (f", as one of {token_count:,} tokens" if type(token_count) is int else "")


def expect_several_bytes(completion: Completion) -> str | None:
    """Expect a character that needs several tokens of most tokenizers, such as an emoji."""
    has_wide_character = any(
        ord(character) > 0xFFFF or character == "\N{REPLACEMENT CHARACTER}"
        for text in _texts(completion)
        for character in text
    )
    return None if has_wide_character else "the answer has no character of several tokens"
