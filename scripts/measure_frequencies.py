"""Compare how often facts are shown according to the dialect files and according to recordings.

    python scripts/measure_frequencies.py [--recordings ../shared/corpus] [--opportunities 10] [--within 0.1]

Only facts that the recordings could have shown often enough are compared. Prints the facts whose frequency in the file
differs by more than the limit from that in the recordings. Also prints facts without a count that recordings could have
shown and never did. ``frequency_exceptions.json`` lists the known exceptions, with reasons. Ends with 1 if there are
others.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path

import orjson
from recorded_facts import DIALECTS, CountedFact, count_facts, read_recordings
from recordings import CORPUS, arguments

EXCEPTIONS = json.loads((Path(__file__).parent / "frequency_exceptions.json").read_text())


def frequency_in_file(fact: CountedFact) -> float:
    """Return the frequency in the file, or 0 if the fact was never counted."""
    shown, possible = fact.data.get("seen", (0, 1))
    return float(shown / possible)


def name_of(slug: str, fact: CountedFact) -> str:
    """Return the dialect and the subject of a fact, in one line."""
    subject = fact.data.get("rule") or "/".join(fact.data["in"])
    missing = " absent" if fact.data.get("absent") else ""
    return f"{slug}: {fact.list_name[:-1]} {subject} {fact.data.get('at', '')}{missing}".rstrip()


def reason_for(slug: str, fact: CountedFact) -> str | None:
    """Return why a fact is a known exception, if it is."""
    described = {"dialect": slug, **fact.data}
    return next(
        (
            exception["why"]
            for exception in EXCEPTIONS
            if all(exception[key] == described.get(key) for key in exception if key != "why")
        ),
        None,
    )


def main() -> int:
    """Print the facts that differ, and count the others."""
    parser = arguments(__doc__)
    parser.add_argument("--recordings", type=Path, default=CORPUS)
    parser.add_argument("--opportunities", type=int, default=10)
    parser.add_argument("--within", type=float, default=0.1)
    options = parser.parse_args()
    counts: Counter[str] = Counter()
    for slug, recordings in sorted(read_recordings(options.recordings).items()):
        path = DIALECTS / f"{slug}.json"
        if not path.exists():
            continue
        for fact in count_facts(orjson.loads(path.read_bytes()), recordings):
            shown, possible = len(fact.shown_in), len(fact.possible_in)
            if possible < options.opportunities:
                counts["seldom possible"] += 1
            elif abs(shown / possible - frequency_in_file(fact)) <= options.within:
                counts["agree" if "seen" in fact.data else "never shown, and not counted"] += 1
            else:
                why = reason_for(slug, fact)
                counts["known exceptions" if why else "differ"] += 1
                in_file = "{}/{}".format(*fact.data["seen"]) if "seen" in fact.data else "not counted"
                print(
                    f"{name_of(slug, fact)}: {in_file} in the file, {shown}/{possible} recorded; {why or 'unexpected'}"
                )
    print(", ".join(f"{count} {result}" for result, count in counts.most_common()))
    return int(counts["differ"] > 0)


if __name__ == "__main__":
    sys.exit(main())
