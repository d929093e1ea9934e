"""Make the parts of a generated exchange fit: calls and tools, structured text and schemas, tokens and text."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mixture_values import make_instance, make_schema

__all__ = ["calls", "choices", "fit", "objects"]

Slots = list[tuple[dict[str, Any], str]]
"""Objects, each with the name of the property that gets a text."""


def objects(value: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    """Return the objects in the array that is the property ``name``, or an empty list if it is not an array."""
    items = value.get(name)
    return [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []


def choices(value: Mapping[str, Any]) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Yield the choices of a completion or chunk, each with its message or delta."""
    for choice in objects(value, "choices"):
        if isinstance(message := choice.get("message") or choice.get("delta"), dict):
            yield choice, message


def calls(message: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the calls of functions in a message or delta."""
    return [call for call in objects(message, "tool_calls") if isinstance(call.get("function"), dict)]


def _divide(text: str, slots: Sequence[tuple[dict[str, Any], str]]) -> None:
    """Divide a text among properties of objects, one piece for each."""
    size = max(1, len(text) // max(1, len(slots)))
    for number, (holder, name) in enumerate(slots):
        is_last = number == len(slots) - 1
        holder[name] = text[number * size :] if is_last else text[number * size : (number + 1) * size]


def fit(rng: random.Random, request: Mapping[str, Any], parts: Sequence[dict[str, Any]]) -> None:
    """Change the calls, the structured text and the tokens of an answer so that they fit its request and each other."""
    tools = [tool["function"] for tool in request.get("tools") or ()]
    response_format = request.get("response_format") or {}
    response_schema = (
        (response_format.get("json_schema") or {}).get("schema")
        if response_format.get("type") == "json_schema"
        else None
    )
    contents: dict[int, Slots] = {}
    arguments: list[tuple[Mapping[str, Any], Slots]] = []
    for part in parts:
        for choice, message in choices(part):
            if isinstance(message.get("content"), str) and message["content"]:
                contents.setdefault(choice.get("index", 0), []).append((message, "content"))
            for number, call in enumerate(calls(message)):
                function = call["function"]
                if function.get("name"):
                    tool = rng.choice(tools)
                    function["name"] = tool["name"]
                    arguments.append((tool["parameters"], []))
                if isinstance(call.get("index"), int):
                    call["index"] = max(0, len(arguments) - 1) if "delta" in choice else number
                if function.get("arguments") and arguments:
                    arguments[-1][1].append((function, "arguments"))
    for schema, slots in arguments:
        _divide(make_instance(rng, schema, 3 * len(slots)), slots)
    if response_format.get("type") in ("json_schema", "json_object"):
        for slots in contents.values():
            _divide(make_instance(rng, response_schema or make_schema(2), 3 * len(slots)), slots)
    for part in parts:
        for choice, message in choices(part):
            _fit_tokens(choice.get("logprobs"), message.get("content"))


def _fit_tokens(logprobs: object, content: object) -> None:
    """Replace the tokens in ``logprobs`` with those of the text, if both are there."""
    if not isinstance(logprobs, dict) or not isinstance(content, str) or not logprobs.get("content"):
        return
    pattern = logprobs["content"][0]
    if not isinstance(pattern, dict):
        return
    logprobs["content"] = [_token(pattern, piece) for piece in re.findall(r"\s*\S+\s*$|\s*\S+", content)]


def _token(pattern: Mapping[str, Any], piece: str) -> dict[str, Any]:
    token = {**pattern, "token": piece}
    if token.get("bytes"):
        token["bytes"] = list(piece.encode())
    if token.get("top_logprobs"):
        token["top_logprobs"] = [_token(item, piece) for item in token["top_logprobs"]]
    return token
