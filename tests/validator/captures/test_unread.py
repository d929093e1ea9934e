"""What is said of a recording of Chat Completions whose layout is not read: that it is one, and what it has."""

from __future__ import annotations

import io
import json

import pytest

from isogloss.validator import captures
from isogloss.validator.exchange import Exchange, Skipped

URL = "https://api.example.com/v1/chat/completions"
UNREAD = "names the URL of /chat/completions, in a layout that is not read"


def read(data: object) -> list[Exchange | Skipped]:
    text = data if isinstance(data, str) else json.dumps(data)
    return list(captures.read(captures.Capture(io.BytesIO(text.encode()), "capture")))


@pytest.mark.parametrize(
    ("data", "properties"),
    [
        ({"meta": {"v": 1}, "turn": {"url": URL, "sent": "x", "got": "y"}}, "`meta`, `turn`"),
        ([{"target": f"{URL}?key=1", "sent": "x"}], "`target`, `sent`"),
        (f'version: 3\ntape:\n  - endpoint: "{URL}"\n    sent: x\n', "`version`, `tape`"),
        ({f"k{number}": {"requestUrl": URL} for number in range(20)}, "`k6`, `k7`, …"),
    ],
)
def test_it_says_so_and_names_its_properties(data: object, properties: str) -> None:
    found = read(data)
    assert any(isinstance(one, Skipped) and UNREAD in one.reason and properties in one.reason for one in found)
    assert not any(isinstance(one, Exchange) for one in found)


@pytest.mark.parametrize(
    "data",
    [
        {"openapi": "3.1.0", "info": {}, "paths": {"/v1/chat/completions": {}}},
        {"url": "https://api.example.com/v1/chat/completions/batch", "x": 1},
        {"note": f"see {URL}", "x": 1},
        {"url": "https://api.example.com/v1/embeddings", "x": 1},
        f"see {URL} for more\n",
    ],
)
def test_what_is_no_recording_of_it_is_skipped_as_before(data: object) -> None:
    for one in read(data):
        assert isinstance(one, Skipped)
        assert UNREAD not in one.reason


def test_a_capture_of_which_something_is_read_says_of_the_rest_what_it_did() -> None:
    request = {"model": "m", "messages": [{"role": "user", "content": "Hi"}]}
    first, second = read([request, {"url": URL, "sent": "x"}])
    assert isinstance(first, Exchange)
    assert isinstance(second, Skipped)
    assert UNREAD not in second.reason


def test_keys_among_the_properties_are_masked() -> None:
    (found,) = read({"sk-proj-Zq8LmN4xR7vT2wY6pK1s": {"url": URL}})
    assert isinstance(found, Skipped)
    assert UNREAD in found.reason
    assert "Zq8LmN4x" not in found.reason


@pytest.mark.parametrize("url", ["x" * 70_000, '"url":' * 9000, "url: " * 9000])
def test_looking_for_the_url_takes_linear_time(url: str) -> None:
    for one in read({"url": url, "path": url}):
        assert isinstance(one, Skipped)
