"""Bring the recorded facts of the dialect files up to what the recordings show, with counts.

    python scripts/refresh_dialects.py [--recordings ../shared/corpus] [--check] [SLUG...]

The recordings are exchange records with ``vendor``, ``provenance``, ``fidelity`` and ``source`` members. For each dialect, the facts inferred from its
vendors' recordings are merged into its file: a fact that the file has keeps its source and words and gets the new ``seen``; a
new one is added with the source ``recorded``; a recorded one that the recordings no longer show is taken out. Everything else in the file is left alone.
"""

from __future__ import annotations

import argparse
import datetime
import json
import sys
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import orjson

from isogloss.validator import captures, engines
from isogloss.validator.examine import Examined, Examiner
from isogloss.validator.exchange import Exchange
from isogloss.validator.infer import infer

DIALECTS = Path(__file__).parent.parent / "schemas/isogloss/schemas/dialects"
VENDORS = {  # the vendors of the recordings whose dialect has another name
    "anthropic-compat": "anthropic",
    "azure": "azure-openai",
    "bedrock-openai": "bedrock",
    "gemini-openai": "gemini",
    "llamacpp": "llama-cpp",
    "moonshot": "moonshot",
    "ollama-cloud": "ollama",
}
WIRE = {"wire", "parsed", "wire-redacted", "chunks"}


def recordings(folder: Path) -> dict[str, list[tuple[dict[str, Any], Examined]]]:
    """Every examined exchange of wire truth, by the slug of its dialect, with its record."""
    examiner = Examiner(engines.load())
    found: dict[str, list[tuple[dict[str, Any], Examined]]] = defaultdict(list)
    for path in sorted(folder.glob("*.jsonl")):
        records = [json.loads(line) for line in path.read_text().splitlines()]
        with path.open("rb") as stream:
            for exchange in captures.read(captures.Capture(stream, path.name)):
                record = records[exchange.number or 0]
                true = record["provenance"] != "handwritten" and record["fidelity"] in WIRE
                if isinstance(exchange, Exchange) and true:
                    slug = VENDORS.get(record["vendor"], record["vendor"])
                    found[slug].append((record, examiner.examine(exchange)))
    return found


def source(records: Iterable[dict[str, Any]]) -> dict[str, str]:
    """Where the recordings come from, as a source of facts; the date is that of the newest answer."""
    repositories: dict[str, int] = defaultdict(int)
    newest = 0
    for record in records:
        repositories[f"{record['source']['repo']}@{record['source']['commit'][:7]}"] += 1
        created = (record.get("response") or {}).get("created") if isinstance(record.get("response"), dict) else None
        if isinstance(created, int | float) and 1.6e9 < created < 1.8e9:
            newest = max(newest, int(created))
    where = ", ".join(f"{name} ({count})" for name, count in sorted(repositories.items(), key=lambda one: -one[1]))
    date = datetime.datetime.fromtimestamp(newest, datetime.UTC).strftime("%Y-%m") if newest else "2026-08"
    return {"where": f"exchanges recorded by {where}", "date": date, "confidence": "recorded"}


def merged(known: list[dict[str, Any]], inferred: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The facts of a file and those of the recordings: one for each place, kind and sort."""
    result = [dict(fact) for fact in known]
    for fact in inferred:
        same = [one for one in result if _same(one, fact)]
        if same:
            same[0]["seen"] = fact["seen"]
            if same[0]["source"] == "recorded" and "schema" in fact:
                same[0]["schema"] = fact["schema"]
        else:
            result.append({**fact, "source": "recorded"})
    return [fact for fact in result if fact["source"] != "recorded" or any(_same(fact, one) for one in inferred)]


def _same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    if one.get("rule") != other.get("rule") or one.get("at") != other.get("at") or ("absent" in one) != ("absent" in other):
        return False
    if "pattern" in other.get("schema", {}) and "rule" not in other and other["at"] in ("id", "system_fingerprint"):
        return bool(set(one.get("in", ())) & set(other.get("in", ()))) and one.get("schema") == other.get("schema")
    return set(other.get("in", ())) <= set(one.get("in", ()))


def main() -> int:
    """Refresh the files named, or all of them."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("slugs", nargs="*", metavar="SLUG")
    parser.add_argument("--recordings", type=Path, default=Path(__file__).parents[2] / "shared/corpus")
    parser.add_argument("--check", action="store_true", help="change nothing; end with 1 when a file would change")
    options = parser.parse_args()
    stale = []
    for slug, items in sorted(recordings(options.recordings).items()):
        path = DIALECTS / f"{slug}.json"
        if not path.exists() or (options.slugs and slug not in options.slugs):
            continue
        before = path.read_bytes()
        dialect = orjson.loads(before)
        facts = infer(examined for _, examined in items)
        dialect["sources"]["recorded"] = source(record for record, _ in items)
        for name in ("fingerprints", "deviations", "behaviours"):
            dialect[name] = merged(dialect.get(name, []), getattr(facts, name))
        after = orjson.dumps(dialect, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
        if after != before:
            stale.append(slug)
            if not options.check:
                path.write_bytes(after)
    print("refreshed:" if not options.check else "stale:", ", ".join(stale) or "none")
    return int(options.check and bool(stale))


if __name__ == "__main__":
    sys.exit(main())
