"""Tell whether requests and answers take turns on the lines of a log, so that it is certain which belong together."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from isogloss.validator.captures.structures.objects.halves import Role
from isogloss.validator.captures.structures.relations.requests_of_answers import is_of_model
from isogloss.validator.captures.texts.ids import Ids
from isogloss.validator.exchange import Exchange, Payload, Skipped, Stream
from isogloss.validator.nesting import are_same

__all__ = ["ORDER", "Held", "Turns", "are_of_model", "first_object"]

ORDER = ""
"""In place of an id: what all lines have."""


class Held(Struct, eq=False):
    """A half of a pair, or anything else, that is held back until everything before it can be yielded.

    ``found`` is what it is reported as without the other half. ``exchange`` is the half, or ``None`` if a part of it is
    missing. ``other`` is the value of an answer of another API. ``own_id`` is the id that an answer has itself.
    ``answers`` holds the answers that may be those of a request, by the ids that both have. ``joined`` says that it is
    part of a pair. ``repeated`` is the half that it repeats, with the same id. ``line`` is the number of its line.
    ``is_over`` says of a request that it was logged when it was answered: only the next line can hold its answer.
    """

    found: Exchange | Skipped
    role: Role | None = None
    exchange: Exchange | None = None
    other: dict[str, Any] | None = None
    ids: Ids = {}
    own_id: str | None = None
    answers: dict[str, Held] = {}
    joined: bool = False
    repeated: Held | None = None
    line: int = 0
    is_over: bool = False


class Turns(Struct, eq=False):
    """Whether requests and answers ``alternate`` in the lines with an id. A line that is written twice counts once.

    ``outer`` is the request that a gateway got, from the line on where it asks an upstream the same.
    """

    request: Held | None = None
    answer: Held | None = None
    outer: Held | None = None
    alternate: bool = True

    def add(self, half: Held, key: str) -> None:
        """Add the next half."""
        if half.role == "request":
            is_answered = self.request is None or self.answer is not None
            if not is_answered and key != ORDER and self.outer is None and self._is_passed_on_as(half):
                self.outer = self.request
                is_answered = True
            is_repeated = not is_answered and _is_same(half, self.request)
            self.alternate = self.alternate and (is_answered or is_repeated) and not self._was_called_before(half)
            if is_repeated and key != ORDER:
                half.repeated = self.request
                return
            self.request, self.answer = half, None
        elif half.other is not None and (self.answer is not None or not are_of_model(self.request, half)):
            return  # it answers another request, or is one of the next events of a stream
        elif self.request is not None and self.answer is None:
            self.answer = self.request.answers[key] = half
            self.alternate = self.alternate and (self.outer is None or are_of_model(self.request, half))
        elif self.outer is not None:
            self.request, self.answer, self.outer = self.outer, half, None
            self.request.answers[key] = half
        elif self.request is not None and self.answer is not None and self.answer.other is not None:
            self.answer = self.request.answers[key] = half  # what a gateway made of the other one
        elif _is_same(half, self.answer):
            half.repeated = self.answer if key != ORDER else half.repeated
        else:
            self.alternate = False

    def _is_passed_on_as(self, half: Held) -> bool:
        """Return whether the last request has the messages of the next one, and is not the same line again."""
        received, passed_on = _list(first_object(self.request), "messages"), _list(first_object(half), "messages")
        return bool(received) and are_same(received, passed_on) and not _is_same(half, self.request)

    def _was_called_before(self, following: Held) -> bool:
        """Return whether the next request has calls as the answer to the last one, and the answer in the log has none.

        Some programs log the first request and the last answer of a loop of tool calls, and nothing between.
        """
        if self.request is None or self.answer is None or _has_calls(self.answer):
            return False
        sent, history = (_list(first_object(half), "messages") for half in (self.request, following))
        is_continued = bool(sent) and len(history) > len(sent) and history[: len(sent)] == sent
        return is_continued and bool(_list(history[len(sent)], "tool_calls"))


def _values(half: Held | None) -> object:
    if half is None or half.exchange is None:
        return half and half.other
    payload = half.exchange.request or half.exchange.response
    if isinstance(payload, Stream):
        return payload.values
    return payload.value if isinstance(payload, Payload) else None


def _is_same(half: Held, other: Held | None) -> bool:
    values = _values(half)
    return values is not None and are_same(values, _values(other))


def first_object(half: Held | None) -> dict[str, Any]:
    """Return the object of a half, or the first chunk of a stream; it is empty if there is none."""
    values = _values(half)
    first = values[0] if isinstance(values, list) and values else values
    return first if isinstance(first, dict) else {}


def _list(value: object, name: str) -> list[Any]:
    found = value.get(name) if isinstance(value, dict) else None
    return found if isinstance(found, list) else []


def _has_calls(half: Held) -> bool:
    """Return whether an answer has calls, in any of its choices."""
    values = _values(half)
    choices = [choice for one in (values if isinstance(values, list) else [values]) for choice in _list(one, "choices")]
    parts = (choice.get(name) for choice in choices if isinstance(choice, dict) for name in ("message", "delta"))
    return any(_list(part, "tool_calls") for part in parts)


def are_of_model(request: Held | None, answer: Held) -> bool:
    """Return whether the models of a request and of an answer may be the same."""
    return is_of_model(first_object(request).get("model"), first_object(answer).get("model"))
