"""Test which answers are compared with each other."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import pytest
from payloads import as_events

from isogloss.validator import engines
from isogloss.validator.comparing.answers import ComparedAnswer, answer_of
from isogloss.validator.comparing.pairing import Way, pair, twins_between, twins_within
from isogloss.validator.exchange import Exchange, Skipped
from isogloss.validator.judging.judge import Judge
from isogloss.validator.rules.twinning import Relation, Twins

Read = Callable[[Path], list[Exchange | Skipped]]
Answers = Callable[..., list[ComparedAnswer]]


def record(text: str, *, stream: bool | None = None, model: str = "m", **more: Any) -> dict[str, Any]:
    request = {"model": model, "messages": [{"role": "user", "content": text}], **more}
    if stream is not None:
        request["stream"] = stream
    answer = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1760000000, "model": model,
              "choices": [{"index": 0, "message": {"role": "assistant", "content": text, "refusal": None},
                           "logprobs": None, "finish_reason": "stop"}]}  # fmt: skip
    return {"path": "/v1/chat/completions", "request": request, "status": 200, "response": answer}


@pytest.fixture
def answers(read: Read, tmp_path: Path) -> Answers:
    judge = Judge(engines.load())

    def judge_records(*records: dict[str, Any], name: str = "") -> list[ComparedAnswer]:
        path = tmp_path / "some.jsonl"
        path.write_text("".join(json.dumps(record) + "\n" for record in records))
        found = []
        for number, exchange in enumerate(read(path)):
            assert isinstance(exchange, Exchange)
            found.append(answer_of(judge.judge(exchange), (name, number)))
        return [answer for answer in found if answer is not None]

    return judge_records


def exchange_numbers(side: Any) -> list[int]:
    return [answer.exchange.number for answer in side]


def test_a_temporary_error_is_no_answer_without_a_partner(answers: Answers) -> None:
    busy = {**record("b"), "status": 503, "response": {"error": {"message": "Busy", "type": "server_error"}}}
    before, after = answers(record("a"), busy), answers(busy, record("c"), record("a"))
    found = pair(before, after[1:])
    assert (found.alone_before, found.alone_after) == (0, 1)
    assert pair(before, after).alone_before == pair(after, before).alone_after == 0


def test_answers_to_the_same_request_are_paired_in_any_order(answers: Answers) -> None:
    before, after = answers(record("a"), record("b"), record("c")), answers(record("b"), record("a"))
    found = pair(before, after)
    assert [(exchange_numbers(group.left), exchange_numbers(group.right)) for group in found.groups] == [
        ([0], [1]),
        ([1], [0]),
    ]
    assert (found.way, found.alone_before, found.alone_after) == ("request", 1, 0)


def test_each_repeat_of_a_request_is_compared_with_the_first_answer(answers: Answers) -> None:
    groups = twins_within(answers(*[record("a")] * 3))
    assert [(exchange_numbers(group.left), exchange_numbers(group.right)) for group in groups] == [
        ([0], [1]),
        ([0], [2]),
    ]


def test_a_stream_is_not_paired_with_a_completion_between_two_recordings(answers: Answers) -> None:
    assert pair(answers(record("a", stream=True)), answers(record("a")), "request").groups == []


def test_requests_are_the_same_despite_order_nulls_and_ids_of_earlier_calls(answers: Answers) -> None:
    def messages_with(call_id: str) -> list[dict[str, Any]]:
        call = {"id": call_id, "type": "function", "function": {"name": "f", "arguments": "{}"}}
        return [{"role": "user", "content": "a"}, {"role": "assistant", "content": None, "tool_calls": [call]},
                {"role": "tool", "tool_call_id": call_id, "content": "b"}]  # fmt: skip

    before = answers(record("a", messages=messages_with("call_1"), seed=1, top_p=1))
    after = answers(record("a", messages=messages_with("call_2"), top_p=1, seed=1, stop=None))
    assert len(pair(before, after, "request").groups) == 1


def test_requests_are_the_same_if_a_gateway_renames_the_model(answers: Answers) -> None:
    found = pair(answers(record("a"), record("b")), answers(record("b", model="vendor/m")))
    assert [exchange_numbers(group.left) for group in found.groups] == [[1]]


def test_answers_to_different_requests_are_paired_by_name(answers: Answers) -> None:
    before, after = answers(record("a"), name="case"), answers(record("b"), name="case")
    assert (pair(before, after).way, len(pair(before, after).groups)) == ("name", 1)
    assert pair(before, answers(record("b"), name="another")).groups == []


@pytest.mark.parametrize(("way", "groups"), [("request", 0), ("name", 0), ("position", 2), ("none", 1)])
def test_requested_way_of_pairing_is_the_only_one_used(answers: Answers, way: Way, groups: int) -> None:
    before = answers(record("a"), record("b"), name="one")
    after = answers(record("c"), record("d"), record("e"), name="other")
    assert len(pair(before, after, way).groups) == groups


def test_answers_without_a_request_are_not_paired_by_request(answers: Answers) -> None:
    alone = {name: value for name, value in record("a").items() if name != "request"}
    found = pair(answers(record("a"), alone), answers(alone, record("a")), "request")
    assert [(exchange_numbers(group.left), exchange_numbers(group.right)) for group in found.groups] == [([0], [1])]
    assert (found.alone_before, found.alone_after) == (1, 1)


def test_twins_are_a_stream_with_completions_and_then_repeats_with_the_first(answers: Answers) -> None:
    found = twins_within(answers(record("a"), record("a", stream=True), record("b"), record("a")))
    assert [(group.distinction, exchange_numbers(group.left), exchange_numbers(group.right)) for group in found] == [
        ("stream", [0, 3], [1]),
        ("repeat", [0], [3]),
    ]


def test_a_difference_of_repeats_is_reported_in_their_order() -> None:
    texts = {
        distinction: Twins(None, (), (), distinction).join_sides("1 choice", "2 choices")
        for distinction in get_args(Relation)
    }
    assert texts["repeat"] == "1 choice in one answer, 2 choices in another"
    assert texts["stream"] == "2 choices streamed, 1 choice not streamed"
    assert texts["capture"] == "2 choices in the second, 1 choice in the first"


def test_a_stream_in_one_capture_is_the_twin_of_a_completion_in_another(answers: Answers) -> None:
    stream = {name: value for name, value in record("a", stream=True).items() if name != "response"}
    chunk = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m",
             "choices": [{"index": 0, "delta": {"content": "a"}, "finish_reason": "stop"}]}  # fmt: skip
    streamed = answers(record("b"), stream | {"sse": as_events(chunk, "[DONE]")})
    found = twins_between(streamed, answers(record("a"), record("b")))
    assert [
        (group.distinction, exchange_numbers(group.left), exchange_numbers(group.right)) for group in found.groups
    ] == [
        ("capture", [0], [1]),
        ("stream", [0], [1]),
    ]
    assert (found.way, found.alone_before, found.alone_after) == ("request", 0, 0)


def test_answers_of_two_hosts_are_no_twins(answers: Answers) -> None:
    assert twins_within(answers({**record("a"), "host": "one"}, {**record("a"), "host": "other"})) == []
