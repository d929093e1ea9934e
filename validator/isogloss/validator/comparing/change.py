"""Define a change between two recordings."""

from __future__ import annotations

from typing import Generic, NamedTuple, TypeAlias, TypeVar

from isogloss.validator.comparing.rates import Rate
from isogloss.validator.comparing.tallies import Example
from isogloss.validator.findings import Severity, Source

__all__ = ["Change", "UnplacedChange"]

_Shown = TypeVar("_Shown")


class _AnyChange(NamedTuple, Generic[_Shown]):
    """A change in one kind of answers.

    ``change`` is the type of the change: ``new``, ``gone``, ``renamed``, ``rate``, ``type``, ``value``, ``order``,
    ``fault`` or ``protocol``. ``before`` and ``after`` are the rates in the two recordings. ``was`` and ``now`` show an
    example in each, if there is one.
    """

    change: str
    severity: Severity
    kind: str
    path: str
    message: str
    before: Rate
    after: Rate
    was: _Shown | None = None
    now: _Shown | None = None


UnplacedChange: TypeAlias = _AnyChange[Example]
Change: TypeAlias = _AnyChange[Source]
"""A change as it is reported: the places of its examples are looked up."""
