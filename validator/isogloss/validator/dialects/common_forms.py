"""Recognise forms of values that are weak or strong evidence, whichever dialect has them.

Common forms are those that libraries make of random numbers, with or without OpenAI's prefixes and often cut to fewer
digits, and those of the ids of other APIs, which gateways keep when they translate an answer. Most unknown servers use
one of these forms, so such a form is weak evidence. So is a property of the usage or of an error that has a name of
OpenAI's Responses API or Anthropic's: whoever offers both APIs, or translates one to the other, may send the names of
both. So is null in a property that only the messages of requests have in OpenAI's API: whoever has one class for all
messages sends it. The empty string is no form at all. A value that holds the name of its speaker is strong evidence: no
unknown server makes it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from isogloss.validator.dialects.model import Deviation, Dialect, Fact, Fingerprint

__all__ = ["is_common", "is_empty", "is_name_from_elsewhere", "is_null", "names_speaker"]

_NAMES_FROM_ELSEWHERE = frozenset({
    "usage.input_tokens", "usage.output_tokens", "usage.input_tokens_details", "usage.output_tokens_details",
    "usage.cache_creation", "usage.cache_creation_input_tokens", "usage.cache_read_input_tokens",
    "usage.server_tool_use",
})  # fmt: skip
"""Paths with names that the usage has in OpenAI's Responses API (``response_usage.py`` of the package ``openai``
3.57.0) or in Anthropic's API (``usage.py`` of the package ``anthropic`` 2.14.0), both read 2026-11."""
_NAMES_IN_REQUESTS = frozenset({
    "choices[].message.name", "choices[].delta.name", "choices[].message.tool_call_id", "choices[].delta.tool_call_id",
})  # fmt: skip
"""Paths in answers with names that only messages of requests have in OpenAI's API."""
_NAMES_IN_ERRORS = frozenset({"type", "request_id"})
"""Paths in errors with names that only errors of Anthropic's API have (``error_response.py`` of the package
``anthropic`` 2.14.0, read 2026-11)."""
_UUID = "3f2b8c1e-9a4d-4e6f-8b2a-1c5d7e9f0a3b"
_HEX = _UUID.replace("-", "")
_LETTERS_AND_DIGITS = "Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXyZ4"
_EXAMPLES = (
    _UUID, _HEX, _HEX[:24], _HEX[:16], _HEX[:10], _LETTERS_AND_DIGITS, "1760000000",
    f"cmpl-{_HEX}", "chatcmpl-123", f"chatcmpl-{_UUID}", f"chatcmpl-{_LETTERS_AND_DIGITS[:29]}",
    f"chatcmpl-{_LETTERS_AND_DIGITS[:24]}", f"chatcmpl_{_HEX[:12]}",
    "call_1", f"call_{_UUID}", f"call_{_LETTERS_AND_DIGITS[:24]}",
    *(f"{prefix}{_HEX[:length]}" for prefix in ("chatcmpl-", "call_") for length in (8, 12, 16, 20, 24, 32)),
    f"fp_{_HEX[:10]}",
    f"msg_{_LETTERS_AND_DIGITS[:24]}", f"toolu_{_LETTERS_AND_DIGITS[:24]}", f"resp_{_HEX}", "aB3_dEf-hIj9kLm2nOp5qRs",
    "gpt-4o", "organisation/model-7b", "chat.completion", "chat.completion.chunk", "text_completion",
)  # fmt: skip


def is_common(fact: Fact) -> bool:
    """Return whether a fact is about a common form, such as a UUID, 32 hexadecimal digits, or `gpt-4o`."""
    return _accepts_an_example(fact.accepts)


@lru_cache(1024)
def _accepts_an_example(accepts: Callable[[object], bool]) -> bool:
    return any(map(accepts, _EXAMPLES))


def is_name_from_elsewhere(fact: Fact) -> bool:
    """Return whether a fact is about a name of another API, or null in a property that messages of requests have."""
    if isinstance(fact, Deviation | Fingerprint) and fact.kinds == {"error"}:
        return fact.at in _NAMES_IN_ERRORS
    return fact.at in _NAMES_FROM_ELSEWHERE or (fact.at in _NAMES_IN_REQUESTS and fact.accepts(None))


@lru_cache(4096)
def is_empty(fact: Fact) -> bool:
    """Return whether a fact is about the empty string alone, which servers write for values that they do not have."""
    return fact.accepts("") and not fact.accepts(_EXAMPLES[0])


def is_null(fact: Fact) -> bool:
    """Return whether a fact is about null alone, which libraries write for values that a server does not have."""
    return fact.schema is not None and fact.schema.get("type") == "null"


@lru_cache(4096)
def names_speaker(dialect: Dialect, fact: Fact) -> bool:
    """Return whether the values that a fact is about hold the name of the dialect, as `fp_ollama` does.

    The name of a model does not count, since any server may run it, unless it is a path in the catalogue of the
    dialect, as `accounts/fireworks/models/` is.
    """
    schema = fact.schema or {}
    text = schema.get("const") or schema.get("pattern")
    if not isinstance(text, str):
        return False
    return f"/{dialect.slug}/" in text if fact.at == "model" else _letters(dialect.slug) in _letters(text)


def _letters(text: str) -> str:
    return re.sub("[^a-z0-9]", "", text.lower())
