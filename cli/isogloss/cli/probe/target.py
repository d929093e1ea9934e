"""Whom a probe asks: the URL, the headers, and which strings are secret and must show up nowhere."""

from __future__ import annotations

import ipaddress
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.metadata import version
from urllib.parse import SplitResult, urlsplit

import click

__all__ = ["WRONG_KEY", "Target", "target"]

WRONG_KEY = "sk-isogloss-wrong-key"
_SUFFIX = "/chat/completions"
_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_SENSITIVE = re.compile(r"auth|key|token|secret|cookie|password", re.IGNORECASE)
_SHORTEST_SECRET = 6
"""Characters; what is shorter (``x``, ``EMPTY``) is a placeholder, and masking it would destroy answers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A server to send requests to: the parts of its URL, and the headers, with the key."""

    url: SplitResult
    headers: Mapping[str, str] = field(repr=False)
    secrets: tuple[str, ...] = field(repr=False)

    @property
    def host(self) -> str:
        """The host name, lower case, without a port."""
        return self.url.hostname or ""

    @property
    def loopback(self) -> bool:
        """Whether the host is this machine, which no proxy can reach."""
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost" or self.host.endswith(".localhost")

    def path(self, name: str | None = None) -> str:
        """Return the path of the Chat Completions endpoint, or of the endpoint ``name`` under the same base."""
        base = self.url.path.rstrip("/").removesuffix(_SUFFIX)
        return base + (_SUFFIX if name is None else f"/{name}")

    def endpoint(self, name: str | None = None) -> str:
        """Return the URL of the Chat Completions endpoint, or of the endpoint ``name`` under the same base."""
        return self.url._replace(path=self.path(name)).geturl()

    def with_wrong_key(self) -> Mapping[str, str]:
        """Return the headers with a wrong key in place of the right one."""
        sent = {name: WRONG_KEY if _SENSITIVE.search(name) else value for name, value in self.headers.items()}
        if "authorization" in sent or sent == self.headers:
            sent["authorization"] = f"Bearer {WRONG_KEY}"
        return sent

    def without_key(self) -> Mapping[str, str]:
        """Return the headers without those that may hold a key."""
        return {name: value for name, value in self.headers.items() if not _SENSITIVE.search(name)}

    def masked(self, data: bytes) -> bytes:
        """Return the bytes with every secret overwritten by asterisks of the same length, however it is spelt.

        A secret is found as it is, with escapes of JSON (also of JSON in JSON), percent-encoded, and with character
        references of HTML.
        """
        for secret in self.secrets:
            data = _spellings(secret).sub(lambda found: b"*" * len(found[0]), data)
        return data


@lru_cache(maxsize=64)
def _spellings(secret: str) -> re.Pattern[bytes]:
    parts = re.findall(rb"\\+|[^\\]", secret.encode(), re.DOTALL)
    return re.compile(b"".join([_spelling(part[0], len(part)) for part in parts]))


def _spelling(byte: int, count: int) -> bytes:
    """Return an expression that matches every way in which a byte of a secret can be written, so many times.

    Only backslashes are given several at a time. They take the backslashes behind them, too, with which the next byte
    may be escaped, and give none back: else a search could take exponential time.
    """
    number = b"%02x" % byte
    code = b"".join(b"[%c%c]" % (digit, digit - 32) if digit > 57 else b"%c" % digit for digit in number)
    ways = [
        rb"(?<=\\)u00" + code,
        rb"\\{1,16}u00" + code,
        b"%(?:25)?" + code,
        b"&#0{0,4}%d;" % byte,
        b"&#[xX]0{0,4}" + code + b";",
        *([_REFERENCES[byte]] if byte in _REFERENCES else []),
        *([rb"\+"] if byte == ord(" ") else []),
    ]
    if byte == ord("\\"):
        return rb"(?:(?:%b){%d}|\\{%d,%d}+)" % (b"|".join(ways[1:]), count, count, 17 * count)
    itself = re.escape(bytes((byte,)))
    ways.append(rb"\\{0,16}" + itself if byte in b'"/' else itself)
    return b"(?:" + b"|".join(ways) + b")"


_REFERENCES = {ord("&"): b"&amp;", ord("<"): b"&lt;", ord(">"): b"&gt;", ord('"'): b"&quot;", ord("'"): b"&apos;"}


def target(
    url: str,
    *,
    key_variable: str | None,
    headers: Sequence[str] = (),
    variables: Sequence[str] = (),
    usual_key: bool = True,
) -> Target:
    """Return the server at a base URL, or at the URL of its endpoint.

    ``key_variable`` names the environment variable that holds the key. If it is ``None``, the variable is
    ``OPENAI_API_KEY``, or there is no key if ``usual_key`` is false.
    ``headers`` are written ``Name: value``, ``variables`` are written ``Name=VARIABLE``.

    Raises ``click.UsageError`` for a URL or a header that cannot be sent, and for a variable that is not set.
    """
    parts = _url(url)
    sent = {"user-agent": f"isogloss/{version('isogloss')}", "accept-encoding": "identity"}
    secrets = []
    key = os.environ.get(key_variable or "OPENAI_API_KEY", "").strip() if key_variable or usual_key else ""
    if key_variable and not key:
        raise click.UsageError(f"the environment variable {key_variable} is not set")
    if key:
        _put(sent, "authorization", f"Bearer {key}")
        secrets.append(key)
    for header in headers:
        name, colon, value = header.partition(":")
        if not colon:
            raise click.UsageError("--header is written 'Name: value'")
        _put(sent, name, value)
        if _SENSITIVE.search(name):
            secrets.append(value)
    for pair in variables:
        name, _, variable = pair.partition("=")
        if variable not in os.environ:
            raise click.UsageError(f"--header-env is written 'Name=VARIABLE', and the variable {variable!r} is not set")
        _put(sent, name, os.environ[variable])
        secrets.append(os.environ[variable])
    long = {part for secret in secrets for part in (secret.strip(), *secret.split()) if len(part) >= _SHORTEST_SECRET}
    return Target(url=parts, headers=sent, secrets=tuple(sorted(long - {"Bearer"}, key=len, reverse=True)))


def _put(sent: dict[str, str], name: str, value: str) -> None:
    name, value = name.strip(), value.strip()
    if not _NAME.fullmatch(name):
        raise click.UsageError(f"no header can be called {name!r}")
    if not (value.isascii() and value.isprintable()):
        raise click.UsageError(f"the value of the header {name} has characters that cannot be sent")
    sent[name.lower()] = value


def _url(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        known = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        known = False
    if not known:
        raise click.UsageError(f"{url!r} is no URL of a server; expected is one like http://localhost:8000/v1")
    if parts.username is not None or parts.password is not None:
        raise click.UsageError("the URL holds credentials; put the key into an environment variable instead")
    return parts._replace(fragment="")
