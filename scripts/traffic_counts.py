"""Count the shapes of payloads in recorded traffic, for ``tests/bench/mixture.py``, which generates traffic like it.

    python scripts/traffic_counts.py [FOLDER] [--output tests/bench/traffic.json]

FOLDER has exchange records, one in each line, with the properties ``vendor``, ``provenance`` and ``fidelity``; by
default it is ``../shared/corpus``. For each vendor, the table has the *shapes* of its payloads, how often each was
seen, and the lengths of its streams. A shape has the names of properties and the types of values. It keeps only those
values that are in short enumerations (``finish_reason`` and similar), and the form of ids. It has no text of a
recording.

All shapes are kept, for long and unusual payloads are rare, and take much of the time.
"""

from __future__ import annotations

import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import orjson
from recordings import CORPUS, ROOT, arguments, files_in, is_as_sent, records_in

from isogloss.schemas import dialect_files
from isogloss.validator import sse

MOST_RUNS = 12
"""Streams in which shapes alternate more often are left out."""
QUANTILES = (0.0, 0.1, 0.25, 0.5, 0.75, 0.85, 0.9, 0.95, 0.98, 1.0)
ENUMERATIONS = {
    "channel",
    "finish_reason",
    "native_finish_reason",
    "object",
    "reasoning_effort",
    "role",
    "service_tier",
    "tool_choice",
    "type",
}
IDS = {"id", "system_fingerprint", "tool_call_id"}
FREE = {"parameters", "schema", "metadata", "logit_bias"}
"""Objects in which the client chooses the names of properties."""
SEQUENCES = {"choices", "messages", "tool_calls", "tools"}
"""Arrays that keep all items. Other arrays keep one item of each shape."""
SHARED = 40
"""An object in shapes that has at least this many bytes, and occurs several times, is written once and gets a name."""

Shape = Any
"""Objects and arrays of shapes. Their leaves are texts: ``n``, ``t`` and ``f`` for null, true and false, ``i`` for an
integer, ``d`` for another number, ``e`` for an empty string, ``s`` for another string, ``=…`` for the value of an
enumeration, and ``free N`` for an object with N properties whose names the client chose."""


def _form_of_rest(text: str) -> str:
    if re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", text):
        return "uuid"
    for name, expression in (("digits", "[0-9]+"), ("hex", "[0-9a-f]+"), ("letters", "[0-9A-Za-z]+")):
        if len(text) <= 40 and re.fullmatch(expression, text):
            return f"{name} {len(text)}"
    return "letters 24"


def _string_shape(name: str, value: str) -> str:
    if not value:
        return "e"
    if name in ENUMERATIONS and re.fullmatch(r"[A-Za-z][\w.-]{0,31}", value):
        return f"={value}"
    return "s"


def id_form(value: str) -> str:
    """Return the form of an id: its prefix if that is a usual one, and the kind and number of characters after it."""
    prefix = re.match(r"(chatcmpl|chat|gen|call|resp|req|fp|msg|toolu|cmpl)[-_]", value)
    start = prefix.group() if prefix else ""
    return f"{start} {_form_of_rest(value[len(start) :])}"


def shape(value: object, name: str = "", parent: str = "") -> Shape:
    """Return the shape of the property ``name`` of an object that is itself the property ``parent`` of another."""
    if isinstance(value, dict):
        if name in FREE:
            return f"free {len(value.get('properties') or ())}"
        return {key: shape(item, key, name) for key, item in value.items()}
    if isinstance(value, list):
        items = [shape(item, name, parent) for item in value]
        return items if name in SEQUENCES else [item for index, item in enumerate(items) if item not in items[:index]]
    if isinstance(value, str):
        return _string_shape(name, value)
    if name == "index" and parent == "choices" and isinstance(value, int):
        return f"={value}"
    return {type(None): "n", bool: "t" if value else "f", int: "i", float: "d"}[type(value)]


