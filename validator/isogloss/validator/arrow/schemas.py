"""Define the schemas of the tables that :mod:`isogloss.validator.arrow` makes, for Arrow and for Spark."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pyarrow as pa

from isogloss.validator.captures.tables.cells import plain_type

__all__ = ["FINDING", "ddl", "kept_type", "schema", "verdict_schema"]

FINDING = (
    ("rule", pa.string()),
    ("severity", pa.string()),
    ("message", pa.string()),
    ("kind", pa.string()),
    ("path", pa.string()),
    ("pointer", pa.string()),
    ("event", pa.int32()),
    ("count", pa.int32()),
    ("explained_by", pa.list_(pa.string())),
)
"""The columns of a finding. ``event`` is null if the finding is not about an event of a stream."""
_DIALECT = ("dialect", pa.string())

_SPARK_TYPES = {
    "bool": "BOOLEAN", "int8": "TINYINT", "int16": "SMALLINT", "int32": "INT", "int64": "BIGINT", "halffloat": "FLOAT",
    "float": "FLOAT", "double": "DOUBLE", "string": "STRING", "large_string": "STRING", "string_view": "STRING",
    "binary": "BINARY", "large_binary": "BINARY", "binary_view": "BINARY", "date32[day]": "DATE", "null": "VOID",
}  # fmt: skip
"""The types of Spark SQL: https://spark.apache.org/docs/latest/sql-ref-datatypes.html, read 2026-11."""


def schema(keep: Any = ()) -> Any:
    """Return the schema of :func:`findings`: the kept columns, then the columns about each finding.

    ``keep`` is the schema of the kept columns (a ``pyarrow.Schema``, fields, or types by name). Dictionaries come out
    as their values, and views of strings as strings, because Spark takes neither.
    """
    return pa.schema([*(pa.field(field.name, kept_type(field.type)) for field in _fields(keep)), *FINDING, _DIALECT])


def verdict_schema() -> Any:
    """Return the schema of :func:`verdicts`.

    ``errors``, ``warnings`` and ``notes`` count findings; ``unexplained`` counts those that no dialect explains.
    ``dialect`` is the dialect of the row, given or found, or ``undetermined``; it is null with ``openai``, and for a
    row that is skipped. ``confidence`` says from 0 to 1 how sure the dialect is, if ``auto`` named one. ``skipped`` is
    the reason why the row was not checked, and null if it was. ``findings`` are structs with the columns of
    :func:`schema`, except ``dialect``.
    """
    counts = [pa.field(name, pa.int32()) for name in ("errors", "warnings", "notes", "unexplained")]
    attributed = [_DIALECT, ("confidence", pa.float64())]
    found = ("findings", pa.list_(pa.struct(FINDING)))
    return pa.schema([*counts, *attributed, ("skipped", pa.string()), found])


def ddl(of: Any) -> str:
    """Return a schema in the form of Spark SQL. ``mapInArrow`` and similar functions want it before anything is read.

    Raises ``TypeError`` for a type that has no name in Spark.
    """
    return ", ".join(f"{_quote(field.name)} {_spark_type(field.type)}" for field in of)


def kept_type(type_: Any) -> Any:
    """Return the type that a kept column has in the result."""
    plain = plain_type(type_)
    return {pa.string_view(): pa.string(), pa.binary_view(): pa.binary()}.get(plain, plain)


def _fields(keep: Any) -> Iterable[Any]:
    if isinstance(keep, Mapping):
        return [pa.field(name, type_) for name, type_ in keep.items()]
    return list(keep)


def _quote(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def _spark_type(type_: Any) -> str:
    if name := _SPARK_TYPES.get(str(type_)):
        return name
    if pa.types.is_timestamp(type_):
        return "TIMESTAMP" if type_.tz is not None else "TIMESTAMP_NTZ"
    if pa.types.is_decimal(type_):
        return f"DECIMAL({type_.precision}, {type_.scale})"
    if pa.types.is_list(type_) or pa.types.is_large_list(type_):
        return f"ARRAY<{_spark_type(type_.value_type)}>"
    if pa.types.is_struct(type_):
        fields = ", ".join(f"{_quote(field.name)}: {_spark_type(field.type)}" for field in type_)
        return f"STRUCT<{fields}>"
    if pa.types.is_map(type_):
        return f"MAP<{_spark_type(type_.key_type)}, {_spark_type(type_.item_type)}>"
    raise TypeError(f"Spark has no type for {type_}")
