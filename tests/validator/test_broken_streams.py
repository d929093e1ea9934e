"""Test streams that vary legally, and streams with one fault, at any place: the first are quiet, the others name it."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterable
from itertools import pairwise, zip_longest
from typing import Any, TypeAlias

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from streamed import (
    TOOL,
    USAGE,
    Json,
    Streamed,
    chunk_of,
    event_of,
    pieces_of,
    replaced,
    serious,
    sse_of,
    streams,
    with_properties,
)

from isogloss.validator import check

FEW = settings(max_examples=40, deadline=None)


@FEW
@given(streams(), st.data())
def test_conforming_stream_is_quiet_however_its_text_is_written(streamed: Streamed, data: st.DataObject) -> None:
    request, chunks = streamed
    draw = data.draw
    sse = sse_of(
        [json.dumps(chunk, ensure_ascii=draw(st.booleans()), sort_keys=draw(st.booleans())) for chunk in chunks]
    )
    if draw(st.booleans()):
        sse = sse.replace("data: ", "data:")
    if draw(st.booleans()):
        sse = ": ping\n\n" + sse.replace("\n\ndata", "\n\n:\ndata")
    if draw(st.booleans()):
        sse = sse.replace("\n\n", "\n\n\n")
    if draw(st.booleans()):
        sse = "retry: 100\n\n" + sse.replace("\n\ndata", "\n\nid: 7\nevent: message\ndata")
    sse = sse.replace("\n", draw(st.sampled_from(["\n", "\r\n", "\r"])))
    assert serious(request, sse) == []


@FEW
@given(streams(), st.data())
def test_conforming_stream_is_quiet_with_what_openai_adds_or_leaves_out(
    streamed: Streamed, data: st.DataObject
) -> None:
    request, chunks = streamed
    draw = data.draw
    if draw(st.booleans()):
        chunks = [
            {**chunk, "obfuscation": "x" * draw(st.integers(0, 9))} if chunk["choices"] else chunk for chunk in chunks
        ]
    if draw(st.booleans()):
        chunks = [{name: value for name, value in chunk.items() if name != "service_tier"} for chunk in chunks]
    if draw(st.booleans()):
        chunks = [{**chunk, "system_fingerprint": None} for chunk in chunks]
    if draw(st.booleans()):
        for choice in (choice for chunk in chunks for choice in chunk["choices"]):
            del choice["logprobs"]
    going_on = [place for place, chunk in enumerate(chunks) if chunk["choices"] and not _ends(chunk)]
    for place in sorted(draw(st.sets(st.sampled_from(going_on), max_size=2)), reverse=True):
        chunks.insert(place + 1, with_properties(chunks[place], delta={}))
    assert serious(request, sse_of(chunks)) == []


@settings(max_examples=200, deadline=None)
@given(streams(most_choices=3), st.booleans(), st.data())
def test_part_of_a_conforming_stream_is_quiet_wherever_its_client_left_or_its_connection_broke(
    streamed: Streamed, mixed: bool, data: st.DataObject
) -> None:
    request, chunks = streamed
    if mixed:
        chunks = _mixed(chunks, data.draw(st.permutations(range(3))))
    sse = sse_of(chunks).encode()
    part = sse[: data.draw(st.integers(1, len(sse)))]
    assert serious(request, part, left=True) == []
    assert [one.rule for one in serious(request, part, broken=True)] == ["connection-broken"]


def _ends(chunk: Json) -> bool:
    return bool(chunk["choices"][0]["finish_reason"])


def _ends_all(chunk: Json) -> bool:
    """Return whether nothing has to come behind a chunk: it ends a choice, or has the usage."""
    return not chunk["choices"] or _ends(chunk)


def _with_role(chunk: Json) -> Json:
    return with_properties(chunk, delta={**chunk["choices"][0]["delta"], "role": "assistant"})


def _without(mapping: Json, name: str) -> Json:
    return {key: value for key, value in mapping.items() if key != name}


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
        lambda chunks, at: sse_of(replaced(chunks, at, _without(chunks[at], "choices"))),
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
            replaced(chunks, at, {**chunks[at], "choices": [_without(chunks[at]["choices"][0], "delta")]})
        ),
        {"missing-property"},
    ),
}


@FEW
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


@FEW
@given(streams(), st.sampled_from(sorted(OF_CHOICES)), st.data())
def test_unreadable_choice_gives_findings_of_its_own_fault_alone(
    streamed: Streamed, fault: str, data: st.DataObject
) -> None:
    request, chunks = streamed
    breaks, rules = OF_CHOICES[fault]
    place = data.draw(st.sampled_from([place for place, chunk in enumerate(chunks) if chunk["choices"]]))
    assert {one.rule for one in serious(request, breaks(chunks, place))} == rules


@FEW
@given(streams(most_choices=3), st.integers(3, 9), st.booleans(), st.booleans(), st.data())
def test_another_index_on_one_chunk_is_one_finding(
    streamed: Streamed, other: int, mixed: bool, all_with_role: bool, data: st.DataObject
) -> None:
    request, chunks = streamed
    if mixed:
        chunks = _mixed(chunks)
    if all_with_role:
        chunks = [_with_role(chunk) if chunk["choices"] else chunk for chunk in chunks]
    place = data.draw(st.sampled_from([place for place, chunk in enumerate(chunks) if chunk["choices"]]))
    found = serious(request, sse_of(replaced(chunks, place, with_properties(chunks[place], index=other))))
    assert {one.rule for one in found} - ({"role-repeated"} if all_with_role else set()) == {"choice-index-changed"}


@FEW
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


@FEW
@given(streams(most_choices=3), st.booleans(), st.data())
def test_done_before_the_end_is_one_finding(streamed: Streamed, mixed: bool, data: st.DataObject) -> None:
    request, chunks = streamed
    if mixed:
        chunks = _mixed(chunks)
    place = data.draw(st.integers(1, len(chunks) - 1))
    sse = "".join(map(event_of, [*chunks[:place], "[DONE]", *chunks[place:]]))
    assert {one.rule for one in serious(request, sse)} == {"data-after-done"}


@FEW
@given(streams(), st.data())
def test_event_of_another_protocol_is_one_finding(streamed: Streamed, data: st.DataObject) -> None:
    request, chunks = streamed
    place = data.draw(st.integers(0, len(chunks)))
    event = {"type": "web_search_call", "id": "ws_Fake01", "status": "in_progress", "action": {"query": "weather"}}
    found = [one.rule for one in serious(request, sse_of([*chunks[:place], event, *chunks[place:]]))]
    assert found == ["event-not-chunk"]


NO_INDEX: dict[str, tuple[Callable[[Json], Json], str]] = {
    "missing": (lambda choice: _without(choice, "index"), "missing-property"),
    "null": (lambda choice: {**choice, "index": None}, "null-value"),
    "a string": (lambda choice: {**choice, "index": str(choice["index"])}, "wrong-type"),
    "negative": (lambda choice: {**choice, "index": -1}, "out-of-range"),
}


@FEW
@given(streams(most_choices=3), st.sampled_from(sorted(NO_INDEX)), st.booleans(), st.data())
def test_no_index_on_one_chunk_or_on_those_of_one_choice_is_one_finding(
    streamed: Streamed, fault: str, mixed: bool, data: st.DataObject
) -> None:
    request, chunks = streamed
    if mixed:
        chunks = _mixed(chunks)
    spoil, rule = NO_INDEX[fault]
    of_choices = [place for place, chunk in enumerate(chunks) if chunk["choices"]]
    places = {data.draw(st.sampled_from(of_choices))}
    if request.get("n", 1) < 3 and data.draw(st.booleans()):
        index = chunks[min(places)]["choices"][0]["index"]
        places = {place for place in of_choices if chunks[place]["choices"][0]["index"] == index}
    for place in places:
        chunks = replaced(chunks, place, {**chunks[place], "choices": [spoil(chunks[place]["choices"][0])]})
    assert [one.rule for one in serious(request, sse_of(chunks))] == [rule]


@FEW
@given(streams(most_choices=3), st.sampled_from(["", *NO_INDEX]), st.booleans())
def test_choices_that_nobody_can_tell_apart_are_one_finding(streamed: Streamed, fault: str, mixed: bool) -> None:
    request, chunks = streamed
    if "n" not in request:
        return
    if mixed:
        chunks = _mixed(chunks)
    spoil, rule = NO_INDEX.get(fault, (lambda choice: {**choice, "index": 0}, "choice-count-mismatch"))
    chunks = [{**chunk, "choices": [spoil(choice) for choice in chunk["choices"]]} for chunk in chunks]
    assert {one.rule for one in serious(request, sse_of(chunks))} == {rule}


@FEW
@given(streams(most_choices=3), st.booleans(), st.booleans())
def test_index_that_counts_the_chunks_is_one_finding(streamed: Streamed, mixed: bool, all_with_role: bool) -> None:
    request, chunks = streamed
    if mixed:
        chunks = _mixed(chunks)
    if all_with_role:
        chunks = [_with_role(chunk) if chunk["choices"] else chunk for chunk in chunks]
    chunks = [
        with_properties(chunk, index=number) if chunk["choices"] else chunk for number, chunk in enumerate(chunks)
    ]
    found = {one.rule for one in serious(request, sse_of(chunks))}
    assert found - ({"role-repeated"} if all_with_role else set()) == {"choice-index-changed"}


@FEW
@given(streams(most_choices=3), st.sampled_from(["roles", "ends"]), st.booleans(), st.booleans())
def test_roles_or_ends_of_all_choices_under_one_index_are_one_finding(
    streamed: Streamed, what: str, mixed: bool, first: bool
) -> None:
    request, chunks = streamed
    if "n" not in request:
        return
    if mixed:
        chunks = _mixed(chunks)
    index = 0 if first else request["n"] - 1
    if what == "ends":
        chunks = [
            with_properties(chunk, index=index) if chunk["choices"] and _ends(chunk) else chunk for chunk in chunks
        ]
    else:
        roles = [place for place, chunk in enumerate(chunks) if chunk["choices"] and _has_role(chunk)]
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


@FEW
@given(streams(most_choices=1), st.sampled_from(["missing", None, 0]))
def test_calls_that_nobody_can_tell_apart_are_one_finding(streamed: Streamed, index: Any) -> None:
    request, chunks = streamed
    if _calls(chunks) < 2:
        return
    chunks = copy.deepcopy(chunks)
    for fragment in (fragment for chunk in chunks if chunk["choices"] for fragment in _fragments(chunk)):
        fragment.pop("index")
        if index != "missing":
            fragment["index"] = index
    rule = {"missing": "tool-call-index-missing", None: "null-value", 0: "tool-call-index-reused"}[index]
    assert [one.rule for one in serious(request, sse_of(chunks))] == [rule]


@FEW
@given(streams(most_choices=1), st.integers(2, 3))
def test_repeated_end_of_the_only_choice_is_found_where_more_were_asked_for(streamed: Streamed, count: int) -> None:
    request, chunks = streamed
    place = next(place for place, chunk in enumerate(chunks) if chunk["choices"] and _ends(chunk))
    found = serious(request | {"n": count}, sse_of(replaced(chunks, place, chunks[place], chunks[place])))
    assert {one.rule for one in found} == {"choice-count-mismatch", "finish-reason-repeated"}


@FEW
@given(streams(), st.booleans(), st.integers(0, 2), st.data())
def test_chunk_that_is_sent_twice_is_one_finding(
    streamed: Streamed, obfuscated: bool, later: int, data: st.DataObject
) -> None:
    request, chunks = streamed
    places = [
        place
        for place, chunk in enumerate(chunks)
        if chunk["choices"] and (obfuscated or not (_text(chunk) or (_fragments(chunk) and not _begins_call(chunk))))
    ]
    place = data.draw(st.sampled_from(places))
    if obfuscated:
        texts = data.draw(st.lists(st.text("abcXYZ789", min_size=6), unique=True, min_size=len(chunks)))
        chunks = [{**chunk, "obfuscation": text} for chunk, text in zip(chunks, texts, strict=False)]
    at = place + 1 if _ends(chunks[place]) else min(place + 1 + later, len(chunks))
    found = [one.rule for one in serious(request, sse_of([*chunks[:at], chunks[place], *chunks[at:]]))]
    assert len(found) == 1
    assert found[0] in (
        {"chunk-repeated"} if obfuscated else {"chunk-repeated", "role-repeated", "finish-reason-repeated"}
    ) | ({"content-after-finish", "delta-after-finish"} if _is_behind_end(chunks, place, at) else set())


def _is_behind_end(chunks: list[Any], place: int, at: int) -> bool:
    """Return whether the choice of the chunk at a place ends between it and another place."""
    index = chunks[place]["choices"][0]["index"]
    return any(one["choices"] and one["choices"][0]["index"] == index and _ends(one) for one in chunks[place + 1 : at])


def _has_role(chunk: Json) -> bool:
    return "role" in chunk["choices"][0]["delta"]


def _begins_call(chunk: Json) -> bool:
    return any("id" in fragment for fragment in _fragments(chunk))


@FEW
@given(streams(), st.sampled_from(["", " ", "\\n\\n"]))
def test_stream_in_which_all_line_breaks_are_lost_is_one_finding(streamed: Streamed, between: str) -> None:
    request, chunks = streamed
    found = serious(request, sse_of(chunks).replace("\n\n", between))
    assert [one.rule for one in found] == ["json-extra-data"]


@FEW
@given(streams())
def test_stream_that_a_program_printed_as_bytes_is_one_finding(streamed: Streamed) -> None:
    request, chunks = streamed
    found = serious(request, "".join(f"{event_of(chunk).encode()!r}\n" for chunk in [*chunks, "[DONE]"]))
    assert [one.rule for one in found] == ["sse-unknown-line"]


@FEW
@given(streams(), st.integers(2, 9))
def test_end_that_is_not_spelt_as_it_should_be_is_one_finding(streamed: Streamed, size: int) -> None:
    request, chunks = streamed
    for end in ("[done]", "DONE", '"[DONE]"', "[DONE", "null", "[]", '{"done": true}', "data: [DONE]", "-" * size):
        assert len(serious(request, sse_of(chunks).replace("[DONE]", end))) == 1
    for line in ("[DONE]", "error: {}", 'error: {"message": "a"}', "<html>Sorry.</html>"):
        found = serious(request, "".join(map(event_of, chunks)) + line + "\n\n")
        assert [one.rule for one in found] == ["sse-unknown-line"]


@FEW
@given(st.text("abé 1", min_size=3, max_size=12), st.sampled_from(["content", "reasoning_content"]), st.data())
def test_text_that_each_delta_repeats_is_found_however_short_it_is(text: str, name: str, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.sets(st.integers(1, len(text) - 1), min_size=2)))
    deltas = [{"role": "assistant", "content": ""}, *({name: text[:cut]} for cut in [*cuts, len(text)])]
    if name != "content":
        deltas += [{"content": "Well."}, {"content": " Yes, " * 5}]
    chunks = [*(chunk_of(0, delta) for delta in deltas), chunk_of(0, {}, "stop")]
    found = serious({"model": "gpt-4.1-mini", "messages": [], "stream": True}, sse_of(chunks))
    assert "content-cumulative" in {one.rule for one in found}


@FEW
@given(streams(most_choices=1), st.data())
def test_text_that_is_sent_again_at_its_end_is_one_finding(streamed: Streamed, data: st.DataObject) -> None:
    request, chunks = streamed
    places = [place for place, chunk in enumerate(chunks) if chunk["choices"] and _text(chunk)]
    if len(places) < 3 or _calls(chunks):
        return
    last = data.draw(st.sampled_from(places[2:]))
    text = "".join(_text(chunk) for chunk in chunks[: last + 1] if chunk["choices"])
    chunks = [*chunks[: last + 1], with_properties(chunks[last], delta={"content": text}), *chunks[places[-1] + 1 :]]
    found = [(one.rule, one.source.event) for one in serious(request, sse_of(chunks))]
    assert found == ([("content-cumulative", last + 1)] if len(text) > 5 else [])


@FEW
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


@FEW
@given(streams(most_choices=1), st.sets(st.sampled_from(["created", "model", "system_fingerprint"])), st.data())
def test_other_answer_that_goes_on_in_the_middle_is_one_finding(
    streamed: Streamed, changed: set[str], data: st.DataObject
) -> None:
    request, chunks = streamed
    places = [place for place, chunk in enumerate(chunks) if chunk["choices"] and not _ends(chunk)]
    place = data.draw(st.sampled_from(places[1:]))
    others = {"created": 1760000009, "model": "gpt-4.1-mini-2025-04-15", "system_fingerprint": "fp_9876543210"}
    other = {"id": "chatcmpl-Fake0000000000000000000000002", **{name: others[name] for name in changed}}
    begin = {**chunk_of(0, {"role": "assistant", "content": ""}), "usage": None}
    chunks = [*chunks[:place], *({**chunk, **other} for chunk in (begin, *chunks[place:]))]
    found = serious(request, sse_of(chunks))
    assert [(one.rule, one.source.event) for one in found] == [("stream-id-changed", place)]


@FEW
@given(streams(), st.sampled_from(["user", "tool"]))
def test_role_of_nobody_who_answers_is_found_beside_other_errors(streamed: Streamed, role: str) -> None:
    request, chunks = streamed
    chunks = [
        with_properties(_without(chunk, "id"), delta={**chunk["choices"][0]["delta"], "role": role})
        if chunk["choices"] and _has_role(chunk)
        else chunk
        for chunk in chunks
    ]
    assert {one.rule for one in serious(request, sse_of(chunks))} == {"missing-property", "unknown-value"}


@FEW
@given(streams(), st.booleans(), st.data())
def test_whole_call_behind_its_fragments_is_one_finding(streamed: Streamed, begins: bool, data: st.DataObject) -> None:
    request, chunks = streamed
    last = [
        place
        for place, (chunk, following) in enumerate(pairwise(chunks))
        if chunk["choices"] and _fragments(chunk) and (not _fragments(following) or _begins_call(following))
    ]
    if not last:
        return
    place = data.draw(st.sampled_from(last))
    begin = max(at for at, chunk in enumerate(chunks[: place + 1]) if chunk["choices"] and _begins_call(chunk))
    arguments = "".join(map(_arguments, chunks[begin : place + 1]))
    call = copy.deepcopy(_fragments(chunks[begin])[0]) if begins else {"index": _fragments(chunks[begin])[0]["index"]}
    call["function"] = {**call.get("function", {}), "arguments": arguments}
    again = with_properties(chunks[place], delta={"tool_calls": [call]})
    found = serious(request, sse_of([*chunks[: place + 1], again, *chunks[place + 1 :]]))
    assert [one.rule for one in found] == ["content-cumulative"]


@FEW
@given(streams())
def test_usage_chunk_without_usage_is_one_finding(streamed: Streamed) -> None:
    request, chunks = streamed
    if "stream_options" not in request:
        return
    for usage in (None, "missing"):
        last = _without(chunks[-1], "usage") if usage == "missing" else {**chunks[-1], "usage": usage}
        found = serious(request, sse_of([*chunks[:-1], last]))
        assert [(one.rule, one.source.event) for one in found] == [("asked-usage-missing", len(chunks) - 1)]


@FEW
@given(streams(most_choices=2))
def test_lost_chunk_with_the_role_and_the_beginning_of_a_call_is_one_finding(streamed: Streamed) -> None:
    request, chunks = streamed
    first = next((place for place, chunk in enumerate(chunks) if chunk["choices"] and _begins_call(chunk)), 0)
    if not first or not _has_role(chunks[first - 1]):
        return
    found = serious(request, sse_of([*chunks[: first - 1], *chunks[first + 1 :]]))
    assert [one.rule for one in found] == ["role-missing"]


def _mixed(chunks: list[Any], order: Iterable[int] = range(3)) -> list[Any]:
    """Return the chunks with those of the choices in turns, in an order of their indices, and the usage last."""
    of_choices = [[one for one in chunks if one["choices"] and one["choices"][0]["index"] == index] for index in order]
    turns = [one for turn in zip_longest(*of_choices) for one in turn if one is not None]
    return [*turns, *(one for one in chunks if not one["choices"])]


@FEW
@given(streams(), st.booleans(), st.data())
def test_finish_reason_that_comes_too_early_is_one_finding(
    streamed: Streamed, everywhere: bool, data: st.DataObject
) -> None:
    request, chunks = streamed
    end = next(chunk["choices"][0]["finish_reason"] for chunk in chunks if chunk["choices"] and _ends(chunk))
    early = [
        place
        for place, (chunk, following) in enumerate(pairwise(chunks))
        if chunk["choices"] and not _ends(chunk) and following["choices"] and not _ends(following)
    ]
    for place in range(len(chunks)) if everywhere else [data.draw(st.sampled_from(early))]:
        if chunks[place]["choices"]:
            chunks = replaced(chunks, place, with_properties(chunks[place], finish_reason=end))
    rules = {one.rule for one in serious(request, sse_of(chunks))}
    assert rules == {"finish-reason-repeated" if everywhere else "content-after-finish"}


@FEW
@given(streams(), st.data())
def test_piece_of_the_answer_behind_its_end_is_one_finding(streamed: Streamed, data: st.DataObject) -> None:
    request, chunks = streamed
    places = [place for place, chunk in enumerate(chunks) if chunk["choices"] and (_text(chunk) or _fragments(chunk))]
    place = data.draw(st.sampled_from(places))
    found = serious(request, sse_of([*replaced(chunks, place), chunks[place]]))
    assert [one.rule for one in found if one.rule not in {"tool-call-index-jump"}] == ["content-after-finish"]


@FEW
@given(streams(), st.data())
def test_stream_that_stops_in_a_choice_lacks_no_other_choice(streamed: Streamed, data: st.DataObject) -> None:
    request, chunks = streamed
    last = data.draw(st.sampled_from([place for place, chunk in enumerate(chunks) if not _ends_all(chunk)]))
    found = serious(request, "".join(map(event_of, chunks[: last + 1])))
    assert {one.rule for one in found} == {"finish-reason-missing"}


@FEW
@given(streams(), st.sampled_from(["é", "€", "😀"]), st.data())
def test_character_that_is_split_over_two_events_is_one_finding(
    streamed: Streamed, character: str, data: st.DataObject
) -> None:
    request, chunks = streamed
    place = data.draw(
        st.sampled_from([place for place, chunk in enumerate(chunks) if chunk["choices"] and _ends(chunk)])
    )
    halves = [with_properties(chunks[place], delta={"content": mark}, finish_reason=None) for mark in ("<1>", "<2>")]
    cut = data.draw(st.integers(1, len(character.encode()) - 1))
    sse = sse_of([*chunks[:place], *halves, *chunks[place:]]).encode()
    sse = sse.replace(b"<1>", character.encode()[:cut]).replace(b"<2>", character.encode()[cut:])
    assert [(one.rule, one.source.event) for one in serious(request, sse)] == [("sse-bad-utf8", place)]


@FEW
@given(streams(most_choices=1), st.booleans(), st.data())
def test_fragment_under_an_index_of_no_call_is_one_finding(
    streamed: Streamed, all_with_type: bool, data: st.DataObject
) -> None:
    request, chunks = streamed
    places = [
        place
        for place, chunk in enumerate(chunks)
        if chunk["choices"] and "id" not in (chunk["choices"][0]["delta"].get("tool_calls") or [{"id": 0}])[0]
    ]
    if not places:
        return
    chunks = copy.deepcopy(chunks)
    place = data.draw(st.sampled_from(places))
    chunks[place]["choices"][0]["delta"]["tool_calls"][0]["index"] = 7
    if all_with_type:
        for fragment in (fragment for chunk in chunks if chunk["choices"] for fragment in _fragments(chunk)):
            fragment["type"] = "function"
    found = serious(request | {"parallel_tool_calls": False} if _calls(chunks) == 1 else request, sse_of(chunks))
    of_index = [one for one in found if one.rule != "tool-call-type-repeated"]
    assert [(one.rule, one.source.event) for one in of_index] == [("tool-call-name-missing", place)]


def _calls(chunks: list[Any]) -> int:
    deltas = [choice["delta"] for chunk in chunks for choice in chunk["choices"]]
    return sum("id" in call for delta in deltas for call in delta.get("tool_calls", ()))


@FEW
@given(streams(), st.sampled_from(["\ufffd", "<|im_end|>"]), st.data())
def test_fault_of_a_text_stands_at_the_event_that_brought_it(
    streamed: Streamed, mark: str, data: st.DataObject
) -> None:
    request, chunks = streamed
    places = [place for place, chunk in enumerate(chunks) if chunk["choices"] and _text(chunk)]
    if not places:
        return
    place = data.draw(st.sampled_from(places))
    text = _text(chunks[place]) + mark
    found = serious(request, sse_of(replaced(chunks, place, with_properties(chunks[place], delta={"content": text}))))
    assert all(one.source.event == place for one in found)
    assert {one.rule for one in found} <= {"replacement-character", "markup-in-content"}
    assert found or mark != "\ufffd"


@FEW
@given(streams(), st.data())
def test_arguments_that_are_no_json_stand_at_the_event_that_spoils_them(
    streamed: Streamed, data: st.DataObject
) -> None:
    request, chunks = streamed
    places = [place for place, chunk in enumerate(chunks) if chunk["choices"] and _arguments(chunk)]
    if not places:
        return
    place = data.draw(st.sampled_from(places))
    chunks = copy.deepcopy(chunks)
    chunks[place]["choices"][0]["delta"]["tool_calls"][0]["function"]["arguments"] = (
        "\n" + _arguments(chunks[place]) + "\n,,"
    )
    found = serious(request, sse_of(chunks))
    assert [(one.rule, one.source.event) for one in found] == [("arguments-not-json", place)]


def _text(chunk: Json) -> str:
    return str(chunk["choices"][0]["delta"].get("content") or "")


def _fragments(chunk: Json) -> list[Json]:
    fragments: list[Json] = chunk["choices"][0]["delta"].get("tool_calls") or []
    return fragments


def _arguments(chunk: Json) -> str:
    calls = chunk["choices"][0]["delta"].get("tool_calls") or [{"function": {}}]
    return str(calls[0]["function"].get("arguments") or "")


@FEW
@given(streams(), st.data())
def test_list_of_chunks_and_its_events_give_the_same_findings_about_chunks(
    streamed: Streamed, data: st.DataObject
) -> None:
    request, chunks = streamed
    place = data.draw(st.integers(0, len(chunks) - 1))
    chunks = replaced(chunks, place, _without(chunks[place], data.draw(st.sampled_from(["id", "choices", "model"]))))
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
        lambda chunks: sse_of([one for one in chunks if not (one["choices"] and _ends(one))]),
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


@FEW
@given(streams(), st.sampled_from(["", "data: [DONE]\n\n"]))
def test_answer_that_is_sent_twice_is_no_cause_of_faults_in_itself(streamed: Streamed, end: str) -> None:
    request, chunks = streamed
    found = serious(request, "".join(map(event_of, chunks)) + end + sse_of(chunks))
    of_usage = {"usage-repeated"} if "stream_options" in request and not end else set()
    behind = {"data-after-done", "done-repeated"} if end else {"content-after-finish"}
    assert {one.rule for one in found} == behind | of_usage


@pytest.mark.parametrize("fault", ALWAYS_FOUND)
@settings(max_examples=12, deadline=None)
@given(streamed=streams())
def test_fault_of_a_stream_is_found_whatever_it_carries(fault: str, streamed: Streamed) -> None:
    request, chunks = streamed
    breaks, rule = ALWAYS_FOUND[fault]
    assert rule in {one.rule for one in serious(request, breaks(chunks))}
