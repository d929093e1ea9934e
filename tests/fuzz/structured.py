"""Exchanges made of parts of others: JSON values changed as such, and written in every format that is read.

Where bytes are changed at random, most of what comes out is no JSON, and is soon done with. Here subtrees of one
vendor's answers are grafted into another's, members get other names and values of other types, numbers go beyond every
range, and lists hold thousands of items.
"""

from __future__ import annotations

import copy
import json
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).parents[1] / "validator" / "captures"))

from writers import LOG_WRITERS, RESPONSE_WRITERS, WRITERS, Recorded

FIXTURES = Path(__file__).parents[2] / "fixtures"
FOLDERS = ("conforming", "completion", "request", "schema", "pair", "dialects", "catalogue", "stream", "wire", "fuzz")

_RAW = (
    "null", "true", "-0", "-0.0", "0.1e-400", "1e999", "-1e999", "9" * 400, "18446744073709551616", "1.0", "1e2", "NaN",
    "Infinity", '"\\ud800"', '"\\u0000"', '""', "{}", "[]", "[{}]", "[[]]", '{"":{}}', "[" * 300 + "]" * 300,
    '{"a":' * 300 + "1" + "}" * 300, '"' + "x" * 70000 + '"', '"sk-' + "A" * 40 + '"', '"\\u001b[31m"', '{"a":1,"a":2}',
    "nul", "'", "1,", '"open',
)  # fmt: skip
"""Values as texts: what Python's ``json`` would not write, too."""

_NAMES = (
    "",
    "0",
    "200",
    "00",
    "__proto__",
    "a/b~c",
    "\x1b[31m",
    "\ud800",
    "sk-" + "A" * 40,
    "x" * 5000,
    "*",
    "-",
    "$ref",
)
_MARK = "\ue000raw"
_MOST = (*[2] * 60, *[20] * 30, *[300] * 8, 2000, 10_000)
_LARGEST = 1 << 20


def values() -> list[Any]:
    """Return the JSON objects and arrays in all fixtures, and the chunks of their streams, in a stable order."""
    return [value for name in FOLDERS for path in sorted((FIXTURES / name).rglob("*")) for value in _in(path)]


def _in(path: Path) -> Iterator[Any]:
    if not path.is_file():
        return
    data = path.read_bytes()
    lines = [line.removeprefix(b"data:") for line in data.splitlines() if line.startswith((b"data:", b"{"))]
    for text in (data, *lines):
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict | list):
            yield value


def mutated(known: list[Any], rng: random.Random) -> Recorded:
    """Make an exchange from some of the values, each changed a few times, as a stream or as a plain answer."""
    request = _text(_changed(rng.choice(known), known, rng), rng) if rng.random() < 0.6 else None
    answer = _changed(rng.choice(known), known, rng)
    if rng.random() < 0.4:
        chunks = answer if isinstance(answer, list) else [answer, *(rng.choice(known) for _ in range(rng.randrange(4)))]
        events = "".join(f"data: {_text(chunk, rng)}\n\n" for chunk in chunks)
        return Recorded(request, events + "data: [DONE]\n\n" * rng.randrange(3), content_type="text/event-stream")
    return Recorded(request, _text(answer, rng), status=rng.choice((200, 200, 200, 400, 500, 0, 999)))


def written(exchange: Recorded, rng: random.Random) -> tuple[str, bytes]:
    """Return the name of a format, and the exchange in that format.

    If the format cannot hold the exchange, it is written as ``http``.
    """
    name = rng.choice([*WRITERS, *RESPONSE_WRITERS, *LOG_WRITERS])
    try:
        return name, (LOG_WRITERS | WRITERS | RESPONSE_WRITERS)[name]([exchange])
    except (ValueError, TypeError, RecursionError):  # bodies that are kept parsed, and are no JSON
        return "http", WRITERS["http"]([exchange])


def _changed(value: Any, known: list[Any], rng: random.Random) -> Any:
    value = copy.deepcopy(value)
    for _ in range(rng.choice((1, 1, 2, 3, 8))):
        places = [*_places(value)]
        if not places:
            return value
        holder, key = rng.choice(places)
        choice = rng.randrange(7)
        if choice <= 1:
            holder[key] = copy.deepcopy(_part(rng.choice(known), rng))
        elif choice == 2:
            holder[key] = _MARK + str(rng.randrange(len(_RAW)))
        elif choice == 3:
            del holder[key]
        elif choice == 4 and isinstance(holder, dict):
            holder[rng.choice(_NAMES)] = holder.pop(key)
        elif choice == 5 and isinstance(holder, list):
            holder[key:key] = [holder[key]] * _times(holder[key], rng)
        else:
            holder[key] = rng.choice(([holder[key]], {str(rng.randrange(300)): holder[key]}, str(holder[key])[:999]))
    return value


def _times(item: Any, rng: random.Random) -> int:
    return min(rng.choice(_MOST), _LARGEST // (len(json.dumps(item)) + 1))


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield each property and item inside a value, as the object or array that holds it and its key."""
    pending = [value]
    while pending:
        holder = pending.pop()
        items = holder.items() if isinstance(holder, dict) else enumerate(holder) if isinstance(holder, list) else ()
        for key, one in items:
            yield holder, key
            pending.append(one)


def _part(value: Any, rng: random.Random) -> Any:
    places = [*_places(value)]
    holder, key = rng.choice(places) if places else ([value], 0)
    return holder[key]


def _text(value: Any, rng: random.Random) -> str:
    text = json.dumps(value, ensure_ascii=rng.random() < 0.5, indent=rng.choice((None, None, 1)))
    parts = text.replace(json.dumps(_MARK)[1:-1], _MARK).split(f'"{_MARK}')
    whole = parts[0]
    for part in parts[1:]:
        number, _, rest = part.partition('"')
        whole += (_RAW[int(number)] if number.isdecimal() else "null") + rest
    return whole.encode("utf-8", "replace").decode()
