"""Measure what the pytest plugin costs a run that does not use it: every pytest in an environment loads it.

    python tests/bench/plugin.py [--runs 30]

Runs pytest on one empty test, in turns with and without the plugin, and prints the medians.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path


def spent(folder: Path, *options: str) -> float:
    """Return the seconds of processor time that pytest takes for an empty test."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options, str(folder)]
    subprocess.run(command, env=environment, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measured(runs: int) -> tuple[float, float]:
    """Return the medians with and without the plugin."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "test_nothing.py").write_text("def test_nothing(): pass\n")
        spent(folder)
        turns = [(spent(folder), spent(folder, "-p", "no:isogloss")) for _ in range(runs)]
    return statistics.median(one for one, _ in turns), statistics.median(other for _, other in turns)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=30)
    loaded, bare = measured(parser.parse_args().runs)
    print(f"with the plugin {loaded * 1000:.0f} ms, without {bare * 1000:.0f} ms: {(loaded - bare) * 1000:+.1f} ms")


if __name__ == "__main__":
    main()
