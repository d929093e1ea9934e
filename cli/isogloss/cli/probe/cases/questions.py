"""Parts of the requests of cases. Models are not judged, so questions are short, and answers are limited."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["HELLO", "LONG", "PROSE", "SHORT", "STREAM", "TWO_CITIES", "WEATHER", "ask", "user"]

SHORT, LONG = 16, 64
"""The limits of an answer, in tokens: the first is enough for a greeting, the second for a tool call or a small JSON
document.
"""

STREAM = {"stream": True}


def user(content: object) -> dict[str, Any]:
    """Return a message of the user."""
    return {"role": "user", "content": content}


HELLO = user("Say hello.")
WEATHER = user("What is the weather in Paris?")
TWO_CITIES = user("What is the weather in Paris and in Rome? Ask for both at once.")
PROSE = user("Describe the sea in one short sentence.")


def ask(*messages: Mapping[str, Any], limit: int = SHORT, **more: Any) -> dict[str, Any]:
    """Return the body of a request with these messages, or with a greeting, and a limit of tokens."""
    return {"messages": list(messages or (HELLO,)), "max_completion_tokens": limit, **more}
