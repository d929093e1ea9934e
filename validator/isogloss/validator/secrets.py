"""Find and mask key-like strings as soon as a capture is read, so that no later code can leak them.

The shapes are the documented prefixes of API keys, and places where secrets are written. Strings that are only long and
random are not masked, since ids are long and random, too. ``docs/secrets.md`` lists the shapes, and what is not masked.
"""

from __future__ import annotations

import binascii
import re
from collections.abc import Callable
from functools import cache
from typing import Any, TypeAlias, TypeVar, cast

import ahocorasick_rs
from msgspec import Struct

from isogloss.validator.searching import holds_any

__all__ = ["SHAPES", "SecretShape", "mask", "mask_text", "mask_unescaped"]


class SecretShape(Struct, frozen=True):
    """The form of a kind of secret: a fixed beginning, the rest after it, and a description.

    The groups of ``rest`` are overwritten; if it has no groups, all of it is. ``inside`` is true if the beginning may
    be inside a word. If the fixed part is in the middle of the secret, ``before`` letters and digits stand before it,
    of which the first two are kept.
    """

    prefix: str
    rest: str
    what: str
    inside: bool = False
    before: int = 0


_ANY_SECRET = r"((?:[A-Za-z0-9+/]|\\{1,8}/){40})(?![A-Za-z0-9+/=])"  # of AWS; JSON may escape its slashes
_ID_AND_SECRET = (
    r"((?:[A-Z0-9]{16}|\*{16})[A-Za-z0-9*]*)"
    r"(?:[^\0]{1,200}?(?:(?<![A-Za-z0-9+/])|(?<=%[0-9A-F]{2}))" + _ANY_SECRET + ")?"
)
_NAMED_SECRET = r"[^A-Za-z0-9+/]{1,40}" + _ANY_SECRET
_PASSWORD = r"[^\s/?#@\"'<>\\:]{0,100}:([^\s/?#@\"'<>\\]{1,200})@"
_BASIC = r"([A-Za-z0-9+/]{8,1000}={0,2}|\*{8,})([A-Za-z0-9+/=*]*)"
_COOKIE = (
    r"(?:\\?[\"'])?\s{0,9}(?:,\s{0,40}\\?[\"']value\\?[\"']\s{0,9})?:(?:[\[\s\"'-]|\\[\"'n]){0,80}"
    r"[^=\s\"'\\,;:]{1,100}=([^\r\n\"'\\]{6,})"
)
_PEM_PREFIX = "-----BEGIN "
_PEM = r"[A-Z ]{0,40}PRIVATE KEY-----((?:(?!-----)(?:[A-Za-z0-9+/=:,. \t\r\n*-]|\\{1,8}[nrt/]))+)"

