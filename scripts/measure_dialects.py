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

import sys
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path

from recorded_facts import FACTS, Recorded, read_recordings
from recordings import CORPUS, arguments

from isogloss import schemas
from isogloss.validator.dialects.explainers import AutoExplainer
from isogloss.validator.dialects.explanations import Explanations, observe
from isogloss.validator.dialects.infer import infer
from isogloss.validator.dialects.model import Dialect, dialect, dialects, from_data
from isogloss.validator.examining.examined import Examined, RuleHit
from isogloss.validator.examining.placing import payload_of_hit
from isogloss.validator.pointer import generic

PASS_THROUGH = {"openrouter", "huggingface", "github-copilot"}
COUNTED = ("answers", "named", "rightly", "nearest")
CONFIDENCES = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.99)


def hits_in_answer(examined: Examined) -> list[RuleHit]:
    """Return the findings in the answer, with each rule and path once. Requests say nothing about the vendor."""
    distinct: dict[tuple[str, str, str], RuleHit] = {}
    for rule_hit in examined.hits:
        kind, _ = payload_of_hit(examined.exchange, rule_hit.part, rule_hit.hit, examined.folded)
        if kind != "request":
            distinct.setdefault((rule_hit.rule, kind, generic(rule_hit.hit.pointer)), rule_hit)
    return list(distinct.values())


def attribution(recordings: dict[str, list[Recorded]]) -> None:
    """Print to which dialects answers are attributed, and how often each confidence is right."""
    explainer = AutoExplainer(dialects(), hosts=False)
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    wrong_names: dict[str, Counter[str]] = defaultdict(Counter)
    totals: Counter[float] = Counter()
    right: Counter[float] = Counter()
    for slug in sorted(recordings.keys() & set(schemas.dialects())):
        right_slugs = {slug, *dialect(slug).parents}
        for record, examined, _ in recordings[slug]:
            if record.get("status") not in (200, None) or examined.exchange.response is None:
                continue
            result = explainer.explain(examined).attribution
            assert result is not None
            is_right = result.nearest.slug in right_slugs
            counts[slug]["answers"] += 1
            counts[slug]["named"] += result.sure
            counts[slug]["rightly"] += result.sure and is_right
            counts[slug]["nearest"] += not result.sure and not right_slugs.isdisjoint(result.tied)
            if result.sure and not is_right:
                wrong_names[slug][result.speaks] += 1
            least = max(confidence for confidence in CONFIDENCES if confidence <= result.nearest.confidence)
            totals[least] += 1
            right[least] += is_right
    for title, slugs in (
        ("Vendors and servers", counts.keys() - PASS_THROUGH),
        ("Gateways that relay", counts.keys() & PASS_THROUGH),
    ):
        print(f"\n{title}\n\n| dialect | answers | named | rightly | else nearest or tied | wrongly named |")
        print("|---|---|---|---|---|---|")
        for slug in sorted(slugs, key=lambda slug: (-counts[slug]["answers"], slug)):
            wrong = ", ".join(f"{other} {count}" for other, count in wrong_names[slug].most_common())
            print(f"| {slug} | {' | '.join(str(counts[slug][name]) for name in COUNTED)} | {wrong} |")
        sums = [sum(counts[slug][name] for slug in slugs) for name in COUNTED]
        print(f"| all | {' | '.join(map(str, sums))} | |")
    print("\n| confidence | exchanges | right |\n|---|---|---|")
    for least, most in zip(CONFIDENCES, (*CONFIDENCES[1:], 1.0), strict=True):
        if totals[least]:
            print(f"| {least}-{most} | {totals[least]} | {right[least] / totals[least]:.3f} |")


def unexplained(recordings: dict[str, list[Recorded]]) -> None:
    """Print the deviations that the dialect of their vendor does not explain."""
    counts: Counter[tuple[str, str, str, str]] = Counter()
    total = 0
    for slug in sorted(recordings.keys() & set(schemas.dialects())):
        explanations = Explanations([dialect(slug)])
        for _, examined, _ in recordings[slug]:
            for rule_hit in hits_in_answer(examined):
                total += 1
                if not explanations.facts(observe(examined, rule_hit)):
                    kind, _ = payload_of_hit(examined.exchange, rule_hit.part, rule_hit.hit, examined.folded)
                    counts[slug, rule_hit.rule, kind, generic(rule_hit.hit.pointer)] += 1
    print(f"\n{counts.total()} of {total} deviations unexplained: {counts.total() / total:.4f}\n")
    print("| dialect | rule | place | exchanges |\n|---|---|---|---|")
    for (slug, rule, kind, path), count in counts.most_common():
        print(f"| {slug} | {rule} | {kind} {path} | {count} |")


def inference(recordings: dict[str, list[Recorded]]) -> None:
    """Print how much a dialect inferred from half of the recordings of a vendor explains in the other half."""
    print("\n| vendor | inferred from | measured on | deviations | explained |\n|---|---|---|---|---|")
    for slug in sorted(recordings, key=lambda slug: (-len(recordings[slug]), slug))[:6]:
        training, test = recordings[slug][::2], recordings[slug][1::2]
        drafted = Explanations([draft_dialect(slug, training)])
        hits = [(examined, hit) for _, examined, _ in test for hit in hits_in_answer(examined)]
        explained = sum(bool(drafted.facts(observe(examined, hit))) for examined, hit in hits)
        print(f"| {slug} | {len(training)} | {len(test)} | {len(hits)} | {explained / max(1, len(hits)):.4f} |")


def draft_dialect(slug: str, recordings: Sequence[Recorded]) -> Dialect:
    """Return the dialect that ``isogloss dialects infer`` drafts from recordings."""
    facts = infer(examined for _, examined, _ in recordings)
    source = {"captures": {"where": "recordings", "date": "2026", "confidence": "recorded"}}
    data = {name: [{**fact, "source": "captures"} for fact in getattr(facts, name)] for name in FACTS}
    return from_data({"slug": slug, "name": slug, "kind": "vendor", "summary": "Drafted.", "sources": source, **data})


TABLES = {"attribution": attribution, "unexplained": unexplained, "inference": inference}
"""The tables, with the functions that print them."""


def main() -> int:
    """Print the tables that the command line names, by default all."""
    parser = arguments(__doc__)
    parser.add_argument("tables", nargs="*", choices=[*TABLES, []], metavar="TABLE")
    parser.add_argument("--recordings", type=Path, default=CORPUS)
    options = parser.parse_args()
    recordings = read_recordings(options.recordings)
    for table in options.tables or TABLES:
        TABLES[table](recordings)
    return 0


if __name__ == "__main__":
    sys.exit(main())
