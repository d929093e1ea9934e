"""What changed between two recordings, and in which tier."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from isogloss.validator import engines
from isogloss.validator.comparing.answers import ComparedAnswer, answer_of
from isogloss.validator.comparing.changes import Change, changes
from isogloss.validator.comparing.pairing import pair
from isogloss.validator.exchange import Exchange, Skipped
from isogloss.validator.judging.judge import Judge

Changed = Callable[..., list[tuple[str, str, str, str]]]
MESSAGE = ("choices", 0, "message")


def answer() -> dict[str, Any]:
    return {"id": "chatcmpl-1", "object": "chat.completion", "created": 1760000000, "model": "m",
            "choices": [{"index": 0, "message": {"role": "assistant", "content": "Hello.", "refusal": None},
                         "logprobs": None, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3}}  # fmt: skip


def events(*chunks: dict[str, Any] | str) -> str:
    return "".join(f"data: {one if isinstance(one, str) else json.dumps(one)}\n\n" for one in chunks)


def chunk(delta: dict[str, Any] | None = None, finish: str | None = None, **more: Any) -> dict[str, Any]:
    choices = [] if delta is None else [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}]
    return {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1760000000, "model": "m",
            "choices": choices, **more}  # fmt: skip


ROLE, TEXT, END = chunk({"role": "assistant", "content": ""}), chunk({"content": "Hello."}), chunk({}, "stop")
USAGE = chunk(None, usage={"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3})


@pytest.fixture
def found(read: Callable[[Path], list[Exchange | Skipped]], tmp_path: Path) -> Callable[..., list[Change]]:
    judge = Judge(engines.load())

    def recording(name: str, bodies: list[Any]) -> list[ComparedAnswer]:
        path = tmp_path / f"{name}.jsonl"
        records = []
        for number, body in enumerate(bodies):
            streamed = isinstance(body, str)
            request = {"model": "m", "messages": [{"role": "user", "content": str(number)}], "stream": streamed,
                       "tools": [{"type": "function", "function": {"name": "f"}}]}  # fmt: skip
            failed = not streamed and "error" in body
            records.append({"request": request, "status": 400 if failed else 200, "path": "/v1/chat/completions",
                            "sse" if streamed else "response": body})  # fmt: skip
        path.write_text("".join(json.dumps(one) + "\n" for one in records))
        answers = [answer_of(judge.judge(one), ("", 0)) for one in read(path) if isinstance(one, Exchange)]
        return [one for one in answers if one is not None]

    def compare(before: Any, after: Any, *, times: int = 1) -> list[Change]:
        lists = [side if isinstance(side, list) else [side] * times for side in (before, after)]
        return [one for some in changes(pair(recording("before", lists[0]), recording("after", lists[1])))
                for one in some.changes]  # fmt: skip

    return compare


def told(found: list[Change]) -> list[tuple[str, str, str]]:
    return [(one.severity.label, one.change, one.path) for one in found]


def with_value(at: tuple[str | int, ...], value: Any) -> dict[str, Any]:
    whole = copy.deepcopy(answer())
    inner: Any = whole
    for step in at[:-1]:
        inner = inner[step]
    if value is ...:
        inner.pop(at[-1], None)
    else:
        inner[at[-1]] = value
    return whole


def test_nothing_changes_between_a_recording_and_itself(found: Any) -> None:
    both = [answer(), events(ROLE, TEXT, END, USAGE, "[DONE]")]
    assert found(both, both) == []


def test_other_words_and_ids_are_no_change(found: Any) -> None:
    after = with_value((*MESSAGE, "content"), "Good day to you.")
    assert found(answer(), after | {"id": "chatcmpl-2", "created": 1770000000}) == []


@pytest.mark.parametrize(
    ("at", "before", "after", "expected"),
    [
        (("extra",), ..., 1, ("note", "new", "extra")),
        (("usage",), answer()["usage"], ..., ("warning", "gone", "usage")),
        (("usage",), answer()["usage"], None, ("warning", "gone", "usage")),
        (("created",), 1760000000, "1760000000", ("error", "type", "created")),
        (("object",), "chat.completion", "text", ("warning", "value", "object")),
        ((*MESSAGE, "refusal"), None, ..., ("note", "gone", "choices[].message.refusal")),
    ],
)
def test_a_change_of_one_property_is_told_in_its_tier(
    found: Any, at: Any, before: Any, after: Any, expected: tuple[str, str, str]
) -> None:
    assert expected in told(found(with_value(at, before), with_value(at, after)))


def test_a_property_under_another_name_is_an_error_and_told_once(found: Any) -> None:
    before, after = (with_value((*MESSAGE, name), "Think.") for name in ("reasoning_content", "reasoning"))
    [only] = [one for one in found(before, after) if one.path.startswith("choices[].message.reasoning")]
    assert (only.severity.label, only.change) == ("error", "renamed")
    assert (str(only.before), str(only.after)) == ("1 of 1", "1 of 1")
    assert only.was is not None
    assert only.now is not None


def test_a_property_that_has_nothing_in_common_with_the_one_that_is_gone_is_only_new(found: Any) -> None:
    before, after = with_value(("x_groq",), {"id": "1"}), with_value(("time_info",), {"total": 1})
    assert {one.change for one in found(before, after)} == {"new", "gone"}


def test_what_a_property_holds_is_not_told_where_the_property_is_gone(found: Any) -> None:
    paths = [one.path for one in found(answer(), with_value(("usage",), ...))]
    assert not [path for path in paths if path.startswith("usage.")]


def test_calls_in_place_of_text_are_no_warning_after_one_answer(found: Any) -> None:
    calls = with_value((*MESSAGE, "tool_calls"), [{"id": "call_1", "type": "function",
                                                   "function": {"name": "f", "arguments": "{}"}}])  # fmt: skip
    calls["choices"][0]["message"]["content"] = None
    calls["choices"][0]["finish_reason"] = "tool_calls"
    assert {one.severity.label for one in found(answer(), calls)} <= {"note"}
    assert "warning" in {one.severity.label for one in found(answer(), calls, times=8)}


def test_rates_are_told_with_their_counts_where_chance_does_not_account_for_them(found: Any) -> None:
    extra = with_value(("extra",), 1)
    before, after = [extra] * 9 + [answer()] * 11, [extra] * 20
    [only] = found(before, after)
    assert told([only]) == [("warning", "rate", "extra")]
    assert (str(only.before), str(only.after)) == ("9 of 20", "20 of 20")


def test_an_order_that_is_turned_round_is_an_error(found: Any) -> None:
    before, after = events(ROLE, TEXT, END, USAGE, "[DONE]"), events(ROLE, TEXT, USAGE, END, "[DONE]")
    assert ("error", "order", "") in told(found(before, after))


def test_the_end_of_a_stream_that_is_missing_now_is_an_error_and_one_that_has_come_a_note(found: Any) -> None:
    before, after = events(ROLE, TEXT, END, "[DONE]"), events(ROLE, TEXT, END)
    assert ("error", "protocol", "") in told(found(before, after))
    assert ("note", "protocol", "") in told(found(after, before))


def test_an_answer_that_has_become_an_error_is_one_change_of_the_protocol(found: Any) -> None:
    refusal = {"error": {"message": "No.", "type": "invalid_request_error", "param": None, "code": None}}
    [only] = found(answer(), refusal)
    assert only.severity.label == "error"
    assert only.message == "answer was a completion with status 200, is an error with status 400"
    [other] = found(refusal, answer())
    assert other.severity.label == "warning"


def test_a_rule_that_is_broken_now_is_as_severe_as_the_rule_and_gone_a_note(found: Any) -> None:
    before, after = events(ROLE, TEXT, END, "[DONE]"), events(ROLE, TEXT, END, END, "[DONE]")
    faults = [one for one in found(before, after) if "finish-reason-repeated" in one.message]
    assert [(one.severity.label, one.change) for one in faults] == [("error", "fault")]
    assert [one.severity.label for one in found(after, before) if "repeated" in one.message] == ["note"]
