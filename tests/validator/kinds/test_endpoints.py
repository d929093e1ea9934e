"""Test how paths of other APIs are distinguished from those of Chat Completions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.validator.kinds import endpoints

PATHS = {
    "/v1/embeddings": "Embeddings API",
    "/openai/deployments/d/images/generations?api-version=1": "Images API",
    "/v1/acct/gateway/anthropic/v1/messages": "Anthropic Messages API",
    "/v1/threads/thread_1/messages": "Assistants API",
    "/api/v1/responses/resp_1/input_items": "Responses API",
    "/v1/engines/davinci/completions": "Completions API (legacy)",
    "completions": "Completions API (legacy)",
    "/v1/fim/completions": "fill-in-the-middle completions",
    "/v1beta/models/gemini-3:generateContent": "Gemini API",
    "/v1/agents/completions/run_1": "Agents API of Mistral",
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
    assert endpoints.other_api(path) == PATHS[path]


@given(st.lists(st.sampled_from(["v1", "openai", "messages", "models", "api", "x", "chat", "completions", ""])))
def test_no_path_of_chat_completions_is_of_another_api(segments: list[str]) -> None:
    assert endpoints.other_api("/".join([*segments, "chat/completions"])) is None
