"""Update the recorded facts in the dialect files from recordings, with counts.

    python scripts/refresh_dialects.py [--recordings ../shared/corpus] [--check] [SLUG...]
    python scripts/refresh_dialects.py --new FOLDER [--verbose] [SLUG]

With ``--new``, nothing is changed. The folder holds new recordings, which are captures of any format. The script prints
what each of them contradicts, confirms and adds; see ``new_recordings.py``.

Otherwise the recordings are exchange records with ``vendor``, ``provenance``, ``fidelity`` and ``source`` properties.
The script compares the findings in the recordings of each dialect's vendors with the dialect file. If a fact explains
findings, its ``seen`` and ``projects`` are updated, and nothing else in it. If it explains none, these are removed,
unless its source is other recordings. For findings that no fact explains, facts are added with the source ``recorded``.
Facts with this source are removed if the recordings no longer show them. A fact that was generalised by hand is kept as
long as it explains a finding, and no fact is added at its place.

For requests, which clients write, and for the reference, which is edited by hand, facts are counted but never added.
``refresh_ignored.json`` lists other facts that are not added, with reasons. Values that a recorder overwrote are
ignored. Findings that stay unexplained are printed.
"""

from __future__ import annotations

import datetime
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import new_recordings
import orjson
from recorded_facts import (
    DIALECTS,
    FACTS,
    Recorded,
    count_facts,
    read_recordings,
    should_add,
    unexplained,
)
from recordings import CORPUS, arguments

from isogloss import schemas
from isogloss.validator.dialects.explanations import Explanations, observe
from isogloss.validator.dialects.infer import infer
from isogloss.validator.dialects.model import Dialect, from_data
from isogloss.validator.pointer import generic
from isogloss.validator.rules import group_of

PROPERTIES = tuple(schemas.dialect_schema()["properties"])


def refresh(data: dict[str, Any], recordings: Sequence[Recorded]) -> dict[str, Any]:
    """Return the content of a dialect file with counted and new facts. The recordings are those of its vendors."""
    data = dict(data)
    recorded_source = make_source(recordings)
    data["sources"] = {**data["sources"], "recorded": recorded_source}
    whole_dialect = from_data(data)
    drafted = infer(unexplained(whole_dialect, recordings))
    for name in FACTS:
        added = [fact for fact in getattr(drafted, name) if should_add(whole_dialect, name, fact, recordings)]
        data[name] = [*data.get(name, ()), *({**fact, "source": "recorded"} for fact in added)]
    facts: dict[str, list[dict[str, Any]]] = {name: [] for name in FACTS}
    for name, fact, shown_in, possible_in in count_facts(data, recordings):
        if not shown_in and is_of_other_recordings(fact, data["sources"]):
            facts[name].append(fact)
            continue
        updated = {key: value for key, value in fact.items() if key not in ("seen", "projects")}
        if shown_in:
            last_keys = [key for key in ("source", "note") if key in updated]
            updated = (
                {key: updated[key] for key in updated if key not in last_keys}
                | {"seen": [len(shown_in), len(possible_in)]}
                | projects_that_differ(shown_in, possible_in, recordings)
                | {key: updated[key] for key in last_keys}
            )
        if shown_in or fact["source"] != "recorded":
            facts[name].append(updated)
    data |= facts
    used = {fact["source"] for name in (*FACTS, "restrictions") for fact in data.get(name, ())}
    data["sources"] = {key: value for key, value in data["sources"].items() if key != "recorded" or key in used}
    return {name: data[name] for name in PROPERTIES if data.get(name)}


def is_of_other_recordings(fact: dict[str, Any], sources: dict[str, Any]) -> bool:
    """Return whether the source of a fact, and so its count, are recordings that these need not hold."""
    return bool(fact["source"] != "recorded" and sources[fact["source"]]["confidence"] == "recorded")


def projects_that_differ(
    shown_in: set[int], possible_in: set[int], recordings: Sequence[Recorded]
) -> dict[str, list[int]]:
    """Return the count of the projects that show a fact in at least half of their exchanges that could show it.

    Return no count if all or none of the projects do. The recordings are given by their indexes.
    """
    shares: dict[str, list[bool]] = defaultdict(list)
    for index in possible_in:
        shares[recordings[index].record["source"]["repo"]].append(index in shown_in)
    showing = sum(2 * sum(shows) >= len(shows) for shows in shares.values())
    return {"projects": [showing, len(shares)]} if 0 < showing < len(shares) else {}


