"""Test streams with one fault of a choice, at any place: its index, its role, its end, or the order of its chunks."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise, zip_longest
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamed import (
    USAGE,
    Json,
    Streamed,
    begins_call,
    chunk_of,
    ends,
    ends_all,
    event_of,
    fragments_of,
    has_role,
    mixed_choices,
    replaced,
    serious,
    sse_of,
    streams,
    text_of,
    with_properties,
    with_role,
    without,
)


@given(streams(most_choices=3), st.integers(3, 9), st.booleans(), st.booleans(), st.data())
def test_another_index_on_one_chunk_is_one_finding(
    streamed: Streamed, other: int, mixed: bool, all_with_role: bool, data: st.DataObject
) -> None:
    request, chunks = streamed
    if mixed:
        chunks = mixed_choices(chunks)
    if all_with_role:
        chunks = [with_role(chunk) if chunk["choices"] else chunk for chunk in chunks]
    place = data.draw(st.sampled_from([place for place, chunk in enumerate(chunks) if chunk["choices"]]))
    found = serious(request, sse_of(replaced(chunks, place, with_properties(chunks[place], index=other))))
    assert {one.rule for one in found} - ({"role-repeated"} if all_with_role else set()) == {"choice-index-changed"}


NO_INDEX: dict[str, tuple[Callable[[Json], Json], str]] = {
    "missing": (lambda choice: without(choice, "index"), "missing-property"),
    "null": (lambda choice: {**choice, "index": None}, "null-value"),
    "a string": (lambda choice: {**choice, "index": str(choice["index"])}, "wrong-type"),
    "negative": (lambda choice: {**choice, "index": -1}, "out-of-range"),
}


@given(streams(most_choices=3), st.sampled_from(sorted(NO_INDEX)), st.booleans(), st.data())
def test_no_index_on_one_chunk_or_on_those_of_one_choice_is_one_finding(
    streamed: Streamed, fault: str, mixed: bool, data: st.DataObject
) -> None:
    request, chunks = streamed
    if mixed:
        chunks = mixed_choices(chunks)
    spoil, rule = NO_INDEX[fault]
    of_choices = [place for place, chunk in enumerate(chunks) if chunk["choices"]]
    places = {data.draw(st.sampled_from(of_choices))}
    if request.get("n", 1) < 3 and data.draw(st.booleans()):
        index = chunks[min(places)]["choices"][0]["index"]
        places = {place for place in of_choices if chunks[place]["choices"][0]["index"] == index}
    for place in places:
        chunks = replaced(chunks, place, {**chunks[place], "choices": [spoil(chunks[place]["choices"][0])]})
    assert [one.rule for one in serious(request, sse_of(chunks))] == [rule]


@given(streams(least_choices=2, most_choices=3), st.sampled_from(["", *NO_INDEX]), st.booleans())
def test_choices_that_nobody_can_tell_apart_are_one_finding(streamed: Streamed, fault: str, mixed: bool) -> None:
    request, chunks = streamed
    if mixed:
        chunks = mixed_choices(chunks)
    spoil, rule = NO_INDEX.get(fault, (lambda choice: {**choice, "index": 0}, "choice-count-mismatch"))
    chunks = [{**chunk, "choices": [spoil(choice) for choice in chunk["choices"]]} for chunk in chunks]
    assert {one.rule for one in serious(request, sse_of(chunks))} == {rule}


@given(streams(most_choices=3), st.booleans(), st.booleans())
def test_index_that_counts_the_chunks_is_one_finding(streamed: Streamed, mixed: bool, all_with_role: bool) -> None:
    request, chunks = streamed
    if mixed:
        chunks = mixed_choices(chunks)
    if all_with_role:
        chunks = [with_role(chunk) if chunk["choices"] else chunk for chunk in chunks]
    chunks = [
        with_properties(chunk, index=number) if chunk["choices"] else chunk for number, chunk in enumerate(chunks)
    ]
    found = {one.rule for one in serious(request, sse_of(chunks))}
    assert found - ({"role-repeated"} if all_with_role else set()) == {"choice-index-changed"}


@given(streams(least_choices=2, most_choices=3), st.sampled_from(["roles", "ends"]), st.booleans(), st.booleans())
def test_roles_or_ends_of_all_choices_under_one_index_are_one_finding(
    streamed: Streamed, what: str, mixed: bool, first: bool
) -> None:
    request, chunks = streamed
    if mixed:
        chunks = mixed_choices(chunks)
    index = 0 if first else request["n"] - 1
    if what == "ends":
        chunks = [
            with_properties(chunk, index=index) if chunk["choices"] and ends(chunk) else chunk for chunk in chunks
        ]
    else:
        roles = [place for place, chunk in enumerate(chunks) if chunk["choices"] and has_role(chunk)]
        for place in roles:
            chunks = replaced(chunks, place, with_properties(chunks[place], index=index))
    assert {one.rule for one in serious(request, sse_of(chunks))} == {"choice-index-changed"}


@pytest.mark.parametrize("second", range(6, 12))
def test_a_second_choice_without_role_and_end_lacks_both_whichever_choice_is_longer(second: int) -> None:
    """LiteLLM 1.106.2 sends it before llama.cpp: the role and the end of the first choice alone."""
    texts = [
        [chunk_of(index, {"content": f"{number} "}) for number in range(count)]
        for index, count in ((0, 8), (1, second))
    ]
    turns = [one for turn in zip_longest(*texts) for one in turn if one is not None]
    chunks = [chunk_of(0, {"role": "assistant"}), *turns, chunk_of(0, {}, "stop")]
    request = {"model": "m", "messages": [{"role": "user", "content": "Hi"}], "stream": True, "n": 2}
    found = {one.rule for one in serious(request, sse_of(chunks))}
    assert {"role-missing", "finish-reason-missing"} <= found
    assert "choice-index-changed" not in found


@given(streams(most_choices=1), st.integers(2, 3))
def test_repeated_end_of_the_only_choice_is_found_where_more_were_asked_for(streamed: Streamed, count: int) -> None:
    request, chunks = streamed
    place = next(place for place, chunk in enumerate(chunks) if chunk["choices"] and ends(chunk))
    found = serious(request | {"n": count}, sse_of(replaced(chunks, place, chunks[place], chunks[place])))
    assert {one.rule for one in found} == {"choice-count-mismatch", "finish-reason-repeated"}


@given(streams(), st.booleans(), st.integers(0, 2), st.data())
def test_chunk_that_is_sent_twice_is_one_finding(
    streamed: Streamed, obfuscated: bool, later: int, data: st.DataObject
) -> None:
    request, chunks = streamed
    places = [
        place
        for place, chunk in enumerate(chunks)
        if chunk["choices"] and (obfuscated or not (text_of(chunk) or (fragments_of(chunk) and not begins_call(chunk))))
    ]
    place = data.draw(st.sampled_from(places))
    if obfuscated:
        texts = data.draw(st.lists(st.text("abcXYZ789", min_size=6), unique=True, min_size=len(chunks)))
        chunks = [{**chunk, "obfuscation": text} for chunk, text in zip(chunks, texts, strict=False)]
    at = place + 1 if ends(chunks[place]) else min(place + 1 + later, len(chunks))
    found = [one.rule for one in serious(request, sse_of([*chunks[:at], chunks[place], *chunks[at:]]))]
    assert len(found) == 1
    assert found[0] in (
        {"chunk-repeated"} if obfuscated else {"chunk-repeated", "role-repeated", "finish-reason-repeated"}
    ) | ({"content-after-finish", "delta-after-finish"} if _is_behind_end(chunks, place, at) else set())


@pytest.mark.parametrize("again", [True, False])
def test_a_chunk_is_repeated_only_if_all_of_it_is_the_same(again: bool) -> None:
    texts = ["Hello ", "world", " and "]
    chunks = [chunk_of(0, {"role": "assistant", "content": ""}), *(chunk_of(0, {"content": one}) for one in texts)]
    chunks = [{**chunk, "obfuscation": f"abcde{number}"} for number, chunk in enumerate(chunks)]
    repeated = chunks[2] if again else {**chunk_of(0, {"content": "all"}), "obfuscation": chunks[2]["obfuscation"]}
    request = {"model": "m", "messages": [{"role": "user", "content": "Hi"}], "stream": True}
    found = serious(request, sse_of([*chunks, repeated, chunk_of(0, {}, "stop")]))
    assert [(one.rule, one.source.event) for one in found] == ([("chunk-repeated", 4)] if again else [])


def _call(arguments: str, **begin: str) -> Json:
    function = {"arguments": arguments} | ({"name": "look_up"} if begin else {})
    return {"tool_calls": [{"index": 0, **begin, "function": function}]}


BEGIN = {"id": "call_Fake00", "type": "function"}
SAID = [chunk_of(0, {"role": "assistant", "content": ""}), chunk_of(0, {"content": "Hi"}), chunk_of(0, {}, "stop")]
ALL_SAID = chunk_of(0, {"role": "assistant", "content": "Hi"}, "stop")
CALLED = chunk_of(0, {}, "tool_calls")
SENT_AGAIN = {
    "role and end": ([ALL_SAID], 0, 1),
    "role, end and usage": ([{**ALL_SAID, "usage": USAGE}], 0, 1),
    "role behind the end": (SAID, 0, 3),
    "text behind the end": (SAID, 1, 3),
    "call": ([chunk_of(0, {"role": "assistant", **_call('{"city": "Paris"}', **BEGIN)}), CALLED], 0, 1),
    "beginning of a call": (
        [
            chunk_of(0, {"role": "assistant", **_call('{"city": "', **BEGIN)}),
            chunk_of(0, _call('Paris"}')),
            CALLED,
        ],
        0,
        1,
    ),
    "piece of a call": (
        [
            chunk_of(0, {"role": "assistant", **_call('{"city": "', **BEGIN)}),
            chunk_of(0, _call("Par")),
            chunk_of(0, _call('is"}')),
            CALLED,
        ],
        1,
        2,
    ),
}
"""The chunks of a stream, the place of one of them, and the place where it is sent again."""


@pytest.mark.parametrize(("chunks", "place", "at"), SENT_AGAIN.values(), ids=SENT_AGAIN)
def test_whatever_follows_from_a_chunk_that_is_sent_again_is_no_finding_of_its_own(
    chunks: list[Json], place: int, at: int
) -> None:
    parameters = {"type": "object", "properties": {"city": {"enum": ["Paris"]}}}
    tool = {"type": "function", "function": {"name": "look_up", "parameters": parameters}}
    request = {"model": "m", "messages": [{"role": "user", "content": "Hi"}], "stream": True, "tools": [tool]}
    chunks = [{**chunk, "obfuscation": f"abcde{number}"} for number, chunk in enumerate(chunks)]
    once, again = (
        {one.rule for one in serious(request, sse_of(sent))}
        for sent in (chunks, [*chunks[:at], chunks[place], *chunks[at:]])
    )
    assert again - once == {"chunk-repeated"}


def _is_behind_end(chunks: list[Any], place: int, at: int) -> bool:
    """Return whether the choice of the chunk at a place ends between it and another place."""
    index = chunks[place]["choices"][0]["index"]
    return any(one["choices"] and one["choices"][0]["index"] == index and ends(one) for one in chunks[place + 1 : at])


@given(streams(), st.sampled_from(["user", "tool"]))
def test_role_of_nobody_who_answers_is_found_beside_other_errors(streamed: Streamed, role: str) -> None:
    request, chunks = streamed
    chunks = [
        with_properties(without(chunk, "id"), delta={**chunk["choices"][0]["delta"], "role": role})
        if chunk["choices"] and has_role(chunk)
        else chunk
        for chunk in chunks
    ]
    assert {one.rule for one in serious(request, sse_of(chunks))} == {"missing-property", "unknown-value"}


@given(streams(), st.booleans(), st.data())
def test_finish_reason_that_comes_too_early_is_one_finding(
    streamed: Streamed, everywhere: bool, data: st.DataObject
) -> None:
    request, chunks = streamed
    end = next(chunk["choices"][0]["finish_reason"] for chunk in chunks if chunk["choices"] and ends(chunk))
    early = [
        place
        for place, (chunk, following) in enumerate(pairwise(chunks))
        if chunk["choices"] and not ends(chunk) and following["choices"] and not ends(following)
    ]
    for place in range(len(chunks)) if everywhere else [data.draw(st.sampled_from(early))]:
        if chunks[place]["choices"]:
            chunks = replaced(chunks, place, with_properties(chunks[place], finish_reason=end))
    rules = {one.rule for one in serious(request, sse_of(chunks))}
    assert rules == {"finish-reason-repeated" if everywhere else "content-after-finish"}


@given(streams(), st.data())
def test_piece_of_the_answer_behind_its_end_is_one_finding(streamed: Streamed, data: st.DataObject) -> None:
    request, chunks = streamed
    places = [
        place for place, chunk in enumerate(chunks) if chunk["choices"] and (text_of(chunk) or fragments_of(chunk))
    ]
    place = data.draw(st.sampled_from(places))
    found = serious(request, sse_of([*replaced(chunks, place), chunks[place]]))
    assert [one.rule for one in found if one.rule not in {"tool-call-index-jump"}] == ["content-after-finish"]


@given(streams(), st.data())
def test_stream_that_stops_in_a_choice_lacks_no_other_choice(streamed: Streamed, data: st.DataObject) -> None:
    request, chunks = streamed
    last = data.draw(st.sampled_from([place for place, chunk in enumerate(chunks) if not ends_all(chunk)]))
    found = serious(request, "".join(map(event_of, chunks[: last + 1])))
    assert {one.rule for one in found} == {"finish-reason-missing"}
