"""Compare isogloss and other validators on the same files with the same exported schema; print a Markdown table.

    python tests/bench/compare.py [--runs 7] [--scale 1.0] [--only TASKS] [--json] [--ajv COMMAND]

The others are check-jsonschema, sourcemeta-jsonschema and fastjsonschema from PyPI, and ajv-cli from npm; one that is
not installed is left out. The commands of a task run in turns. ``wall`` and ``cpu`` are medians in seconds, of all
processes that a command starts. A ratio is the median of isogloss divided by that of the other command.
"""

from __future__ import annotations

import argparse
import compileall
import datetime
import importlib.util
import json
import multiprocessing
import os
import platform
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import mixture
import tables
import workload

import isogloss

FLOOR = Path(__file__).with_name("floor.py")
ISOGLOSS = (sys.executable, "-c", "from isogloss.cli.main import main; main()")


class Task(NamedTuple):
    """The commands to compare by name, first isogloss."""

    name: str
    commands: dict[str, Sequence[str]]


Make = Callable[[Path, float, "str | None"], Task]
"""Writes the files of a task to a folder, at a share of the full size; the last argument is the command of ajv-cli."""


class Spent(NamedTuple):
    """Seconds of wall clock and of processor time, and the peak memory of the largest process in MiB."""

    wall: float
    cpu: float
    memory: float


def _check(*arguments: object) -> list[str]:
    return [*ISOGLOSS, "check", *map(str, arguments)]


def _floor(what: str, engine: str, schema: Path, path: Path) -> list[str]:
    return [sys.executable, str(FLOOR), what, engine, str(schema), str(path)]