def make_source(recordings: Iterable[Recorded]) -> dict[str, str]:
    """Return the source for facts that the recordings show; its date is that of the newest answer."""
    repositories: Counter[str] = Counter()
    newest = 0
    for recording in recordings:
        repositories[f"{recording.record['source']['repo']}@{recording.record['source']['commit'][:7]}"] += 1
        for _, payload in recording.payloads:
            created = payload.get("created") if isinstance(payload, dict) else None
            if isinstance(created, int | float) and 1.6e9 < created < 1.8e9:
                newest = max(newest, int(created))
    where = ", ".join(
        f"{name} ({count})"
        for name, count in sorted(
            repositories.items(), key=lambda name_and_count: (-name_and_count[1], name_and_count[0])
        )
    )
    date = datetime.datetime.fromtimestamp(newest, datetime.UTC).strftime("%Y-%m") if newest else "2026-08"
    return {"where": f"exchanges recorded by {where}", "date": date, "confidence": "recorded"}


def report(slug: str, dialect: Dialect, recordings: Sequence[Recorded]) -> str:
    """Return a text with the findings that the dialect does not explain, and the number of exchanges for each."""
    explanations = Explanations([dialect])
    unexplained_counts: Counter[str] = Counter()
    total: Counter[str] = Counter()
    requests: Counter[str] = Counter()
    for recording in recordings:
        found: dict[str, bool] = {}
        for hit in recording.examined.hits:
            description = f"{hit.rule} {hit.part} {generic(hit.hit.pointer)}"
            is_unexplained = not explanations.facts(observe(recording.examined, hit))
            found[description] = found.get(description, False) or is_unexplained
        for description, is_unexplained in found.items():
            if " request " in description or group_of(description.split()[0]) == "request":
                requests[description] += is_unexplained
            else:
                total[description] += 1
                unexplained_counts[description] += is_unexplained
    of_requests = f"beside {sum(requests.values())} of requests"
    lines = [
        f"{slug}: {sum(unexplained_counts.values())} of {sum(total.values())} deviations unexplained, {of_requests}"
    ]
    lines += [f"    {count:4} {description}" for description, count in unexplained_counts.most_common() if count]
    return "\n".join(lines)


def compare(folder: Path, slug: str | None, *, verbose: bool) -> int:
    """Print what new recordings contradict, confirm and add. Returns 1 if there are no recordings."""
    recordings = new_recordings.read(folder, slug)
    for line in new_recordings.report_lines(recordings, verbose=verbose):
        print(line)
    return int(not recordings)


def main() -> int:
    """Update the dialect files that the command line names, or all."""
    parser = arguments(__doc__)
    parser.add_argument("slugs", nargs="*", metavar="SLUG")
    parser.add_argument("--recordings", type=Path, default=CORPUS)
    parser.add_argument("--check", action="store_true", help="change nothing; end with 1 when a file would change")
    parser.add_argument("--new", type=Path, metavar="FOLDER", help="only compare the recordings in this folder")
    parser.add_argument("--verbose", action="store_true", help="with --new, also list what each recording confirms")
    options = parser.parse_args()
    if unknown := set(options.slugs).difference(schemas.dialects()):
        parser.error(f"no dialect is called {', '.join(sorted(unknown))}")
    if options.new is not None:
        if len(options.slugs) > 1 or not options.new.exists():
            parser.error("--new takes a folder, and at most one dialect")
        return compare(options.new, options.slugs[0] if options.slugs else None, verbose=options.verbose)
    stale = []
    for slug, recordings in sorted(read_recordings(options.recordings).items()):
        path = DIALECTS / f"{slug}.json"
        if not path.exists() or (options.slugs and slug not in options.slugs):
            continue
        old = path.read_bytes()
        data = refresh(orjson.loads(old), recordings)
        new = json.dumps(data, indent=2, ensure_ascii=False).encode() + b"\n"
        if new != old:
            stale.append(slug)
            if not options.check:
                path.write_bytes(new)
        print(report(slug, from_data(data), recordings))
    print("refreshed:" if not options.check else "stale:", ", ".join(stale) or "none")
    return int(options.check and bool(stale))


if __name__ == "__main__":
    sys.exit(main())
