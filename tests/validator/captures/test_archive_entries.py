"""Tests of entries of HTTP Archives that a program took out of their archive, and of requests of mock servers."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from payloads import COMPLETION, ERROR, REQUEST, URL
from reading import exchange_in, read_all, values_of

from isogloss.validator.exchange import Skipped

CONTENT = {"mimeType": "application/json", "size": 300, "text": json.dumps(COMPLETION)}
POSTED = {"mimeType": "application/json", "text": json.dumps(REQUEST)}
PAIR: dict[str, Any] = {
    "request": {"method": "POST", "url": URL, "headers": [], "postData": POSTED},
    "response": {"status": 200, "headers": [], "content": CONTENT},
}
ENTRIES: dict[str, Callable[[dict[str, Any]], Any]] = {
    "an entry": lambda entry: entry,
    "a list of entries": lambda entry: [entry],
    "a line": lambda entry: f"{json.dumps(entry)}\n",
    "a list of archives": lambda entry: [{"log": {"version": "1.2", "creator": {}, "entries": [entry]}}],
    "a property": lambda entry: {"captured": {"entries": [entry]}},
}


@pytest.mark.parametrize(
    "more", [{}, {"params": []}, {"comment": ""}, {"params": [], "comment": "sent twice"}], ids=str
)
@pytest.mark.parametrize("form", ENTRIES.values(), ids=ENTRIES)
def test_entries_of_an_archive_are_read_outside_of_it(
    form: Callable[[dict[str, Any]], Any], more: dict[str, Any]
) -> None:
    request = PAIR["request"] | {"postData": POSTED | more}
    response = PAIR["response"] | {"content": CONTENT | {name: more[name] for name in more if name == "comment"}}
    entry = {"startedDateTime": "2026-01-01T10:00:00.000Z", "time": 1, "request": request, "response": response}
    assert values_of(exchange_in(form(entry))) == (REQUEST, COMPLETION)


@pytest.mark.parametrize(
    "request_",
    [
        {"method": "POST", "urlPath": "/v1/chat/completions", "bodyPatterns": [{"matchesJsonPath": "$.model"}]},
        {"method": "POST", "url": URL, "body": {"matches": [{"contains": "model"}]}},
        {"method": "POST", "url": URL, "postData": {"mimeType": "application/json", "parts": []}},
    ],
)
def test_an_object_without_a_property_of_a_request_is_none(request_: dict[str, Any]) -> None:
    pair = PAIR | {"request": request_}
    for document in ([pair], {"stubs": [pair]}):
        assert values_of(exchange_in(document)) == (None, COMPLETION)
    [alone] = read_all([{"request": request_}])
    assert isinstance(alone, Skipped)


def test_a_request_that_lacks_what_it_needs_is_one() -> None:
    wrong = {"input": "Hi"}
    pair = {"request": {"method": "POST", "url": URL, "body": wrong}, "response": {"status": 400, "body": ERROR}}
    assert values_of(exchange_in([pair])) == (wrong, ERROR)
    pair = PAIR | {"request": PAIR["request"] | {"postData": {"temperature": 1}}}
    assert values_of(exchange_in([pair])) == ({"temperature": 1}, COMPLETION)
