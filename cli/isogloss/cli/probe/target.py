"""The server that a probe sends requests to: its URL, its headers, and the secrets that no output may show."""

from __future__ import annotations

import ipaddress
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.metadata import version
from urllib.parse import SplitResult, urlsplit

import click

__all__ = ["Target", "make_target"]

_WRONG_KEY = "sk-isogloss-wrong-key"
_ENDPOINT = "/chat/completions"
_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_FRAMING = frozenset({"content-length", "transfer-encoding"})
_SENSITIVE_NAME = re.compile(r"auth|(?<!port)key|portkey-config|token|secret|cookie|password", re.IGNORECASE)
"""Part of the name of a header that may hold a key. All headers of the gateway Portkey begin with ``x-portkey``."""
_VERSION = re.compile(r"/v[0-9]")
_SHORTEST_SECRET = 6
"""In characters. Shorter values (``x``, ``EMPTY``) are placeholders, and masking them would destroy answers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A server to send requests to: the parts of its URL, and the headers, which include the key.

    ``has_usual_key`` says whether the key of ``OPENAI_API_KEY`` would be sent to it.
    """

    url: SplitResult
    headers: Mapping[str, str] = field(repr=False)
    secrets: tuple[str, ...] = field(repr=False)
    has_usual_key: bool = True

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

    @property
    def advice(self) -> str:
        """What to try if there is no endpoint at this URL. It is empty if the path of the URL names a version."""
        return "" if _VERSION.search(self.url.path) else "; is the URL right? It often ends in /v1"

    def path(self, name: str | None = None) -> str:
        """Return the path of the Chat Completions endpoint, or of the endpoint ``name`` under the same base."""
        base = self.url.path.rstrip("/").removesuffix(_ENDPOINT)
        return base + (_ENDPOINT if name is None else f"/{name}")

    def endpoint(self, name: str | None = None) -> str:
        """Return the URL of the Chat Completions endpoint, or of the endpoint ``name`` under the same base."""
        return self.url._replace(path=self.path(name)).geturl()

    def headers_with(self, key: str) -> Mapping[str, str]:
        """Return the headers with the ``right`` key, a ``wrong`` one, or ``none``."""
        if key == "right":
            return self.headers
        return self.with_wrong_key() if key == "wrong" else self.without_key()

    def with_wrong_key(self) -> Mapping[str, str]:
        """Return the headers with a wrong key in place of the right one."""
        headers = {name: _WRONG_KEY if _SENSITIVE_NAME.search(name) else value for name, value in self.headers.items()}
        if "authorization" in headers or headers == self.headers:
            headers["authorization"] = f"Bearer {_WRONG_KEY}"
        return headers

    def without_key(self) -> Mapping[str, str]:
        """Return the headers without those that may hold a key."""
        return {name: value for name, value in self.headers.items() if not _SENSITIVE_NAME.search(name)}

    def mask(self, data: bytes) -> bytes:
        """Return the bytes with every secret overwritten by asterisks of the same length, however it is spelt.

        A secret is found as it is, with escapes of JSON (also of JSON in JSON), percent-encoded, with character
        references of HTML, and in UTF-16.
        """
        for secret in self.secrets:
            data = _secret_pattern(secret).sub(lambda match: b"*" * len(match[0]), data)
            for encoding in ("utf-16-le", "utf-16-be") if b"\0" in data else ():
                wide = secret.encode(encoding)
                data = data.replace(wide, b"*" * len(wide))
        return data


@lru_cache(maxsize=64)
def _secret_pattern(secret: str) -> re.Pattern[bytes]:
    parts = re.findall(rb"\\+|[^\\]", secret.encode(), re.DOTALL)
    return re.compile(b"".join([_byte_pattern(part[0], len(part)) for part in parts]))


