"""Adapter for Strands Agents: an agent with tools and the model for OpenAI-compatible servers."""

from __future__ import annotations

from typing import Any

from serving import KEY, MODEL, QUESTION, Job, call, serve
from strands import Agent
from strands.models.openai import OpenAIModel
from strands.tools.tools import PythonAgentTool


def _make_tool(function: dict[str, Any], executed_calls: list[dict[str, Any]]) -> PythonAgentTool:
    def run(tool_use: Any, **_: Any) -> dict[str, Any]:
        executed_calls.append(call(function["name"], tool_use["input"]))
        return {"toolUseId": tool_use["toolUseId"], "status": "success", "content": [{"text": "done"}]}

    spec = {
        "name": function["name"],
        "description": function["description"],
        "inputSchema": {"json": function["parameters"]},
    }
    return PythonAgentTool(function["name"], spec, run)


def agent(job: Job) -> dict[str, Any]:
    """Ask an agent, which runs the tools that the model calls, and return its last message."""
    executed_calls: list[dict[str, Any]] = []
    model = OpenAIModel(
        client_args={"base_url": job.base_url, "api_key": KEY, "max_retries": 0}, model_id=MODEL, stream=job.stream
    )
    tools = [_make_tool(tool["function"], executed_calls) for tool in job.tools]
    result = Agent(model=model, tools=tools, callback_handler=None, retry_strategy=None)(QUESTION)
    texts = [block["text"] for block in result.message["content"] if "text" in block]
    return {"text": "".join(texts) or None, "calls": executed_calls, "role": result.message["role"]}


serve({"agent": agent})
