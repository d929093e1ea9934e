"""Compare names of properties without case and without ``_`` and ``-``: recorders write the same names in many ways.

``statusCode``, ``status_code`` and ``StatusCode`` are the same name, and have the same words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, TypeAlias, TypeVar

__all__ = [
    "NAMES_OF_SPANS",
    "PARENTS_OF_SPANS",
    "WORDS_OF_ORIGINALS",
    "Spellings",
    "by_names",
    "normalised_name",
    "normalised_names",
    "words_of",
]  # fmt: skip

_WORD = r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+"
_LONG_NAME = 40
_PARTS = (
    "body", "contenttype", "headers", "method", "path", "payload", "status", "statuscode", "uri", "url",
)  # fmt: skip
_WHOLE_NAMES = {
    short + part: half + part
    for short, half in (("req", "request"), ("res", "response"), ("resp", "response"))
    for part in _PARTS
}
"""Names of parts of a request or a response that begin with a short form of one of these words."""
PARENTS_OF_SPANS = (
    "parent_id", "parentId", "parent_span_id", "parentSpanId", "parent_run_id", "parentObservationId", "parent_call_id",
)  # fmt: skip
"""Names, as they are written, under which a span of a trace has the id of the span around it."""
NAMES_OF_SPANS = frozenset({"span_id", "spanId", *PARENTS_OF_SPANS})
"""Names, as they are written, by which a span of a trace is recognised. One at the root may have only its id."""
WORDS_OF_ORIGINALS = frozenset(
    {"backend", "native", "original", "provider", "raw", "unmodified", "upstream", "verbatim"}
)
"""Words in the names of what a program received, and keeps as it was."""
_MOST_NAMES = 50
_MOST_CHARACTERS = 2000
_MOST_OBJECTS = 1024
Spellings: TypeAlias = Mapping[str, str]
"""The names of an object's properties, as they are written, by their normalised names."""
_Found = TypeVar("_Found")


def normalised_name(name: str) -> str:
    """Return a name in lower case, without ``_`` and ``-``; ``req_body`` and ``resBody`` are written out.

    A long name is returned as it is: no recorder has one.
    """
    return _normalised(name) if len(name) < _LONG_NAME else name


@lru_cache(4096)
def _normalised(name: str) -> str:
    plain = name.lower().replace("_", "").replace("-", "")
    return _WHOLE_NAMES.get(plain, plain)


class _ByNames(dict[tuple[str, ...], _Found]):
    """What was found for the names of an object's properties; threads of engines share it."""

    def __init__(self, read_names: Callable[[tuple[str, ...]], _Found]) -> None:
        super().__init__()
        self._read_names = read_names

    def __missing__(self, names: tuple[str, ...]) -> _Found:
        found = self._read_names(names)
        if len(names) <= _MOST_NAMES and sum(map(len, names)) <= _MOST_CHARACTERS:
            if len(self) >= _MOST_OBJECTS:
                self.clear()
            self[names] = found
        return found


def by_names(read_names: Callable[[tuple[str, ...]], _Found]) -> Callable[[tuple[str, ...]], _Found]:
    """Make a function of the names of an object's properties remember what it returned for them.

    Most objects of a capture have the same names. What was found for very many or long names is not remembered.
    """
    return _ByNames(read_names).__getitem__


@by_names
def _normalised_names(names: tuple[str, ...]) -> Spellings:
    return {normalised_name(name): name for name in names}


def normalised_names(value: Mapping[str, Any]) -> Spellings:
    """Return the names of an object's properties by their normalised names."""
    return _normalised_names(tuple(value))


def words_of(path: str) -> set[str]:
    """Return the words of the names in a path, in lower case."""
    return {word.lower() for word in re.findall(_WORD, path)}
