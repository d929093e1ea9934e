"""Adapter for the Agents SDK of OpenAI with Chat Completions: agents that run their tools, with and without streams."""

from __future__ import annotations

from functools import cache
from typing import Any

from agents import Agent, FunctionTool, OpenAIChatCompletionsModel, Runner, set_tracing_disabled
from openai import AsyncOpenAI
from serving import KEY, MODEL, QUESTION, Job, call, run_coroutine, serve

set_tracing_disabled(True)
MAX_TURNS = 5


@cache
def _model_at(base_url: str) -> OpenAIChatCompletionsModel:
    return OpenAIChatCompletionsModel(MODEL, AsyncOpenAI(base_url=base_url, api_key=KEY, max_retries=0))


def _make_agent(job: Job, executed_calls: list[dict[str, Any]]) -> Agent[Any]:
    def make_tool(function: dict[str, Any]) -> FunctionTool:
        async def run(context: Any, arguments: str) -> str:
            executed_calls.append(call(function["name"], arguments))
            return "done"

        return FunctionTool(
            name=function["name"],
            description=function["description"],
            params_json_schema=function["parameters"],
            on_invoke_tool=run,
        )

    return Agent(
        name="Weather", model=_model_at(job.base_url), tools=[make_tool(tool["function"]) for tool in job.tools]
    )


def _result_of(result: Any, executed_calls: list[dict[str, Any]]) -> dict[str, Any]:
    usage = result.raw_responses[0].usage
    counts = {"prompt_tokens": usage.input_tokens, "completion_tokens": usage.output_tokens}
    return {"text": result.final_output, "calls": executed_calls, "usage": counts}


def agent(job: Job) -> dict[str, Any]:
    """Run an agent. The usage is that of the first request."""
    executed_calls: list[dict[str, Any]] = []
    return _result_of(
        run_coroutine(Runner.run(_make_agent(job, executed_calls), QUESTION, max_turns=MAX_TURNS)), executed_calls
    )


def agent_stream(job: Job) -> dict[str, Any]:
    """Run an agent with streams. The usage is that of the first request."""
    executed_calls: list[dict[str, Any]] = []

    async def ask() -> Any:
        result = Runner.run_streamed(_make_agent(job, executed_calls), QUESTION, max_turns=MAX_TURNS)
        async for _ in result.stream_events():
            pass
        return result

    return _result_of(run_coroutine(ask()), executed_calls)


serve({"agent": agent, "agent-stream": agent_stream})