SHAPES = (
    SecretShape("sk-", r"[A-Za-z0-9_-]{16,}", "OpenAI, Anthropic, OpenRouter, DeepSeek and most others"),
    SecretShape("gsk_", r"[A-Za-z0-9]{20,}", "Groq"),
    SecretShape("xai-", r"[A-Za-z0-9]{20,}", "xAI"),
    SecretShape("pplx-", r"[A-Za-z0-9]{20,}", "Perplexity"),
    SecretShape("csk-", r"[A-Za-z0-9]{20,}", "Cerebras"),
    SecretShape("fw_", r"[A-Za-z0-9]{20,}", "Fireworks"),
    SecretShape("fpk_", r"[A-Za-z0-9]{20,}", "Fireworks, project"),
    SecretShape("hf_", r"[A-Za-z0-9]{20,}", "Hugging Face"),
    SecretShape("r8_", r"[A-Za-z0-9]{30,}", "Replicate"),
    SecretShape("tgp_v1_", r"[A-Za-z0-9_-]{20,}", "Together"),
    SecretShape("nvapi-", r"[A-Za-z0-9_-]{20,}", "NVIDIA"),
    SecretShape("dapi", r"[a-f0-9]{32}(?:-[0-9]+)?", "Databricks"),
    SecretShape("AIza", r"[A-Za-z0-9_-]{30,}", "Google, API key"),
    SecretShape("AQ.", r"[A-Za-z0-9_-]{30,}", "Google, API key since 2026"),
    SecretShape("ya29.", r"[A-Za-z0-9_.-]{20,}", "Google, OAuth access token"),
    SecretShape("AKIA", _ID_AND_SECRET, "AWS access key id, and a secret access key at most 200 characters behind it"),
    SecretShape("ASIA", _ID_AND_SECRET, "AWS, temporary, as before"),
    SecretShape("ecret_access_key", _NAMED_SECRET, "AWS secret access key behind its name", inside=True),
    SecretShape("ECRET_ACCESS_KEY", _NAMED_SECRET, "AWS secret access key behind its name", inside=True),
    SecretShape("ecretAccessKey", _NAMED_SECRET, "AWS secret access key behind its name", inside=True),
    SecretShape("ABSK", r"[A-Za-z0-9+/]{40,}={0,2}", "AWS Bedrock, API key"),
    SecretShape("bedrock-api-key-", r"[A-Za-z0-9+/]{40,}={0,2}", "AWS Bedrock, API key for a short time"),
    SecretShape("JQQJ99", r"([A-Za-z0-9*]{20,})", "Azure, in the middle of an API key of 84 characters", before=52),
    SecretShape("vck_", r"[A-Za-z0-9]{20,}", "Vercel AI Gateway"),
    SecretShape("vcp_", r"[A-Za-z0-9]{20,}", "Vercel, personal"),
    SecretShape("vci_", r"[A-Za-z0-9]{20,}", "Vercel, integration"),
    SecretShape("vca_", r"[A-Za-z0-9]{20,}", "Vercel, app"),
    SecretShape("vcr_", r"[A-Za-z0-9]{20,}", "Vercel, refresh"),
    SecretShape("cfk_", r"[A-Za-z0-9]{40,}", "Cloudflare, global API key"),
    SecretShape("cfut_", r"[A-Za-z0-9]{40,}", "Cloudflare, API token of a user"),
    SecretShape("cfat_", r"[A-Za-z0-9]{40,}", "Cloudflare, API token of an account"),
    SecretShape("cpk_", r"[A-Za-z0-9.]{40,}", "Chutes"),
    SecretShape("flp_", r"[A-Za-z0-9]{20,}", "Friendli"),
    SecretShape("rpa_", r"[A-Za-z0-9]{20,}", "RunPod"),
    SecretShape("VENICE-INFERENCE-KEY-", r"[A-Za-z0-9_-]{20,}", "Venice"),
    SecretShape("VENICE-ADMIN-KEY-", r"[A-Za-z0-9_-]{20,}", "Venice, of an administrator"),
    SecretShape("wandb_v1_", r"[A-Za-z0-9_]{20,}", "Weights & Biases, also for its inference"),
    SecretShape("lsv2_", r"[a-z]{2}_[A-Za-z0-9_]{20,}", "LangSmith"),
    SecretShape("jina_", r"[A-Za-z0-9]{20,}", "Jina"),
    SecretShape("tvly-", r"[A-Za-z0-9-]{20,}", "Tavily"),
    SecretShape("ghp_", r"[A-Za-z0-9]{30,}", "GitHub, personal"),
    SecretShape("github_pat_", r"[A-Za-z0-9_]{30,}", "GitHub, personal, fine-grained"),
    SecretShape("gho_", r"[A-Za-z0-9]{30,}", "GitHub, OAuth; Copilot"),
    SecretShape("ghu_", r"[A-Za-z0-9]{30,}", "GitHub, user to server; Copilot"),
    SecretShape("ghs_", r"[A-Za-z0-9]{30,}", "GitHub, server to server"),
    SecretShape("ghr_", r"[A-Za-z0-9]{30,}", "GitHub, refresh"),
    SecretShape("glpat-", r"[A-Za-z0-9_-]{20,}", "GitLab"),
    SecretShape("xoxa-", r"[A-Za-z0-9-]{10,}", "Slack, app"),
    SecretShape("xoxb-", r"[A-Za-z0-9-]{10,}", "Slack, bot"),
    SecretShape("xoxe.", r"[A-Za-z0-9.-]{10,}", "Slack, rotated"),
    SecretShape("xoxe-", r"[A-Za-z0-9-]{10,}", "Slack, refresh"),
    SecretShape("xoxp-", r"[A-Za-z0-9-]{10,}", "Slack, user"),
    SecretShape("xoxr-", r"[A-Za-z0-9-]{10,}", "Slack, refresh"),
    SecretShape("xoxs-", r"[A-Za-z0-9-]{10,}", "Slack, workspace"),
    SecretShape("xapp-", r"[A-Za-z0-9-]{10,}", "Slack, app level"),
    # The length of its header is limited, so that a text with a million such beginnings does not take a million passes.
    SecretShape("eyJ", r"[A-Za-z0-9_-]{10,1000}\.eyJ[A-Za-z0-9_-]{10,}+\.[A-Za-z0-9_-]{10,}", "JSON Web Token"),
    SecretShape("Bearer ", r" *[A-Za-z0-9._~+/-]{16,}", "the value of a header Authorization, wherever it stands"),
    SecretShape("bearer ", r" *[A-Za-z0-9._~+/-]{16,}", "the value of a header Authorization, wherever it stands"),
    SecretShape("Basic ", _BASIC, "the value of a header Authorization: Base64 that holds a colon"),
    SecretShape("basic ", _BASIC, "the value of a header Authorization: Base64 that holds a colon"),
    SecretShape("://", _PASSWORD, "the password of a URL with a user", inside=True),
    SecretShape(r":\/\/", _PASSWORD, "the password of a URL with a user, as JSON may write it", inside=True),
    SecretShape(
        "ookie", _COOKIE, "the value of a header Cookie or Set-Cookie behind the name of its first cookie", inside=True
    ),
    SecretShape(_PEM_PREFIX, _PEM, "the private key of a PEM block", inside=True),
)
"""What is masked. A new shape needs an entry here, a row in ``docs/secrets.md`` and an example in the tests."""

