"""Read captures that tests write."""

from __future__ import annotations

import io
import json
from functools import cache
from pathlib import Path
from typing import Any

from isogloss.validator import captures, engines
from isogloss.validator.exchange import Exchange, Payload, Skipped, Stream
from isogloss.validator.findings import Finding, Severity
from isogloss.validator.judging.judge import Judge


def read_all(
    content: Any, name: str = "capture", input_format: str | None = None, **options: Any
) -> list[Exchange | Skipped]:
    """Read a capture, and return all that is found. Its content is bytes, text, a file, or a value to write as JSON."""
    if isinstance(content, Path):
        name, content = content.name, content.read_bytes()
    data = (
        content
        if isinstance(content, bytes)
        else (content if isinstance(content, str) else json.dumps(content)).encode()
    )
    return list(captures.read(captures.Capture(io.BytesIO(data), name, **options), input_format))


def all_exchanges(content: Any, name: str = "capture", **options: Any) -> list[Exchange]:
    """Return the exchanges in a capture, whatever is skipped in it."""
    return [part for part in read_all(content, name, **options) if isinstance(part, Exchange)]


def exchanges_in(content: Any, name: str = "capture", **options: Any) -> list[Exchange]:
    """Return the exchanges in a capture in which nothing is skipped."""
    parts = read_all(content, name, **options)
    assert not [part for part in parts if isinstance(part, Skipped)], parts
    return [part for part in parts if isinstance(part, Exchange)]


def exchange_in(content: Any, name: str = "capture", **options: Any) -> Exchange:
    """Return the one exchange in a capture."""
    (exchange,) = exchanges_in(content, name, **options)
    return exchange


def bodies_in(content: Any) -> list[str]:
    """Return the text of the body of each answer in a capture, and the reason for each part that is skipped."""
    texts = []
    for part in read_all(content):
        if isinstance(part, Skipped):
            texts.append(part.reason)
        elif part.response is not None:
            texts.append(part.response.text.data.decode())
    return texts


def findings_in(content: Any) -> list[Finding]:
    """Return the findings of all exchanges in a capture."""
    return [finding for exchange in all_exchanges(content) for finding in findings_of_exchange(exchange)]


def findings_of_exchange(exchange: Exchange) -> list[Finding]:
    """Return the findings of one exchange."""
    return list(_judge().judge(exchange).findings)


def place_in(text: str, part: str) -> tuple[int, int]:
    """Return the line and the column of the first place in a text where a part of it stands."""
    before = text[: text.index(part)]
    return before.count("\n") + 1, len(before) - before.rfind("\n")


def place_of(finding: Finding) -> tuple[int, int]:
    """Return the line and the column of a finding."""
    return finding.source.line, finding.source.column


def rules_and_places(exchange: Exchange) -> list[tuple[str, int, int]]:
    """Return the rule, the line and the column of each error and warning in an exchange."""
    findings = [one for one in findings_of_exchange(exchange) if one.severity > Severity.NOTE]
    return [(one.rule, *place_of(one)) for one in findings]


@cache
def _judge() -> Judge:
    return Judge(engines.load())


def last_reason(parts: list[Exchange | Skipped]) -> str:
    """Return why the last part was skipped."""
    assert parts
    assert isinstance(parts[-1], Skipped), parts
    return parts[-1].reason


def values_of(exchange: Exchange) -> tuple[Any, Any]:
    """Return the values of the request and of the answer; those of a stream are a list."""
    body = exchange.response
    assert isinstance(body, Payload | Stream | None)
    answer = body.values if isinstance(body, Stream) else body.value if body else None
    return exchange.request.value if exchange.request else None, answer
