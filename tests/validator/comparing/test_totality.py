"""Test that answers with any content are compared without raising, and do not differ from themselves."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from payloads import as_events
from reading import all_exchanges

from isogloss.validator import engines
from isogloss.validator.comparing.answers import ComparedAnswer, answer_of
from isogloss.validator.comparing.pairing import AnswerGroup, pair, twins_within
from isogloss.validator.comparing.recordings import changes
from isogloss.validator.comparing.twins import differences
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
    body = {"sse": as_events(*answers, "[DONE]")}
    return {"path": "/v1/chat/completions", "request": request, "status": draw(st.sampled_from([200, 400, 503, None])),
            **(body if streamed else {"response": answers[0]})}  # fmt: skip


def read_answers(*contents: dict[str, Any]) -> list[ComparedAnswer]:
    text = "".join(json.dumps(record) + "\n" for record in contents).encode()
    exchanges = all_exchanges(text, "some.jsonl")
    answers = (answer_of(JUDGE.judge(exchange), ("", exchange.number)) for exchange in exchanges)
    return [answer for answer in answers if answer is not None]


@given(st.lists(records(), min_size=1, max_size=4))
def test_answers_with_any_content_can_be_compared(drawn_records: list[dict[str, Any]]) -> None:
    answers = read_answers(*drawn_records)
    for difference in differences(twins_within(answers)):
        assert difference.finding.message.isprintable()
        assert difference.finding.source.line >= 1 <= difference.other_source.line
    for stratum in changes(pair(answers[:2], answers[2:], "none")):
        assert all(change.message.isprintable() for change in stratum.changes)


@given(st.lists(records(), min_size=1, max_size=3))
def test_answers_do_not_differ_from_themselves(drawn_records: list[dict[str, Any]]) -> None:
    answers, same_answers = read_answers(*drawn_records), read_answers(*drawn_records)
    assert [change for stratum in changes(pair(answers, same_answers, "position")) for change in stratum.changes] == []
    groups = [AnswerGroup([first], [second], "capture") for first, second in zip(answers, same_answers, strict=True)]
    assert list(differences(groups)) == []
