"""What a recorder overwrote says nothing of who wrote it."""

from __future__ import annotations

import json
from typing import Any

from isogloss.validator import check
from isogloss.validator.dialects.model import dialects
from isogloss.validator.dialects.paths import is_redacted_in
from isogloss.validator.dialects.payload_features import PayloadFeatures

FEATURES = PayloadFeatures(tuple(dialects()))


def _completion(**members: Any) -> dict[str, Any]:
    message = {"role": "assistant", "content": "Hello.", "refusal": None}
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}
    return {"object": "chat.completion", "created": 1767225600, "model": "m", "choices": [choice]} | members


def test_an_overwritten_id_is_no_form_and_hides_what_the_dialect_says_of_it() -> None:
    features = FEATURES.of([("completion", _completion(id="chatcmpl-REDACTED_1"))])
    assert ("completion", "id") not in dict(features.forms)
    assert ("completion", "id") in features.overwritten


def test_a_genuine_id_hides_nothing() -> None:
    assert FEATURES.of([("completion", _completion(id="gen-1767225600-abc"))]).overwritten == frozenset()


def test_a_time_of_zero_is_overwritten_only_beside_an_overwritten_id() -> None:
    assert is_redacted_in(_completion(id="chatcmpl-REDACTED_1", created=0), "created", 0)
    assert not is_redacted_in(_completion(id="", created=0), "created", 0)


def test_an_answer_is_attributed_alike_whichever_mask_its_id_has() -> None:
    bodies = [_completion(id=f"chatcmpl-{mask}", provider="Example") for mask in ("REDACTED_1", "***", "scrubbed")]
    results = [check(json.dumps(body).encode(), dialect="auto") for body in bodies]
    assert len({result.speaks for result in results}) == 1
