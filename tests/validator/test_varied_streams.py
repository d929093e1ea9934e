"""Test that conforming streams are quiet, in whatever legal way they are written."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st
from streamed import (
    Streamed,
    ends,
    mixed_choices,
    serious,
    sse_of,
    streams,
    with_properties,
)


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
    going_on = [place for place, chunk in enumerate(chunks) if chunk["choices"] and not ends(chunk)]
    for place in sorted(draw(st.sets(st.sampled_from(going_on), max_size=2)), reverse=True):
        chunks.insert(place + 1, with_properties(chunks[place], delta={}))
    assert serious(request, sse_of(chunks)) == []


@settings(max_examples=2 * settings().max_examples)
@given(streams(most_choices=3), st.booleans(), st.data())
def test_part_of_a_conforming_stream_is_quiet_wherever_its_client_left_or_its_connection_broke(
    streamed: Streamed, mixed: bool, data: st.DataObject
) -> None:
    request, chunks = streamed
    if mixed:
        chunks = mixed_choices(chunks, data.draw(st.permutations(range(3))))
    sse = sse_of(chunks).encode()
    part = sse[: data.draw(st.integers(1, len(sse)))]
    assert serious(request, part, left=True) == []
    assert [one.rule for one in serious(request, part, broken=True)] == ["connection-broken"]
