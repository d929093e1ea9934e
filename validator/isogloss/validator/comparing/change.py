"""One change between two recordings, before its places are looked up."""

from __future__ import annotations

from typing import NamedTuple

from isogloss.validator.comparing.rates import Rate
from isogloss.validator.comparing.tallies import Example
from isogloss.validator.findings import Severity

__all__ = ["Found"]


class Found(NamedTuple):
    """A change of one kind of answer, how often it was so and is so, and an example of each recording, if there is one.

    ``change`` says of what sort it is: ``new``, ``gone``, ``renamed``, ``rate``, ``type``, ``value``, ``order``,
    ``fault`` or ``protocol``.
    """

    change: str
    severity: Severity
    kind: str
    path: str
    message: str
    before: Rate
    after: Rate
    was: Example | None = None
    now: Example | None = None
