"""Count the findings in a folder of recordings, by rule and by vendor.

    python scripts/corpus_counts.py [FOLDER] [--rule NAME]... [--vendor SLUG]... [--at-least warning] [--json]

The recordings are exchange records, one in each line, with the properties ``vendor``, ``provenance`` and ``fidelity``.
By default they are the records in ``../shared/corpus`` that are as they came over the wire. A count is the number of
exchanges with at least one finding of a rule. ``--places`` lists the findings instead, with file, line and pointer, so
that one can look at each.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import orjson
from recordings import CORPUS, arguments, exchanges_below

from isogloss.validator import engines, rules
from isogloss.validator.findings import SEVERITIES, Finding
from isogloss.validator.judging.judge import Judge


def main() -> int:
    """Print the counts. Returns 1 if there are no recordings."""
    parser = arguments(__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=CORPUS)
    parser.add_argument("--rule", action="append", metavar="NAME", choices=rules.names(), help="only this rule")
    parser.add_argument("--vendor", action="append", metavar="SLUG", help="only this vendor")
    parser.add_argument(
        "--at-least", choices=SEVERITIES, default="note", help="only findings of this severity or above"
    )
    parser.add_argument(
        "--everything", action="store_true", help="also recordings that are not as they came over the wire"
    )
    parser.add_argument("--json", action="store_true", help="JSON in place of a Markdown table")
    parser.add_argument("--places", action="store_true", help="the places in place of the counts")
    options = parser.parse_args()
    least = SEVERITIES[options.at_least]
    judge = Judge(engines.load(), active=options.rule)
    totals: Counter[str] = Counter()
    counts: Counter[tuple[str, str, str]] = Counter()
    for record, exchange in exchanges_below(options.folder, everything=options.everything):
        vendor = record["vendor"]
        if options.vendor and vendor not in options.vendor:
            continue
        totals[vendor] += 1
        findings = [finding for finding in judge.judge(exchange).findings if finding.severity >= least]
        if options.places:
            _print_places(vendor, findings)
        counts.update({(finding.rule, finding.severity.label, vendor) for finding in findings})
    if options.json:
        _print_json(counts, totals)
    elif not options.places:
        _print_table(counts, totals)
    return 0 if totals else 1


def _print_places(vendor: str, findings: list[Finding]) -> None:
    for finding in findings:
        source = finding.source
        event = "" if source.event is None else f" event {source.event}"
        place = f"{source.file}:{source.line}{event} {finding.pointer}"
        print(f"{vendor}\t{finding.severity.label}\t{finding.rule}\t{place}\t{finding.message}")


def _print_json(counts: Counter[tuple[str, str, str]], totals: Counter[str]) -> None:
    tree: dict[str, dict[str, dict[str, int]]] = {}
    for (rule, severity, vendor), count in counts.items():
        tree.setdefault(rule, {}).setdefault(severity, {})[vendor] = count
    document = {"exchanges": dict(totals), "found": tree}
    sys.stdout.buffer.write(orjson.dumps(document, option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS) + b"\n")


def _print_table(counts: Counter[tuple[str, str, str]], totals: Counter[str]) -> None:
    print("| rule | severity | vendor | exchanges | of |\n|---|---|---|---|---|")
    order = {name: number for number, name in enumerate(rules.names())}
    for (rule, severity, vendor), count in sorted(
        counts.items(), key=lambda item: (order[item[0][0]], item[0][1], -item[1], item[0][2])
    ):
        print(f"| {rule} | {severity} | {vendor} | {count} | {totals[vendor]} |")


if __name__ == "__main__":
    sys.exit(main())