def sourcemeta() -> str | None:
    """Return the native command of sourcemeta-jsonschema, or ``None`` if there is none.

    It runs without the Python process that usually starts it.
    """
    spec = importlib.util.find_spec("sourcemeta_jsonschema")
    if spec is None or spec.origin is None:
        return None
    machine = {"AMD64": "x86_64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())
    binary = Path(spec.origin).with_name(f"jsonschema-{platform.system().lower()}-{machine}")
    return str(binary) if binary.exists() else None


def _lines(folder: Path, count: int) -> Path:
    path = folder / f"lines-{count}.jsonl"
    if not path.exists():
        workload.lines(path, count)
    return path


def one_file(folder: Path, scale: float, ajv: str | None) -> Task:
    """Make the task of one completion, checked as a hook checks it: this measures the start."""
    schema, one = folder / "completion.json", folder / "one.json"
    one.write_bytes(_lines(folder, 1).read_bytes())
    commands = {"isogloss": _check(one)}
    if shutil.which("check-jsonschema"):
        commands["check-jsonschema"] = ["check-jsonschema", "--schemafile", str(schema), str(one)]
    if binary := sourcemeta():
        commands["sourcemeta"] = [binary, "validate", str(schema), str(one)]
    if ajv:
        options = ("--spec=draft2020", "--strict=false", f"-s{schema}", f"-d{one}")
        commands["ajv-cli"] = [*ajv.split(), "validate", *options]
    return Task("one completion file", commands)


def _bulk(what: str) -> Make:
    def make(folder: Path, scale: float, ajv: str | None) -> Task:
        """Make the task of 100,000 payloads that conform and are all alike."""
        schema, count = folder / f"{'error' if what == 'errors' else 'completion'}.json", int(100_000 * scale)
        lines = folder / f"{what}.jsonl"
        if what == "plain answers":
            lines = _lines(folder, count)
        else:
            workload.lines(lines, count, workload.BULK[what])
        commands = {"isogloss": _check(lines), "isogloss --jobs 1": _check("--jobs", 1, lines)}
        if binary := sourcemeta():
            commands["sourcemeta"] = [binary, "validate", str(schema), str(lines)]
        commands["floor"] = _floor("lines", "jsonschema-rs", schema, lines)
        if what == "plain answers" and importlib.util.find_spec("fastjsonschema"):
            commands["fastjsonschema"] = _floor("lines", "fastjsonschema", schema, lines)
        return Task(f"{count:,} {what}, JSONL", commands)

    make.__name__ = "bulk" if what == "plain answers" else f"bulk_{what.replace(' ', '_')}"
    return make


def deviating(folder: Path, scale: float, ajv: str | None) -> Task:
    """Make the task of 100,000 completions with two deviations each. The dialect is recognised by them."""
    count = int(100_000 * scale)
    path = folder / "deviating.jsonl"
    workload.lines(path, count, workload.deviating)
    return Task(
        f"{count:,} completions, deviating",
        {"isogloss auto": _check("--dialect", "auto", path), "conforming": _check(_lines(folder, count))},
    )


def memory(folder: Path, scale: float, ajv: str | None) -> Task:
    """Make the task of ten times as many lines.

    They must take no more memory than a tenth of them, and half the time with two processes as with one.
    """
    count = int(100_000 * scale)
    lines = _lines(folder, count)
    large = folder / "large.jsonl"
    with large.open("wb") as out:  # in blocks: a process counts as large as the one that started it was
        for _ in range(10):
            with lines.open("rb") as tenth:
                shutil.copyfileobj(tenth, out)
    commands = {"isogloss": _check(large), "isogloss --jobs 1": _check("--jobs", 1, large), "a tenth": _check(lines)}
    return Task(f"{10 * count:,} completions, JSONL", commands)


def streams(folder: Path, scale: float, ajv: str | None) -> Task:
    """Make the task of a million chunks in 5,000 streams."""
    count, path = int(5_000 * scale), folder / "records.jsonl"
    workload.streams(path, count, 200)
    floor = _floor("chunks", "jsonschema-rs", folder / "chunk.json", path)
    return Task(f"{count * 200:,} chunks in {count:,} streams", {"isogloss": _check(path), "floor": floor})


def files(folder: Path, scale: float, ajv: str | None) -> Task:
    """Make the task of 10,000 small files."""
    schema, count, directory = folder / "completion.json", int(10_000 * scale), folder / "directory"
    workload.directory(directory, count)
    commands = {"isogloss": _check(directory)}
    if binary := sourcemeta():
        commands["sourcemeta"] = [binary, "validate", str(schema), str(directory)]
    commands["floor"] = _floor("files", "jsonschema-rs", schema, directory)
    return Task(f"{count:,} files", commands)


RECORDED = Path(__file__).resolve().parents[3] / "shared" / "corpus"
"""Exchange records of real traffic, where they lie beside the checkout."""
MIXTURE = 6_000
"""Exchanges of the generated mixture, about twice as many as the recordings have that its counts were made of."""
_WAYS = {
    "text": (),
    "auto": ("--dialect", "auto"),
    "json": ("--format", "json"),
    "jsonl": ("--format", "jsonl"),
    "sarif": ("--format", "sarif"),
}


def _records(path: Path, folder: Path, name: str, way: str) -> Task:
    """Make the task of exchange records, checked in one process.

    ``way`` is one of ``_WAYS``: text, attribution, or a format for machines.
    """
    floor = _floor("records", "jsonschema-rs", folder / "completion.json", path)
    return Task(f"{name}, {way}", {"isogloss": _check("--jobs", 1, *_WAYS[way], path), "floor": floor})


def _recorded(way: str) -> Make:
    def make(folder: Path, scale: float, ajv: str | None) -> Task:
        """Make the task of two copies of real traffic, or a task without commands if there are no recordings."""
        copies, name = folder / "recorded", "recorded traffic"
        if not RECORDED.is_dir():
            return Task(name, {})
        if not copies.exists():
            for copy in ("first", "second"):
                shutil.copytree(RECORDED, copies / copy, ignore=lambda _, names: [n for n in names if n[-1] != "l"])
        return _records(copies, folder, name, way)

    make.__name__ = f"recorded_{way}"
    return make


def _generated(way: str) -> Make:
    def make(folder: Path, scale: float, ajv: str | None) -> Task:
        """Make the task of generated traffic of many vendors.

        Its shapes and the lengths of its streams are as in recorded traffic.
        """
        path, count = folder / "mixture", int(MIXTURE * scale)
        if not path.exists():
            _apart(lambda: mixture.write(path, count))
        return _records(path, folder, f"{count:,} generated exchanges of many vendors", way)

    make.__name__ = f"mixture_{way}"
    return make


def _apart(write: Callable[[], None]) -> None:
    """Write files in a process of its own.

    This is because the peak memory of a command is at least that of the process that starts it.

    Raises ``RuntimeError`` if that process fails.
    """
    process = multiprocessing.get_context("fork").Process(target=write)
    process.start()
    process.join()
    if process.exitcode:
        raise RuntimeError(f"writing files ended with {process.exitcode}")


def _tables(folder: Path, name: str, what: str, of: Callable[[], list[dict[str, Any]]], *options: str) -> Task:
    """Make the task of rows of a Parquet file, checked in one process.

    It also checks the same records as JSON Lines, with bodies as objects and with bodies as text. The task has no
    commands if ``pyarrow`` is not installed.
    """
    written = {kind: folder / f"{name}-{kind}" for kind in ("parquet", "objects.jsonl", "text.jsonl")}
    if importlib.util.find_spec("pyarrow") is None:
        return Task(what, {})

    def write() -> None:
        rows = of()
        tables.parquet(written["parquet"], rows)
        tables.lines(written["objects.jsonl"], rows, objects=True)
        tables.lines(written["text.jsonl"], rows)

    if not written["parquet"].exists():
        _apart(write)
    check = ("--jobs", "1", *options)
    mapped = (*check, "--columns", tables.COLUMNS)
    return Task(what, {
        "isogloss, Parquet": _check(*mapped, written["parquet"]),
        "JSON Lines": _check(*check, written["objects.jsonl"]),
        "JSON Lines, bodies as text": _check(*mapped, written["text.jsonl"]),
    })  # fmt: skip


def tables_mixture(folder: Path, scale: float, ajv: str | None) -> Task:
    """Make the task of generated traffic of many vendors as a table."""
    count = int(MIXTURE * scale)
    return _tables(
        folder, "mixture-rows", f"{count:,} generated exchanges as a table", lambda: tables.rows(
            mixture.exchanges(count, count)
        ),
    )  # fmt: skip


def tables_recorded(folder: Path, scale: float, ajv: str | None) -> Task:
    """Make the task of real traffic as a table, or a task without commands if there are no recordings."""
    if not RECORDED.is_dir():
        return Task("recorded traffic as a table", {})
    paths = [path for path in sorted(RECORDED.glob("*.jsonl")) if path.name != "big.jsonl"]
    return _tables(
        folder, "recorded-rows", "recorded traffic as a table", lambda: tables.rows(
            json.loads(line) for path in paths for line in path.read_text("utf-8").splitlines()
        ), "--dialect", "auto",
    )  # fmt: skip


def tables_plain(folder: Path, scale: float, ajv: str | None) -> Task:
    """Make the task of a table of completions that conform and are all alike."""
    count, source = int(100_000 * scale), random.Random(1)
    return _tables(
        folder, "plain-rows", f"{count:,} plain answers as a table", lambda: tables.rows(
            {"response": workload.completion(source)} for _ in range(count)
        ),
    )  # fmt: skip


def tables_memory(folder: Path, scale: float, ajv: str | None) -> Task:
    """Make the task of ten times as many rows in one row group, which several processes cannot share.

    They must take no more memory than a tenth of them. The task has no commands if ``pyarrow`` is not installed.
    """
    if importlib.util.find_spec("pyarrow") is None:
        return Task("rows in one row group", {})
    count = int(100_000 * scale)

    def command(rows: int) -> list[str]:
        source, path = random.Random(2), folder / f"group-{rows}.parquet"
        records = ({"response": workload.completion(source)} for _ in range(rows))
        _apart(lambda: tables.parquet(path, tables.rows(records), group=rows))
        return _check("--jobs", 1, "--columns", tables.COLUMNS, path)

    commands = {"isogloss": command(count), "a tenth": command(count // 10)}
    return Task(f"{count:,} rows in one row group", commands)


TASKS: tuple[Make, ...] = (
    *map(_recorded, _WAYS),
    *map(_generated, _WAYS),
    one_file,
    *map(_bulk, workload.BULK),
    deviating,
    memory,
    streams,
    files,
    tables_recorded,
    tables_mixture,
    tables_plain,
    tables_memory,
)


def prepare(folder: Path) -> None:
    """Export the schemas to a folder, and compile isogloss.

    pip compiles the packages that it installs, but not those that it only links to.
    """
    for root in isogloss.__path__:
        compileall.compile_dir(root, quiet=2)
    subprocess.run([*ISOGLOSS, "schemas", "export", str(folder)], check=True, stdout=subprocess.DEVNULL)


def spent(command: Sequence[str]) -> Spent:
    """Run a command to its end, and return the time and the memory that it took.

    Raises ``CalledProcessError`` if it fails. The exit code 1 is no failure: it only means that there are findings.
    """
    start = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        error = process.stderr.read() if process.stderr else b""
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    wall = time.perf_counter() - start
    if process.returncode not in (0, 1):
        raise subprocess.CalledProcessError(process.returncode, command, stderr=error)
    return Spent(wall, usage.ru_utime + usage.ru_stime, _largest(usage))


def _largest(usage: resource.struct_rusage) -> float:
    return usage.ru_maxrss / (1 << 20 if sys.platform == "darwin" else 1 << 10)


def measured(task: Task, runs: int) -> dict[str, Spent]:
    """Run the commands in turns, and return the medians of each."""
    found: dict[str, list[Spent]] = {name: [] for name in task.commands}
    for _ in range(runs):
        for name, command in task.commands.items():
            found[name].append(spent(command))
    return {name: Spent(*(median(values) for values in zip(*all_, strict=True))) for name, all_ in found.items()}


def main(argv: Sequence[str] | None = None) -> None:
    """Measure the tasks, and print the medians as a Markdown table, or as JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--scale", type=float, default=1.0, help="share of the full sizes")
    parser.add_argument("--only", default="", help=f"of {', '.join(one.__name__ for one in TASKS)}, comma-separated")
    parser.add_argument("--json", action="store_true", help="print the medians as JSON")
    parser.add_argument("--ajv", default=shutil.which("ajv"), help="the command of ajv-cli")
    options = parser.parse_args(argv)
    results: dict[str, dict[str, Spent]] = {}
    with tempfile.TemporaryDirectory() as folder:
        prepare(Path(folder))
        for make in TASKS:
            if not options.only or make.__name__ in options.only.split(","):
                task = make(Path(folder), options.scale, options.ajv)
                if task.commands:
                    results[task.name] = measured(task, options.runs)
    if options.json:
        print(json.dumps({name: {who: one._asdict() for who, one in by.items()} for name, by in results.items()}))
        return
    machine = f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    print(f"{datetime.date.today()}, {machine}, medians of {options.runs} runs in turns\n")
    print("| task | command | wall, s | cpu, s | memory, MiB | ours : theirs, wall | cpu |")
    print("|---|---|---:|---:|---:|---:|---:|")
    for name, by in results.items():
        ours = next(iter(by.values()))
        for who, one in by.items():
            ratios = f"{ours.wall / one.wall:.2f} | {ours.cpu / one.cpu:.2f}" if one is not ours else "|"
            print(f"| {name} | {who} | {one.wall:.2f} | {one.cpu:.2f} | {one.memory:.0f} | {ratios} |")


if __name__ == "__main__":
    main()
