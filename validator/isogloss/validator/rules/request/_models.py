"""Tell which models of OpenAI a request names."""

from __future__ import annotations

import re
from functools import cache, lru_cache

__all__ = ["is_one_of"]


@lru_cache(maxsize=4096)
def is_one_of(model: str, models: str) -> bool:
    """Return whether some models include one of this name, or of the name without its date.

    ``models`` holds words such as ``o1(|-mini)``: each alternative in parentheses makes a name.
    """
    return model in _names(models) or _without_date(model) in _names(models)


@cache
def _names(models: str) -> frozenset[str]:
    return frozenset(name for word in models.split() for name in _names_of_word(word))


def _names_of_word(word: str) -> list[str]:
    before, _, rest = word.partition("(")
    inside, _, after = rest.partition(")")
    ends = _names_of_word(after) if after else [""]
    return [f"{before}{one}{end}" for one in inside.split("|") for end in ends]


def _without_date(model: str) -> str:
    return re.sub(r"-\d{4}-\d{2}-\d{2}\Z", "", model)
