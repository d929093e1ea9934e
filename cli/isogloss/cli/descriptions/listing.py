"""Add ``--format json`` to the commands that list or show what isogloss knows."""

from __future__ import annotations

import click
import orjson

from isogloss.cli.elements.outputs import format_option
from isogloss.validator.quoting import printable_json

__all__ = ["text_or_json_option", "write_json"]

text_or_json_option = format_option(("text", "json"), "The format of the output.")
"""Adds ``--format`` to a command, as ``output_format``: text for people, or JSON."""


def write_json(value: object) -> None:
    """Print a value as indented JSON, with an escape for every character that is not printable."""
    click.echo(printable_json(orjson.dumps(value, option=orjson.OPT_INDENT_2).decode()))
