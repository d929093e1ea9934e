"""Find the contents of an answer that have to be JSON because of the request's ``response_format``."""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.pointer import Pointer
from isogloss.validator.rules.pairing import Pair, ended_by_itself

__all__ = ["formatted"]


def formatted(pair: Pair) -> Iterator[tuple[Pointer, str]]:
    """Yield the pointer and the text of each content that has to be JSON.

    A content has to be JSON if the request demands it, and if its choice ended by itself and calls no tool.
    """
    if pair.request.response_format.get("type") not in ("json_object", "json_schema"):
        return
    for choice in pair.choices:
        if choice.content and ended_by_itself(choice) and not choice.called:
            yield (*choice.at, "message", "content"), choice.content
