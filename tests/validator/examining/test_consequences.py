"""Test which findings follow from another one: those at the place that it replaces, and no others."""

from __future__ import annotations

import json

import pytest

from isogloss.validator import check


@pytest.mark.parametrize("count", [1000, 1001])
def test_very_many_findings_of_a_rule_explain_nothing_elsewhere(count: int) -> None:
    empty, wrong = ({"type": "file", "file": file} for file in ({"filename": "a.pdf"}, {"file_data": "no data URL"}))
    message = {"role": "user", "content": [*[empty] * count, wrong]}
    found = check({"model": "gpt-4.1", "messages": [message]}).findings
    assert [one.pointer for one in found if one.rule == "wrong-format"] == [
        f"/messages/0/content/{count}/file/file_data"
    ]


def test_cause_at_a_place_explains_nothing_that_is_wrong_further_inside() -> None:
    error = {"message": "No", "type": "server_error", "param": None, "code": None, "details": 1}
    found = check(json.dumps({"status": 200, "path": "/v1/chat/completions", "response": {"error": error}})).findings
    assert [(one.rule, one.pointer) for one in found] == [
        ("error-with-success-status", ""),
        ("unknown-property", "/error/details"),
    ]


@pytest.mark.parametrize(
    ("rule", "answer"),
    [
        ("body-not-completion", {"content_type": "application/json", "response": {"results": []}}),
        ("lines-not-events", {"content_type": "text/event-stream", "response_text": '{"choices": []}\n' * 2}),
    ],
)
def test_nothing_that_is_wrong_with_a_request_follows_from_its_answer(rule: str, answer: dict[str, object]) -> None:
    request = {"model": 5, "messages": [{"role": "user", "content": "Hi"}], "stream": True}
    record = {"path": "/v1/chat/completions", "status": 200, "request": request, **answer}
    found = [(one.rule, one.kind) for one in check(json.dumps(record)).findings if one.severity.label == "error"]
    assert ("wrong-type", "request") in found
    assert rule in [name for name, _ in found]
