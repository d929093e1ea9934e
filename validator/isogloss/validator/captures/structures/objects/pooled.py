"""Put the messages of a request back where a log of Inspect AI keeps each message of a sample once.

``call_refs`` beside a request are the positions of its messages in the ``events_data`` of the sample, as pairs of a
start and an end: ``resolve_model_event_calls`` in inspect_ai/event/_pool.py of inspect_ai 0.3.285, PyPI, read
2026-11-30.
"""

from __future__ import annotations

from itertools import chain
from typing import Any

from msgspec.structs import replace

from isogloss.validator.captures.bodies.dumps import sent_arguments
from isogloss.validator.captures.document import Node
from isogloss.validator.exchange import Payload
from isogloss.validator.pointer import read

__all__ = ["MOST_POOLED", "pooled_messages", "with_messages"]

MOST_POOLED = 200_000
"""So many messages are put back in the requests of one document, at most: many requests may name the same ones."""


def pooled_messages(event: Node, most: int) -> list[Any]:
    """Return the messages that an event of a sample names for its request, or none if they are more than ``most``."""
    call = event.get("call")
    references = call.get("call_refs").value
    if call.get("call_key").value != "messages" or not isinstance(references, list):
        return []
    pool = read(event.document.value, (*event.at[:-2], "events_data", "calls"))
    if not isinstance(pool, list) or not all(_is_range(one, len(pool)) for one in references):
        return []
    if sum(end - start for start, end in references) > most:
        return []
    return list(chain.from_iterable(pool[start:end] for start, end in references))


def with_messages(event: Node, messages: list[Any]) -> Payload | None:
    """Return the request of an event with its messages, or ``None`` if the event holds no request without messages."""
    request = event.get("call").get("request")
    if not isinstance(request.value, dict) or "messages" in request.value:
        return None
    return replace(request, value=sent_arguments(request.value) | {"messages": messages}).payload("request")


def _is_range(value: Any, size: int) -> bool:
    """Return whether a value is the start and the end of a part of a list of this size."""
    is_pair = isinstance(value, list) and len(value) == 2 and all(type(one) is int for one in value)
    return is_pair and 0 <= value[0] <= value[1] <= size
