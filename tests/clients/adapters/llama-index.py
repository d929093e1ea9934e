"""Adapter for LlamaIndex with ``OpenAILike``, its model for OpenAI-compatible servers."""

from __future__ import annotations

from functools import cache
from typing import Any

from llama_index.core.llms import ChatMessage
from llama_index.llms.openai_like import OpenAILike
from serving import KEY, MODEL, QUESTION, Job, call, serve

MESSAGES = [ChatMessage(role="user", content=QUESTION)]


@cache
def _model_at(base_url: str) -> OpenAILike:
    return OpenAILike(
        model=MODEL,
        api_base=base_url,
        api_key=KEY,
        is_chat_model=True,
        is_function_calling_model=True,
        max_retries=0,
        context_window=8192,
    )


def _options(job: Job) -> dict[str, Any]:
    return {"tools": job.tools} if job.tools else {}


def _result_of(model: OpenAILike, response: Any) -> dict[str, Any]:
    calls = model.get_tool_calls_from_response(response, error_on_no_tool_call=False)
    counts = response.additional_kwargs
    return {
        "text": response.message.content,
        "calls": [call(item.tool_name, item.tool_kwargs) for item in calls],
        "role": response.message.role.value,
        "usage": {name: counts.get(name) for name in ("prompt_tokens", "completion_tokens")} if counts else None,
    }


def chat(job: Job) -> dict[str, Any]:
    """Send a request with ``chat``."""
    model = _model_at(job.base_url)
    return _result_of(model, model.chat(MESSAGES, **_options(job)))


def stream(job: Job) -> dict[str, Any]:
    """Send a request with ``stream_chat``, whose last response is the whole answer. Only the raw chunks have usage."""
    model = _model_at(job.base_url)
    last = None
    for response in model.stream_chat(MESSAGES, **_options(job)):
        last = response
    if last is None:
        return {"text": None, "calls": [], "role": None}
    return {name: value for name, value in _result_of(model, last).items() if name != "usage"}


serve({"chat": chat, "stream": stream})
