"""Write the files for measurements, made from fixtures: any number of lines, streams and files."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from mixture_values import WORDS, text

FIXTURES = Path(__file__).parents[2] / "fixtures" / "conforming"
CONTENT = 350
"""Characters of an answer, with which a completion takes about a kilobyte."""


@cache
def _read(kind: str, name: str) -> bytes:
    return (FIXTURES / kind / f"{name}.json").read_bytes()


def _fixture(kind: str, name: str) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(_read(kind, name))
    return value


def _written(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def completion(source: random.Random) -> dict[str, Any]:
    """Make a completion of about a kilobyte, as OpenAI answers."""
    value = _fixture("completion", "text")
    value["id"] = f"chatcmpl-Fake{source.randrange(10**24):024}"
    value["created"] = 1_760_000_000 + source.randrange(10**6)
    value["choices"][0]["message"]["content"] = text(source, CONTENT)
    usage = value["usage"]
    usage["completion_tokens"] = source.randrange(50, 150)
    usage["total_tokens"] = usage["prompt_tokens"] + usage["completion_tokens"]
    return value


def deviating(source: random.Random) -> dict[str, Any]:
    """Make a completion with two deviations that DeepSeek has."""
    value = completion(source)
    value["choices"][0]["message"]["reasoning_content"] = text(source, 40)
    value["usage"]["prompt_cache_hit_tokens"] = 0
    return value


def tool_call(source: random.Random) -> dict[str, Any]:
    """Make a completion that has a text and calls a function."""
    value = completion(source)
    called = copy.deepcopy(_fixture("completion", "tool-calls")["choices"][0]["message"]["tool_calls"][:1])
    called[0]["id"] = f"call_Fake{source.randrange(10**20):020}"
    called[0]["function"]["arguments"] = json.dumps({"location": text(source, 30)})
    value["choices"][0]["message"]["tool_calls"] = called
    value["choices"][0]["finish_reason"] = "tool_calls"
    return value


def with_logprobs(source: random.Random) -> dict[str, Any]:
    """Make a completion of ten tokens, each with its log probability and the next likely token."""
    value = completion(source)
    choice = value["choices"][0]
    pieces = [" " + source.choice(WORDS) for _ in range(10)]
    choice["message"]["content"] = "".join(pieces)
    choice["logprobs"] = {"content": [_token(source, piece) for piece in pieces], "refusal": None}
    return value


def _token(source: random.Random, piece: str) -> dict[str, Any]:
    def likely(text: str) -> dict[str, Any]:
        return {"token": text, "logprob": -source.random(), "bytes": list(text.encode())}

    first = likely(piece)
    return {**first, "top_logprobs": [first, {**likely(" other"), "logprob": first["logprob"] - source.random()}]}


def several_choices(source: random.Random) -> dict[str, Any]:
    """Make a completion with three choices."""
    value = completion(source)
    choices = [{**copy.deepcopy(value["choices"][0]), "index": index} for index in range(3)]
    for choice in choices:
        choice["message"]["content"] = text(source, CONTENT // 3)
    return {**value, "choices": choices}


def error(source: random.Random) -> dict[str, Any]:
    """Make an error with a message of random words."""
    value = _fixture("error", "invalid-request")
    value["error"]["message"] = text(source, 80)
    return value


BULK: dict[str, Callable[[random.Random], dict[str, Any]]] = {
    "plain answers": completion,
    "tool calls": tool_call,
    "logprobs": with_logprobs,
    "several choices": several_choices,
    "errors": error,
}
"""What logs of payloads that are all alike are made of."""


def lines(path: Path, count: int, make: Callable[[random.Random], dict[str, Any]] = completion) -> None:
    """Write ``count`` payloads as JSON Lines."""
    source = random.Random(count)
    with path.open("w", encoding="utf-8") as out:
        for _ in range(count):
            out.write(_written(make(source)) + "\n")


def directory(path: Path, count: int) -> None:
    """Write a directory of ``count`` completions, one in each file."""
    source = random.Random(count)
    path.mkdir()
    for number in range(count):
        (path / f"{number:06}.json").write_text(_written(completion(source)), encoding="utf-8")


def streams(path: Path, count: int, chunks: int) -> None:
    """Write ``count`` exchange records as JSON Lines, each with an SSE body of that many chunks."""
    source = random.Random(count)
    first, middle, last = (_fixture("chunk", name) for name in ("first-role", "content", "finish"))
    with path.open("w", encoding="utf-8") as out:
        for _ in range(count):
            own = {
                name: middle[name]
                for name in ("model", "created", "object", "system_fingerprint", "service_tier")
                if name in middle
            }
            own["id"] = f"chatcmpl-Fake{source.randrange(10**24):024}"
            events = [_written({**first, **own})]
            for _ in range(chunks - 2):
                middle["choices"][0]["delta"] = {"content": " " + source.choice(WORDS)}
                events.append(_written({**middle, **own}))
            events.append(_written({**last, **own}))
            body = "".join(f"data: {event}\n\n" for event in (*events, "[DONE]"))
            out.write(_written({"sse": body, "status": 200, "content_type": "text/event-stream"}) + "\n")
