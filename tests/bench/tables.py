"""Write exchange records as tables: a row each, bodies as JSON text in columns; and the same rows as JSON Lines."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

COLUMNS = "request=request,response=response,stream=sse,status=status,content-type=content_type,host=host,path=path"
NAMES = ("id", "request", "response", "sse", "status", "content_type", "host", "path")
"""The columns of the rows; ``id`` is the number of the row, as text."""


def rows(records: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return a row for each exchange record, with its bodies as text."""
    found = []
    for number, record in enumerate(records):
        row = {name: record.get(name) for name in NAMES} | {"id": str(number)}
        for name in ("request", "response"):
            if row[name] is not None:
                row[name] = _written(row[name])
        row["response"] = record.get("response_text") if row["response"] is None else row["response"]
        found.append(row)
    return found


def lines(path: Path, of: Iterable[dict[str, Any]], *, objects: bool = False) -> None:
    """Write rows as JSON Lines, with their bodies as text or as ``objects``. Gateways write either."""
    with path.open("w", encoding="utf-8") as out:
        for row in of:
            record = dict(row)
            for name in ("request", "response") if objects else ():
                try:
                    record[name] = json.loads(row[name]) if row[name] is not None else None
                except ValueError:
                    record["response_text"] = record.pop(name)
            out.write(_written(record) + "\n")


def parquet(path: Path, of: list[dict[str, Any]], *, group: int = 2000) -> None:
    """Write rows as a Parquet file, with ``group`` rows in each row group."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    types = [(name, pa.int64() if name == "status" else pa.string()) for name in NAMES]
    pq.write_table(pa.Table.from_pylist(of, pa.schema(types)), path, row_group_size=group, compression="zstd")


def _written(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
