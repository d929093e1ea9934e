"""Measure how much faster two Spark workers check a table than one, and print the result.

    SPARK_LOCAL_IP=127.0.0.1 python tests/bench/spark_workers.py [--rows 100000] [--runs 3]

Needs the extra ``engines``, Java and two cores that do nothing else. Each number of workers runs as an application of
its own on a local cluster, with one core for each worker. The applications run in turns. The workers check some other
rows before the time is measured.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median

import mixture
import pyarrow as pa
import pyarrow.parquet as pq
import tables

from isogloss.validator.arrow import ddl, findings, schema

COLUMNS = {"request": "request", "response": "response", "stream": "sse", "status": "status"}
LONGEST_STREAM = 20
"""The number of chunks in the longest stream."""
ROWS_PER_GROUP = 2500


def write_table(path: Path, rows: int, group: int) -> None:
    """Write generated exchanges as a table, with ``group`` of them in each row group."""
    types = [(name, pa.int64() if name == "status" else pa.string()) for name in tables.NAMES]
    with pq.ParquetWriter(path, pa.schema(types), compression="zstd") as out:
        for first in range(0, rows, group):
            rows_of_group = tables.rows(mixture.exchanges(first, min(group, rows - first), LONGEST_STREAM))
            out.write_table(pa.Table.from_pylist(rows_of_group, out.schema))


def measure(folder: Path, workers: int) -> float:
    """Check the table in an application of its own, and return the seconds that it took."""
    from pyspark.sql import SparkSession

    groups = pq.ParquetFile(folder / "rows.parquet").num_row_groups
    spark = (
        SparkSession.builder.master(f"local-cluster[{workers},1,1024]")
        .config("spark.sql.execution.arrow.maxRecordsPerBatch", 2000)
        .config("spark.sql.files.minPartitionNum", groups)
        .config("spark.sql.files.openCostInBytes", 0)
        .config("spark.log.level", "ERROR")
        .getOrCreate()
    )
    result_schema = schema({"id": pa.string()})

    def check(name: str) -> float:
        start = time.perf_counter()
        checked = spark.read.parquet(str(folder / name)).mapInArrow(
            lambda batches: (findings(batch, COLUMNS, keep=["id"]) for batch in batches), ddl(result_schema)
        )
        checked.write.format("noop").mode("overwrite").save()
        return time.perf_counter() - start

    check("warming.parquet")  # starts the workers, which load the schemas
    seconds = check("rows.parquet")
    spark.stop()
    return seconds


def main(argv: Sequence[str] | None = None) -> None:
    """Measure both numbers of workers, and print the times."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--in-folder", help=argparse.SUPPRESS)
    parser.add_argument("--workers", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args(argv)
    if options.workers:
        print(measure(Path(options.in_folder), options.workers))
        return
    times: dict[int, list[float]] = {1: [], 2: []}
    with tempfile.TemporaryDirectory() as folder:
        write_table(Path(folder) / "rows.parquet", options.rows, ROWS_PER_GROUP)
        write_table(Path(folder) / "warming.parquet", 800, 100)
        environment = os.environ | {"PYSPARK_PYTHON": sys.executable, "PYTHONPATH": os.pathsep.join(sys.path)}
        for workers in (1, 2) * options.runs:
            command = [sys.executable, __file__, "--in-folder", folder, "--workers", str(workers)]
            result = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=environment)
            times[workers].append(float(result.stdout.splitlines()[-1]))
    for workers, seconds in times.items():
        listed = ", ".join(f"{each:.1f}" for each in seconds)
        print(f"workers: {workers}; seconds: {listed}; rows a second: {options.rows / median(seconds):,.0f}")
    print(f"two workers are {median(times[1]) / median(times[2]):.2f} times as fast as one")


if __name__ == "__main__":
    main()
