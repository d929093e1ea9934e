"""Find what depends on the options of a request, only once for all requests with the same options.

Options are all properties of a request beside its messages. A program sends the same model, tools and formats with most
of its requests, and only the messages differ.
"""

from __future__ import annotations

import orjson
from msgspec import Struct

from isogloss.validator.examining import features
from isogloss.validator.examining.examined import RuleHit
from isogloss.validator.views import Json, Request

__all__ = ["Options", "OptionsCache"]

_MOST_OPTIONS = 32
_LONGEST = 64 * 1024  # bytes of JSON
_MOST_ITEMS = 1024  # of a list
_MOST_HITS = 100


class Options(Struct, frozen=True, eq=False):
    """The options of requests: a request with these and without messages, and the features that they give a request.

    ``hits`` holds what the rules about options find, by the features of the whole request.
    """

    request: Request
    features: frozenset[str]
    hits: dict[frozenset[str], list[RuleHit]]

    def remember(self, request_features: frozenset[str], hits: list[RuleHit]) -> None:
        """Remember what the rules about options find in a request with these features, unless that is very much."""
        if len(hits) <= _MOST_HITS:
            self.hits[request_features] = hits


class OptionsCache:
    """Finds the options of requests. With ``keep=False`` nothing is remembered: it is slower, with equal results."""

    def __init__(self, *, keep: bool = True) -> None:
        self._keep = keep
        self._known: dict[bytes, Options] = {}

    def options_of(self, value: Json, *, sound: bool) -> Options:
        """Return the options of a request. It is ``sound`` if it was decoded from JSON without a fault.

        Only then no two values are written alike, as infinity and null are.
        """
        alone = {**value, "messages": None}
        text = _text(alone) if self._keep and sound else None
        if text is None:
            return _options(alone)
        known = self._known.get(text)
        if known is None:
            if len(self._known) >= _MOST_OPTIONS:
                self._known.clear()
            # the bytes that orjson returns keep all memory that was reserved for them
            known = self._known[bytes(memoryview(text))] = _options(alone)
        return known


def _text(alone: Json) -> bytes | None:
    """Return options as JSON, or ``None`` if they are long or cannot be written, such as those nested too deep.

    To write a list, orjson reserves 256 bytes for each of its items.
    """
    if any(isinstance(one, list) and len(one) > _MOST_ITEMS for one in alone.values()):
        return None
    try:
        text = orjson.dumps(alone)
    except orjson.JSONEncodeError:
        return None
    return text if len(text) <= _LONGEST else None


def _options(alone: Json) -> Options:
    request = Request(alone)
    return Options(request, features.of_options(request), {})
