"""Read the cells of an Arrow column as bytes or numbers, whatever the type of the column. Keys are masked."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from isogloss.validator.secrets import mask

__all__ = ["is_number", "is_text", "numbers", "plain_type", "plain_values", "texts"]

_OFFSET_SIZES = {pa.string(): 4, pa.binary(): 4, pa.large_string(): 8, pa.large_binary(): 8}
"""The size of each offset, in bytes."""


def plain_type(type_: Any) -> Any:
    """Return the type of the values of a column, without dictionary, run-end encoding and extension."""
    if isinstance(type_, pa.BaseExtensionType):
        return plain_type(type_.storage_type)
    if pa.types.is_dictionary(type_) or pa.types.is_run_end_encoded(type_):
        return plain_type(type_.value_type)
    return type_


def plain_values(array: Any) -> Any:
    """Return an array without run-end encoding and extension. It may be a dictionary."""
    if isinstance(array, pa.ExtensionArray):
        return plain_values(array.storage)
    return plain_values(pc.run_end_decode(array)) if pa.types.is_run_end_encoded(array.type) else array


def is_text(type_: Any) -> bool:
    """Return whether a column of this type can hold JSON text, or can hold only nulls."""
    plain = plain_type(type_)
    return (
        plain in _OFFSET_SIZES
        or pa.types.is_null(plain)
        or pa.types.is_string_view(plain)
        or pa.types.is_binary_view(plain)
        or pa.types.is_fixed_size_binary(plain)
    )


def is_number(type_: Any) -> bool:
    """Return whether a column of this type can hold the status of an answer as a number."""
    plain = plain_type(type_)
    return bool(pa.types.is_integer(plain) or pa.types.is_floating(plain) or pa.types.is_decimal(plain))


def texts(array: Any) -> list[bytes | None]:
    """Return the bytes of each cell of an array whose type is one of text (:func:`is_text`), or ``None`` for a null.

    Keys are masked: in a dictionary once for all cells that share a value.
    """
    array = plain_values(array)
    type_ = array.type
    if pa.types.is_dictionary(type_):
        known = texts(array.dictionary)
        return [None if index is None else known[index] for index in array.indices.to_pylist()]
    if pa.types.is_null(type_):
        return [None] * len(array)
    if type_ not in _OFFSET_SIZES:
        return _slices(array.cast(pa.large_binary()))
    return _slices(array)


def _slices(array: Any) -> list[bytes | None]:
    """Return the bytes of each cell, which are those between two offsets, or ``None`` for a null.

    Each cell is copied once, and none is decoded as text.
    """
    count = len(array)
    if not count:
        return []
    _, offsets, data = array.buffers()
    size = _OFFSET_SIZES[array.type]
    first = array.offset * size
    raw = memoryview(offsets)[first : first + (count + 1) * size]
    positions = (raw.cast("i") if size == 4 else raw.cast("q")).tolist()
    all_bytes = memoryview(data) if data is not None else memoryview(b"")
    found: list[bytes | None] = [mask(bytes(all_bytes[start:end])) for start, end in pairwise(positions)]
    if array.null_count:
        for number, valid in enumerate(array.is_valid().to_pylist()):
            if not valid:
                found[number] = None
    return found


def numbers(array: Any) -> Sequence[int | None]:
    """Return the whole number in each cell of an array whose type is a number (:func:`is_number`).

    A cell with any other value, or with a number of more than six digits, becomes ``None``.
    """
    return [int(cell) if cell is not None and cell == cell and abs(cell) < 10**6 and cell == int(cell) else None
            for cell in plain_values(array).to_pylist()]  # fmt: skip
