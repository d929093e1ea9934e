"""Adapter for Agno with its model for OpenAI-compatible servers: an agent that runs the tools that the model calls."""

from __future__ import annotations

from functools import cache
from typing import Any

from agno.agent import Agent
from agno.models.openai.like import OpenAILike
from agno.run.agent import RunErrorEvent
from agno.run.base import RunStatus
from agno.tools.function import Function
from serving import KEY, MODEL, QUESTION, Job, call, serve


class RunError(Exception):
    """A run failed. Agno raises nothing then: it gives a status and a message, or an event."""


@cache
def _model_at(base_url: str) -> OpenAILike:
    return OpenAILike(id=MODEL, base_url=base_url, api_key=KEY, max_retries=0)


def _make_tool(function: dict[str, Any], executed_calls: list[dict[str, Any]]) -> Function:
    def run(**arguments: Any) -> str:
        executed_calls.append(call(function["name"], arguments))
        return "done"

    return Function(
        name=function["name"],
        description=function["description"],
        parameters=function["parameters"],
        entrypoint=run,
        skip_entrypoint_processing=True,
    )


def agent(job: Job) -> dict[str, Any]:
    """Run an agent, and read its last answer."""
    executed_calls: list[dict[str, Any]] = []
    tools = [_make_tool(tool["function"], executed_calls) for tool in job.tools]
    made = Agent(model=_model_at(job.base_url), tools=tools, telemetry=False)
    output = _streamed_output(made) if job.stream else made.run(QUESTION)
    if output.status == RunStatus.error:
        raise RunError(output.content)
    result = {"text": output.content, "calls": executed_calls}
    if any(message.role == "tool" for message in output.messages or ()):
        return result  # the answer is not the first one
    return {**result, "reasoning": output.reasoning_content, "usage": _token_counts(output.metrics)}


def _streamed_output(made: Agent) -> Any:
    """Return what a run gives after its events. Its last event is the error if there is one."""
    *_, last = made.run(QUESTION, stream=True, yield_run_output=True)
    if isinstance(last, RunErrorEvent):
        raise RunError(last.content)
    return last


def _token_counts(metrics: Any) -> dict[str, Any] | None:
    return metrics and {"prompt_tokens": metrics.input_tokens, "completion_tokens": metrics.output_tokens}


serve({"agent": agent})
