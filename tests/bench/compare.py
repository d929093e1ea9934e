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
import importlib.metadata
import importlib.util
import json
import multiprocessing
import os
import platform
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any, NamedTuple

import mixture
import tables
import workload

import isogloss

if TYPE_CHECKING:
    import resource

FLOOR = Path(__file__).with_name("floor.py")
ISOGLOSS = (sys.executable, "-c", "from isogloss.cli.start import main; main()")


class Task(NamedTuple):
    """A task: the commands to compare, by name. The first is that of isogloss."""

    name: str
    commands: dict[str, Sequence[str]]


TaskMaker = Callable[[Path, float, "str | None"], Task]
"""A function that writes the files of a task to a folder, and returns the task.

Its other arguments are the share of the full size and the command of ajv-cli.
"""


class Usage(NamedTuple):
    """The seconds of wall-clock and processor time of a command, and the peak memory of its largest process in MiB."""

    wall: float
    cpu: float
    memory: float


def _check_command(*arguments: object) -> list[str]:
    return [*ISOGLOSS, "check", *map(str, arguments)]


DISTRIBUTIONS = ("check-jsonschema", "sourcemeta-jsonschema", "fastjsonschema", "jsonschema-rs", "orjson")
"""What the other commands run, and what the floor runs."""


def _floor_command(layout: str, engine: str, schema: Path, path: Path) -> list[str]:
    return [sys.executable, str(FLOOR), layout, engine, str(schema), str(path)]


