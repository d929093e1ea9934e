"""Payloads as rules read them: the parts that have the right type. All others are left out.

The schemas report wrong types. Rules see only parts of the right type, so they need not check types and cannot raise.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from isogloss.validator.pointer import Pointer

__all__ = [
    "Call",
    "Choice",
    "Completion",
    "Message",
    "Request",
    "Tool",
    "integer",
    "items",
    "number",
    "obj",
    "quantity",
    "string",
]

Json = dict[str, Any]


def string(value: object) -> str | None:
    """Return the value if it is a string."""
    return value if isinstance(value, str) else None


def integer(value: object) -> int | None:
    """Return the value if it is an integer; a boolean is not one."""
    return value if type(value) is int else None


def quantity(value: object) -> int | None:
    """Return the value if it is an integer and not negative."""
    return value if type(value) is int and value >= 0 else None


def number(value: object) -> int | float | None:
    """Return the value if it is a number; a boolean is not one."""
    return value if type(value) is int or type(value) is float else None


def obj(value: object) -> Json | None:
    """Return the value if it is an object."""
    return value if isinstance(value, dict) else None


def items(value: object) -> Iterator[tuple[int, Json]]:
    """Yield the objects in an array, each with its index; nothing if the value is not an array."""
    if isinstance(value, list):
        for position, item in enumerate(value):
            if isinstance(item, dict):
                yield position, item


class Call:
    """A tool call in a message.

    ``at`` is its pointer. ``arguments`` are the arguments of a function, or the input of a custom tool. ``type`` is
    ``function`` if the payload has no type: servers older than custom tools send none.
    """

    __slots__ = ("arguments", "arguments_at", "at", "id", "name", "type", "value")

    def __init__(self, value: Json, at: Pointer) -> None:
        self.value = value
        self.at = at
        self.id = string(value.get("id"))
        self.type = string(value.get("type")) or "function"
        part, text = ("custom", "input") if self.type == "custom" else ("function", "arguments")
        inner = obj(value.get(part)) or {}
        self.name = string(inner.get("name"))
        self.arguments = string(inner.get(text))
        self.arguments_at: Pointer = (*at, part, text)


def _calls(message: Json, at: Pointer) -> list[Call]:
    calls = message.get("tool_calls")
    if not calls:
        return []
    return [Call(call, (*at, "tool_calls", position)) for position, call in items(calls)]


class Choice:
    """A choice of a completion.

    ``at`` is its pointer, ``position`` its position in the array, and ``index`` the property of that name.
    ``function_call`` is ``None`` also if it has no name: some servers send empty strings in place of missing values.
    """

    __slots__ = (
        "at",
        "calls",
        "content",
        "finish_reason",
        "function_call",
        "index",
        "logprobs",
        "message",
        "position",
        "refusal",
        "value",
    )

    def __init__(self, value: Json, position: int) -> None:
        self.value = value
        self.position = position
        self.at: Pointer = ("choices", position)
        self.index = integer(value.get("index"))
        self.finish_reason = string(value.get("finish_reason"))
        self.logprobs = obj(value.get("logprobs"))
        message = value.get("message")
        self.message: Json = message if isinstance(message, dict) else {}
        message = self.message
        self.content = string(message.get("content"))
        self.refusal = string(message.get("refusal"))
        function_call = obj(message.get("function_call"))
        self.function_call = function_call if function_call and function_call.get("name") else None
        self.calls = _calls(message, (*self.at, "message")) if message.get("tool_calls") else []


class Completion:
    """A completion as a server sent it or, with ``folded``, as its stream folds into it.

    ``request`` is what it answers, where the capture holds that: a rule that needs none may still say more with it.
    """

    __slots__ = ("_choices", "created", "folded", "id", "model", "request", "usage", "value")

    def __init__(self, value: Json, *, folded: bool = False, request: Request | None = None) -> None:
        self.value = value
        self.folded = folded
        self.request = request
        self.id = string(value.get("id"))
        self.model = string(value.get("model"))
        self.created = number(value.get("created"))
        self.usage = obj(value.get("usage"))
        self._choices: list[Choice] | None = None

    @property
    def choices(self) -> list[Choice]:
        """The choices that are objects, in order."""
        if self._choices is None:
            choices = self.value.get("choices")
            self._choices = (
                [Choice(choice, position) for position, choice in enumerate(choices) if isinstance(choice, dict)]
                if isinstance(choices, list)
                else []
            )
        return self._choices


class Message:
    """A message of a request; ``at`` is its pointer."""

    __slots__ = ("at", "calls", "content", "role", "tool_call_id", "value")

    def __init__(self, value: Json, position: int) -> None:
        self.value = value
        self.at: Pointer = ("messages", position)
        self.role = string(value.get("role"))
        self.content = value.get("content")
        self.tool_call_id = string(value.get("tool_call_id"))
        self.calls = _calls(value, self.at)


class Tool:
    """A tool that a request declares; ``parameters``, at ``parameters_at``, is the schema of its arguments."""

    __slots__ = ("at", "name", "name_at", "parameters", "parameters_at", "strict", "type", "value")

    def __init__(self, value: Json, at: Pointer) -> None:
        self.value = value
        self.at = at
        self.type = string(value.get("type")) or "function"
        part = "custom" if self.type == "custom" else "function"
        inner = obj(value.get(part)) or {}
        self.name = string(inner.get("name"))
        self.name_at: Pointer = (*at, part, "name")
        self.parameters = inner.get("parameters")
        self.parameters_at: Pointer = (*at, part, "parameters")
        self.strict = inner.get("strict") is True


class Request:
    """A request with its messages and tools; options are read by name (``request.value.get("n")``)."""

    __slots__ = ("messages", "stream", "tools", "value")

    def __init__(self, value: Json) -> None:
        self.value = value
        self.stream = value.get("stream") is True
        self.messages = [Message(message, position) for position, message in items(value.get("messages"))]
        self.tools = [Tool(tool, ("tools", position)) for position, tool in items(value.get("tools"))]
