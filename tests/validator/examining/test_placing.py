"""Where findings stand is read once for all the exchanges of a text, however many there are."""

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
def test_an_array_of_exchanges_is_read_for_places_once(cut: int, monkeypatch: pytest.MonkeyPatch) -> None:
    read_for_places = []
    places = scanner.places

    def counted(data: bytes, *, sound: bool) -> Any:
        read_for_places.append(sound)
        return places(data, sound=sound)

    monkeypatch.setattr(scanner, "places", counted)
    answer = {"id": 1, "object": "chat.completion", "created": 1, "model": "m", "choices": []}
    pair = {"request": {"method": "POST", "url": "https://example.com/v1/chat/completions", "body": {"model": "m"}},
            "response": {"status": 500, "headers": {}, "body": answer}}  # fmt: skip
    text = json.dumps([pair] * 30, indent=1)
    judge = Judge(engines.load())
    found = [
        finding
        for one in read(Capture(io.BytesIO(text[: len(text) - cut].encode()), "capture"))
        if isinstance(one, Exchange)
        for finding in judge.judge(one).findings
        if finding.rule == "wrong-type"
    ]
    lines = text.splitlines()
    assert [one.source.exchange for one in found] == list(range(30))
    assert all(lines[one.source.line - 1][one.source.column - 1 :].startswith("1") for one in found)
    assert len(read_for_places) <= 2
