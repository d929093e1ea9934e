"""Test streams in which one value is replaced by another, or several parts are damaged."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any

from changed_payloads import replace_value
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from json_texts import pointers
from streamed import (
    Json,
    Streamed,
    chunk_of,
    replaced,
    serious,
    sse_of,
    streams,
    with_properties,
)

from isogloss.validator import engines
from isogloss.validator.judging.judge import Judge

JUDGE_WITHOUT_SHORTCUTS = Judge(engines.load(), shortcuts=False)
SOME = settings(max_examples=5, deadline=None, phases=[Phase.generate])
"""For tests that judge some hundred streams an example: to shrink one would take minutes."""
WRONG: tuple[Any, ...] = (0, 7, "", "7", [], [7], {}, {"7": 7}, True)


def _with_each_changed(chunks: list[Any], change: Callable[[Any, Any], object]) -> Iterator[list[Any]]:
    """Yield the chunks with each of their values changed, one at a time.

    The function that changes a value takes what holds it, and its name there.
    """
    for place, chunk in enumerate(chunks):
        for *above, name in filter(None, pointers(chunk)):
            changed = copy.deepcopy(chunk)
            holder = changed
            for step in above:
                holder = holder[step]
            change(holder, name)
            if changed != chunk:
                yield replaced(chunks, place, changed)


def _with_logprobs() -> Streamed:
    """Return a stream with the log probabilities of each token."""
    request: Json = {"model": "gpt-4.1-mini", "messages": [{"role": "user", "content": "Weather?"}], "stream": True}
    chunks = [chunk_of(0, {"role": "assistant", "content": "", "refusal": None})]
    for text in ("Sun", "ny", "."):
        token: Json = {"token": text, "logprob": -1, "bytes": list(text.encode())}
        other: Json = {"token": "X", "logprob": -4, "bytes": [88]}
        logprobs = {"content": [{**token, "top_logprobs": [token, other]}], "refusal": None}
        chunks.append(with_properties(chunk_of(0, {"content": text}), logprobs=logprobs))
    return request | {"logprobs": True, "top_logprobs": 2}, [*chunks, chunk_of(0, {}, "stop")]


@SOME
@given(streams() | st.builds(_with_logprobs), st.sampled_from(WRONG))
def test_value_of_a_wrong_type_is_one_finding_wherever_it_stands(streamed: Streamed, wrong: Any) -> None:
    request, chunks = streamed

    def change(holder: Any, name: Any) -> None:
        is_word_or_object = holder[name] is None and isinstance(wrong, dict | str)
        if not (is_word_or_object or isinstance(wrong, type(holder[name]))):
            holder[name] = wrong

    for changed in _with_each_changed(chunks, change):
        assert len({one.rule for one in serious(request, sse_of(changed))}) <= 1


@SOME
@given(streams(), st.sampled_from(["removed", "null"]))
def test_value_that_is_lost_is_one_finding_wherever_it_stood(streamed: Streamed, lost: str) -> None:
    request, chunks = streamed

    def change(holder: Any, name: Any) -> None:
        if name != "tool_calls":  # null says that there are none
            holder[name] = None
            if lost == "removed" and isinstance(holder, dict):
                del holder[name]

    for changed in _with_each_changed(chunks, change):
        assert len({one.rule for one in serious(request, sse_of(changed))}) <= 1


DELTAS: tuple[Json, ...] = (
    {"role": ""},
    {"role": "tool"},
    {"content": None, "tool_calls": []},
    {"function_call": {"name": "", "arguments": ""}},
    {"tool_calls": [{"index": 0, "id": "", "type": "", "function": {"name": ""}}]},
    {"tool_calls": [{"index": 1, "id": None, "function": None}, {}]},
)


@settings(max_examples=3 * settings().max_examples)
@given(streams(), st.data())
def test_no_rule_fails_or_depends_on_shortcuts_on_a_stream_with_several_faults(
    streamed: Streamed, data: st.DataObject
) -> None:
    request, chunks = streamed
    draw = data.draw
    for fault in draw(st.lists(st.sampled_from(["again", "lost", "moved", "value", "delta"]), min_size=2, max_size=8)):
        place, other = (draw(st.integers(0, len(chunks) - 1)) for _ in range(2))
        chunk = chunks[place]
        if fault == "value":
            pointer = draw(st.sampled_from(pointers(chunk)))
            chunk = replace_value(chunk, pointer, draw(st.sampled_from([None, *WRONG])))
        elif fault == "delta":
            chunk = chunk_of(0, draw(st.sampled_from(DELTAS)))
        rest = chunks if fault in ("again", "delta") else replaced(chunks, place)
        chunks = rest if fault == "lost" and rest else [*rest[:other], chunk, *rest[other:]]
    assert serious(request, sse_of(chunks)) == serious(request, sse_of(chunks), JUDGE_WITHOUT_SHORTCUTS)
