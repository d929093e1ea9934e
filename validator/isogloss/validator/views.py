"""Payloads as the rules read them: typed parts, with whatever is missing or of a wrong type left out.

Wrong types are the schemas' business; a rule about meaning sees only parts whose type is right, so it never has to
guard against the rest and cannot raise on it.
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
    """The value if it is a string."""
    return value if isinstance(value, str) else None


def integer(value: object) -> int | None:
    """The value if it is an integer (a boolean is none)."""
    return value if type(value) is int else None


def quantity(value: object) -> int | None:
    """The value if it is an integer that is not negative."""
    return value if type(value) is int and value >= 0 else None


def number(value: object) -> int | float | None:
    """The value if it is a number (a boolean is none)."""
    return value if type(value) is int or type(value) is float else None


def obj(value: object) -> Json | None:
    """The value if it is an object."""
    return value if isinstance(value, dict) else None


def items(value: object) -> Iterator[tuple[int, Json]]:
    """The objects of an array, each with its index; nothing when the value is no array."""
    if isinstance(value, list):
        for position, item in enumerate(value):
            if isinstance(item, dict):
                yield position, item


class Call:
    """A tool call of a message: ``at`` its place, ``arguments`` the function's arguments or the custom tool's input.

    ``type`` is ``function`` when the payload does not say, as it is for every server older than custom tools.
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
    """A choice of a completion; ``at`` its place, ``position`` its place in the array, ``index`` what it says itself.

    ``function_call`` is ``None`` also for one without a name: some servers fill empty strings in for what is not
    there.
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
    """A completion: what a server answered, or what its stream folds into (``folded``)."""

    __slots__ = ("_choices", "created", "folded", "id", "model", "usage", "value")

    def __init__(self, value: Json, *, folded: bool = False) -> None:
        self.value = value
        self.folded = folded
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
    """A message of a request; ``at`` its place."""

    __slots__ = ("at", "calls", "content", "role", "tool_call_id", "value")

    def __init__(self, value: Json, position: int) -> None:
        self.value = value
        self.at: Pointer = ("messages", position)
        self.role = string(value.get("role"))
        self.content = value.get("content")
        self.tool_call_id = string(value.get("tool_call_id"))
        self.calls = _calls(value, self.at)


class Tool:
    """A tool a request declares: ``parameters`` is the JSON Schema of a function's arguments, at ``parameters_at``."""

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
    """A request: messages, tools and the options by name (``request.value.get("n")``)."""

    __slots__ = ("messages", "stream", "tools", "value")

    def __init__(self, value: Json) -> None:
        self.value = value
        self.stream = value.get("stream") is True
        self.messages = [Message(message, position) for position, message in items(value.get("messages"))]
        self.tools = [Tool(tool, ("tools", position)) for position, tool in items(value.get("tools"))]
