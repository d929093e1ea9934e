"""Test streams with one fault of a text or of a call, at any place."""

from __future__ import annotations

import copy
from itertools import pairwise
from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st
from streamed import (
    TOOL,
    Json,
    Streamed,
    arguments_of,
    begins_call,
    chunk_of,
    count_of_calls,
    ends,
    fragments_of,
    has_role,
    pieces_of,
    replaced,
    serious,
    sse_of,
    streams,
    text_of,
    with_properties,
)


@given(streams(most_choices=1, least_calls=2), st.sampled_from(["missing", None, 0]))
def test_calls_that_nobody_can_tell_apart_are_one_finding(streamed: Streamed, index: Any) -> None:
    request, chunks = streamed
    chunks = copy.deepcopy(chunks)
    for fragment in (fragment for chunk in chunks if chunk["choices"] for fragment in fragments_of(chunk)):
        fragment.pop("index")
        if index != "missing":
            fragment["index"] = index
    rule = {"missing": "tool-call-index-missing", None: "null-value", 0: "tool-call-index-reused"}[index]
    assert [one.rule for one in serious(request, sse_of(chunks))] == [rule]


@given(st.text("abé 1", min_size=3, max_size=12), st.sampled_from(["content", "reasoning_content"]), st.data())
def test_text_that_each_delta_repeats_is_found_however_short_it_is(text: str, name: str, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.sets(st.integers(1, len(text) - 1), min_size=2)))
    deltas = [{"role": "assistant", "content": ""}, *({name: text[:cut]} for cut in [*cuts, len(text)])]
    if name != "content":
        deltas += [{"content": "Well."}, {"content": " Yes, " * 5}]
    chunks = [*(chunk_of(0, delta) for delta in deltas), chunk_of(0, {}, "stop")]
    found = serious({"model": "gpt-4.1-mini", "messages": [], "stream": True}, sse_of(chunks))
    assert "content-cumulative" in {one.rule for one in found}


@given(streams(most_choices=1, most_calls=0), st.data())
def test_text_that_is_sent_again_at_its_end_is_one_finding(streamed: Streamed, data: st.DataObject) -> None:
    request, chunks = streamed
    places = [place for place, chunk in enumerate(chunks) if chunk["choices"] and text_of(chunk)]
    assume(len(places) > 2)
    last = data.draw(st.sampled_from(places[2:]))
    text = "".join(text_of(chunk) for chunk in chunks[: last + 1] if chunk["choices"])
    chunks = [*chunks[: last + 1], with_properties(chunks[last], delta={"content": text}), *chunks[places[-1] + 1 :]]
    found = [(one.rule, one.source.event) for one in serious(request, sse_of(chunks))]
    assert found == ([("content-cumulative", last + 1)] if len(text) > 5 else [])


@given(st.sampled_from(["content", "reasoning", "reasoning_content"]), st.data())
def test_text_that_is_sent_again_before_a_long_call_or_a_long_text_is_one_finding(
    name: str, data: st.DataObject
) -> None:
    begin = {"index": 0, "id": "call_Fake00", "type": "function", "function": {"name": "look_up", "arguments": ""}}
    pieces = '{"city": "Paris, and many more"}'
    call = [
        {"tool_calls": [begin]},
        *({"tool_calls": [{"index": 0, "function": {"arguments": one}}]} for one in pieces),
    ]
    answers = [call, [{"content": one} for one in pieces]] if name != "content" else [call]
    answer = data.draw(st.sampled_from(answers))
    texts = [*data.draw(st.composite(pieces_of)("Sunny, I think, but I can look.")), "Sunny, I think, but I can look."]
    deltas = [{"role": "assistant", "content": ""}, *({name: text} for text in texts), *answer]
    chunks = [*(chunk_of(0, delta) for delta in deltas), chunk_of(0, {}, "tool_calls" if answer is call else "stop")]
    request: Json = {"model": "gpt-4.1-mini", "messages": [{"role": "user", "content": "Weather?"}], "stream": True}
    found = [(one.rule, one.source.event) for one in serious({**request, "tools": [TOOL]}, sse_of(chunks))]
    assert found == [("content-cumulative", len(texts))]


