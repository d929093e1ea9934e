"""Send one request from a file of the user unchanged, and return it with its answer as an exchange to judge."""

from __future__ import annotations

import asyncio
from pathlib import Path

from isogloss.cli.configuration.named_files import read_named
from isogloss.cli.probe import transport
from isogloss.cli.probe.recording import SentRequest, read_back, record
from isogloss.cli.probe.target import Target
from isogloss.cli.probe.transport import HttpAnswer, HttpRequest, Unanswered
from isogloss.validator.exchange import Cause, Exchange, Skipped, Why

__all__ = ["post_file"]


def post_file(target: Target, request: Path, seconds: float) -> Exchange | Skipped:
    """Post a file to a server and return the exchange, or ``Skipped`` if no whole answer came."""
    body = read_named(request, "the request")
    name = target.endpoint().partition("?")[0]  # the query may hold a key
    try:
        answer = asyncio.run(_post(target, body, seconds))
    except Unanswered as error:
        return Skipped(file=name, why=Why(f"{error}{error.hint}", Cause.UNREAD))
    return read_back(record(target, SentRequest(body=body, path=target.path()), answer).data, name)


async def _post(target: Target, body: bytes, seconds: float) -> HttpAnswer:
    async with transport.http_client(target, 1) as http:
        return await transport.exchange(http, target, HttpRequest(body), seconds=seconds)
