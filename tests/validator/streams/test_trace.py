"""Test the trace of a stream: its runs, its choices, and its tool calls."""

from __future__ import annotations

from typing import Any

import pytest

from isogloss.validator.decode import stream, stream_of_chunks
from isogloss.validator.exchange import Stream
from isogloss.validator.pointer import ABSENT
from isogloss.validator.streams.trace import Trace
from isogloss.validator.text import Text


def choice(delta: Any = None, finish: Any = None, index: Any = 0) -> dict[str, Any]:
    return {"index": index, "delta": {} if delta is None else delta, "finish_reason": finish}


def trace(*chunks: Any) -> Trace:
    return Trace(stream_of_chunks(list(chunks), Text(b"[]")))


def trace_of_choices(*choices: dict[str, Any]) -> Trace:
    """Return the trace of a stream with one choice in each chunk."""
    return trace(*({"choices": [choice]} for choice in choices))


def calls_of_deltas(*deltas: list[Any]) -> list[tuple[int | None, bool, list[Any]]]:
    """Return index, whether it is reused, and arguments of each tool call in a stream with these fragments."""
    calls = trace_of_choices(*(choice({"tool_calls": fragments}) for fragments in deltas)).calls
    return [(call.index, call.reuses, call.strings("arguments")) for call in calls]


def fragment(arguments: str = "", **properties: Any) -> dict[str, Any]:
    name = properties.pop("name", None)
    return {**properties, "function": {"arguments": arguments} | ({"name": name} if name else {})}


def sse_stream(text: str) -> Stream:
    return stream(Text(text.encode()))


def test_run_begins_where_a_property_differs_from_the_chunk_before() -> None:
    values = [{"id": "a"}, {"id": "a"}, {}, {"id": None}, {"id": "b"}, {"id": ["b"]}]
    runs = trace(*({"choices": [], **value} for value in values)).runs["id"]
    assert [(mark.event, mark.value) for mark in runs] == [(0, "a"), (2, ABSENT), (3, None), (4, "b"), (5, ABSENT)]


def test_change_is_from_one_value_to_another_and_skips_missing_or_empty_values() -> None:
    values = [{"id": "a"}, {"id": ""}, {"id": "a"}, {}, {"id": None}, {"id": "b"}, {"id": "b"}, {"id": "a"}]
    changes = trace(*({"choices": [], **value} for value in values)).changes("id")
    assert [(mark.event, mark.value) for mark in changes] == [(5, "b"), (7, "a")]


def test_created_of_zero_makes_no_change() -> None:
    assert list(trace({"created": 0}, {"created": 1}, {"created": 0}).changes("created")) == []


def test_events_are_sorted_into_chunks_errors_and_others() -> None:
    found = Trace(
        sse_stream(
            'data: {"choices":[]}\n\ndata: {"error":{"message":"x"}}\n\ndata:\n\ndata: ]\n\ndata: 1\n\ndata: [DONE]\n\n'
        )
    )
    assert [event for event, _ in found.chunks] == [0]
    assert [event for event, _ in found.errors] == [1]
    assert found.blank == [2]
    assert found.faulty == [3, 4]
    assert found.done == [5]
    assert found.empty == [0]


def test_a_null_error_is_no_error() -> None:
    assert trace({"error": None, "choices": []}).errors == []


def test_a_capture_that_stops_inside_an_event_is_cut() -> None:
    assert Trace(sse_stream('data: {"choices":[]}\n\ndata: {"cho')).cut
    assert Trace(sse_stream('data: {"choices":[]}\n\ndata: {"cho\n\n')).cut


def test_a_capture_that_stops_between_events_is_not_cut() -> None:
    assert not Trace(sse_stream('data: {"choices":[]}\n\n')).cut
    assert not Trace(sse_stream('data: {"choices":[]}\n\ndata: [DONE]\n')).cut
    assert not trace({"choices": []}).cut


def test_choice_without_an_index_has_the_index_of_its_position() -> None:
    found = trace({"choices": [{"delta": {"content": "a"}}, {"delta": {"content": "b"}}]}, {"choices": [choice()]})
    assert {index: len(choice_trace.deltas) for index, choice_trace in found.choices.items()} == {0: 2, 1: 1}


