"""Generate values for shapes: made-up texts and ids, as long as those in recordings."""

from __future__ import annotations

import bisect
import json
import random
import re
from collections.abc import Mapping, Sequence
from typing import Any

__all__ = [
    "WORDS",
    "Counts",
    "Filler",
    "Shape",
    "draw_number",
    "draw_value",
    "make_instance",
    "make_schema",
    "make_text",
]

Shape = Any
"""Objects and arrays of shapes, whose leaves are the texts that ``scripts/traffic_counts.py`` describes."""
Counts = Mapping[str, Any]
WORDS = ("the", "answer", "is", "a", "line", "on", "map", "where", "one", "way", "to", "say", "it", "ends", "and", "so")
_ALPHABETS = {"digits": "0123456789", "letters": "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"}


def make_text(rng: random.Random, size: int) -> str:
    """Return random words that have about ``size`` characters together."""
    words: list[str] = []
    while size > 0:
        words.append(rng.choice(WORDS))
        size -= len(words[-1]) + 1
    return " ".join(words)


def draw_number(rng: random.Random, quantiles: Sequence[float], numbers: Sequence[int]) -> int:
    """Draw a number from a distribution that is given by its quantiles."""
    share = rng.random()
    upper = max(1, bisect.bisect_left(quantiles, share))
    low, high = max(1, numbers[upper - 1]), max(1, numbers[upper])
    return round(low * (high / low) ** ((share - quantiles[upper - 1]) / (quantiles[upper] - quantiles[upper - 1])))


def draw_value(rng: random.Random, rows: Sequence[Sequence[Any]]) -> Any:
    """Draw the value of a row. Each row has a count and a value, and is drawn as often as its count says."""
    return rng.choices([row[1] for row in rows], [row[0] for row in rows])[0]


def make_schema(count: int) -> dict[str, Any]:
    """Return a schema for objects with ``count`` properties, which strict mode accepts."""
    names = [f"{WORDS[number % len(WORDS)]}_{number}" for number in range(count)]
    properties = {name: {"type": "string", "description": f"What {name} is"} for name in names}
    return {"type": "object", "properties": properties, "required": names, "additionalProperties": False}


def make_instance(rng: random.Random, schema: Mapping[str, Any], size: int) -> str:
    """Return JSON that matches a schema of ``make_schema``. If it has properties, it has about ``size`` characters."""
    names = schema.get("properties") or ()
    return json.dumps({name: make_text(rng, size // len(names) + 3) for name in names})


class Filler:
    """Fills shapes with values. Within one answer, ids and model are the same everywhere."""

    def __init__(self, rng: random.Random, table: Counts, vendor: Counts, kind: str) -> None:
        self._rng = rng
        self._ids: Mapping[str, Mapping[str, int]] = vendor.get("ids", {})
        self._kind = kind
        self._table = table
        self._repeated: dict[str, str] = {}

    def value(self, shape: Shape, name: str = "", parent: str = "") -> Any:
        """Return a value for a shape, which is the property ``name`` of the object in the property ``parent``."""
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
            return make_schema(int(shape[5:])) if name in ("parameters", "schema") else {}
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
            return self._repeated.setdefault(key, self._id(key))
        if name == "model":
            return self._repeated.setdefault(name, "example-chat")
        sizes = self._table["texts"].get(f"{self._kind} {name}")
        if name == "url" and sizes:
            start = "https://example.com/" if self._kind != "request" else "data:image/png;base64,"
            return start + "A" * (self._size(sizes) // 4 * 4)
        if sizes is None or name in ("name", "code", "format"):
            return self._rng.choice(WORDS)
        if self._kind == "chunk":
            return " " + make_text(self._rng, self._size(sizes))
        return make_text(self._rng, self._size(sizes))

    def _size(self, sizes: Sequence[int]) -> int:
        return draw_number(self._rng, self._table["quantiles"], sizes)

    def _id(self, key: str) -> str:
        forms = self._ids.get(key) or {"call_ letters 24": 1}
        start, _, rest = self._rng.choices(list(forms), list(forms.values()))[0].partition(" ")
        kind, _, size = rest.partition(" ")
        length = 32 if kind == "uuid" else int(size)
        characters = "".join(self._rng.choices(_ALPHABETS.get(kind, "0123456789abcdef"), k=length))
        return start + (
            re.sub(r"(.{8})(.{4})(.{4})(.{4})(.{12})", r"\1-\2-\3-\4-\5", characters) if kind == "uuid" else characters
        )
