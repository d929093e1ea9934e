"""Measure attribution, explanation and inference on recordings, without looking at hosts, vendors or file names.

    python scripts/measure_dialects.py [--recordings ../shared/corpus] [attribution|unexplained|inference ...]

``attribution``   for answers with status 200: the dialect named first against the vendor's, as a confusion table. A tie
                  counts as right when the true dialect is among at most three. Gateways that hand on what others answer
                  are counted apart. Then how often each confidence is right.
``unexplained``   the share of deviations of answers that their vendor's dialect does not explain, and which they are.
``inference``     a dialect inferred from every other recording of a vendor, held against the rest: how many deviations
                  of answers it explains, for the six vendors with most recordings.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path

from refresh_dialects import Recorded, recordings

from isogloss import schemas
from isogloss.validator.dialects.attribution import Whichever
from isogloss.validator.dialects.explanations import explanation
from isogloss.validator.dialects.infer import infer
from isogloss.validator.dialects.model import Dialect, dialect, dialects, from_data
from isogloss.validator.examining.examiner import Examined, Found
from isogloss.validator.examining.placing import subject
from isogloss.validator.pointer import generic

PASS_THROUGH = {"openrouter", "huggingface", "github-copilot"}
TABLES = ("attribution", "unexplained", "inference")


def of_the_answer(examined: Examined) -> list[Found]:
    """What was found in the answer, each rule and place once an exchange; requests are their clients' doing."""
    distinct: dict[tuple[str, str, str], Found] = {}
    for found in examined.found:
        kind, _ = subject(examined.exchange, found.part, found.hit, examined.folded)
        if kind != "request":
            distinct.setdefault((found.rule, kind, generic(found.hit.pointer)), found)
    return list(distinct.values())


def attribution(recorded: dict[str, list[Recorded]]) -> None:
    """Print the confusion table and the calibration."""
    whichever = Whichever(dialects(), hosts=False)
    named: dict[str, Counter[str]] = defaultdict(Counter)
    confident: Counter[int] = Counter()
    right: Counter[int] = Counter()
    for slug in sorted(recorded.keys() & set(schemas.dialects())):
        for record, examined, _ in recorded[slug]:
            if record.get("status") not in (200, None) or examined.exchange.response is None:
                continue
            found = whichever.explain(examined).attribution
            assert found is not None
            correct = found.first.slug == slug or (slug in found.tied and len(found.tied) <= 3)
            named[slug][slug if correct else found.first.slug] += 1
            tenth = min(int(found.first.confidence * 10), 9)
            confident[tenth] += 1
            right[tenth] += found.first.slug == slug
    for title, slugs in (
        ("Vendors and servers", named.keys() - PASS_THROUGH),
        ("Gateways that hand on", named.keys() & PASS_THROUGH),
    ):
        print(f"\n{title}\n\n| dialect | right | of | share | taken for |\n|---|---|---|---|---|")
        for slug in sorted(slugs, key=lambda slug: -named[slug].total()):
            wrong = ", ".join(f"{other} {count}" for other, count in named[slug].most_common() if other != slug)
            print(
                f"| {slug} | {named[slug][slug]} | {named[slug].total()} "
                f"| {named[slug][slug] / named[slug].total():.3f} | {wrong} |"
            )
        hits, of = sum(named[slug][slug] for slug in slugs), sum(named[slug].total() for slug in slugs)
        print(f"| all | {hits} | {of} | {hits / of:.4f} | |")
    print("\n| confidence | exchanges | right |\n|---|---|---|")
    for tenth in sorted(confident):
        print(
            f"| {tenth / 10:.1f}-{tenth / 10 + 0.1:.1f} | {confident[tenth]} | {right[tenth] / confident[tenth]:.3f} |"
        )


def unexplained(recorded: dict[str, list[Recorded]]) -> None:
    """Print the deviations that their vendor's dialect does not explain."""
    left: Counter[tuple[str, str, str, str]] = Counter()
    total = 0
    for slug in sorted(recorded.keys() & set(schemas.dialects())):
        for _, examined, _ in recorded[slug]:
            for found in of_the_answer(examined):
                total += 1
                if explanation(dialect(slug), examined, found) is None:
                    kind, _ = subject(examined.exchange, found.part, found.hit, examined.folded)
                    left[slug, found.rule, kind, generic(found.hit.pointer)] += 1
    print(f"\n{left.total()} of {total} deviations unexplained: {left.total() / total:.4f}\n")
    print("| dialect | rule | place | exchanges |\n|---|---|---|---|")
    for (slug, rule, kind, path), count in left.most_common():
        print(f"| {slug} | {rule} | {kind} {path} | {count} |")


def inference(recorded: dict[str, list[Recorded]]) -> None:
    """Print how well half of the recordings of a vendor explain the other half."""
    print("\n| vendor | learnt from | held against | deviations | explained |\n|---|---|---|---|---|")
    for slug in sorted(recorded, key=lambda slug: -len(recorded[slug]))[:6]:
        learnt, held = recorded[slug][::2], recorded[slug][1::2]
        found = [(examined, one) for _, examined, _ in held for one in of_the_answer(examined)]
        explained = sum(explanation(drafted(slug, learnt), examined, one) is not None for examined, one in found)
        print(f"| {slug} | {len(learnt)} | {len(held)} | {len(found)} | {explained / max(1, len(found)):.4f} |")


_DRAFTS: dict[str, Dialect] = {}


def drafted(slug: str, learnt: Sequence[Recorded]) -> Dialect:
    """The dialect inferred from recordings, as `isogloss dialects infer` drafts it."""
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
    """Print the tables asked for, by default all."""
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
