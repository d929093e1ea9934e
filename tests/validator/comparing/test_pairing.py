"""Which answers are held against each other."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from isogloss.validator import engines
from isogloss.validator.comparing.answers import ComparedAnswer, answer_of
from isogloss.validator.comparing.pairing import Way, pair, twins_between, twins_within
from isogloss.validator.exchange import Exchange, Skipped
from isogloss.validator.judging.judge import Judge

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

    def made(*records: dict[str, Any], name: str = "") -> list[ComparedAnswer]:
        path = tmp_path / "some.jsonl"
        path.write_text("".join(json.dumps(one) + "\n" for one in records))
        found = []
        for number, one in enumerate(read(path)):
            assert isinstance(one, Exchange)
            found.append(answer_of(judge.judge(one), (name, number)))
        return [one for one in found if one is not None]

    return made


def numbers(side: Any) -> list[int]:
    return [one.exchange.number for one in side]


def test_answers_to_the_same_request_are_paired_wherever_they_stand(answers: Answers) -> None:
    before, after = answers(record("a"), record("b"), record("c")), answers(record("b"), record("a"))
    found = pair(before, after)
    assert [(numbers(group.left), numbers(group.right)) for group in found.groups] == [([0], [1]), ([1], [0])]
    assert (found.way, found.alone_before, found.alone_after) == ("request", 1, 0)


def test_a_stream_is_not_paired_with_a_completion_between_two_recordings(answers: Answers) -> None:
    assert pair(answers(record("a", stream=True)), answers(record("a")), "request").groups == []


def test_the_order_of_properties_null_and_the_ids_of_earlier_calls_make_no_other_request(answers: Answers) -> None:
    def asked(id: str) -> list[dict[str, Any]]:
        call = {"id": id, "type": "function", "function": {"name": "f", "arguments": "{}"}}
        return [{"role": "user", "content": "a"}, {"role": "assistant", "content": None, "tool_calls": [call]},
                {"role": "tool", "tool_call_id": id, "content": "b"}]  # fmt: skip

    before = answers(record("a", messages=asked("call_1"), seed=1, top_p=1))
    after = answers(record("a", messages=asked("call_2"), top_p=1, seed=1, stop=None))
    assert len(pair(before, after, "request").groups) == 1


def test_a_gateway_that_renames_the_model_answers_the_same_requests(answers: Answers) -> None:
    found = pair(answers(record("a"), record("b")), answers(record("b", model="vendor/m")))
    assert [numbers(group.left) for group in found.groups] == [[1]]


def test_what_no_request_pairs_is_paired_by_the_name_of_its_case(answers: Answers) -> None:
    before, after = answers(record("a"), name="case"), answers(record("b"), name="case")
    assert (pair(before, after).way, len(pair(before, after).groups)) == ("name", 1)
    assert pair(before, answers(record("b"), name="another")).groups == []


@pytest.mark.parametrize(("way", "groups"), [("request", 0), ("name", 0), ("position", 2), ("none", 1)])
def test_each_way_pairs_by_nothing_else(answers: Answers, way: Way, groups: int) -> None:
    before = answers(record("a"), record("b"), name="one")
    after = answers(record("c"), record("d"), record("e"), name="other")
    assert len(pair(before, after, way).groups) == groups


def test_twins_are_streams_against_completions_and_then_repeats_against_the_first(answers: Answers) -> None:
    found = twins_within(answers(record("a"), record("a", stream=True), record("b"), record("a")))
    assert [(one.distinction, numbers(one.left), numbers(one.right)) for one in found] == [
        ("stream", [0, 3], [1]),
        ("repeat", [0], [3]),
    ]


def test_a_stream_in_one_capture_is_the_twin_of_a_completion_in_another(answers: Answers) -> None:
    stream = {name: value for name, value in record("a", stream=True).items() if name != "response"}
    chunk = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m",
             "choices": [{"index": 0, "delta": {"content": "a"}, "finish_reason": "stop"}]}  # fmt: skip
    streamed = answers(record("b"), stream | {"sse": f"data: {json.dumps(chunk)}\n\ndata: [DONE]\n\n"})
    found = twins_between(streamed, answers(record("a"), record("b")))
    assert [(one.distinction, numbers(one.left), numbers(one.right)) for one in found.groups] == [
        ("capture", [0], [1]),
        ("stream", [0], [1]),
    ]
    assert (found.way, found.alone_before, found.alone_after) == ("request", 0, 0)


def test_answers_of_two_hosts_are_no_twins(answers: Answers) -> None:
    assert twins_within(answers({**record("a"), "host": "one"}, {**record("a"), "host": "other"})) == []
