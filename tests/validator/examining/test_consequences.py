"""Test which findings follow from another one: those at the place that it replaces, and no others."""

from __future__ import annotations

import json

from isogloss.validator import check


def test_cause_at_a_place_explains_nothing_that_is_wrong_further_inside() -> None:
    error = {"message": "No", "type": "server_error", "param": None, "code": None, "details": 1}
    found = check(json.dumps({"status": 200, "path": "/v1/chat/completions", "response": {"error": error}})).findings
    assert [(one.rule, one.pointer) for one in found] == [
        ("error-with-success-status", ""),
        ("unknown-property", "/error/details"),
    ]
