"""Test that markup which a server leaked is found, and that an answer which only mentions markup is not reported."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.validator import check

MARKERS = (
    "<|im_end|>", "<|im_start|>", "<|channel|>", "<|eot_id|>", "<tool_call>", "</tool_call>", "[TOOL_CALLS]",
    "<|tool_call>", "<｜DSML｜tool_calls>", "<｜end▁of▁sentence｜>", "<end_of_turn>", "]<]minimax[>[", "<think>",
    "</think>", "[/THINK]", "</s>", "<tool_call:opensource>", "</tool_calls:opensource>", "</think:opensource>",
    "</toolcall>", "</longcat_tool_call>", "</xai:function_call>", "<arg_key>", "</arg_value>", "<tool_sep>",
    "<function=f>", "</function>", "<parameter=a>", "</parameter>", '<invoke name="f">', "</invoke>", "<turn|>",
    "<|channel>", "<|tool_response>", "<channel|>",
    "<start_of_turn>", "<end_function_call>", "[TOOL_RESULTS]", "[AVAILABLE_TOOLS]", "[ARGS]", "[CALL_ID]", "[/INST]",
)  # fmt: skip
RULES = ("markup-in-content", "thoughts-in-content", "replacement-character", "call-as-text")
MARKER = st.sampled_from(MARKERS)
WORD = st.sampled_from(["the", "token", "ends", "a", "turn", "and", "parser", "reads", "model", "writes", "Paris"])
WORDS = st.lists(WORD, min_size=1, max_size=6).map(" ".join)


def find_rules(
    content: str | None, *, question: str = "Hi", message: dict[str, Any] | None = None, **request: Any
) -> set[str]:
    answer = {
        "object": "chat.completion",
        "choices": [{"index": 0, "message": {"content": content, **(message or {})}, "finish_reason": "stop"}],
    }
    request_body = {"model": "m", "messages": [{"role": "user", "content": question}], **request}
    return {finding.rule for finding in check(answer, kind="completion", request=request_body, select=RULES).findings}


@given(before=WORDS, marker=MARKER, after=WORDS)
def test_markup_inside_a_sentence_is_not_reported(before: str, marker: str, after: str) -> None:
    assert not find_rules(f"{before} {marker} {after}.")
    assert not find_rules(f'{before} "{marker}", {after}.')


@given(before=WORDS, marker=MARKER, other=MARKER, after=WORDS)
def test_markup_in_code_is_not_reported(before: str, marker: str, other: str, after: str) -> None:
    assert not find_rules(f"{before}\n```\n{marker}{other}\n{marker}\n```\n{after}")
    assert not find_rules(f"{before} `{marker}`")
    assert not find_rules(f"`{marker}` {after}")


@given(marker=MARKER, text=WORDS)
def test_markup_that_the_request_mentions_is_not_reported(marker: str, text: str) -> None:
    question = f"What do {marker} and {marker.replace('/', '')} mean?"
    assert not find_rules(f"{text}{marker}", question=question)
    assert not find_rules(f"{marker}\n{text}", question=question)


@given(text=st.text(st.characters(exclude_characters="<[◁\ufffd", exclude_categories=["Cs"]), max_size=40))
def test_text_without_markup_is_not_reported(text: str) -> None:
    assert not find_rules(text)


@pytest.mark.parametrize("marker", [marker for marker in MARKERS if "hink" not in marker.lower()])
@given(text=WORDS)
def test_markup_at_the_end_of_an_answer_is_reported(marker: str, text: str) -> None:
    assert find_rules(f"{text}{marker}") == {"markup-in-content"}
    assert find_rules(f"{text}\n{marker}\n") == {"markup-in-content"}


THOUGHTS = (
    ("<think>", "</think>"), ("<thinking>", "</thinking>"), ("<thought>", "</thought>"), ("<THOUGHTS>", "</THOUGHTS>"),
    ("<reasoning>", "</reasoning>"), ("<mm:think>", "</mm:think>"), ("<seed:think>", "</seed:think>"),
    ("<think:opensource>", "</think:opensource>"), ("[THINK]", "[/THINK]"), ("◁think▷", "◁/think▷"),
)  # fmt: skip


@pytest.mark.parametrize(("begin", "end"), THOUGHTS)
def test_each_pair_of_tags_around_thoughts_is_known_by_its_beginning_and_by_its_end(begin: str, end: str) -> None:
    assert find_rules(f"{begin}\nSo I greet.\n{end}\nHo") == {"thoughts-in-content"}
    assert find_rules(f"So I greet.\n{end}\nHo") == {"thoughts-in-content"}
    assert not find_rules(f"Ho. {begin}So I greet.{end}\nHo")


@given(thoughts=WORDS, text=WORDS)
def test_thoughts_before_an_answer_are_reported(thoughts: str, text: str) -> None:
    assert find_rules(f"<think>\n{thoughts}\n</think>\n\n{text}") == {"thoughts-in-content"}
    assert find_rules(f"{thoughts}.\n</think>\n\n{text}") == {"thoughts-in-content"}
    assert find_rules(f"{thoughts}.</think>{text}") == {"thoughts-in-content"}


@given(text=st.text(st.sampled_from('<>|/[]｜ \n`"{}:=a_'), max_size=60), arguments=st.text('<>|/{}":&;a', max_size=40))
def test_no_text_makes_a_rule_raise(text: str, arguments: str) -> None:
    call = {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": arguments}}
    tools = [{"type": "function", "function": {"name": "f"}}]
    find_rules(text, message={"reasoning_content": text, "tool_calls": [call]}, tools=tools)


def test_html_xml_and_code_that_a_user_requested_are_not_reported() -> None:
    assert not find_rules(
        "<!DOCTYPE html>\n<html><body><p>Fish &amp; chips</p></body></html>", question="Write a page."
    )
    assert not find_rules("<config>\n<parameter name='a'>1</parameter>\n</config>", question="Write XML.")
    assert not find_rules("let f x = x <| g |> h", question="Write OCaml.")


def test_call_in_markup_is_reported_unless_the_request_wants_no_call_and_asks_for_the_markup() -> None:
    call = '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>'
    tools = [{"type": "function", "function": {"name": "f"}}]
    assert find_rules(call, question=f"Answer like this: {call}", tools=tools) == {"markup-in-content"}
    assert not find_rules(call, question=f"Answer like this: {call}", tools=tools, tool_choice="none")
    assert find_rules(call, tools=tools, tool_choice="none") == {"markup-in-content"}


CALLS = (
    '{"name": "get_time", "arguments": {"zone": "CET"}}', '[{"name": "get_time", "arguments": {}}]',
    '{"function": "get_time", "parameters": {}}', '{"tool_calls": [{"name": "get_time", "args": {}}]}',
    'get_time(zone="CET")', 'get_time({"zone": "CET"})', "get_time()",
)  # fmt: skip
LAYERS = st.sampled_from([
    "{}", "```\n{}\n```", "```json\n{}\n```", "<tools>\n{}\n</tools>", "<functioncall>{}</functioncall>", "\n{}\n",
])  # fmt: skip
TIME_TOOLS = [{"type": "function", "function": {"name": "get_time"}}]


@pytest.mark.parametrize("call", CALLS)
@given(outer=LAYERS, inner=LAYERS)
def test_a_call_that_is_the_whole_content_is_reported_in_every_layer(call: str, outer: str, inner: str) -> None:
    content = outer.replace("{}", inner.replace("{}", call))
    assert find_rules(content, tools=TIME_TOOLS) == {"call-as-text"}
    assert not find_rules(content, tools=[{"type": "function", "function": {"name": "get_date"}}])
    assert not find_rules(f"Like this: {content}", tools=TIME_TOOLS)


def test_calls_behind_a_word_and_in_a_tag_of_their_own_are_reported() -> None:
    assert find_rules('functools[{"name": "get_time", "arguments": {}}]', tools=TIME_TOOLS) == {"call-as-text"}
    in_its_tag = '<get_time>{"zone": "CET"}</get_time>'
    assert find_rules(in_its_tag, tools=TIME_TOOLS) == {"call-as-text"}
    assert not find_rules(in_its_tag, tools=TIME_TOOLS, question="Answer in <get_time>…</get_time>.")
    assert not find_rules("<get_time>CET</get_time> is a tag.", tools=TIME_TOOLS)


def test_a_call_in_known_markup_is_one_finding() -> None:
    content = '<tool_call>{"name": "get_time", "arguments": {}}</tool_call>'
    assert find_rules(content, tools=TIME_TOOLS) == {"markup-in-content"}
