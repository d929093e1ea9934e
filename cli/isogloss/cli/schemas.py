"""``isogloss schemas``: the reference schemas, to read and to take elsewhere."""

from __future__ import annotations

from pathlib import Path

import click
import orjson

from isogloss import schemas
from isogloss.cli import output
from isogloss.cli.dialect_choice import dialect_options, named
from isogloss.cli.listing import format_option, write_json

__all__ = ["command"]

_PRETTY = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE
_variant = click.option("--open", "variant", flag_value="open", help="Without closed objects: the contract alone.")
_strict = click.option(
    "--strict", "variant", flag_value="strict", help="With what only the published reference requires."
)

_errors = click.option(
    "--errors", "variant", flag_value="errors", help="Without what is only a warning or a note: for a gate."
)
_dialect = click.option("--dialect", metavar="SLUG", help="With the deviations of this dialect allowed.")


@click.group(name="schemas")
def command() -> None:
    """List, show and export the reference schemas (JSON Schema draft 2020-12)."""


@command.command(name="list")
@format_option
def list_(output_format: str) -> None:
    """List the schemas."""
    if output_format == "json":
        write_json([{"name": name, "title": schemas.load(name)["title"]} for name in schemas.NAMES])
        return
    for name in schemas.NAMES:
        click.echo(f"{name:<12}{schemas.load(name)['title']}")


@command.command()
@click.argument("name", type=click.Choice(schemas.NAMES))
@_variant
@_errors
@_strict
@_dialect
@dialect_options
def show(name: str, variant: str | None, dialect: str | None, dialect_files: tuple[Path, ...]) -> None:
    """Print a schema as one self-contained document."""
    click.echo(_text(name, variant, dialect, dialect_files), nl=False)


@command.command()
@click.argument("directory", type=click.Path(file_okay=False, path_type=Path))
@_variant
@_errors
@_strict
@_dialect
@dialect_options
def export(directory: Path, variant: str | None, dialect: str | None, dialect_files: tuple[Path, ...]) -> None:
    """Write every schema to DIRECTORY, each as one self-contained file that other validators take as it is."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise output.Unwritable(directory, error) from error
    for name in schemas.NAMES:
        target = directory / f"{name}.json"
        with output.replacing(target) as out:
            out.write(_text(name, variant, dialect, dialect_files))
        click.echo(target)


def _text(name: str, variant: str | None, dialect: str | None, dialect_files: tuple[Path, ...]) -> str:
    if dialect is None:
        document = schemas.bundle(name, variant or "reference")
    else:
        document = schemas.spoken(name, named(dialect, dialect_files).data, variant or "reference")
    return orjson.dumps(document, option=_PRETTY).decode()
