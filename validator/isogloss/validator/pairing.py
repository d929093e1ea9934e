"""A request and the answer it got, as the rules of the group ``pair`` read them."""

from __future__ import annotations

from typing import NamedTuple

from isogloss.validator.exchange import Exchange
from isogloss.validator.trace import Trace
from isogloss.validator.views import Completion, Request

__all__ = ["Pair"]


class Pair(NamedTuple):
    """``completion`` is what was answered or what the stream ``trace`` folds into; either may be missing."""

    request: Request
    completion: Completion | None
    trace: Trace | None
    exchange: Exchange
