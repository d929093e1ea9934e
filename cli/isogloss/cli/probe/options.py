"""The options for requests to a server, shared by all commands that send requests."""

from __future__ import annotations

import click
from click.core import ParameterSource

from isogloss.cli.configuration.option_groups import join
from isogloss.cli.configuration.parameters import Seconds

__all__ = ["given_server_option", "server_options"]

_NAMES = ("api_key_env", "headers", "header_env", "timeout")


def given_server_option() -> str | None:
    """Return the first of these options that the current command was called with, or ``None``."""
    context = click.get_current_context()
    for option in context.command.params:
        source = context.get_parameter_source(option.name or "")
        if option.name in _NAMES and source not in (None, ParameterSource.DEFAULT):
            return option.opts[0]
    return None


server_options = join(
    click.option(
        "--api-key-env",
        metavar="VARIABLE",
        help="The environment variable with the key.  [default: OPENAI_API_KEY]",
    ),
    click.option(
        "--header", "headers", multiple=True, metavar="'NAME: VALUE'", help="Another header to send. May be repeated."
    ),
    click.option(
        "--header-env",
        multiple=True,
        metavar="NAME=VARIABLE",
        help="Another header, with its value from an environment variable. May be repeated.",
    ),
    click.option(
        "--timeout",
        type=Seconds(min=0, min_open=True),
        default=30.0,
        show_default=True,
        metavar="SECONDS",
        help="How long one answer may take.",
    ),
)
"""Adds the options that say how to speak to a server: ``api_key_env``, ``headers``, ``header_env``, ``timeout``."""
