"""Whatever two answers hold: they are compared, and what is the same does not differ."""

from __future__ import annotations

import io
import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from isogloss.validator import captures, engines
from isogloss.validator.captures.capture import Capture
from isogloss.validator.comparing.answers import ComparedAnswer, answer_of
from isogloss.validator.comparing.changes import changes
from isogloss.validator.comparing.pairing import AnswerGroup, pair, twins_within
from isogloss.validator.comparing.twins import differences
from isogloss.validator.exchange import Exchange
from isogloss.validator.judging.judge import Judge

JUDGE = Judge(engines.load())
NAMES = st.sampled_from(
    ["choices", "message", "delta", "content", "tool_calls", "function", "name", "arguments", "finish_reason", "index",
     "usage", "prompt_tokens", "reasoning", "reasoning_content", "logprobs", "id", "model", "", "a.b", "[]"]
)  # fmt: skip
LEAVES = st.none() | st.booleans() | st.integers(-3, 3) | st.floats() | st.sampled_from(["", "stop", "f", "tool_calls"])
VALUES = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4), max_leaves=12
)
MESSAGES = st.fixed_dictionaries(
    {"role": st.just("assistant") | VALUES, "content": VALUES}, optional={"tool_calls": VALUES, "reasoning": VALUES}
)
CHOICES = st.fixed_dictionaries({"index": st.just(0) | VALUES, "finish_reason": st.just("stop") | LEAVES})


@st.composite
def records(draw: st.DrawFn) -> dict[str, Any]:
    streamed = draw(st.booleans())
    request: dict[str, Any] = {"model": "m", "messages": [{"role": "user", "content": "a"}], "stream": streamed}
    if draw(st.booleans()):
        request |= draw(st.fixed_dictionaries({}, optional={"tools": VALUES, "tool_choice": VALUES, "n": VALUES}))
    part = "delta" if streamed else "message"
    answers = [
        {"id": "chatcmpl-1", "object": "x", "created": 1, "model": "m"}
        | {"choices": [draw(CHOICES) | {part: draw(MESSAGES)}], **draw(st.dictionaries(NAMES, VALUES, max_size=2))}
        for _ in range(draw(st.integers(1, 3)) if streamed else 1)
    ]
    body = {"sse": "".join(f"data: {json.dumps(one)}\n\n" for one in answers) + "data: [DONE]\n\n"}
    return {"path": "/v1/chat/completions", "request": request, "status": draw(st.sampled_from([200, 400, 503, None])),
            **(body if streamed else {"response": answers[0]})}  # fmt: skip


def read(*some: dict[str, Any]) -> list[ComparedAnswer]:
    text = "".join(json.dumps(one) + "\n" for one in some).encode()
    found = [one for one in captures.read(Capture(io.BytesIO(text), "some.jsonl")) if isinstance(one, Exchange)]
    answers = (answer_of(JUDGE.judge(one), ("", one.number)) for one in found)
    return [one for one in answers if one is not None]


@given(st.lists(records(), min_size=1, max_size=4))
def test_any_answers_are_compared(some: list[dict[str, Any]]) -> None:
    answers = read(*some)
    for one in differences(twins_within(answers)):
        assert one.finding.message.isprintable()
        assert one.finding.source.line >= 1 <= one.other_source.line
    for stratum in changes(pair(answers[:2], answers[2:], "none")):
        assert all(change.message.isprintable() for change in stratum.changes)


@given(st.lists(records(), min_size=1, max_size=3))
def test_answers_do_not_differ_from_themselves(some: list[dict[str, Any]]) -> None:
    answers, again = read(*some), read(*some)
    assert [change for stratum in changes(pair(answers, again, "position")) for change in stratum.changes] == []
    groups = [AnswerGroup([one], [other], "capture") for one, other in zip(answers, again, strict=True)]
    assert list(differences(groups)) == []
