"""What a capture holds: exchanges, their payloads, their streams. Frozen values: formats make them, rules read them."""

from __future__ import annotations

from enum import Enum
from typing import Literal, NamedTuple

from isogloss.validator.pointer import Pointer
from isogloss.validator.sse import Framing
from isogloss.validator.text import Text

__all__ = ["Body", "Exchange", "Kind", "NotJson", "Payload", "Response", "Skipped", "Stream"]

Kind = Literal["request", "completion", "chunk", "error"]


class NotJson(Enum):
    """What stands in for the value of a stream event that is no JSON."""

    DONE = "[DONE]"
    BROKEN = "not JSON"
    EMPTY = "no data"


class Payload(NamedTuple):
    """One JSON document of a kind.

    ``text`` is the JSON text it was decoded from and ``at`` the location of the payload inside that text: empty when
    the text is the payload, ``("response",)`` when it is a member of a record. ``value`` is the decoded payload, with
    recovery where the text is not JSON; ``sound`` is false when the text has to be scanned for faults.
    """

    kind: Kind
    value: object
    text: Text
    at: Pointer = ()
    sound: bool = True


class Stream(NamedTuple):
    """The events of one streamed response, in order.

    ``values`` holds the decoded JSON of each event, or an :class:`NotJson` where there is none. ``framing`` is the SSE
    framing of ``text``; it is ``None`` when only the chunks were captured, as members of the array at ``at`` of the
    JSON document ``text``, or as the documents ``lines``. ``unsound`` holds the numbers of the events whose JSON has
    to be scanned for faults. ``within`` is where in a member of that array the chunk stands, where it is wrapped.
    """

    values: list[object]
    text: Text
    framing: Framing | None = None
    at: Pointer = ()
    lines: list[Text] | None = None
    unsound: frozenset[int] = frozenset()
    within: Pointer = ()


class Body(NamedTuple):
    """The response body as bytes that are neither JSON nor SSE (HTML, plain text, nothing at all)."""

    text: Text


class Response(NamedTuple):
    """The answer half of an exchange. ``status`` and ``content_type`` are ``None`` when the capture does not tell.

    ``broken`` says that the connection is known to have broken before the body was complete. ``arrivals`` says when
    the bytes of the body came, as (bytes so far, seconds since the request) pairs, both increasing; it is empty when
    the capture does not tell, or other requests were under way, which this one may have waited for.
    """

    body: Payload | Stream | Body
    status: int | None = None
    content_type: str | None = None
    broken: bool = False
    arrivals: tuple[tuple[int, float], ...] = ()


class Exchange(NamedTuple):
    """One HTTP request and/or its response, and where it came from.

    ``number`` counts the exchanges of the file from 0; ``host`` and ``path`` are ``None`` when the capture does not
    tell. ``text`` and ``at`` say where the exchange itself stands in the capture. ``expected_status`` holds the
    statuses of which the response has to have one, where the capture says so; it is empty otherwise. ``status_alone``
    is the status that the same request got when nothing else was sent beside it, ``status_before`` the failure that it
    got before, ``expected_code`` the code that a refusal has to have, and ``earlier_ids`` are the ids of answers to
    other requests, where the capture says so. Findings of ``excused_rules`` say nothing of the speaker there,
    and ``inconclusive`` says that the answer as a whole tells nothing of what was asked for.
    ``models`` is the JSON, or the text, that a server answered when it was asked for its models, which is no payload;
    there is no response then. ``dumped`` says that the payloads are what a client library made of them and took,
    written out as objects: what was sent, and what not, is not told. ``recorded`` is when the exchange took place by
    the clock of its recorder, in seconds since 1970. ``row_group`` counts the row groups of a Parquet file, or the
    batches of an Arrow file, from 0; ``number`` is then the row in the file, from 0.
    """

    file: str
    number: int
    text: Text
    at: Pointer = ()
    request: Payload | None = None
    response: Response | None = None
    host: str | None = None
    path: str | None = None
    expected_status: tuple[int, ...] = ()
    dumped: bool = False
    status_alone: int | None = None
    status_before: int | None = None
    expected_code: str | None = None
    earlier_ids: tuple[str, ...] = ()
    excused_rules: tuple[str, ...] = ()
    inconclusive: bool = False
    models: object = None
    row_group: int | None = None
    recorded: float | None = None


class Skipped(NamedTuple):
    """A part of a capture that was not checked, and why; of very many in a list, all those beyond the first ones."""

    file: str
    reason: str
    number: int | None = None
    parts: int = 1
