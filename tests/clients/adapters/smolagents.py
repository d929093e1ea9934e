"""Adapter for smolagents with its model for OpenAI-compatible servers: single answers, and an agent with tools."""

from __future__ import annotations

from functools import cache
from typing import Any

from serving import KEY, MODEL, QUESTION, Job, call, serve
from smolagents import OpenAIModel, Tool, ToolCallingAgent
from smolagents.models import ChatMessage, agglomerate_stream_deltas
from smolagents.monitoring import LogLevel

MESSAGES = [ChatMessage.from_dict({"role": "user", "content": [{"type": "text", "text": QUESTION}]})]


@cache
def _model_at(base_url: str) -> OpenAIModel:
    return OpenAIModel(MODEL, api_base=base_url, api_key=KEY, client_kwargs={"max_retries": 0}, retry=False)


def _make_tools(job: Job, executed_calls: list[dict[str, Any]]) -> list[Tool]:
    return [_make_tool(tool["function"], executed_calls) for tool in job.tools]


def _make_tool(function: dict[str, Any], executed_calls: list[dict[str, Any]]) -> Tool:
    def forward(self: Any, **arguments: Any) -> str:
        executed_calls.append(call(function["name"], arguments))
        return "done"

    properties = function["parameters"]["properties"]
    attributes = {
        "name": function["name"],
        "description": function["description"],
        "inputs": {name: {"type": schema["type"], "description": name} for name, schema in properties.items()},
        "output_type": "string",
        "skip_forward_signature_validation": True,
        "forward": forward,
    }
    return type("Declared", (Tool,), attributes)()


def _result_of(message: Any) -> dict[str, Any]:
    usage = message.token_usage
    return {
        "text": message.content,
        "calls": [call(item.function.name, item.function.arguments) for item in message.tool_calls or ()],
        "role": getattr(message.role, "value", message.role),
        "usage": usage and {"prompt_tokens": usage.input_tokens, "completion_tokens": usage.output_tokens},
    }


def model(job: Job) -> dict[str, Any]:
    """Send one request."""
    return _result_of(_model_at(job.base_url).generate(MESSAGES, tools_to_call_from=_make_tools(job, []) or None))


def model_stream(job: Job) -> dict[str, Any]:
    """Send one request for a stream, and join its deltas with the function that agents use."""
    deltas = list(_model_at(job.base_url).generate_stream(MESSAGES, tools_to_call_from=_make_tools(job, []) or None))
    result = _result_of(agglomerate_stream_deltas(deltas))
    return {name: value for name, value in result.items() if name != "role"}


def _run_agent(job: Job, stream: bool) -> dict[str, Any]:
    executed_calls: list[dict[str, Any]] = []
    agent = ToolCallingAgent(
        tools=_make_tools(job, executed_calls),
        model=_model_at(job.base_url),
        stream_outputs=stream,
        verbosity_level=LogLevel.OFF,
        max_tool_threads=1,
    )
    text = agent.run(QUESTION, max_steps=1)
    return {"text": text, "calls": executed_calls}


def agent(job: Job) -> dict[str, Any]:
    """Run one step of an agent, which runs the tools that the model calls, and return its answer."""
    return _run_agent(job, stream=False)


def agent_stream(job: Job) -> dict[str, Any]:
    """Run one step of an agent with a stream, which runs the tools that the model calls, and return its answer."""
    return _run_agent(job, stream=True)


serve({"model": model, "model-stream": model_stream, "agent": agent, "agent-stream": agent_stream})