def _byte_pattern(byte: int, count: int) -> bytes:
    """Return an expression that matches every way in which a byte of a secret can be written, so many times.

    Only backslashes are given several at a time. Their expression also takes the backslashes that follow, which may
    escape the next byte, and gives none back: otherwise a search could take exponential time.
    """
    hex_digits = b"%02x" % byte
    any_case = b"".join(b"[%c%c]" % (digit, digit - 32) if digit > 57 else b"%c" % digit for digit in hex_digits)
    ways = [
        rb"(?<=\\)u00" + any_case,
        rb"\\{1,16}u00" + any_case,
        b"%(?:25)?" + any_case,
        b"&#0{0,4}%d;" % byte,
        b"&#[xX]0{0,4}" + any_case + b";",
        *([_HTML_REFERENCES[byte]] if byte in _HTML_REFERENCES else []),
        *([rb"\+"] if byte == ord(" ") else []),
    ]
    if byte == ord("\\"):
        return rb"(?:(?:%b){%d}|\\{%d,%d}+)" % (b"|".join(ways[1:]), count, count, 17 * count)
    plain = re.escape(bytes((byte,)))
    ways.append(rb"\\{0,16}" + plain if byte in b'"/' else plain)
    return b"(?:" + b"|".join(ways) + b")"


_HTML_REFERENCES = {ord("&"): b"&amp;", ord("<"): b"&lt;", ord(">"): b"&gt;", ord('"'): b"&quot;", ord("'"): b"&apos;"}


def make_target(
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
    parts = _parse_url(url)
    sent_headers = {"user-agent": f"isogloss/{version('isogloss')}", "accept-encoding": "identity"}
    secrets = []
    key = os.environ.get(key_variable or "OPENAI_API_KEY", "").strip() if key_variable or usual_key else ""
    if key_variable and not key:
        raise click.UsageError(f"the environment variable {key_variable} is not set")
    if key:
        _put_header(sent_headers, "authorization", f"Bearer {key}")
        secrets.append(key)
    for name, value, is_secret in _given_headers(headers, variables):
        _put_header(sent_headers, name, value)
        if is_secret:
            secrets.append(value)
    to_mask = {
        part for secret in secrets for part in (secret.strip(), *secret.split()) if len(part) >= _SHORTEST_SECRET
    }
    return Target(
        url=parts,
        headers=sent_headers,
        secrets=tuple(sorted(to_mask - {"Bearer"}, key=len, reverse=True)),
        has_usual_key=usual_key,
    )


def _given_headers(headers: Sequence[str], variables: Sequence[str]) -> Iterator[tuple[str, str, bool]]:
    """Yield the name and the value of each header that the user gave, and whether the value is a secret."""
    for header in headers:
        name, colon, value = header.partition(":")
        if not colon:
            raise click.UsageError("--header is written 'Name: value'")
        yield name, value, _SENSITIVE_NAME.search(name) is not None
    for pair in variables:
        name, _, variable = pair.partition("=")
        if not variable:
            raise click.UsageError("--header-env is written 'Name=VARIABLE'")
        if variable not in os.environ:
            raise click.UsageError(f"--header-env names the variable {variable!r}, which is not set")
        yield name, os.environ[variable], True


def _put_header(headers: dict[str, str], name: str, value: str) -> None:
    name, value = name.strip(), value.strip()
    if not _HEADER_NAME.fullmatch(name):
        raise click.UsageError(f"no header can be called {name!r}")
    if name.lower() in _FRAMING:
        raise click.UsageError(f"the header {name} cannot be set: it follows from the body of each request")
    if not (value.isascii() and value.isprintable()):
        raise click.UsageError(f"the value of the header {name} has characters that cannot be sent")
    headers[name.lower()] = value


def _parse_url(url: str) -> SplitResult:
    import httpx2  # slow to import, and needed now to send anything

    try:
        parts = urlsplit(url)
        is_valid = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
        is_valid = is_valid and not re.search(r"\s", url)
        httpx2.URL(url)
    except (ValueError, httpx2.InvalidURL):
        is_valid = False
    if not is_valid:
        raise click.UsageError(f"{url!r} is not the URL of a server; one like http://localhost:8000/v1 is expected")
    if parts.username is not None or parts.password is not None:
        raise click.UsageError("the URL holds credentials; put the key into OPENAI_API_KEY, or see --api-key-env")
    return parts._replace(fragment="")
