"""Whom a probe asks, with which headers, and what it refuses to send."""

from __future__ import annotations

import html
import json
from types import SimpleNamespace
from typing import Any
from urllib.parse import quote, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.cli.probe.target import Target, target

SPELLINGS = {
    "as it is": str,
    "in JSON": lambda text: json.dumps(text)[1:-1],
    "in JSON in JSON": lambda text: json.dumps(json.dumps(text))[3:-3],
    "escapes of JSON": lambda text: "".join(f"\\u{ord(one):04x}" for one in text),
    "percent-encoded": lambda text: quote(text, safe=""),
    "character references": html.escape,
}
"""Ways in which a server may write a text."""


def _holding(secret: str) -> Target:
    return Target(url=urlsplit("http://h.example/v1"), headers={}, secrets=(secret,))


@pytest.mark.parametrize(
    ("url", "endpoint"),
    [
        ("http://localhost:8000/v1", "http://localhost:8000/v1/chat/completions"),
        ("http://localhost:8000/v1/", "http://localhost:8000/v1/chat/completions"),
        ("https://h.example/v1/chat/completions", "https://h.example/v1/chat/completions"),
        ("https://h.example/d/m?api-version=1", "https://h.example/d/m/chat/completions?api-version=1"),
        ("http://[::1]:9/v1#x", "http://[::1]:9/v1/chat/completions"),
    ],
)
def test_the_endpoint_is_found_from_the_base_url(url: str, endpoint: str) -> None:
    assert target(url, key_variable=None).endpoint() == endpoint


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.9.9.9", "[::1]", "api.localhost"])
def test_this_machine_is_known_by_all_its_names(host: str) -> None:
    assert target(f"http://{host}/v1", key_variable=None).loopback
    assert not target("http://10.0.0.1/v1", key_variable=None).loopback


@pytest.mark.parametrize(
    ("url", "complaint"),
    [
        ("localhost:8000/v1", "is no URL of a server"),
        ("ftp://h.example/", "is no URL of a server"),
        ("http:///v1", "is no URL of a server"),
        ("http://h.example:99999/v1", "is no URL of a server"),
        ("http://[::1/v1", "is no URL of a server"),
        ("http://user:word@h.example/v1", "the URL holds credentials"),
    ],
)
def test_what_is_no_url_of_a_server_is_a_usage_error(probe: Any, url: str, complaint: str) -> None:
    result = probe(url)
    assert result.exit_code == 2
    assert complaint in result.output


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--api-key-env", "NO_SUCH_VARIABLE"], "NO_SUCH_VARIABLE is not set"),
        (["--header", "no colon"], "--header is written"),
        (["--header", "a b: c"], "no header can be called"),
        (["--header", "a: b\r\nHost: c"], "characters that cannot be sent"),
        (["--header-env", "X-Key"], "--header-env is written"),
        (["--header-env", "X-Key=NO_SUCH_VARIABLE"], "'NO_SUCH_VARIABLE' is not set"),
        (["--case", "plain", "--skip", "plain"], "no case is left"),
    ],
)
def test_what_cannot_be_sent_is_a_usage_error(probe: Any, arguments: list[str], complaint: str) -> None:
    result = probe("http://127.0.0.1:1/v1", *arguments)
    assert result.exit_code == 2
    assert complaint in result.output


def test_without_a_key_none_is_sent_and_placeholders_are_no_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    assert "authorization" not in target("http://h.example", key_variable=None).headers
    monkeypatch.setenv("LOCAL_KEY", "EMPTY")
    local = target("http://h.example", key_variable="LOCAL_KEY")
    assert local.headers["authorization"] == "Bearer EMPTY"
    assert local.mask(b"EMPTY") == b"EMPTY"


@given(
    st.text('\\"/&a', min_size=1, max_size=6),
    st.sampled_from(sorted(SPELLINGS)),
    st.sampled_from(["", "x", "\\"]),
)
def test_a_secret_of_characters_that_are_escaped_is_masked_as_a_whole(secret: str, way: str, before: str) -> None:
    server = _holding(secret)
    spelt = SPELLINGS[way](secret)
    masked = server.mask(f"{before}{spelt}x".encode())
    assert masked.removesuffix(b"x").removeprefix(before.encode()).strip(b"*") == b""


def test_a_secret_of_many_backslashes_is_looked_for_in_a_text_of_backslashes_without_end() -> None:
    """A search that tried all ways to share them out would not come back."""
    server = _holding("\\" * 30 + '"\\"\\"\\x')
    data = b"\\" * 2000 + b'"\\\\\\\\"' * 50
    assert server.mask(data) == data


def test_nothing_secret_is_in_what_a_target_looks_like(monkeypatch: pytest.MonkeyPatch, wire: SimpleNamespace) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", wire.key)
    assert wire.key not in repr(target("http://h.example", key_variable=None))


def test_the_wrong_key_stands_wherever_the_right_one_did(
    monkeypatch: pytest.MonkeyPatch, wire: SimpleNamespace
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", wire.key)
    server = target("http://h.example", key_variable=None, headers=["api-key: right-key", "X-Trace: 1"])
    wrong = server.with_wrong_key()
    assert wire.key not in str(wrong)
    assert "right-key" not in str(wrong)
    assert wrong["x-trace"] == "1"
    assert wrong["authorization"].startswith("Bearer sk-")
