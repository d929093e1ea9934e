"""``--dialect`` and ``--dialect-file``: load dialects by name and from files, and choose how findings are explained."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from isogloss import schemas
from isogloss.cli.configuration.named_files import read_named
from isogloss.validator import jsontext, nesting
from isogloss.validator.decode import decode
from isogloss.validator.suggesting import unknown
from isogloss.validator.text import Text

if TYPE_CHECKING:
    from isogloss.validator.dialects.model import Dialect
    from isogloss.validator.dialects.speakers import Speaker

__all__ = ["check_use", "dialect_options", "find_dialect", "known_dialects", "load_file", "speaker"]


dialect_options = click.option(
    "--dialect-file",
    "dialect_files",
    multiple=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A file with a dialect of your own. May be repeated.",
)
"""Adds ``--dialect-file`` to a command, as ``dialect_files``."""


def known_dialects(files: Sequence[Path]) -> dict[str, Dialect]:
    """Return every dialect by its slug: those that ship, and those of the files. The latter may replace the former."""
    from isogloss.validator.dialects import model as dialects

    return {one.slug: one for one in (*dialects.dialects(), *map(load_file, files))}


def check_use(files: Sequence[Path], names: Collection[str]) -> None:
    """Raise ``click.UsageError`` for a file of ``--dialect-file`` whose dialect is none of the names that are used."""
    for file in files if "auto" not in names else ():
        slug = load_file(file).slug
        if slug not in names:
            raise click.UsageError(f"--dialect-file {file} has no effect: add --dialect {slug}")


def find_dialect(slug: str, files: Sequence[Path]) -> Dialect:
    """Return the dialect with a slug or alias. Raises ``click.UsageError`` with the nearest name for an unknown one."""
    from isogloss.validator.dialects import model as dialects

    own = {dialect.slug: dialect for dialect in reversed([load_file(path) for path in files])}
    if slug in own:
        return own[slug]
    known_slug = schemas.slug_of(slug)
    if known_slug is not None:
        return dialects.dialect(known_slug)
    known = (*own, *schemas.dialect_names())
    raise click.UsageError(unknown("dialect", slug, known, see="isogloss dialects list"))


def speaker(name: str, files: Sequence[Path]) -> Speaker | None:
    """Return the speaker that explains findings.

    For ``openai`` it is ``None``. For ``auto`` it decides by the evidence. Otherwise it speaks the named dialect.
    """
    if schemas.slug_of(name) == "openai":
        return None
    from isogloss.validator.dialects.speakers import AutoSpeaker, FixedSpeaker

    if name == "auto":
        return AutoSpeaker(known_dialects(files).values())
    return FixedSpeaker(find_dialect(name, files))


def load_file(path: Path) -> Dialect:
    """Read the dialect in a file. Raises ``click.UsageError`` with the file, line and column of the first problem."""
    data = read_named(path)
    value, is_json = decode(data)
    scan = jsontext.scan(data)
    if not is_json or not isinstance(value, dict):
        fault = scan.faults[0] if scan.faults else None
        words = f"not JSON: {fault.message}" if fault else "a dialect is a JSON object"
        raise click.UsageError(_message_at(path, data, fault.offset if fault else 0, words))
    if nesting.is_deeper(value):
        raise click.UsageError(_message_at(path, data, 0, "nested too deep for a dialect"))
    import jsonschema

    from isogloss.validator import rules
    from isogloss.validator.examining.expectations import problem_of_schema

    errors = sorted(
        jsonschema.Draft202012Validator(schemas.dialect_schema()).iter_errors(value),
        key=lambda error: list(map(str, error.absolute_path)),
    )
    if errors:
        raise click.UsageError(_message_at(path, data, scan.offset(tuple(errors[0].absolute_path)), errors[0].message))
    for name in schemas.FACTS:
        for position, fact in enumerate(value.get(name, ())):
            if fact["source"] not in value["sources"]:
                raise click.UsageError(
                    _message_at(
                        path, data, scan.offset((name, position, "source")), f"no source is called {fact['source']!r}"
                    )
                )
            for property_name in ("schema", "when"):
                if property_name in fact and (problem := problem_of_schema(fact[property_name])):
                    offset = scan.offset((name, position, property_name))
                    raise click.UsageError(_message_at(path, data, offset, problem))
    for position, behaviour in enumerate(value.get("behaviours", ())):
        if behaviour["rule"] not in rules.names():
            message = unknown("rule", behaviour["rule"], rules.names(), see="isogloss rules")
            raise click.UsageError(_message_at(path, data, scan.offset(("behaviours", position, "rule")), message))
    for position, parent in enumerate(value.get("inherits", ())):
        if parent not in schemas.dialects():
            message = unknown("dialect", parent, schemas.dialects(), see="isogloss dialects list")
            raise click.UsageError(_message_at(path, data, scan.offset(("inherits", position)), message))
    from isogloss.validator.dialects import model as dialects

    return dialects.from_data(value)


def _message_at(path: Path, data: bytes, offset: int, message: str) -> str:
    place = Text(data).place(offset)
    return f"{path}:{place.line}:{place.column}: {message}"
