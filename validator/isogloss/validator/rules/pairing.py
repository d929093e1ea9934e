"""Pair a request with its answer, for the rules of the group ``pair``."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from isogloss.validator.streams.trace import Trace
from isogloss.validator.views import Choice, Completion, Json, Request, is_off, items, obj

__all__ = ["Demand", "Pair", "asks_for_usage", "demand", "ended_by_itself", "may_ask_for_usage"]


class Pair(Struct, frozen=True):
    """A request with its answer.

    ``completion`` is the completion that was sent, or the one that the stream ``trace`` folds into. Either may be
    ``None``.
    """

    request: Request
    completion: Completion | None
    trace: Trace | None

    @property
    def choices(self) -> Sequence[Choice]:
        """The choices of the completion; none if there is no completion."""
        return () if self.completion is None else self.completion.choices


class Demand(Struct, frozen=True):
    """The calls that ``tool_choice``, or the deprecated ``function_call``, demands.

    ``mode`` is ``none``, ``auto``, ``required``, ``named``, or ``unknown`` for what the reference does not know: it may
    name a tool. ``names`` are the only tools that may be called; ``None`` allows every tool. ``option`` is the name of
    the property that demands.
    """

    mode: str
    names: frozenset[str] | None = None
    option: str = "tool_choice"


_AUTO = Demand("auto")
_UNKNOWN = Demand("unknown")


def demand(request: Request) -> Demand:
    """Return which calls the request demands."""
    choice = request.value.get("tool_choice")
    if choice is None:
        choice = request.value.get("function_call")
        if isinstance(choice, dict):
            return _named_demand(choice, "function_call")
    if choice in (None, "auto"):
        return _AUTO
    if choice in ("none", "required"):
        return Demand(choice)
    kind = choice.get("type") if isinstance(choice, dict) else None
    if kind == "allowed_tools":
        return _allowed_demand(obj(choice.get("allowed_tools")) or {})
    return _named_demand(obj(choice.get(kind)) or {}) if kind in ("function", "custom") else _UNKNOWN


def _allowed_demand(allowed: Json) -> Demand:
    """Return the demand of allowed tools. If the name of one of them cannot be read, it may be any tool."""
    tools = allowed.get("tools")
    parts = [obj(tool.get(str(tool.get("type")))) or {} for _, tool in items(tools)]
    names = [name for part in parts if isinstance(name := part.get("name"), str)]
    is_known = isinstance(tools, list) and len(tools) == len(names) > 0
    return Demand("required" if allowed.get("mode") == "required" else "auto", frozenset(names) if is_known else None)


def _named_demand(tool: Json, option: str = "tool_choice") -> Demand:
    name = tool.get("name")
    return Demand("named", frozenset({name}), option) if isinstance(name, str) else _UNKNOWN


def ended_by_itself(choice: Choice) -> bool:
    """Return whether a choice ended by itself: it was not cut, filtered or refused."""
    return choice.finish_reason in ("stop", "tool_calls", "function_call") and not choice.refusal


def asks_for_usage(request: Request) -> bool:
    """Return whether the request asks for the usage of its stream."""
    return (obj(request.value.get("stream_options")) or {}).get("include_usage") is True


def may_ask_for_usage(request: Request) -> bool:
    """Return whether the request asks for the usage of its stream, or perhaps does, in a form of its own."""
    options = request.value.get("stream_options")
    return not is_off(options.get("include_usage") if isinstance(options, dict) else options)
