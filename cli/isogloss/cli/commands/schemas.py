"""``isogloss schemas``: list, show and export the reference schemas, or compare them with newer sources."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import click

from isogloss import schemas
from isogloss.cli.configuration.dialect_choice import check_use, dialect_files_option, find_dialect
from isogloss.cli.configuration.named_files import read_named
from isogloss.cli.configuration.option_groups import join
from isogloss.cli.configuration.parameters import GivenPath
from isogloss.cli.configuration.paths import display_path
from isogloss.cli.configuration.settings import own_dialects
from isogloss.cli.configuration.settings_schema import schema
from isogloss.cli.drift.command import command as drift
from isogloss.cli.elements.indented_json import print_json, write_document
from isogloss.cli.elements.outputs import text_or_json_option
from isogloss.cli.process import output
from isogloss.cli.process.terminal import aligned, write_plain
from isogloss.validator.quoting import printable
from isogloss.validator.secrets import mask_text

__all__ = ["command"]

_document_options = join(
    click.option(
        "--open",
        is_flag=True,
        help="Leave out constraints whose violations are only notes: unknown properties are allowed.",
    ),
    click.option("--errors", is_flag=True, help="Leave out constraints whose violations are only warnings or notes."),
    click.option("--strict", is_flag=True, help="Add what only the published reference requires."),
    click.option("--dialect", metavar="SLUG", help="Allow the deviations of this dialect."),
    dialect_files_option,
)
"""Adds the options that say which form of the schemas is meant."""


@click.group(name="schemas")
def command() -> None:
    """List, show and export the reference schemas (JSON Schema draft 2020-12), or compare them with newer sources."""


command.add_command(drift)


@command.command(name="list")
@text_or_json_option
def list_(output_format: str) -> None:
    """List the schemas."""
    if output_format == "json":
        print_json([{"name": name, "title": schemas.load(name)["title"]} for name in schemas.NAMES])
        return
    write_plain(aligned((name, schemas.load(name)["title"]) for name in schemas.NAMES), sys.stdout)


@command.command()
@click.argument("name", type=click.Choice(schemas.NAMES))
@_document_options
def show(name: str, **wanted: Any) -> None:
    """Print a schema as one self-contained document."""
    print_json(_document(name, **wanted))


def _base_uri(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    """Return a base URI with one slash at its end, so that ids and addresses can be made from it.

    Return ``None`` if there is no value. Raises ``click.BadParameter`` if it is not the https address of a folder.
    """
    if value is None:
        return None
    parts = urlsplit(value)
    if parts.scheme != "https" or not parts.netloc or parts.query or parts.fragment:
        raise click.BadParameter(f"{value!r} is not the https address of a folder, like https://example.org/schemas/")
    return f"{value.rstrip('/')}/"


@command.command()
@click.argument("folder", type=GivenPath(file=False, folder=True))
@_document_options
@click.option(
    "--base-uri",
    metavar="URL",
    callback=_base_uri,
    help="Where the files will be published: each gets its address there as its id, and editors get catalog.json.",
)
def export(folder: Path, base_uri: str | None, **wanted: Any) -> None:
    """Write every schema to FOLDER, each as one file.

    Each file is self-contained, so other validators can read it as it is. With --base-uri, also write the schema of
    isogloss.toml, and catalog.json, which tells editors which schema is for which files, in the form of SchemaStore.
    Only schemas are overwritten.
    """
    documents = {name: _document(name, **wanted) for name in schemas.NAMES}
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise output.Unwritable(folder, error) from error
    if base_uri is not None:
        documents["configuration"] = schema()
        documents = {name: document | {"$id": f"{base_uri}{name}.json"} for name, document in documents.items()}
        documents["catalog"] = _catalog(documents)
    targets = {name: folder / f"{name}.json" for name in documents}
    for name, target in targets.items():
        if target.is_file() and documents[name]["$schema"].encode() not in read_named(target):
            raise click.UsageError(f"{display_path(str(target))} is there already and no schema: name another folder")
    for name, document in documents.items():
        target = targets[name]
        with output.open_atomic(target) as out:
            write_document(document, out)
        click.echo(printable(mask_text(str(target))))


_FILE_NAMES = {
    "completion": "*.chat-completion.json",
    "chunk": "*.chat-completion-chunk.json",
    "request": "*.chat-completion-request.json",
    "error": "*.chat-completion-error.json",
    "configuration": "isogloss.toml",
}
"""The names of the files that each schema is for. Files with payloads have no common name, so they get one here."""


def _catalog(documents: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Return the catalog that tells editors which schema is for which files.

    Its format is described at https://json.schemastore.org/schema-catalog.json.
    """
    return {
        "$schema": "https://json.schemastore.org/schema-catalog.json",
        "version": 1,
        "schemas": [
            {
                "name": document["title"],
                "description": document.get("description", document["title"]),
                "fileMatch": [_FILE_NAMES[name]],
                "url": document["$id"],
            }
            for name, document in documents.items()
        ],
    }


def _document(name: str, *, dialect: str | None, dialect_files: tuple[Path, ...], **variants: bool) -> dict[str, Any]:
    wanted = [variant for variant, is_wanted in variants.items() if is_wanted]
    if len(wanted) > 1:
        raise click.UsageError(f"--{wanted[0]} and --{wanted[1]} are two forms of a schema: choose one")
    check_use(dialect_files, [] if dialect is None else [dialect])
    variant = wanted[0] if wanted else "reference"
    if dialect is None:
        return schemas.bundle(name, variant)
    return schemas.dialect_bundle(name, find_dialect(dialect, own_dialects(dialect_files)).data, variant)
