"""Generate traffic of many vendors that is as varied as recorded traffic.

Vendors, shapes of payloads, lengths of streams and of texts are drawn from the counts in ``traffic.json``, which
``scripts/traffic_counts.py`` makes from recordings. Names, texts and ids are made up. The parts of an exchange fit
together: tool calls name tools of the request, arguments and structured answers match its schemas, and tokens match
their text. Most findings in an exchange therefore come from the deviations of its vendor.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from mixture_fitting import calls, choices, fit
from mixture_requests import request_for, tools_of
from mixture_values import Counts, Filler, Shape, draw_number, draw_value


@cache
def _table() -> dict[str, Any]:
    """Return the counts. The names of shared parts of shapes are replaced by these parts."""
    counts: dict[str, Any] = json.loads(Path(__file__).with_name("traffic.json").read_bytes())
    parts: dict[str, Shape] = {}

    def expand(shape: Shape) -> Shape:
        if isinstance(shape, str) and shape.startswith("#"):
            if shape not in parts:
                parts[shape] = expand(counts["parts"][shape])
            return parts[shape]
        if isinstance(shape, dict):
            return {name: expand(item) for name, item in shape.items()}
        return [expand(item) for item in shape] if isinstance(shape, list) else shape

    return {**counts, "vendors": expand(counts["vendors"])}


def _is_piece(chunk: Shape) -> bool:
    """Return whether a chunk has a piece of text or of arguments. Long streams have many such chunks."""
    for choice, delta in choices(chunk):
        pieces = [call["function"] for call in calls(delta)]
        has_text = any(delta.get(name) == "s" for name in ("content", "reasoning", "reasoning_content"))
        if choice.get("finish_reason", "n") == "n" and (has_text or any("name" not in piece for piece in pieces)):
            return True
    return False


def _repeat_pieces(rng: random.Random, runs: Sequence[Shape], length: int) -> Iterator[Shape]:
    """Yield the chunks of a stream of this length. Chunks with a piece of text are repeated to reach the length."""
    pieces = [number for number, run in enumerate(runs) if _is_piece(run)]
    times = [1] * len(runs)
    weights = [rng.random() for _ in pieces]
    for number, weight in zip(pieces, weights, strict=True):
        times[number] += round(max(0, length - len(runs)) * weight / sum(weights))
    for run, count in zip(runs, times, strict=True):
        yield from [run] * count


def _answer_counts(vendor: Counts) -> dict[str, int]:
    """Return how many answers of each form were counted."""
    return {form: vendor[form]["counted"] for form in ("completions", "streams", "errors") if form in vendor}


def exchange(rng: random.Random, name: str, longest: int | None = None) -> dict[str, Any]:
    """Generate an exchange record of a vendor. If it is a stream, it has about ``longest`` chunks at most."""
    vendor: Counts = _table()["vendors"][name]
    forms = _answer_counts(vendor)
    form = rng.choices(list(forms), list(forms.values()))[0]
    shape = draw_value(rng, vendor[form]["shapes"])
    record: dict[str, Any] = {"vendor": name, "host": vendor["host"], "path": vendor["path"], "status": 200}
    if form == "streams":
        length = draw_number(rng, _table()["quantiles"], vendor["streams"]["lengths"])
        runs = list(_repeat_pieces(rng, shape, min(length, longest or length)))
        filler = Filler(rng, _table(), vendor, "chunk")
        parts = [filler.value(run) for run in runs]
    else:
        record["status"], shape = shape if form == "errors" else (200, shape)
        parts = [Filler(rng, _table(), vendor, "response").value(shape)]
    if "requests" in vendor:
        record["request"] = request_for(parts, rng, _table(), vendor, stream=form == "streams")
    if form != "errors":
        request = record.get("request") or {"tools": tools_of(rng, 1)}
        fit(rng, request, parts)
    if form == "streams":
        has_comment = rng.random() * vendor[form]["counted"] < vendor[form]["with_comments"]
        comment = ": PROCESSING\n\n" if has_comment else ""
        events = "".join(f"data: {json.dumps(part, separators=(',', ':'))}\n\n" for part in parts)
        return record | {"sse": f"{comment}{events}data: [DONE]\n\n", "content_type": "text/event-stream"}
    return record | {"response": parts[0], "content_type": "application/json"}


def exchanges(seed: int, count: int, longest: int | None = None) -> Iterator[dict[str, Any]]:
    """Generate ``count`` exchange records. Each vendor occurs about as often as in the recordings."""
    rng = random.Random(seed)
    vendors = _table()["vendors"]
    weights = {name: sum(_answer_counts(vendor).values()) for name, vendor in vendors.items()}
    for name in rng.choices(list(weights), list(weights.values()), k=count):
        yield exchange(rng, name, longest)


def write(folder: Path, count: int) -> None:
    """Write ``count`` exchange records to a folder, with a file of JSON Lines for each vendor."""
    folder.mkdir(parents=True)
    by_vendor: dict[str, list[str]] = {}
    for record in exchanges(count, count):
        by_vendor.setdefault(record["vendor"], []).append(json.dumps(record, separators=(",", ":")) + "\n")
    for name, lines in by_vendor.items():
        (folder / f"{name}.jsonl").write_text("".join(lines), encoding="utf-8")