@given(streams(least_calls=1), st.booleans(), st.data())
def test_whole_call_behind_its_fragments_is_one_finding(streamed: Streamed, begins: bool, data: st.DataObject) -> None:
    request, chunks = streamed
    last = [
        place
        for place, (chunk, following) in enumerate(pairwise(chunks))
        if chunk["choices"] and fragments_of(chunk) and (not fragments_of(following) or begins_call(following))
    ]
    place = data.draw(st.sampled_from(last))
    begin = max(at for at, chunk in enumerate(chunks[: place + 1]) if chunk["choices"] and begins_call(chunk))
    arguments = "".join(map(arguments_of, chunks[begin : place + 1]))
    [first] = fragments_of(chunks[begin])
    call = copy.deepcopy(first) if begins else {"index": first["index"]}
    call["function"] = {**call.get("function", {}), "arguments": arguments}
    again = with_properties(chunks[place], delta={"tool_calls": [call]})
    found = serious(request, sse_of([*chunks[: place + 1], again, *chunks[place + 1 :]]))
    assert [one.rule for one in found] == ["content-cumulative"]


@given(streams(least_calls=1))
def test_lost_chunk_with_the_role_and_the_beginning_of_a_call_is_one_finding(streamed: Streamed) -> None:
    request, chunks = streamed
    first = next(place for place, chunk in enumerate(chunks) if chunk["choices"] and begins_call(chunk))
    assume(has_role(chunks[first - 1]))
    found = serious(request, sse_of([*chunks[: first - 1], *chunks[first + 1 :]]))
    assert [one.rule for one in found] == ["role-missing"]


@given(streams(), st.sampled_from(["é", "€", "😀"]), st.data())
def test_character_that_is_split_over_two_events_is_one_finding(
    streamed: Streamed, character: str, data: st.DataObject
) -> None:
    request, chunks = streamed
    place = data.draw(
        st.sampled_from([place for place, chunk in enumerate(chunks) if chunk["choices"] and ends(chunk)])
    )
    halves = [with_properties(chunks[place], delta={"content": mark}, finish_reason=None) for mark in ("<1>", "<2>")]
    cut = data.draw(st.integers(1, len(character.encode()) - 1))
    sse = sse_of([*chunks[:place], *halves, *chunks[place:]]).encode()
    sse = sse.replace(b"<1>", character.encode()[:cut]).replace(b"<2>", character.encode()[cut:])
    assert [(one.rule, one.source.event) for one in serious(request, sse)] == [("sse-bad-utf8", place)]


@given(streams(most_choices=1, least_calls=1), st.booleans(), st.data())
def test_fragment_under_an_index_of_no_call_is_one_finding(
    streamed: Streamed, all_with_type: bool, data: st.DataObject
) -> None:
    request, chunks = streamed
    places = [
        place
        for place, chunk in enumerate(chunks)
        if chunk["choices"] and "id" not in (chunk["choices"][0]["delta"].get("tool_calls") or [{"id": 0}])[0]
    ]
    chunks = copy.deepcopy(chunks)
    place = data.draw(st.sampled_from(places))
    chunks[place]["choices"][0]["delta"]["tool_calls"][0]["index"] = 7
    if all_with_type:
        for fragment in (fragment for chunk in chunks if chunk["choices"] for fragment in fragments_of(chunk)):
            fragment["type"] = "function"
    in_parallel = {} if count_of_calls(chunks) > 1 else {"parallel_tool_calls": False}
    found = serious(request | in_parallel, sse_of(chunks))
    of_index = [one for one in found if one.rule != "tool-call-type-repeated"]
    assert [(one.rule, one.source.event) for one in of_index] == [("tool-call-name-missing", place)]


@given(streams(), st.sampled_from(["\ufffd", "<|im_end|>"]), st.data())
def test_fault_of_a_text_stands_at_the_event_that_brought_it(
    streamed: Streamed, mark: str, data: st.DataObject
) -> None:
    request, chunks = streamed
    places = [place for place, chunk in enumerate(chunks) if chunk["choices"] and text_of(chunk)]
    assume(places)
    place = data.draw(st.sampled_from(places))
    text = text_of(chunks[place]) + mark
    found = serious(request, sse_of(replaced(chunks, place, with_properties(chunks[place], delta={"content": text}))))
    assert all(one.source.event == place for one in found)
    assert {one.rule for one in found} <= {"replacement-character", "markup-in-content"}
    assert found or mark != "\ufffd"


@given(streams(least_calls=1), st.data())
def test_arguments_that_are_no_json_stand_at_the_event_that_spoils_them(
    streamed: Streamed, data: st.DataObject
) -> None:
    request, chunks = streamed
    places = [place for place, chunk in enumerate(chunks) if chunk["choices"] and arguments_of(chunk)]
    place = data.draw(st.sampled_from(places))
    chunks = copy.deepcopy(chunks)
    chunks[place]["choices"][0]["delta"]["tool_calls"][0]["function"]["arguments"] = (
        "\n" + arguments_of(chunks[place]) + "\n,,"
    )
    found = serious(request, sse_of(chunks))
    assert [(one.rule, one.source.event) for one in found] == [("arguments-not-json", place)]
