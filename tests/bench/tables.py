"""Write exchange records as tables, with a row for each and bodies as JSON text, and the same rows as JSON Lines."""

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
    all_rows = []
    for number, record in enumerate(records):
        row = {name: record.get(name) for name in NAMES} | {"id": str(number)}
        for name in ("request", "response"):
            if row[name] is not None:
                row[name] = _json(row[name])
        row["response"] = record.get("response_text") if row["response"] is None else row["response"]
        all_rows.append(row)
    return all_rows


def lines(path: Path, rows: Iterable[dict[str, Any]], *, objects: bool = False) -> None:
    """Write rows as JSON Lines, with bodies as text or, if ``objects`` is true, as objects. Gateways write either."""
    with path.open("w", encoding="utf-8") as out:
        for row in rows:
            record = dict(row)
            for name in ("request", "response") if objects else ():
                try:
                    record[name] = json.loads(row[name]) if row[name] is not None else None
                except ValueError:
                    record["response_text"] = record.pop(name)
            out.write(_json(record) + "\n")


def parquet(path: Path, rows: list[dict[str, Any]], *, group: int = 2000) -> None:
    """Write rows as a Parquet file, with ``group`` rows in each row group."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    types = [(name, pa.int64() if name == "status" else pa.string()) for name in NAMES]
    pq.write_table(pa.Table.from_pylist(rows, pa.schema(types)), path, row_group_size=group, compression="zstd")


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
