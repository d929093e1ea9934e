"""Fold an answer into text, calls, role, finish reason and usage, without code of isogloss.

The harness compares clients with ``isogloss fold``, its oracle. This second fold checks the oracle. It follows OpenAI's
reference alone, and is meant for conforming answers.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

__all__ = ["read_body", "read_completion", "read_stream"]

Answer = dict[str, Any]


def read_body(body: bytes, content_type: str) -> Answer:
    """Return the content of a body, read by its content type. Raise ``ValueError`` if it holds no answer."""
    if "event-stream" in content_type:
        return read_stream(body)
    return read_completion(json.loads(body))


def read_completion(completion: Any) -> Answer:
    """Return the content of the first choice of a completion, and that of all in ``choices`` if there are several.

    A missing property is ``None``. Raise ``ValueError`` if there are no choices, or if one has no message.
    """
    choices = completion.get("choices") if isinstance(completion, Mapping) else None
    if not isinstance(choices, list) or not choices:
        raise ValueError("no choices")
    ordered = sorted(choices, key=_index)
    answers = [_read_choice(choice) for choice in ordered]
    usage = completion.get("usage")
    counts = (
        {name: usage.get(name) for name in ("prompt_tokens", "completion_tokens")} if isinstance(usage, dict) else usage
    )
    return {**answers[0], "usage": counts, "choices": answers if len(answers) > 1 else None}


def read_stream(body: bytes) -> Answer:
    """Return the content of a stream, with its chunks joined. Raise ``ValueError`` if no chunk has a choice."""
    choices: dict[int, dict[str, Any]] = {}
    usage = None
    for event in body.decode().replace("\r\n", "\n").split("\n\n"):
        data = "\n".join(line[5:].removeprefix(" ") for line in event.split("\n") if line.startswith("data:"))
        if not data or data == "[DONE]":
            continue
        chunk = json.loads(data)
        usage = chunk.get("usage") or usage
        for choice in chunk["choices"]:
            folded_choice = choices.setdefault(choice["index"], {"message": {}, "calls": {}, "finish_reason": None})
            _add_choice(folded_choice, choice)
    folded = [
        {
            **choice,
            "index": index,
            "message": {**choice["message"], "tool_calls": [choice["calls"][at] for at in sorted(choice["calls"])]},
        }
        for index, choice in sorted(choices.items())
    ]
    return read_completion({"choices": folded, "usage": usage})


def _add_choice(folded_choice: dict[str, Any], choice: Mapping[str, Any]) -> None:
    folded_choice["finish_reason"] = choice.get("finish_reason") or folded_choice["finish_reason"]
    delta = choice["delta"]
    if delta.get("role"):
        folded_choice["message"]["role"] = delta["role"]
    for name in ("content", "refusal", "reasoning_content", "reasoning"):
        if delta.get(name) is not None:
            folded_choice["message"][name] = folded_choice["message"].get(name, "") + delta[name]
    for fragment in delta.get("tool_calls") or ():
        call = folded_choice["calls"].setdefault(fragment["index"], {"function": {"name": "", "arguments": ""}})
        for name, part in (fragment.get("function") or {}).items():
            call["function"][name] = call["function"][name] + part


def _index(choice: Any) -> int:
    index = choice.get("index") if isinstance(choice, Mapping) else None
    return index if isinstance(index, int) else 0


def _read_choice(choice: Any) -> Answer:
    message = choice.get("message") if isinstance(choice, Mapping) else None
    if not isinstance(message, Mapping):
        raise ValueError("a choice without a message")
    calls = message.get("tool_calls")
    return {
        "text": message.get("content"),
        "calls": [_read_call(call) for call in calls] if isinstance(calls, list) else [],
        "role": message.get("role"),
        "finish_reason": choice.get("finish_reason"),
        "reasoning": message.get("reasoning_content") or message.get("reasoning"),
        "refusal": message.get("refusal"),
    }


def _read_call(call: Any) -> dict[str, Any]:
    function = call.get("function") if isinstance(call, Mapping) else None
    function = function if isinstance(function, Mapping) else {}
    return {"name": function.get("name"), "arguments": function.get("arguments")}
