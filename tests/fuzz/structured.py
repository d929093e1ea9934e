"""Make exchanges of parts of others: JSON values are changed, and then written in a format that isogloss reads.

If bytes are changed at random, most of the results are not JSON, and little of isogloss reads them. Here the values are
changed instead. Parts of the answers of one vendor are put into those of another. Properties get other names, and
values of other types. Numbers exceed every range, and arrays have thousands of items.
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

_RAW_VALUES = (
    "null", "true", "-0", "-0.0", "0.1e-400", "1e999", "-1e999", "9" * 400, "18446744073709551616", "1.0", "1e2", "NaN",
    "Infinity", '"\\ud800"', '"\\u0000"', '""', "{}", "[]", "[{}]", "[[]]", '{"":{}}', "[" * 300 + "]" * 300,
    '{"a":' * 300 + "1" + "}" * 300, '"' + "x" * 70000 + '"', '"sk-' + "A" * 40 + '"', '"\\u001b[31m"', '{"a":1,"a":2}',
    "nul", "'", "1,", '"open',
)  # fmt: skip
"""Values as JSON text, among them some that Python's ``json`` would not write."""

_ODD_NAMES = (
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
_MARKER = "\ue000raw"
_REPETITIONS = (*[2] * 60, *[20] * 30, *[300] * 8, 2000, 10_000)
_LARGEST_ARRAY = 1 << 20


def read_values() -> list[Any]:
    """Return the JSON objects and arrays in all fixtures, and the chunks of their streams, always in the same order."""
    return [value for name in FOLDERS for path in sorted((FIXTURES / name).rglob("*")) for value in _values_in(path)]


def _values_in(path: Path) -> Iterator[Any]:
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


def make_exchange(values: list[Any], rng: random.Random) -> Recorded:
    """Make an exchange from some of the values, each changed a few times, as a stream or as a plain answer."""
    request = _json_text(_change(rng.choice(values), values, rng), rng) if rng.random() < 0.6 else None
    answer = _change(rng.choice(values), values, rng)
    if rng.random() < 0.4:
        chunks = (
            answer if isinstance(answer, list) else [answer, *(rng.choice(values) for _ in range(rng.randrange(4)))]
        )
        events = "".join(f"data: {_json_text(chunk, rng)}\n\n" for chunk in chunks)
        return Recorded(request, events + "data: [DONE]\n\n" * rng.randrange(3), content_type="text/event-stream")
    return Recorded(request, _json_text(answer, rng), status=rng.choice((200, 200, 200, 400, 500, 0, 999)))


def write_exchange(exchange: Recorded, rng: random.Random) -> tuple[str, bytes]:
    """Return the name of a format, and the exchange in that format.

    If the format cannot hold the exchange, it is written as ``http``.
    """
    name = rng.choice([*WRITERS, *RESPONSE_WRITERS, *LOG_WRITERS])
    try:
        return name, (LOG_WRITERS | WRITERS | RESPONSE_WRITERS)[name]([exchange])
    except (ValueError, TypeError, RecursionError):  # the format keeps parsed bodies, and this body is not JSON
        return "http", WRITERS["http"]([exchange])


def _change(value: Any, values: list[Any], rng: random.Random) -> Any:
    value = copy.deepcopy(value)
    for _ in range(rng.choice((1, 1, 2, 3, 8))):
        positions = [*_positions(value)]
        if not positions:
            return value
        holder, key = rng.choice(positions)
        choice = rng.randrange(7)
        if choice <= 1:
            holder[key] = copy.deepcopy(_random_part(rng.choice(values), rng))
        elif choice == 2:
            holder[key] = _MARKER + str(rng.randrange(len(_RAW_VALUES)))
        elif choice == 3:
            del holder[key]
        elif choice == 4 and isinstance(holder, dict):
            holder[rng.choice(_ODD_NAMES)] = holder.pop(key)
        elif choice == 5 and isinstance(holder, list):
            holder[key:key] = [copy.deepcopy(holder[key]) for _ in range(_repetitions(holder[key], rng))]
        else:
            holder[key] = rng.choice(([holder[key]], {str(rng.randrange(300)): holder[key]}, str(holder[key])[:999]))
    return value


def _repetitions(item: Any, rng: random.Random) -> int:
    """Return how often to repeat an item: not so often that the text of the array is very long."""
    return min(rng.choice(_REPETITIONS), _LARGEST_ARRAY // (len(_json_text(item, random.Random(0))) + 1))


def _positions(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield each property and item inside a value, as its object or array and its name or index there."""
    pending = [value]
    while pending:
        holder = pending.pop()
        children = holder.items() if isinstance(holder, dict) else enumerate(holder) if isinstance(holder, list) else ()
        for key, child in children:
            yield holder, key
            pending.append(child)


def _random_part(value: Any, rng: random.Random) -> Any:
    positions = [*_positions(value)]
    holder, key = rng.choice(positions) if positions else ([value], 0)
    return holder[key]


def _json_text(value: Any, rng: random.Random) -> str:
    text = json.dumps(value, ensure_ascii=rng.random() < 0.5, indent=rng.choice((None, None, 1)))
    parts = text.replace(json.dumps(_MARKER)[1:-1], _MARKER).split(f'"{_MARKER}')
    spelt = parts[0]
    for part in parts[1:]:
        number, _, rest = part.partition('"')
        spelt += (_RAW_VALUES[int(number)] if number.isdecimal() else "null") + rest
    return spelt.encode("utf-8", "replace").decode()
