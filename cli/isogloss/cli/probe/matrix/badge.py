"""A badge: what an endpoint answers to shields.io (its endpoint schema, version 1, read 2026-11)."""

from __future__ import annotations

from typing import TextIO

import click
import orjson

from isogloss.cli.probe.matrix.server import Probed, ProbedServer
from isogloss.cli.probe.matrix.table import tally

__all__ = ["document", "report"]


def report(probed: Probed, out: TextIO) -> None:
    """Write the JSON document. Raises ``click.UsageError`` for several servers, which one badge cannot tell apart."""
    if len(probed.servers) != 1:
        raise click.UsageError("a badge is of one server; write one for each")
    badge = document(probed.servers[0])
    out.write(orjson.dumps(badge, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE).decode())


def document(server: ProbedServer) -> dict[str, object]:
    """How many of all cases conform; inconclusive ones count among all, so that silence is no success."""
    conforming, asked = tally(server)
    standings = {case.standing for case in server.run.cases or ()}
    message, failed = f"{conforming} of {asked}", False
    if not standings & {"conforms", "deviates"}:
        message, color, failed = "nothing checked", "lightgrey", True
    elif server.run.failed:
        color = "red"
    elif "deviates" in standings:
        color = "yellow"
    else:
        color = "brightgreen" if conforming == asked else "green"
    return {"schemaVersion": 1, "label": "isogloss", "message": message, "color": color, "isError": failed}
