"""Test how paths and documents of other APIs are distinguished from those of Chat Completions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.validator.exchange import Exchange, Payload, Skipped, Stream
from isogloss.validator.kinds import others

FIXTURES = Path(__file__).parents[3] / "fixtures"

PATHS = {
    "/v1/embeddings": "Embeddings API",
    "/openai/deployments/d/images/generations?api-version=1": "Images API",
    "/v1/acct/gateway/anthropic/v1/messages": "Anthropic Messages API",
    "/v1/threads/thread_1/messages": "Assistants API",
    "/api/v1/responses/resp_1/input_items": "Responses API",
    "/v1/engines/davinci/completions": "Completions API (legacy)",
    "/v1/acct/gateway/compat/embeddings": "Embeddings API",
    "/v1/acct/gateway/groq/openai/models": "Models API",
    "/beta/completions": "Completions API (legacy)",
    "/v1/inference/rerank": "reranking",
    "completions": "Completions API (legacy)",
    "/v1/fim/completions": "completion in the middle",
    "/v1beta/models/gemini-3:generateContent": "Gemini API",
    "/v1/models/m": "Models API",
    "models": "Models API",
    "/v1": None,
    "": None,
    "/v1/chat/completions/chatcmpl-1/messages": "stored completions",
    "/gmail/v1/users/me/messages/send": None,
    "/app/api/v1/tracing/batches/1/events": None,
    "/repos/o/r/git/files": None,
    "/profile/completions": None,
    "/v1/projects/p/publishers/mistralai/models/m:rawPredict": None,
}


@pytest.mark.parametrize("path", PATHS)
def test_a_path_names_an_api_only_directly_behind_its_base(path: str) -> None:
    assert others.other_api(path) == PATHS[path]


def _payloads(found: Iterable[Exchange | Skipped]) -> Iterator[dict[str, Any]]:
    for exchange in found:
        if isinstance(exchange, Exchange):
            bodies = [body for body in (exchange.request, exchange.response) if isinstance(body, Payload)]
            events = exchange.response.values if isinstance(exchange.response, Stream) else []
            values = [*(body.value for body in bodies), *events]
            yield from (value for value in values if isinstance(value, dict))


@given(st.lists(st.sampled_from(["v1", "openai", "messages", "models", "api", "x", "chat", "completions", ""])))
def test_no_path_of_chat_completions_is_of_another_api(segments: list[str]) -> None:
    assert others.other_api("/".join([*segments, "chat/completions"])) is None


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
