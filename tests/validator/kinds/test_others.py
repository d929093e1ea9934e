"""Test how documents of other APIs are distinguished from those of Chat Completions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

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


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ({"type": "ai", "data": {"content": "Hi", "response_metadata": {}}}, "LangChain messages"),
        ({"output": {"choices": []}, "usage": {"input_tokens": 3}, "request_id": "r"}, "DashScope API"),
        ({"model": "m", "input": {"messages": []}, "parameters": {}}, "DashScope API"),
        ({"model_id": "m", "results": [{"generated_text": "Hi"}]}, "watsonx.ai text generation"),
        ({"title": "t", "mapping": {}, "current_node": "n"}, "conversation exported from ChatGPT"),
        ({"id": "c", "chat": {"history": {"messages": {}}, "messages": []}}, "conversation of Open WebUI"),
        ({"timestamp": "t", "type": "response_item", "payload": {"role": "user"}}, "session of Codex"),
        ({"uuid": "u", "sessionId": "s", "type": "user", "message": {"role": "user"}}, "session of Claude Code"),
    ],
)
def test_stored_conversations_and_native_apis_have_their_names(value: dict[str, Any], name: str) -> None:
    assert others.other_kind(value) == name
