"""Test how documents of other APIs are distinguished from those of Chat Completions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from isogloss.validator.exchange import Exchange, Payload, Skipped, Stream
from isogloss.validator.kinds import others

FIXTURES = Path(__file__).parents[3] / "fixtures"


def _payloads(found: Iterable[Exchange | Skipped]) -> Iterator[dict[str, Any]]:
    for exchange in found:
        if isinstance(exchange, Exchange):
            bodies = [body for body in (exchange.request, exchange.response) if isinstance(body, Payload)]
            events = exchange.response.values if isinstance(exchange.response, Stream) else []
            values = [*(body.value for body in bodies), *events]
            yield from (value for value in values if isinstance(value, dict))


def test_no_genuine_payload_is_of_another_api_whichever_property_it_lacks(
    read: Callable[[Path], list[Exchange | Skipped]],
) -> None:
    paths = [path for group in ("conforming", "dialects") for path in (FIXTURES / group).rglob("*.*")]
    payloads = list(_payloads(chain.from_iterable(map(read, paths))))
    assert len(payloads) > 100
    for payload in payloads:
        if payload.get("type") == "error" or payload.get("object") == "text_completion":
            continue  # Envoy's errors have the form of Anthropic's, and TGI's answers say that they are legacy
        for lesser in (payload, *({k: payload[k] for k in payload if k != name} for name in payload)):
            assert others.other_kind(lesser) is None, lesser
