"""AutoGen with its client for OpenAI-compatible servers."""

from __future__ import annotations

from functools import cache
from typing import Any

from autogen_agentchat.agents import AssistantAgent
from autogen_core.models import CreateResult, ModelFamily, UserMessage
from autogen_core.tools import BaseTool
from autogen_ext.models.openai import OpenAIChatCompletionClient
from pydantic import BaseModel, create_model
from serving import KEY, MODEL, QUESTION, Job, call, run_coroutine, serve

FINISH_REASONS = {"function_calls": "tool_calls", "unknown": None}
"""The finish reasons that AutoGen renames. It writes ``unknown`` if there is none, or one that it does not know."""
ABILITIES = {
    "vision": False,
    "function_calling": True,
    "json_output": True,
    "structured_output": True,
    "multiple_system_messages": True,
    "family": ModelFamily.GPT_41,
}
TYPES = {"string": str, "integer": int, "number": float, "boolean": bool, "object": dict, "array": list}


@cache
def _client_at(base_url: str) -> OpenAIChatCompletionClient:
    return OpenAIChatCompletionClient(
        model=MODEL, base_url=base_url, api_key=KEY, max_retries=0, model_info=ABILITIES, include_name_in_message=False
    )


def _request_arguments(job: Job) -> dict[str, Any]:
    tools = [
        {"name": function["name"], "description": function["description"], "parameters": function["parameters"]}
        for function in (tool["function"] for tool in job.tools)
    ]
    return {"messages": [UserMessage(content=QUESTION, source="user")], "tools": tools}


def _result_of(response: CreateResult) -> dict[str, Any]:
    is_text = isinstance(response.content, str)
    counts = response.usage
    return {
        "text": response.content if is_text else response.thought,
        "calls": [] if is_text else [call(item.name, item.arguments) for item in response.content],
        "finish_reason": FINISH_REASONS.get(response.finish_reason, response.finish_reason),
        "usage": {"prompt_tokens": counts.prompt_tokens, "completion_tokens": counts.completion_tokens},
    }


def create(job: Job) -> dict[str, Any]:
    """Send a request with ``create``."""
    return _result_of(run_coroutine(_client_at(job.base_url).create(**_request_arguments(job))))


def create_stream(job: Job) -> dict[str, Any]:
    """Send a request with ``create_stream``, whose last part is the result."""

    async def ask() -> Any:
        last = None
        async for part in _client_at(job.base_url).create_stream(**_request_arguments(job), include_usage=True):
            last = part
        return last

    return _result_of(run_coroutine(ask()))


def agent(job: Job) -> dict[str, Any]:
    """Run an agent, which runs the tools that the model calls and sends their results to the model."""
    executed_calls: list[dict[str, Any]] = []

    def make_tool(function: dict[str, Any]) -> BaseTool[Any, str]:
        fields: Any = {
            name: (TYPES[schema["type"]], ...) for name, schema in function["parameters"]["properties"].items()
        }
        arguments_type = create_model(f"Arguments_{function['name']}", **fields)

        class Declared(BaseTool[BaseModel, str]):
            async def run(self, args: BaseModel, cancellation_token: Any) -> str:
                executed_calls.append(call(function["name"], args.model_dump(mode="json")))
                return "done"

        return Declared(arguments_type, str, function["name"], function["description"])

    tools = [make_tool(tool["function"]) for tool in job.tools]
    assistant = AssistantAgent(
        "weather", model_client=_client_at(job.base_url), tools=tools, reflect_on_tool_use=bool(tools)
    )
    return {"text": run_coroutine(assistant.run(task=QUESTION)).messages[-1].content, "calls": executed_calls}


serve({"create": create, "create-stream": create_stream, "agent": agent})
