"""Tests that a body that is no completion is judged alike, whatever recording holds it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from odd_json import BODIES
from payloads import CHUNKS, COMPLETION, ERROR, REQUEST, WHOLE_CHUNK, as_events
from reading import findings_in, findings_of_exchange, read_all
from recorded import Recorded
from writers import WRITERS, capture_name

from isogloss.validator.exchange import Exchange

OTHER_APIS = [
    {"id": "msg_1", "type": "message", "role": "assistant", "content": [{"type": "text", "text": "Ho"}], "model": "m"},
    {
        "model": "m",
        "created_at": "2026-01-01T00:00:00Z",
        "message": {"role": "assistant", "content": "Ho"},
        "done": True,
    },
    {"candidates": [{"content": {"parts": [{"text": "Ho"}], "role": "model"}, "finishReason": "STOP"}]},
    {"object": "list", "data": [{"id": "m", "object": "model"}]},
]
ENVELOPES: list[Any] = [
    {"output": COMPLETION},
    {"code": 0, "msg": "ok", "data": COMPLETION},
    {"code": 200, "message": "success", "data": COMPLETION},
    {"status": "success", "data": COMPLETION},
    {"success": True, "result": COMPLETION},
    {"error": "the upstream failed", "details": ERROR},
]
LIKE_MESSAGES: list[Any] = [
    {"timestamp": "2026-01-01T00:00:00Z", "status": 404, "error": "Not Found", "path": "/v1/chat/completions"},
    {"statusCode": 200, "headers": {"content-type": "application/json"}, "body": json.dumps(COMPLETION)},
    {"message": "no", "method": "POST", "url": "/v1/chat/completions", "headers": {"host": "h"}, "body": ""},
    {"status": 500, "content": "no"},
]
"""Bodies of web frameworks and serverless platforms that have the properties of a recorded message."""
OBJECTS: list[Any] = [
    *OTHER_APIS, *ENVELOPES, WHOLE_CHUNK, {"chunks": [WHOLE_CHUNK]}, {"text": "Ho"}, {"errors": [{"message": "no"}]},
    {"code": 400, "msg": "no", "data": None}, COMPLETION["choices"][0]["message"], REQUEST, ERROR,
]  # fmt: skip
TEXTS = [json.dumps([COMPLETION]), "[]", "Ho", "<html></html>"]


def _name_of(body: str) -> str:
    return body[:40]


def _found(recording: bytes) -> list[tuple[str, str, str]]:
    (exchange,) = read_all(recording, capture_name(recording))
    assert isinstance(exchange, Exchange)
    return sorted((one.rule, one.path, one.severity.label) for one in findings_of_exchange(exchange))


ALL_BODIES = [*map(json.dumps, OBJECTS + LIKE_MESSAGES), *TEXTS]
ANSWERED_AND_REFUSED = [
    pytest.param(
        body, status, id=f"{body[:40]}-{status}", marks=pytest.mark.slow if status == 400 and number % 3 else ()
    )
    for number, body in enumerate(ALL_BODIES)
    for status in (200, 400)
]
"""Each body as an answer, and as a refusal; most refusals are left to the slow tests."""


@pytest.mark.thorough
@pytest.mark.parametrize(("body", "status"), ANSWERED_AND_REFUSED)
def test_a_body_that_is_no_completion_has_the_same_findings_in_every_recording(body: str, status: int) -> None:
    exchange = Recorded(json.dumps(REQUEST), body, status=status)
    expected = _found(WRITERS["har"]([exchange]))
    assert bool(expected) == (json.dumps(ERROR) != body or status == 200)
    differing = {name: found for name, write in WRITERS.items() if (found := _found(write([exchange]))) != expected}
    assert differing == {}


def _is_recorded_alike(body: Any) -> bool:
    """Return whether a body means the same where a recorder keeps it parsed.

    There, no recorder keeps a number or an empty object, and an object of nothing but the text of a payload is taken
    for the form in which recorders keep text.
    """
    is_form = isinstance(body, dict) and len(body) == 1 and '{"choices": []}' in body.values()
    return isinstance(body, dict | list) and bool(body) and not is_form


@pytest.mark.slow
@given(BODIES.filter(_is_recorded_alike), st.sampled_from([200, 400]))
def test_whatever_json_is_the_body_it_has_the_same_findings_in_every_recording(body: Any, status: int) -> None:
    exchange = Recorded(json.dumps(REQUEST), json.dumps(body), status=status)
    expected = _found(WRITERS["har"]([exchange]))
    differing = {name: found for name, write in WRITERS.items() if (found := _found(write([exchange]))) != expected}
    assert differing == {}


@pytest.mark.parametrize("body", OTHER_APIS, ids=lambda body: _name_of(json.dumps(body)))
def test_an_answer_of_another_api_is_one_error_that_names_the_api(body: Any) -> None:
    record = {"path": "/v1/chat/completions", "status": 200, "content_type": "application/json", "response": body}
    (error,) = [one for one in findings_in(record) if one.severity.label != "note"]
    assert error.rule == "body-not-completion"
    assert error.message.startswith("the body is no completion: ")


@pytest.mark.parametrize("body", OBJECTS, ids=lambda body: _name_of(json.dumps(body)))
def test_the_body_of_a_record_with_a_content_type_is_judged_as_it_was_sent(body: Any) -> None:
    record = {"path": "/v1/chat/completions", "status": 200, "content_type": "application/json", "request": REQUEST}
    expected = _found(json.dumps(record | {"response_text": json.dumps(body)}).encode())
    assert expected
    assert _found(json.dumps(record | {"response": body}).encode()) == expected


@pytest.mark.thorough
@pytest.mark.parametrize("content_type", ["text/event-stream", "application/json"])
@pytest.mark.parametrize(
    ("start", "end"),
    [
        ("", "data: [DONE]"),
        ("retry: 1000\n\n", ""),
        (": ping\n\n", "data: {"),
        ("event: chunk\n", "data: oops\n\n"),
        ("id: 1\n", "data: [DONE]\n\n"),
        ("\ufeff", f"data: {json.dumps(ERROR)}\n\n"),
        ("\n\n", "Hello"),
    ],
)
def test_a_stream_has_the_same_findings_in_every_recording_however_it_begins_and_ends(
    start: str, end: str, content_type: str
) -> None:
    body = start + as_events(*CHUNKS) + end
    exchange = Recorded(json.dumps(REQUEST | {"stream": True}), body, content_type=content_type)
    expected = _found(WRITERS["har"]([exchange]))
    differing = {name: found for name, write in WRITERS.items() if (found := _found(write([exchange]))) != expected}
    assert differing == {}
