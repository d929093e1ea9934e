"""Adapter for Haystack with ``OpenAIChatGenerator``."""

from __future__ import annotations

from typing import Any

from haystack.components.generators.chat import OpenAIChatGenerator
from haystack.dataclasses import ChatMessage
from haystack.tools import Tool
from haystack.utils import Secret
from serving import KEY, MODEL, QUESTION, Job, call, serve


def _ignore_chunk(chunk: Any) -> None:
    """Ignore a chunk of a stream. The generator joins the chunks."""


def _run_tool(**arguments: Any) -> str:
    return "done"


def _make_tool(function: dict[str, Any]) -> Tool:
    name, description, schema = function["name"], function["description"], function["parameters"]
    return Tool(name=name, description=description, parameters=schema, function=_run_tool)


def _result_of(message: Any) -> dict[str, Any]:
    usage = message.meta.get("usage")
    return {
        "text": message.text,
        "calls": [call(item.tool_name, item.arguments) for item in message.tool_calls],
        "role": message.role.value,
        "finish_reason": message.meta.get("finish_reason"),
        "usage": usage and {name: usage.get(name) for name in ("prompt_tokens", "completion_tokens")},
        "reasoning": message.reasoning and message.reasoning.reasoning_text,
    }


def generator(job: Job) -> dict[str, Any]:
    """Send a request with ``run``. With a callback, it asks for a stream."""
    options: dict[str, Any] = {"n": job.n} if job.n > 1 else {}
    if job.stream:
        options["stream_options"] = {"include_usage": True}
    chat_generator = OpenAIChatGenerator(
        api_key=Secret.from_token(KEY), model=MODEL, api_base_url=job.base_url, max_retries=0, generation_kwargs=options
    )
    tools = [_make_tool(tool["function"]) for tool in job.tools] or None
    callback = _ignore_chunk if job.stream else None
    replies = chat_generator.run([ChatMessage.from_user(QUESTION)], streaming_callback=callback, tools=tools)["replies"]
    result = _result_of(replies[0])
    return {**result, "choices": [_result_of(reply) for reply in replies]} if len(replies) > 1 else result


serve({"generator": generator})
