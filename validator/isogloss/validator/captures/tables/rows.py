"""Read the rows of an Arrow batch as exchanges. They are read by a mapping, as records of JSON Lines are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from isogloss.validator.captures.document import Document, Node
from isogloss.validator.captures.limits import LARGEST_DOCUMENT
from isogloss.validator.captures.mapping import Mapping, names_of
from isogloss.validator.captures.structures.objects.mapped import read_mapped
from isogloss.validator.captures.tables.cells import is_number, is_text, numbers, texts
from isogloss.validator.captures.tables.columns import parts_with_columns
from isogloss.validator.decode import Decoded
from isogloss.validator.exchange import Exchange, Skipped, Why
from isogloss.validator.suggesting import hint
from isogloss.validator.text import CellText, Text

__all__ = ["Column", "locate_columns", "rows"]


class Column(NamedTuple):
    """A column that is read: its name, the fields of structs that lead on from it, and whether it holds numbers."""

    name: str
    fields: tuple[str, ...]
    number: bool

    @property
    def path(self) -> str:
        """The name of the column and of the fields, joined by dots."""
        return ".".join((self.name, *self.fields))


def locate_columns(schema: Any, mapping: Mapping) -> tuple[Column, ...]:
    """Return the columns of a table to which a mapping leads, each once.

    A path leads through structs to a field, and from a column of JSON text on into this text. Raises ``ValueError`` for
    a column that is not there, and ``TypeError`` for a column whose type holds no text.
    """
    found = (_locate(schema, part, path) for part, path in parts_with_columns(mapping))
    return tuple(dict.fromkeys(found))


def _locate(schema: Any, part: str, path: str) -> Column:
    steps = (path,) if path in schema.names else names_of(path)
    for end in range(len(steps), 0, -1):  # the longest name first, as in records: a name may have dots
        name = ".".join(steps[:end])
        if schema.names.count(name) > 1:
            raise ValueError(f"several columns are called {name!r}")
        if name in schema.names:
            return _column_inside(schema.field(name).type, part, name, steps[end:])
    what_next = hint(path, schema.names)
    raise ValueError(f"no column is called {path!r}, which is to hold the {_with_spaces(part)}; {what_next}")


def _column_inside(type_: Any, part: str, name: str, steps: tuple[str, ...]) -> Column:
    fields: tuple[str, ...] = ()
    while steps and pa.types.is_struct(type_):
        for end in range(len(steps), 0, -1):
            if type_.get_field_index(".".join(steps[:end])) >= 0:
                break
        else:
            raise ValueError(f"the struct {'.'.join((name, *fields))!r} has no field {steps[0]!r}")
        fields, steps = (*fields, ".".join(steps[:end])), steps[end:]
        type_ = type_.field(fields[-1]).type
    number = part == "status" and is_number(type_)
    if not number and not is_text(type_):
        raise TypeError(_type_message(type_, part, ".".join((name, *fields))))
    return Column(name, fields, number)


def _type_message(type_: Any, part: str, path: str) -> str:
    column = f"the column {path!r}"
    if _is_variant(type_):
        return (
            f"{column} is a VARIANT, which is not text: turn it into JSON text in the query that reads it, as with "
            f"to_json({path})"
        )
    if pa.types.is_nested(type_):
        kind = "struct" if pa.types.is_struct(type_) else "list" if pa.types.is_list(type_) else "nested type"
        return (
            f"{column} is a {kind}, which cannot say whether a property was absent or null, so that findings would be "
            f"false: keep the {_with_spaces(part)} as JSON text, in a column of strings"
        )
    wanted = "text or numbers" if part == "status" else "text (string, binary, JSON, or a dictionary of these)"
    return f"{column} is of type {type_}, and the {_with_spaces(part)} has to be {wanted}"


def _is_variant(type_: Any) -> bool:
    if isinstance(type_, pa.BaseExtensionType):
        return "variant" in type_.extension_name
    fields = {field.name for field in type_} if pa.types.is_struct(type_) else set()
    return fields in ({"metadata", "value"}, {"metadata", "value", "typed_value"})


def _with_spaces(part: str) -> str:
    return part.replace("_", " ")


def rows(
    batch: Any, mapping: Mapping, *, file: str = "<batch>", first: int = 0, row_group: int | None = None
) -> Iterator[Exchange | Skipped]:
    """Yield the exchange of each row of a record batch, or why it is skipped: as many as there are rows, in order.

    ``first`` is the number of the first row in its file. Raises the exceptions of :func:`locate_columns`.
    """
    parts = {part: _locate(batch.schema, part, path) for part, path in parts_with_columns(mapping)}
    arrays = {column: _array(batch, column) for column in parts.values()}
    empty = {part: "" for part, column in parts.items() if arrays[column].null_count == batch.num_rows}
    mapping = mapping._replace(**empty)  # type: ignore[arg-type]
    column_cells = [
        (column.path, numbers(arrays[column]) if column.number else texts(arrays[column]))
        for column in dict.fromkeys(column for part, column in parts.items() if part not in empty)
    ]
    for number in range(batch.num_rows):
        row: dict[str, CellText | int] = {}
        too_large = ""
        line = first + number + 1
        for path, cells in column_cells:
            cell = cells[number]
            if isinstance(cell, bytes):
                if len(cell) > LARGEST_DOCUMENT:
                    too_large = path
                row[path] = CellText(cell, line)
            elif cell is not None:
                row[path] = cell
        if too_large:
            why = Why(f"{too_large} is larger than {LARGEST_DOCUMENT >> 20} MiB")
            yield Skipped(file=file, number=first + number, why=why)
            continue
        document = Document(Text(b"", line), Decoded(row, sound=True))
        yield read_mapped(file, first + number, Node(document, row, ()), mapping, row_group=row_group)


def _array(batch: Any, column: Column) -> Any:
    array = batch.column(column.name)
    for field in column.fields:
        array = pc.struct_field(array, field)
    return array
