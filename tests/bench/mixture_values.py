"""Generate values for shapes: made-up texts and ids, as long as those that were recorded."""

from __future__ import annotations

import bisect
import json
import random
import re
from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["WORDS", "Counts", "Filler", "Shape", "between", "instance", "pick", "schema", "text"]

Shape = Any
"""Objects and arrays of shapes, whose leaves are the texts that ``scripts/traffic_counts.py`` describes."""
Counts = Mapping[str, Any]
WORDS = ("the", "answer", "is", "a", "line", "on", "map", "where", "one", "way", "to", "say", "it", "ends", "and", "so")
_ALPHABETS = {"digits": "0123456789", "letters": "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"}


def text(source: random.Random, size: int) -> str:
    """Return words of about so many characters together."""
    words: list[str] = []
    while size > 0:
        words.append(source.choice(WORDS))
        size -= len(words[-1]) + 1
    return " ".join(words)


def between(source: random.Random, quantiles: Sequence[float], numbers: Sequence[int]) -> int:
    """Draw a number from a distribution that is given by its quantiles."""
    share = source.random()
    at = max(1, bisect.bisect_left(quantiles, share))
    low, high = max(1, numbers[at - 1]), max(1, numbers[at])
    return round(low * (high / low) ** ((share - quantiles[at - 1]) / (quantiles[at] - quantiles[at - 1])))


def pick(source: random.Random, rows: Sequence[Sequence[Any]]) -> Any:
    """Draw from rows of a count and a value; values with high counts are drawn more often."""
    return source.choices([row[1] for row in rows], [row[0] for row in rows])[0]


def schema(count: int) -> dict[str, Any]:
    """Return a schema for objects with so many properties, which strict mode accepts."""
    names = [f"{WORDS[number % len(WORDS)]}_{number}" for number in range(count)]
    properties = {name: {"type": "string", "description": f"What {name} is"} for name in names}
    return {"type": "object", "properties": properties, "required": names, "additionalProperties": False}


def instance(source: random.Random, form: Mapping[str, Any], size: int) -> str:
    """Return JSON that matches a result of ``schema``, of about so many characters or more if it has properties."""
    names = form.get("properties") or ()
    return json.dumps({name: text(source, size // len(names) + 3) for name in names})


class Filler:
    """Fills shapes with values. Within one answer, ids and model are the same everywhere."""

    def __init__(self, source: random.Random, table: Counts, vendor: Counts, kind: str) -> None:
        self._source = source
        self._ids: Mapping[str, Mapping[str, int]] = vendor.get("ids", {})
        self._kind = kind
        self._table = table
        self._same: dict[str, str] = {}

    def value(self, shape: Shape, name: str = "", parent: str = "") -> Any:
        """Fill a shape, which is the property ``name`` of an object, which is the property ``parent`` of another."""
        if isinstance(shape, dict):
            filled = {key: self.value(item, key, name) for key, item in shape.items()}
            if isinstance(filled.get("total_tokens"), int):
                filled |= {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}
            return filled
        if isinstance(shape, list):
            return [self.value(item, name, parent) for item in shape]
        return self._leaf(shape, name, parent) if isinstance(shape, str) else shape

    def _leaf(self, shape: str, name: str, parent: str) -> Any:
        if shape == "s":
            return self._string(name, parent)
        if shape[:1] == "=":
            return int(shape[1:]) if name == "index" else shape[1:]
        if shape[:5] == "free ":
            return schema(int(shape[5:])) if name in ("parameters", "schema") else {}
        if shape == "i":
            return {"created": 1_760_000_000, "max_tokens": 4096, "max_completion_tokens": 4096}.get(name, 0)
        if shape == "d":
            return -0.25 if name == "logprob" else 0.5
        return {"n": None, "t": True, "f": False, "e": ""}[shape]

    def _string(self, name: str, parent: str) -> str:
        if name in ("id", "system_fingerprint", "tool_call_id"):
            key = f"{parent} {name}".strip()
            if parent == "tool_calls":
                return self._id(key)
            return self._same.setdefault(key, self._id(key))
        if name == "model":
            return self._same.setdefault(name, "example-chat")
        sizes = self._table["texts"].get(f"{self._kind} {name}")
        if name == "url" and sizes:
            start = "https://example.com/" if self._kind != "request" else "data:image/png;base64,"
            return start + "A" * (self._size(sizes) // 4 * 4)
        if sizes is None or name in ("name", "code", "format"):
            return self._source.choice(WORDS)
        if self._kind == "chunk":
            return " " + text(self._source, self._size(sizes))
        return text(self._source, self._size(sizes))

    def _size(self, sizes: Sequence[int]) -> int:
        return between(self._source, self._table["quantiles"], sizes)

    def _id(self, key: str) -> str:
        forms = self._ids.get(key) or {"call_ letters 24": 1}
        start, _, rest = self._source.choices(list(forms), list(forms.values()))[0].partition(" ")
        kind, _, size = rest.partition(" ")
        wanted = 32 if kind == "uuid" else int(size)
        made = "".join(self._source.choices(_ALPHABETS.get(kind, "0123456789abcdef"), k=wanted))
        return start + (re.sub(r"(.{8})(.{4})(.{4})(.{4})(.{12})", r"\1-\2-\3-\4-\5", made) if kind == "uuid" else made)