def _chunks(record: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    yield from record.get("chunks") or ()
    for event in sse.parse((record.get("sse") or "").encode()).events:
        try:
            value = orjson.loads(event.data)
        except orjson.JSONDecodeError:
            continue
        if isinstance(value, dict):
            yield value


def _records(folder: Path) -> Iterator[dict[str, Any]]:
    for path in files_in(folder):
        yield from filter(is_as_sent, records_in(path))


def _quantiles(numbers: Iterable[int]) -> list[int]:
    ordered = sorted(numbers)
    return [ordered[round(share * (len(ordered) - 1))] for share in QUANTILES]


def _rows(counts: Counter[bytes]) -> list[list[Any]]:
    """Return the shapes, the most frequent first, each behind its count."""
    return [[count, orjson.loads(text)] for text, count in counts.most_common()]


def _as_bytes(value: Shape) -> bytes:
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)


class _Vendor:
    """The counts of one vendor."""

    def __init__(self) -> None:
        self.hosts: Counter[tuple[str, str]] = Counter()
        self.shapes: dict[str, Counter[bytes]] = defaultdict(Counter)
        self.ids: dict[str, Counter[str]] = defaultdict(Counter)
        self.lengths: list[int] = []
        self.comments = 0

    def add(self, record: Mapping[str, Any]) -> None:
        self.hosts[str(record.get("host")), str(record.get("path"))] += 1
        if isinstance(request := record.get("request"), dict):
            self._add_request(request)
        answer = record.get("response")
        if isinstance(answer, dict) and record["form"] in ("completion", "error"):
            row = shape(answer) if record["form"] == "completion" else [record["status"] or 400, shape(answer)]
            self.shapes[record["form"] + "s"][_as_bytes(row)] += 1
        _count_ids(answer, "", "", self.ids)
        if chunks := list(_chunks(record)):
            _count_ids(chunks[:1], "", "", self.ids)
            self._add_stream([shape(chunk) for chunk in chunks])
            self.comments += "\n:" in (record.get("sse") or "")

    def _add_request(self, request: Mapping[str, Any]) -> None:
        """Count options, messages and the order of roles separately: whole requests are nearly all different."""
        options = {name: value for name, value in request.items() if name not in ("messages", "tools")}
        tools = {"tools": len(request["tools"])} if isinstance(request.get("tools"), list) else {}
        self.shapes["requests"][_as_bytes(shape(options) | tools)] += 1
        messages = [message for message in request.get("messages") or () if isinstance(message, dict)]
        self.shapes["messages"].update(_as_bytes(shape(message)) for message in messages)
        self.shapes["conversations"][_as_bytes([str(message.get("role")) for message in messages])] += 1

    def _add_stream(self, shapes: Sequence[Shape]) -> None:
        self.lengths.append(len(shapes))
        runs: list[Shape] = []
        for chunk_shape in shapes:
            if not runs or chunk_shape != runs[-1]:
                runs.append(chunk_shape)
        if len(runs) <= MOST_RUNS:
            self.shapes["streams"][_as_bytes(runs)] += 1

    def table(self, known: Sequence[str]) -> dict[str, Any]:
        (host, path), _ = self.hosts.most_common(1)[0]
        known_host = next((pattern for pattern in known if fnmatchcase(host, pattern)), None)
        counts: dict[str, Any] = {
            "host": known_host and known_host.replace("*", "example"),
            "path": "/v1/chat/completions" if path == "None" or "/deployments/" in path else path,
        }
        for name in ("completions", "streams", "errors", "requests", "messages", "conversations"):
            if self.shapes[name]:
                counts[name] = {"counted": sum(self.shapes[name].values()), "shapes": _rows(self.shapes[name])}
        counts["ids"] = {name: dict(forms.most_common(3)) for name, forms in sorted(self.ids.items())}
        if self.lengths:
            counts["streams"] |= {"lengths": _quantiles(self.lengths), "with_comments": self.comments}
        return counts


def _count_ids(value: object, name: str, parent: str, counts: dict[str, Counter[str]]) -> None:
    """Count the forms of the ids in an answer, by the names of the id and of the object that has it."""
    if isinstance(value, dict):
        for key, item in value.items():
            _count_ids(item, key, name, counts)
    elif isinstance(value, list):
        for item in value:
            _count_ids(item, name, parent, counts)
    elif isinstance(value, str) and name in IDS and value:
        counts[f"{parent} {name}".strip()][id_form(value)] += 1


