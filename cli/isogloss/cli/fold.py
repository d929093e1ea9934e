"""``isogloss fold``: print the completion that each captured stream folds into."""

from __future__ import annotations

import json
import sys

import click
import orjson

from isogloss.cli import exits, inputs
from isogloss.validator.exchange import Skipped, Stream
from isogloss.validator.quoting import printable
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
    count, name = 0, printable(inputs.name_of(capture))
    for exchange in inputs.read(capture):
        if isinstance(exchange, Skipped) or not isinstance(exchange.response, Stream):
            continue
        completion = fold(Trace(exchange.response))
        if completion is None:
            continue
        try:
            # The whole text is masked, since a key may be split between chunks.
            text = mask(orjson.dumps(completion.value, option=_PRETTY)).decode()
        except orjson.JSONEncodeError as error:  # orjson reads deeper nesting than it writes
            click.echo(f"{name}: exchange {exchange.number} cannot be written: {error}", err=True)
            continue
        count += 1
        sys.stdout.write("\n".join(map(_escape, text.split("\n"))))
    if not count:
        click.echo(f"{name}: no stream that folds into a completion", err=True)
        ctx.exit(exits.NOTHING_CHECKED)


def _escape(line: str) -> str:
    """Escape every character of a line of JSON that a terminal might act on as ``\\uXXXX``, which means the same."""
    if line.isprintable():
        return line
    return "".join(one if one.isprintable() else json.dumps(one)[1:-1].replace("\x7f", r"\u007f") for one in line)
