"""Decide whether two requests are the same. The form of the answer and the ids of calls do not matter."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Hashable
from typing import Any

from isogloss.validator.comparing.answers import ComparedAnswer

__all__ = ["FORM_OPTIONS", "request_key"]

FORM_OPTIONS = frozenset({"stream", "stream_options"})
"""Properties of a request that decide the form of its answer, and not the content."""


def request_key(compared: ComparedAnswer, *more: Hashable, ignoring: frozenset[str] = FORM_OPTIONS) -> Hashable | None:
    """Return a key that the requests of twins have in common, or ``None`` if there is no request with messages.

    The key does not depend on the properties in ``ignoring``, by default the form of the answer, nor on the ids of
    earlier calls. ``more`` is added to it. A request that is nested too deep has no key.
    """
    request = compared.exchange.request
    if request is None or not isinstance(request.value, dict) or not request.value.get("messages"):
        return None
    properties = {name: value for name, value in request.value.items() if name not in ignoring and value is not None}
    try:
        text = json.dumps(_without_ids(properties), sort_keys=True, default=repr)
    except RecursionError:  # no server answers a request that is nested so deep
        return None
    return (hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest(), *more)


def _without_ids(request: dict[str, Any]) -> dict[str, Any]:
    messages = request["messages"]
    if not isinstance(messages, list):
        return request
    return request | {"messages": [_message_without_ids(message) for message in messages]}


def _message_without_ids(message: Any) -> Any:
    if not isinstance(message, dict):
        return message
    kept = {name: value for name, value in message.items() if name != "tool_call_id"}
    if isinstance(calls := kept.get("tool_calls"), list):
        kept["tool_calls"] = [
            {name: value for name, value in call.items() if name != "id"} if isinstance(call, dict) else call
            for call in calls
        ]
    return kept
