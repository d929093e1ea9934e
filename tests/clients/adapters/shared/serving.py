"""Run the jobs of an adapter in Python: they are lines of JSON on standard input, their results on standard output."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

__all__ = ["KEY", "MODEL", "QUESTION", "Job", "call", "run_coroutine", "serve"]

KEY = "sk-test"
MODEL = "gpt-4.1-mini"
QUESTION = "What is the weather like in Zürich?"


@dataclass(frozen=True)
class Job:
    """One request for a client: its base URL, its path, whether it asks for a stream, and its tools."""

    base_url: str
    path: str
    stream: bool
    tools: list[dict[str, Any]]
    response_format: dict[str, Any] | None
    n: int
    timeout: float


def call(name: Any, arguments: Any) -> dict[str, Any]:
    """Return a call in the form in which the harness compares it. Arguments that are decoded are encoded again."""
    return {"name": name, "arguments": json.dumps(arguments) if isinstance(arguments, dict | list) else arguments}


@cache
def _event_loop() -> asyncio.Runner:
    return asyncio.Runner()


def run_coroutine(coroutine: Coroutine[Any, Any, Any]) -> Any:
    """Return the result of a coroutine. All run in one event loop, so that a client can keep its connections."""
    return _event_loop().run(coroutine)


def serve(
    paths: Mapping[str, Callable[[Job], dict[str, Any]]], message_of: Callable[[BaseException], str] = str
) -> None:
    """Run the jobs on standard input, one on each line, until it ends.

    Everything else that is printed goes to standard error. ``message_of`` returns the message of an exception, for
    clients whose exceptions say first what is the same for all.
    """
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    for line in sys.stdin:
        fields = json.loads(line)
        job_id = fields.pop("id")
        job = Job(**{**fields, "tools": fields["tools"] or []})
        try:
            result = {"id": job_id, "ok": paths[job.path](job)}
            text = json.dumps(result, default=repr)
        except Exception as error:  # noqa: BLE001 - each exception of a client is a result
            message = message_of(error).encode("utf-8", "replace").decode()
            text = json.dumps({"id": job_id, "raised": {"class": type(error).__qualname__, "message": message}})
        out.write(text + "\n")
        out.flush()
