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
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import orjson
from recorded_facts import (
    DIALECTS,
    FACTS,
    Recorded,
    exchanges_by_fact,
    exchanges_that_could_show,
    read_recordings,
)
from recordings import CORPUS, arguments

from isogloss.validator.dialects.model import from_data

EXCEPTIONS = json.loads((Path(__file__).parent / "frequency_exceptions.json").read_text())


class ComparedFact(NamedTuple):
    """A fact with the frequency in its file, if that has one, and the counts in the recordings."""

    slug: str
    list_name: str
    data: dict[str, Any]
    shown: int
    possible: int

    @property
    def frequency_in_file(self) -> float:
        """The frequency in the file, or 0 if the fact was never counted."""
        shown, possible = self.data.get("seen", (0, 1))
        return float(shown / possible)

    @property
    def name(self) -> str:
        """The dialect and the subject of the fact, in one line."""
        subject = self.data.get("rule") or "/".join(self.data["in"])
        missing = " absent" if self.data.get("absent") else ""
        return f"{self.slug}: {self.list_name[:-1]} {subject} {self.data.get('at', '')}{missing}".rstrip()


def compare_facts(slug: str, recordings: Sequence[Recorded]) -> Iterator[ComparedFact]:
    """Compare every fact of a dialect file with recordings of its vendors."""
    data = orjson.loads((DIALECTS / f"{slug}.json").read_bytes())
    shown = exchanges_by_fact(from_data(data), recordings)
    for name in FACTS:
        for index, fact in enumerate(data.get(name, ())):
            shown_in = shown[name, index]
            possible_in = exchanges_that_could_show(name, fact, recordings) | shown_in
            yield ComparedFact(slug, name, fact, len(shown_in), len(possible_in))


def reason_for(fact: ComparedFact) -> str | None:
    """Return why a fact is a known exception, if it is."""
    return next(
        (
            exception["why"]
            for exception in EXCEPTIONS
            if all(exception[key] == {"dialect": fact.slug, **fact.data}.get(key) for key in exception if key != "why")
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
    for slug, vendor_recordings in sorted(read_recordings(options.recordings).items()):
        if not (DIALECTS / f"{slug}.json").exists():
            continue
        for fact in compare_facts(slug, vendor_recordings):
            if fact.possible < options.opportunities:
                counts["seldom possible"] += 1
            elif abs(fact.shown / fact.possible - fact.frequency_in_file) <= options.within:
                counts["agree" if "seen" in fact.data else "never shown, and not counted"] += 1
            else:
                why = reason_for(fact)
                counts["known exceptions" if why else "differ"] += 1
                in_file = "{}/{}".format(*fact.data["seen"]) if "seen" in fact.data else "not counted"
                print(
                    f"{fact.name}: {in_file} in the file, {fact.shown}/{fact.possible} recorded; {why or 'unexpected'}"
                )
    print(", ".join(f"{count} {result}" for result, count in counts.most_common()))
    return int(counts["differ"] > 0)


if __name__ == "__main__":
    sys.exit(main())
