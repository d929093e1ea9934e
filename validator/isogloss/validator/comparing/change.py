"""Define a change between two recordings, as it is before its places are looked up."""

from __future__ import annotations

from typing import NamedTuple

from isogloss.validator.comparing.rates import Rate
from isogloss.validator.comparing.tallies import Example
from isogloss.validator.findings import Severity

__all__ = ["UnplacedChange"]


class UnplacedChange(NamedTuple):
    """A change in one kind of answers.

    ``change`` is the type of the change: ``new``, ``gone``, ``renamed``, ``rate``, ``type``, ``value``, ``order``,
    ``fault`` or ``protocol``. ``before`` and ``after`` are the rates in the two recordings, ``was`` and ``now`` an
    example of each, if there is one.
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
