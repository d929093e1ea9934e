"""Folding undoes chunking: what a server cut into a stream comes out whole, whatever the cuts."""

from __future__ import annotations

import copy
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isogloss.validator import rules
from isogloss.validator.decode import stream_of_chunks
from isogloss.validator.engines import walk
from isogloss.validator.examining.schema_findings import violations
from isogloss.validator.exchange import Exchange, Skipped, Stream
from isogloss.validator.findings import Severity
from isogloss.validator.streams.fold import Folded, fold
from isogloss.validator.streams.trace import Trace
from isogloss.validator.text import Text

STREAMS = sorted((Path(__file__).parents[3] / "fixtures" / "conforming" / "stream").glob("*.sse"))
ENVELOPE = {"id": "chatcmpl-1", "created": 1, "model": "m", "service_tier": None, "system_fingerprint": "fp_1"}


def folded(*chunks: Any) -> Folded:
    whole = fold(Trace(stream_of_chunks(list(chunks), Text(b"[]"))))
    assert whole is not None
    return whole


def message(*deltas: Any) -> Any:
    return folded(*({"choices": [{"index": 0, "delta": delta}]} for delta in deltas)).value["choices"][0]["message"]


def call(*fragments: Any) -> Any:
    (one,) = message(*({"tool_calls": [fragment]} for fragment in fragments))["tool_calls"]
    return one


# What is chunked: completions as OpenAI sends them, and members that vendors add.

texts = st.text(max_size=12)
ids = st.text("abcdef0123456789", min_size=1, max_size=6)
functions = st.fixed_dictionaries({"name": ids, "arguments": texts})
tool_calls = st.one_of(
    st.fixed_dictionaries({"id": ids, "type": st.just("function"), "function": functions}),
    st.fixed_dictionaries(
        {"id": ids, "type": st.just("custom"), "custom": st.fixed_dictionaries({"name": ids, "input": texts})}
    ),
)
annotations = st.fixed_dictionaries(
    {"type": st.just("url_citation"), "url_citation": st.fixed_dictionaries({"url": texts, "start_index": st.just(0)})}
)
tokens = st.lists(st.fixed_dictionaries({"token": texts, "logprob": st.just(-0.5), "bytes": st.none()}), max_size=4)
messages = st.fixed_dictionaries(
    {"role": st.just("assistant"), "content": st.none() | texts, "refusal": st.none() | texts},
    optional={
        "tool_calls": st.lists(tool_calls, min_size=1, max_size=3),
        "function_call": functions,
        "annotations": st.lists(annotations, max_size=3),
        "audio": st.fixed_dictionaries(
            {"id": ids, "data": texts, "transcript": texts, "expires_at": st.integers(1, 2_000_000_000)}
        ),
        "reasoning_content": texts,
    },
)
choices = st.fixed_dictionaries(
    {"message": messages, "finish_reason": st.sampled_from(["stop", "length", "tool_calls", "content_filter"])},
    optional={
        "logprobs": st.none() | st.fixed_dictionaries({"content": tokens, "refusal": st.none() | tokens}),
        "content_filter_results": st.fixed_dictionaries({"hate": st.fixed_dictionaries({"filtered": st.booleans()})}),
    },
)


@st.composite
def completions(draw: st.DrawFn) -> dict[str, Any]:
    drawn = draw(st.lists(choices, min_size=1, max_size=3))
    usage = {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3}
    return {
        **ENVELOPE,
        "object": "chat.completion",
        "choices": [{"index": index, **choice} for index, choice in enumerate(drawn)],
        **draw(st.fixed_dictionaries({}, optional={"usage": st.just(usage), "provider": ids})),
    }


def cut(random: Random, value: str | list[Any]) -> list[Any]:
    """Cut a string or list into pieces, and return them. There is at least one."""
    places = sorted(random.randint(0, len(value)) for _ in range(random.randint(0, 4)))
    return [value[start:end] for start, end in zip([0, *places], [*places, len(value)], strict=True)]


