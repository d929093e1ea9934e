"""Measure what the pytest plugin costs a run that does not use it: every pytest in an environment loads it.

    python tests/bench/plugin.py [--runs 30]

Runs pytest on one empty test, in turns with this plugin alone and with none, and prints the least processor time of
each: what else the machine does only adds to it. What pytest takes to read the list of the files of an installed
package with a plugin is not in it.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path


def spent(folder: Path, *options: str) -> float:
    """Return the seconds of processor time, outside the kernel, that pytest takes for an empty test."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    environment["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # whatever else the environment has would only blur it
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options, str(folder)]
    subprocess.run(command, env=environment, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime


def measured(runs: int) -> tuple[float, float]:
    """Return the least of several runs with the plugin, and of as many without it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "test_nothing.py").write_text("def test_nothing(): pass\n")
        spent(folder)
        turns = [(spent(folder, "-p", "isogloss.cli.pytest_plugin"), spent(folder)) for _ in range(runs)]
    return min(one for one, _ in turns), min(other for _, other in turns)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=30)
    loaded, bare = measured(parser.parse_args().runs)
    print(f"with the plugin {loaded * 1000:.0f} ms, without {bare * 1000:.0f} ms: {(loaded - bare) * 1000:+.1f} ms")


if __name__ == "__main__":
    main()
