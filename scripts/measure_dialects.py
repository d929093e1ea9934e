"""Measure attribution, explanation and inference on recordings, without looking at hosts, vendors or file names.

    python scripts/measure_dialects.py [--recordings ../shared/corpus] [attribution|unexplained|inference ...]

``attribution``   Counts answers with status 200: for how many a dialect is named, and how many of these names are
                  right. For the other answers, counts how often the true dialect is the nearest, or tied with it. The
                  dialect of the vendor is right, and so is a parent of it. Gateways that relay the answers of others
                  are counted separately. Then counts how often the attribution is right at each confidence.
``unexplained``   Measures the share of deviations in answers that the dialect of their vendor does not explain, and
                  lists them.
``inference``     Infers a dialect from every second recording of a vendor, and counts how many deviations in the other
                  recordings it explains, for the six vendors with most recordings.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path

from refresh_dialects import Recorded, recordings

from isogloss import schemas
from isogloss.validator.dialects.explanations import explanation
from isogloss.validator.dialects.infer import infer
from isogloss.validator.dialects.model import Dialect, dialect, dialects, from_data
from isogloss.validator.dialects.speakers import AutoSpeaker
from isogloss.validator.examining.examined import Examined, RuleHit
from isogloss.validator.examining.placing import payload_of_hit
from isogloss.validator.pointer import generic

PASS_THROUGH = {"openrouter", "huggingface", "github-copilot"}
COUNTED = ("answers", "named", "rightly", "nearest")
CONFIDENCES = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.99)
TABLES = ("attribution", "unexplained", "inference")


def of_the_answer(examined: Examined) -> list[RuleHit]:
    """Return the findings in the answer, each rule and place once; requests say nothing about the vendor."""
    distinct: dict[tuple[str, str, str], RuleHit] = {}
    for found in examined.hits:
        kind, _ = payload_of_hit(examined.exchange, found.part, found.hit, examined.folded)
        if kind != "request":
            distinct.setdefault((found.rule, kind, generic(found.hit.pointer)), found)
    return list(distinct.values())


def attribution(recorded: dict[str, list[Recorded]]) -> None:
    """Print to which dialects answers are attributed, and how often each confidence is right."""
    speaker = AutoSpeaker(dialects(), hosts=False)
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    others: dict[str, Counter[str]] = defaultdict(Counter)
    confident: Counter[float] = Counter()
    right: Counter[float] = Counter()
    for slug in sorted(recorded.keys() & set(schemas.dialects())):
        true = {slug, *dialect(slug).parents}
        for record, examined, _ in recorded[slug]:
            if record.get("status") not in (200, None) or examined.exchange.response is None:
                continue
            found = speaker.explain(examined).attribution
            assert found is not None
            correct = found.nearest.slug in true
            counts[slug]["answers"] += 1
            counts[slug]["named"] += found.sure
            counts[slug]["rightly"] += found.sure and correct
            counts[slug]["nearest"] += not found.sure and not true.isdisjoint(found.tied)
            if found.sure and not correct:
                others[slug][found.speaks] += 1
            least = max(one for one in CONFIDENCES if one <= found.nearest.confidence)
            confident[least] += 1
            right[least] += correct
    for title, slugs in (
        ("Vendors and servers", counts.keys() - PASS_THROUGH),
        ("Gateways that hand on", counts.keys() & PASS_THROUGH),
    ):
        print(f"\n{title}\n\n| dialect | answers | named | rightly | else nearest or tied | wrongly named |")
        print("|---|---|---|---|---|---|")
        for slug in sorted(slugs, key=lambda slug: -counts[slug]["answers"]):
            wrong = ", ".join(f"{other} {count}" for other, count in others[slug].most_common())
            print(f"| {slug} | {' | '.join(str(counts[slug][name]) for name in COUNTED)} | {wrong} |")
        whole = [sum(counts[slug][name] for slug in slugs) for name in COUNTED]
        print(f"| all | {' | '.join(map(str, whole))} | |")
    print("\n| confidence | exchanges | right |\n|---|---|---|")
    for least, most in zip(CONFIDENCES, (*CONFIDENCES[1:], 1.0), strict=True):
        if confident[least]:
            print(f"| {least}-{most} | {confident[least]} | {right[least] / confident[least]:.3f} |")


def unexplained(recorded: dict[str, list[Recorded]]) -> None:
    """Print the deviations that the dialect of their vendor does not explain."""
    left: Counter[tuple[str, str, str, str]] = Counter()
    total = 0
    for slug in sorted(recorded.keys() & set(schemas.dialects())):
        for _, examined, _ in recorded[slug]:
            for found in of_the_answer(examined):
                total += 1
                if explanation(dialect(slug), examined, found) is None:
                    kind, _ = payload_of_hit(examined.exchange, found.part, found.hit, examined.folded)
                    left[slug, found.rule, kind, generic(found.hit.pointer)] += 1
    print(f"\n{left.total()} of {total} deviations unexplained: {left.total() / total:.4f}\n")
    print("| dialect | rule | place | exchanges |\n|---|---|---|---|")
    for (slug, rule, kind, path), count in left.most_common():
        print(f"| {slug} | {rule} | {kind} {path} | {count} |")


def inference(recorded: dict[str, list[Recorded]]) -> None:
    """Print how much a dialect inferred from half of the recordings of a vendor explains in the other half."""
    print("\n| vendor | inferred from | measured on | deviations | explained |\n|---|---|---|---|---|")
    for slug in sorted(recorded, key=lambda slug: -len(recorded[slug]))[:6]:
        training, test = recorded[slug][::2], recorded[slug][1::2]
        found = [(examined, finding) for _, examined, _ in test for finding in of_the_answer(examined)]
        explained = sum(
            explanation(drafted(slug, training), examined, finding) is not None for examined, finding in found
        )
        print(f"| {slug} | {len(training)} | {len(test)} | {len(found)} | {explained / max(1, len(found)):.4f} |")


_DRAFTS: dict[str, Dialect] = {}


def drafted(slug: str, learnt: Sequence[Recorded]) -> Dialect:
    """Return the dialect that `isogloss dialects infer` drafts from recordings."""
    if slug not in _DRAFTS:
        facts = infer(examined for _, examined, _ in learnt)
        source = {"captures": {"where": "recordings", "date": "2026", "confidence": "recorded"}}
        data = {
            name: [{**fact, "source": "captures"} for fact in getattr(facts, name)]
            for name in ("fingerprints", "deviations", "behaviours")
        }
        _DRAFTS[slug] = from_data(
            {"slug": slug, "name": slug, "kind": "vendor", "summary": "Drafted.", "sources": source, **data}
        )
    return _DRAFTS[slug]


def main() -> int:
    """Print the tables that the command line names, by default all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tables", nargs="*", choices=[*TABLES, []], metavar="TABLE")
    parser.add_argument("--recordings", type=Path, default=Path(__file__).parents[2] / "shared/corpus")
    options = parser.parse_args()
    recorded = recordings(options.recordings)
    for table in options.tables or TABLES:
        globals()[table](recorded)
    return 0


if __name__ == "__main__":
    sys.exit(main())