def of_message(random: Random, whole: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the deltas of a message: first the role, then texts in pieces, then interleaved fragments of tool calls."""
    yield {"role": whole["role"]} | {name: None for name in ("content", "refusal") if whole[name] is None}
    for name in ("reasoning_content", "content", "refusal", "annotations"):
        if whole.get(name) is not None:
            yield from ({name: piece} for piece in cut(random, whole[name]))
    if "function_call" in whole:
        yield {"function_call": {"name": whole["function_call"]["name"], "arguments": ""}}
        yield from (
            {"function_call": {"arguments": piece}} for piece in cut(random, whole["function_call"]["arguments"])
        )
    if "audio" in whole:
        audio = whole["audio"]
        yield from ({"audio": {"id": audio["id"], "transcript": piece}} for piece in cut(random, audio["transcript"]))
        yield from ({"audio": {"data": piece}} for piece in cut(random, audio["data"]))
        yield {"audio": {"expires_at": audio["expires_at"]}}
    fragments = [list(of_call(random, index, one)) for index, one in enumerate(whole.get("tool_calls", []))]
    yield from ({"tool_calls": [fragment]} for fragment in interleaved(random, fragments))


def of_call(random: Random, index: int, whole: dict[str, Any]) -> Iterator[dict[str, Any]]:
    part, text = ("function", "arguments") if whole["type"] == "function" else ("custom", "input")
    yield {"index": index, "id": whole["id"], "type": whole["type"], part: {"name": whole[part]["name"], text: ""}}
    yield from ({"index": index, part: {text: piece}} for piece in cut(random, whole[part][text]))


def interleaved(random: Random, runs: list[list[Any]]) -> Iterator[Any]:
    """Yield the items of all runs in random order, but those of each run in their own order."""
    runs = [run[::-1] for run in runs if run]
    while runs:
        run = random.choice(runs)
        yield run.pop()
        runs = [run for run in runs if run]


def of_choice(random: Random, whole: dict[str, Any]) -> Iterator[dict[str, Any]]:
    started = {name: value for name, value in whole.items() if name not in ("message", "finish_reason", "logprobs")}
    for delta in of_message(random, whole["message"]):
        yield {**started, "delta": delta, "finish_reason": None}
    logprobs = whole.get("logprobs")
    if logprobs is not None:
        for name in ("content", "refusal"):
            for piece in cut(random, logprobs[name]) if logprobs[name] is not None else [None]:
                yield {**started, "delta": {}, "finish_reason": None, "logprobs": {name: piece}}
    last = {} if logprobs is not None or "logprobs" not in whole else {"logprobs": None}
    yield {**started, "delta": {}, "finish_reason": whole["finish_reason"], **last}


def chunked(random: Random, whole: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the chunks of a completion, with its choices interleaved."""
    envelope = {name: value for name, value in whole.items() if name not in ("choices", "usage")}
    envelope["object"] = "chat.completion.chunk"
    runs = [list(of_choice(random, choice)) for choice in whole["choices"]]
    chunks = [{**envelope, "choices": [choice], "obfuscation": "x"} for choice in interleaved(random, runs)]
    return [*chunks, {**envelope, "choices": [], "usage": whole["usage"]}] if "usage" in whole else chunks


@settings(max_examples=2 * settings().max_examples)
@given(completions(), st.randoms(use_true_random=False))
def test_folding_gives_back_the_completion_that_was_chunked(whole: dict[str, Any], random: Random) -> None:
    chunks = chunked(random, whole)
    before = copy.deepcopy(chunks)
    assert folded(*chunks).value == whole
    assert chunks == before, "folding changed the chunks"


@pytest.mark.parametrize("path", STREAMS, ids=lambda path: path.stem)
def test_a_conforming_stream_folds_into_a_conforming_completion(
    path: Path, read: Callable[[Path], list[Exchange | Skipped]]
) -> None:
    whole = fold(Trace(_stream(read(path))))
    assert whole is not None
    errors = [
        (name, hit)
        for name, hit in violations("completion", whole.value, walk.iter_errors("completion", whole.value))
        if (hit.severity or rules.rule(name).severity) > Severity.NOTE
    ]
    assert errors == []


@pytest.mark.thorough
@pytest.mark.parametrize("path", STREAMS, ids=lambda path: path.stem)
def test_the_fold_of_a_conforming_stream_is_what_the_reference_client_makes_of_it(
    path: Path, read: Callable[[Path], list[Exchange | Skipped]]
) -> None:
    stream = _stream(read(path))
    whole = fold(Trace(stream))
    assert whole is not None
    assert _answers(whole.value) == _answers(_by_the_client(stream))


def _stream(found: list[Exchange | Skipped]) -> Stream:
    (exchange,) = found
    assert isinstance(exchange, Exchange)
    assert exchange.response is not None
    assert isinstance(exchange.response.body, Stream)
    return exchange.response.body


def _by_the_client(stream: Stream) -> Any:
    from openai._models import construct_type  # takes a second
    from openai.lib.streaming.chat import ChatCompletionStreamState
    from openai.types.chat import ChatCompletionChunk

    state: Any = ChatCompletionStreamState()
    for value in stream.values:
        if isinstance(value, dict):
            state.handle_chunk(construct_type(value=value, type_=ChatCompletionChunk))
    return json.loads(state.current_completion_snapshot.model_dump_json())


def _answers(completion: Any) -> Any:
    """Return the parts of a completion on which the client has to agree with the fold.

    On other parts it does not agree, because it doubles roles and ids that a stream repeats.
    """
    return [
        (
            choice["message"].get("content") or "",
            choice["message"].get("refusal") or "",
            (choice["message"].get("audio") or {}).get("transcript"),
            (choice["message"].get("audio") or {}).get("data"),
            choice["message"].get("function_call"),
            [
                (one["id"], one["type"], one["function"]["name"], one["function"]["arguments"])
                for one in choice["message"].get("tool_calls") or []
            ],
            len((choice.get("logprobs") or {}).get("content") or []),
        )
        for choice in completion["choices"]
    ]


def test_a_stream_without_a_choice_folds_into_nothing() -> None:
    assert fold(Trace(stream_of_chunks([{"choices": []}, {"id": "a"}], Text(b"[]")))) is None


def test_the_first_finish_reason_that_is_not_empty_counts() -> None:
    reasons: list[Any] = [None, "", "stop", "length"]
    whole = folded(*({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]} for reason in reasons))
    assert whole.value["choices"][0]["finish_reason"] == "stop"