_PRECEDING = rb"(?:(?<![A-Za-z0-9])|(?<=\\[bfnrt])|(?<=\\u[0-9A-Fa-f]{4})|(?<=%[0-9A-F]{2}))"
"""What may precede a key: no character of a word (``task-force-…``), except the end of an escape."""
_MASKED_IN_PART = r"\*{10,}"  # a key that was masked before, perhaps only up to the end of a chunk or line
_NOT_BASE64 = rb"\\+[nrt/]|[^A-Za-z0-9+/=]"  # of a PEM block, line ends are kept, in any spelling


@cache
def _pattern(number: int) -> re.Pattern[bytes]:
    """Return the regular expression for a key with this prefix.

    It is compiled when its prefix is first seen. Most prefixes never are.
    """
    shape = SHAPES[number]
    rest, before = shape.rest, shape.before
    grouped = re.search(r"\((?!\?)", rest) is not None
    # What may be left of a key that was masked in part is masked with it: masking a text twice is like masking it once.
    last_part = re.search(r"\[([^]]+)\]\{\d+,\}(?:=\{0,2\})?\Z", rest)
    left = last_part[1] if last_part is not None else "A-Za-z0-9"
    pattern = (rest if grouped else f"((?:{rest}|{_MASKED_IN_PART})[*{left}]*)").encode()
    begin = b"[A-Za-z0-9]{2}([A-Za-z0-9*]{%d})" % (before - 2) if before else b""
    return re.compile((b"" if shape.inside else _PRECEDING) + begin + re.escape(shape.prefix.encode()) + pattern)


def _overwrite(out: bytearray, match: re.Match[bytes], prefix: str) -> None:
    # The beginning is kept: it is no secret, and a YAML scalar that begins with an asterisk would be an alias.
    for group in range(1, match.re.groups + 1):
        start, end = match.span(group)
        if start >= 0:
            out[start:end] = _without_text(match[group]) if prefix == _PEM_PREFIX else b"*" * (end - start)


def _has_credentials(encoded: bytes) -> bool:
    """Return whether Base64 holds a user, a colon and a password, and is not just a long word.

    Base64 that was masked already counts, too.
    """
    if encoded.startswith(b"*"):
        return True
    try:
        return b":" in binascii.a2b_base64(encoded + b"=" * (-len(encoded) % 4))
    except binascii.Error:
        return False


def _without_text(block: bytes) -> bytes:
    parts, end = [], 0
    for match in re.finditer(_NOT_BASE64, block):
        parts += [b"*" * (match.start() - end), match[0]]
        end = match.end()
    return b"".join((*parts, b"*" * (len(block) - end)))


_PREFIXES = tuple(shape.prefix.encode() for shape in SHAPES)
_CREDENTIAL_NUMBERS = frozenset(number for number, shape in enumerate(SHAPES) if shape.rest == _BASIC)
_LONGEST = max(map(len, _PREFIXES))
_WINDOW = 1 << 20
"""How many bytes are searched at once: all prefixes found in them are in memory together."""


_SMALL = 1 << 13
"""The most bytes of a text in which a search for nothing but prefixes comes first: it is most of the work there."""

_Find: TypeAlias = Callable[[bytes], list[tuple[int, int, int]]]
"""Finds prefixes in a text: the number of each, and where it begins and ends."""
_FIRST_PREFIXES = 35
"""How many prefixes the first of two finders searches for.

One finder for all of them takes three times as long (ahocorasick-rs 1.0, 2026-11): it is fast for few prefixes only.
"""


