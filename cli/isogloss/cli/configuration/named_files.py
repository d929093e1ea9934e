"""Read a file that a user names, other than a capture, whole and within a bound."""

from __future__ import annotations

import codecs
from pathlib import Path
from typing import Any

import click
import orjson
from msgspec import Struct
from msgspec.structs import replace

from isogloss.cli.configuration.parameters import why_unreadable
from isogloss.cli.configuration.paths import display_path
from isogloss.validator import jsontext
from isogloss.validator.captures.capture import read_fully
from isogloss.validator.captures.limits import LARGEST_DOCUMENT
from isogloss.validator.pointer import Pointer
from isogloss.validator.secrets import mask
from isogloss.validator.text import Text

__all__ = ["NamedJson", "as_utf_8", "parse_json", "read_json", "read_named"]


class NamedJson(Struct, frozen=True):
    """The name, the content and the value of a JSON file."""

    name: str
    data: bytes
    value: Any

    def error(self, message: str, pointer: Pointer = ()) -> click.UsageError:
        """Return the error about the value at a pointer, with file, line and column."""
        return self.error_at(message, jsontext.scan(self.data).offset(pointer))

    def error_at(self, message: str, offset: int) -> click.UsageError:
        """Return the error about what stands at an offset, with file, line and column."""
        place = Text(self.data).place(offset)
        return click.UsageError(f"{self.name}:{place.line}:{place.column}: {message}")


def read_json(path: Path, what: str, *, hint: str = "", remedy: str = "") -> NamedJson:
    """Return the content of a JSON file, read as :func:`read_named` does, with keys masked.

    Raises ``click.UsageError`` at a fault. ``remedy`` says what to do about a fault.
    """
    return parse_json(display_path(str(path)), read_named(path, what, hint=hint), what, remedy=remedy)


def parse_json(name: str, data: bytes, what: str, *, remedy: str = "") -> NamedJson:
    """Return the content of a JSON file that was read, with keys masked. Raises ``click.UsageError`` at a fault."""
    file = NamedJson(name, mask(as_utf_8(data)), None)
    try:
        return replace(file, value=orjson.loads(file.data))
    except orjson.JSONDecodeError as error:
        fault = next(iter(jsontext.scan(file.data).faults), None)
        words, offset = (fault.message, fault.offset) if fault is not None else (str(error), error.pos)
        raise file.error_at(f"{what} is not JSON: {words}{remedy}", offset) from error


def as_utf_8(data: bytes) -> bytes:
    """Return a text as UTF-8 without a byte order mark: Windows PowerShell writes a mark, or UTF-16."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16", "replace").encode()
    return data.removeprefix(codecs.BOM_UTF8)


def read_named(path: Path, what: str = "", *, hint: str = "") -> bytes:
    """Return the content of a file. Raises ``click.UsageError`` if it cannot be read, or has too much.

    ``what`` is what the file should be, such as ``the baseline``, and ``hint`` what to do if it is not there.
    """
    name = f"{what} {display_path(str(path))}".lstrip()
    try:
        with path.open("rb") as file:
            data = read_fully(file, LARGEST_DOCUMENT + 1)
    except FileNotFoundError as error:
        raise click.UsageError(f"cannot read {name}: {error.strerror}{hint}") from error
    except OSError as error:
        problem = why_unreadable(display_path(str(path)))
        raise click.UsageError(problem or f"cannot read {name}: {error.strerror or error}") from error
    if len(data) > LARGEST_DOCUMENT:
        raise click.UsageError(f"{name} has more than {LARGEST_DOCUMENT >> 20} MiB; is it the right file?")
    return data
