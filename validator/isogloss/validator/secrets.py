"""Key-like strings, found and masked where a capture is read, so that nothing behind it can leak them.

The shapes are the documented prefixes of API keys; what merely is long and random is left alone, since ids are too.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any, TypeVar, cast

import ahocorasick_rs

__all__ = ["mask", "masked", "unescaped_masked"]

_SHAPES = (
    ("sk-", r"[A-Za-z0-9_-]{16,}"),  # OpenAI, Anthropic (sk-ant-), OpenRouter (sk-or-), DeepSeek and most others
    ("gsk_", r"[A-Za-z0-9]{20,}"),  # Groq
    ("xai-", r"[A-Za-z0-9]{20,}"),  # xAI
    ("pplx-", r"[A-Za-z0-9]{20,}"),  # Perplexity
    ("csk-", r"[A-Za-z0-9]{20,}"),  # Cerebras
    ("fw_", r"[A-Za-z0-9]{20,}"),  # Fireworks
    ("hf_", r"[A-Za-z0-9]{20,}"),  # Hugging Face
    ("r8_", r"[A-Za-z0-9]{30,}"),  # Replicate
    ("tgp_v1_", r"[A-Za-z0-9_-]{20,}"),  # Together
    ("nvapi-", r"[A-Za-z0-9_-]{20,}"),  # NVIDIA
    ("AIza", r"[A-Za-z0-9_-]{30,}"),  # Google
    ("AKIA", r"[A-Z0-9]{16}"),  # AWS access key id
    ("ABSK", r"[A-Za-z0-9+/]{40,}={0,2}"),  # AWS Bedrock API key
    ("ghp_", r"[A-Za-z0-9]{30,}"),  # GitHub, personal
    ("github_pat_", r"[A-Za-z0-9_]{30,}"),  # GitHub, personal, fine-grained
    ("gho_", r"[A-Za-z0-9]{30,}"),  # GitHub, OAuth; Copilot
    ("ghu_", r"[A-Za-z0-9]{30,}"),  # GitHub, user to server; Copilot
    ("ghs_", r"[A-Za-z0-9]{30,}"),  # GitHub, server to server
    ("glpat-", r"[A-Za-z0-9_-]{20,}"),  # GitLab
    # JSON Web Token. Its header has an end, so that what holds its beginning a million times takes no million passes.
    ("eyJ", r"[A-Za-z0-9_-]{10,1000}\.eyJ[A-Za-z0-9_-]{10,}+\.[A-Za-z0-9_-]{10,}"),
    ("Bearer ", r" *[A-Za-z0-9._~+/-]{16,}"),  # an Authorization value wherever it stands
    ("bearer ", r" *[A-Za-z0-9._~+/-]{16,}"),
)
_BEFORE = rb"(?:(?<![A-Za-z0-9])|(?<=\\[bfnrt])|(?<=\\u[0-9A-Fa-f]{4}))"  # not "task-force-…", but the end of an escape
_HALF = rb"\*{10,}[A-Za-z0-9._~+/=-]*"  # what was masked up to where a chunk or line of its carrier ended


@cache
def _pattern(number: int) -> re.Pattern[bytes]:
    """What a key with that prefix looks like. Compiled when its prefix is first seen, which it mostly never is."""
    prefix, rest = (part.encode() for part in _SHAPES[number])
    return re.compile(_BEFORE + re.escape(prefix) + b"(" + rest + b"|" + _HALF + b")")


def _stars(match: re.Match[bytes]) -> bytes:
    # The prefix stays: it is no secret, and a YAML scalar that begins with an asterisk would be an alias.
    return match[0][: match.start(1) - match.start()] + b"*" * len(match[1])


_PREFIXES = tuple(prefix.encode() for prefix, _ in _SHAPES)
_LONGEST = max(map(len, _PREFIXES))
_WINDOW = 1 << 20
"""Bytes that are searched at once: each prefix found is kept until it is looked at."""


@cache
def _finder() -> ahocorasick_rs.BytesAhoCorasick:
    return ahocorasick_rs.BytesAhoCorasick(_PREFIXES, matchkind=ahocorasick_rs.MatchKind.LeftmostFirst)


def mask(data: bytes) -> bytes:
    """The bytes with every key-like string, after its prefix, overwritten by as many asterisks: offsets stay."""
    find = _finder().find_matches_as_indexes
    keys: set[int] = set()  # numbers of the prefixes that begin one; others are parts of words
    for offset in range(0, len(data), _WINDOW):
        window = data if len(data) <= _WINDOW else data[offset : offset + _WINDOW + _LONGEST - 1]
        for number, start, _ in find(window):
            if number not in keys and _pattern(number).match(data, offset + start):
                keys.add(number)
    for number in sorted(keys):
        data = _pattern(number).sub(_stars, data)
    return data


def masked(text: str) -> str:
    """The text with every key-like string, after its prefix, overwritten by as many asterisks."""
    return mask(text.encode("utf-8", "surrogatepass")).decode("utf-8", "surrogatepass")


_T = TypeVar("_T")
_ESCAPED = re.compile(rb"\\u00(?:2[0dDeE]|3[0-9]|[46][0-9a-fA-F]|[57][0-9aAfF])")  # characters that keys are made of


def unescaped_masked(data: bytes, value: _T) -> _T:
    """The value decoded from a JSON text, with the keys masked in it that escapes hid in the text."""
    if b"\\" not in data or b"\\u00" not in data or not _ESCAPED.search(data):
        return value
    holder: list[Any] = [value]
    pending: list[Any] = [holder]
    while pending:
        container = pending.pop()
        pairs = list(container.items() if isinstance(container, dict) else enumerate(container))
        changed = [tuple(masked(one) if isinstance(one, str) else one for one in pair) for pair in pairs]
        if changed != pairs:
            if isinstance(container, dict):
                container.clear()
            for key, one in changed:
                container[key] = one
        pending += [one for _, one in changed if isinstance(one, dict | list)]
    return cast("_T", holder[0])
