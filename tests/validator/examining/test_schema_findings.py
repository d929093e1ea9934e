"""What a violation of the schema is reported as: where it stands, and in which words."""

from __future__ import annotations

import json
from typing import Any

from isogloss.validator import check


def test_a_name_that_is_too_long_is_reported_at_the_name_with_its_own_length() -> None:
    metadata = {"short": "v", "k" * 70: "v"}
    request: dict[str, Any] = {
        "model": "gpt-4o", "messages": [{"role": "user", "content": "hi"}], "metadata": metadata,
    }  # fmt: skip
    result = check(json.dumps(request), kind="request")
    (finding,) = [one for one in result.findings if one.rule == "wrong-length"]
    assert finding.message == "a name of 70 characters where the reference allows at most 64"
    assert finding.pointer == f"/metadata/{'k' * 70}"
