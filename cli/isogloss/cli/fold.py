"""``isogloss fold``: print the completions that captured streams stand for."""

from __future__ import annotations

import json
import sys

import click
import orjson

from isogloss.cli import exits, inputs
from isogloss.validator.exchange import Skipped, Stream
from isogloss.validator.secrets import mask
from isogloss.validator.streams.fold import fold
from isogloss.validator.streams.trace import Trace

__all__ = ["command"]

_PRETTY = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE


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
        if whole is None:
            continue
        try:
            text = mask(orjson.dumps(whole.value, option=_PRETTY)).decode()  # a key may have come in pieces
        except orjson.JSONEncodeError as error:  # reading goes deeper than writing
            click.echo(f"{inputs.name_of(capture)}: exchange {found.number} cannot be written: {error}", err=True)
            continue
        folded += 1
        sys.stdout.write("\n".join(map(_escaped, text.split("\n"))))
    if not folded:
        click.echo(f"{inputs.name_of(capture)}: no stream that folds into a completion", err=True)
        ctx.exit(exits.NOTHING_CHECKED)


def _escaped(line: str) -> str:
    """Escape every character of a line of JSON that a terminal might act on as ``\\uXXXX``, which means the same."""
    if line.isprintable():
        return line
    return "".join(one if one.isprintable() else json.dumps(one)[1:-1].replace("\x7f", r"\u007f") for one in line)
