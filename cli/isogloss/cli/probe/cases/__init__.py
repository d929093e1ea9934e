"""The cases of a probe as data, in one module for each subject."""

from __future__ import annotations

from isogloss.cli.probe.cases import basics, connections, formats, messages, refusals, sampling, tools
from isogloss.cli.probe.cases.case import NEWER_LIMIT, OLDER_LIMIT, Case
from isogloss.cli.probe.cases.connections import AT_ONCE

__all__ = ["AT_ONCE", "CASES", "GROUPS", "NEWER_LIMIT", "OLDER_LIMIT", "Case"]

CASES: tuple[Case, ...] = (
    *basics.cases(),
    *tools.cases(),
    *sampling.cases(),
    *formats.cases(),
    *messages.cases(),
    *refusals.cases(),
    *connections.cases(),
    *refusals.last_cases(),
)
"""All cases, in the order of the reports. They are sent in the same order, except for a few that are sent last."""

GROUPS = {
    "basics": "the plain answer and the plain stream",
    "models": "the list of models of a server",
    "tools": "calls that are demanded, allowed or forbidden, and the turn after them",
    "sampling": "limits, stop sequences, choices, log probabilities, seed",
    "formats": "answers in JSON, by a parameter",
    "messages": "roles, parts, images, characters of several bytes",
    "errors": "requests that have to be refused, and keys",
    "connections": "several requests, one after the other and in parallel",
    "streams": "all cases that ask for a stream",
}
"""What the cases of each group are about."""
