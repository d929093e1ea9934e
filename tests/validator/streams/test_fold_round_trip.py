"""Test that folding restores a completion wherever it was cut into chunks, and agrees with the reference client."""

from __future__ import annotations

import copy
import json
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
from isogloss.validator.streams.fold import fold
from isogloss.validator.streams.trace import Trace
from isogloss.validator.text import Text

STREAMS = sorted((Path(__file__).parents[3] / "fixtures" / "conforming" / "stream").glob("*.sse"))

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
        "id": "chatcmpl-1",
        "created": 1,
        "model": "m",
        "service_tier": None,
        "system_fingerprint": "fp_1",
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
    folded = fold(Trace(stream_of_chunks(chunks, Text(b"[]"))))
    assert folded is not None
    assert folded.value == completion
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
