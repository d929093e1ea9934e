"""Make conforming streams in every way that a client may get them, and judge what tests make of them.

The streams are generated: with one or two choices, with text, calls or both, cut into chunks in any way.
"""

from __future__ import annotations

import base64
import copy
import json
from collections.abc import Iterable
from itertools import pairwise, zip_longest
from typing import Any, TypeAlias

from hypothesis import strategies as st
from reading import all_exchanges

from isogloss.validator import engines
from isogloss.validator.findings import Finding, Severity
from isogloss.validator.judging.judge import Judge

JUDGE = Judge(engines.load())
Json: TypeAlias = dict[str, Any]
Streamed: TypeAlias = tuple[Json, list[Any]]
"""A request and the chunks that answer it, without `[DONE]`."""

ENVELOPE = {
    "id": "chatcmpl-Fake0000000000000000000000001",
    "object": "chat.completion.chunk",
    "created": 1760000000,
    "model": "gpt-4.1-mini-2025-04-14",
    "service_tier": "default",
    "system_fingerprint": "fp_0123456789",
}
TOOL = {"type": "function", "function": {"name": "look_up", "parameters": {"type": "object", "properties": {}}}}
USAGE = {"prompt_tokens": 8, "completion_tokens": 40, "total_tokens": 48}


def chunk_of(index: int, delta: Json, finish: str | None = None) -> Json:
    return {**ENVELOPE, "choices": [{"index": index, "delta": delta, "logprobs": None, "finish_reason": finish}]}


def pieces_of(draw: st.DrawFn, text: str) -> list[str]:
    """Return a text cut into two pieces or more."""
    cuts = draw(st.sets(st.integers(1, len(text) - 1), min_size=1, max_size=4))
    places = [0, *sorted(cuts), len(text)]
    return [text[start:end] for start, end in pairwise(places)]


def _choice(draw: st.DrawFn, index: int, calls: int) -> list[Json]:
    """Return the chunks of one choice: its role, text if it has no calls or by chance, calls, and its end."""
    chunks = [chunk_of(index, {"role": "assistant", "content": "", "refusal": None})]
    if not calls or draw(st.booleans()):
        chunks += [chunk_of(index, {"content": piece}) for piece in pieces_of(draw, "Sunny, é and 20 °C.")]
    for number in range(calls):
        begin = {
            "id": f"call_Fake{index}{number}",
            "type": "function",
            "function": {"name": "look_up", "arguments": ""},
        }
        chunks.append(chunk_of(index, {"tool_calls": [{"index": number, **begin}]}))
        for piece in pieces_of(draw, '{"city": "Paris"}'):
            chunks.append(chunk_of(index, {"tool_calls": [{"index": number, "function": {"arguments": piece}}]}))
    return [*chunks, chunk_of(index, {}, "tool_calls" if calls else "stop")]


@st.composite
def streams(
    draw: st.DrawFn, *, least_choices: int = 1, most_choices: int = 2, least_calls: int = 0, most_calls: int = 2
) -> Streamed:
    """Return a request with a conforming stream that answers it. Calls are counted in each choice."""
    count, calls = draw(st.integers(least_choices, most_choices)), draw(st.integers(least_calls, most_calls))
    request: Json = {"model": "gpt-4.1-mini", "messages": [{"role": "user", "content": "Weather?"}], "stream": True}
    if count > 1:
        request["n"] = count
    if calls:
        request["tools"] = [TOOL]
    chunks = [chunk for index in range(count) for chunk in _choice(draw, index, calls)]
    if draw(st.booleans()):
        request["stream_options"] = {"include_usage": True}
        chunks = [{**chunk, "usage": None} for chunk in chunks]
        chunks.append({**ENVELOPE, "choices": [], "usage": copy.deepcopy(USAGE)})
    return request, chunks


def event_of(data: Any) -> str:
    return "data: " + (data if isinstance(data, str) else json.dumps(data, ensure_ascii=False)) + "\n\n"


def sse_of(chunks: list[Any]) -> str:
    return "".join(map(event_of, [*chunks, "[DONE]"]))


def serious(request: Json, sse: str | bytes, judge: Judge = JUDGE, **ending: bool) -> list[Finding]:
    """Return the errors and warnings about a stream. ``ending`` says how it ended, as in a record."""
    body = {"sse": sse} if isinstance(sse, str) else {"body_base64": base64.b64encode(sse).decode()}
    record = json.dumps({"request": request, "status": 200, "content_type": "text/event-stream", **body, **ending})
    [exchange] = all_exchanges(f"{record}\n", "stream.jsonl")
    return [one for one in judge.judge(exchange).findings if one.severity >= Severity.WARNING]


def with_properties(chunk: Json, **properties: Any) -> Json:
    """Return a chunk with other properties of its choice."""
    return {**chunk, "choices": [{**chunk["choices"][0], **properties}]}


def replaced(chunks: list[Any], place: int, *new: Any) -> list[Any]:
    return [*chunks[:place], *new, *chunks[place + 1 :]]


def ends(chunk: Json) -> bool:
    return bool(chunk["choices"][0]["finish_reason"])


def ends_all(chunk: Json) -> bool:
    """Return whether nothing has to come behind a chunk: it ends a choice, or has the usage."""
    return not chunk["choices"] or ends(chunk)


def with_role(chunk: Json) -> Json:
    return with_properties(chunk, delta={**chunk["choices"][0]["delta"], "role": "assistant"})


def without(mapping: Json, name: str) -> Json:
    return {key: value for key, value in mapping.items() if key != name}


def has_role(chunk: Json) -> bool:
    return "role" in chunk["choices"][0]["delta"]


def begins_call(chunk: Json) -> bool:
    return any("id" in fragment for fragment in fragments_of(chunk))


def mixed_choices(chunks: list[Any], order: Iterable[int] = range(3)) -> list[Any]:
    """Return the chunks with those of the choices in turns, in an order of their indices, and the usage last."""
    of_choices = [[one for one in chunks if one["choices"] and one["choices"][0]["index"] == index] for index in order]
    turns = [one for turn in zip_longest(*of_choices) for one in turn if one is not None]
    return [*turns, *(one for one in chunks if not one["choices"])]


def count_of_calls(chunks: list[Any]) -> int:
    deltas = [choice["delta"] for chunk in chunks for choice in chunk["choices"]]
    return sum("id" in call for delta in deltas for call in delta.get("tool_calls", ()))


def text_of(chunk: Json) -> str:
    return str(chunk["choices"][0]["delta"].get("content") or "")


def fragments_of(chunk: Json) -> list[Json]:
    fragments: list[Json] = chunk["choices"][0]["delta"].get("tool_calls") or []
    return fragments


def arguments_of(chunk: Json) -> str:
    calls = chunk["choices"][0]["delta"].get("tool_calls") or [{"function": {}}]
    return str(calls[0]["function"].get("arguments") or "")
