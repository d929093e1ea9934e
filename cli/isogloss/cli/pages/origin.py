"""Where a page comes from: the version that wrote it, when, and by which command, without what could be a secret."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import NamedTuple

import click

from isogloss.cli.main import ARGUMENTS
from isogloss.validator import __version__
from isogloss.validator.quoting import printable
from isogloss.validator.secrets import masked

__all__ = ["Origin", "origin"]

_HEADERS = ("--header",)
"""Options whose values are left out."""
_USER = re.compile(r"(?<=://)[^/@\s]+@")
_QUERY = re.compile(r"(://[^?\s]*\?).*")


class Origin(NamedTuple):
    """The version of isogloss, the time in UTC, and the command, which is empty where no command wrote the page."""

    version: str
    date: str
    command: str


def origin() -> Origin:
    """Return the origin of a page that is written now. If ``SOURCE_DATE_EPOCH`` is set, it gives the time."""
    ctx = click.get_current_context(silent=True)
    arguments = ctx.meta.get(ARGUMENTS) if ctx is not None else None
    return Origin(__version__, _now(), "" if arguments is None else _command(arguments))


def _now() -> str:
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    now = datetime.fromtimestamp(int(epoch), UTC) if epoch.isdecimal() else datetime.now(UTC)
    return f"{now:%Y-%m-%d %H:%M} UTC"


def _command(arguments: Iterable[str]) -> str:
    """Return the command line, without the values of headers, and without the user and the query of a URL."""
    told, hidden = ["isogloss"], False
    for argument in arguments:
        name, equals, _ = argument.partition("=")
        if hidden:
            told.append("…")
        elif name in _HEADERS and equals:
            told.append(f"{name}=…")
        else:
            told.append(_QUERY.sub(r"\1…", _USER.sub("…@", masked(argument))))
        hidden = not hidden and argument in _HEADERS
    return printable(" ".join(one if one == "…" else shlex.quote(one) for one in told))
