"""Test what folding makes of the properties of chunks: which values are joined, and which of several counts."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.validator.decode import stream_of_chunks
from isogloss.validator.streams.fold import Folded, fold
from isogloss.validator.streams.tool_call_trace import Fragment
from isogloss.validator.streams.trace import Trace
from isogloss.validator.text import Text


def fold_all(*chunks: Any) -> Folded:
    folded = fold(Trace(stream_of_chunks(list(chunks), Text(b"[]"))))
    assert folded is not None
    return folded


def fold_message(*deltas: Any) -> Any:
    return fold_all(*({"choices": [{"index": 0, "delta": delta}]} for delta in deltas)).value["choices"][0]["message"]


def fold_call(*fragments: Any) -> Any:
    (tool_call,) = fold_message(*({"tool_calls": [fragment]} for fragment in fragments))["tool_calls"]
    return tool_call


def test_stream_without_a_choice_has_no_fold() -> None:
    assert fold(Trace(stream_of_chunks([{"choices": []}, {"id": "a"}], Text(b"[]")))) is None


def test_fold_has_the_first_finish_reason_that_is_not_empty() -> None:
    reasons: list[Any] = [None, "", "stop", "length"]
    folded = fold_all(*({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]} for reason in reasons))
    assert folded.value["choices"][0]["finish_reason"] == "stop"
    assert folded.event(("choices", 0, "finish_reason")) == 2


def test_a_choice_that_is_never_finished_has_a_null_finish_reason() -> None:
    assert fold_all({"choices": [{"index": 0, "delta": {"content": "a"}}]}).value["choices"][0]["finish_reason"] is None


def test_envelope_property_that_is_empty_at_first_has_its_later_value() -> None:
    chunks: list[Any] = [{"id": "", "created": 0, "prompt_filter_results": []}, {"id": "a", "created": 1}, {"id": None}]
    completion = fold_all(*({**chunk, "choices": [{"index": 0, "delta": {}}]} for chunk in chunks)).value
    assert (completion["id"], completion["created"], completion["prompt_filter_results"]) == ("a", 1, [])


def test_fold_has_the_last_usage() -> None:
    chunks: list[Any] = [{"usage": {"total_tokens": 1}}, {"usage": {"total_tokens": 2}}, {"usage": None}]
    completion = fold_all(*({**chunk, "choices": [{"index": 0, "delta": {}}]} for chunk in chunks)).value
    assert completion["usage"] == {"total_tokens": 2}


def test_repeated_roles_ids_types_and_names_are_not_joined() -> None:
    fragment = {"index": 0, "id": "a", "type": "function", "function": {"name": "f", "arguments": "1"}}
    assert fold_call(fragment, fragment) == {
        "id": "a",
        "type": "function",
        "function": {"name": "f", "arguments": "11"},
    }
    assert fold_message({"role": "assistant"}, {"role": "assistant"})["role"] == "assistant"


def test_a_name_in_pieces_is_joined() -> None:
    assert fold_call({"index": 0, "function": {"name": "get_"}}, {"index": 0, "function": {"name": "time"}}) == {
        "function": {"name": "get_time"}
    }


@pytest.mark.parametrize(("names", "folded"), [(["", ""], ""), ([5, 5], 5), (["f", 5], "f"), ([5, "f"], "f")])
def test_of_names_only_texts_are_joined_and_without_text_the_first_one_counts(names: list[Any], folded: Any) -> None:
    assert fold_call(*({"index": 0, "function": {"name": name}} for name in names)) == {"function": {"name": folded}}


def test_properties_that_vendors_add_to_a_tool_call_are_kept() -> None:
    signed = {"index": 0, "id": "a", "extra_content": {"signature": "x"}, "function": {"name": "f", "arguments": "{}"}}
    assert fold_call(signed, {"index": 0, "function": {"arguments": ""}})["extra_content"] == {"signature": "x"}


def test_nulls_in_a_fragment_change_nothing() -> None:
    first = {"index": 0, "id": "a", "type": "function", "function": {"name": "f", "arguments": "{"}}
    null = {"index": 0, "id": None, "type": None, "function": {"name": None, "arguments": "}"}}
    assert fold_call(first, null) == {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}


def test_parts_and_strings_of_content_are_both_kept() -> None:
    part = {"type": "thinking", "thinking": "…"}
    assert fold_message({"content": [part]}, {"content": "a"}, {"content": "b"})["content"] == [
        part,
        {"type": "text", "text": "ab"},
    ]


def test_choices_are_in_the_order_of_their_indexes() -> None:
    folded = fold_all(*({"choices": [{"index": index, "delta": {"content": str(index)}}]} for index in (2, 0, 1)))
    assert [choice["message"]["content"] for choice in folded.value["choices"]] == ["0", "1", "2"]


def test_part_of_content_is_continued_by_the_next_delta() -> None:
    def thought(text: str) -> dict[str, Any]:
        return {"type": "thinking", "thinking": [{"type": "text", "text": text}]}

    deltas: list[Any] = [[thought("12 ")], [thought("squared")], "", [{"type": "text", "text": "1"}], "44", ""]
    assert fold_message(*({"content": content} for content in deltas))["content"] == [
        thought("12 squared"),
        {"type": "text", "text": "144"},
    ]


def test_parts_of_one_delta_and_parts_that_are_no_text_stay_apart() -> None:
    text, image = {"type": "text", "text": "a"}, {"type": "image_url", "image_url": {"url": "u"}}
    assert fold_message({"content": [text, text]}, {"content": [image, text]})["content"] == [text, text, image, text]
    assert fold_message({"content": [image]}, {"content": [image]})["content"] == [image, image]


@given(st.lists(st.lists(st.text(max_size=12), min_size=1, max_size=3), min_size=2, max_size=6))
def test_no_text_of_content_in_parts_is_lost(texts_of_deltas: list[list[str]]) -> None:
    deltas = [{"content": [{"type": "text", "text": text} for text in delta_texts]} for delta_texts in texts_of_deltas]
    parts = fold_message(*deltas)["content"]
    assert "".join(part["text"] for part in parts) == "".join(
        text for delta_texts in texts_of_deltas for text in delta_texts
    )


@pytest.mark.parametrize("role", [{"role": "assistant"}, {}])
def test_choice_whose_index_grows_with_each_chunk_is_one_choice(role: dict[str, str]) -> None:
    first = {"role": "assistant", "content": "1"}
    chunks: list[Any] = [
        {"choices": [{"index": 197 + number, "delta": delta, "finish_reason": finish}]}
        for number, (delta, finish) in enumerate(
            [(first, None), (role | {"content": "4"}, None), (role | {"content": "4"}, "stop")]
        )
    ]
    folded = fold(Trace(stream_of_chunks(chunks, Text(b"[]"))))
    assert folded is not None
    (choice,) = folded.value["choices"]
    assert (choice["message"]["content"], choice["finish_reason"]) == ("144", "stop")


def test_fold_knows_the_event_in_which_each_part_began() -> None:
    deltas: list[Any] = [
        {"role": "assistant", "content": ""},
        {"content": "a"},
        {"tool_calls": [{"index": 0, "function": {"arguments": "{}"}}]},
        {"content": "b", "tool_calls": [{"index": 0, "function": {"arguments": ""}}]},
    ]
    folded = fold_all(
        *({"id": "a", "choices": [{"index": 0, "delta": delta}]} for delta in deltas), {"usage": {"total_tokens": 1}}
    )
    pointer = ("choices", 0, "message")
    assert folded.event(("id",)) == 0
    assert folded.event((*pointer, "content")) == 1
    assert folded.event((*pointer, "tool_calls", 0, "function", "arguments")) == 2
    assert folded.event((*pointer, "refusal")) == 0
    assert folded.event(("usage", "total_tokens")) == 4
    assert folded.event(()) is None


@pytest.mark.thorough
@pytest.mark.parametrize(
    "fragment",
    [
        {"index": 0, "id": "a", "function": {"name": "f", "arguments": "1"}},
        pytest.param({"index": 0, "function": {"arguments": "1"}}, marks=pytest.mark.slow),
        {"function": {"arguments": "1"}},
        pytest.param({"index": 0, "id": None, "function": {"name": None, "arguments": "1"}}, marks=pytest.mark.slow),
    ],
    ids=["repeating all", "plain", "without index", "with nulls"],
)
def test_folding_takes_linear_time(fragment: Any) -> None:
    """Check that folding takes linear time: in quadratic time, this would take minutes."""
    chunk = {"id": "a", "choices": [{"index": 0, "delta": {"content": "a", "tool_calls": [fragment]}}]}
    start = time.process_time()
    folded = fold_all(*[chunk] * 30_000)
    assert time.process_time() - start < 10
    assert len(folded.value["choices"][0]["message"]["content"]) == 30_000


def test_message_beside_the_deltas_does_not_replace_the_folded_message() -> None:
    call = {"id": "call_1", "type": "function", "function": {"name": "now", "arguments": "{}"}}
    message = {"role": "assistant", "content": "of its own"}
    deltas = {"role": "assistant", "content": "Hel", "tool_calls": [call]}, {"content": "lo"}
    folded = fold_all(*({"choices": [{"index": 0, "delta": delta, "message": message}]} for delta in deltas))
    (choice,) = folded.value["choices"]
    assert (choice["message"]["content"], choice["message"]["tool_calls"]) == ("Hello", [call])


def test_a_repeated_channel_is_not_joined() -> None:
    assert (
        fold_message({"channel": "final", "content": "a"}, {"channel": "final", "content": "b"})["channel"] == "final"
    )


def test_lists_in_a_choice_are_joined_and_of_other_values_the_last_one_counts() -> None:
    choices = [
        {"index": 0, "delta": {}, "tags": ["a"], "score": 1},
        {"index": 0, "delta": {}, "tags": ["b"], "score": 2},
    ]
    (choice,) = fold_all(*({"choices": [choice]} for choice in choices)).value["choices"]
    assert (choice["tags"], choice["score"]) == (["a", "b"], 2)


def test_index_is_kept_as_it_is_written_if_it_is_an_integer_and_else_the_position_counts() -> None:
    indexes = [
        repr(fold_all({"choices": [{"index": written, "delta": {}}]}).value["choices"][0]["index"])
        for written in (1, 1.0, 1.5)
    ]
    assert indexes == ["1", "1.0", "0"]


def test_usage_has_the_event_of_the_last_one() -> None:
    chunks: list[Any] = [{"choices": [{"index": 0, "delta": {}}], "usage": {"total_tokens": 1}}] * 3
    assert fold_all(*chunks).event(("usage",)) == 2


def test_tool_calls_without_an_index_stand_before_those_with_one() -> None:
    deltas = [{"index": 0, "id": "with"}], [{"id": "without"}]
    message = fold_message(*({"tool_calls": fragments} for fragments in deltas))
    assert [call["id"] for call in message["tool_calls"]] == ["without", "with"]


def test_last_value_counts_even_if_it_is_false() -> None:
    chunks: list[Any] = [
        {"flagged": True, "choices": [{"index": 0, "flagged": True, "delta": {"seen": True}}]},
        {"flagged": False, "choices": [{"index": 0, "flagged": False, "delta": {"seen": False}}]},
    ]
    completion = fold_all(*chunks).value
    (choice,) = completion["choices"]
    assert (completion["flagged"], choice["flagged"], choice["message"]["seen"]) == (False, False, False)


@pytest.mark.parametrize(
    ("call", "part"),
    [
        ({"type": "custom"}, "custom"),
        ({"custom": {"name": "f"}}, "custom"),
        ({"type": "custom", "function": {"name": "f"}}, "function"),
        ({"custom": None}, "function"),
    ],
)
def test_a_call_is_custom_by_its_type_only_if_it_names_no_function(call: dict[str, Any], part: str) -> None:
    assert Fragment(0, (), {"index": 0, **call}).part == part


def test_event_of_a_tool_call_in_pieces_is_that_of_its_first_piece() -> None:
    pieces = ({"index": 0, "id": "a"}, {"index": 0, "function": {"arguments": "{"}}, {"index": 1, "id": "b"})
    folded = fold_all(*({"choices": [{"index": 0, "delta": {"tool_calls": [piece]}}]} for piece in pieces))
    assert folded.event(("choices", 0, "message", "tool_calls", 0)) == 0
    assert folded.event(("choices", 0, "message", "tool_calls", 1)) == 2


def test_a_character_of_a_text_has_the_event_that_brought_it() -> None:
    deltas: list[Any] = [
        {"content": "ab", "tool_calls": [{"index": 0, "type": "custom", "custom": {"input": "x"}}]},
        {"content": "cd", "tool_calls": [{"index": 0, "custom": {"input": "y"}}]},
    ]
    folded = fold_all(*({"choices": [{"index": 0, "delta": delta}]} for delta in deltas))
    content = ("choices", 0, "message", "content")
    assert [folded.event(content, character) for character in range(5)] == [0, 0, 1, 1, 0]
    call = ("choices", 0, "message", "tool_calls", 0, "custom", "input")
    assert [folded.event(call, character) for character in range(2)] == [0, 1]


def test_what_no_chunk_says_is_left_out() -> None:
    assert "role" not in fold_message({"content": "a"})
    assert fold_call({"index": 0, "id": "a", "function": None}, {"index": 0, "type": None}) == {"id": "a"}


def test_content_in_parts_in_parts_is_joined_however_deep_it_is_nested() -> None:
    def nested(text: str, levels: int) -> list[Any]:
        return [{"type": "parts", "parts": nested(text, levels - 1) if levels else [{"type": "text", "text": text}]}]

    assert fold_message({"content": nested("a", 2)}, {"content": nested("b", 2)})["content"] == nested("ab", 2)
    deep = fold_message(*({"content": nested(text, 400)} for text in "ab"))["content"]
    assert deep[0]["type"] == "parts"
