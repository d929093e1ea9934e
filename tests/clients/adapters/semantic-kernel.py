"""Adapter for Semantic Kernel with its chat completion service for OpenAI."""

from __future__ import annotations

from functools import cache, reduce
from operator import add
from typing import Any

from openai import AsyncOpenAI
from semantic_kernel.connectors.ai.open_ai import OpenAIChatCompletion, OpenAIChatPromptExecutionSettings
from semantic_kernel.contents import ChatHistory, FunctionCallContent
from serving import KEY, MODEL, QUESTION, Job, call, run_coroutine, serve


@cache
def _service_at(base_url: str) -> OpenAIChatCompletion:
    client = AsyncOpenAI(base_url=base_url, api_key=KEY, max_retries=0)
    return OpenAIChatCompletion(ai_model_id=MODEL, async_client=client)


def _request_arguments(job: Job) -> tuple[ChatHistory, OpenAIChatPromptExecutionSettings]:
    history = ChatHistory()
    history.add_user_message(QUESTION)
    options: dict[str, Any] = {"tools": job.tools, "tool_choice": "auto"} if job.tools else {}
    if job.n > 1:
        options["number_of_responses"] = job.n
    return history, OpenAIChatPromptExecutionSettings(**options)


def _result_of_message(message: Any) -> dict[str, Any]:
    usage = message.metadata.get("usage")
    calls = [item for item in message.items if isinstance(item, FunctionCallContent)]
    return {
        "text": message.content,
        "calls": [call(item.name, item.arguments) for item in calls],
        "role": getattr(message.role, "value", message.role),
        "finish_reason": getattr(message.finish_reason, "value", message.finish_reason),
        "usage": usage and {"prompt_tokens": usage.prompt_tokens, "completion_tokens": usage.completion_tokens},
    }


def _result_of(messages: list[Any]) -> dict[str, Any]:
    result = _result_of_message(messages[0])
    return {**result, "choices": [_result_of_message(message) for message in messages]} if len(messages) > 1 else result


def chat(job: Job) -> dict[str, Any]:
    """Send a request, and read the messages of the answer."""
    return _result_of(run_coroutine(_service_at(job.base_url).get_chat_message_contents(*_request_arguments(job))))


def stream(job: Job) -> dict[str, Any]:
    """Send a request for a stream, and add the parts of each choice."""

    async def ask() -> dict[int, list[Any]]:
        parts: dict[int, list[Any]] = {}
        async for messages in _service_at(job.base_url).get_streaming_chat_message_contents(*_request_arguments(job)):
            for message in messages:
                parts.setdefault(message.choice_index, []).append(message)
        return parts

    parts = run_coroutine(ask())
    return _result_of([reduce(add, messages) for _, messages in sorted(parts.items())])


serve({"chat": chat, "stream": stream})
