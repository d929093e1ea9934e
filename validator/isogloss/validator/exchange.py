"""The exchanges, payloads and streams of a capture. They are never changed: formats make them, and rules read them.

Some classes have ``gc=False``, here and elsewhere: a long log makes one instance for each line, and none is ever part
of a cycle of references, so the garbage collector need not know them.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import ClassVar, Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from isogloss.validator.pointer import Pointer
from isogloss.validator.sse import Framing
from isogloss.validator.text import Text

__all__ = [
    "LEFT_EARLY", "NO_HTTP", "NO_PROBE", "PROBE_PROPERTIES", "Body", "Cause", "Exchange", "HttpFacts", "Kind",
    "NotJson", "Payload", "ProbeFacts", "Response", "Skipped", "Span", "Stream", "Why", "as_dumped", "count_skipped",
]  # fmt: skip

Kind = Literal["request", "completion", "chunk", "error"]


class NotJson(Enum):
    """The value of a stream event that is no JSON."""

    DONE = "[DONE]"
    FAULTY = "not JSON"
    EMPTY = "no data"


class Payload(Struct, frozen=True, eq=False, gc=False):
    """One JSON document of a kind.

    ``text`` is the JSON text that it was decoded from. ``at`` is the pointer of the payload in that text: empty if the
    text is the payload, ``("response",)`` if the payload is a property of a record. ``value`` is the decoded payload,
    recovered if the text is not JSON. ``sound`` is false if the text must be scanned for faults.
    """

    kind: Kind
    value: object
    text: Text
    at: Pointer = ()
    sound: bool = True


class Stream(Struct, frozen=True, eq=False):
    """The events of one streamed response, in order.

    ``values`` holds the decoded JSON of each event, or a :class:`NotJson` for an event without JSON. ``framing`` is the
    SSE framing of ``text``. It is ``None`` if only the chunks were captured: as items of the array at ``at`` in the
    JSON document ``text``, or as the documents ``lines``. ``unsound`` holds the numbers of the events whose JSON must
    be scanned for faults. ``cut`` holds the numbers of those in whose JSON the text ends: what is known of their values
    is no evidence, since a string or an object that is cut off was longer. ``within`` is the pointer from an item of
    that array to its chunk, if chunks are wrapped. ``is_part`` is true if a copy shows events without an end: there
    may have been others before and behind them.
    """

    values: list[object]
    text: Text
    framing: Framing | None = None
    at: Pointer = ()
    lines: list[Text] | None = None
    unsound: frozenset[int] = frozenset()
    cut: frozenset[int] = frozenset()
    within: Pointer = ()
    is_part: bool = False

    def text_of(self, event: int) -> Text | None:
        """Return the JSON text of an event, or ``None`` if the event is an item of an array."""
        if self.framing is None:
            return self.lines[event] if self.lines is not None else None
        framed = self.framing.events[event]
        if framed.segments is None:
            return self.text.slice(framed.offset, framed.offset + len(framed.data))
        return Text.derived(framed.data, self.text, framed.segments)


class Body(Struct, frozen=True, eq=False):
    """A response body that is neither JSON nor SSE: HTML, plain text, or no bytes."""

    text: Text


Response: TypeAlias = Payload | Stream | Body
"""The body of a response, as what it is."""


class HttpFacts(Struct, frozen=True, eq=False):
    """Facts about a response beside its body. ``status`` and ``content_type`` are ``None`` if they are not recorded.

    A live response without a content type was sent without one.

    ``broken`` is true if the connection is known to have broken before the body was complete, and ``left`` if the
    client is known to have closed it: nobody knows how the answer would have ended. ``fault`` says what is wrong with
    the framing or the encoding of the body, so that nobody can read all of it. ``arrivals`` says when
    the bytes of the body arrived, as pairs (bytes so far, seconds since the request), both increasing. It is empty if
    the capture does not hold these times, or if other requests were under way for which this one may have waited.
    """

    status: int | None = None
    content_type: str | None = None
    broken: bool = False
    arrivals: tuple[tuple[int, float], ...] = ()
    left: bool = False
    fault: str | None = None


NO_HTTP = HttpFacts()
"""The facts of a response whose status and headers were not recorded."""


class ProbeFacts(Struct, frozen=True, eq=False):
    """Facts about a request that a probe made: why it was made, and which answer is right.

    ``expected_status`` holds the statuses of which the response must have one. ``status_alone`` is the status that the
    same request got when no other request was sent at the same time, and ``status_before`` is the failure that it got
    when it was sent before. ``expected_code`` is the code that a refusal must have. ``earlier_ids`` are the ids of
    earlier answers to other requests. Findings of ``excused_rules`` say nothing about the speaker. ``inconclusive`` is
    true if the answer does not show what the request was made to find out.
    """

    expected_status: tuple[int, ...] = ()
    expected_code: str | None = None
    status_alone: int | None = None
    status_before: int | None = None
    earlier_ids: tuple[str, ...] = ()
    excused_rules: tuple[str, ...] = ()
    inconclusive: bool = False


NO_PROBE = ProbeFacts()
"""The facts of all exchanges that no probe made."""

PROBE_PROPERTIES = tuple(ProbeFacts.__annotations__)
"""The names of the facts. Properties of exchange records have the same names, which no other recorder writes."""


class Span(Struct, frozen=True, gc=False):
    """The ids of a span of a trace, and that of the span around it, or ``None`` if it is the outermost one."""

    ids: tuple[str, ...]
    parent: str | None


class Exchange(Struct, frozen=True, eq=False, gc=False):
    """One HTTP request, its response, or both, and where they come from.

    ``number`` counts the exchanges of the file from 0. ``host`` and ``path`` are ``None`` if the capture does not hold
    them. ``text`` and ``at`` are the text and the pointer of the exchange in the capture. ``http`` holds facts only if
    there is a response.

    ``probe`` says what the request was made for, if a probe made it. ``models`` is the JSON, or the text, with which a
    server answered a request for its models. This is no payload, and then there is no response.

    ``dumped`` is true if the payloads were written as objects of a client library. They do not show which properties
    were sent. ``gathered`` is true if the request was put together from properties of a record: what it lacks, the
    record may keep elsewhere or not at all. ``live`` is true if isogloss received the answer itself: then no recorder
    and no library stands between, and what looks like the work of one was sent. ``recorded`` is the time of the
    exchange by the clock of its recorder, in seconds since 1970. ``row_group`` counts the row groups of a Parquet file,
    or the batches of an Arrow file, from 0. In these files, ``number`` is the row in the file, from 0. ``mapped`` holds
    the names of the parts that stand where a mapping of the user says, and is ``None`` if the exchange was not read by
    one. ``span`` is the span that its record is, if it is one of a trace.
    """

    file: str
    number: int
    text: Text
    at: Pointer = ()
    request: Payload | None = None
    response: Response | None = None
    http: HttpFacts = NO_HTTP
    host: str | None = None
    path: str | None = None
    dumped: bool = False
    gathered: bool = False
    live: bool = False
    probe: ProbeFacts = NO_PROBE
    models: object = None
    row_group: int | None = None
    recorded: float | None = None
    mapped: frozenset[str] | None = None
    span: Span | None = None

    parts: ClassVar[int] = 1
    """How many parts of the capture it is, as :class:`Skipped` has it."""

    @property
    def asks_for_stream(self) -> bool:
        """Whether its request asks for a stream."""
        value = self.request.value if self.request is not None else None
        return isinstance(value, dict) and value.get("stream") is True


class Cause(Enum):
    """What it means that a part was skipped."""

    NOTHING = "nothing of Chat Completions was found in it, and no more is known"
    OTHER = "it is something else"
    FAULTY = "it is not JSON"
    LEFT_OUT = "it was left out, or lacks something that a check needs"
    UNREAD = "it could not be read, or not to its end"


class Why(Struct, frozen=True, gc=False):
    """Why a part was skipped, in words for a reader, what that means, and what to do about it, if that is known."""

    words: str
    cause: Cause = Cause.LEFT_OUT
    advice: str = ""


class Skipped(Struct, frozen=True):
    """A part of a capture that was not checked, and why; or the last ``parts`` parts of a very long list.

    ``mapped`` is that of :class:`Exchange`.
    """

    file: str
    why: Why
    number: int | None = None
    parts: int = 1
    mapped: frozenset[str] | None = None

    @property
    def reason(self) -> str:
        """Why the part was skipped, in words for a reader."""
        return self.why.words

    @property
    def unread(self) -> bool:
        """Whether the part could not be read, or not to its end."""
        return self.why.cause is Cause.UNREAD


LEFT_EARLY = Why("the client closed the connection before the answer ended; the part that came is checked")
"""Why the rest of an answer was skipped whose client left."""


def as_dumped(found: Exchange | Skipped) -> Exchange | Skipped:
    """Return an exchange whose payloads do not show which properties were sent, and what was skipped as it is."""
    return replace(found, dumped=True) if isinstance(found, Exchange) else found


def count_skipped(skipped: Iterable[Skipped]) -> int:
    """Return how many parts were skipped. Only the first ones of a very long list are named."""
    return sum(skip.parts for skip in skipped)
