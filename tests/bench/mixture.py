"""Generate traffic of many vendors, as various as recorded traffic.

Vendors, shapes of payloads, lengths of streams and of texts are drawn from the counts in ``traffic.json``, which
``scripts/traffic_counts.py`` makes from recordings. Names, texts and ids are made up. The parts of an exchange fit
together: tool calls name tools of the request, arguments and structured answers match its schemas, and tokens match
their text. So most findings in an exchange come from what its vendor does.
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
from mixture_values import Counts, Filler, Shape, between, pick


@cache
def _table() -> dict[str, Any]:
    """Return the counts, with the shared parts of shapes in place of their names."""
    read: dict[str, Any] = json.loads(Path(__file__).with_name("traffic.json").read_bytes())
    parts: dict[str, Shape] = {}

    def whole(shape: Shape) -> Shape:
        if isinstance(shape, str) and shape.startswith("#"):
            if shape not in parts:
                parts[shape] = whole(read["parts"][shape])
            return parts[shape]
        if isinstance(shape, dict):
            return {name: whole(item) for name, item in shape.items()}
        return [whole(item) for item in shape] if isinstance(shape, list) else shape

    return {**read, "vendors": whole(read["vendors"])}


def _is_body(chunk: Shape) -> bool:
    """Return whether a chunk has a piece of text, so that a stream has more of these the longer it is."""
    for choice, delta in choices(chunk):
        pieces = [call["function"] for call in calls(delta)]
        grows = any(delta.get(name) == "s" for name in ("content", "reasoning", "reasoning_content"))
        if choice.get("finish_reason", "n") == "n" and (grows or any("name" not in piece for piece in pieces)):
            return True
    return False


def _repeated(source: random.Random, runs: Sequence[Shape], length: int) -> Iterator[Shape]:
    """Yield the chunks of a stream of this length: those with pieces of text are repeated."""
    bodies = [number for number, run in enumerate(runs) if _is_body(run)]
    times = [1] * len(runs)
    weights = [source.random() for _ in bodies]
    for number, weight in zip(bodies, weights, strict=True):
        times[number] += round(max(0, length - len(runs)) * weight / sum(weights))
    for run, often in zip(runs, times, strict=True):
        yield from [run] * often


def _answers(vendor: Counts) -> dict[str, int]:
    """Return how many answers of each form were counted."""
    return {form: vendor[form]["counted"] for form in ("completions", "streams", "errors") if form in vendor}


def exchange(source: random.Random, name: str, longest: int | None = None) -> dict[str, Any]:
    """Generate an exchange record of a vendor; a stream has about ``longest`` chunks at most."""
    vendor: Counts = _table()["vendors"][name]
    forms = _answers(vendor)
    form = source.choices(list(forms), list(forms.values()))[0]
    shape = pick(source, vendor[form]["shapes"])
    record: dict[str, Any] = {"vendor": name, "host": vendor["host"], "path": vendor["path"], "status": 200}
    if form == "streams":
        length = between(source, _table()["quantiles"], vendor["streams"]["lengths"])
        runs = list(_repeated(source, shape, min(length, longest or length)))
        filler = Filler(source, _table(), vendor, "chunk")
        parts = [filler.value(run) for run in runs]
    else:
        record["status"], shape = shape if form == "errors" else (200, shape)
        parts = [Filler(source, _table(), vendor, "response").value(shape)]
    if "requests" in vendor:
        record["request"] = request_for(parts, source, _table(), vendor, stream=form == "streams")
    if form != "errors":
        request = record.get("request") or {"tools": tools_of(source, 1)}
        fit(source, request, parts)
    if form == "streams":
        comments = source.random() * vendor[form]["counted"] < vendor[form]["with_comments"]
        comment = ": PROCESSING\n\n" if comments else ""
        events = "".join(f"data: {json.dumps(part, separators=(',', ':'))}\n\n" for part in parts)
        return record | {"sse": f"{comment}{events}data: [DONE]\n\n", "content_type": "text/event-stream"}
    return record | {"response": parts[0], "content_type": "application/json"}


def exchanges(seed: int, count: int, longest: int | None = None) -> Iterator[dict[str, Any]]:
    """Generate so many exchange records; each vendor occurs as often as in the recordings."""
    source = random.Random(seed)
    vendors = _table()["vendors"]
    weights = {name: sum(_answers(vendor).values()) for name, vendor in vendors.items()}
    for name in source.choices(list(weights), list(weights.values()), k=count):
        yield exchange(source, name, longest)


def write(folder: Path, count: int) -> None:
    """Write so many exchanges to a folder, those of each vendor to a file of JSON Lines."""
    folder.mkdir(parents=True)
    by_vendor: dict[str, list[str]] = {}
    for record in exchanges(count, count):
        by_vendor.setdefault(record["vendor"], []).append(json.dumps(record, separators=(",", ":")) + "\n")
    for name, lines in by_vendor.items():
        (folder / f"{name}.jsonl").write_text("".join(lines), encoding="utf-8")
