"""Check exchanges in Arrow tables, one in each row: functions for engines that run them (Spark, Ray, DuckDB).

    import pyarrow.parquet as pq
    from isogloss.validator.arrow import findings

    for batch in pq.ParquetFile("logs.parquet").iter_batches(2000):
        print(findings(batch, {"request": "request_json", "response": "response_json"}, keep=["id"]))

Needs pyarrow: ``pip install 'isogloss[arrow]'``. The rest of isogloss imports pyarrow only when it reads a table.
"""

from __future__ import annotations

try:
    import pyarrow as _  # noqa: F401
except ModuleNotFoundError as error:
    raise ModuleNotFoundError("reading Arrow tables needs pyarrow: pip install 'isogloss[arrow]'") from error

from isogloss.validator.arrow.judging import findings, verdicts
from isogloss.validator.arrow.schemas import ddl, schema, verdict_schema
from isogloss.validator.captures.tables.columns import PRESETS, Preset

__all__ = ["PRESETS", "Preset", "ddl", "findings", "schema", "verdict_schema", "verdicts"]
