"""Key-like strings, found and masked where a capture is read, so that nothing behind it can leak them.

The shapes are the documented prefixes of API keys; what merely is long and random is left alone, since ids are too.
"""

from __future__ import annotations

import re

__all__ = ["mask", "masked"]

_SHAPES = (
    (
        "sk-",
        r"sk-[A-Za-z0-9_-]{16,}",
    ),  # OpenAI, Anthropic (sk-ant-), OpenRouter (sk-or-), DeepSeek and most others
    ("gsk_", r"gsk_[A-Za-z0-9]{20,}"),  # Groq
    ("xai-", r"xai-[A-Za-z0-9]{20,}"),  # xAI
    ("pplx-", r"pplx-[A-Za-z0-9]{20,}"),  # Perplexity
    ("csk-", r"csk-[A-Za-z0-9]{20,}"),  # Cerebras
    ("fw_", r"fw_[A-Za-z0-9]{20,}"),  # Fireworks
    ("hf_", r"hf_[A-Za-z0-9]{20,}"),  # Hugging Face
    ("nvapi-", r"nvapi-[A-Za-z0-9_-]{20,}"),  # NVIDIA
    ("AIza", r"AIza[A-Za-z0-9_-]{30,}"),  # Google
    ("AKIA", r"AKIA[A-Z0-9]{16}"),  # AWS access key id
    ("ghp_", r"ghp_[A-Za-z0-9]{30,}"),  # GitHub, personal
    ("gho_", r"gho_[A-Za-z0-9]{30,}"),  # GitHub, OAuth; Copilot
    ("ghu_", r"ghu_[A-Za-z0-9]{30,}"),  # GitHub, user to server; Copilot
    ("ghs_", r"ghs_[A-Za-z0-9]{30,}"),  # GitHub, server to server
    ("eyJ", r"eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}"),  # JSON Web Token
    ("Bearer ", r"Bearer +[A-Za-z0-9._~+/-]{16,}"),  # an Authorization value wherever it stands
    ("bearer ", r"bearer +[A-Za-z0-9._~+/-]{16,}"),
)
_BYTES = tuple((literal.encode(), re.compile(pattern.encode())) for literal, pattern in _SHAPES)


def _stars(match: re.Match[bytes]) -> bytes:
    before = match.string[match.start() - 1 : match.start()]
    return match[0] if before.isalnum() else b"*" * len(match[0])  # "task-force" holds no key


def mask(data: bytes) -> bytes:
    """The bytes with every key-like string overwritten by asterisks of the same length, so that offsets stay."""
    for literal, pattern in _BYTES:
        if literal in data:  # far cheaper than the pattern, and nearly always all there is to do
            data = pattern.sub(_stars, data)
    return data


def masked(text: str) -> str:
    """The text with every key-like string overwritten by asterisks of the same length."""
    return mask(text.encode("utf-8", "surrogatepass")).decode("utf-8", "surrogatepass")