def test_a_choice_that_is_never_finished_has_a_null_finish_reason() -> None:
    assert folded({"choices": [{"index": 0, "delta": {"content": "a"}}]}).value["choices"][0]["finish_reason"] is None


def test_a_member_of_the_envelope_that_is_empty_at_first_has_its_later_value() -> None:
    chunks: list[Any] = [{"id": "", "created": 0, "prompt_filter_results": []}, {"id": "a", "created": 1}, {"id": None}]
    value = folded(*({**chunk, "choices": [{"index": 0, "delta": {}}]} for chunk in chunks)).value
    assert (value["id"], value["created"], value["prompt_filter_results"]) == ("a", 1, [])


def test_the_last_usage_counts() -> None:
    chunks: list[Any] = [{"usage": {"total_tokens": 1}}, {"usage": {"total_tokens": 2}}, {"usage": None}]
    value = folded(*({**chunk, "choices": [{"index": 0, "delta": {}}]} for chunk in chunks)).value
    assert value["usage"] == {"total_tokens": 2}


def test_repeated_roles_ids_types_and_names_are_not_joined() -> None:
    fragment = {"index": 0, "id": "a", "type": "function", "function": {"name": "f", "arguments": "1"}}
    assert call(fragment, fragment) == {
        "id": "a",
        "type": "function",
        "function": {"name": "f", "arguments": "11"},
    }
    assert message({"role": "assistant"}, {"role": "assistant"})["role"] == "assistant"


