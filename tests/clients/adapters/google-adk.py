"""Adapter for the Agent Development Kit of Google with ``LiteLlm``, its model for other servers."""

from __future__ import annotations

from typing import Any

from google.adk.models.lite_llm import LiteLlm
from google.adk.models.llm_request import LlmRequest
from google.genai import types
from serving import KEY, MODEL, QUESTION, Job, call, run_coroutine, serve


def _make_request(job: Job) -> LlmRequest:
    functions = [
        types.FunctionDeclaration(
            name=function["name"],
            description=function["description"],
            parameters_json_schema=function["parameters"],
        )
        for function in (tool["function"] for tool in job.tools)
    ]
    tools = [types.Tool(function_declarations=functions)] if functions else None
    contents = [types.Content(role="user", parts=[types.Part(text=QUESTION)])]
    return LlmRequest(contents=contents, config=types.GenerateContentConfig(tools=tools))


def litellm(job: Job) -> dict[str, Any]:
    """Send a request with ``generate_content_async``. Read only the responses that are not partial."""

    async def ask() -> list[Any]:
        model = LiteLlm(f"openai/{MODEL}", api_base=job.base_url, api_key=KEY, max_retries=0, num_retries=0)
        return [response async for response in model.generate_content_async(_make_request(job), stream=job.stream)]

    responses = [response for response in run_coroutine(ask()) if not response.partial]
    parts = [part for response in responses for part in (response.content.parts if response.content else None) or ()]
    calls = [part.function_call for part in parts if part.function_call]
    usage = next((response.usage_metadata for response in reversed(responses) if response.usage_metadata), None)
    return {
        "text": "".join(part.text for part in parts if part.text and not part.thought) or None,
        "calls": [call(item.name, item.args) for item in calls],
        "reasoning": "".join(part.text for part in parts if part.text and part.thought) or None,
        "usage": usage
        and {"prompt_tokens": usage.prompt_token_count, "completion_tokens": usage.candidates_token_count},
    }


serve({"litellm": litellm})
