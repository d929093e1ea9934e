"""Test what the rules about streams say where one rule finds several things."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest
from payloads import COMPLETION, REQUEST, chunk
from rule_hits import CALL, found, hits_of, messages, stream_of

from isogloss.validator import decode, rules
from isogloss.validator.exchange import Body, Exchange, HttpFacts, NotJson, Response, Stream
from isogloss.validator.findings import Severity
from isogloss.validator.pointer import Pointer
from isogloss.validator.rules.pairing import Pair
from isogloss.validator.rules.stream import chunk_repeated
from isogloss.validator.streams.trace import Trace
from isogloss.validator.text import Text
from isogloss.validator.views import Request


def with_index(index: int, delta: dict[str, Any], finish_reason: str | None = None) -> dict[str, Any]:
    one = chunk(delta, finish_reason)
    return one | {"choices": [one["choices"][0] | {"index": index}]}


def test_a_changed_index_is_described_by_the_choices_that_there_are() -> None:
    role, word, end = {"role": "assistant", "content": ""}, {"content": "Ho"}, "stop"
    alone = stream_of(with_index(0, role), with_index(1, word), with_index(2, {}, end))
    one_of_two = stream_of(
        with_index(0, role), with_index(1, role), with_index(0, word), with_index(1, word),
        with_index(0, {}, end), with_index(7, {}, end),
    )  # fmt: skip
    assert messages("choice-index-changed", alone) == ["the index changes; in every chunk of a choice it is the same"]
    assert messages("choice-index-changed", one_of_two) == [
        "no other chunk has the index 7; it belongs to one of the other choices"
    ]
    ended_twice = stream_of(
        with_index(0, role), with_index(1, role), with_index(0, word), with_index(1, word),
        with_index(0, {}, end), with_index(0, {}, end),
    )  # fmt: skip
    assert messages("choice-index-changed", ended_twice) == [
        "choice 0 has a chunk like this already, and another choice lacks it"
    ]


def test_chunks_with_many_choices_are_compared_once(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[object] = []
    monkeypatch.setattr(chunk_repeated, "are_same", lambda one, other: compared.append(one) or one == other)
    choices = [with_index(index, {"role": "assistant", "content": "a"})["choices"][0] for index in range(20)]
    once, *again = [chunk({}) | {"choices": choices} for _ in range(10)]
    assert [hit.events for hit in hits_of("chunk-repeated", stream_of(once, *again))] == [[*range(1, 10)]]
    assert len(compared) == len(again)


def test_a_chunk_that_is_sent_again_is_found_beside_roles_that_are_empty() -> None:
    called = chunk({"role": "", "tool_calls": [{"index": 0, **CALL}]})
    stream = stream_of(called, called, chunk({}, "tool_calls"))
    assert [hit.events for hit in hits_of("chunk-repeated", stream)] == [[1]]


@pytest.mark.parametrize(
    ("event", "words"),
    [
        (COMPLETION, "the event is a whole completion"),
        ({"data": chunk({"content": "Ho"})}, "the chunk is not the event itself, but stands in `data`"),
        ({"type": "ping"}, "the event has no property of a chunk"),
    ],
)
def test_an_event_that_is_no_chunk_is_described_by_what_it_is(event: dict[str, Any], words: str) -> None:
    chunks = chunk({"role": "assistant", "content": "Ho"}), chunk({}, "stop")
    (message,) = messages("event-not-chunk", stream_of(chunks[0], event, chunks[1]))
    assert message.startswith(words)


def test_a_role_that_comes_late_is_a_warning_and_one_that_never_comes_an_error() -> None:
    late = stream_of(chunk({"content": "H"}), chunk({"role": "assistant", "content": "o"}), chunk({}, "stop"))
    never = stream_of(chunk({"content": "Ho"}), chunk({}, "stop"))
    assert found("role-missing", late) == [
        ("the role comes after the first delta, where OpenAI sends it", Severity.WARNING)
    ]
    assert found("role-missing", never) == [("no delta of choice 0 has a role", Severity.ERROR)]


def test_a_call_that_goes_on_without_a_beginning_is_reported_with_the_missing_role() -> None:
    fragment = {"index": 0, "function": {"arguments": "{}"}}
    trace = stream_of(chunk({"tool_calls": [fragment]}), chunk({}, "tool_calls"))
    assert messages("role-missing", trace) == ["no delta of choice 0 has a role, and its call has no id and name"]
    (hit,) = hits_of("role-missing", trace)
    assert (hit.pointer, hit.value) == (("choices", 0, "delta"), {"tool_calls": [fragment]})


@pytest.mark.parametrize(
    ("first", "second", "words", "place"),
    [
        (
            {"function": {"arguments": ""}},
            {"role": "assistant", **CALL},
            "the role, and the id and name of the call, come after",
            "delta",
        ),
        (
            {"function": {"arguments": ""}},
            {"role": "assistant"},
            "no delta of choice 0 has a role, and its call has no id and name",
            "delta",
        ),
        (
            {"function": {"arguments": ""}},
            CALL,
            "no delta of choice 0 has a role, and its call has no id and name",
            "delta",
        ),
        (CALL, {"role": "assistant"}, "the role comes after", "role"),
        (None, {"function": {"arguments": ""}}, "no delta of choice 0 has a role", "role"),
    ],
)
def test_a_missing_role_is_reported_with_the_beginning_of_a_call_that_lacks_its_own(
    first: dict[str, Any] | None, second: dict[str, Any], words: str, place: str
) -> None:
    def delta(fragment: dict[str, Any] | None) -> dict[str, Any]:
        fragment = dict(fragment or {})
        role = {"role": fragment.pop("role")} if "role" in fragment else {}
        return {**role, "tool_calls": [{"index": 0, **fragment}]} if fragment else role

    (hit,) = hits_of("role-missing", stream_of(chunk(delta(first)), chunk(delta(second)), chunk({}, "tool_calls")))
    assert hit.message.startswith(words)
    assert hit.pointer[-1] == place


@pytest.mark.parametrize(
    ("delta", "words"),
    [
        ({"tool_calls": [{"index": 0, "id": "call_Fake1", "function": {"name": None}}]}, "the tool call has no name"),
        ({"tool_calls": [{"index": 0, "function": {"arguments": "{}"}}]}, "the tool call has no id and name"),
        ({"function_call": {"arguments": "{}"}}, "the call has no name"),
    ],
)
def test_a_call_without_a_name_is_reported_with_all_that_it_lacks(delta: dict[str, Any], words: str) -> None:
    trace = stream_of(chunk({"role": "assistant", **delta}), chunk({}, "stop"))
    assert messages("tool-call-name-missing", trace) == [words]


def test_a_null_beside_a_delta_is_an_error_and_a_message_is_what_the_rule_says() -> None:
    def beside(message: object) -> Trace:
        one = chunk({"role": "assistant", "content": "Ho"}, "stop")
        return stream_of(one | {"choices": [one["choices"][0] | {"message": message}]})

    rest = "beside delta; a chunk has only the delta"
    assert found("message-beside-delta", beside(None)) == [(f"null as message {rest}", Severity.ERROR)]
    assert found("message-beside-delta", beside({"role": "assistant"})) == [
        (f"message {rest}", rules.rule("message-beside-delta").severity)
    ]


def test_each_further_finish_of_a_choice_is_found_until_more_of_the_answer_comes() -> None:
    begin, end = chunk({"role": "assistant", "content": "Ho"}), chunk({}, "stop")
    assert len(messages("finish-reason-repeated", stream_of(begin, end, end, end))) == 2
    assert len(messages("finish-reason-repeated", stream_of(begin, end, chunk({"content": "!"}), end, end))) == 1


@pytest.mark.parametrize(
    ("delta", "rules_that_find_it"),
    [
        ({}, ["delta-after-finish"]),
        ({"role": "assistant"}, ["delta-after-finish"]),
        ({"content": "!"}, ["content-after-finish"]),
        ({"audio": {"expires_at": 1760003600}}, []),
    ],
)
def test_what_comes_after_the_finish_is_reported_by_one_rule(
    delta: dict[str, Any], rules_that_find_it: list[str]
) -> None:
    trace = stream_of(chunk({"role": "assistant", "content": "Ho"}), chunk({}, "stop"), chunk(delta))
    both = ("content-after-finish", "delta-after-finish")
    assert [name for name in both if messages(name, trace)] == rules_that_find_it


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        (Body(Text(b"")), None, "the connection breaks before an answer begins"),
        (Body(Text(b"")), 200, "the connection breaks inside the body"),
        (Body(Text(b"Ho")), None, "the connection breaks inside the body"),
        (decode.stream(Text(b'data: {"choices": []}\n\n')), 200, "the connection breaks in the stream"),
    ],
)
def test_a_broken_connection_is_described_by_what_had_come(body: Response, status: int | None, words: str) -> None:
    exchange = Exchange("f", 0, Text(b""), response=body, http=HttpFacts(status, broken=True))
    (message,) = messages("connection-broken", exchange)
    assert message.startswith(words)


@pytest.mark.parametrize(
    ("end", "words"),
    [
        ("data: [DONE]", "no blank line follows [DONE]"),
        ("data: [DONE]\\n\\n", "no blank line follows [DONE]"),
        ('data: {"choices": []}', "the stream ends inside this event"),
        ("da", "the stream ends inside the name of a field"),
    ],
)
def test_the_end_of_a_stream_is_described_by_what_it_ends_in(end: str, words: str) -> None:
    text = Text(f'data: {{"choices": []}}\n\n{end}'.encode())
    assert messages("event-truncated", Exchange("f", 0, text, response=decode.stream(text))) == [words]


def test_json_in_several_events_is_one_finding_wherever_it_was_cut() -> None:
    whole = json.dumps(chunk({"role": "assistant", "content": "Ho"}))
    for cuts in ((20,), (20, 60), (20, 60, 90)):
        parts = [whole[start:end] for start, end in pairwise((0, *cuts, len(whole)))]
        text = Text("".join(f"data: {part}\n\n" for part in (*parts, "[DONE]")).encode())
        (hit,) = hits_of("event-not-json", Exchange("f", 0, text, response=decode.stream(text)))
        assert (hit.message, list(hit.events)) == (
            "the JSON of this event goes on in the next event",
            list(range(len(parts))),
        )


@pytest.mark.parametrize("name", ["usage", "moderation", "prompt_filter_results", "prompt_annotations", "other"])
def test_a_chunk_without_choices_may_have_what_explains_them(name: str) -> None:
    empty = chunk({}) | {"choices": []}
    begin, end = chunk({"role": "assistant", "content": "Ho"}), chunk({}, "stop")
    assert bool(messages("choices-empty", stream_of(begin, end, empty | {name: {}}))) is (name == "other")
    assert messages("choices-empty", stream_of(begin, end, empty | {name: None}))


@pytest.mark.parametrize(("beside", "pointer"), [({}, ()), ({"id": "chatcmpl-Fake1"}, ("choices",))])
def test_a_chunk_that_has_only_empty_choices_is_reported_as_a_whole(beside: dict[str, Any], pointer: Pointer) -> None:
    trace = stream_of(chunk({"role": "assistant", "content": "Ho"}), {"choices": []} | beside, chunk({}, "stop"))
    assert [hit.pointer for hit in hits_of("choices-empty", trace)] == [pointer]


@pytest.mark.parametrize(
    ("indexes", "jumps"),
    [([0, 1, 2], []), ([0, 2], [2]), ([1, 2], [1]), ([0, 0, 1], []), ([0, 0, 2], []), ([0, 0, 3], [3])],
)
def test_after_a_call_with_a_wrong_index_the_next_index_may_count_that_call_or_not(
    indexes: list[int], jumps: list[int]
) -> None:
    calls = [{"index": index, **CALL, "id": f"call_Fake{number}"} for number, index in enumerate(indexes)]
    trace = stream_of(*(chunk({"role": "assistant", "tool_calls": [call]}) for call in calls), chunk({}, "tool_calls"))
    assert [hit.value for hit in hits_of("tool-call-index-jump", trace)] == jumps


def test_a_usage_that_nobody_asked_for_matters_more_on_a_chunk_of_its_own() -> None:
    usage = {"usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}}
    begin, end = chunk({"role": "assistant", "content": "Ho"}), chunk({}, "stop")
    own = chunk({}) | {"choices": []} | usage
    for chunks, severities in (
        ([begin, end | usage], [Severity.NOTE]),
        ([begin, end, own], [Severity.WARNING]),
        ([begin | usage, end | usage, own], [Severity.NOTE, Severity.WARNING]),
    ):
        pair = Pair(Request(REQUEST | {"stream": True}), None, stream_of(*chunks))
        assert [severity for _, severity in found("usage-unasked", pair)] == severities


def test_what_changes_with_the_id_is_reported_with_it() -> None:
    other = {"id": "chatcmpl-Other", "model": "other"}
    begin, end = chunk({"role": "assistant", "content": "Ho"}), chunk({}, "stop")
    again = chunk({"role": "assistant", "content": "He"})
    together = "id, model and role differ here, as if another answer began"
    assert messages("stream-id-changed", stream_of(begin, again | other, end | other)) == [together]
    alone = ["the id differs here; all chunks of a stream have one id"]
    last = chunk({"role": "assistant"}, "stop")
    for chunks in ([begin, end | other], [begin, last | other], [begin, again, again | other, end | other]):
        chunks = [one | {"model": "m"} for one in chunks]
        assert messages("stream-id-changed", stream_of(*chunks)) == alone


@pytest.mark.parametrize(
    ("name", "value"), [("created", 5), ("model", "n"), ("system_fingerprint", "fp"), ("service_tier", "flex")]
)
def test_each_property_of_the_envelope_may_change_with_the_id(name: str, value: object) -> None:
    envelope = {"system_fingerprint": "other", "service_tier": "default"}
    begin = chunk({"role": "assistant", "content": "Ho"}) | envelope
    end = chunk({}, "stop") | envelope | {"id": "chatcmpl-Other", name: value}
    assert messages("stream-id-changed", stream_of(begin, end)) == [
        f"id and {name} differ here, as if another answer began"
    ]


def test_an_empty_envelope_is_reported_once_with_the_names_of_all_that_is_empty() -> None:
    begin, end = chunk({"role": "assistant", "content": "Ho"}), chunk({}, "stop")
    for empty, words in (({"id": ""}, "id has"), ({"id": "", "model": ""}, "id and model have")):
        first, *others = messages("envelope-empty", stream_of(begin | empty, end))
        assert first == f"{words} no value here, though other chunks have one"
        assert len(others) == len(empty) - 1


@pytest.mark.parametrize(("error", "is_found"), [({"message": "No"}, True), ("No", True), ({}, False), (None, False)])
def test_an_error_that_is_empty_is_none_beside_choices(error: object, *, is_found: bool) -> None:
    trace = stream_of(chunk({"role": "assistant", "content": "Ho"}), chunk({}, "stop") | {"error": error})
    assert bool(messages("error-in-chunk", trace)) is is_found


@pytest.mark.parametrize(("names", "count"), [(["f", "", ""], 2), (["", "f", ""], 1), (["", "", ""], 0)])
def test_an_empty_name_is_one_too_many_if_the_call_has_a_name(names: list[str], count: int) -> None:
    chunks = [
        chunk({"role": "assistant", "tool_calls": [{"index": 0, "id": "call_Fake1", "function": {"name": name}}]})
        for name in names
    ]
    assert len(messages("tool-call-fragment-name-empty", stream_of(*chunks, chunk({}, "tool_calls")))) == count


@pytest.mark.parametrize(
    ("end", "is_found"), [("", False), ("data:\n\n", False), ("data: [DONE]\n\n", False), ('data: {"a": 1}\n\n', True)]
)
def test_only_data_come_too_late_behind_the_end_of_a_stream(end: str, *, is_found: bool) -> None:
    text = Text(f'data: {{"choices": []}}\n\ndata: [DONE]\n\n{end}'.encode())
    assert bool(messages("data-after-done", Exchange("f", 0, text, response=decode.stream(text)))) is is_found


def test_an_event_that_is_called_an_error_has_to_hold_one() -> None:
    for error, count in (("{}", 0), ('{"message": "No"}', 1)):
        text = Text(f'event: error\ndata: {{"choices": [], "error": {error}}}\n\n'.encode())
        body = decode.stream(text)
        assert isinstance(body, Stream)
        assert len(messages("error-in-chunk", Trace(body))) == count


@pytest.mark.parametrize("last", [chunk({}, "stop"), NotJson.DONE])
def test_a_role_may_still_come_only_while_the_stream_goes_on(last: object) -> None:
    begin = chunk({"content": "Ho"})
    whole, cut = stream_of(begin, last), stream_of(begin, chunk({"content": "!"}))
    assert messages("role-missing", whole) == ["no delta of choice 0 has a role"]
    assert messages("role-missing", cut) == ["the first delta of choice 0 has no role"]
    assert [severity for _, severity in found("role-missing", whole)] == [Severity.ERROR]
    assert [severity for _, severity in found("role-missing", cut)] == [Severity.WARNING]
