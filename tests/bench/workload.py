"""The files that are measured, written from fixtures: as many lines, streams and files as asked for."""

from __future__ import annotations

import json
import random
from functools import cache
from pathlib import Path
from typing import Any

FIXTURES = Path(__file__).parents[2] / "fixtures" / "conforming"
CONTENT = 350
"""Characters of an answer, with which a completion takes about a kilobyte."""

_WORDS = (
    "the",
    "answer",
    "is",
    "a",
    "line",
    "on",
    "map",
    "where",
    "one",
    "way",
    "to",
    "say",
    "it",
    "ends",
    "and",
    "so",
)


@cache
def _read(kind: str, name: str) -> bytes:
    return (FIXTURES / kind / f"{name}.json").read_bytes()


def _fixture(kind: str, name: str) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(_read(kind, name))
    return value


def _text(source: random.Random, size: int) -> str:
    words: list[str] = []
    while size > 0:
        words.append(source.choice(_WORDS))
        size -= len(words[-1]) + 1
    return " ".join(words)


def _written(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def completion(source: random.Random, *, deviating: bool = False) -> str:
    """A completion as OpenAI answers; ``deviating`` in two ways of DeepSeek's."""
    value = _fixture("completion", "text")
    value["id"] = f"chatcmpl-Fake{source.randrange(10**24):024}"
    value["created"] = 1_760_000_000 + source.randrange(10**6)
    choice = value["choices"][0]
    choice["message"]["content"] = _text(source, CONTENT)
    usage = value["usage"]
    usage["completion_tokens"] = source.randrange(50, 150)
    usage["total_tokens"] = usage["prompt_tokens"] + usage["completion_tokens"]
    if deviating:
        choice["message"]["reasoning_content"] = _text(source, 40)
        usage["prompt_cache_hit_tokens"] = 0
    return _written(value)


def completions(path: Path, count: int, *, deviating: bool = False) -> None:
    """JSON Lines of completions."""
    source = random.Random(count)
    with path.open("w", encoding="utf-8") as out:
        for _ in range(count):
            out.write(completion(source, deviating=deviating) + "\n")


def directory(path: Path, count: int) -> None:
    """A directory of completions, one a file."""
    source = random.Random(count)
    path.mkdir()
    for number in range(count):
        (path / f"{number:06}.json").write_text(completion(source), encoding="utf-8")


def streams(path: Path, count: int, chunks: int) -> None:
    """JSON Lines of exchange records, each with an SSE body of so many chunks."""
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
                middle["choices"][0]["delta"] = {"content": " " + source.choice(_WORDS)}
                events.append(_written({**middle, **own}))
            events.append(_written({**last, **own}))
            body = "".join(f"data: {event}\n\n" for event in (*events, "[DONE]"))
            out.write(_written({"sse": body, "status": 200, "content_type": "text/event-stream"}) + "\n")
