"""Cases about the length and the sampling of answers: limits, stop sequences, choices, log probabilities, seed."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from isogloss.cli.probe import answer_checks
from isogloss.cli.probe.cases.case import Case
from isogloss.cli.probe.cases.questions import HELLO, LONG, STREAM, ask

__all__ = ["cases"]

_STOP_THREAD = "https://github.com/vllm-project/vllm/issues/3574"
_LIMIT_THREAD = "https://github.com/vllm-project/vllm/issues/58228"
_VOWELS = ["a", "e", "i", "o"]
"""A text in Latin letters has one of these within a few letters. A longer text without them went on after a stop
sequence, which was cut out.
"""
_case = partial(Case, group="sampling")


def cases() -> Iterator[Case]:
    """Yield the cases of the group ``sampling``."""
    yield from _limits()
    yield from _stops()
    yield from _choices()


def _limits() -> Iterator[Case]:
    yield _case(
        "limit", "an answer of one token", "max_completion_tokens",
        "Servers that do not know the newer name ignore it, and nothing limits the answer.",
        "https://github.com/nikserg/skim/issues/35",
        ask(limit=1), expects=answer_checks.expect_limit,
    )  # fmt: skip
    yield _case(
        "limit-stream", "a stream of one token", "max_completion_tokens with stream",
        "An answer that was cut and says stop is taken for a complete one.",
        _LIMIT_THREAD, ask(limit=1, **STREAM), expects=answer_checks.expect_limit,
    )  # fmt: skip
    yield _case(
        "limit-older", "an answer of one token, by the older name", "max_tokens",
        "Most clients still send it; servers that refuse it fail on each of their requests.",
        "https://github.com/router-for-me/CLIProxyAPI/issues/2101",
        {"messages": [HELLO], "max_tokens": 1}, expects=answer_checks.expect_limit,
    )  # fmt: skip
    yield _case(
        "limit-both", "an answer of one token, by both names", "max_tokens beside max_completion_tokens",
        "Clients send both with one value, to suit newer and older servers.",
        "https://github.com/HKUDS/nanobot/pull/2468",
        ask(limit=1, max_tokens=1), expected=(200, 400), expects=answer_checks.expect_limit,
    )  # fmt: skip


def _stops() -> Iterator[Case]:
    why = "Clients end an answer in this way, and parse what comes before; the stop sequence must not be part of it."
    # An answer may begin with a stop sequence, and then has no text.
    expects_stop: dict[str, Any] = {"expects": answer_checks.expect_stop, "excused": ("answer-missing",)}
    yield _case(
        "stop", "four stop sequences, of which any text contains one", "stop (a list)", why, _STOP_THREAD,
        ask(limit=LONG, stop=_VOWELS), **expects_stop,
    )  # fmt: skip
    yield _case(
        "stop-text", "a stop sequence that is not in a list", "stop (a text)",
        "A server that reads only lists refuses it, or stops at every character.",
        "https://github.com/Luce-Org/lucebox/pull/251",
        ask(limit=LONG, stop="e"), **expects_stop,
    )  # fmt: skip
    yield _case(
        "stop-stream", "the same four in a stream", "stop (a list) with stream",
        "Servers that stop in plain answers send the sequence in streams, or go on after it.", _STOP_THREAD,
        ask(limit=LONG, stop=_VOWELS, **STREAM), **expects_stop,
    )  # fmt: skip
    yield _case(
        "stop-text-stream", "one that is not in a list, in a stream", "stop (a text) with stream", why, _STOP_THREAD,
        ask(limit=LONG, stop="e", **STREAM), **expects_stop,
    )  # fmt: skip
    yield _case(
        "stop-parts-stream", "stop sequences of two characters, which may come in two tokens", "stop with stream",
        "Half of a stop sequence was streamed before the server saw that it was one.", _STOP_THREAD,
        ask(limit=LONG, stop=["he", "th", "in", "lo"], **STREAM), **expects_stop,
    )  # fmt: skip


def _choices() -> Iterator[Case]:
    yield _case(
        "n", "two choices", "n",
        "Programs that want several answers to choose from, and get one, do not learn why.",
        "https://github.com/tenstorrent/tt-inference-server/issues/2721",
        ask(n=2), expects=answer_checks.expect_two_choices,
    )  # fmt: skip
    yield _case(
        "n-stream", "two choices as a stream", "n with stream",
        "The chunks of two choices come mixed, and only their index tells them apart.",
        "https://github.com/openai/openai-agents-python/issues/3313",
        ask(n=2, **STREAM), expects=answer_checks.expect_two_choices,
    )  # fmt: skip
    yield _case(
        "logprobs", "log probabilities", "logprobs, top_logprobs",
        "Evaluations join the bytes of tokens to text; tokens that are empty or repeated spoil it.",
        "https://github.com/vllm-project/vllm/pull/34875",
        ask(limit=4, logprobs=True, top_logprobs=2), expects=answer_checks.expect_logprobs,
    )  # fmt: skip
    yield _case(
        "logprobs-stream", "log probabilities in a stream", "logprobs with stream",
        "They were requested, and were missing only in the stream.",
        "https://github.com/ml-explore/mlx-lm/pull/1630",
        ask(limit=4, logprobs=True, top_logprobs=2, **STREAM), expects=answer_checks.expect_logprobs,
    )  # fmt: skip
    yield _case(
        "seed", "the same seed twice", "seed",
        "Servers that do not know it refuse the whole request. The answers need not be the same.",
        "https://github.com/sbintuitions/flexeval/pull/166",
        ask(seed=7, temperature=1), times=2, compares=answer_checks.expect_same_text,
    )  # fmt: skip
    yield _case(
        "reasoning-effort", "how much to think", "reasoning_effort",
        "Clients send it to every model that may reason; it was refused, or never reached the model.",
        "https://github.com/crewAIInc/crewAI/pull/7187",
        ask(HELLO, limit=LONG, reasoning_effort="low"),
    )  # fmt: skip