def sourcemeta_command() -> str | None:
    """Return the native command of sourcemeta-jsonschema, or ``None`` if there is none.

    It runs without the Python process that usually starts it.
    """
    spec = importlib.util.find_spec("sourcemeta_jsonschema")
    if spec is None or spec.origin is None:
        return None
    machine = {"AMD64": "x86_64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())
    binary = Path(spec.origin).with_name(f"jsonschema-{platform.system().lower()}-{machine}")
    return str(binary) if binary.exists() else None


def _completions_file(folder: Path, count: int) -> Path:
    path = folder / f"lines-{count}.jsonl"
    if not path.exists():
        workload.write_lines(path, count)
    return path


def one_file(folder: Path, scale: float, ajv: str | None) -> Task:
    """Make the task of one completion, checked as a hook checks it. Most of its time is the start of the process."""
    schema, path = folder / "completion.json", folder / "one.json"
    path.write_bytes(_completions_file(folder, 1).read_bytes())
    commands = {"isogloss": _check_command(path)}
    if shutil.which("check-jsonschema"):
        commands["check-jsonschema"] = ["check-jsonschema", "--schemafile", str(schema), str(path)]
    if binary := sourcemeta_command():
        commands["sourcemeta"] = [binary, "validate", str(schema), str(path)]
    if ajv:
        options = ("--spec=draft2020", "--strict=false", f"-s{schema}", f"-d{path}")
        commands["ajv-cli"] = [*ajv.split(), "validate", *options]
    return Task("one completion file", commands)


def _bulk(payloads: str) -> TaskMaker:
    def make(folder: Path, scale: float, ajv: str | None) -> Task:
        """Make the task of 100,000 payloads that conform and are all alike."""
        schema, count = folder / f"{'error' if payloads == 'errors' else 'completion'}.json", int(100_000 * scale)
        lines = folder / f"{payloads}.jsonl"
        if payloads == "plain answers":
            lines = _completions_file(folder, count)
        else:
            workload.write_lines(lines, count, workload.BULK[payloads])
        commands = {"isogloss": _check_command(lines), "isogloss --jobs 1": _check_command("--jobs", 1, lines)}
        if binary := sourcemeta_command():
            commands["sourcemeta"] = [binary, "validate", str(schema), str(lines)]
        commands["floor"] = _floor_command("lines", "jsonschema-rs", schema, lines)
        if payloads == "plain answers" and importlib.util.find_spec("fastjsonschema"):
            commands["fastjsonschema"] = _floor_command("lines", "fastjsonschema", schema, lines)
        return Task(f"{count:,} {payloads}, JSONL", commands)

    make.__name__ = "bulk" if payloads == "plain answers" else f"bulk_{payloads.replace(' ', '_')}"
    return make


def deviating(folder: Path, scale: float, ajv: str | None) -> Task:
    """Make the task of 100,000 completions with two deviations each. The dialect is recognised by them."""
    count = int(100_000 * scale)
    path = folder / "deviating.jsonl"
    workload.write_lines(path, count, workload.deviating)
    return Task(
        f"{count:,} completions, deviating",
        {
            "isogloss auto": _check_command("--dialect", "auto", path),
            "conforming": _check_command(_completions_file(folder, count)),
        },
    )


def memory(folder: Path, scale: float, ajv: str | None) -> Task:
    """Make the task of a file of a million lines.

    It must take no more memory than a file with a tenth of the lines. Two processes must take half the time of one.
    """
    count = int(100_000 * scale)
    lines = _completions_file(folder, count)
    large = folder / "large.jsonl"
    with large.open("wb") as out:  # copied in blocks: the peak memory of a command is at least that of this process
        for _ in range(10):
            with lines.open("rb") as tenth:
                shutil.copyfileobj(tenth, out)
    commands = {
        "isogloss": _check_command(large),
        "isogloss --jobs 1": _check_command("--jobs", 1, large),
        "a tenth": _check_command(lines),
    }
    return Task(f"{10 * count:,} completions, JSONL", commands)


def streams(folder: Path, scale: float, ajv: str | None) -> Task:
    """Make the task of a million chunks in 5,000 streams."""
    count, path = int(5_000 * scale), folder / "records.jsonl"
    workload.write_streams(path, count, 200)
    floor = _floor_command("chunks", "jsonschema-rs", folder / "chunk.json", path)
    return Task(f"{count * 200:,} chunks in {count:,} streams", {"isogloss": _check_command(path), "floor": floor})


def files(folder: Path, scale: float, ajv: str | None) -> Task:
    """Make the task of 10,000 small files."""
    schema, count, directory = folder / "completion.json", int(10_000 * scale), folder / "directory"
    workload.write_directory(directory, count)
    commands = {"isogloss": _check_command(directory)}
    if binary := sourcemeta_command():
        commands["sourcemeta"] = [binary, "validate", str(schema), str(directory)]
    commands["floor"] = _floor_command("files", "jsonschema-rs", schema, directory)
    return Task(f"{count:,} files", commands)


RECORDED = Path(__file__).resolve().parents[3] / "shared" / "corpus"
"""Exchange records of real traffic, where they lie beside the checkout."""
MIXTURE = 6_000
"""The number of generated exchanges: about twice as many as in the recordings that the counts were made of."""
_MODES = {
    "text": (),
    "auto": ("--dialect", "auto"),
    "json": ("--format", "json"),
    "jsonl": ("--format", "jsonl"),
    "sarif": ("--format", "sarif"),
}
"""Options of ``check`` by name: text, attribution, and the formats for machines."""


def _records_task(path: Path, folder: Path, name: str, mode: str) -> Task:
    """Make the task of exchange records, checked in one process.

    ``mode`` is a name in ``_MODES``.
    """
    floor = _floor_command("records", "jsonschema-rs", folder / "completion.json", path)
    return Task(f"{name}, {mode}", {"isogloss": _check_command("--jobs", 1, *_MODES[mode], path), "floor": floor})


def _recorded_traffic(mode: str) -> TaskMaker:
    def make(folder: Path, scale: float, ajv: str | None) -> Task:
        """Make the task of two copies of real traffic. It has no commands if there are no recordings."""
        copies, name = folder / "recorded", "recorded traffic"
        if not RECORDED.is_dir():
            return Task(name, {})
        if not copies.exists():
            for copy in ("first", "second"):
                shutil.copytree(
                    RECORDED, copies / copy, ignore=lambda _, names: [file for file in names if file[-1] != "l"]
                )
        return _records_task(copies, folder, name, mode)

    make.__name__ = f"recorded_{mode}"
    return make


def _generated_traffic(mode: str) -> TaskMaker:
    def make(folder: Path, scale: float, ajv: str | None) -> Task:
        """Make the task of generated traffic of many vendors.

        Its shapes and the lengths of its streams are as in recorded traffic.
        """
        path, count = folder / "mixture", int(MIXTURE * scale)
        if not path.exists():
            _run_in_own_process(lambda: mixture.write(path, count))
        return _records_task(path, folder, f"{count:,} generated exchanges of many vendors", mode)

    make.__name__ = f"mixture_{mode}"
    return make


def _run_in_own_process(write_files: Callable[[], None]) -> None:
    """Run a function that writes files in a process of its own.

    The peak memory of a command is at least that of the process that starts it, so this process must stay small.

    Raises ``RuntimeError`` if that process fails.
    """
    process = multiprocessing.get_context("fork").Process(target=write_files)
    process.start()
    process.join()
    if process.exitcode:
        raise RuntimeError(f"writing files ended with {process.exitcode}")


def _table_task(
    folder: Path, name: str, title: str, make_rows: Callable[[], list[dict[str, Any]]], *options: str
) -> Task:
    """Make the task of the rows of a Parquet file, checked in one process.

    Its other commands check the same records as JSON Lines, with bodies as objects and with bodies as text. The task
    has no commands if ``pyarrow`` is not installed.
    """
    paths = {form: folder / f"{name}-{form}" for form in ("parquet", "objects.jsonl", "text.jsonl")}
    if importlib.util.find_spec("pyarrow") is None:
        return Task(title, {})

    def write() -> None:
        rows = make_rows()
        tables.parquet(paths["parquet"], rows)
        tables.lines(paths["objects.jsonl"], rows, objects=True)
        tables.lines(paths["text.jsonl"], rows)

    if not paths["parquet"].exists():
        _run_in_own_process(write)
    check_options = ("--jobs", "1", *options)
    column_options = (*check_options, "--columns", tables.COLUMNS)
    return Task(title, {
        "isogloss, Parquet": _check_command(*column_options, paths["parquet"]),
        "JSON Lines": _check_command(*check_options, paths["objects.jsonl"]),
        "JSON Lines, bodies as text": _check_command(*column_options, paths["text.jsonl"]),
    })  # fmt: skip


def tables_mixture(folder: Path, scale: float, ajv: str | None) -> Task:
    """Make the task of generated traffic of many vendors as a table."""
    count = int(MIXTURE * scale)
    return _table_task(
        folder, "mixture-rows", f"{count:,} generated exchanges as a table", lambda: tables.rows(
            mixture.exchanges(count, count)
        ),
    )  # fmt: skip


def tables_recorded(folder: Path, scale: float, ajv: str | None) -> Task:
    """Make the task of real traffic as a table. It has no commands if there are no recordings."""
    if not RECORDED.is_dir():
        return Task("recorded traffic as a table", {})
    paths = [path for path in sorted(RECORDED.glob("*.jsonl")) if path.name != "big.jsonl"]
    return _table_task(
        folder, "recorded-rows", "recorded traffic as a table", lambda: tables.rows(
            json.loads(line) for path in paths for line in path.read_text("utf-8").splitlines()
        ), "--dialect", "auto",
    )  # fmt: skip


def tables_plain(folder: Path, scale: float, ajv: str | None) -> Task:
    """Make the task of a table of completions that conform and are all alike."""
    count, rng = int(100_000 * scale), random.Random(1)
    return _table_task(
        folder, "plain-rows", f"{count:,} plain answers as a table", lambda: tables.rows(
            {"response": workload.completion(rng)} for _ in range(count)
        ),
    )  # fmt: skip


def tables_memory(folder: Path, scale: float, ajv: str | None) -> Task:
    """Make the task of 100,000 rows in one row group, which several processes cannot share.

    They must take no more memory than a tenth of the rows. The task has no commands if ``pyarrow`` is not installed.
    """
    if importlib.util.find_spec("pyarrow") is None:
        return Task("rows in one row group", {})
    count = int(100_000 * scale)

    def check_command(rows: int) -> list[str]:
        rng, path = random.Random(2), folder / f"group-{rows}.parquet"
        records = ({"response": workload.completion(rng)} for _ in range(rows))
        _run_in_own_process(lambda: tables.parquet(path, tables.rows(records), group=rows))
        return _check_command("--jobs", 1, "--columns", tables.COLUMNS, path)

    commands = {"isogloss": check_command(count), "a tenth": check_command(count // 10)}
    return Task(f"{count:,} rows in one row group", commands)


TASKS: tuple[TaskMaker, ...] = (
    *map(_recorded_traffic, _MODES),
    *map(_generated_traffic, _MODES),
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


def measure_command(command: Sequence[str]) -> Usage:
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
    return Usage(wall, usage.ru_utime + usage.ru_stime, _peak_memory(usage))


def _peak_memory(usage: resource.struct_rusage) -> float:
    return usage.ru_maxrss / (1 << 20 if sys.platform == "darwin" else 1 << 10)


def measure_task(task: Task, runs: int) -> dict[str, Usage]:
    """Run the commands in turns, and return the medians of each."""
    usages: dict[str, list[Usage]] = {name: [] for name in task.commands}
    for _ in range(runs):
        for name, command in task.commands.items():
            usages[name].append(measure_command(command))
    return {
        name: Usage(*(median(values) for values in zip(*usages_of_command, strict=True)))
        for name, usages_of_command in usages.items()
    }


def _versions() -> list[str]:
    """Return the distributions that commands run, with their versions: the others become faster with time, too."""
    installed = {one: importlib.util.find_spec(one.replace("-", "_")) for one in DISTRIBUTIONS}
    return [f"{one} {importlib.metadata.version(one)}" for one, spec in installed.items() if spec is not None]


def main(argv: Sequence[str] | None = None) -> None:
    """Measure the tasks, and print the medians as a Markdown table, or as JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--scale", type=float, default=1.0, help="share of the full sizes")
    parser.add_argument("--only", default="", help=f"of {', '.join(make.__name__ for make in TASKS)}, comma-separated")
    parser.add_argument("--json", action="store_true", help="print the medians as JSON")
    parser.add_argument("--ajv", default=shutil.which("ajv"), help="the command of ajv-cli")
    options = parser.parse_args(argv)
    makers = {make.__name__: make for make in TASKS}
    chosen = options.only.split(",") if options.only else [*makers]
    if unknown := [name for name in chosen if name not in makers]:
        parser.error(f"there is no task {', '.join(unknown)}")
    results: dict[str, dict[str, Usage]] = {}
    with tempfile.TemporaryDirectory() as folder:
        prepare(Path(folder))
        for name, make in makers.items():
            if name in chosen:
                task = make(Path(folder), options.scale, options.ajv)
                if task.commands:
                    results[task.name] = measure_task(task, options.runs)
    if options.json:
        print(
            json.dumps(
                {
                    name: {command: usage._asdict() for command, usage in usages.items()}
                    for name, usages in results.items()
                }
            )
        )
        return
    machine = f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    print(f"{datetime.date.today()}, {machine}, medians of {options.runs} runs in turns")
    print(f"{', '.join(_versions())}\n")
    print("| task | command | wall, s | cpu, s | memory, MiB | wall, isogloss : other | cpu, isogloss : other |")
    print("|---|---|---:|---:|---:|---:|---:|")
    for name, usages in results.items():
        ours = next(iter(usages.values()))
        for command, usage in usages.items():
            ratios = f"{ours.wall / usage.wall:.2f} | {ours.cpu / usage.cpu:.2f}" if usage is not ours else "|"
            print(f"| {name} | {command} | {usage.wall:.2f} | {usage.cpu:.2f} | {usage.memory:.0f} | {ratios} |")


if __name__ == "__main__":
    main()
