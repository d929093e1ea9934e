"""``isogloss portability``: who takes a request as it is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from isogloss.cli import exits, files, inputs
from isogloss.cli.dialect_choice import dialect_options, known
from isogloss.validator.dialects.model import Dialect
from isogloss.validator.dialects.restrictions import Restricted, restricted
from isogloss.validator.engines import walk
from isogloss.validator.examining.placing import value_at
from isogloss.validator.examining.schema_findings import violations
from isogloss.validator.exchange import Payload, Skipped
from isogloss.validator.pointer import rfc6901
from isogloss.validator.quoting import printable

__all__ = ["command"]


@click.command(name="portability")
@click.argument("paths", nargs=-1, required=True, type=click.Path(exists=True, allow_dash=True), metavar="REQUEST...")
@dialect_options
@click.pass_context
def command(ctx: click.Context, paths: tuple[str, ...], dialect_files: tuple[Path, ...]) -> None:
    """Print which dialects accept each REQUEST unchanged, and what each of the others would reject or ignore.

    Only documented restrictions are considered; dialects without any are listed separately. Properties that the
    reference does not have are only accepted by dialects that define them, as far as is known.
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
        for line in _lines(payload.value, found):
            click.echo(f"  {line}")
    if not requests:
        click.echo("no request was recognised in these files", err=True)
        ctx.exit(exits.NOTHING_CHECKED)


def _lines(request: object, dialects: list[Dialect]) -> Iterator[str]:
    """Yield lines with what is known about each dialect and the request."""
    added = [
        hit
        for rule, hit in violations("request", request, walk.errors("request", request))
        if rule == "unknown-property"
    ]
    takes, silent = [], []
    unknown: dict[str, list[str]] = {}
    for dialect in dialects:
        refused = [_refusal(one) for one in restricted(dialect, request)]
        strange = [
            hit for hit in added if dialect.deviation("request", hit.pointer, request, value_at(request, hit)) is None
        ]
        if refused:
            yield printable(f"{dialect.slug}: {'; '.join(refused)}")
        if strange:
            unknown.setdefault(", ".join(rfc6901(hit.pointer) for hit in strange), []).append(dialect.slug)
        elif not dialect.restrictions:
            silent.append(dialect.slug)
        elif not refused:
            takes.append(dialect.slug)
    yield f"as it is: {', '.join(takes) or 'none'}"
    for members, slugs in unknown.items():
        yield printable(f"nothing known of {members}: {', '.join(slugs)}")
    if silent:
        yield f"no restriction known: {', '.join(silent)}"


def _refusal(one: Restricted) -> str:
    """Return what a dialect does with which place. If it does so only for some requests, add why."""
    why = f" ({one.restriction.note.rstrip('.')})" if one.restriction.when is not None and one.restriction.note else ""
    return f"{one.restriction.effect} {rfc6901(one.pointer)}{why}"


def _requests(paths: tuple[str, ...]) -> list[tuple[Payload, str]]:
    found = []
    for path in files.walk(paths):
        if isinstance(path, Skipped):
            continue
        for one in inputs.read(path):
            if not isinstance(one, Skipped) and one.request is not None:
                found.append((one.request, one.file))
    return found