def _add_text_lengths(value: object, kind: str, name: str, lengths: dict[str, list[int]]) -> None:
    """Add the lengths of the texts in a payload."""
    if isinstance(value, dict):
        for key, item in value.items():
            if key not in FREE:
                _add_text_lengths(item, kind, key, lengths)
    elif isinstance(value, list):
        for item in value:
            _add_text_lengths(item, kind, name, lengths)
    elif isinstance(value, str) and name not in ENUMERATIONS | IDS and value:
        lengths[f"{kind} {name}"].append(len(value))


def count_traffic(folder: Path) -> dict[str, Any]:
    """Return the table for a folder of recordings."""
    vendors: dict[str, _Vendor] = defaultdict(_Vendor)
    texts: dict[str, list[int]] = defaultdict(list)
    for record in _records(folder):
        vendors[record["vendor"]].add(record)
        for kind in ("request", "response"):
            _add_text_lengths(record.get(kind), kind, "", texts)
        for chunk in _chunks(record):
            _add_text_lengths(chunk, "chunk", "", texts)
    known = sorted({host for slug in dialect_files.dialects() for host in dialect_files.dialect(slug)["hosts"]})
    long_texts = {
        name: found for name, numbers in texts.items() if (found := _quantiles(numbers))[5] > 16 and len(numbers) > 50
    }
    return {
        "quantiles": QUANTILES,
        "texts": dict(sorted(long_texts.items())),
        "vendors": {name: vendors[name].table(known) for name in sorted(vendors)},
    }


def _objects(value: Shape) -> Iterator[bytes]:
    if isinstance(value, dict):
        yield _as_bytes(value)
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _objects(item)


def _with_names(value: Shape, names: Mapping[bytes, str], *, is_definition: bool = False) -> Shape:
    """Return the shape with names in place of the objects that have names."""
    if isinstance(value, dict):
        if not is_definition and (name := names.get(_as_bytes(value))):
            return name
        return {key: _with_names(item, names) for key, item in value.items()}
    return [_with_names(item, names) for item in value] if isinstance(value, list) else value


def extract_shared_objects(vendors: Mapping[str, Any]) -> tuple[dict[str, Shape], dict[str, Any]]:
    """Return the objects that several shapes share, by name, and the table with these names in their place."""
    counts = Counter(_objects(vendors))
    repeated = [text for text, times in counts.items() if times > 1 and len(text) >= SHARED]
    names = {text: f"#{number}" for number, text in enumerate(sorted(repeated, key=lambda text: (len(text), text)))}
    parts = {name: _with_names(orjson.loads(text), names, is_definition=True) for text, name in names.items()}
    return parts, _with_names(vendors, names)


def _indented_json(value: Any, depth: int, indent: str = "\n") -> str:
    """Return JSON with one line for each property or item, down to a depth."""
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    if not depth or not any(isinstance(item, dict | list) for item in items):
        return orjson.dumps(value).decode()
    inner = indent + " "
    if isinstance(value, dict):
        rows = [
            f"{orjson.dumps(key).decode()}: {_indented_json(item, depth - 1, inner)}" for key, item in value.items()
        ]
        return "{" + inner + ("," + inner).join(rows) + indent + "}"
    return "[" + inner + ("," + inner).join(_indented_json(item, depth - 1, inner) for item in value) + indent + "]"


def main() -> int:
    """Write the table. Returns 1 if there are no recordings."""
    parser = arguments(__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=CORPUS)
    parser.add_argument("--output", type=Path, default=ROOT / "tests" / "bench" / "traffic.json")
    options = parser.parse_args()
    table = count_traffic(options.folder)
    parts, table["vendors"] = extract_shared_objects(table["vendors"])
    table = {"parts": parts, **table}
    depths = {"parts": 1, "texts": 1, "vendors": 4}
    rows = [
        f"{orjson.dumps(name).decode()}: {_indented_json(value, depths.get(name, 0))}" for name, value in table.items()
    ]
    options.output.write_text("{\n" + ",\n".join(rows) + "\n}\n", encoding="utf-8")
    return 0 if table["vendors"] else 1


if __name__ == "__main__":
    sys.exit(main())
