"""Tests that a capture says the same if a program has saved it again: with other line ends, encodings, or JSON."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import orjson
import pytest
from reading import findings_of_exchange, read_all

from isogloss.validator.exchange import Exchange

pytestmark = pytest.mark.thorough
FIXTURES = Path(__file__).parents[3] / "fixtures"
COUNTED = {"arrow", "goreplay", "httprr", "mitmproxy", "parquet"}
"""Formats that count the bytes of their parts, or are no text."""
CAPTURES = [
    path
    for folder in ("captures", "logs")
    for path in sorted((FIXTURES / folder).rglob("*"))
    if path.is_file() and path.parent.name not in COUNTED
]
WAYS: dict[str, Callable[[bytes], bytes]] = {
    "a byte order mark": lambda data: b"\xef\xbb\xbf" + data,
    "UTF-16": lambda data: data.decode().encode("utf-16"),
    "blank lines before": lambda data: b"\n\r\n" + data,
    "one more line end": lambda data: data + b"\n",
    "line ends of Windows": lambda data: data.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n"),
}
JSON: dict[str, int] = {
    "indented": orjson.OPT_INDENT_2,
    "on one line": 0,
    "with sorted keys": orjson.OPT_SORT_KEYS,
}
ABOUT_TEXT = {"body-padded", "json-byte-order-mark", "sse-byte-order-mark", "sse-line-endings"}
"""Rules about what such a program changes, if it is that what the server sent."""


KEEPS_PLACES = ("a byte order mark", "UTF-16", "line ends of Windows")


def _found(data: bytes, name: str, *, places: bool = False) -> list[object]:
    return [
        sorted(
            (one.rule, one.kind, one.pointer, one.severity, one.source.line * places, one.source.column * places)
            for one in findings_of_exchange(part)
            if one.rule not in ABOUT_TEXT
        )
        for part in read_all(data, name)
        if isinstance(part, Exchange)
    ]


@pytest.mark.parametrize("way", WAYS)
def test_a_capture_whose_text_was_saved_again_has_the_same_exchanges_and_findings(way: str) -> None:
    same = 0
    for path in CAPTURES:
        data = path.read_bytes()
        has_lengths = way == "line ends of Windows" and b"chunked" in data
        if not has_lengths:
            places = way in KEEPS_PLACES
            assert _found(WAYS[way](data), path.name, places=places) == _found(data, path.name, places=places), path
            same += 1
    assert same > 50


@pytest.mark.parametrize("way", JSON)
def test_a_json_document_that_was_written_anew_has_the_same_exchanges_and_findings(way: str) -> None:
    same = 0
    for path in CAPTURES:
        data = path.read_bytes()
        try:
            written = orjson.dumps(orjson.loads(data), option=JSON[way])
        except orjson.JSONDecodeError:
            continue
        assert _found(written, path.name) == _found(data, path.name), path
        same += 1
    assert same > 25
