"""What is compared of an exchange: its answer as one completion, and what rules found in it."""

from __future__ import annotations

from typing import NamedTuple

from isogloss.validator import rules
from isogloss.validator.examining.found import Examined
from isogloss.validator.exchange import Exchange, Payload, Stream
from isogloss.validator.judging.judge import Verdict
from isogloss.validator.rules.twinning import Answer, Fault
from isogloss.validator.streams.trace import Trace
from isogloss.validator.views import Completion

__all__ = ["Compared", "compared"]

_PASSING = frozenset({408, 429, 502, 503, 504})
"""Statuses of a server that is busy or not there; the same request may be answered a moment later."""
_OF_THE_KEY = frozenset({401, 403})


class Compared(NamedTuple):
    """An answer, what was found in its exchange, the dialect that this speaks, and the name of its case.

    ``name`` is the path of its file below the folder that was named, and its number in that file. ``passing`` says that
    the answer is an error that passes, which says nothing about the server.
    """

    answer: Answer
    examined: Examined
    speaks: str | None
    name: tuple[str, int]
    passing: bool

    @property
    def exchange(self) -> Exchange:
        """The exchange of the answer."""
        return self.answer.exchange


def compared(verdict: Verdict, name: tuple[str, int]) -> Compared | None:
    """Return the answer of an exchange with all that is compared, or ``None`` if there is no answer."""
    examined = verdict.examined
    exchange = examined.exchange
    if exchange.response is None:
        return None
    body, status = exchange.response.body, exchange.response.status
    completion = _completion(examined)
    failed = (status is not None and status >= 400) or (isinstance(body, Payload) and body.kind == "error")
    passing = status in _PASSING
    unknown = passing or status in _OF_THE_KEY or (completion is None and not failed)
    refused = None if unknown else failed
    faults: dict[str, Fault] = {}
    for one in examined.found if completion is not None else ():
        if rules.group_of(one.rule) in ("completion", "pair") and one.hit.on is None:
            faults.setdefault(one.rule, Fault(one.hit.message, one.severity, one.hit.pointer))
    answer = Answer(exchange, completion, isinstance(body, Stream), refused, faults)
    return Compared(answer, examined, verdict.speaks, name, passing)


def _completion(examined: Examined) -> Completion | None:
    """Return the completion that was sent, or that a whole stream folds into, or ``None`` if there is none."""
    response = examined.exchange.response
    if response is None or response.broken:
        return None
    body = response.body
    if isinstance(body, Payload):
        sent = body.kind == "completion" and isinstance(body.value, dict) and body.sound
        return Completion(body.value) if sent and isinstance(body.value, dict) else None
    if not isinstance(body, Stream) or examined.folded is None:
        return None
    trace = Trace(body)
    ended = trace.done or any(choice.finishes for choice in trace.choices.values())
    whole = ended and not trace.cut and not trace.errors
    return Completion(examined.folded.value, folded=True) if whole else None
