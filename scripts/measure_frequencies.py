"""Compare how often facts are shown according to the dialect files and according to recordings.

    python scripts/measure_frequencies.py [--recordings ../shared/corpus] [--opportunities 10] [--within 0.1]

Only facts that the recordings could have shown often enough are compared. Prints the facts whose frequency in the file
differs by more than the limit from that in the recordings. Also prints facts without a count that recordings could have
shown and never did. ``frequency_exceptions.json`` lists the known exceptions, with reasons. Ends with 1 if there are
others.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import orjson
from refresh_dialects import DIALECTS, FACTS, Recorded, could_show, explained, printed, recordings

from isogloss.validator.dialects.model import from_data

EXCEPTIONS = json.loads((Path(__file__).parent / "frequency_exceptions.json").read_text())


class Compared(NamedTuple):
    """A fact with the frequency in its file, if that has one, and the counts in the recordings."""

    slug: str
    list_: str
    fact: dict[str, Any]
    shown: int
    of: int

    @property
    def in_file(self) -> float:
        """The frequency that the file gives; 0 for a fact that was never counted."""
        shown, of = self.fact.get("seen", (0, 1))
        return float(shown / of)

    @property
    def name(self) -> str:
        """What the fact is about, in one line."""
        what = self.fact.get("rule") or "/".join(self.fact["in"])
        missing = " absent" if self.fact.get("absent") else ""
        return f"{self.slug}: {self.list_[:-1]} {what} {self.fact.get('at', '')}{missing}".rstrip()


def compared(slug: str, items: Sequence[Recorded]) -> Iterator[Compared]:
    """Compare every fact of a dialect file with recordings of its vendors."""
    data = orjson.loads((DIALECTS / f"{slug}.json").read_bytes())
    whole = from_data(data)
    shown = explained(whole, items)
    for name in FACTS:
        for number, fact in enumerate(data.get(name, ())):
            shown_in = shown[name, number] if name != "fingerprints" else printed(getattr(whole, name)[number], items)
            possible_in = shown_in | {item for item, recording in enumerate(items) if could_show(name, fact, recording)}
            yield Compared(slug, name, fact, len(shown_in), len(possible_in))


def reason(one: Compared) -> str | None:
    """Return why a fact is a known exception, if it is."""
    return next(
        (
            known["why"]
            for known in EXCEPTIONS
            if all(known[key] == {"dialect": one.slug, **one.fact}.get(key) for key in known if key != "why")
        ),
        None,
    )


def main() -> int:
    """Print the facts that differ, and count the others."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--recordings", type=Path, default=Path(__file__).parents[2] / "shared/corpus")
    parser.add_argument("--opportunities", type=int, default=10)
    parser.add_argument("--within", type=float, default=0.1)
    options = parser.parse_args()
    counts: Counter[str] = Counter()
    for slug, items in sorted(recordings(options.recordings).items()):
        if not (DIALECTS / f"{slug}.json").exists():
            continue
        for one in compared(slug, items):
            if one.of < options.opportunities:
                counts["seldom possible"] += 1
            elif abs(one.shown / one.of - one.in_file) <= options.within:
                counts["agree" if "seen" in one.fact else "never shown, and not counted"] += 1
            else:
                why = reason(one)
                counts["known exceptions" if why else "differ"] += 1
                file = "{}/{}".format(*one.fact["seen"]) if "seen" in one.fact else "not counted"
                print(f"{one.name}: {file} in the file, {one.shown}/{one.of} recorded; {why or 'unexpected'}")
    print(", ".join(f"{count} {what}" for what, count in counts.most_common()))
    return int(counts["differ"] > 0)


if __name__ == "__main__":
    sys.exit(main())
