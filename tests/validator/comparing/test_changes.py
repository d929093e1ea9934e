"""Test which changes are found between two recordings, and how severe they are."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from payloads import as_events

from isogloss.validator import engines
from isogloss.validator.comparing.answers import ComparedAnswer, answer_of
from isogloss.validator.comparing.change import Change
from isogloss.validator.comparing.pairing import pair
from isogloss.validator.comparing.recordings import changes
from isogloss.validator.exchange import Exchange, Skipped
from isogloss.validator.judging.judge import Judge

MESSAGE = ("choices", 0, "message")


def answer() -> dict[str, Any]:
    return {"id": "chatcmpl-1", "object": "chat.completion", "created": 1760000000, "model": "m",
            "choices": [{"index": 0, "message": {"role": "assistant", "content": "Hello.", "refusal": None},
                         "logprobs": None, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3}}  # fmt: skip


def chunk(delta: dict[str, Any] | None = None, finish: str | None = None, **more: Any) -> dict[str, Any]:
    choices = [] if delta is None else [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}]
    return {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1760000000, "model": "m",
            "choices": choices, **more}  # fmt: skip


ROLE, TEXT, END = chunk({"role": "assistant", "content": ""}), chunk({"content": "Hello."}), chunk({}, "stop")
USAGE = chunk(None, usage={"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3})


@pytest.fixture
def find_changes(read: Callable[[Path], list[Exchange | Skipped]], tmp_path: Path) -> Callable[..., list[Change]]:
    judge = Judge(engines.load())

    def judge_recording(name: str, bodies: list[Any]) -> list[ComparedAnswer]:
        path = tmp_path / f"{name}.jsonl"
        records = []
        for number, body in enumerate(bodies):
            streamed = isinstance(body, str)
            request = {"model": "m", "messages": [{"role": "user", "content": str(number)}], "stream": streamed,
                       "tools": [{"type": "function", "function": {"name": "f"}}]}  # fmt: skip
            failed = not streamed and "error" in body
            records.append({"request": request, "status": 400 if failed else 200, "path": "/v1/chat/completions",
                            "sse" if streamed else "response": body})  # fmt: skip
        path.write_text("".join(json.dumps(record) + "\n" for record in records))
        answers = [
            answer_of(judge.judge(exchange), ("", 0)) for exchange in read(path) if isinstance(exchange, Exchange)
        ]
        return [compared for compared in answers if compared is not None]

    def compare(before: Any, after: Any, *, times: int = 1) -> list[Change]:
        sides = [side if isinstance(side, list) else [side] * times for side in (before, after)]
        return [change
                for stratum in changes(pair(judge_recording("before", sides[0]), judge_recording("after", sides[1])))
                for change in stratum.changes]  # fmt: skip

    return compare


def severities_kinds_and_paths(found_changes: list[Change]) -> list[tuple[str, str, str]]:
    return [(change.severity.label, change.change, change.path) for change in found_changes]


def with_value(pointer: tuple[str | int, ...], value: Any) -> dict[str, Any]:
    completion = copy.deepcopy(answer())
    parent: Any = completion
    for step in pointer[:-1]:
        parent = parent[step]
    if value is ...:
        parent.pop(pointer[-1], None)
    else:
        parent[pointer[-1]] = value
    return completion


def test_recording_has_no_change_against_itself(find_changes: Any) -> None:
    both = [answer(), as_events(ROLE, TEXT, END, USAGE, "[DONE]")]
    assert find_changes(both, both) == []


def test_other_words_and_ids_are_no_change(find_changes: Any) -> None:
    after = with_value((*MESSAGE, "content"), "Good day to you.")
    assert find_changes(answer(), after | {"id": "chatcmpl-2", "created": 1770000000}) == []


@pytest.mark.parametrize(
    ("pointer", "before", "after", "expected"),
    [
        (("extra",), ..., 1, ("note", "new", "extra")),
        (("usage",), answer()["usage"], ..., ("warning", "gone", "usage")),
        (("usage",), answer()["usage"], None, ("warning", "gone", "usage")),
        (("created",), 1760000000, "1760000000", ("error", "type", "created")),
        (("object",), "chat.completion", "text", ("warning", "value", "object")),
        ((*MESSAGE, "refusal"), None, ..., ("note", "gone", "choices[].message.refusal")),
    ],
)
def test_change_of_one_property_has_its_severity(
    find_changes: Any, pointer: Any, before: Any, after: Any, expected: tuple[str, str, str]
) -> None:
    assert expected in severities_kinds_and_paths(find_changes(with_value(pointer, before), with_value(pointer, after)))


def test_another_word_is_placed_in_both_recordings(find_changes: Any) -> None:
    pointer = ("choices", 0, "finish_reason")
    found = find_changes(with_value(pointer, "stop"), with_value(pointer, "length"))
    [only] = [change for change in found if change.path == "choices[].finish_reason"]
    assert only.change == "value"
    assert (only.was.line, only.was.column) == (only.now.line, only.now.column)
    assert only.was.column > len('{"request": {"model": "m"')


@pytest.mark.parametrize(("times", "severity"), [(3, "note"), (4, "warning")])
def test_other_finish_reasons_may_come_from_the_model_in_few_answers(
    find_changes: Any, times: int, severity: str
) -> None:
    pointer = ("choices", 0, "finish_reason")
    found = find_changes(with_value(pointer, "stop"), with_value(pointer, "length"), times=times)
    assert (severity, "value", "choices[].finish_reason") in severities_kinds_and_paths(found)


def test_words_beside_others_are_new_gone_or_of_another_rate(find_changes: Any) -> None:
    pointer = ("choices", 0, "finish_reason")
    before = ["stop"] * 25 + ["length"] + ["tool_calls"] * 14
    after = ["stop"] * 8 + ["length"] * 31 + ["content_filter"]
    found = find_changes(*([with_value(pointer, word) for word in words] for words in (before, after)))
    of_words = [one for one in found if one.path == "choices[].finish_reason" and one.change != "fault"]
    severities = {one.message: (one.severity.label, one.change) for one in of_words}
    assert severities == {
        '"content_filter" is new': ("note", "new"),
        '"tool_calls" is gone': ("warning", "gone"),
        'is "length" more often': ("warning", "rate"),
        'is "stop" less often': ("warning", "rate"),
    }


def test_renamed_property_is_one_change_and_an_error(find_changes: Any) -> None:
    before, after = (with_value((*MESSAGE, name), "Think.") for name in ("reasoning_content", "reasoning"))
    [only] = [change for change in find_changes(before, after) if change.path.startswith("choices[].message.reasoning")]
    assert (only.severity.label, only.change) == ("error", "renamed")
    assert (str(only.before), str(only.after)) == ("1 of 1", "1 of 1")
    assert only.was is not None
    assert only.now is not None


def test_change_in_a_stream_is_placed_at_the_event_that_shows_it_first(find_changes: Any, tmp_path: Path) -> None:
    before, after = (
        as_events(ROLE, chunk({name: "Think."}), TEXT, END, "[DONE]") for name in ("reasoning_content", "x")
    )
    [gone] = [one for one in find_changes(before, after) if one.path == "choices[].message.reasoning_content"]
    assert gone.was is not None
    text = (tmp_path / "before.jsonl").read_text()
    assert "Think." in text[gone.was.column - 1 :].partition("data:")[0]


def test_new_property_that_does_not_resemble_the_removed_one_is_no_rename(find_changes: Any) -> None:
    before, after = with_value(("x_groq",), {"id": "1"}), with_value(("time_info",), {"total": 1})
    assert {change.change for change in find_changes(before, after)} == {"new", "gone"}


@pytest.mark.parametrize("new", ["role", "refusal"])
def test_no_text_of_a_message_is_renamed_to_a_label_or_a_refusal(find_changes: Any, new: str) -> None:
    before, after = with_value((*MESSAGE, new), ...), with_value((*MESSAGE, new), "assistant")
    before["choices"][0]["message"]["reasoning"] = "Think."
    changes = {(one.path, one.change) for one in find_changes(before, after)}
    assert {("choices[].message.reasoning", "gone"), (f"choices[].message.{new}", "new")} <= changes


def test_changes_inside_a_removed_property_are_not_reported(find_changes: Any) -> None:
    paths = [change.path for change in find_changes(answer(), with_value(("usage",), ...))]
    assert not [path for path in paths if path.startswith("usage.")]


def test_calls_in_place_of_text_are_a_warning_only_after_several_answers(find_changes: Any) -> None:
    calls = with_value((*MESSAGE, "tool_calls"), [{"id": "call_1", "type": "function",
                                                   "function": {"name": "f", "arguments": "{}"}}])  # fmt: skip
    calls["choices"][0]["message"]["content"] = None
    calls["choices"][0]["finish_reason"] = "tool_calls"
    assert {change.severity.label for change in find_changes(answer(), calls)} <= {"note"}
    assert "warning" in {change.severity.label for change in find_changes(answer(), calls, times=8)}


def test_rate_whose_change_is_hardly_chance_is_reported_with_counts(find_changes: Any) -> None:
    extra = with_value(("extra",), 1)
    before, after = [extra] * 9 + [answer()] * 11, [extra] * 20
    [only] = find_changes(before, after)
    assert severities_kinds_and_paths([only]) == [("warning", "rate", "extra")]
    assert (str(only.before), str(only.after)) == ("9 of 20", "20 of 20")


def test_changed_order_of_chunks_is_an_error(find_changes: Any) -> None:
    before, after = as_events(ROLE, TEXT, END, USAGE, "[DONE]"), as_events(ROLE, TEXT, USAGE, END, "[DONE]")
    assert ("error", "order", "") in severities_kinds_and_paths(find_changes(before, after))


def test_an_empty_text_beside_the_role_is_no_beginning_of_the_text(find_changes: Any) -> None:
    role_alone = as_events(chunk({"role": "assistant"}), TEXT, END, "[DONE]")
    found = find_changes(role_alone, as_events(ROLE, TEXT, END, "[DONE]"))
    assert "order" not in {change.change for change in found}
    with_text = as_events(chunk({"role": "assistant", "content": "Hello."}), END, "[DONE]")
    assert ("warning", "order", "") in severities_kinds_and_paths(find_changes(role_alone, with_text))


def test_missing_end_of_a_stream_is_an_error_and_a_new_end_is_a_note(find_changes: Any) -> None:
    before, after = as_events(ROLE, TEXT, END, "[DONE]"), as_events(ROLE, TEXT, END)
    assert ("error", "protocol", "") in severities_kinds_and_paths(find_changes(before, after))
    assert ("note", "protocol", "") in severities_kinds_and_paths(find_changes(after, before))


def test_answer_that_becomes_an_error_is_one_change(find_changes: Any) -> None:
    refusal = {"error": {"message": "No.", "type": "invalid_request_error", "param": None, "code": None}}
    [only] = find_changes(answer(), refusal)
    assert only.severity.label == "error"
    assert only.message == "answer was a completion with status 200, is an error with status 400"
    [other] = find_changes(refusal, answer())
    assert other.severity.label == "warning"


def test_newly_broken_rule_has_its_own_severity_and_one_no_longer_broken_is_a_note(find_changes: Any) -> None:
    before, after = as_events(ROLE, TEXT, END, "[DONE]"), as_events(ROLE, TEXT, END, END, "[DONE]")
    faults = [change for change in find_changes(before, after) if "finish-reason-repeated" in change.message]
    assert [(change.severity.label, change.change) for change in faults] == [("error", "fault")]
    assert [change.severity.label for change in find_changes(after, before) if "repeated" in change.message] == ["note"]


@pytest.fixture
def messages_both_ways(read: Callable[[Path], list[Exchange | Skipped]], tmp_path: Path) -> Callable[..., list[str]]:
    """Return a function that compares two captures, given by name and content, in both directions."""
    judge = Judge(engines.load())

    def answer_in(name: str, content: str) -> ComparedAnswer:
        (tmp_path / name).write_text(content)
        [exchange] = read(tmp_path / name)
        assert isinstance(exchange, Exchange)
        compared = answer_of(judge.judge(exchange), ("", 0))
        assert compared is not None
        return compared

    def compare(*captures: tuple[str, str]) -> list[str]:
        first, second = (answer_in(*capture) for capture in captures)
        found = changes(pair([first], [second])) + changes(pair([second], [first]))
        return [change.message for stratum in found for change in stratum.changes]

    return compare


@pytest.mark.parametrize("kept", ["status", "content_type", "request", "end of the stream"])
def test_what_one_recording_did_not_keep_is_no_change(messages_both_ways: Callable[..., list[str]], kept: str) -> None:
    is_streamed = kept == "end of the stream"
    request = {"model": "another", "messages": [{"role": "user", "content": "Hi"}], "n": 2, "stream": is_streamed}
    content_type = "text/event-stream" if is_streamed else "application/json"
    values: dict[str, Any] = {"path": "/v1/chat/completions", "status": 200, "content_type": content_type}
    values["request"] = request
    if is_streamed:
        stream = [ROLE, TEXT, END]
        full, sparse = values | {"sse": as_events(*stream, "[DONE]")}, values | {"chunks": stream}
    else:
        full = values | {"response": answer()}
        sparse = {name: value for name, value in full.items() if name != kept}
    assert messages_both_ways(("full.json", json.dumps(full)), ("sparse.json", json.dumps(sparse))) == []


def test_nulls_that_a_client_library_wrote_are_no_new_properties(messages_both_ways: Callable[..., list[str]]) -> None:
    printed = answer()
    printed["choices"][0]["message"] |= {"function_call": None, "tool_calls": None, "audio": None}
    assert messages_both_ways(("sent.json", json.dumps(answer())), ("printed.txt", repr(printed))) == []


@pytest.mark.parametrize(
    ("after", "path", "message"),
    [
        ((ROLE, TEXT), "choices[].finish_reason", "finish-reason-missing is new"),
        (("[DONE]",), "", "stream-empty is new"),
    ],
)
def test_streams_that_do_not_end_any_more_break_a_rule_and_nothing_else_is_compared(
    find_changes: Any, after: tuple[Any, ...], path: str, message: str
) -> None:
    found = find_changes(as_events(ROLE, TEXT, END, USAGE, "[DONE]"), as_events(*after))
    assert [(one.severity.label, one.path, one.message) for one in found] == [("error", path, message)]


def test_a_rule_about_whole_answers_is_compared_only_where_the_stream_is_whole(find_changes: Any) -> None:
    twice = chunk({"content": "Hello."}, usage={"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 9})
    whole, cut = as_events(ROLE, twice, END, "[DONE]"), as_events(ROLE, twice)
    found = {one.message: one for one in find_changes([whole] * 20, [whole] * 2 + [cut] * 18)}
    assert str(found["finish-reason-missing is new"].after) == "18 of 20"
    assert not [message for message in found if message.startswith("usage-total-mismatch")]


def test_text_that_is_no_json_any_more_is_a_change(find_changes: Any) -> None:
    before = as_events(ROLE, TEXT, END, "[DONE]")
    [only] = find_changes(before, before.replace('"Hello."}', '"Hello.', 1))
    assert (only.severity.label, only.change, only.message) == ("error", "fault", "json-syntax is new")
