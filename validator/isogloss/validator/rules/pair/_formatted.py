"""Find the contents of an answer that have to be JSON because of the request's ``response_format``."""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.pointer import Pointer
from isogloss.validator.rules.pairing import Pair, ended_by_itself
from isogloss.validator.views import Json, obj

__all__ = ["formatted", "response_format"]


def response_format(pair: Pair) -> Json:
    """Return the ``response_format`` of the request, or an empty object if there is none."""
    return obj(pair.request.value.get("response_format")) or {}


def formatted(pair: Pair) -> Iterator[tuple[Pointer, str]]:
    """Yield the pointer and the text of each content that has to be JSON.

    A content has to be JSON if the request demands it, and if its choice ended by itself and calls no tool.
    """
    if pair.completion is None or response_format(pair).get("type") not in ("json_object", "json_schema"):
        return
    for choice in pair.completion.choices:
        if choice.content and ended_by_itself(choice) and not choice.called:
            yield (*choice.at, "message", "content"), choice.content
