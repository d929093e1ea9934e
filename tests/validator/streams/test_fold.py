"""Test folding: the chunks of a stream become the completion that was cut into them, wherever it was cut."""

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


def fold_all(*chunks: Any) -> Folded:
    folded = fold(Trace(stream_of_chunks(list(chunks), Text(b"[]"))))
    assert folded is not None
    return folded


def fold_message(*deltas: Any) -> Any:
    return fold_all(*({"choices": [{"index": 0, "delta": delta}]} for delta in deltas)).value["choices"][0]["message"]


def fold_call(*fragments: Any) -> Any:
    (tool_call,) = fold_message(*({"tool_calls": [fragment]} for fragment in fragments))["tool_calls"]
    return tool_call


# Strategies for completions as OpenAI sends them, with some properties that vendors add.

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


def cut_into_pieces(random: Random, value: str | list[Any]) -> list[Any]:
    """Cut a string or list into pieces, and return them. There is at least one."""
    places = sorted(random.randint(0, len(value)) for _ in range(random.randint(0, 4)))
    return [value[start:end] for start, end in zip([0, *places], [*places, len(value)], strict=True)]


def deltas_of_message(random: Random, message: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the deltas of a message: first the role, then texts in pieces, then interleaved fragments of tool calls."""
    yield {"role": message["role"]} | {name: None for name in ("content", "refusal") if message[name] is None}
    for name in ("reasoning_content", "content", "refusal", "annotations"):
        if message.get(name) is not None:
            yield from ({name: piece} for piece in cut_into_pieces(random, message[name]))
    if "function_call" in message:
        yield {"function_call": {"name": message["function_call"]["name"], "arguments": ""}}
        yield from (
            {"function_call": {"arguments": piece}}
            for piece in cut_into_pieces(random, message["function_call"]["arguments"])
        )
    if "audio" in message:
        audio = message["audio"]
        yield from (
            {"audio": {"id": audio["id"], "transcript": piece}}
            for piece in cut_into_pieces(random, audio["transcript"])
        )
        yield from ({"audio": {"data": piece}} for piece in cut_into_pieces(random, audio["data"]))
        yield {"audio": {"expires_at": audio["expires_at"]}}
    fragments = [
        list(fragments_of_call(random, index, call)) for index, call in enumerate(message.get("tool_calls", []))
    ]
    yield from ({"tool_calls": [fragment]} for fragment in interleave(random, fragments))


def fragments_of_call(random: Random, index: int, call: dict[str, Any]) -> Iterator[dict[str, Any]]:
    part, text = ("function", "arguments") if call["type"] == "function" else ("custom", "input")
    yield {"index": index, "id": call["id"], "type": call["type"], part: {"name": call[part]["name"], text: ""}}
    yield from ({"index": index, part: {text: piece}} for piece in cut_into_pieces(random, call[part][text]))


def interleave(random: Random, runs: list[list[Any]]) -> Iterator[Any]:
    """Yield the items of all runs in random order, but those of each run in their own order."""
    runs = [run[::-1] for run in runs if run]
    while runs:
        run = random.choice(runs)
        yield run.pop()
        runs = [run for run in runs if run]


def pieces_of_choice(random: Random, choice: dict[str, Any]) -> Iterator[dict[str, Any]]:
    others = {name: value for name, value in choice.items() if name not in ("message", "finish_reason", "logprobs")}
    for delta in deltas_of_message(random, choice["message"]):
        yield {**others, "delta": delta, "finish_reason": None}
    logprobs = choice.get("logprobs")
    if logprobs is not None:
        for name in ("content", "refusal"):
            for piece in cut_into_pieces(random, logprobs[name]) if logprobs[name] is not None else [None]:
                yield {**others, "delta": {}, "finish_reason": None, "logprobs": {name: piece}}
    last_logprobs = {} if logprobs is not None or "logprobs" not in choice else {"logprobs": None}
    yield {**others, "delta": {}, "finish_reason": choice["finish_reason"], **last_logprobs}


def cut_into_chunks(random: Random, completion: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the chunks of a completion, with its choices interleaved."""
    envelope = {name: value for name, value in completion.items() if name not in ("choices", "usage")}
    envelope["object"] = "chat.completion.chunk"
    runs = [list(pieces_of_choice(random, choice)) for choice in completion["choices"]]
    chunks = [{**envelope, "choices": [choice], "obfuscation": "x"} for choice in interleave(random, runs)]
    return [*chunks, {**envelope, "choices": [], "usage": completion["usage"]}] if "usage" in completion else chunks


@settings(max_examples=2 * settings().max_examples)
@given(completions(), st.randoms(use_true_random=False))
def test_folding_restores_the_completion_that_was_cut_into_chunks(completion: dict[str, Any], random: Random) -> None:
    chunks = cut_into_chunks(random, completion)
    unchanged = copy.deepcopy(chunks)
    assert fold_all(*chunks).value == completion
    assert chunks == unchanged, "folding changed the chunks"


@pytest.mark.parametrize("path", STREAMS, ids=lambda path: path.stem)
def test_a_conforming_stream_folds_into_a_conforming_completion(
    path: Path, read: Callable[[Path], list[Exchange | Skipped]]
) -> None:
    folded = fold(Trace(_stream_of(read(path))))
    assert folded is not None
    errors = [
        (name, hit)
        for name, hit in violations("completion", folded.value, walk.iter_errors("completion", folded.value))
        if (hit.severity or rules.rule(name).severity) > Severity.NOTE
    ]
    assert errors == []


@pytest.mark.thorough
@pytest.mark.parametrize("path", STREAMS, ids=lambda path: path.stem)
def test_fold_of_a_conforming_stream_agrees_with_the_reference_client(
    path: Path, read: Callable[[Path], list[Exchange | Skipped]]
) -> None:
    stream = _stream_of(read(path))
    folded = fold(Trace(stream))
    assert folded is not None
    assert _comparable_parts(folded.value) == _comparable_parts(_fold_by_the_client(stream))


@pytest.mark.thorough
@given(completions(), st.randoms(use_true_random=False))
def test_fold_of_a_generated_stream_agrees_with_the_reference_client(
    completion: dict[str, Any], random: Random
) -> None:
    for choice in completion["choices"]:
        choice["message"].pop("annotations", None)  # the client raises if they come in two deltas
    stream = stream_of_chunks(begun_in_order(cut_into_chunks(random, completion)), Text(b"[]"))
    folded = fold(Trace(stream))
    assert folded is not None
    assert _comparable_parts(folded.value) == _comparable_parts(_fold_by_the_client(stream))


def begun_in_order(chunks: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the chunks with the first one of each choice and of each call before all others, by index.

    The client takes an index for the position in its list, so it needs that.
    """

    def begins(chunk: dict[str, Any]) -> tuple[int, int, int]:
        if not chunk["choices"]:
            return (2, 0, 0)
        index, delta = chunk["choices"][0]["index"], chunk["choices"][0]["delta"]
        if "role" in delta:
            return (0, index, -1)
        calls = [call["index"] for call in delta.get("tool_calls", []) if "id" in call]
        return (0, index, calls[0]) if calls else (1, 0, 0)

    return sorted(chunks, key=begins)


def _stream_of(exchanges: list[Exchange | Skipped]) -> Stream:
    (exchange,) = exchanges
    assert isinstance(exchange, Exchange)
    assert isinstance(exchange.response, Stream)
    return exchange.response


def _fold_by_the_client(stream: Stream) -> Any:
    from openai._models import construct_type  # this import takes a second
    from openai.lib.streaming.chat import ChatCompletionStreamState
    from openai.types.chat import ChatCompletionChunk

    state: Any = ChatCompletionStreamState()
    for value in stream.values:
        if isinstance(value, dict):
            state.handle_chunk(construct_type(value=value, type_=ChatCompletionChunk))
    return json.loads(state.current_completion_snapshot.model_dump_json())


def _comparable_parts(completion: Any) -> Any:
    """Return the parts of a completion on which the client has to agree with the fold.

    The client makes other parts differently: it joins roles and ids that a stream repeats, gives a spoken answer no
    finish reason, and loses the usage if another chunk follows.
    """
    return [
        (
            choice["finish_reason"] if not choice["message"].get("audio") else None,
            choice["message"].get("reasoning_content") or "",
            choice["message"].get("content") or "",
            choice["message"].get("refusal") or "",
            (choice["message"].get("audio") or {}).get("transcript"),
            (choice["message"].get("audio") or {}).get("data"),
            choice["message"].get("function_call"),
            [
                (call["id"], call["type"], *_name_and_text(call[call["type"]]))
                for call in choice["message"].get("tool_calls") or []
            ],
            [token["token"] for token in (choice.get("logprobs") or {}).get("content") or []],
        )
        for choice in completion["choices"]
    ]


def _name_and_text(called: dict[str, str]) -> tuple[str, str | None]:
    return called["name"], called.get("arguments", called.get("input"))


def test_stream_without_a_choice_has_no_fold() -> None:
    assert fold(Trace(stream_of_chunks([{"choices": []}, {"id": "a"}], Text(b"[]")))) is None


def test_fold_has_the_first_finish_reason_that_is_not_empty() -> None:
    reasons: list[Any] = [None, "", "stop", "length"]
    folded = fold_all(*({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]} for reason in reasons))
    assert folded.value["choices"][0]["finish_reason"] == "stop"


def test_a_choice_that_is_never_finished_has_a_null_finish_reason() -> None:
    assert fold_all({"choices": [{"index": 0, "delta": {"content": "a"}}]}).value["choices"][0]["finish_reason"] is None


def test_envelope_property_that_is_empty_at_first_has_its_later_value() -> None:
    chunks: list[Any] = [{"id": "", "created": 0, "prompt_filter_results": []}, {"id": "a", "created": 1}, {"id": None}]
    completion = fold_all(*({**chunk, "choices": [{"index": 0, "delta": {}}]} for chunk in chunks)).value
    assert (completion["id"], completion["created"], completion["prompt_filter_results"]) == ("a", 1, [])


def test_fold_has_the_last_usage() -> None:
    chunks: list[Any] = [{"usage": {"total_tokens": 1}}, {"usage": {"total_tokens": 2}}, {"usage": None}]
    completion = fold_all(*({**chunk, "choices": [{"index": 0, "delta": {}}]} for chunk in chunks)).value
    assert completion["usage"] == {"total_tokens": 2}


def test_repeated_roles_ids_types_and_names_are_not_joined() -> None:
    fragment = {"index": 0, "id": "a", "type": "function", "function": {"name": "f", "arguments": "1"}}
    assert fold_call(fragment, fragment) == {
        "id": "a",
        "type": "function",
        "function": {"name": "f", "arguments": "11"},
    }
    assert fold_message({"role": "assistant"}, {"role": "assistant"})["role"] == "assistant"


def test_a_name_in_pieces_is_joined() -> None:
    assert fold_call({"index": 0, "function": {"name": "get_"}}, {"index": 0, "function": {"name": "time"}}) == {
        "function": {"name": "get_time"}
    }


def test_properties_that_vendors_add_to_a_tool_call_are_kept() -> None:
    signed = {"index": 0, "id": "a", "extra_content": {"signature": "x"}, "function": {"name": "f", "arguments": "{}"}}
    assert fold_call(signed, {"index": 0, "function": {"arguments": ""}})["extra_content"] == {"signature": "x"}


def test_nulls_in_a_fragment_change_nothing() -> None:
    first = {"index": 0, "id": "a", "type": "function", "function": {"name": "f", "arguments": "{"}}
    null = {"index": 0, "id": None, "type": None, "function": {"name": None, "arguments": "}"}}
    assert fold_call(first, null) == {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}


def test_parts_and_strings_of_content_are_both_kept() -> None:
    part = {"type": "thinking", "thinking": "…"}
    assert fold_message({"content": [part]}, {"content": "a"}, {"content": "b"})["content"] == [
        part,
        {"type": "text", "text": "ab"},
    ]


def test_choices_are_in_the_order_of_their_indexes() -> None:
    folded = fold_all(*({"choices": [{"index": index, "delta": {"content": str(index)}}]} for index in (2, 0, 1)))
    assert [choice["message"]["content"] for choice in folded.value["choices"]] == ["0", "1", "2"]


def test_part_of_content_is_continued_by_the_next_delta() -> None:
    def thought(text: str) -> dict[str, Any]:
        return {"type": "thinking", "thinking": [{"type": "text", "text": text}]}

    deltas: list[Any] = [[thought("12 ")], [thought("squared")], "", [{"type": "text", "text": "1"}], "44", ""]
    assert fold_message(*({"content": content} for content in deltas))["content"] == [
        thought("12 squared"),
        {"type": "text", "text": "144"},
    ]


def test_parts_of_one_delta_and_parts_that_are_no_text_stay_apart() -> None:
    text, image = {"type": "text", "text": "a"}, {"type": "image_url", "image_url": {"url": "u"}}
    assert fold_message({"content": [text, text]}, {"content": [image, text]})["content"] == [text, text, image, text]
    assert fold_message({"content": [image]}, {"content": [image]})["content"] == [image, image]


@given(st.lists(st.lists(texts, min_size=1, max_size=3), min_size=2, max_size=6))
def test_no_text_of_content_in_parts_is_lost(texts_of_deltas: list[list[str]]) -> None:
    deltas = [{"content": [{"type": "text", "text": text} for text in delta_texts]} for delta_texts in texts_of_deltas]
    parts = fold_message(*deltas)["content"]
    assert "".join(part["text"] for part in parts) == "".join(
        text for delta_texts in texts_of_deltas for text in delta_texts
    )


@pytest.mark.parametrize("role", [{"role": "assistant"}, {}])
def test_choice_whose_index_grows_with_each_chunk_is_one_choice(role: dict[str, str]) -> None:
    first = {"role": "assistant", "content": "1"}
    chunks: list[Any] = [
        {"choices": [{"index": 197 + number, "delta": delta, "finish_reason": finish}]}
        for number, (delta, finish) in enumerate(
            [(first, None), (role | {"content": "4"}, None), (role | {"content": "4"}, "stop")]
        )
    ]
    folded = fold(Trace(stream_of_chunks(chunks, Text(b"[]"))))
    assert folded is not None
    (choice,) = folded.value["choices"]
    assert (choice["message"]["content"], choice["finish_reason"]) == ("144", "stop")


def test_fold_knows_the_event_in_which_each_part_began() -> None:
    deltas: list[Any] = [
        {"role": "assistant", "content": ""},
        {"content": "a"},
        {"tool_calls": [{"index": 0, "function": {"arguments": "{}"}}]},
    ]
    folded = fold_all(
        *({"choices": [{"index": 0, "delta": delta}]} for delta in deltas), {"usage": {"total_tokens": 1}}
    )
    pointer = ("choices", 0, "message")
    assert folded.event((*pointer, "content")) == 1
    assert folded.event((*pointer, "tool_calls", 0, "function", "arguments")) == 2
    assert folded.event((*pointer, "refusal")) == 0
    assert folded.event(("usage", "total_tokens")) == 3
    assert folded.event(()) is None


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
    """Check that folding takes linear time: in quadratic time, this would take minutes."""
    chunk = {"id": "a", "choices": [{"index": 0, "delta": {"content": "a", "tool_calls": [fragment]}}]}
    start = time.process_time()
    folded = fold_all(*[chunk] * 30_000)
    assert time.process_time() - start < 10
    assert len(folded.value["choices"][0]["message"]["content"]) == 30_000


def test_message_beside_the_deltas_does_not_replace_the_folded_message() -> None:
    call = {"id": "call_1", "type": "function", "function": {"name": "now", "arguments": "{}"}}
    message = {"role": "assistant", "content": "of its own"}
    deltas = {"role": "assistant", "content": "Hel", "tool_calls": [call]}, {"content": "lo"}
    folded = fold_all(*({"choices": [{"index": 0, "delta": delta, "message": message}]} for delta in deltas))
    (choice,) = folded.value["choices"]
    assert (choice["message"]["content"], choice["message"]["tool_calls"]) == ("Hello", [call])


def test_a_repeated_channel_is_not_joined() -> None:
    assert (
        fold_message({"channel": "final", "content": "a"}, {"channel": "final", "content": "b"})["channel"] == "final"
    )


def test_lists_in_a_choice_are_joined_and_of_other_values_the_last_one_counts() -> None:
    choices = [
        {"index": 0, "delta": {}, "tags": ["a"], "score": 1},
        {"index": 0, "delta": {}, "tags": ["b"], "score": 2},
    ]
    (choice,) = fold_all(*({"choices": [choice]} for choice in choices)).value["choices"]
    assert (choice["tags"], choice["score"]) == (["a", "b"], 2)


def test_index_is_kept_as_it_is_written_if_it_is_an_integer_and_else_the_position_counts() -> None:
    indexes = [
        repr(fold_all({"choices": [{"index": written, "delta": {}}]}).value["choices"][0]["index"])
        for written in (1, 1.0, 1.5)
    ]
    assert indexes == ["1", "1.0", "0"]


def test_usage_has_the_event_of_the_last_one() -> None:
    chunks: list[Any] = [{"choices": [{"index": 0, "delta": {}}], "usage": {"total_tokens": 1}}] * 3
    assert fold_all(*chunks).event(("usage",)) == 2


def test_tool_calls_without_an_index_stand_before_those_with_one() -> None:
    deltas = [{"index": 0, "id": "with"}], [{"id": "without"}]
    message = fold_message(*({"tool_calls": fragments} for fragments in deltas))
    assert [call["id"] for call in message["tool_calls"]] == ["without", "with"]


def test_last_value_counts_even_if_it_is_false() -> None:
    chunks: list[Any] = [
        {"flagged": True, "choices": [{"index": 0, "flagged": True, "delta": {"seen": True}}]},
        {"flagged": False, "choices": [{"index": 0, "flagged": False, "delta": {"seen": False}}]},
    ]
    completion = fold_all(*chunks).value
    (choice,) = completion["choices"]
    assert (completion["flagged"], choice["flagged"], choice["message"]["seen"]) == (False, False, False)


def test_event_of_a_tool_call_in_pieces_is_that_of_its_first_piece() -> None:
    pieces = ({"index": 0, "id": "a"}, {"index": 0, "function": {"arguments": "{"}})
    folded = fold_all(*({"choices": [{"index": 0, "delta": {"tool_calls": [piece]}}]} for piece in pieces))
    assert folded.event(("choices", 0, "message", "tool_calls", 0)) == 0
