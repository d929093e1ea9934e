"""``isogloss fold``: the completions that captured streams stand for."""

from __future__ import annotations

import sys

import click
import orjson

from isogloss.cli import exits, inputs
from isogloss.validator.exchange import Skipped, Stream
from isogloss.validator.fold import fold
from isogloss.validator.trace import Trace

__all__ = ["command"]


@click.command(name="fold")
@click.argument("capture", type=click.Path(exists=True, dir_okay=False, allow_dash=True))
@click.pass_context
def command(ctx: click.Context, capture: str) -> None:
    """Print the completion that each stream in CAPTURE folds into, indented, one after the other."""
    folded = 0
    for found in inputs.read(capture):
        if isinstance(found, Skipped) or found.response is None or not isinstance(found.response.body, Stream):
            continue
        whole = fold(Trace(found.response.body))
        if whole is not None:
            folded += 1
            sys.stdout.write(orjson.dumps(whole.value, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE).decode())
    if not folded:
        click.echo(f"{capture}: no stream with a choice in it", err=True)
        ctx.exit(exits.NOTHING_CHECKED)
