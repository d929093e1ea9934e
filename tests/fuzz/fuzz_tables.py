"""Mutation fuzzing of tables: whatever becomes of a Parquet or Arrow file, a check ends in findings or a reason.

    python tests/fuzz/fuzz_tables.py [--runs 12000] [--seed 1] [--keep FOLDER]

Writes tables whose cells are the changed exchanges of :mod:`structured`, as text, bytes, structs or numbers, in several
codings, changes the bytes of most of the files, cuts others off, and checks them with the command line in this process.
A traceback, an internal error (4) and an exit code of no documented end are faults; the file is written to FOLDER.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import random
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import fuzz
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import structured
from click.testing import CliRunner

from isogloss.cli import exits
from isogloss.cli.main import cli

_ENDS = (exits.OK, exits.FAILED, exits.NOTHING_CHECKED)
_OTHER = (None, "", "null", "[]", "{", "data: [DONE]\n\n", "\ud800", "NaN", "1e999", "200", "x" * 70_000)
_TYPES = (pa.string(), pa.large_string(), pa.binary(), pa.string_view(), pa.dictionary(pa.int32(), pa.string()))


def table(values: list[Any], rng: random.Random) -> pa.Table:
    """Make a table of a few rows from changed exchanges."""
    rows = [structured.mutated(values, rng) for _ in range(rng.choice((1, 2, 5, 20)))]
    answers = [one.response if rng.random() < 0.9 else rng.choice(_OTHER) for one in rows]
    columns: dict[str, pa.Array] = {
        rng.choice(("response", "response_body", "output", "completion")): _column(answers, rng),
    }
    if rng.random() < 0.7:
        columns[rng.choice(("request", "request_body", "input"))] = _column([one.request for one in rows], rng)
    if rng.random() < 0.6:
        statuses = [rng.choice((200, 400, None, one.status)) for one in rows]
        kind = rng.choice((pa.int64(), pa.int16(), pa.float64(), pa.string()))
        columns["status"] = pa.array([_as(kind, one) for one in statuses], kind)
    return pa.table(columns)


def _as(kind: pa.DataType, status: int | None) -> Any:
    return str(status) if kind == pa.string() and status is not None else status


def _column(cells: list[str | None], rng: random.Random) -> pa.Array:
    """Return the cells as a column of text or bytes.

    About one column in five has the values of the JSON as its cells instead, if all cells are JSON that Arrow can hold:
    objects become structs.
    """
    if rng.random() < 0.2:
        try:
            return pa.array([None if cell is None else json.loads(cell) for cell in cells])
        except (ValueError, RecursionError, pa.ArrowException, OverflowError, TypeError):
            pass
    data = [None if cell is None else cell.encode("utf-8", "replace") for cell in cells]
    kind = rng.choice(_TYPES)
    if kind == pa.binary() and rng.random() < 0.5:
        data = [None if cell is None else fuzz.mutated(cell, [b"\xff\xfe", b"data: "], rng) for cell in data]
    if pa.types.is_dictionary(kind):
        return pa.array(
            [None if cell is None else cell.decode("utf-8", "replace") for cell in data]
        ).dictionary_encode()
    return pa.array(data, pa.binary()).cast(kind)


def written(rows: pa.Table, rng: random.Random) -> tuple[str, bytes]:
    """Write a table as a file, and return the end of its name and its bytes."""
    out = io.BytesIO()
    if rng.random() < 0.5:
        pq.write_table(
            rows, out, compression=rng.choice(("none", "snappy", "zstd")), row_group_size=rng.choice((1, 3, 100)),
            use_dictionary=rng.random() < 0.5,
        )  # fmt: skip
        return ".parquet", out.getvalue()
    if rng.random() < 0.5:
        feather.write_feather(rows, out, compression=rng.choice(("uncompressed", "lz4", "zstd")))
    else:
        with pa.ipc.new_stream(out, rows.schema) as stream:
            stream.write_table(rows, max_chunksize=rng.choice((1, 3, 100)))
    return ".arrow", out.getvalue()


def files(runs: int, seed: int) -> Iterator[tuple[str, bytes]]:
    """Yield ``runs`` files, each as the end of its name and its bytes.

    One in three keeps the bytes as they were written. In these files, only the cells were changed.
    """
    rng = random.Random(seed)
    values = structured.values()
    made = 0
    while made < runs:
        try:
            end, data = written(table(values, rng), rng)
        except (pa.ArrowException, OverflowError):  # types that the format does not hold
            continue
        made += 1
        choice = rng.randrange(6)
        if choice == 0:
            data = data[: rng.randrange(len(data))]
        elif choice in (1, 2):
            data = _flipped(data, rng)
        elif choice == 3:
            data = fuzz.mutated(data, [data], rng)
        yield end, data


def _flipped(data: bytes, rng: random.Random) -> bytes:
    changed = bytearray(data)
    at_end = rng.random() < 0.5  # where Parquet and Arrow say what stands where
    for _ in range(rng.choice((1, 1, 2, 8))):
        place = len(data) - 1 - rng.randrange(min(len(data), 1500)) if at_end else rng.randrange(len(data))
        changed[place] = rng.choice((0, 1, 0x7F, 0x80, 0xFF, changed[place] ^ (1 << rng.randrange(8))))
    return bytes(changed)


def fault(path: Path) -> str | None:
    """Check a file, and return what is wrong with the end of the check, or ``None`` if it ends well."""
    done = CliRunner().invoke(cli, ["check", os.fspath(path), "--format", "jsonl"])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        return repr(done.exception)[:300]
    if "Traceback" in done.output or "internal error" in done.output or done.exit_code not in _ENDS:
        return f"exit {done.exit_code}: {done.output[-300:]}"
    return None


def run(runs: int, seed: int, each: Callable[[int], None] = lambda _: None) -> Iterator[tuple[str, bytes, str]]:
    """Make ``runs`` files, and yield each that causes a fault: the end of its name, its bytes, and the fault."""
    with tempfile.TemporaryDirectory() as name:
        for number, (end, data) in enumerate(files(runs, seed)):
            each(number)
            path = Path(name) / f"logs{end}"
            path.write_bytes(data)
            if (said := fault(path)) is not None:
                yield end, data, said


def main() -> int:
    """Run as the command line says, and return 1 if there was a fault, otherwise 0."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=12_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path, default=Path("tables"))
    arguments = parser.parse_args()
    faults = 0
    for end, data, said in run(arguments.runs, arguments.seed):
        arguments.keep.mkdir(parents=True, exist_ok=True)
        path = arguments.keep / f"{faults}{end}"
        path.write_bytes(data)
        faults += 1
        print(f"{path}: {said}", flush=True)
    print(f"{arguments.runs} files, {faults} faults")
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main())
