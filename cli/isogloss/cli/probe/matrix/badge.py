"""Write a badge: the JSON that shields.io reads from an endpoint (its endpoint schema, version 1, read 2026-11)."""

from __future__ import annotations

from typing import TextIO

from isogloss.cli.elements.indented_json import write_document
from isogloss.cli.probe.matrix.server import Probed, ProbedServer

__all__ = ["document", "report"]


def report(probed: Probed, out: TextIO) -> None:
    """Write the JSON document, for the one server that was probed."""
    [server] = probed.servers
    write_document(document(server), out)


def document(server: ProbedServer) -> dict[str, object]:
    """Return the badge: how many of all cases conform.

    Inconclusive cases count as not conforming, so that a server that does not answer is no success.
    """
    standings = {case.standing for case in server.cases}
    message, is_error = server.conforming_of_all, False
    if not standings & {"conforms", "deviates"}:
        message, color, is_error = "nothing checked", "lightgrey", True
    elif server.run.failed:
        color = "red"
    elif "deviates" in standings:
        color = "yellow"
    else:
        color = "brightgreen" if server.conforming == len(server.cases) else "green"
    return {"schemaVersion": 1, "label": "isogloss", "message": message, "color": color, "isError": is_error}
