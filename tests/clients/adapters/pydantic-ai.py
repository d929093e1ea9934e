"""Adapter for Pydantic AI with its chat model for OpenAI: single requests, and agents that run their tools."""

from __future__ import annotations

from functools import cache
from typing import Any

from openai import AsyncOpenAI
from pydantic_ai import Agent, Tool
from pydantic_ai.direct import model_request, model_request_stream
from pydantic_ai.messages import ModelRequest, TextPart, ThinkingPart, ToolCallPart
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.usage import UsageLimits
from serving import KEY, MODEL, QUESTION, Job, call, run_coroutine, serve

FINISH_REASONS = {"tool_call": "tool_calls"}
"""The finish reasons that Pydantic AI renames."""


@cache
def _model_at(base_url: str) -> OpenAIChatModel:
    client = AsyncOpenAI(base_url=base_url, api_key=KEY, max_retries=0)
    return OpenAIChatModel(MODEL, provider=OpenAIProvider(openai_client=client))


def _request_arguments(job: Job) -> dict[str, Any]:
    functions = [tool["function"] for tool in job.tools]
    tools = [
        ToolDefinition(
            name=function["name"],
            description=function["description"],
            parameters_json_schema=function["parameters"],
        )
        for function in functions
    ]
    parameters = ModelRequestParameters(function_tools=tools)
    return {"messages": [ModelRequest.user_text_prompt(QUESTION)], "model_request_parameters": parameters}


def _result_of(response: Any) -> dict[str, Any]:
    def join_parts(kind: type) -> str | None:
        return "".join(part.content for part in response.parts if isinstance(part, kind)) or None

    usage = response.usage
    return {
        "text": join_parts(TextPart),
        "calls": [call(part.tool_name, part.args) for part in response.parts if isinstance(part, ToolCallPart)],
        "finish_reason": FINISH_REASONS.get(response.finish_reason, response.finish_reason),
        "usage": {"prompt_tokens": usage.input_tokens, "completion_tokens": usage.output_tokens},
        "reasoning": join_parts(ThinkingPart),
    }


def model(job: Job) -> dict[str, Any]:
    """Send one request."""
    return _result_of(run_coroutine(model_request(_model_at(job.base_url), **_request_arguments(job))))


def model_stream(job: Job) -> dict[str, Any]:
    """Send one request for a stream, and read the response once it is complete."""

    async def ask() -> Any:
        async with model_request_stream(_model_at(job.base_url), **_request_arguments(job)) as stream:
            async for _ in stream:
                pass
            return stream.get()

    return _result_of(run_coroutine(ask()))


def _make_agent(job: Job, executed_calls: list[dict[str, Any]]) -> Agent[Any, str]:
    def make_tool(function: dict[str, Any]) -> Tool[Any]:
        def run(**arguments: Any) -> str:
            executed_calls.append(call(function["name"], arguments))
            return "done"

        return Tool.from_schema(run, function["name"], function["description"], function["parameters"], sequential=True)

    return Agent(_model_at(job.base_url), tools=[make_tool(tool["function"]) for tool in job.tools])


LIMITS = UsageLimits(request_limit=5)


def agent(job: Job) -> dict[str, Any]:
    """Run an agent, which runs the tools that the model calls."""
    executed_calls: list[dict[str, Any]] = []
    result = run_coroutine(_make_agent(job, executed_calls).run(QUESTION, usage_limits=LIMITS))
    return {"text": result.output, "calls": executed_calls}


def agent_stream(job: Job) -> dict[str, Any]:
    """Run an agent with streams, which runs the tools that the model calls."""
    executed_calls: list[dict[str, Any]] = []

    async def ask() -> Any:
        async with _make_agent(job, executed_calls).run_stream_events(QUESTION, usage_limits=LIMITS) as events:
            last = None
            async for event in events:
                last = event
            return last

    return {"text": run_coroutine(ask()).result.output, "calls": executed_calls}


serve({"model": model, "model-stream": model_stream, "agent": agent, "agent-stream": agent_stream})
