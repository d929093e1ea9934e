"""Test the target of a probe: its URL and headers, what cannot be sent, and how secrets are masked."""

from __future__ import annotations

import html
import json
from types import SimpleNamespace
from typing import Any
from urllib.parse import quote, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.cli.probe.target import Target, make_target

SPELLINGS = {
    "as it is": str,
    "in JSON": lambda text: json.dumps(text)[1:-1],
    "in JSON in JSON": lambda text: json.dumps(json.dumps(text))[3:-3],
    "escapes of JSON": lambda text: "".join(f"\\u{ord(character):04x}" for character in text),
    "percent-encoded": lambda text: quote(text, safe=""),
    "character references": html.escape,
}
"""Functions that write a text in the ways in which a server may write it."""


def _target_with_secret(secret: str) -> Target:
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
    assert make_target(url, key_variable=None).endpoint() == endpoint


def test_a_secret_that_begins_with_another_one_is_masked_as_a_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "tenant-key")
    monkeypatch.setenv("TENANT", "tenant-key-of-mine")
    target = make_target("http://h.example/v1", key_variable=None, variables=["X-Tenant=TENANT"])
    assert target.mask(b"tenant-key-of-mine and tenant-key") == b"****************** and **********"


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.9.9.9", "[::1]", "api.localhost"])
def test_every_name_of_the_loopback_interface_is_recognised(host: str) -> None:
    assert make_target(f"http://{host}/v1", key_variable=None).loopback
    assert not make_target("http://10.0.0.1/v1", key_variable=None).loopback


@pytest.mark.parametrize(
    ("url", "complaint"),
    [
        ("localhost:8000/v1", "is not the URL of a server"),
        ("ftp://h.example/", "is not the URL of a server"),
        ("http:///v1", "is not the URL of a server"),
        ("http://h.example:99999/v1", "is not the URL of a server"),
        ("http://[::1/v1", "is not the URL of a server"),
        ("http://user:word@h.example/v1", "the URL holds credentials"),
    ],
)
def test_a_url_that_cannot_be_used_is_a_usage_error(probe: Any, url: str, complaint: str) -> None:
    result = probe(url)
    assert result.exit_code == 2
    assert complaint in result.output


def test_a_model_is_asked_for_only_if_the_url_is_right(isogloss: Any) -> None:
    assert "is not the URL of a server" in isogloss("probe", "localhost:8000").stderr
    assert "Missing option '--model'" in isogloss("probe", "http://localhost:8000").stderr


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--api-key-env", "NO_SUCH_VARIABLE"], "NO_SUCH_VARIABLE is not set"),
        (["--header", "no colon"], "--header is written"),
        (["--header", "a b: c"], "no header can be called"),
        (["--header", "a: b\r\nHost: c"], "characters that cannot be sent"),
        (["--header", "Content-Length: 3"], "the header Content-Length cannot be set"),
        (["--header-env", "X-Key"], "--header-env is written"),
        (["--header-env", "X-Key=NO_SUCH_VARIABLE"], "names the variable 'NO_SUCH_VARIABLE', which is not set"),
        (["--case", "plain", "--skip", "plain"], "no case is left"),
    ],
)
def test_an_option_that_cannot_be_used_is_a_usage_error(probe: Any, arguments: list[str], complaint: str) -> None:
    result = probe("http://127.0.0.1:1/v1", *arguments)
    assert result.exit_code == 2
    assert complaint in result.output


@pytest.mark.parametrize("option", ["--timeout", "--wait", "--deadline"])
@pytest.mark.parametrize("value", ["nan", "inf", "-1", "soon"])
def test_what_is_no_number_of_seconds_is_a_usage_error(probe: Any, option: str, value: str) -> None:
    result = probe("http://127.0.0.1:9", option, value)
    assert result.exit_code == 2
    assert f"Invalid value for '{option}'" in result.output


def test_no_key_is_sent_without_one_and_placeholders_are_not_masked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    assert "authorization" not in make_target("http://h.example", key_variable=None).headers
    monkeypatch.setenv("LOCAL_KEY", "EMPTY")
    local = make_target("http://h.example", key_variable="LOCAL_KEY")
    assert local.headers["authorization"] == "Bearer EMPTY"
    assert local.mask(b"EMPTY") == b"EMPTY"


@given(
    st.text('\\"/&a', min_size=1, max_size=6),
    st.sampled_from(sorted(SPELLINGS)),
    st.sampled_from(["", "x", "\\"]),
)
def test_a_secret_of_characters_that_are_escaped_is_masked_as_a_whole(secret: str, spelling: str, before: str) -> None:
    server = _target_with_secret(secret)
    spelled = SPELLINGS[spelling](secret)
    masked = server.mask(f"{before}{spelled}x".encode())
    assert masked.removesuffix(b"x").removeprefix(before.encode()).strip(b"*") == b""


def test_the_search_for_a_secret_of_many_backslashes_in_a_text_of_backslashes_ends() -> None:
    """A search that tries every way to divide the backslashes would not end."""
    server = _target_with_secret("\\" * 30 + '"\\"\\"\\x')
    data = b"\\" * 2000 + b'"\\\\\\\\"' * 50
    assert server.mask(data) == data


def test_the_repr_of_a_target_does_not_show_the_key(monkeypatch: pytest.MonkeyPatch, wire: SimpleNamespace) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", wire.key)
    assert wire.key not in repr(make_target("http://h.example", key_variable=None))


def test_a_header_of_portkey_is_only_secret_if_it_may_hold_a_key() -> None:
    headers = ["x-portkey-provider: openai", "x-portkey-api-key: right-key", "x-portkey-config: pc-my-config"]
    server = make_target("http://h.example", key_variable=None, headers=headers)
    assert server.mask(b"openai right-key pc-my-config") == b"openai ********* ************"
    assert server.without_key()["x-portkey-provider"] == server.with_wrong_key()["x-portkey-provider"] == "openai"
    assert "x-portkey-api-key" not in server.without_key()


def test_the_wrong_key_replaces_the_right_key_in_every_header(
    monkeypatch: pytest.MonkeyPatch, wire: SimpleNamespace
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", wire.key)
    server = make_target("http://h.example", key_variable=None, headers=["api-key: right-key", "X-Trace: 1"])
    wrong = server.with_wrong_key()
    assert wire.key not in str(wrong)
    assert "right-key" not in str(wrong)
    assert wrong["x-trace"] == "1"
    assert wrong["authorization"].startswith("Bearer sk-")
