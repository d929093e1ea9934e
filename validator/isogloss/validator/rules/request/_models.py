"""Tell which models of OpenAI a request names."""

from __future__ import annotations

import re
from functools import lru_cache

__all__ = ["is_one_of"]


@lru_cache(maxsize=512)
def is_one_of(model: str, models: str) -> bool:
    """Return whether the regular expression ``models`` matches a name of a model, or the name without its date."""
    return re.fullmatch(rf"({models})(-\d{{4}}-\d{{2}}-\d{{2}})?", model) is not None
