"""Features of exchanges and payloads that a rule may name in ``needs``: without them it has nothing to find.

Most exchanges have few of them, and finding a feature costs less than running the rules that need it. No rule is
named here. Where a feature is said to be there, it need not be; where it is said to be absent, it is. Features are
named in the words that reports show them with, and :mod:`~isogloss.validator.examining.subjects` counts by them.
"""

from __future__ import annotations

from functools import lru_cache

from isogloss.validator.examining.features.completions import of_completion
from isogloss.validator.examining.features.exchanges import of_exchange
from isogloss.validator.examining.features.requests import of_request
from isogloss.validator.examining.features.sets import NONE, SIGNS, joined
from isogloss.validator.examining.features.streams import of_stream

__all__ = ["NONE", "SIGNS", "joined", "of_completion", "of_exchange", "of_pair", "of_request", "of_stream"]

_COMPLETION = frozenset({"completion"})
_NUMBER = frozenset({"number of choices"})


@lru_cache(maxsize=4096)
def of_pair(request: frozenset[str], exchange: frozenset[str], completion: frozenset[str] | None) -> frozenset[str]:
    """Features of a request with its answer: those of both and of the exchange, and ``completion`` if it is one.

    ``number of choices`` is there, too, where the answer has several.
    """
    if completion is None:
        return request | exchange
    number = _NUMBER if "several choices" in completion else NONE
    return request | exchange | completion | number | _COMPLETION