def test_a_name_in_pieces_is_joined() -> None:
    assert call({"index": 0, "function": {"name": "get_"}}, {"index": 0, "function": {"name": "time"}}) == {
        "function": {"name": "get_time"}
    }


def test_members_that_vendors_add_to_a_tool_call_are_kept() -> None:
    signed = {"index": 0, "id": "a", "extra_content": {"signature": "x"}, "function": {"name": "f", "arguments": "{}"}}
    assert call(signed, {"index": 0, "function": {"arguments": ""}})["extra_content"] == {"signature": "x"}


def test_null_fragments_say_nothing() -> None:
    first = {"index": 0, "id": "a", "type": "function", "function": {"name": "f", "arguments": "{"}}
    null = {"index": 0, "id": None, "type": None, "function": {"name": None, "arguments": "}"}}
    assert call(first, null) == {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}


def test_parts_and_strings_of_content_are_both_kept() -> None:
    part = {"type": "thinking", "thinking": "…"}
    assert message({"content": [part]}, {"content": "a"}, {"content": "b"})["content"] == [
        part,
        {"type": "text", "text": "ab"},
    ]


def test_choices_are_in_the_order_of_their_indexes() -> None:
    whole = folded(*({"choices": [{"index": index, "delta": {"content": str(index)}}]} for index in (2, 0, 1)))
    assert [choice["message"]["content"] for choice in whole.value["choices"]] == ["0", "1", "2"]


def test_a_part_of_content_goes_on_in_the_next_delta() -> None:
    def thought(text: str) -> dict[str, Any]:
        return {"type": "thinking", "thinking": [{"type": "text", "text": text}]}

    deltas: list[Any] = [[thought("12 ")], [thought("squared")], "", [{"type": "text", "text": "1"}], "44", ""]
    assert message(*({"content": content} for content in deltas))["content"] == [
        thought("12 squared"),
        {"type": "text", "text": "144"},
    ]


def test_parts_of_one_delta_and_parts_that_are_no_text_stay_apart() -> None:
    text, image = {"type": "text", "text": "a"}, {"type": "image_url", "image_url": {"url": "u"}}
    assert message({"content": [text, text]})["content"] == [text, text]
    assert message({"content": [image]}, {"content": [image]})["content"] == [image, image]


@given(st.lists(st.lists(texts, min_size=1, max_size=3), min_size=2, max_size=6))
def test_no_text_of_content_in_parts_is_lost(said: list[list[str]]) -> None:
    deltas = [{"content": [{"type": "text", "text": text} for text in one]} for one in said]
    parts = message(*deltas)["content"]
    assert "".join(part["text"] for part in parts) == "".join(text for one in said for text in one)


@pytest.mark.parametrize("role", [{"role": "assistant"}, {}])
def test_a_choice_whose_index_counts_up_with_the_chunks_is_one(role: dict[str, str]) -> None:
    first = {"role": "assistant", "content": "1"}
    chunks: list[Any] = [
        {"choices": [{"index": 197 + number, "delta": delta, "finish_reason": finish}]}
        for number, (delta, finish) in enumerate(
            [(first, None), (role | {"content": "4"}, None), (role | {"content": "4"}, "stop")]
        )
    ]
    whole = fold(Trace(stream_of_chunks(chunks, Text(b"[]"))))
    assert whole is not None
    (choice,) = whole.value["choices"]
    assert (choice["message"]["content"], choice["finish_reason"]) == ("144", "stop")


