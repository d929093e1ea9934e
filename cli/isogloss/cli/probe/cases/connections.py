"""Cases about several requests: one after the other, in parallel, and after a client that closed its connection."""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.cli.probe.cases.case import Case
from isogloss.cli.probe.cases.questions import LONG, PROSE, STREAM, ask

__all__ = ["AT_ONCE", "cases"]

AT_ONCE = "at-once"
"""The name of the case that gets every failure that happens only beside other requests."""


def cases() -> Iterator[Case]:
    """Yield the cases of the group ``connections``."""
    yield Case(
        name="keep-alive",
        group="connections",
        what="an answer, a stream and an answer on one connection",
        tests="a connection that is used again",
        why="Clients keep connections open: a body that is longer or shorter than it says spoils the next answer.",
        thread="https://github.com/open-webui/terminals/issues/24",
        body=ask(),
        then=(ask(**STREAM), ask()),
    )
    yield Case(
        name="client-gone",
        group="connections",
        what="a client that goes away in the middle of a stream, and a request after it",
        tests="a client that goes away",
        why="People press stop: a server that goes on generating, or crashes, cannot answer the next question.",
        thread="https://github.com/ml-explore/mlx-lm/pull/677",
        body=ask(PROSE, limit=LONG, **STREAM),
        then=(ask(),),
        leaves=True,
    )
    yield Case(
        name=AT_ONCE,
        group="connections",
        what="the same question eight times in parallel",
        tests="requests at the same time",
        why="Agents send several requests in parallel: servers crashed, or mixed up the answers.",
        thread="https://github.com/EricLBuehler/mistral.rs/issues/256",
        body=ask(),
        in_parallel=True,
        distinct=True,
    )
