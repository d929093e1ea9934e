"""Tell whether an answer in a text is what the request above it asks for, or contradicts it.

Documentation has examples that were made by hand, or copied from an older page. An answer contradicts its request if it
has another form, another model or other choices than this asks for. If nothing shows that the request was sent, it also
does if it calls a tool that this does not declare.
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.captures.texts.commands import Command
from isogloss.validator.captures.traffic import why_other_path
from isogloss.validator.exchange import Payload, Response, Stream
from isogloss.validator.kinds.model_names import are_of_one_model
from isogloss.validator.views import Request, items, obj, string

__all__ = ["contradicts", "fits"]


def fits(command: Command, body: Response | None) -> bool:
    """Return whether a completion, a stream or what a copy keeps of one is what a request asks for."""
    if command.request is None or why_other_path(command.path, command.method) is not None:
        return False
    is_answer = isinstance(body, Stream) or (isinstance(body, Payload) and body.kind in ("completion", "chunk"))
    return is_answer and not contradicts(command, body)


def contradicts(command: Command, body: Response | None) -> bool:
    """Return whether an answer is none to the request of a command.

    Whatever the request is, an error may answer it. A chunk alone is what a copy keeps of a stream.
    """
    if command.request is None or not isinstance(body, Stream | Payload):
        return False
    if isinstance(body, Payload) and body.kind not in ("completion", "chunk"):
        return False
    asked, is_chunk = command.request.value, isinstance(body, Payload) and body.kind == "chunk"
    answers = body.values if isinstance(body, Stream) else [body.value]
    values = [answer for answer in answers if isinstance(answer, dict)]
    is_streamed = is_chunk or isinstance(body, Stream)
    if not isinstance(asked, dict) or not values or is_streamed != (asked.get("stream") is True):
        return True
    requested, answering = asked.get("model"), values[0].get("model")
    if isinstance(requested, str) and isinstance(answering, str) and not are_of_one_model(requested, answering):
        return True
    if command.form == "block" and not Request(asked).declared.keys() >= set(_called(values)):
        return True
    return not is_chunk and _number_of_choices(values) != (asked.get("n") or 1)


def _number_of_choices(values: list[dict[str, object]]) -> int:
    """Return how many choices a completion has, or the chunks of a stream."""
    choices = [choice for value in values for _, choice in items(value.get("choices"))]
    return len({str(one.get("index")) for one in choices}) if len(values) > 1 else len(choices)


def _called(values: list[dict[str, object]]) -> Iterator[str]:
    """Yield the names of the tools and functions that an answer calls."""
    choices = (choice for value in values for _, choice in items(value.get("choices")))
    for part in (obj(choice.get(name)) for choice in choices for name in ("message", "delta")):
        if part is not None:
            calls = (obj(call.get("function")) or obj(call.get("custom")) for _, call in items(part.get("tool_calls")))
            for call in (*calls, obj(part.get("function_call"))):
                if call is not None and (name := string(call.get("name"))):
                    yield name