def test_empty_finish_reasons_do_not_finish_a_choice() -> None:
    choice_trace = trace_of_choices(
        choice(finish=""), choice({"content": "a"}), choice(finish="stop"), choice({"content": "b"})
    ).choices[0]
    assert [mark.event for mark in choice_trace.blank_finishes] == [0]
    assert [(mark.event, mark.value) for mark in choice_trace.finishes] == [(2, "stop")]
    assert [delta.event for delta in choice_trace.after] == [3]


def test_answer_property_of_a_delta_is_the_first_with_content() -> None:
    deltas = [
        {"role": "assistant"},
        {"content": ""},
        {"content": None, "refusal": "no"},
        {"tool_calls": []},
        {"tool_calls": [{"index": 0, "type": "function", "function": {"arguments": ""}}]},
        {"tool_calls": [{"index": 0, "function": {"arguments": "{"}}]},
        {"audio": {"expires_at": 1}},
        {"audio": {"data": "AAAA"}},
        {"content": [{"type": "text", "text": "a"}]},
        {"token_id": 5},
    ]
    answer_properties = [delta.answer_property for delta in trace_of_choices(*map(choice, deltas)).choices[0].deltas]
    expected = [None, None, "refusal", None, None, "tool_calls", None, "audio", "content", None]
    assert answer_properties == expected


@pytest.mark.parametrize(
    ("last", "reason"),
    [
        (choice({"audio": {"expires_at": 1}}), "stop"),
        ({"index": 0, "delta": {}, "finish_details": {"type": "stop", "stop": "<|fim_suffix|>"}}, "stop"),
        ({"index": 0, "delta": {}, "finish_details": {"type": "max_tokens"}}, "length"),
        ({"index": 0, "delta": {}, "finish_details": "stop"}, None),
        (choice({"content": ""}), None),
    ],
)
def test_last_delta_of_a_choice_may_stand_for_its_finish_reason(last: dict[str, Any], reason: str | None) -> None:
    assert trace_of_choices(choice({"content": "a"}), last).choices[0].implied_finish == reason
    assert trace_of_choices(last, choice({"content": ""})).choices[0].implied_finish is None


@pytest.mark.parametrize(
    ("model", "delta", "reason"),
    [
        ("gpt-audio-2025-08-28", {"tool_calls": [fragment(index=0, id="a", name="f")]}, "tool_calls"),
        ("gpt-audio-2025-08-28", {"content": "a"}, "stop"),
        ("gpt-4o", {"content": "a"}, None),
        (None, {"content": "a"}, None),
    ],
)
def test_chunk_without_choices_ends_the_answer_of_an_audio_model(
    model: str | None, delta: dict[str, Any], reason: str | None
) -> None:
    chunk = {"object": "chat.completion.chunk", "model": model}
    with_choice = {**chunk, "choices": [choice(delta)]}
    assert trace(with_choice, chunk).choices[0].implied_finish == reason
    assert trace(chunk, with_choice).choices[0].implied_finish is None


def test_fragments_are_collected_by_index() -> None:
    assert calls_of_deltas(
        [fragment(index=0, id="a", name="f")],
        [fragment(index=1, id="b", name="f")],
        [fragment("1", index=0), fragment("2", index=1)],
        [fragment("3", index=0)],
    ) == [(0, False, ["1", "3"]), (1, False, ["2"])]


def test_a_new_id_with_a_name_begins_another_call_at_the_same_index() -> None:
    assert calls_of_deltas(
        [fragment("1", index=0, id="a", name="f")], [fragment("2", index=0, id="b", name="f")], [fragment("3", index=0)]
    ) == [(0, False, ["1"]), (0, True, ["2", "3"])]


def test_a_new_id_without_a_name_continues_the_call() -> None:
    assert calls_of_deltas([fragment("1", index=0, id="a", name="f")], [fragment("2", index=0, id="b")]) == [
        (0, False, ["1", "2"])
    ]


def test_without_an_index_a_new_id_begins_a_call() -> None:
    assert calls_of_deltas([fragment("1", id="a", name="f")], [fragment("2")], [fragment("3", id="b", name="f")]) == [
        (None, False, ["1", "2"]),
        (None, False, ["3"]),
    ]


