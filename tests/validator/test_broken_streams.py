"""Test streams in which one event has a fault, at any place: the findings name this fault, and no other."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, TypeAlias

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from streamed import (
    USAGE,
    Json,
    Streamed,
    chunk_of,
    ends,
    event_of,
    mixed_choices,
    replaced,
    serious,
    sse_of,
    streams,
    with_properties,
    without,
)

from isogloss.validator import check


def _halves(text: str) -> tuple[str, str]:
    return text[: len(text) // 2], text[len(text) // 2 :]


Break: TypeAlias = Callable[[list[Any], int], str]
"""Takes chunks and the place of one, and returns the stream in which nobody can read that chunk, or a part of it."""


UNREADABLE: dict[str, tuple[Break, set[str]]] = {
    "no JSON": (lambda chunks, at: sse_of(replaced(chunks, at, repr(chunks[at]))), {"event-not-json"}),
    "data twice": (lambda chunks, at: sse_of(replaced(chunks, at, event_of(chunks[at]).strip())), {"event-not-json"}),
    "an array": (lambda chunks, at: sse_of(replaced(chunks, at, f"[{json.dumps(chunks[at])}]")), {"wrong-type"}),
    "two events": (
        lambda chunks, at: sse_of(replaced(chunks, at, *_halves(json.dumps(chunks[at])))),
        {"event-not-json"},
    ),
    "two lines": (
        lambda chunks, at: sse_of(replaced(chunks, at, "\n".join(_halves(json.dumps(chunks[at]))))),
        {"sse-unknown-line", "json-truncated"},  # the latter if the second line is a comment
    ),
    "another field": (
        lambda chunks, at: sse_of(replaced(chunks, at, "<here>")).replace(
            "data: <here>", f"chunk: {json.dumps(chunks[at])}"
        ),
        {"sse-unknown-line"},
    ),
    "no field": (
        lambda chunks, at: sse_of(replaced(chunks, at, "<here>")).replace("data: <here>", json.dumps(chunks[at])),
        {"sse-unknown-line"},
    ),
    "capitals": (
        lambda chunks, at: sse_of(replaced(chunks, at, "<here>")).replace(
            "data: <here>", f"DATA: {json.dumps(chunks[at])}"
        ),
        {"sse-unknown-line"},
    ),
    "no line break before": (
        lambda chunks, at: sse_of(replaced(chunks, at, "<here>")).replace("\n\ndata: <here>", json.dumps(chunks[at])),
        {"json-extra-data", "event-not-json"},  # the latter for the first chunk, which follows no other
    ),
    "choices missing": (
        lambda chunks, at: sse_of(replaced(chunks, at, without(chunks[at], "choices"))),
        {"missing-property"},
    ),
    "choices null": (lambda chunks, at: sse_of(replaced(chunks, at, {**chunks[at], "choices": None})), {"null-value"}),
    "choices by index": (
        lambda chunks, at: sse_of(replaced(chunks, at, {**chunks[at], "choices": {"0": {}}})),
        {"wrong-type"},
    ),
}


OF_CHOICES: dict[str, tuple[Break, set[str]]] = {
    "choice null": (lambda chunks, at: sse_of(replaced(chunks, at, {**chunks[at], "choices": [None]})), {"null-value"}),
    "delta null": (
        lambda chunks, at: sse_of(replaced(chunks, at, with_properties(chunks[at], delta=None))),
        {"delta-null"},
    ),
    "delta a string": (
        lambda chunks, at: sse_of(replaced(chunks, at, with_properties(chunks[at], delta="a"))),
        {"wrong-type"},
    ),
    "delta missing": (
        lambda chunks, at: sse_of(
            replaced(chunks, at, {**chunks[at], "choices": [without(chunks[at]["choices"][0], "delta")]})
        ),
        {"missing-property"},
    ),
}


@given(streams(), st.sampled_from(sorted(UNREADABLE)), st.data())
def test_unreadable_event_gives_findings_of_its_own_fault_alone(
    streamed: Streamed, fault: str, data: st.DataObject
) -> None:
    request, chunks = streamed
    breaks, rules = UNREADABLE[fault]
    sse = breaks(chunks, data.draw(st.integers(0, len(chunks) - 1)))
    found = {one.rule for one in serious(request, sse)}
    assert found
    assert found <= rules


@given(streams(), st.sampled_from(sorted(OF_CHOICES)), st.data())
def test_unreadable_choice_gives_findings_of_its_own_fault_alone(
    streamed: Streamed, fault: str, data: st.DataObject
) -> None:
    request, chunks = streamed
    breaks, rules = OF_CHOICES[fault]
    place = data.draw(st.sampled_from([place for place, chunk in enumerate(chunks) if chunk["choices"]]))
    assert {one.rule for one in serious(request, breaks(chunks, place))} == rules


@given(streams(most_choices=1), st.sampled_from(["", "data: ", "\ndata: "]), st.data())
def test_chunk_that_is_cut_and_the_next_one_glued_to_it_are_one_finding(
    streamed: Streamed, glue: str, data: st.DataObject
) -> None:
    request, chunks = streamed
    place = data.draw(st.integers(0, len(chunks) - 2))
    cut, following = json.dumps(chunks[place]), json.dumps(chunks[place + 1])
    cut = cut[: data.draw(st.integers(1, len(cut) - 1))]
    sse = sse_of([*chunks[:place], cut + glue + following, *chunks[place + 2 :]])
    found = {one.rule for one in serious(request, sse)}
    assert len(found) == 1
    assert found <= {"json-syntax", "json-truncated", "event-not-json"}


@given(streams(most_choices=3), st.booleans(), st.data())
def test_done_before_the_end_is_one_finding(streamed: Streamed, mixed: bool, data: st.DataObject) -> None:
    request, chunks = streamed
    if mixed:
        chunks = mixed_choices(chunks)
    place = data.draw(st.integers(1, len(chunks) - 1))
    sse = "".join(map(event_of, [*chunks[:place], "[DONE]", *chunks[place:]]))
    assert {one.rule for one in serious(request, sse)} == {"data-after-done"}


@given(streams(), st.data())
def test_event_of_another_protocol_is_one_finding(streamed: Streamed, data: st.DataObject) -> None:
    request, chunks = streamed
    place = data.draw(st.integers(0, len(chunks)))
    event = {"type": "web_search_call", "id": "ws_Fake01", "status": "in_progress", "action": {"query": "weather"}}
    found = [one.rule for one in serious(request, sse_of([*chunks[:place], event, *chunks[place:]]))]
    assert found == ["event-not-chunk"]


@given(streams(), st.sampled_from(["", " ", "\\n\\n"]))
def test_stream_in_which_all_line_breaks_are_lost_is_one_finding(streamed: Streamed, between: str) -> None:
    request, chunks = streamed
    found = serious(request, sse_of(chunks).replace("\n\n", between))
    assert [one.rule for one in found] == ["json-extra-data" if between.strip() else "events-not-separated"]


@given(streams(), st.sampled_from(["\n", "\r\n", ""]))
def test_stream_without_blank_lines_is_one_finding_and_lacks_its_end_as_any_other(
    streamed: Streamed, between: str
) -> None:
    request, chunks = streamed
    for events, also in (([*chunks, "[DONE]"], set[str]()), (chunks, {"done-missing"})):
        sse = between.join(f"data: {one if isinstance(one, str) else json.dumps(one)}" for one in events) + between
        assert {one.rule for one in serious(request, sse)} == {"events-not-separated", *also}


@given(streams())
def test_stream_that_a_program_printed_as_bytes_is_one_finding(streamed: Streamed) -> None:
    request, chunks = streamed
    found = serious(request, "".join(f"{event_of(chunk).encode()!r}\n" for chunk in [*chunks, "[DONE]"]))
    assert [one.rule for one in found] == ["sse-unknown-line"]


@given(streams(), st.integers(2, 9))
def test_end_that_is_not_spelt_as_it_should_be_is_one_finding(streamed: Streamed, size: int) -> None:
    request, chunks = streamed
    for end in ("[done]", "DONE", '"[DONE]"', "[DONE", "null", "[]", '{"done": true}', "data: [DONE]", "-" * size):
        assert len(serious(request, sse_of(chunks).replace("[DONE]", end))) == 1
    for line in ("[DONE]", "error: {}", 'error: {"message": "a"}', "<html>Sorry.</html>"):
        found = serious(request, "".join(map(event_of, chunks)) + line + "\n\n")
        assert [one.rule for one in found] == ["sse-unknown-line"]


@given(streams(most_choices=1), st.sets(st.sampled_from(["created", "model", "system_fingerprint"])), st.data())
def test_other_answer_that_goes_on_in_the_middle_is_one_finding(
    streamed: Streamed, changed: set[str], data: st.DataObject
) -> None:
    request, chunks = streamed
    places = [place for place, chunk in enumerate(chunks) if chunk["choices"] and not ends(chunk)]
    place = data.draw(st.sampled_from(places[1:]))
    others = {"created": 1760000009, "model": "gpt-4.1-mini-2025-04-15", "system_fingerprint": "fp_9876543210"}
    other = {"id": "chatcmpl-Fake0000000000000000000000002", **{name: others[name] for name in changed}}
    begin = {**chunk_of(0, {"role": "assistant", "content": ""}), "usage": None}
    chunks = [*chunks[:place], *({**chunk, **other} for chunk in (begin, *chunks[place:]))]
    found = serious(request, sse_of(chunks))
    assert [(one.rule, one.source.event) for one in found] == [("stream-id-changed", place)]


@given(streams())
def test_usage_chunk_without_usage_is_one_finding(streamed: Streamed) -> None:
    request, chunks = streamed
    assume("stream_options" in request)
    for usage in (None, "missing"):
        last = without(chunks[-1], "usage") if usage == "missing" else {**chunks[-1], "usage": usage}
        found = serious(request, sse_of([*chunks[:-1], last]))
        assert [(one.rule, one.source.event) for one in found] == [("asked-usage-missing", len(chunks) - 1)]


@given(streams(), st.data())
def test_list_of_chunks_and_its_events_give_the_same_findings_about_chunks(
    streamed: Streamed, data: st.DataObject
) -> None:
    request, chunks = streamed
    place = data.draw(st.integers(0, len(chunks) - 1))
    chunks = replaced(chunks, place, without(chunks[place], data.draw(st.sampled_from(["id", "choices", "model"]))))
    of_list, of_text = check(chunks, request=request), check(sse_of(chunks), request=request)
    assert [(one.rule, one.pointer) for one in of_list.failing("warning")] == [
        (one.rule, one.pointer) for one in of_text.failing("warning")
    ]


@pytest.mark.parametrize("noise", ["1a3\r\n", '{"id":"chatcmpl-Fake01"}\n\n', "HTTP gateway\n"])
def test_stream_with_a_broken_beginning_is_still_read_as_a_stream(noise: str) -> None:
    chunks = [chunk_of(0, {"role": "assistant", "content": "Sunny."}), chunk_of(0, {}, "stop")]
    request = {"model": "gpt-4.1-mini", "messages": [{"role": "user", "content": "Weather?"}], "stream": True}
    found = check(noise + sse_of(chunks), request=request).failing("warning")
    assert [one.rule for one in found] == ["sse-unknown-line"]


@pytest.mark.parametrize(
    ("end", "rules"),
    [
        ("data:[DONE]", []),
        ("data: [DONE] ", []),
        ("data:  [DONE]", ["event-not-json"]),
        ("data:\t[DONE]", ["event-not-json"]),
        ("data:\ndata: [DONE]", ["event-not-json"]),
    ],
)
def test_white_space_before_the_end_is_an_error_as_clients_do_not_know_it(end: str, rules: list[str]) -> None:
    chunks = [chunk_of(0, {"role": "assistant", "content": "Sunny."}), chunk_of(0, {}, "stop")]
    found = check(sse_of(chunks).replace("data: [DONE]", end)).failing("error")
    assert [one.rule for one in found] == rules


@pytest.mark.parametrize(
    ("old", "new", "rule"),
    [
        ('"created": ', '"created": 1, "created": ', "json-duplicate-key"),
        ('"created": 1760000000', '"created": NaN', "json-not-a-number"),
        ('"created": 1760000000', '"created": 1e999', "json-number-too-large"),
        ("]}", ",]}", "json-trailing-comma"),
        ('"model": ', "'model': ", "json-syntax"),
    ],
)
def test_fault_of_the_text_in_each_chunk_is_one_finding_with_its_count(old: str, new: str, rule: str) -> None:
    chunks = [
        chunk_of(0, {"role": "assistant", "content": "Sunny."}),
        chunk_of(0, {"content": ""}),
        chunk_of(0, {}, "stop"),
    ]
    [found] = check(sse_of(chunks).replace(old, new)).failing("warning")
    assert (found.rule, found.count) == (rule, len(chunks))


ALWAYS_FOUND: dict[str, tuple[Callable[[list[Any]], str], str]] = {
    "no [DONE]": (lambda chunks: "".join(map(event_of, chunks)), "done-missing"),
    "[DONE] first": (lambda chunks: event_of("[DONE]") + "".join(map(event_of, chunks)), "data-after-done"),
    "no role": (lambda chunks: sse_of(chunks[1:]), "role-missing"),
    "no end": (
        lambda chunks: sse_of([one for one in chunks if not (one["choices"] and ends(one))]),
        "finish-reason-missing",
    ),
    "an error": (lambda chunks: sse_of([*chunks[:2], {"error": {"message": "a"}}]), "error-in-stream"),
    "other id": (
        lambda chunks: sse_of([*chunks[:1], {**chunks[1], "id": "chatcmpl-b"}, *chunks[2:]]),
        "stream-id-changed",
    ),
    "a completion": (lambda chunks: sse_of([_completion(chunks)]), "event-not-chunk"),
}


def _completion(chunks: list[Any]) -> Json:
    message = {"role": "assistant", "content": "Sunny.", "refusal": None}
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}
    return {**chunks[0], "object": "chat.completion", "choices": [choice], "usage": USAGE}


@given(streams(), st.sampled_from(["", "data: [DONE]\n\n"]))
def test_answer_that_is_sent_twice_is_no_cause_of_faults_in_itself(streamed: Streamed, end: str) -> None:
    request, chunks = streamed
    found = serious(request, "".join(map(event_of, chunks)) + end + sse_of(chunks))
    of_usage = {"usage-repeated"} if "stream_options" in request and not end else set()
    behind = {"data-after-done"} if end else {"content-after-finish"}
    assert {one.rule for one in found} == behind | of_usage


@pytest.mark.parametrize("fault", ALWAYS_FOUND)
@settings(max_examples=12, deadline=None)
@given(streamed=streams())
def test_fault_of_a_stream_is_found_whatever_it_carries(fault: str, streamed: Streamed) -> None:
    request, chunks = streamed
    breaks, rule = ALWAYS_FOUND[fault]
    assert rule in {one.rule for one in serious(request, breaks(chunks))}
