"""Compare what isogloss reads from captures with exchange records that other software made of the same recordings.

``python scripts/compare_captures.py [FOLDER]``, where FOLDER (by default ``../shared``) holds ``captures/`` with an
``INDEX.tsv`` (repository, licence, path, file), and ``corpus/*.jsonl`` of exchange records with ``source.repo`` and
``source.path``. For each file, prints what differs, and what is skipped and why. Then, for each repository, prints the
number of exchanges that isogloss reads, and the number that :mod:`independent_counts` counts. Ends with 1 if any file
differs.
"""

from __future__ import annotations

import csv
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import independent_counts
from recordings import CORPUS, arguments, files_in, records_in

from isogloss.validator.captures import Capture, read
from isogloss.validator.exchange import Body, Exchange, NotJson, Payload, Skipped, Stream

_PARTS = ("request", "response", "sse", "chunks", "response_text", "status", "content_type", "host", "path")
_OPTIONAL_PARTS = ("status", "content_type", "host", "path")  # records may have these although the recording does not


def main() -> int:
    """Compare all files. Returns 1 if any differs."""
    parser = arguments(__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=CORPUS.parent)
    folder = parser.parse_args().folder
    corpus = _corpus(folder / "corpus")
    counts: Counter[str] = Counter()
    read_by_repo, counted_by_repo = Counter[str](), Counter[str]()
    with (folder / "captures" / "INDEX.tsv").open(newline="") as index:
        for row in csv.DictReader(index, delimiter="\t", quoting=csv.QUOTE_NONE):
            path = folder / "captures" / row["repo"].replace("/", "+") / row["file"]
            with path.open("rb") as stream:
                items = list(read(Capture(stream, path.name)))
            exchanges = [item for item in items if isinstance(item, Exchange)]
            expected = corpus[row["repo"], row["path"]]
            differences = list(_differences(exchanges, expected))
            counted = independent_counts.count(path)
            if counted != len(exchanges):
                differences.append(f"{len(exchanges)} exchanges are read, and {counted} are counted")
            read_by_repo[row["repo"]] += len(exchanges)
            counted_by_repo[row["repo"]] += counted
            skipped = Counter(item.reason for item in items if isinstance(item, Skipped))
            counts["files"] += 1
            counts["exchanges"] += len(exchanges)
            counts["records"] += len(expected)
            counts["files that differ"] += bool(differences)
            counts["parts skipped"] += sum(skipped.values())
            if differences or skipped:
                print(f"{row['repo']} {row['file']}")
            for difference in differences:
                print(f"    differs: {difference}")
            for reason, count in skipped.items():
                print(f"    skipped: {count} × {reason}")
    for repo in read_by_repo:
        print(f"{repo}: {read_by_repo[repo]} exchanges read, {counted_by_repo[repo]} counted")
    print(", ".join(f"{count} {name}" for name, count in counts.items()))
    return int(counts["files that differ"] > 0)


def _corpus(folder: Path) -> dict[tuple[str, str], list[dict[str, Any]]]:
    records: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for file in files_in(folder):
        for record in records_in(file):
            records[record["source"]["repo"], record["source"]["path"]].append(record)
    for records_of_file in records.values():
        records_of_file.sort(key=lambda record: record["source"]["index"] or 0)
    return records


def _differences(exchanges: list[Exchange], records: list[dict[str, Any]]) -> Iterator[str]:
    """Yield how each record differs from the exchange most like it. An exchange without a record is no difference."""
    unmatched = [(exchange.number, _as_record(exchange)) for exchange in exchanges]
    for record in records:
        if not unmatched:
            yield f"record {record['source']['index']} is not found"
            continue
        number, ours = min(unmatched, key=lambda numbered: len(_differing_parts(numbered[1], record)))
        unmatched.remove((number, ours))
        for part in _differing_parts(ours, record):
            yield f"exchange {number}: {part}: {_excerpts(ours.get(part), record.get(part))}"


def _differing_parts(ours: dict[str, Any], record: dict[str, Any]) -> list[str]:
    return [
        part
        for part in _PARTS
        if ours.get(part) != _normalise(part, record.get(part))
        and not (ours.get(part) is None and part in _OPTIONAL_PARTS)
    ]


def _normalise(part: str, value: Any) -> Any:
    return value.partition(":")[0] if part == "host" and value else value  # exchanges have hosts without ports


def _excerpts(ours: object, theirs: object) -> str:
    ours, theirs = (text if isinstance(text, str) else json.dumps(text, sort_keys=True) for text in (ours, theirs))
    index = next(
        (index for index, (character, other) in enumerate(zip(ours, theirs, strict=False)) if character != other), 0
    )
    return f"{ours[max(0, index - 40) : index + 60]!r} ≠ {theirs[max(0, index - 40) : index + 60]!r}"


def _as_record(exchange: Exchange) -> dict[str, Any]:
    """Return the exchange in the form of a record."""
    record: dict[str, Any] = {"host": exchange.host, "path": exchange.path}
    if exchange.request is not None:
        record["request"] = exchange.request.value
    body = exchange.response
    if body is None:
        return record
    record |= {"status": exchange.http.status, "content_type": exchange.http.content_type}
    if isinstance(body, Payload):
        record["response"] = body.value
    elif isinstance(body, Stream) and body.framing is not None:
        record["sse"] = body.text.data.decode()
    elif isinstance(body, Stream):
        record["chunks"] = [value for value in body.values if value is not NotJson.DONE]
    elif isinstance(body, Body):
        record["response_text"] = body.text.data.decode(errors="replace")
    return record


if __name__ == "__main__":
    sys.exit(main())
