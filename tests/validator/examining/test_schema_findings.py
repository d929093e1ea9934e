"""Test the findings for violations of the schema: their pointers and messages."""

from __future__ import annotations

import json
from typing import Any

from isogloss.validator import check


def test_name_that_is_too_long_is_reported_with_its_pointer_and_length() -> None:
    metadata = {"short": "v", "k" * 70: "v"}
    request: dict[str, Any] = {
        "model": "gpt-4o", "messages": [{"role": "user", "content": "hi"}], "metadata": metadata,
    }  # fmt: skip
    result = check(json.dumps(request), kind="request")
    (finding,) = [finding for finding in result.findings if finding.rule == "wrong-length"]
    assert finding.message == "a name of 70 characters where the reference allows at most 64"
    assert finding.pointer == f"/metadata/{'k' * 70}"
