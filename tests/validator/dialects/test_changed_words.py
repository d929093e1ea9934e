"""Test that no dialect is named for an answer whose words are others: only words that a vendor chose name it.

The words are the forms of ids and models, the names of properties that the reference does not have, and the strings
that it does not allow. In the fixtures of all dialects they are changed by rule, so that a speaker whom no dialect file
describes could have sent the answers.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from dialect_examples import EXAMINER, KNOWN, REAL_EXPLAINER
from reading import read_all

from isogloss.validator.exchange import Exchange, Stream
from isogloss.validator.pointer import generic

FIXTURES = Path(__file__).parents[3] / "fixtures/dialects"
IDENTIFYING = frozenset({
    "id", "model", "system_fingerprint", "choices[].message.tool_calls[].id", "choices[].delta.tool_calls[].id",
})  # fmt: skip
"""Paths of strings that the reference leaves free, and that vendors give a form of their own."""


@pytest.mark.parametrize("slug", sorted({one.slug for one in KNOWN if one.kind != "reference"}))
def test_answers_with_other_words_name_nobody(slug: str) -> None:
    named = {
        path.name: attribution.speaks
        for path in sorted((FIXTURES / slug).iterdir())
        for exchange in _answered(path.read_bytes(), path.name)
        for changed in _answered(_with_other_words(exchange), "changed.jsonl")
        if (attribution := REAL_EXPLAINER.explain(EXAMINER.examine(changed)).attribution) and attribution.sure
    }
    assert named == {}


def _answered(data: bytes, name: str) -> Iterator[Exchange]:
    """Yield the exchanges of a capture whose answers hold payloads, and no errors."""
    for exchange in read_all(data, name):
        if isinstance(exchange, Exchange) and any("error" not in payload for payload in _payloads(exchange)):
            yield exchange


def _payloads(exchange: Exchange) -> list[dict[str, Any]]:
    response = exchange.response
    values = response.values if isinstance(response, Stream) else [getattr(response, "value", None)]
    return [value for value in values if isinstance(value, dict)]


def _with_other_words(exchange: Exchange) -> bytes:
    """Return a record of the answer alone, with other words at the same places."""
    found = {(hit.rule, generic(hit.hit.pointer)) for hit in EXAMINER.examine(exchange).hits if hit.part != "request"}
    unknown = {path for rule, path in found if rule == "unknown-property"}
    changed = {path for rule, path in found if rule in ("unknown-value", "wrong-type", "wrong-format")} | IDENTIFYING

    def change(value: Any, path: str) -> Any:
        if isinstance(value, dict):
            inner = {name: f"{path}.{name}" if path else name for name in value}
            return {
                _other_word(name) if inner[name] in unknown else name: change(value[name], inner[name])
                for name in value
            }
        if isinstance(value, list):
            return [change(item, f"{path}[]") for item in value]
        return _other_word(value) if isinstance(value, str) and value and path in changed else value

    payloads = [change(payload, "") for payload in _payloads(exchange)]
    answer = {"chunks": payloads} if isinstance(exchange.response, Stream) else {"response": payloads[0]}
    return json.dumps({"status": 200, **answer}).encode() + b"\n"


def _other_word(word: str) -> str:
    """Return a word that nobody chose. Different words stay different."""
    return f"qz/{word[::-1]}"