@pytest.mark.parametrize(
    ("begun", "calls"),
    [
        ({}, [(0, False, ["1", "2"])]),
        ({"id": "b"}, [(None, False, ["1"]), (0, False, ["2"])]),
        ({"name": "g"}, [(None, False, ["1"]), (0, False, ["2"])]),
    ],
)
def test_a_first_index_continues_the_last_call_unless_an_id_or_a_name_begins_another(
    begun: dict[str, Any], calls: list[Any]
) -> None:
    assert calls_of_deltas([fragment("1", id="a", name="f")], [fragment("2", index=0, **begun)]) == calls


def test_without_an_index_the_fragments_of_one_delta_are_calls_of_their_own() -> None:
    assert calls_of_deltas([fragment("1", name="f"), fragment("2", name="f")]) == [
        (None, False, ["1"]),
        (None, False, ["2"]),
    ]


def test_a_custom_tool_call_has_its_name_and_input_in_custom() -> None:
    custom_call = {"index": 0, "id": "a", "type": "custom", "custom": {"name": "run", "input": "ls"}}
    (call,) = trace_of_choices(choice({"tool_calls": [custom_call]})).calls
    assert call.strings("name") == ["run"]
    assert call.strings("input") == ["ls"]
    assert call.names[0].at == ("choices", 0, "delta", "tool_calls", 0, "custom", "name")


def test_nulls_are_recorded_in_later_fragments_only() -> None:
    null = {"index": 0, "id": None, "function": {"name": None, "arguments": ""}}
    (call,) = trace_of_choices(choice({"tool_calls": [null]}), choice({"tool_calls": [null]})).calls
    assert [(mark.event, mark.at[-1]) for mark in call.nulls] == [(1, "id"), (1, "name")]


def test_index_written_as_a_float_is_used_if_it_is_a_possible_index() -> None:
    assert list(trace_of_choices(choice(index=2.0)).choices) == [2]
    assert list(trace_of_choices(choice(index=2.0**62)).choices) == [2**62]
    assert list(trace_of_choices(choice(index=1e300)).choices) == [0]
    assert list(trace_of_choices(choice(index=2.0**63)).choices) == [0]
    assert list(trace_of_choices(choice(index=0.5)).choices) == [0]


def test_a_null_in_the_function_of_a_fragment_is_recorded_also_if_the_fragment_has_no_other() -> None:
    fragments = [{"index": 0, "function": {"name": name, "arguments": "{"}} for name in ("f", None)]
    [call] = trace_of_choices(*(choice({"tool_calls": [one]}) for one in fragments)).calls
    assert [(mark.event, mark.at[-2:]) for mark in call.nulls] == [(1, ("function", "name"))]


def test_object_with_an_id_and_a_model_alone_is_no_chunk() -> None:
    found = trace({"choices": []}, {"model": "m", "id": "x"}, {"model": "m", "created": 1})
    assert [event for event, _ in found.chunks] == [0, 2]
    assert [event for event, _ in found.no_chunks] == [1]


def test_two_choices_on_one_chunk_are_not_one_choice_whose_index_changes() -> None:
    both = {"choices": [choice({"content": "a"}), choice({"content": "b"}, index=1)]}
    found = trace({"choices": [choice({"role": "assistant"})]}, both)
    assert sorted(found.choices) == [0, 1]
    assert found.index_change is None


@pytest.mark.parametrize(
    "choices",
    [
        # a choice that says something as it ends is more than the end of the first
        [choice({"role": "assistant", "content": "a"}), choice({"role": "assistant", "content": "b"}, "stop", 1)],
        # indexes that leave some out do not count the chunks
        [
            choice({"role": "assistant", "content": "a"}),
            choice({"role": "assistant", "content": "b"}, None, 1),
            choice({"role": "assistant", "content": "c"}, "stop", 3),
        ],
        # of two choices that are mixed and equally long, neither is a few strays of the other
        [
            choice({"role": "assistant", "content": "a"}),
            choice({"content": "b"}, None, 1),
            choice({"content": "c"}, "stop"),
            choice({"content": "d"}, None, 1),
        ],
    ],
    ids=["end that says something", "gaps between indexes", "as many chunks"],
)
def test_choices_that_may_be_several_are_not_joined(choices: list[dict[str, Any]]) -> None:
    found = trace_of_choices(*choices)
    assert (sorted(found.choices), found.index_change) == (sorted({one["index"] for one in choices}), None)


