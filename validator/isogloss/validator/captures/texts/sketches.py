"""Recognise sketches of payloads: documentation shows the form of an answer, with dots in place of its values.

``{"id": "…", "choices": [{"message": {"content": "…"}}]}`` was never sent. The id ends in dots, and the rest is
shortened, too: every text is nothing but dots, or ``created`` and ``model`` are left out. With a shortened id alone, an
answer may be a genuine one whose id somebody hid. A request is a sketch if all its messages are dots.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from isogloss.validator.captures.structures.relations.copies import events_of
from isogloss.validator.exchange import Exchange, Payload, Skipped, Why
from isogloss.validator.views import items, obj

__all__ = ["without_sketch"]

_SKETCH = Why("a sketch of a payload, with dots in place of its values")
_DOTS = r"\s*+(?:\.{3}|…)[\s.…]*+"
_ENDS_IN_DOTS = ("...", "…")
_IN_ANSWERS = frozenset({"created", "model"})


def without_sketch(found: Exchange | Skipped) -> Exchange | Skipped:
    """Return an exchange, or a :class:`Skipped` in its place if its request or its answer is a sketch."""
    if not isinstance(found, Exchange):
        return found
    is_sketch = _is_sketch_of_answer(events_of(found.response)) or _is_sketch_of_request(found.request)
    return Skipped(file=found.file, number=found.number, why=_SKETCH) if is_sketch else found


def _is_sketch_of_answer(events: list[dict[str, Any]]) -> bool:
    ids = [value["id"] for value in events if isinstance(value.get("id"), str)]
    if not ids or not all(name.endswith(_ENDS_IN_DOTS) for name in ids):
        return False
    return all(map(_IN_ANSWERS.isdisjoint, events)) or all(map(_are_dots, _texts_of_choices(events)))


def _texts_of_choices(events: list[dict[str, Any]]) -> Iterator[object]:
    """Yield what the choices of an answer say. A call says something, too."""
    choices = (choice for value in events for _, choice in items(value.get("choices")))
    for part in (obj(one) for choice in choices for one in choice.values()):
        if part is not None:
            yield part.get("content") or part.get("tool_calls") or "…"


def _is_sketch_of_request(request: Payload | None) -> bool:
    messages = request.value.get("messages") if request is not None and isinstance(request.value, dict) else None
    if not isinstance(messages, list) or not messages:
        return False
    return all(isinstance(message, dict) and _are_dots(message.get("content")) for message in messages)


def _are_dots(value: object) -> bool:
    return isinstance(value, str) and re.fullmatch(_DOTS, value) is not None
