"""Measure the cost of checking, and print a Markdown table of the cores that some amounts of traffic a day need.

    python tests/bench/cost.py [--count 4000] [--utilisation 0.6] [--only TRAFFIC]

For each kind of traffic, a process of its own passes the rows through ``findings`` in batches of 2,000, after some
other rows to warm up. Only the time of ``findings`` is measured, not the time that an engine takes to read and to move
rows.
"""

from __future__ import annotations

import argparse
import datetime
import json
import math
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import mixture
import tables

RECORDED = Path(__file__).resolve().parents[3] / "shared" / "corpus"
"""Exchange records of real traffic, where they lie beside the checkout."""
BATCH = 2000
WARM_UP_ROWS = 100
MILLIONS = (1, 100, 10_000)
"""The millions of exchanges a day for which the table has columns."""
DIALECTS = ("openai", "auto")
HEADER = (
    "traffic", "dialect", "KiB an exchange", "CPU seconds a million", "memory of a worker, MiB",
    *(f"cores for {millions:,} million a day" for millions in MILLIONS),
)  # fmt: skip


class Cost(NamedTuple):
    """Seconds of processor time for each million exchanges, and the peak memory of the process in MiB."""

    seconds: float
    memory: float


def cores(seconds: float, millions: int, utilisation: float) -> str:
    """Return how many cores are needed for ``millions`` million exchanges a day.

    ``seconds`` is the processor time of a million exchanges, and ``utilisation`` the share of the time that each core
    is busy.
    """
    needed = seconds * millions / 86_400 / utilisation
    return f"{needed:.2f}" if needed < 0.995 else f"{math.ceil(needed):,}"


def table_row(traffic: str, dialect: str, size: float, cost: Cost, utilisation: float) -> str:
    """Return a row of the table."""
    needed = [cores(cost.seconds, millions, utilisation) for millions in MILLIONS]
    cells = (traffic, f"`{dialect}`", f"{size:.1f}", f"{cost.seconds:,.0f}", f"{cost.memory:.0f}", *needed)
    return f"| {' | '.join(cells)} |"


def make_traffic(count: int) -> dict[str, list[dict[str, Any]]]:
    """Return at most ``count`` rows of each kind of traffic: generated, and recorded if there are recordings."""
    kinds = {"generated": tables.rows(mixture.exchanges(1, 2 * count))}
    if RECORDED.is_dir():
        paths = [path for path in sorted(RECORDED.glob("*.jsonl")) if path.name != "big.jsonl"]
        records = [json.loads(text) for path in paths for text in path.read_text("utf-8").splitlines()]
        kinds["recorded"] = tables.rows(records)
    rows_by_name = {}
    for kind, rows in kinds.items():
        rows_by_name[f"{kind} completions"] = [
            row for row in rows if row["sse"] is None and row["response"] is not None
        ]
        rows_by_name[f"{kind} streams"] = [row for row in rows if row["sse"] is not None]
    return {name: rows[:count] for name, rows in rows_by_name.items()}


def _mean_size(rows: Sequence[dict[str, Any]]) -> float:
    """Return the mean size of the bodies of a row, in KiB."""
    bodies = (row[name] or "" for row in rows for name in ("request", "response", "sse"))
    return sum(len(body.encode()) for body in bodies) / len(rows) / 1024


def _measure_in_process(folder: Path, dialect: str) -> Cost:
    """Run ``_measure`` in a process of its own, and return the cost."""
    command = [sys.executable, __file__, "--spend", str(folder), dialect]
    return Cost(*json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout))


def _measure(folder: Path, dialect: str) -> Cost:
    import pyarrow.parquet as pq

    from isogloss.validator.arrow import findings

    columns = dict(pair.split("=") for pair in tables.COLUMNS.replace("content-type", "content_type").split(","))
    findings(pq.read_table(folder / "warming.parquet"), columns, dialect=dialect)
    rows, seconds = 0, 0.0
    for batch in pq.ParquetFile(folder / "rows.parquet").iter_batches(BATCH):
        start = time.process_time()
        findings(batch, columns, keep=["id"], dialect=dialect)
        seconds += time.process_time() - start
        rows += batch.num_rows
    return Cost(seconds / rows * 1e6, _peak_memory())


def _peak_memory() -> float:
    """Return the peak memory of this process in MiB.

    It is read from ``/proc`` if possible, because ``getrusage`` starts with the peak of the process before it.
    """
    status = Path("/proc/self/status")
    if status.exists():
        return int(status.read_text().partition("VmHWM:")[2].split()[0]) / 1024
    import resource  # only systems like Unix have it

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1 << 20 if sys.platform == "darwin" else 1 << 10)


def _processor() -> str:
    try:
        names = [text for text in Path("/proc/cpuinfo").read_text().splitlines() if text.startswith("model name")]
    except OSError:
        names = []
    name = names[0].partition(":")[2].strip() if names else platform.processor()
    return (
        f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores ({name}), Python {platform.python_version()}"
    )


def main(argv: Sequence[str] | None = None) -> None:
    """Measure the cost of each kind of traffic, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=4000, help="rows of each kind of traffic, at most")
    parser.add_argument("--utilisation", type=float, default=0.6, help="share of the time that a core is busy")
    parser.add_argument("--only", default="", help="measure only traffic whose name contains this")
    parser.add_argument("--spend", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args(argv)
    if options.spend:
        print(json.dumps(_measure(Path(options.spend[0]), options.spend[1])))
        return
    print(f"{datetime.date.today()}, {_processor()}; cores busy {options.utilisation:.0%} of the time:\n")
    print(f"| {' | '.join(HEADER)} |")
    print("|---|---|" + "---:|" * (len(HEADER) - 2))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        tables.parquet(folder / "warming.parquet", tables.rows(mixture.exchanges(2, WARM_UP_ROWS)))
        for kind, rows in make_traffic(options.count).items():
            if options.only in kind and rows:
                tables.parquet(folder / "rows.parquet", rows)
                for dialect in DIALECTS:
                    print(
                        table_row(
                            kind, dialect, _mean_size(rows), _measure_in_process(folder, dialect), options.utilisation
                        ),
                        flush=True,
                    )


if __name__ == "__main__":
    main()
