"""The result of a check: findings with their severity and their place."""

from __future__ import annotations

from enum import IntEnum

from msgspec import Struct

__all__ = ["SEVERITIES", "STDIN", "Break", "Finding", "Impact", "Severity", "Source"]


class Severity(IntEnum):
    """How much a deviation hurts a reader of the payload. Severities are ordered: ``>=`` compares them."""

    NOTE = 1
    WARNING = 2
    ERROR = 3

    label: str
    """The lower-case name used in every output."""

    def __init__(self, _: int) -> None:
        self.label = self.name.lower()


SEVERITIES = {severity.label: severity for severity in Severity}
"""The severities by their labels."""
STDIN = "<stdin>"
"""The name of standard input, in place of that of a file."""


class Source(Struct, frozen=True):
    """The place of a finding: the file, line and column from 1, and the exchange and the SSE event from 0.

    In a table, ``line`` is the row and ``column`` the character in its cell, both from 1. ``exchange`` is the row from
    0, and ``row_group`` is the row group of a Parquet file, or the batch of an Arrow file, from 0.
    """

    file: str
    line: int
    column: int
    exchange: int
    event: int | None = None
    row_group: int | None = None


class Break(Struct, frozen=True):
    """One outcome that was seen of a client on cases like a finding, for one version and one way to call the client.

    ``outcome`` is ``raises``, ``silent`` (another answer, and no exception) or ``hangs``. ``seen`` holds the different
    observations, each once. Of ``of`` cases, ``cases`` had that outcome.
    """

    client: str
    version: str
    path: str
    outcome: str
    seen: tuple[str, ...]
    cases: int
    of: int


class Impact(Struct, frozen=True):
    """What clients were seen to do on cases like a finding: cases with its rule, kind, mode, path and form of value.

    ``form`` is that form, and what else these cases have in common with the finding that others have not. ``cases`` is
    the number of these cases. ``tried`` is the number of ways to call a client, each in one version, that were run with
    them. A way that is not in ``breaks`` gave what the answers say.
    """

    form: str
    cases: int
    tried: int
    breaks: tuple[Break, ...]


class Finding(Struct, frozen=True):
    """What one rule found at one pointer in one payload.

    ``pointer`` is the RFC 6901 pointer, and ``path`` is the same with ``[]`` for every index. Both are relative to the
    payload, and empty for a finding about the payload or the wire as a whole. If something is missing, they name where
    it should be, and ``source`` points at the object that lacks it. ``count`` is how often the finding
    occurs in the chunks of one stream. ``explained_by`` lists the dialects that explain the deviation. ``value`` is the
    beginning of the JSON at that pointer, in printable characters, and ``impact`` is what clients were seen to do. Both
    are ``None`` unless the caller requested them.
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