@cache
def _finders() -> tuple[_Find, _Find]:
    """Return two functions that find the prefixes in a text: the first ones, and the rest."""
    first, rest = (
        ahocorasick_rs.BytesAhoCorasick(prefixes, matchkind=ahocorasick_rs.MatchKind.LeftmostFirst)
        for prefixes in (_PREFIXES[:_FIRST_PREFIXES], _PREFIXES[_FIRST_PREFIXES:])
    )
    return first.find_matches_as_indexes, rest.find_matches_as_indexes


def mask(data: bytes) -> bytes:
    """Return the bytes after overwriting every key-like string, except its prefix, with as many asterisks.

    So all offsets stay the same.
    """
    find_first, find_rest = _finders()
    if len(data) <= _SMALL and not find_first(data) and not find_rest(data):
        return data
    out: bytearray | None = None
    done: dict[int, int] = {}  # by the number of a prefix, where the last secret with it ends
    for offset in range(0, len(data), _WINDOW):
        window = data[offset : offset + _WINDOW + _LONGEST - 1]
        first, rest = find_first(window), find_rest(window)
        if not first and not rest:
            continue  # hardly any text has a prefix of a key
        found = [(number, start) for number, start, _ in first]
        found += [(number + _FIRST_PREFIXES, start) for number, start, _ in rest]
        for number, start in found:
            begin = offset + start - SHAPES[number].before
            if begin < done.get(number, 0):
                continue
            match = _pattern(number).match(data, begin)
            if match is None or (number in _CREDENTIAL_NUMBERS and not _has_credentials(match[1])):
                continue  # a part of a word
            done[number] = match.end(1)  # another key may be between this key and the secret that is masked with it
            if out is None:
                out = bytearray(data)
            _overwrite(out, match, SHAPES[number].prefix)
    return data if out is None else bytes(out)


_URL_AS_PATH = rb"(:[/\\]{1,2}" + _PASSWORD.replace(":(", ":)(").encode()
"""A URL that was given in place of a path: paths join its slashes, or turn them around."""


def mask_text(text: str) -> str:
    """Return a name or a message after overwriting every key-like string, except its prefix, with asterisks.

    There are as many asterisks as there were bytes in UTF-8.
    """
    encoded = text.encode("utf-8", "surrogatepass")
    masked = mask(encoded)
    if "@" in text:
        masked = re.sub(_URL_AS_PATH, lambda match: match[1] + b"*" * len(match[2]) + b"@", masked)
    return text if masked == encoded else masked.decode("utf-8", "surrogatepass")


_T = TypeVar("_T")
_ESCAPED = rb"\\(?:u00(2[013-9a-fA-F]|[346][0-9a-fA-F]|5[0-9abABd-fD-F]|7[0-9a-eA-E]))"
"""The escapes of characters that secrets consist of."""


_OF_ASCII = re.compile(rb"\\(?:u00|/)")
_SHORT, _HEAD = 1 << 12, 1 << 10
"""A text up to the first size is searched with the expression. Of a longer text, only the head is."""


def escapes_ascii(data: bytes) -> bool:
    """Return whether a JSON text may contain escapes for characters that keys, or the syntax of JSON, consist of."""
    if data.find(b"\\") < 0:  # `in` takes twice as long: it tries to read the backslash as a number
        return False
    if len(data) <= _SHORT:
        return _OF_ASCII.search(data) is not None
    return _OF_ASCII.search(data, 0, _HEAD) is not None or holds_any(data, rb"\u00", rb"\/", start=_HEAD)


def mask_unescaped(data: bytes, value: _T) -> _T:
    """Mask the keys in a decoded value that its JSON text hid with escapes, and return the value.

    ``value`` was decoded from ``data``. Its objects and arrays are changed in place.
    """
    if not escapes_ascii(data):
        return value
    plain = data.replace(b"\\/", b"/")
    if b"\\u00" in plain:
        plain = re.sub(_ESCAPED, _unescape, plain)
    if len(plain) == len(data) or mask(plain) == plain:
        return value
    holder: list[Any] = [value]
    pending: list[Any] = [holder]
    while pending:
        container = pending.pop()
        pairs = list(container.items() if isinstance(container, dict) else enumerate(container))
        changed = [tuple(mask_text(item) if isinstance(item, str) else item for item in pair) for pair in pairs]
        if changed != pairs:
            if isinstance(container, dict):
                container.clear()
            for key, item in changed:
                container[key] = item
        pending += [item for _, item in changed if isinstance(item, dict | list)]
    return cast("_T", holder[0])


def _unescape(escape: re.Match[bytes]) -> bytes:
    return bytes((int(escape[1], 16),))
