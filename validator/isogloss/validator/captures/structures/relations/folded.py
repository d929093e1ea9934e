"""Find the stream that a recorder folded into a completion, in a record that holds both, and such completions alone.

Agent-replay writes such records. It keeps the pieces of the answer as ``stream`` and the completion as ``body``
(``_record_response`` in src/agentreplay/transport.py of agent-replay-py 0.1.0, PyPI, read 2026-11). The server did
not send the completion.
"""

from __future__ import annotations

from msgspec.structs import replace

from isogloss.validator.captures.document import Node
from isogloss.validator.captures.mapping import Mapping
from isogloss.validator.captures.structures.objects.halves import halves_in
from isogloss.validator.captures.structures.objects.mapped import read_mapped
from isogloss.validator.captures.structures.relations import copies
from isogloss.validator.exchange import Exchange, Payload, Stream

__all__ = ["as_folded", "with_stream"]

_MOST_ANSWERS = 8
"""The stream is searched for among at most so many answers in a record."""


def with_stream(part: Node, found: Exchange) -> Exchange:
    """Return an exchange with its stream, if the part also holds the stream that its completion was made of.

    The request must have asked for a stream: else the server may have sent the completion.
    """
    if not found.asks_for_stream or not isinstance(found.response, Payload) or found.response.kind != "completion":
        return found
    for answer in halves_in(part.value).answers[:_MOST_ANSWERS]:
        one = read_mapped(found.file, found.number, part, Mapping(response=answer.at, as_sent=False))
        if isinstance(one, Exchange) and isinstance(one.response, Stream) and copies.repeats(one, found):
            return replace(found, response=one.response)
    return found


def as_folded(exchange: Exchange) -> Exchange:
    """Return the exchange, with ``dumped`` set if one completion answers a request for a stream: the log made it.

    No log makes an error, or JSON that is damaged. If the log kept the ``object`` of the chunks, the completion is read
    with its own: no server sent this one.
    """
    body = exchange.response
    if not (exchange.asks_for_stream and isinstance(body, Payload) and body.kind == "completion" and body.sound):
        return exchange
    value = body.value
    if isinstance(value, dict) and value.get("object") == "chat.completion.chunk":
        body = replace(body, value=value | {"object": "chat.completion"})
    return replace(exchange, dumped=True, response=body)
