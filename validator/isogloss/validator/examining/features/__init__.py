"""Find features of exchanges and payloads. A rule may name features in ``needs``: without them it finds nothing.

Most exchanges have few features, and finding a feature costs less than running the rules that need it. This package
names no rule. A feature may be reported although it does not exist, but a feature that exists is never missed. Reports
print the names of features, and :mod:`~isogloss.validator.examining.subjects` counts by them.
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
_NUMBER_OF_CHOICES = frozenset({"number of choices"})


@lru_cache(maxsize=4096)
def of_pair(request: frozenset[str], exchange: frozenset[str], completion: frozenset[str] | None) -> frozenset[str]:
    """Features of a request with its answer: those of both and of the exchange, and ``completion`` if it is one.

    ``number of choices`` is there, too, where the answer has several.
    """
    if completion is None:
        return request | exchange
    choice_number = _NUMBER_OF_CHOICES if "several choices" in completion else NONE
    return request | exchange | completion | choice_number | _COMPLETION
