"""Read input and output files of the OpenAI Batch API, and of others': lines of requests, or of their responses.

Lines of requests for Mistral, Together and Novita have a body and no URL, which the job names; for Mistral, it may name
the model as well (their pages on batches, read 2026-11).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from isogloss.validator.captures import http
from isogloss.validator.captures.capture import Capture
from isogloss.validator.captures.document import Document, Node
from isogloss.validator.captures.http import RecordedMessage
from isogloss.validator.exchange import Exchange, Skipped, Why
from isogloss.validator.kinds import kind_of, others, why_no_payload

__all__ = ["NAME", "WORDS", "read", "recognise"]

NAME = "openai-batch"
WORDS = (b'"custom_id"',)

_NO_MODEL = Why("a request of a batch that names its model elsewhere")
_NO_RESPONSE = Why("a request of the batch that got no response")
_CUSTOM_ID = rb'\{[^\r\n]{0,500}?"custom_id"\s*:'


def recognise(capture: Capture) -> int:
    """Recognise a capture whose first line is an object with a property ``custom_id``."""
    return 80 if re.match(_CUSTOM_ID, capture.start) else 0


def read(capture: Capture) -> Iterator[Exchange | Skipped]:
    """Yield the exchanges of the batch, line by line."""
    from isogloss.validator.captures.structures.values import exchanges

    for number, line in enumerate(capture.lines()):
        part = Document(line).root
        if isinstance(part.value, dict) and _is_line(part.value):
            yield _response_exchange(capture, number, part)
        else:
            yield from exchanges(capture, number, part, capture.kind)


def _is_line(value: dict[str, Any]) -> bool:
    """Return whether an object is a line as OpenAI has them. Others have the answer under another name."""
    return "custom_id" in value and "method" not in value and ("response" in value or "body" in value)


def _request_exchange(capture: Capture, number: int, request: Node) -> Exchange | Skipped:
    if kind_of(request.value) != "request":
        return Skipped(file=capture.name, number=number, why=why_no_payload(request.value))
    if "model" not in request.value:
        return Skipped(file=capture.name, number=number, why=_NO_MODEL)
    return http.exchange_of_part(capture, number, request, RecordedMessage(body=request), RecordedMessage())


def _response_exchange(capture: Capture, number: int, part: Node) -> Exchange | Skipped:
    request, response = part.get("body"), part.get("response")
    if isinstance(request.value, dict) and "response" not in part.value:
        return _request_exchange(capture, number, request)
    body = response.get("body")
    if kind_of(response.value) is not None:  # vLLM's run-batch wrote so: its page on openai_batch, 2024-05
        body = response
    if body.value is None:
        is_of_batch = "response" in part.value and not others.other_kind(part.value)
        why = _NO_RESPONSE if is_of_batch else why_no_payload(part.value)
        return Skipped(file=capture.name, number=number, why=why)
    answer = RecordedMessage(body=body.text() or body, status=response.get("status_code").integer())
    return http.exchange_of_part(capture, number, part, RecordedMessage(), answer)
