"""Make the parts of a generated exchange fit: calls and tools, structured answers and schemas, tokens and text."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mixture_values import instance, schema

__all__ = ["calls", "choices", "fit", "objects"]

Places = list[tuple[dict[str, Any], str]]
"""Objects, each with the name of one of its properties."""


def objects(value: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    """Return the objects in a property that is an array; none if it is not one."""
    items = value.get(name)
    return [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []


def choices(value: Mapping[str, Any]) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Yield the choices of a completion or chunk, each with its message or delta."""
    for choice in objects(value, "choices"):
        if isinstance(inner := choice.get("message") or choice.get("delta"), dict):
            yield choice, inner


def calls(inner: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the calls of functions in a message or delta."""
    return [call for call in objects(inner, "tool_calls") if isinstance(call.get("function"), dict)]


def _divided(whole: str, places: Sequence[tuple[dict[str, Any], str]]) -> None:
    """Write a text into several places, one piece into each."""
    each = max(1, len(whole) // max(1, len(places)))
    for number, (container, name) in enumerate(places):
        last = number == len(places) - 1
        container[name] = whole[number * each :] if last else whole[number * each : (number + 1) * each]


def fit(source: random.Random, request: Mapping[str, Any], parts: Sequence[dict[str, Any]]) -> None:
    """Make the calls, the structured text and the tokens of an answer fit its request and each other."""
    tools = [tool["function"] for tool in request.get("tools") or ()]
    wanted = request.get("response_format") or {}
    wanted_schema = (wanted.get("json_schema") or {}).get("schema") if wanted.get("type") == "json_schema" else None
    contents: dict[int, Places] = {}
    found: list[tuple[Mapping[str, Any], Places]] = []
    for part in parts:
        for choice, inner in choices(part):
            if isinstance(inner.get("content"), str) and inner["content"]:
                contents.setdefault(choice.get("index", 0), []).append((inner, "content"))
            for number, call in enumerate(calls(inner)):
                function = call["function"]
                if function.get("name"):
                    tool = source.choice(tools)
                    function["name"] = tool["name"]
                    found.append((tool["parameters"], []))
                if isinstance(call.get("index"), int):
                    call["index"] = max(0, len(found) - 1) if "delta" in choice else number
                if function.get("arguments") and found:
                    found[-1][1].append((function, "arguments"))
    for form, places in found:
        _divided(instance(source, form, 3 * len(places)), places)
    if wanted.get("type") in ("json_schema", "json_object"):
        for places in contents.values():
            _divided(instance(source, wanted_schema or schema(2), 3 * len(places)), places)
    for part in parts:
        for choice, inner in choices(part):
            _spell(choice.get("logprobs"), inner.get("content"))


def _spell(logprobs: object, content: object) -> None:
    """Replace the tokens with those of the text."""
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
