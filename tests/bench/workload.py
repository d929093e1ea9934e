"""Write the files for measurements, made from fixtures: any number of lines, streams and files."""

from __future__ import annotations

import copy
import json
import math
import random
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from mixture_values import WORDS, make_text

FIXTURES = Path(__file__).parents[2] / "fixtures" / "conforming"
CONTENT_LENGTH = 350
"""The characters of the text in a completion, which then has about a kilobyte."""


@cache
def _read(kind: str, name: str) -> bytes:
    return (FIXTURES / kind / f"{name}.json").read_bytes()


def _fixture(kind: str, name: str) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(_read(kind, name))
    return value


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def completion(rng: random.Random) -> dict[str, Any]:
    """Make a completion of about a kilobyte, as OpenAI answers."""
    value = _fixture("completion", "text")
    value["id"] = f"chatcmpl-Fake{rng.randrange(10**24):024}"
    value["created"] = 1_760_000_000 + rng.randrange(10**6)
    value["choices"][0]["message"]["content"] = make_text(rng, CONTENT_LENGTH)
    usage = value["usage"]
    usage["completion_tokens"] = rng.randrange(50, 150)
    usage["total_tokens"] = usage["prompt_tokens"] + usage["completion_tokens"]
    return value


def deviating(rng: random.Random) -> dict[str, Any]:
    """Make a completion with two deviations that DeepSeek has."""
    value = completion(rng)
    value["choices"][0]["message"]["reasoning_content"] = make_text(rng, 40)
    value["usage"]["prompt_cache_hit_tokens"] = 0
    return value


def tool_call(rng: random.Random) -> dict[str, Any]:
    """Make a completion that has text and calls a function."""
    value = completion(rng)
    calls = copy.deepcopy(_fixture("completion", "tool-calls")["choices"][0]["message"]["tool_calls"][:1])
    calls[0]["id"] = f"call_Fake{rng.randrange(10**20):020}"
    calls[0]["function"]["arguments"] = json.dumps({"location": make_text(rng, 30)})
    value["choices"][0]["message"]["tool_calls"] = calls
    value["choices"][0]["finish_reason"] = "tool_calls"
    return value


def with_logprobs(rng: random.Random) -> dict[str, Any]:
    """Make a completion of ten tokens, each with its log probability and the next likely token."""
    value = completion(rng)
    choice = value["choices"][0]
    pieces = [" " + rng.choice(WORDS) for _ in range(10)]
    choice["message"]["content"] = "".join(pieces)
    choice["logprobs"] = {"content": [_token(rng, piece) for piece in pieces], "refusal": None}
    return value


def _token(rng: random.Random, piece: str) -> dict[str, Any]:
    logprob = -rng.uniform(0.01, 1)
    other = min(logprob, math.log1p(-math.exp(logprob))) - rng.random()  # both probabilities make 1 at most
    first, second = (
        {"token": text, "logprob": value, "bytes": list(text.encode())}
        for text, value in ((piece, logprob), (" other", other))
    )
    return {**first, "top_logprobs": [first, second]}


def several_choices(rng: random.Random) -> dict[str, Any]:
    """Make a completion with three choices."""
    value = completion(rng)
    choices = [{**copy.deepcopy(value["choices"][0]), "index": index} for index in range(3)]
    for choice in choices:
        choice["message"]["content"] = make_text(rng, CONTENT_LENGTH // 3)
    return {**value, "choices": choices}


def error(rng: random.Random) -> dict[str, Any]:
    """Make an error with a message of random words."""
    value = _fixture("error", "invalid-request")
    value["error"]["message"] = make_text(rng, 80)
    return value


BULK: dict[str, Callable[[random.Random], dict[str, Any]]] = {
    "plain answers": completion,
    "tool calls": tool_call,
    "logprobs": with_logprobs,
    "several choices": several_choices,
    "errors": error,
}
"""Functions that make payloads for logs in which all payloads are alike, by the name of the payloads."""


def write_lines(path: Path, count: int, make: Callable[[random.Random], dict[str, Any]] = completion) -> None:
    """Write ``count`` payloads as JSON Lines."""
    rng = random.Random(count)
    with path.open("w", encoding="utf-8") as out:
        for _ in range(count):
            out.write(_json(make(rng)) + "\n")


def write_directory(path: Path, count: int) -> None:
    """Write a directory of ``count`` completions, one in each file."""
    rng = random.Random(count)
    path.mkdir()
    for number in range(count):
        (path / f"{number:06}.json").write_text(_json(completion(rng)), encoding="utf-8")


def write_streams(path: Path, count: int, chunks: int) -> None:
    """Write ``count`` exchange records as JSON Lines, each with an SSE body of that many chunks."""
    rng = random.Random(count)
    first, middle, last = (_fixture("chunk", name) for name in ("first-role", "content", "finish"))
    with path.open("w", encoding="utf-8") as out:
        for _ in range(count):
            common = {
                name: middle[name]
                for name in ("model", "created", "object", "system_fingerprint", "service_tier")
                if name in middle
            }
            common["id"] = f"chatcmpl-Fake{rng.randrange(10**24):024}"
            events = [_json({**first, **common})]
            for _ in range(chunks - 2):
                middle["choices"][0]["delta"] = {"content": " " + rng.choice(WORDS)}
                events.append(_json({**middle, **common}))
            events.append(_json({**last, **common}))
            body = "".join(f"data: {event}\n\n" for event in (*events, "[DONE]"))
            out.write(_json({"sse": body, "status": 200, "content_type": "text/event-stream"}) + "\n")
