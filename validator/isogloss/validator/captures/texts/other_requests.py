"""Recognise the refusal of a request to another API: on a line of a log, directly behind the one with the request.

Servers refuse requests for embeddings as they refuse those of Chat Completions, so that an error alone does not show
what it answers.
"""

from __future__ import annotations

from isogloss.validator.captures.texts.ids import Ids, ids_in_record, ids_in_text
from isogloss.validator.captures.traffic import is_chat_path
from isogloss.validator.exchange import Cause, Exchange, Payload, Skipped, Why
from isogloss.validator.kinds.others import other_kind
from isogloss.validator.text import Text

__all__ = ["why_refused_elsewhere"]

_QUESTIONS = frozenset({"messages", "input", "prompt", "contents", "inputs", "texts", "query"})
"""One of these properties stands beside the model in a request, whatever its API is."""
_ANSWERED = frozenset({
    "choices", "object", "usage", "done", "error", "response", "response_body", "responsebody", "output", "outputs",
    "result", "answer", "completion", "status", "status_code", "statuscode",
})  # fmt: skip
"""An object with one of these properties is an answer, or holds one beside the request."""


def why_refused_elsewhere(
    skipped: Why, before: tuple[Text, object], found: Exchange | Skipped, line: tuple[Text, object]
) -> Why | None:
    """Return why an error is no answer of Chat Completions: the line before it asks another API. Else return ``None``.

    ``skipped`` is why the line before is skipped; ``before`` and ``line`` are the text and the record of each line. If
    both have ids, they must have one in common.
    """
    if not _is_error(found, line[0]) or (why := _why_of_request(skipped, before[1])) is None:
        return None
    asked, answered = _ids(*before), _ids(*line)
    return None if asked and answered and asked.keys().isdisjoint(answered) else why


def _is_error(found: Exchange | Skipped, line: Text) -> bool:
    """Return whether a line holds an error alone, which nothing shows to be of Chat Completions."""
    if isinstance(found, Skipped):
        return b'"error' in line.data and b'"choices' not in line.data
    is_error = isinstance(found.response, Payload) and found.response.kind == "error"
    return is_error and found.request is None and not is_chat_path(found.path)


def _why_of_request(skipped: Why, record: object) -> Why | None:
    """Return why a request of another API is skipped, alone or in a record without an answer, else ``None``."""
    if not isinstance(record, dict) or not _ANSWERED.isdisjoint(map(str.lower, record)):
        return None
    parts = (part for part in (record, *record.values()) if isinstance(part, dict) and "model" in part)
    asking = (part for part in parts if _ANSWERED.isdisjoint(part) and not _QUESTIONS.isdisjoint(part))
    if (request := next(asking, None)) is None:
        return None
    if skipped.cause is Cause.OTHER:
        return skipped
    name = other_kind(request)
    return Why(f"not Chat Completions: {name}", Cause.OTHER) if name else None


def _ids(line: Text, record: object) -> Ids:
    return ids_in_record(record) | ids_in_text(line.whole().data)
