"""Test the views through which rules read payloads: those of long arrays hold the same, although they are not kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from isogloss.validator import check, views

FIXTURES = Path(__file__).parents[2] / "fixtures"


@pytest.mark.parametrize("group", ["request", "completion", "pair"])
def test_rules_find_the_same_in_views_of_long_arrays(group: str, monkeypatch: pytest.MonkeyPatch) -> None:
    captures = [path.read_bytes() for path in sorted((FIXTURES / group).glob("*/invalid-*.json"))]
    kept = [check(capture).findings for capture in captures]
    monkeypatch.setattr(views, "_MANY", 0)
    assert [check(capture).findings for capture in captures] == kept
    assert sum(map(len, kept)) > 10


def test_an_object_of_a_long_array_has_its_position_whatever_stands_between(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(views, "_MANY", 0)
    messages = views.Request({"messages": [{"role": "user"}, None, {"role": "tool"}, 5, {"role": "system"}]}).messages
    assert [message.at for message in messages] == [("messages", number) for number in (0, 2, 4)]
    assert [messages[number].at for number in (0, -1)] == [("messages", 0), ("messages", 4)]
    assert [message.at for message in messages[1:]] == [("messages", 2), ("messages", 4)]
    assert len(messages) == 3
    with pytest.raises(IndexError):
        messages[3]


def test_a_call_in_the_old_form_has_the_place_of_its_property() -> None:
    function_call = {"name": "look", "arguments": "{}"}
    message = {"role": "assistant", "content": None, "function_call": function_call}
    (choice,) = views.Completion({"choices": [{"index": 0, "message": message}]}).choices
    assert [call.at for call in choice.called] == [("choices", 0, "message", "function_call")]
    assert choice.calls == ()
