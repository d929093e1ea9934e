"""Adapter for LLM, with a model of ``extra-openai-models.yaml``: ``prompt``, and ``chain``, which runs the tools."""

from __future__ import annotations

from functools import cache
from typing import Any

from llm import Tool
from llm.default_plugins.openai_models import Chat
from serving import KEY, MODEL, QUESTION, Job, call, serve


@cache
def _model_at(base_url: str) -> Chat:
    return Chat(model_id="model", model_name=MODEL, api_base=base_url, supports_tools=True)


def _make_tools(job: Job, executed_calls: list[dict[str, Any]]) -> list[Tool]:
    return [_make_tool(tool["function"], executed_calls) for tool in job.tools]


def _make_tool(function: dict[str, Any], executed_calls: list[dict[str, Any]]) -> Tool:
    def run(**arguments: Any) -> str:
        executed_calls.append(call(function["name"], arguments))
        return "done"

    return Tool(function["name"], function["description"], function["parameters"], run)


def prompt(job: Job) -> dict[str, Any]:
    """Send one request."""
    response = _model_at(job.base_url).prompt(QUESTION, tools=_make_tools(job, []), stream=job.stream, key=KEY)
    usage = {"prompt_tokens": response.usage().input, "completion_tokens": response.usage().output}
    return {
        "text": response.text() or None,
        "calls": [call(item.name, item.arguments) for item in response.tool_calls()],
        "usage": usage if any(usage.values()) else None,
    }


def chain(job: Job) -> dict[str, Any]:
    """Send requests until an answer has no calls, and return the text of the last answer."""
    executed_calls: list[dict[str, Any]] = []
    tools = _make_tools(job, executed_calls)
    responses = _model_at(job.base_url).chain(QUESTION, tools=tools, stream=job.stream, key=KEY).responses()
    return {"text": [response.text() for response in responses][-1], "calls": executed_calls}


serve({"prompt": prompt, "chain": chain})
