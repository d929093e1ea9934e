"""Tests of flow files of mitmproxy. They are read with mitmproxy, and skipped with a reason if it is not installed."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reading import read_all

from isogloss.validator.exchange import Exchange, Payload, Skipped, Stream

FLOWS = (Path(__file__).parents[3] / "fixtures" / "captures" / "mitmproxy" / "flows.mitm").read_bytes()
NOT_INSTALLED = "mitmproxy is not installed: pip install 'isogloss[mitmproxy]', on Python 3.12 or later"


read = partial(read_all, name="flows.mitm")


def test_without_mitmproxy_the_reason_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mitmproxy.io", None)
    monkeypatch.setitem(sys.modules, "mitmproxy", None)
    (skipped,) = read(FLOWS)
    assert isinstance(skipped, Skipped)
    assert "pip install 'isogloss[mitmproxy]'" in skipped.reason


@pytest.fixture
def _require_mitmproxy() -> None:
    pytest.importorskip("mitmproxy.io", reason=NOT_INSTALLED)


@pytest.mark.usefixtures("_require_mitmproxy")
def test_the_flows_of_a_file_are_exchanges_with_their_places() -> None:
    plain, stream, compressed = read(FLOWS)
    for exchange in (plain, stream, compressed):
        assert isinstance(exchange, Exchange)
        assert exchange.request is not None
        assert (exchange.host, exchange.path) == ("api.example.com", "/v1/chat/completions")
    assert isinstance(plain, Exchange)
    assert plain.response is not None
    body = plain.response
    assert isinstance(body, Payload)
    place = body.text.place(body.text.data.index(b'"yesterday"'))
    assert (place.line, place.column) == (1, FLOWS.index(b'"yesterday"') + 1)
    assert isinstance(stream, Exchange)
    assert isinstance(stream.response, Stream)
    assert stream.http.content_type == "text/event-stream"
    assert isinstance(compressed, Exchange)
    assert compressed.http.status == 429


@pytest.mark.usefixtures("_require_mitmproxy")
def test_keys_in_a_flow_file_are_masked() -> None:
    key = b"sk-proj-Zq8LmN4xR7vT2wY6p"
    data = FLOWS.replace(b"chatcmpl-Fake000000000000", key)
    assert len(data) == len(FLOWS)
    for exchange in read(data):
        assert b"Zq8LmN4x" not in repr(exchange).encode()
        assert isinstance(exchange, Exchange)
        assert b"Zq8LmN4x" not in exchange.text.data


@pytest.mark.usefixtures("_require_mitmproxy")
@given(st.integers(0, len(FLOWS) - 1), st.integers(0, 200), st.binary(max_size=4))
def test_a_damaged_flow_file_is_read_or_skipped(start: int, size: int, inserted: bytes) -> None:
    parts = read(FLOWS[:start] + inserted + FLOWS[start + size :])
    assert parts
    for part in parts:
        assert isinstance(part, Exchange | Skipped)
