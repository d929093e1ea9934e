"""Add ``--format json`` to the commands that list or show what isogloss knows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click
import orjson

from isogloss.validator.quoting import printable_json

__all__ = ["format_option", "write_json"]


def format_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``--format`` to a command, as ``output_format``: text for people, or JSON."""
    return click.option(
        "--format",
        "output_format",
        type=click.Choice(("text", "json")),
        default="text",
        show_default=True,
        help="The format of the output.",
    )(command)


def write_json(value: object) -> None:
    """Print a value as indented JSON, with an escape for every character that is not printable."""
    click.echo(printable_json(orjson.dumps(value, option=orjson.OPT_INDENT_2).decode()))
