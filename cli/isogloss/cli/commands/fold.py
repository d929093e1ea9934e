"""``isogloss fold``: print the completion that each captured stream folds into."""

from __future__ import annotations

import sys
from itertools import chain

import click
import orjson

from isogloss.cli.configuration.paths import name_of
from isogloss.cli.configuration.settings import load
from isogloss.cli.elements.skipping import say_advice, say_skipped
from isogloss.cli.process import exits, output
from isogloss.cli.reading.capture_path import CapturePath
from isogloss.cli.reading.corpus import Corpus, input_format_option
from isogloss.cli.reading.unread import say_unread
from isogloss.validator.exchange import Skipped, Stream
from isogloss.validator.quoting import printable_json
from isogloss.validator.secrets import mask
from isogloss.validator.streams.fold import fold
from isogloss.validator.streams.trace import Trace

__all__ = ["command"]

_PRETTY = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE


@click.command(name="fold")
@click.argument("capture", type=CapturePath(folder=False))
@input_format_option
@click.pass_context
def command(ctx: click.Context, capture: str, input_format: str | None) -> None:
    """Print the completion that each stream in CAPTURE folds into, indented, one after the other.

    CAPTURE is a file, or - for standard input.
    """
    count, exchanges, name = 0, 0, name_of(capture)
    skipped: list[Skipped] = []
    corpus = Corpus(load(None, {}), input_format=input_format)
    for exchange in chain.from_iterable(found for _, found in corpus.read_all([capture])):
        if isinstance(exchange, Skipped):
            skipped.append(exchange)
            continue
        exchanges += 1
        if not isinstance(exchange.response, Stream):
            continue
        completion = fold(Trace(exchange.response))
        if completion is None:
            continue
        try:
            # The whole text is masked, since a key may be split between chunks.
            text = mask(orjson.dumps(completion.value, option=_PRETTY)).decode()
        except orjson.JSONEncodeError as error:  # orjson reads deeper nesting than it writes
            output.say(f"{name}: exchange {exchange.number} cannot be written: {error}")
            continue
        count += 1
        sys.stdout.write(printable_json(text))
    say_skipped(skipped, {name: exchanges})
    if not count:
        output.say(f"{name}: no stream that folds into a completion")
        if not exchanges:
            say_advice(skipped)
        ctx.exit(exits.NOTHING_CHECKED)
    ctx.exit(exits.NOTHING_CHECKED if say_unread([capture], skipped) else exits.OK)
