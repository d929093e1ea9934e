"""Flow files of mitmproxy: read by its own reader where it is installed, and told honestly where it is not."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.validator import captures
from isogloss.validator.exchange import Exchange, Payload, Skipped, Stream

FLOWS = (Path(__file__).parents[3] / "fixtures" / "captures" / "mitmproxy" / "flows.mitm").read_bytes()
WITHOUT = "mitmproxy is not installed: pip install 'isogloss[mitmproxy]', on Python 3.12 or later"


def read(data: bytes) -> list[Exchange | Skipped]:
    return list(captures.read(captures.Capture(io.BytesIO(data), "flows.mitm")))


def test_without_mitmproxy_a_flow_file_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mitmproxy.io", None)
    monkeypatch.setitem(sys.modules, "mitmproxy", None)
    (found,) = read(FLOWS)
    assert isinstance(found, Skipped)
    assert "pip install 'isogloss[mitmproxy]'" in found.reason


@pytest.fixture
def _mitmproxy() -> None:
    pytest.importorskip("mitmproxy.io", reason=WITHOUT)


@pytest.mark.usefixtures("_mitmproxy")
def test_the_flows_of_a_file_are_exchanges_with_their_places() -> None:
    plain, streamed, packed = read(FLOWS)
    for found in (plain, streamed, packed):
        assert isinstance(found, Exchange)
        assert found.request is not None
        assert (found.host, found.path) == ("api.example.com", "/v1/chat/completions")
    assert isinstance(plain, Exchange)
    assert plain.response is not None
    body = plain.response.body
    assert isinstance(body, Payload)
    place = body.text.place(body.text.data.index(b'"yesterday"'))
    assert (place.line, place.column) == (1, FLOWS.index(b'"yesterday"') + 1)
    assert isinstance(streamed, Exchange)
    assert streamed.response is not None
    assert isinstance(streamed.response.body, Stream)
    assert streamed.response.content_type == "text/event-stream"
    assert isinstance(packed, Exchange)
    assert packed.response is not None
    assert packed.response.status == 429


@pytest.mark.usefixtures("_mitmproxy")
def test_keys_in_a_flow_file_are_masked() -> None:
    key = b"sk-proj-Zq8LmN4xR7vT2wY6p"
    data = FLOWS.replace(b"chatcmpl-Fake000000000000", key)
    assert len(data) == len(FLOWS)
    for found in read(data):
        assert b"Zq8LmN4x" not in repr(found).encode()
        assert isinstance(found, Exchange)
        assert b"Zq8LmN4x" not in found.text.data


@pytest.mark.usefixtures("_mitmproxy")
@given(st.integers(0, len(FLOWS) - 1), st.integers(0, 200), st.binary(max_size=4))
def test_a_damaged_flow_file_is_read_as_far_as_it_goes(start: int, size: int, put: bytes) -> None:
    found = read(FLOWS[:start] + put + FLOWS[start + size :])
    assert found
    for one in found:
        assert isinstance(one, Exchange | Skipped)
