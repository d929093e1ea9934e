"""``isogloss portability``: who takes a request as it is."""

from __future__ import annotations

from pathlib import Path

import click

from isogloss.cli import exits, inputs
from isogloss.cli.dialect_choice import dialect_options, known
from isogloss.validator.dialects.restrictions import restricted
from isogloss.validator.exchange import Payload, Skipped
from isogloss.validator.pointer import rfc6901
from isogloss.validator.quoting import printable

__all__ = ["command"]


@click.command(name="portability")
@click.argument("paths", nargs=-1, required=True, type=click.Path(exists=True, allow_dash=True), metavar="REQUEST...")
@dialect_options
@click.pass_context
def command(ctx: click.Context, paths: tuple[str, ...], dialect_files: tuple[Path, ...]) -> None:
    """Print which dialects take each REQUEST as it is, and what each of the others would reject or ignore.

    Only documented restrictions count; a dialect of which none are known says nothing and is listed as such.
    """
    found = [
        dialect
        for dialect in sorted(known(dialect_files).values(), key=lambda one: one.slug)
        if dialect.kind != "reference"
    ]
    requests = 0
    for payload, file in _requests(paths):
        requests += 1
        click.echo(f"{printable(file)}:")
        takes = []
        for dialect in found:
            refused = list(restricted(dialect, payload.value))
            if refused:
                what = "; ".join(f"{one.restriction.effect} {rfc6901(one.pointer)}" for one in refused)
                click.echo(f"  {dialect.slug}: {printable(what)}")
            elif dialect.restrictions:
                takes.append(dialect.slug)
        click.echo(f"  as it is: {', '.join(takes) or 'none'}")
        silent = [dialect.slug for dialect in found if not dialect.restrictions]
        if silent:
            click.echo(f"  no restriction known: {', '.join(silent)}")
    if not requests:
        click.echo("no request was recognised in these files", err=True)
        ctx.exit(exits.NOTHING_CHECKED)


def _requests(paths: tuple[str, ...]) -> list[tuple[Payload, str]]:
    found = []
    for path in inputs.walk(paths):
        if isinstance(path, Skipped):
            continue
        for one in inputs.read(path):
            if not isinstance(one, Skipped) and one.request is not None:
                found.append((one.request, one.file))
    return found
