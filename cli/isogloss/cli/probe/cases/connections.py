"""Cases about several requests: one after the other, in parallel, and after a client that closed its connection."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from isogloss.cli.probe.cases.case import Case
from isogloss.cli.probe.cases.questions import LONG, PROSE, STREAM, ask

__all__ = ["AT_ONCE", "cases"]

AT_ONCE = "at-once"
"""The name of the case that gets every failure that happens only beside other requests."""
_case = partial(Case, group="connections")


def cases() -> Iterator[Case]:
    """Yield the cases of the group ``connections``."""
    yield _case(
        "keep-alive", "an answer, a stream and an answer on one connection", "a connection that is used again",
        "Clients keep connections open: a body that is longer or shorter than it says spoils the next answer.",
        "https://github.com/open-webui/terminals/issues/24",
        ask(), then=(ask(**STREAM), ask()),
    )  # fmt: skip
    yield _case(
        "client-gone", "a client that goes away in the middle of a stream, and a request after it",
        "a client that goes away",
        "People press stop: a server that goes on generating, or crashes, cannot answer the next question.",
        "https://github.com/ml-explore/mlx-lm/pull/677",
        ask(PROSE, limit=LONG, **STREAM), then=(ask(),), leaves=True,
    )  # fmt: skip
    yield _case(
        AT_ONCE, "the same question eight times in parallel", "requests at the same time",
        "Agents send several requests in parallel: servers crashed, or mixed up the answers.",
        "https://github.com/EricLBuehler/mistral.rs/issues/256",
        ask(), in_parallel=True, distinct=True,
    )  # fmt: skip
