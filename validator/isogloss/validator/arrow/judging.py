"""Judge the rows of Arrow tables: a verdict for each row, or a table of all findings."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import pyarrow as pa

from isogloss.validator.arrow.finding_columns import FindingColumns
from isogloss.validator.arrow.schemas import kept_type, schema, verdict_schema
from isogloss.validator.captures.mapping import Mapping as Columns
from isogloss.validator.captures.tables.cells import plain_values
from isogloss.validator.captures.tables.columns import columns_of
from isogloss.validator.captures.tables.rows import rows
from isogloss.validator.examining.examiner import RuleFailed
from isogloss.validator.examining.expectations import Expectation
from isogloss.validator.exchange import Skipped, Why
from isogloss.validator.findings import SEVERITIES, Severity
from isogloss.validator.judging.choosing import judge_by
from isogloss.validator.judging.judge import Judge, UnplacedFinding, Verdict
from isogloss.validator.quoting import printable
from isogloss.validator.suggesting import unknown

__all__ = ["findings", "verdicts"]

_JUDGE_LOCK = threading.Lock()  # engines call from several threads, and a judge has a cache

_SEVERITIES = (Severity.ERROR, Severity.WARNING, Severity.NOTE)


def verdicts(
    batch: Any,
    columns: str | Mapping[str, str | bool] | Columns,
    *,
    dialect: str = "openai",
    select: Iterable[str] = (),
    ignore: Iterable[str] = (),
    expect: Iterable[Expectation] = (),
) -> Any:
    """Judge each row, and return one row for each, in the same order, with the columns of :func:`verdict_schema`.

    ``batch`` is a ``pyarrow.RecordBatch``, a table, or an object that can become a table (Polars' frames and DuckDB's
    relations, by their ``__arrow_c_stream__``). For a batch, the result is a batch; for the others, a table.
    ``columns`` is the name of one of :data:`PRESETS`, or says which columns hold the ``request``, the ``response``, the
    ``stream`` (the text of a streamed answer), ``status``, ``content_type``, ``host`` and ``path``, as in the example
    ``{"request": "request_json", "response": "response_json"}``. The name of a column may go on into a struct or into
    JSON text: ``payload.request``. ``as_sent: False`` says that a library or a log wrote the bodies anew. ``dialect``,
    ``select``, ``ignore`` and ``expect`` are those of :func:`isogloss.validator.check`.

    A row that cannot be checked (no body, another API, too large) has the reason in ``skipped``; no row raises. Pass
    about 2,000 rows at once: with fewer, each row costs more; with more, memory grows and no time is saved.

    Raises ``ValueError`` for an unknown dialect, rule, preset or column and for an expectation that cannot be checked.
    Raises ``TypeError`` for a column whose type holds no text: JSON that was inferred into a struct has null for
    properties that were absent.
    """
    judge = judge_by(dialect, select, ignore, expect)
    return _apply(batch, partial(_verdict_batch, columns=columns_of(columns), judge=judge))


def findings(
    batch: Any,
    columns: str | Mapping[str, str | bool] | Columns,
    *,
    dialect: str = "openai",
    select: Iterable[str] = (),
    ignore: Iterable[str] = (),
    expect: Iterable[Expectation] = (),
    keep: Sequence[str] = (),
    at_least: str = "note",
) -> Any:
    """Judge each row, and return a row for each finding, with the columns of :func:`schema`.

    ``keep`` names columns of the batch that identify the row of a finding; they come first. ``at_least`` is the lowest
    severity of the findings to return: ``note``, ``warning`` or ``error``. Everything else is as with :func:`verdicts`.
    Rows that are skipped have no findings.
    """
    if at_least not in SEVERITIES:
        raise ValueError(unknown("severity", at_least, SEVERITIES))
    judge = judge_by(dialect, select, ignore, expect)
    least = SEVERITIES[at_least]
    keep = (keep,) if isinstance(keep, str) else tuple(keep)
    return _apply(batch, partial(_finding_batch, columns=columns_of(columns), judge=judge, keep=keep, least=least))


def _apply(batch: Any, function: Any) -> Any:
    """Apply a function to a batch, or to the batches of a table, and return the result as a batch or a table."""
    if isinstance(batch, pa.RecordBatch):
        return function(batch)
    table = batch if isinstance(batch, pa.Table) else pa.table(batch)
    batches = [function(part) for part in table.to_batches(max_chunksize=2000)]
    return pa.Table.from_batches(batches or [function(pa.RecordBatch.from_pylist([], table.schema))])


def _judge_rows(batch: Any, columns: Columns, judge: Judge) -> Iterator[Verdict | Skipped]:
    for number, row in enumerate(rows(batch, columns)):
        if isinstance(row, Skipped):
            yield row
            continue
        try:
            yield judge.judge(row)
        except RuleFailed as error:  # a bug in isogloss must not stop a job of hours
            yield Skipped(file=row.file, number=number, why=Why(f"isogloss failed: {error}"))


def _verdict_batch(batch: Any, *, columns: Columns, judge: Judge) -> Any:
    counts: tuple[list[int], ...] = ([], [], [], [])
    dialects: list[str | None] = []
    confidences: list[float | None] = []
    skipped: list[str | None] = []
    finding_columns = FindingColumns()
    ends = [0]
    with _JUDGE_LOCK:
        for verdict in _judge_rows(batch, columns, judge):
            found: Sequence[UnplacedFinding] = ()
            if isinstance(verdict, Skipped):
                dialects.append(None)
                confidences.append(None)
                skipped.append(printable(verdict.reason))
            else:
                found = verdict.unplaced
                dialects.append(verdict.speaks)
                confidences.append(_confidence(verdict))
                skipped.append(None)
                finding_columns.add(verdict)
            for severity, count in zip(_SEVERITIES, counts, strict=False):
                count.append(sum(one.severity is severity for one in found))
            counts[3].append(sum(not one.explained_by for one in found))
            ends.append(len(finding_columns))
    result_schema = verdict_schema()
    values = [*counts, dialects, confidences, skipped]
    arrays = [pa.array(one, field.type) for one, field in zip(values, result_schema, strict=False)]
    lists = pa.ListArray.from_arrays(pa.array(ends, pa.int32()), finding_columns.structs())
    return pa.RecordBatch.from_arrays([*arrays, lists], schema=result_schema)


def _finding_batch(batch: Any, *, columns: Columns, judge: Judge, keep: tuple[str, ...], least: Severity) -> Any:
    for name in keep:
        if batch.schema.names.count(name) != 1:
            raise ValueError(f"keep: there is no column called {name!r}, or there are several")
    finding_columns = FindingColumns(least)
    row_numbers: list[int] = []
    dialects: list[str | None] = []
    with _JUDGE_LOCK:
        for number, verdict in enumerate(_judge_rows(batch, columns, judge)):
            if not isinstance(verdict, Skipped):
                added = finding_columns.add(verdict)
                row_numbers += [number] * added
                dialects += [verdict.speaks] * added
    kept = [_kept_cells(batch.column(name), row_numbers) for name in keep]
    result_schema = schema(pa.field(name, array.type) for name, array in zip(keep, kept, strict=True))
    return pa.RecordBatch.from_arrays(
        [*kept, *finding_columns.arrays(), pa.array(dialects, pa.string())], schema=result_schema
    )


def _kept_cells(array: Any, row_numbers: list[int]) -> Any:
    """Return the cells of a column for some rows, in the type that the column has in :func:`schema`."""
    array = plain_values(array)
    if pa.types.is_dictionary(array.type):
        return _kept_cells(array.dictionary_decode(), row_numbers)
    return array.cast(kept_type(array.type)).take(pa.array(row_numbers, pa.int64()))


def _confidence(verdict: Verdict) -> float | None:
    """Return the confidence that the named dialect is spoken, or ``None`` if none was found by the evidence."""
    attribution = verdict.attribution
    return attribution.nearest.confidence if attribution is not None and attribution.sure else None
