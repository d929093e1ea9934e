"""Make values that the facts of dialects accept, and put them into payloads."""

from __future__ import annotations

import itertools
import re._constants as codes
import re._parser as parser
from collections.abc import Iterable
from copy import deepcopy
from typing import Any

from isogloss.validator.pointer import Steps

CALL = {"id": "call_abc123", "type": "function", "function": {"name": "f", "arguments": "{}"}}
TOKEN = {"token": "Hi", "logprob": -0.1, "bytes": [72, 105]}
CONFORMING: dict[str, Any] = {
    "tool_calls": [CALL],
    "function": CALL["function"],
    "function_call": CALL["function"],
    "logprobs": {"content": [{**TOKEN, "top_logprobs": []}], "refusal": None},
    "top_logprobs": [TOKEN],
    "usage": {"prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 12},
    "error": {"message": "No", "type": "invalid_request_error", "param": None, "code": None},
}
"""By name, values that conform and hold others. What they hold may be replaced by the value of a fact."""
_BY_TYPE = {"string": "text", "integer": 3, "number": 0.5, "boolean": True, "null": None}


def values(schema: Any, name: str = "") -> list[Any]:
    """Return values that a schema of a fact accepts: one for each type, or each value of an enumeration."""
    if isinstance(schema.get("type"), list):
        return [_value({**schema, "type": one}, name) for one in schema["type"]]
    if "enum" in schema:
        return list(schema["enum"])
    return [one for part in schema["anyOf"] for one in values(part)] if "anyOf" in schema else [_value(schema, name)]


def _value(schema: Any, name: str = "") -> Any:
    if "const" in schema:
        return schema["const"]
    if "pattern" in schema:
        return _text(parser.parse(schema["pattern"]))
    if schema.get("type") == "object":
        named = {key: values(one)[0] for key, one in schema.get("properties", {}).items()}
        return dict.fromkeys(schema.get("required", ()), "text") | named
    if schema.get("type") == "array":
        items = CONFORMING.get(name, [])[:1] or ([values(schema["items"])[0]] if "items" in schema else [])
        least = schema.get("minItems", min(1, schema.get("maxItems", 1)))
        return deepcopy(items * least)
    for border, further in (("minimum", 0), ("exclusiveMinimum", 1), ("maximum", 0)):
        if border in schema:
            return schema[border] + further
    return _BY_TYPE.get(schema.get("type"), "text")


_CATEGORIES = {codes.CATEGORY_DIGIT: "0", codes.CATEGORY_SPACE: " ", codes.CATEGORY_WORD: "x"}


def _text(pattern: Iterable[tuple[Any, Any]]) -> str:
    """Return the simplest text that a parsed regular expression matches."""
    text = ""
    for code, argument in pattern:
        if code is codes.LITERAL:
            text += chr(argument)
        elif code is codes.ANY:
            text += "x"
        elif code is codes.IN:
            [(kind, first), *_] = argument
            if kind is codes.CATEGORY:
                text += _CATEGORIES[first]
            else:
                text += chr(first if kind is codes.LITERAL else first[0])
        elif code in (codes.MAX_REPEAT, codes.MIN_REPEAT):
            text += argument[0] * _text(argument[2])
        elif code is codes.SUBPATTERN:
            text += _text(argument[3])
        elif code is codes.BRANCH:
            text += _text(argument[1][0])
        else:
            assert code is codes.AT, code
    return text


def put(payload: Any, steps: Steps, value: Any) -> None:
    """Put a value at the steps of a path, or remove what is there if it is `...`. What has to hold it conforms."""
    holder = payload
    for step, following in itertools.pairwise(steps):
        empty: Any = [] if following is None else {}
        if step is None:
            if not holder or not isinstance(holder[0], type(empty)):
                holder[:] = [empty]
            holder = holder[0]
        else:
            if not holder.get(step) or not isinstance(holder[step], type(empty)):
                holder[step] = deepcopy(CONFORMING.get(step, empty))
            holder = holder[step]
    if steps[-1] is None:
        holder[:] = [] if value is ... else [value]
    elif value is ...:
        holder.pop(steps[-1], None)
    else:
        holder[steps[-1]] = deepcopy(value)
