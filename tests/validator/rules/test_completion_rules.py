"""Test the rules about completions in cases that no fixture can show."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.validator import check, rules
from isogloss.validator.findings import Severity
from isogloss.validator.rules import Hit
from isogloss.validator.rules.completion import created_in_future
from isogloss.validator.views import Completion, Request


def completion(content: str, tokens: list[dict[str, Any]]) -> Completion:
    message = {"role": "assistant", "content": content}
    choice = {"index": 0, "message": message, "finish_reason": "stop", "logprobs": {"content": tokens}}
    return Completion({"choices": [choice]})


def hits_of(rule: str, parsed: Completion) -> list[Hit]:
    return list(dict(rules.checks("completion"))[rule](parsed))


@given(st.text(max_size=20), st.data())
def test_tokens_may_cut_a_text_even_inside_its_characters(text: str, data: st.DataObject) -> None:
    encoded = text.encode()
    cuts = sorted(data.draw(st.sets(st.integers(0, len(encoded)), max_size=6)) | {0, len(encoded)})
    parts = [encoded[start:end] for start, end in pairwise(cuts)]
    tokens = [
        {"token": part.decode(errors="replace"), "logprob": -0.5, "bytes": list(part), "top_logprobs": []}
        for part in parts
    ]
    parsed = completion(text, tokens)
    assert not hits_of("logprobs-text-mismatch", parsed)
    assert not hits_of("logprobs-bytes-mismatch", parsed)


@given(st.text(min_size=1, max_size=20), st.data())
def test_tokens_with_one_too_many_or_too_few_do_not_match_the_text(text: str, data: st.DataObject) -> None:
    tokens = [
        {"token": character, "logprob": -0.5, "bytes": list(character.encode()), "top_logprobs": []}
        for character in text
    ]
    extra = {"token": "#", "logprob": -0.5, "bytes": [35], "top_logprobs": []}
    position = data.draw(st.integers(0, len(tokens)))
    assert hits_of("logprobs-text-mismatch", completion(text, [*tokens[:position], extra, *tokens[position:]]))
    if text != "#":
        assert hits_of("logprobs-text-mismatch", completion(text, [extra, *tokens[1:-1]]))


@pytest.mark.parametrize(
    ("created", "unit"),
    [(1_767_225_600_123, "milli"), (1_767_225_600_123_456, "micro"), (1_767_225_600_123_456_789, "nano")],
)
def test_the_unit_of_created_is_named(created: int, unit: str) -> None:
    (hit,) = hits_of("created-in-milliseconds", Completion({"created": created}))
    assert hit.message.startswith(f"created counts {unit}seconds;")


def test_created_may_be_up_to_a_day_in_the_future(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(created_in_future, "_now", lambda: 1_767_225_600.0)
    assert not hits_of("created-in-future", Completion({"created": 1_767_225_600 + 86_400}))
    assert hits_of("created-in-future", Completion({"created": 1_767_225_600 + 86_401}))


def test_stop_beside_calls_of_several_tools_is_more_severe_than_beside_calls_of_one() -> None:
    def severities(*names: str | None, created: int = 1760000000) -> list[str]:
        calls = [{"id": f"call_{n}", "type": "function", "function": {"name": name}} for n, name in enumerate(names)]
        choice = {"message": {"content": None, "tool_calls": calls}, "finish_reason": "stop"}
        found = hits_of("stop-with-tool-calls", Completion({"choices": [choice], "created": created}))
        return [(hit.severity or rules.rule("stop-with-tool-calls").severity).label for hit in found]

    assert severities("get_weather") == ["note"]
    assert severities("get_weather", "get_weather") == ["note"]
    assert severities("get_weather", "get_time") == ["error"]
    assert severities("get_weather", "get_time", created=1710000000) == ["note"]
    assert severities("get_weather", None) == severities("get_weather", "") == ["note"]


@pytest.mark.parametrize("name", ["logprob-positive", "logprobs-bytes-mismatch", "logprobs-text-mismatch"])
def test_list_with_several_wrong_tokens_is_reported_once(name: str) -> None:
    wrong = {
        "token": "a",
        "logprob": 0.5,
        "bytes": [98],
        "top_logprobs": [{"token": "a", "logprob": 0.5, "bytes": [98]}],
    }
    assert len(hits_of(name, completion("ccc", [wrong, wrong, wrong]))) == 1


@pytest.mark.parametrize(
    ("instead", "is_missing"),
    [
        ({}, True),
        ({"images": []}, True),
        ({"images": [{"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}]}, False),
        ({"audio": {"id": "audio_1"}}, False),
    ],
)
def test_an_answer_is_missing_unless_something_stands_in_its_place(
    instead: dict[str, Any], *, is_missing: bool
) -> None:
    message = {"role": "assistant", "content": "", **instead}
    completion = Completion({"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]})
    assert bool(list(dict(rules.checks("completion"))["answer-missing"](completion))) is is_missing


@pytest.mark.parametrize(
    ("message", "tokens", "severity"),
    [
        ({"content": ""}, 0, Severity.NOTE),
        ({"content": ""}, 3, None),
        ({"content": None}, 0, None),
        ({"content": "", "reasoning_content": "Ho"}, 0, None),
    ],
)
def test_an_empty_answer_without_a_token_is_a_note(
    message: dict[str, Any], tokens: int, severity: Severity | None
) -> None:
    choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": "stop"}
    usage = {"prompt_tokens": 5, "completion_tokens": tokens, "total_tokens": 5 + tokens}
    (hit,) = dict(rules.checks("completion"))["answer-missing"](Completion({"choices": [choice], "usage": usage}))
    assert hit.severity is severity


@pytest.mark.parametrize(
    ("content", "stop", "usage", "is_note"),
    [
        ("", ["Observation:", "Action:"], {"completion_tokens": 2}, True),
        ("", "Action:", {"completion_tokens": 7}, True),
        ("", "Action:", {"completion_tokens": 8}, False),
        ("\n", "Action:", {"completion_tokens": 8}, True),
        ("\n", "Action:", {"completion_tokens": 9}, False),
        ("", "Action:", {"completion_tokens": 70, "completion_tokens_details": {"reasoning_tokens": 64}}, True),
        ("", "Action:", None, True),
        ("", ["", None], {"completion_tokens": 2}, False),
        ("", None, {"completion_tokens": 2}, False),
        (None, "Action:", {"completion_tokens": 2}, False),
    ],
)
def test_an_answer_that_may_have_begun_with_a_stop_sequence_is_a_note(
    content: str | None, stop: object, usage: dict[str, Any] | None, *, is_note: bool
) -> None:
    choice = {"index": 0, "message": {"role": "assistant", "content": content}, "finish_reason": "stop"}
    answer = Completion({"choices": [choice], "usage": usage}, request=Request({"stop": stop}))
    (hit,) = dict(rules.checks("completion"))["answer-missing"](answer)
    assert (hit.severity is Severity.NOTE) is is_note


def test_several_answers_may_each_have_begun_with_a_stop_sequence_whatever_their_usage_counts() -> None:
    message = {"role": "assistant", "content": ""}
    choices = [{"index": number, "message": message, "finish_reason": "stop"} for number in range(2)]
    value = {"choices": choices, "usage": {"completion_tokens": 70}}
    hits = dict(rules.checks("completion"))["answer-missing"](Completion(value, request=Request({"stop": "END"})))
    assert [hit.severity for hit in hits] == [Severity.NOTE, Severity.NOTE]


@pytest.mark.parametrize(
    ("tokens", "content", "is_low"),
    [(1, "It rains. " * 30, True), (1, "It rains.", False), (2, "é" * 257, True), (2, "é" * 256, False)],
)
def test_fewer_tokens_than_the_text_can_have_are_reported(tokens: int, content: str, *, is_low: bool) -> None:
    choice = {"index": 0, "message": {"role": "assistant", "content": content}, "finish_reason": "stop"}
    usage = {"prompt_tokens": 5, "completion_tokens": tokens, "total_tokens": 5 + tokens}
    found = {one.rule for one in check({"object": "chat.completion", "choices": [choice], "usage": usage}).findings}
    assert ("usage-zero" in found) is is_low


def test_arguments_need_tokens_as_content_does() -> None:
    call = {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": json.dumps({"a": "b" * 600})}}
    choice = {"index": 0, "message": {"role": "assistant", "content": None, "tool_calls": [call]}}
    usage = {"prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 7}
    answer = {"object": "chat.completion", "choices": [{**choice, "finish_reason": "tool_calls"}], "usage": usage}
    assert "usage-zero" in {one.rule for one in check(answer).findings}


def ranked(logprob: float, *alternatives: tuple[str, object]) -> dict[str, Any]:
    top = [{"token": text, "logprob": value, "bytes": None} for text, value in alternatives]
    return {"token": "a", "logprob": logprob, "bytes": None, "top_logprobs": top}


@pytest.mark.parametrize(
    ("token", "found"),
    [
        (ranked(-0.1, ("a", -0.1), ("b", -2.4)), set()),
        (ranked(-0.1, ("a", -0.1), ("b", -0.1)), {"logprob-positive"}),
        (ranked(-0.1, ("a", -0.1), ("b", -(10**400))), set()),
        (ranked(-0.1, ("a", -0.1), ("b", 10**400)), {"logprob-positive", "top-logprobs-order"}),
        (ranked(-0.1, ("a", -0.1), ("b", "low"), ("c", -0.1)), {"logprob-positive"}),
        (ranked(-0.1, ("a", -0.3), ("b", -2.4)), {"top-logprobs-sampled-missing"}),
        (ranked(-3.0, ("a", -0.3), ("b", -2.4)), set()),  # another token of the same text
        (ranked(-0.1, ("a", -0.105), ("b", -2.4)), set()),
        (ranked(-1.1, ("a", -1.1), ("b", -1.1), ("c", -1.1), ("d", -1.1)), {"logprob-positive"}),
        (ranked(0, ("a", 0), ("b", 0)), {"logprob-positive"}),
        (ranked(-2.0, ("a", -2.0), ("b", "low"), ("c", -1.5)), set()),
    ],
)
def test_probabilities_of_one_position_agree(token: dict[str, Any], found: set[str]) -> None:
    names = {"logprob-positive", "top-logprobs-order", "top-logprobs-sampled-missing"}
    assert {name for name in names if hits_of(name, completion("a", [token]))} == found


def test_tokens_of_text_and_audio_are_not_more_than_all_together() -> None:
    for text, is_found in ((8, False), (9, True)):
        details = {"text_tokens": text, "audio_tokens": 22, "reasoning_tokens": 20}
        usage = {"prompt_tokens": 1, "completion_tokens": 30, "completion_tokens_details": details}
        assert bool(hits_of("usage-detail-above-total", Completion({"usage": usage}))) is is_found


@pytest.mark.parametrize("text", ["\ufffd", "\\xf0\\x9f", "bytes:\\xf0", "a\ufffd"])
def test_a_token_without_a_text_of_its_own_may_have_any_placeholder(text: str) -> None:
    token = {"token": text, "logprob": -0.5, "bytes": [240, 159], "top_logprobs": []}
    assert not hits_of("logprobs-bytes-mismatch", completion("é", [token]))
    assert hits_of("logprobs-bytes-mismatch", completion("é", [token | {"token": "no"}]))


def test_a_token_that_is_a_masked_key_keeps_its_bytes() -> None:
    key = "sk-proj-" + "a1B2" * 12
    token = {"token": key, "logprob": -0.5, "bytes": [*key.encode()], "top_logprobs": []}
    answer = json.dumps(completion(key, [token]).value | {"object": "chat.completion"})
    assert "logprobs-bytes-mismatch" not in {one.rule for one in check(answer).findings}
    other = answer.replace(json.dumps(token["bytes"]), json.dumps([*b"other"]))
    assert "logprobs-bytes-mismatch" in {one.rule for one in check(other).findings}


@pytest.mark.parametrize("name", ["content", "reasoning_content", "reasoning"])
def test_what_is_found_in_a_text_stands_in_the_property_that_has_it(name: str) -> None:
    message = {"role": "assistant", "content": "Ho", name: "It costs 5 \ufffd\ufffd."}
    parsed = Completion({"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]})
    assert [hit.pointer for hit in hits_of("replacement-character", parsed)] == [("choices", 0, "message", name)]


def test_thoughts_may_end_at_the_very_beginning_of_a_content() -> None:
    (hit,) = hits_of("thoughts-in-content", completion("</think>\n\nHo", []))
    assert hit.character == 0
    assert not hits_of("thoughts-in-content", completion("It is written `</think>`.", []))


@pytest.mark.parametrize(("before", "is_found"), [("", True), ("I call it.\n", True), ("I would write ", False)])
def test_a_tag_before_a_call_has_to_begin_a_line(before: str, *, is_found: bool) -> None:
    call = '<tool_call>\n{"name": "look_up", "arguments": {}}\n'
    assert bool(hits_of("markup-in-content", completion(before + call, []))) is is_found


@pytest.mark.parametrize(("content", "is_found"), [("Ho<|im_end|>\nHe", True), ("the token <|im_end|>\nis one", False)])
def test_a_token_is_a_leak_if_it_is_attached_to_the_text_before_it(content: str, *, is_found: bool) -> None:
    assert bool(hits_of("markup-in-content", completion(content, []))) is is_found


@pytest.mark.parametrize(
    ("model", "is_found"),
    [
        ("/models/a", True),
        ("./a", True),
        ("C:\\models\\a", True),
        ("models\\a.gguf", True),
        ("a/b.safetensors", True),
        ("a/b", False),
        ("a.gguf", False),
    ],
)
def test_a_model_is_a_path_by_its_beginning_or_as_a_file_in_a_folder(model: str, *, is_found: bool) -> None:
    assert bool(hits_of("model-is-path", Completion({"model": model}))) is is_found
