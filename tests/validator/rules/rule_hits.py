"""Say what one rule finds in a view of a payload or an exchange, and make such views."""

from __future__ import annotations

from typing import Any

from payloads import COMPLETION

from isogloss.validator import rules
from isogloss.validator.exchange import Stream
from isogloss.validator.findings import Severity
from isogloss.validator.rules import Hit
from isogloss.validator.streams.trace import Trace
from isogloss.validator.text import Text
from isogloss.validator.views import Completion

CALL = {"id": "call_Fake1", "type": "function", "function": {"name": "look_up", "arguments": "{}"}}


def hits_of(name: str, view: Any) -> list[Hit]:
    """Return what a rule finds."""
    return list(dict(rules.checks(rules.group_of(name)))[name](view))


def found(name: str, view: Any) -> list[tuple[str, Severity]]:
    """Return what a rule says about a view of an exchange or a payload, and how much that matters."""
    return [(hit.message, hit.severity or rules.rule(name).severity) for hit in hits_of(name, view)]


def messages(name: str, view: Any) -> list[str]:
    return [message for message, _ in found(name, view)]


def stream_of(*chunks: Any) -> Trace:
    """Return a stream of chunks, or of other events."""
    return Trace(Stream(values=list(chunks), text=Text(b"")))


def completion_of(message: dict[str, Any], **properties: Any) -> Completion:
    """Return a completion whose message has these properties, and which has the others itself."""
    choice = COMPLETION["choices"][0]
    return Completion(COMPLETION | {"choices": [choice | {"message": choice["message"] | message}]} | properties)