def test_every_part_knows_the_event_in_which_it_began() -> None:
    deltas: list[Any] = [
        {"role": "assistant", "content": ""},
        {"content": "a"},
        {"tool_calls": [{"index": 0, "function": {"arguments": "{}"}}]},
    ]
    whole = folded(*({"choices": [{"index": 0, "delta": delta}]} for delta in deltas), {"usage": {"total_tokens": 1}})
    at = ("choices", 0, "message")
    assert whole.event((*at, "content")) == 1
    assert whole.event((*at, "tool_calls", 0, "function", "arguments")) == 2
    assert whole.event((*at, "refusal")) == 0
    assert whole.event(("usage", "total_tokens")) == 3
    assert whole.event(()) is None


@pytest.mark.thorough
@pytest.mark.parametrize(
    "fragment",
    [
        {"index": 0, "id": "a", "function": {"name": "f", "arguments": "1"}},
        pytest.param({"index": 0, "function": {"arguments": "1"}}, marks=pytest.mark.slow),
        {"function": {"arguments": "1"}},
        pytest.param({"index": 0, "id": None, "function": {"name": None, "arguments": "1"}}, marks=pytest.mark.slow),
    ],
    ids=["repeating all", "plain", "without index", "with nulls"],
)
def test_folding_takes_linear_time(fragment: Any) -> None:
    """Check that folding takes linear time: quadratic time would be minutes."""
    chunk = {"id": "a", "choices": [{"index": 0, "delta": {"content": "a", "tool_calls": [fragment]}}]}
    start = time.process_time()
    whole = folded(*[chunk] * 30_000)
    assert time.process_time() - start < 10
    assert len(whole.value["choices"][0]["message"]["content"]) == 30_000


def test_a_message_beside_the_deltas_does_not_take_the_place_of_what_they_make() -> None:
    call = {"id": "call_1", "type": "function", "function": {"name": "now", "arguments": "{}"}}
    beside = {"role": "assistant", "content": "of its own"}
    deltas = {"role": "assistant", "content": "Hel", "tool_calls": [call]}, {"content": "lo"}
    whole = folded(*({"choices": [{"index": 0, "delta": delta, "message": beside}]} for delta in deltas))
    (choice,) = whole.value["choices"]
    assert (choice["message"]["content"], choice["message"]["tool_calls"]) == ("Hello", [call])


def test_a_repeated_channel_is_not_joined() -> None:
    assert message({"channel": "final", "content": "a"}, {"channel": "final", "content": "b"})["channel"] == "final"


def test_of_several_usages_the_last_knows_its_event() -> None:
    chunks: list[Any] = [{"choices": [{"index": 0, "delta": {}}], "usage": {"total_tokens": 1}}] * 3
    assert folded(*chunks).event(("usage",)) == 2


def test_tool_calls_without_an_index_stand_before_those_with_one() -> None:
    deltas = [{"index": 0, "id": "with"}], [{"id": "without"}]
    made = message(*({"tool_calls": fragments} for fragments in deltas))
    assert [call["id"] for call in made["tool_calls"]] == ["without", "with"]


def test_false_is_a_value_and_counts_when_it_is_the_last() -> None:
    chunks: list[Any] = [
        {"flagged": True, "choices": [{"index": 0, "flagged": True, "delta": {"seen": True}}]},
        {"flagged": False, "choices": [{"index": 0, "flagged": False, "delta": {"seen": False}}]},
    ]
    value = folded(*chunks).value
    (choice,) = value["choices"]
    assert (value["flagged"], choice["flagged"], choice["message"]["seen"]) == (False, False, False)


def test_a_tool_call_in_pieces_began_with_its_first_piece() -> None:
    pieces = ({"index": 0, "id": "a"}, {"index": 0, "function": {"arguments": "{"}})
    whole = folded(*({"choices": [{"index": 0, "delta": {"tool_calls": [piece]}}]} for piece in pieces))
    assert whole.event(("choices", 0, "message", "tool_calls", 0)) == 0
