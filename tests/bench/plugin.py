"""Measure the cost of the pytest plugin for a run that does not use it. Every pytest in an environment loads it.

    python tests/bench/plugin.py [--runs 30]

Runs pytest on one empty test, in turns with only this plugin and with no plugin, and prints the least processor time of
each, because other work of the machine can only add to it. The time that pytest takes to read the list of files of an
installed package with a plugin is not measured.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path


def processor_time(folder: Path, *options: str) -> float:
    """Return the seconds of processor time, outside the kernel, that pytest takes for an empty test."""
    before = os.times().children_user
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    environment["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # other plugins of the environment would distort the result
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options, str(folder)]
    subprocess.run(command, env=environment, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    return os.times().children_user - before


def measure(runs: int) -> tuple[float, float]:
    """Return the least processor time of ``runs`` runs with the plugin, and of as many without it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "test_nothing.py").write_text("def test_nothing(): pass\n")
        processor_time(folder)
        times = [
            (processor_time(folder, "-p", "isogloss.cli.pytest_plugin"), processor_time(folder)) for _ in range(runs)
        ]
    return min(loaded for loaded, _ in times), min(bare for _, bare in times)


def main() -> None:
    """Measure the cost, and print it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=30)
    loaded, bare = measure(parser.parse_args().runs)
    print(f"with the plugin {loaded * 1000:.0f} ms, without {bare * 1000:.0f} ms: {(loaded - bare) * 1000:+.1f} ms")


if __name__ == "__main__":
    main()