@pytest.mark.parametrize(("finish", "read"), [("null", "ab"), ('"stop"', "a"), (None, "b")])
def test_choices_behind_an_end_are_read_unless_all_choices_were_finished_before(finish: str | None, read: str) -> None:
    first = 'data: {"choices": [{"index": 0, "delta": {"content": "a"}, "finish_reason": %s}]}\n\n'
    behind = 'data: [DONE]\n\ndata: {"choices": [{"index": 0, "delta": {"content": "b"}}]}\n\n'
    found = Trace(sse_stream((first % finish if finish else "") + behind))
    assert "".join(delta.delta["content"] for delta in found.choices[0].deltas) == read


def test_event_that_says_it_is_a_completion_and_has_a_delta_is_a_chunk() -> None:
    said: dict[str, Any] = {"index": 0, "message": {"role": "assistant", "content": "a"}}
    whole, mixed = (
        {"object": "chat.completion", "choices": [choice]} for choice in (said, said | {"delta": {"content": "a"}})
    )
    found = trace(whole, mixed)
    assert ([event for event, _ in found.no_chunks], [event for event, _ in found.chunks]) == ([0], [1])


def text(words: str = "a", **others: Any) -> dict[str, Any]:
    return {"content": words, **others}


def test_text_in_parts_in_parts_of_content_is_an_answer() -> None:
    thinking = {"type": "thinking", "thinking": [{"type": "text", "text": "a"}]}
    (delta,) = trace_of_choices(choice({"content": [thinking]})).choices[0].deltas
    assert delta.answer_property == "content"


ROLE = {"role": "assistant"}


@pytest.mark.parametrize(
    ("choices", "holds_several"),
    [
        ([choice(ROLE), choice(text(), "stop"), choice(ROLE), choice(text(), "stop")], True),
        ([choice(text(**ROLE), "stop"), choice(text(**ROLE), "stop")], False),
        ([choice(text(**ROLE)), choice(text(**ROLE), "stop"), choice(text("", **ROLE), "stop")], False),
        ([choice(text(**ROLE)), choice(text(**ROLE), "stop"), choice(text("b", **ROLE), "stop")], True),
        ([choice(ROLE), choice(text(**ROLE)), choice(text(**ROLE), "stop"), choice(text(), "stop")], False),
    ],
)
def test_a_choice_with_several_ends_and_as_many_roles_holds_several(
    choices: list[dict[str, Any]], holds_several: bool
) -> None:
    assert trace_of_choices(*choices).choices[0].holds_several is holds_several


@pytest.mark.parametrize(
    ("choices", "restarts"),
    [
        ([choice(text(**ROLE)), choice(finish="stop"), choice(text()), choice(ROLE), choice(text())], True),
        ([choice(text(**ROLE)), choice(finish="stop"), choice(ROLE, "stop"), choice(text())], False),
        ([choice(ROLE), choice(text(**ROLE), "stop"), choice(ROLE), choice(text())], False),
        ([choice(ROLE), choice(finish="stop"), choice(ROLE), choice(text())], False),
    ],
)
def test_a_role_behind_the_end_begins_the_choice_again_if_it_has_brought_something(
    choices: list[dict[str, Any]], restarts: bool
) -> None:
    traced = trace_of_choices(*choices).choices[0]
    assert traced.restarts is restarts
    assert [delta.event for delta in traced.all_deltas] == list(range(len(choices)))
    assert [delta.event for delta in traced.deltas] == list(range(3 if restarts else len(choices)))


def test_deltas_behind_the_last_end_are_late() -> None:
    choices = [choice(text()), choice(finish="stop"), choice(text()), choice(finish="stop"), choice(text())]
    assert [delta.event for delta in trace_of_choices(*choices).choices[0].late] == [4]
    assert trace_of_choices(choice(text())).choices[0].late == []


def test_of_very_many_calls_in_one_delta_the_first_ones_are_followed() -> None:
    calls = [{"index": number, "id": str(number), "function": {"name": "f"}} for number in range(1200)]
    assert len(trace_of_choices(choice({"tool_calls": calls})).choices[0].calls) == 1000
