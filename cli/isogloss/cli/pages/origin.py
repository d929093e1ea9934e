"""Describe where a page comes from: the version, the time and the command that wrote it, without possible secrets."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterable
from contextlib import suppress
from datetime import UTC, datetime
from typing import NamedTuple

import click

from isogloss.cli.main import ARGUMENTS
from isogloss.validator import __version__
from isogloss.validator.quoting import printable
from isogloss.validator.secrets import mask_text

__all__ = ["Origin", "origin"]

_SECRET_OPTIONS = ("--header",)
"""Options whose values are left out."""
_URL_USER = re.compile(r"(?<=://)[^/@\s]+@")
_URL_QUERY = re.compile(r"(://[^?\s]*\?).*")


class Origin(NamedTuple):
    """The version of isogloss, the time in UTC, and the command, which is empty if no command wrote the page."""

    version: str
    date: str
    command: str


def origin() -> Origin:
    """Return the origin of a page that is written now. If ``SOURCE_DATE_EPOCH`` is set, it gives the time."""
    ctx = click.get_current_context(silent=True)
    arguments = ctx.meta.get(ARGUMENTS) if ctx is not None else None
    return Origin(__version__, _now(), "" if arguments is None else _command(arguments))


def _now() -> str:
    now = datetime.now(UTC)
    with suppress(ValueError, OverflowError, OSError):  # no number, or no time that a calendar has
        now = datetime.fromtimestamp(int(os.environ.get("SOURCE_DATE_EPOCH", "")), UTC)
    return f"{now:%Y-%m-%d %H:%M} UTC"


def _command(arguments: Iterable[str]) -> str:
    """Return the command line, without the values of headers, and without the user and the query of a URL."""
    words, hides_next = ["isogloss"], False
    for argument in arguments:
        name, equals, _ = argument.partition("=")
        if hides_next:
            words.append("…")
        elif name in _SECRET_OPTIONS and equals:
            words.append(f"{name}=…")
        else:
            words.append(_URL_QUERY.sub(r"\1…", _URL_USER.sub("…@", mask_text(argument))))
        hides_next = not hides_next and argument in _SECRET_OPTIONS
    return printable(" ".join(word if word == "…" else shlex.quote(word) for word in words))
