"""Find features of exchanges and payloads. A rule may name features in ``needs``: without them it finds nothing.

Most exchanges have few features, and finding a feature costs less than running the rules that need it. This package
names no rule. A feature may be reported although it does not exist, but a feature that exists is never missed. Reports
print the names of features, and :mod:`~isogloss.validator.examining.subjects` counts by them.
"""

from __future__ import annotations

from isogloss.validator.examining.features.completions import of_completion
from isogloss.validator.examining.features.exchanges import of_exchange
from isogloss.validator.examining.features.requests import of_messages, of_options
from isogloss.validator.examining.features.sets import NONE, SIGNS, joined
from isogloss.validator.examining.features.streams import of_stream

__all__ = [
    "NONE", "SIGNS", "joined", "of_completion", "of_exchange", "of_messages", "of_options", "of_pair",
    "of_stream",
]  # fmt: skip


def of_pair(
    request: frozenset[str] | None, exchange: frozenset[str], completion: frozenset[str] | None
) -> frozenset[str]:
    """Return the features of a request with its answer: those of both and of the exchange, and these:

    * ``own request``: there is a request that can be read, and it is not wrong on purpose, as some of a probe are.
    * ``completion``: the answer is one, or folds into one.
    * ``number of choices``: the answer has several.
    """
    found = set(exchange)
    if request is not None:
        found |= request if "expected status" in exchange else {*request, "own request"}
    if completion is not None:
        found |= {*completion, "completion"}
        if "several choices" in completion:
            found.add("number of choices")
    return frozenset(found)
