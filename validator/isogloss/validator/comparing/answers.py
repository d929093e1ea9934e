"""Prepare an exchange for a comparison: its answer as one completion, and the findings of rules in it."""

from __future__ import annotations

from typing import NamedTuple

from isogloss.validator import rules
from isogloss.validator.examining.examined import Examined
from isogloss.validator.exchange import Exchange, Payload, Stream
from isogloss.validator.judging.judge import Verdict
from isogloss.validator.rules.twinning import AnswerFault, TwinAnswer
from isogloss.validator.streams.trace import Trace
from isogloss.validator.views import Completion, obj

__all__ = ["ComparedAnswer", "answer_of"]

_TEMPORARY_STATUSES = frozenset({408, 429, 502, 503, 504})
"""Statuses of a server that is busy or not available. It may answer the same request a moment later."""
_OTHER_REASONS = _TEMPORARY_STATUSES | {401, 402, 403, 404, 405, 410}
"""Statuses with which a server refuses whatever the request asks for: it is busy, does not accept the key or the
account, or has no such model or endpoint."""
_OF_MODEL = frozenset(
    {
        "model_not_found", "model_decommissioned", "model_terms_required", "model_not_available", "model_not_supported",
        "invalid_model",
    }
)  # fmt: skip
"""Codes and types of errors which say that the server does not have the model, or not for this account: those of
OpenAI, Groq (two of them), Together, GitHub Copilot and Mistral (seen with 400 from 2025 to 2026; read 2026-11)."""


class ComparedAnswer(NamedTuple):
    """An answer, the findings in its exchange, the dialect that the exchange speaks, and the name of its case.

    ``name`` holds the path of the file, relative to the folder that was given, and the number of the exchange in the
    file. ``is_temporary_error`` is true if the answer is a temporary error, which is no evidence about the server.
    ``refused_anyway`` is true if the server refused for a reason that is not in the request, such as the key: this does
    not show how it would have answered. A temporary error is such a refusal, too.
    """

    answer: TwinAnswer
    examined: Examined
    speaks: str | None
    name: tuple[str, int]
    is_temporary_error: bool
    refused_anyway: bool

    @property
    def exchange(self) -> Exchange:
        """The exchange of the answer."""
        return self.answer.exchange


def answer_of(verdict: Verdict, name: tuple[str, int]) -> ComparedAnswer | None:
    """Return the answer of an exchange with all that is compared, or ``None`` if there is no answer."""
    examined = verdict.examined
    exchange = examined.exchange
    if exchange.response is None:
        return None
    body, status = exchange.response, exchange.http.status
    completion = _completion(examined)
    failed = (status is not None and status >= 400) or (isinstance(body, Payload) and body.kind == "error")
    is_temporary = status in _TEMPORARY_STATUSES
    refused_anyway = status in _OTHER_REASONS or _is_about_model(body)
    is_unknown = refused_anyway or (completion is None and not failed)
    refused = None if is_unknown else failed
    faults: dict[str, AnswerFault] = {}
    for one in examined.hits if completion is not None else ():
        if rules.group_of(one.rule) in ("completion", "pair"):
            faults.setdefault(one.rule, AnswerFault(one.severity, one.hit.pointer))
    answer = TwinAnswer(exchange, completion, isinstance(body, Stream), refused, faults)
    return ComparedAnswer(answer, examined, verdict.speaks, name, is_temporary, refused_anyway)


def _is_about_model(body: object) -> bool:
    """Return whether an answer is an error that says that the server does not have the model."""
    value = obj(body.value) if isinstance(body, Payload) and body.kind == "error" else None
    if value is None:
        return False
    error = obj(value.get("error")) or value  # Mistral sends it without an envelope
    return any(isinstance(one, str) and one in _OF_MODEL for one in (error.get("code"), error.get("type")))


def _completion(examined: Examined) -> Completion | None:
    """Return the completion that was sent, or that a whole stream folds into, or ``None`` if there is none."""
    body = examined.exchange.response
    http = examined.exchange.http
    if http.broken or http.left:
        return None
    if isinstance(body, Payload):
        is_sound = body.kind == "completion" and body.sound
        return Completion(body.value) if is_sound and isinstance(body.value, dict) else None
    if not isinstance(body, Stream) or examined.folded is None:
        return None
    trace = Trace(body)
    has_ended = trace.done or any(choice.finishes for choice in trace.choices.values())
    is_complete = has_ended and not trace.cut and not trace.errors
    return Completion(examined.folded.value, folded=True) if is_complete else None
