"""Compare the findings in recordings with statistics that other software made of them, path by path.

    python scripts/compare_statistics.py [FOLDER] [--all]

FOLDER (by default ``../shared/corpus``) holds exchange records and a ``README.md`` with lists such as
``- fields not in OpenAI, completion: `usage.cost` n=15; …`` under a heading for each vendor. Prints the paths whose
count of exchanges differs, or with ``--all`` every path.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from itertools import chain
from pathlib import Path

from recordings import CORPUS, arguments, exchanges_in, files_in

from isogloss.validator import engines
from isogloss.validator.judging.judge import Judge

SORTS = {"fields not in OpenAI": "extra", "absent required": "absent", "enum": "enum", "type": "type"}
ABSENT = re.compile(r"missing-property|property-absent|index-missing|type-missing")


def read_statistics(readme: str) -> dict[tuple[str, str, str, str], int]:
    """Return the counts in the statistics, by vendor, sort, kind and path."""
    counts: dict[tuple[str, str, str, str], int] = {}
    vendor = ""
    for line in readme.splitlines():
        if heading := re.match(r"\*\*([\w.-]+)\*\* \(", line):
            vendor = heading[1]
        if entry := re.match(r"- (fields not in OpenAI|absent required|enum|type), (completion|chunk): (.*)", line):
            for path, count in re.findall(r"`([^`]+)` n=(\d+)", entry[3]):
                counts[vendor, SORTS[entry[1]], entry[2], path] = int(count)
    return counts


def count_findings(folder: Path) -> Counter[tuple[str, str, str, str]]:
    """Return how many exchanges have a finding of a sort at a path, by vendor, sort, kind and path."""
    judge = Judge(engines.load())
    counts: Counter[tuple[str, str, str, str]] = Counter()
    for record, exchange in chain.from_iterable(map(exchanges_in, files_in(folder))):
        seen = set()
        for finding in judge.judge(exchange).findings:
            sort = "absent" if ABSENT.search(finding.rule) else "present"
            seen.add((record["vendor"], sort, finding.kind, finding.path))
        counts.update(seen)
    return counts


def main() -> int:
    """Print the comparison."""
    parser = arguments(__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=CORPUS)
    parser.add_argument("--all", action="store_true", help="also the paths whose counts are equal")
    options = parser.parse_args()
    found_counts = count_findings(options.folder)
    missing = equal = 0
    stated_counts = read_statistics((options.folder / "README.md").read_text())
    print("| vendor | sort | kind | path | stated | found |\n|---|---|---|---|---|---|")
    for (vendor, sort, kind, path), count in stated_counts.items():
        found_count = found_counts[vendor, "absent" if sort == "absent" else "present", kind, path]
        missing += not found_count
        equal += found_count == count
        if options.all or found_count != count:
            print(f"| {vendor} | {sort} | {kind} | `{path}` | {count} | {found_count} |")
    print(
        f"\n{len(stated_counts)} paths: {equal} with equal counts, "
        f"{len(stated_counts) - equal - missing} with others, {missing} not found"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
