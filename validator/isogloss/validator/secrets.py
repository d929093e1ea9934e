"""Key-like strings, found and masked where a capture is read, so that nothing behind it can leak them.

The shapes are the documented prefixes of API keys; what merely is long and random is left alone, since ids are too.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import repeat
from typing import Any, TypeVar, cast

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
    ("eyJ", r"[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}"),  # JSON Web Token
    ("Bearer ", r" *[A-Za-z0-9._~+/-]{16,}"),  # an Authorization value wherever it stands
    ("bearer ", r" *[A-Za-z0-9._~+/-]{16,}"),
)
_HALF = rb"\*{10,}[A-Za-z0-9._~+/=-]*"  # what was masked up to where a chunk or line of its carrier ended


@cache
def _pattern(literal: bytes) -> re.Pattern[bytes]:
    """What a key with that prefix looks like. Compiled when its prefix is first seen, which it mostly never is."""
    rest = dict(_SHAPES)[literal.decode()].encode()
    return re.compile(
        b"(?<![A-Za-z0-9])" + re.escape(literal) + b"(" + rest + b"|" + _HALF + b")"
    )  # not "task-force-…"


def _stars(match: re.Match[bytes]) -> bytes:
    # The prefix stays: it is no secret, and a YAML scalar that begins with an asterisk would be an alias.
    return match[0][: match.start(1) - match.start()] + b"*" * len(match[1])


_PREFIXES = tuple(literal.encode() for literal, _ in _SHAPES)
_BEFORE = {
    mark: tuple({literal[:-1].rpartition(mark)[2] for literal in _PREFIXES if literal.endswith(mark)})
    for mark in (b"-", b"_", b"J")
}
"""What stands before the last character of a prefix, back to where that character stands in it before."""
_AFTER = tuple(literal[1:].partition(b"A")[0] for literal in _PREFIXES if literal.startswith(b"A"))
_REST = b"earer "


def _suspicious(data: bytes) -> bool:
    """Whether a prefix may be there. One pass for each of five characters is a third of one for each prefix."""
    if _REST in data:
        return True
    for mark, before in _BEFORE.items():
        if mark in data and any(map(bytes.endswith, data.split(mark), repeat(before))):
            return True
    return b"A" in data and any(map(bytes.startswith, data.split(b"A"), repeat(_AFTER)))


def mask(data: bytes) -> bytes:
    """The bytes with every key-like string, after its prefix, overwritten by as many asterisks: offsets stay."""
    if not _suspicious(data):
        return data
    for literal in _PREFIXES:
        if literal in data:  # far cheaper than the pattern, and nearly always all there is to do
            data = _pattern(literal).sub(_stars, data)
    return data


def masked(text: str) -> str:
    """The text with every key-like string, after its prefix, overwritten by as many asterisks."""
    return mask(text.encode("utf-8", "surrogatepass")).decode("utf-8", "surrogatepass")


_T = TypeVar("_T")
_ESCAPED = re.compile(rb"\\u00(?:2[0dDeE]|3[0-9]|[46][0-9a-fA-F]|[57][0-9aAfF])")  # characters that keys are made of


def unescaped_masked(data: bytes, value: _T) -> _T:
    """The value decoded from a JSON text, with the keys masked in it that escapes hid in the text."""
    if b"\\u00" not in data or not _ESCAPED.search(data):
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
