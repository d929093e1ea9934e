"""Compare the names of models."""

from __future__ import annotations

import re
from functools import lru_cache

__all__ = ["are_of_one_model"]

_SEPARATORS = re.compile(r"[^a-z0-9]+")
_BUILD_WORD = re.compile(
    r"v?\d\w*|latest|preview|exp|experimental|beta|instruct|it|chat|free|online|hf|gguf|mlx|onnx|awq|gptq|[fb]f?p?\d+"
    r"|int\d+|q\d\w*|i?q\d+|[kmsl]|xl|ud|mxfp\d|nvfp\d"
)
"""Matches words of a name that describe a build of a model: dates, sizes, formats and the tags of routers."""
_MOVING_WORDS = frozenset({"latest", "preview"})


@lru_cache(1024)
def are_of_one_model(requested: str, answering: str) -> bool:
    """Return whether the names in a request and in its answer are builds of one model.

    This holds if both have the same letters and digits. It also holds if one has all words of the other, and all its
    other words describe a build and not a variant. If ``requested`` ends with ``latest`` or ``preview``, it is enough
    that the first two words are equal.
    """
    words, other_words = _words(requested), _words(answering)
    if "".join(words) == "".join(other_words):
        return True
    if words and words[-1] in _MOVING_WORDS and words[:2] == other_words[:2]:
        return True
    word_set, other_set = set(words), set(other_words)
    return (
        bool(word_set & other_set)
        and (word_set <= other_set or other_set <= word_set)
        and all(map(_BUILD_WORD.fullmatch, word_set ^ other_set))
    )


def _words(model: str) -> list[str]:
    """Return the words of a model's name in lower case, without the path or the prefix of a router before it."""
    return [word for word in _SEPARATORS.split(model[:400].lower().rstrip("/").rpartition("/")[2]) if word]
