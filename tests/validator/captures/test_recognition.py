"""Tests of how the format of a capture is recognised."""

from __future__ import annotations

import io
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from isogloss.validator import captures
from isogloss.validator.captures import Capture, input_formats

FIXTURES = Path(__file__).parents[3] / "fixtures"
_BEGINNINGS = sorted({
    path.read_bytes()[:5000] for path in (FIXTURES / "captures").rglob("*.*") if path.is_file()
})  # fmt: skip
_PREFIXES = (b"", b"\xef\xbb\xbf", b" ", b"\n\n", b"{", b"[", b'{"a": ', b"x", b"{ [5 bytes data]\n> POST / HTTP/1.1\n")


@given(st.sampled_from(_BEGINNINGS), st.sampled_from(_PREFIXES))
def test_format_recognises_nothing_that_begins_otherwise_than_it_says(data: bytes, prefix: bytes) -> None:
    capture = Capture(io.BytesIO(prefix + data), "x")
    for name, format_ in input_formats().items():
        words = getattr(format_, "WORDS", None)
        if name not in captures.formats_beginning(as_json=capture.begins_as_json) or (
            words is not None and not any(word in capture.beginning for word in words)
        ):
            assert format_.recognise(capture) == 0, format_.NAME


@given(st.sampled_from(_BEGINNINGS), st.sampled_from(_PREFIXES))
def test_the_surest_of_all_formats_is_found_without_asking_all(data: bytes, prefix: bytes) -> None:
    capture = Capture(io.BytesIO(prefix + data), "x")
    sureness, name = max((format_.recognise(capture), name) for name, format_ in input_formats().items())
    found = captures._surest(capture)
    assert (found and found.NAME) == (name if sureness else None)


def test_no_format_recognises_other_data() -> None:
    for name, format_ in input_formats().items():
        for data in (b"", b"\0" * 99, b"Hello", b"<html>", b"\xff" * 99):
            assert format_.recognise(Capture(io.BytesIO(data), "x")) == 0, (name, data)
