"""Test that recorded answers of OpenAI, and requests that it answered with 200, have notes at most.

The recordings are not part of the repository. If they are not kept beside it, the test is skipped.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

CORPUS = Path(__file__).parents[3] / "shared" / "corpus"
ODDITIES: list[dict[str, str]] = json.loads((Path(__file__).parent / "openai_oddities.json").read_text("utf-8"))
WIRE = ("wire", "parsed", "wire-redacted", "chunks")

pytestmark = pytest.mark.skipif(
    not (CORPUS / "openai.jsonl").exists(), reason="recorded traffic is not kept beside the repository"
)


def records() -> Iterator[dict[str, Any]]:
    for name in ("openai.jsonl", "big.jsonl"):
        for line in (CORPUS / name).read_bytes().splitlines():
            record = json.loads(line)
            is_genuine = record["provenance"] != "handwritten" and record["fidelity"] in WIRE
            if is_genuine and record["vendor"] == "openai":
                yield record


def payloads(record: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    if record["form"] in ("completion", "error"):
        yield record["form"], record["response"]
    if record.get("request") and record["status"] == 200:
        yield "request", record["request"]
    if record.get("chunks"):
        yield from (("chunk", chunk) for chunk in record["chunks"])
        return
    for line in (record.get("sse") or "").splitlines():
        data = line.removeprefix("data:").strip()
        if line.startswith("data:") and data not in ("", "[DONE]"):
            yield "chunk", json.loads(data)


def test_genuine_traffic_has_notes_at_most_except_for_the_listed_oddities(
    faults: Callable[[str, str, Any], list[Any]],
) -> None:
    expected = {(oddity["source"], oddity["kind"], oddity["keyword"], oddity["pointer"]) for oddity in ODDITIES}
    found: set[tuple[str, str, str, str]] = set()
    counts = {"completion": 0, "chunk": 0, "request": 0, "error": 0}
    for record in records():
        source = f"{record['source']['repo']} {record['source']['path']}"
        for kind, payload in payloads(record):
            counts[kind] += 1
            for fault in faults("jsonschema_rs", kind, payload):
                if fault.severity != "note":
                    found.add((source, kind, fault.keyword, fault.pointer))
    assert found == expected
    assert all(counts.values()), counts
