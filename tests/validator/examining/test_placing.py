"""Test that a text is read at most twice to find the places of all its findings, however many exchanges it has."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest

from isogloss.validator import engines
from isogloss.validator.captures import Capture, read
from isogloss.validator.exchange import Exchange
from isogloss.validator.jsontext import scanner
from isogloss.validator.judging.judge import Judge


@pytest.mark.parametrize("cut", [0, 1], ids=["sound", "cut"])
def test_array_of_exchanges_is_read_at_most_twice_to_find_places(cut: int, monkeypatch: pytest.MonkeyPatch) -> None:
    read_for_places = []
    places = scanner.places

    def record_call(data: bytes, *, sound: bool) -> Any:
        read_for_places.append(sound)
        return places(data, sound=sound)

    monkeypatch.setattr(scanner, "places", record_call)
    answer = {"id": 1, "object": "chat.completion", "created": 1, "model": "m", "choices": []}
    pair = {"request": {"method": "POST", "url": "https://example.com/v1/chat/completions", "body": {"model": "m"}},
            "response": {"status": 500, "headers": {}, "body": answer}}  # fmt: skip
    text = json.dumps([pair] * 30, indent=1)
    judge = Judge(engines.load())
    found = [
        finding
        for exchange in read(Capture(io.BytesIO(text[: len(text) - cut].encode()), "capture"))
        if isinstance(exchange, Exchange)
        for finding in judge.judge(exchange).findings
        if finding.rule == "wrong-type"
    ]
    lines = text.splitlines()
    assert [finding.source.exchange for finding in found] == list(range(30))
    assert all(lines[finding.source.line - 1][finding.source.column - 1 :].startswith("1") for finding in found)
    assert len(read_for_places) <= 2
