"""Test that the memory for an exchange is in proportion to its size, whatever it has very many of."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Iterator
from functools import partial

import pytest
from reading import all_exchanges

from isogloss.validator import engines
from isogloss.validator.dialects import model
from isogloss.validator.dialects.explainers import AutoExplainer
from isogloss.validator.judging.judge import Judge

MOST = 40
"""How many bytes of memory each byte of a capture may take. Objects without properties take 22 by themselves."""
MOST_KEPT = 3

_MANY = 4_200
"""Twice as many are more than any cache holds, so that only what grows with the capture is measured."""


def _items(count: int) -> str:
    return ",".join(["{}"] * count)


def _completion(rest: str) -> str:
    return f'{{"id":"chatcmpl-1","object":"chat.completion","created":1,"model":"m",{rest}}}'


def _properties(count: int) -> str:
    return _completion('"choices":[],' + ",".join(f'"p{number}":1' for number in range(count)))


def _stream(chunk: str, count: int) -> str:
    """Return a stream whose chunks have these properties, too. Each chunk has its number in place of ``#``."""
    head = '"id":"c","object":"chat.completion.chunk","created":1,"model":"m"'
    return "".join(f"data: {{{head},{chunk.replace('#', str(number))}}}\n\n" for number in range(count))


def _events(count: int, name: str = "p") -> str:
    return _stream(f'"{name}#":1,"choices":[{{"index":0,"delta":{{"content":"a"}}}}]', count)


pytestmark = pytest.mark.slow

MANY_OF: dict[str, Callable[[int], str]] = {
    "choices": lambda count: _completion(f'"choices":[{_items(4 * count)}]'),
    "calls": lambda count: _completion(f'"choices":[{{"index":0,"message":{{"tool_calls":[{_items(4 * count)}]}}}}]'),
    "tools": lambda count: (
        f'{{"model":"m","messages":[{{"role":"user","content":"a"}}],"tools":[{_items(4 * count)}]}}'
    ),
    "messages": lambda count: f'{{"model":"m","messages":[{{"role":"user","content":"a"}},{_items(4 * count)}]}}',
    "properties": lambda count: _properties(4 * count),
    "events with a property of their own": _events,
    "choices of a stream": partial(_stream, '"choices":[{"index":#,"delta":{"content":"a"}}]'),
    "calls of a stream": partial(_stream, '"choices":[{"index":0,"delta":{"tool_calls":[{"index":#}]}}]'),
}


@pytest.fixture
def judge_all() -> Iterator[Callable[[str], tuple[int, int, int]]]:
    """Return a function that judges what is in a capture.

    It returns the size of the capture, the most memory that was taken at once, and the memory that is still taken.
    """
    judge = Judge(engines.load(), explainer=AutoExplainer(model.dialects()))

    def judge_all(text: str) -> tuple[int, int, int]:
        exchanges = all_exchanges(text)
        tracemalloc.reset_peak()
        assert any(judge.judge(one).findings for one in exchanges), "the memory that findings take was not measured"
        peak = tracemalloc.get_traced_memory()[1]
        exchanges.clear()
        return len(text), peak, tracemalloc.get_traced_memory()[0]

    tracemalloc.start()
    yield judge_all
    tracemalloc.stop()


@pytest.mark.parametrize("what", MANY_OF)
def test_memory_grows_in_proportion_to_the_capture(what: str, judge_all: Callable[[str], tuple[int, int, int]]) -> None:
    small_size, small_peak, _ = judge_all(MANY_OF[what](2 * _MANY))
    large_size, large_peak, _ = judge_all(MANY_OF[what](4 * _MANY))
    assert (large_peak - small_peak) / (large_size - small_size) < MOST


def test_hardly_anything_is_kept_of_exchanges_that_were_judged(
    judge_all: Callable[[str], tuple[int, int, int]],
) -> None:
    _, _, kept_before = judge_all(_events(_MANY, "p"))
    size, _, kept = judge_all(_events(_MANY, "q"))
    assert (kept - kept_before) / size < MOST_KEPT
