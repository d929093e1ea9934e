"""Test that a value which a recorder overwrote is no evidence about the dialect."""

from __future__ import annotations

import json
from typing import Any

from isogloss.validator import check
from isogloss.validator.dialects.model import dialects
from isogloss.validator.dialects.paths import is_redacted_in
from isogloss.validator.dialects.payload_features import PayloadFeatures

FEATURES = PayloadFeatures(tuple(dialects()))


def _completion(**properties: Any) -> dict[str, Any]:
    message = {"role": "assistant", "content": "Hello.", "refusal": None}
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}
    return {"object": "chat.completion", "created": 1767225600, "model": "m", "choices": [choice]} | properties


def test_overwritten_id_has_no_form_and_is_listed_as_overwritten() -> None:
    features = FEATURES.of([("completion", _completion(id="chatcmpl-REDACTED_1"))])
    assert ("completion", "id") not in dict(features.forms)
    assert ("completion", "id") in features.overwritten


def test_genuine_id_is_not_listed_as_overwritten() -> None:
    assert FEATURES.of([("completion", _completion(id="gen-1767225600-abc"))]).overwritten == frozenset()


def test_a_time_of_zero_is_overwritten_only_beside_an_overwritten_id() -> None:
    assert is_redacted_in(_completion(id="chatcmpl-REDACTED_1", created=0), "created", 0)
    assert not is_redacted_in(_completion(id="", created=0), "created", 0)


def test_attribution_does_not_depend_on_the_mask_of_the_id() -> None:
    bodies = [_completion(id=f"chatcmpl-{mask}", provider="Example") for mask in ("REDACTED_1", "***", "scrubbed")]
    results = [check(json.dumps(body).encode(), dialect="auto") for body in bodies]
    assert len({result.speaks for result in results}) == 1
