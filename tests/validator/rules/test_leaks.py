"""What an answer says of a model's markup is told from markup that a server let slip."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.validator import check

MARKERS = (
    "<|im_end|>", "<|im_start|>", "<|channel|>", "<|eot_id|>", "<tool_call>", "</tool_call>", "[TOOL_CALLS]",
    "<|tool_call>", "<｜DSML｜tool_calls>", "<｜end▁of▁sentence｜>", "<end_of_turn>", "]<]minimax[>[", "<think>",
    "</think>", "[/THINK]",
)  # fmt: skip
RULES = ("markup-in-content", "thoughts-in-content", "replacement-character", "call-as-text")
MARKER = st.sampled_from(MARKERS)
WORD = st.sampled_from(["the", "token", "ends", "a", "turn", "and", "parser", "reads", "model", "writes", "Paris"])
WORDS = st.lists(WORD, min_size=1, max_size=6).map(" ".join)


def found(content: str | None, *, asked: str = "Hi", message: dict[str, Any] | None = None, **request: Any) -> set[str]:
    answer = {
        "object": "chat.completion",
        "choices": [{"index": 0, "message": {"content": content, **(message or {})}, "finish_reason": "stop"}],
    }
    asks = {"model": "m", "messages": [{"role": "user", "content": asked}], **request}
    return {finding.rule for finding in check(answer, kind="completion", request=asks, select=RULES).findings}


@given(before=WORDS, marker=MARKER, after=WORDS)
def test_markup_inside_a_sentence_is_spoken_of(before: str, marker: str, after: str) -> None:
    assert not found(f"{before} {marker} {after}.")
    assert not found(f'{before} "{marker}", {after}.')


@given(before=WORDS, marker=MARKER, other=MARKER, after=WORDS)
def test_markup_in_code_is_spoken_of(before: str, marker: str, other: str, after: str) -> None:
    assert not found(f"{before}\n```\n{marker}{other}\n{marker}\n```\n{after}")
    assert not found(f"{before} `{marker}`")
    assert not found(f"`{marker}` {after}")


@given(marker=MARKER, text=WORDS)
def test_markup_that_the_request_mentions_is_answered(marker: str, text: str) -> None:
    asked = f"What do {marker}, <think> and [THINK] mean?"
    assert not found(f"{text}{marker}", asked=asked)
    assert not found(f"{marker}\n{text}", asked=asked)


@given(text=st.text(st.characters(exclude_characters="<[◁\ufffd", exclude_categories=["Cs"]), max_size=40))
def test_text_without_markup_is_left_alone(text: str) -> None:
    assert not found(text)


@pytest.mark.parametrize("marker", [marker for marker in MARKERS if "hink" not in marker.lower()])
@given(text=WORDS)
def test_markup_that_ends_an_answer_has_leaked(marker: str, text: str) -> None:
    assert found(f"{text}{marker}") == {"markup-in-content"}
    assert found(f"{text}\n{marker}\n") == {"markup-in-content"}


@given(thoughts=WORDS, text=WORDS)
def test_thoughts_before_an_answer_have_leaked(thoughts: str, text: str) -> None:
    assert found(f"<think>\n{thoughts}\n</think>\n\n{text}") == {"thoughts-in-content"}
    assert found(f"{thoughts}.\n</think>\n\n{text}") == {"thoughts-in-content"}
    assert found(f"{thoughts}.</think>{text}") == {"thoughts-in-content"}


@given(text=st.text(st.sampled_from('<>|/[]｜ \n`"{}:=a_'), max_size=60), arguments=st.text('<>|/{}":&;a', max_size=40))
def test_no_text_makes_a_rule_raise(text: str, arguments: str) -> None:
    call = {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": arguments}}
    tools = [{"type": "function", "function": {"name": "f"}}]
    found(text, message={"reasoning_content": text, "tool_calls": [call]}, tools=tools)


def test_html_and_xml_that_a_user_asked_for_are_no_markup_of_a_model() -> None:
    assert not found("<!DOCTYPE html>\n<html><body><p>Fish &amp; chips</p></body></html>", asked="Write a page.")
    assert not found("<config>\n<parameter name='a'>1</parameter>\n</config>", asked="Write XML.")
    assert not found("let f x = x <| g |> h", asked="Write OCaml.")
