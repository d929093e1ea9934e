"""Adapter for ``ChatOpenAI`` of LangChain: ``invoke``, ``stream`` with added chunks, and an agent with tools."""

from __future__ import annotations

from functools import cache, reduce
from operator import add
from typing import Any

from langchain_core.tools import StructuredTool
from langchain_openai import ChatOpenAI
from serving import KEY, MODEL, QUESTION, Job, call, serve

try:
    from langchain.agents import create_agent
except ImportError:  # before LangChain 1.0
    from langgraph.prebuilt import create_react_agent as create_agent


@cache
def _model_at(base_url: str, n: int) -> ChatOpenAI:
    options = {"n": n} if n > 1 else {}
    return ChatOpenAI(model=MODEL, base_url=base_url, api_key=KEY, max_retries=0, stream_usage=True, **options)


def _model_of(job: Job) -> Any:
    model = _model_at(job.base_url, job.n)
    return model.bind_tools(job.tools) if job.tools else model


def _result_of(message: Any) -> dict[str, Any]:
    usage = message.usage_metadata
    return {
        "text": message.content,
        "calls": [call(item["name"], item["args"]) for item in message.tool_calls],
        "finish_reason": message.response_metadata.get("finish_reason"),
        "usage": usage and {"prompt_tokens": usage["input_tokens"], "completion_tokens": usage["output_tokens"]},
        "refusal": message.additional_kwargs.get("refusal"),
    }


def invoke(job: Job) -> dict[str, Any]:
    """Send a request with ``invoke``."""
    return _result_of(_model_of(job).invoke(QUESTION))


def stream(job: Job) -> dict[str, Any]:
    """Send a request with ``stream``, and add the chunks as the documentation shows."""
    return _result_of(reduce(add, _model_of(job).stream(QUESTION)))


def agent(job: Job) -> dict[str, Any]:
    """Run an agent, which runs the tools that the model calls."""
    executed_calls: list[dict[str, Any]] = []

    def make_tool(function: dict[str, Any]) -> StructuredTool:
        def run(**arguments: Any) -> str:
            executed_calls.append(call(function["name"], arguments))
            return "done"

        schema, description = function["parameters"], function["description"]
        return StructuredTool.from_function(run, name=function["name"], description=description, args_schema=schema)

    tool_agent = create_agent(_model_at(job.base_url, 1), [make_tool(tool["function"]) for tool in job.tools])
    state = tool_agent.invoke({"messages": [{"role": "user", "content": QUESTION}]}, {"recursion_limit": 8})
    return {"text": state["messages"][-1].content, "calls": executed_calls}


serve({"invoke": invoke, "stream": stream, "agent": agent})
