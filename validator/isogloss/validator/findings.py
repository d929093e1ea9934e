"""The result of a check: findings with their severity and their place."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

__all__ = ["Break", "Finding", "Impact", "Severity", "Source"]


class Severity(IntEnum):
    """How much a deviation hurts a reader of the payload; ordered, so ``>=`` compares."""

    NOTE = 1
    WARNING = 2
    ERROR = 3

    label: str
    """The lower-case name used in every output."""

    def __init__(self, _: int) -> None:
        self.label = self.name.lower()


class Source(NamedTuple):
    """Where a finding stands: file, 1-based line and column in that file, exchange and SSE event counted from 0.

    In a table, ``line`` is the row and ``column`` the character in its cell, both from 1; ``exchange`` is the row from
    0, and ``row_group`` the row group of a Parquet file, or the batch of an Arrow file, from 0.
    """

    file: str
    line: int
    column: int
    exchange: int
    event: int | None = None
    row_group: int | None = None


class Break(NamedTuple):
    """One outcome that a client was seen to have, in a version and called in one way, with cases like a finding.

    ``outcome`` is ``raises``, ``silent`` (another answer, and no exception) or ``hangs``; ``seen`` says what was seen,
    each time once. ``cases`` of ``of`` cases had that outcome.
    """

    client: str
    version: str
    path: str
    outcome: str
    seen: tuple[str, ...]
    cases: int
    of: int


class Impact(NamedTuple):
    """What was seen of clients with cases like a finding: same rule, kind, mode, path and form of value.

    ``form`` is that form, ``cases`` the number of such cases, ``tried`` the number of ways to call a client, each in a
    version, that were run with them. Those without a ``break`` gave what the answer says, in these cases.
    """

    form: str
    cases: int
    tried: int
    breaks: tuple[Break, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What one rule found at one place in one payload.

    ``path`` is the generic place (``[]`` for every index), ``pointer`` the RFC 6901 pointer of this one; both are
    relative to the payload, and empty for a finding about the payload or the wire as a whole. For something missing
    they name the place where it should be, while ``source`` points at the object that lacks it. ``count`` is how often
    the finding occurs on the chunks of one stream. ``explained_by`` lists the dialects that know the deviation.
    ``value`` is the beginning of the JSON that stands there, in printable characters, and ``impact`` what was seen of
    clients; both are ``None`` unless asked for.
    """

    rule: str
    severity: Severity
    message: str
    kind: str
    path: str
    pointer: str
    source: Source
    schema: str | None = None
    count: int = 1
    explained_by: tuple[str, ...] = ()
    value: str | None = None
    impact: Impact | None = None
