"""Fuzz tables by mutation: the check of a changed Parquet or Arrow file must end in findings, or in a reason to skip.

    python tests/fuzz/fuzz_tables.py [--runs 12000] [--seed 1] [--keep FOLDER]

Writes tables whose cells are the changed exchanges of :mod:`structured`, as text, bytes, structs or numbers, in several
encodings. Changes the bytes of some files, cuts others off, and checks all of them with the command line in this
process. A traceback, an internal error (4) and an undocumented exit code are faults. A file that causes a fault is
written to FOLDER.
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

from isogloss.cli.main import cli
from isogloss.cli.process import exits

_DOCUMENTED_EXITS = (exits.OK, exits.FAILED, exits.NOTHING_CHECKED)
_ODD_ANSWERS = (None, "", "null", "[]", "{", "data: [DONE]\n\n", "\ud800", "NaN", "1e999", "200", "x" * 70_000)
_TEXT_TYPES = (pa.string(), pa.large_string(), pa.binary(), pa.string_view(), pa.dictionary(pa.int32(), pa.string()))


def make_table(values: list[Any], rng: random.Random) -> pa.Table:
    """Make a table with a few rows of changed exchanges."""
    exchanges = [structured.make_exchange(values, rng) for _ in range(rng.choice((1, 2, 5, 20)))]
    answers = [exchange.response if rng.random() < 0.9 else rng.choice(_ODD_ANSWERS) for exchange in exchanges]
    columns: dict[str, pa.Array] = {
        rng.choice(("response", "response_body", "output", "completion")): _make_column(answers, rng),
    }
    if rng.random() < 0.7:
        columns[rng.choice(("request", "request_body", "input"))] = _make_column(
            [exchange.request for exchange in exchanges], rng
        )
    if rng.random() < 0.6:
        statuses = [rng.choice((200, 400, None, exchange.status)) for exchange in exchanges]
        type_ = rng.choice((pa.int64(), pa.int16(), pa.float64(), pa.string()))
        columns["status"] = pa.array([_status_cell(type_, status) for status in statuses], type_)
    return pa.table(columns)


def _status_cell(type_: pa.DataType, status: int | None) -> Any:
    return str(status) if type_ == pa.string() and status is not None else status


def _make_column(cells: list[str | None], rng: random.Random) -> pa.Array:
    """Return the cells as a column of text or bytes.

    If all cells are JSON that Arrow can hold, about one column in five has the JSON values as its cells instead, and
    objects become structs.
    """
    if rng.random() < 0.2:
        try:
            return pa.array([None if cell is None else json.loads(cell) for cell in cells])
        except (ValueError, RecursionError, pa.ArrowException, OverflowError, TypeError):
            pass
    data = [None if cell is None else cell.encode("utf-8", "replace") for cell in cells]
    type_ = rng.choice(_TEXT_TYPES)
    if type_ == pa.binary() and rng.random() < 0.5:
        data = [None if cell is None else fuzz.mutate(cell, [b"\xff\xfe", b"data: "], rng) for cell in data]
    if pa.types.is_dictionary(type_):
        return pa.array(
            [None if cell is None else cell.decode("utf-8", "replace") for cell in data]
        ).dictionary_encode()
    return pa.array(data, pa.binary()).cast(type_)


def write_table(table: pa.Table, rng: random.Random) -> tuple[str, bytes]:
    """Write a table in some format, and return the suffix of the file name and the bytes."""
    out = io.BytesIO()
    if rng.random() < 0.5:
        pq.write_table(
            table, out, compression=rng.choice(("none", "snappy", "zstd")), row_group_size=rng.choice((1, 3, 100)),
            use_dictionary=rng.random() < 0.5,
        )  # fmt: skip
        return ".parquet", out.getvalue()
    if rng.random() < 0.5:
        feather.write_feather(table, out, compression=rng.choice(("uncompressed", "lz4", "zstd")))
    else:
        with pa.ipc.new_stream(out, table.schema) as stream:
            stream.write_table(table, max_chunksize=rng.choice((1, 3, 100)))
    return ".arrow", out.getvalue()


def make_files(runs: int, seed: int) -> Iterator[tuple[str, bytes]]:
    """Yield ``runs`` files, each as the suffix of its name and its bytes.

    In one of three files, only the cells are changed, and the bytes stay as they were written.
    """
    rng = random.Random(seed)
    values = structured.read_values()
    count = 0
    while count < runs:
        try:
            suffix, data = write_table(make_table(values, rng), rng)
        except (pa.ArrowException, OverflowError):  # the format cannot hold some type
            continue
        count += 1
        choice = rng.randrange(6)
        if choice == 0:
            data = data[: rng.randrange(len(data))]
        elif choice in (1, 2):
            data = _flip_bytes(data, rng)
        elif choice == 3:
            data = fuzz.mutate(data, [data], rng)
        yield suffix, data


def _flip_bytes(data: bytes, rng: random.Random) -> bytes:
    changed = bytearray(data)
    at_end = rng.random() < 0.5  # where Parquet and Arrow keep the offsets of their parts
    for _ in range(rng.choice((1, 1, 2, 8))):
        offset = len(data) - 1 - rng.randrange(min(len(data), 1500)) if at_end else rng.randrange(len(data))
        changed[offset] = rng.choice((0, 1, 0x7F, 0x80, 0xFF, changed[offset] ^ (1 << rng.randrange(8))))
    return bytes(changed)


def find_fault(path: Path) -> str | None:
    """Check a file, and return a description of the fault, or ``None`` if the check ends as documented."""
    result = CliRunner().invoke(cli, ["check", os.fspath(path), "--format", "jsonl"])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        return repr(result.exception)[:300]
    if "Traceback" in result.output or "internal error" in result.output or result.exit_code not in _DOCUMENTED_EXITS:
        return f"exit {result.exit_code}: {result.output[-300:]}"
    return None


def run(runs: int, seed: int, on_file: Callable[[int], None] = lambda _: None) -> Iterator[tuple[str, bytes, str]]:
    """Make ``runs`` files, and yield each that causes a fault: the suffix of its name, its bytes, and the fault."""
    with tempfile.TemporaryDirectory() as name:
        for number, (suffix, data) in enumerate(make_files(runs, seed)):
            on_file(number)
            path = Path(name) / f"logs{suffix}"
            path.write_bytes(data)
            if (fault := find_fault(path)) is not None:
                yield suffix, data, fault


def main() -> int:
    """Run as the command line says, and return 1 if there was a fault, otherwise 0."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=12_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path, default=Path("tables"))
    arguments = parser.parse_args()
    faults = 0
    for suffix, data, fault in run(arguments.runs, arguments.seed):
        arguments.keep.mkdir(parents=True, exist_ok=True)
        path = arguments.keep / f"{faults}{suffix}"
        path.write_bytes(data)
        faults += 1
        print(f"{path}: {fault}", flush=True)
    print(f"{arguments.runs} files, {faults} faults")
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main())
