"""Tests that a page's sketches of payloads, with dots in place of values, are skipped, and genuine answers are not."""

from __future__ import annotations

import json
from typing import Any

import pytest
from payloads import COMPLETION, EVENTS, REQUEST, URL, as_events
from reading import all_exchanges, last_reason, read_all

_SKETCHES: dict[str, Any] = {
    "completion": {"id": "...", "choices": [{"message": {"content": "..."}}]},
    "a shortened id": {"id": "chatcmpl-…", "choices": [{"message": {"content": "Hello!"}}], "usage": {}},
    "dots for the text": COMPLETION | {"id": "chatcmpl-...", "choices": [{"message": {"content": "…"}}]},
    "no choices": {"id": "chatcmpl-...", "object": "chat.completion"},
    "events": as_events({"id": "...", "choices": [{"delta": {"content": "Ho"}}]}, "[DONE]"),
    "request": {"model": "m", "messages": [{"role": "system", "content": "..."}, {"role": "user", "content": "…"}]},
    "record": {"request": REQUEST, "response": {"id": "...", "choices": [{"message": {"content": "..."}}]}},
}


def _block(value: object) -> str:
    return f"```json\n{value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}\n```\n"


@pytest.mark.parametrize("sketch", _SKETCHES)
def test_a_sketch_in_a_page_is_skipped(sketch: str) -> None:
    assert last_reason(read_all(_block(_SKETCHES[sketch]), "page.md")).startswith("a sketch of a payload")


def test_a_sketch_below_a_command_is_no_answer_to_it() -> None:
    command = f"curl {URL} -d '{json.dumps(REQUEST)}'"
    for sketch in ("completion", "a shortened id"):
        text = json.dumps(_SKETCHES[sketch])
        for page in (f"```sh\n{command}\n# {text}\n```\n", f"```sh\n{command}\n```\n\n```json\n{text}\n```\n"):
            assert all_exchanges(page, "page.md") == []
    (found,) = all_exchanges(f"```sh\n$ {command}\n{json.dumps(COMPLETION)}\n```\n", "page.md")
    assert found.request is not None


@pytest.mark.parametrize(
    "genuine",
    [
        COMPLETION | {"id": "..."},
        COMPLETION | {"choices": [COMPLETION["choices"][0] | {"message": {"role": "assistant", "content": "..."}}]},
        EVENTS.replace("chatcmpl-Fake2", "..."),
        {"choices": [{"message": {"content": "..."}}]},
        REQUEST | {"messages": [{"role": "system", "content": "..."}, {"role": "user", "content": "Hi"}]},
    ],
    ids=["a hidden id", "a text of dots", "hidden ids of a stream", "no id", "one message of dots"],
)
def test_an_answer_whose_id_was_hidden_or_whose_text_is_dots_is_read(genuine: Any) -> None:
    assert len(all_exchanges(_block(genuine), "page.md")) == 1


def test_a_sketch_in_a_text_is_skipped() -> None:
    sketch = json.dumps(_SKETCHES["dots for the text"], ensure_ascii=False)
    assert not all_exchanges(f"It answers like this:\n{sketch}\n", "notes.txt")


@pytest.mark.parametrize("sketch", ["completion", "a shortened id", "record"])
def test_what_a_recording_holds_is_no_sketch(sketch: str) -> None:
    assert len(all_exchanges(_SKETCHES[sketch], "recorded.json")) == 1
