"""Define a change between two recordings, and the examples that show it."""

from __future__ import annotations

from typing import NamedTuple

from isogloss.validator.comparing.answers import ComparedAnswer
from isogloss.validator.comparing.rates import Rate
from isogloss.validator.examining.placing import ExchangePart, Placer
from isogloss.validator.findings import Severity, Source
from isogloss.validator.pointer import Pointer
from isogloss.validator.rules import Hit

__all__ = ["Change", "Example"]


class Example(NamedTuple):
    """An answer that shows something, and the pointer to it."""

    one: ComparedAnswer
    at: Pointer = ()

    @property
    def source(self) -> Source:
        """The place of what the answer shows."""
        exchange, folded = self.one.exchange, self.one.examined.folded
        part: ExchangePart = "wire" if not self.at else "response" if folded is None else "folded"
        return Placer(exchange, folded).source(part, Hit("", self.at))


class Change(NamedTuple):
    """A change in one kind of answers.

    ``change`` is the type of the change: ``new``, ``gone``, ``renamed``, ``rate``, ``type``, ``value``, ``order``,
    ``fault``, ``protocol`` or, of a probe, ``case``. ``before`` and ``after`` are the rates in the two recordings, each
    with an example if there is one.
    """

    change: str
    severity: Severity
    kind: str
    path: str
    message: str
    before: Rate
    after: Rate
    example_before: Example | None = None
    example_after: Example | None = None

    @property
    def was(self) -> Source | None:
        """The place of the example before."""
        return self.example_before and self.example_before.source

    @property
    def now(self) -> Source | None:
        """The place of the example after."""
        return self.example_after and self.example_after.source
