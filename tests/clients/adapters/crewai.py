"""Adapter for the model of CrewAI: ``call``, which returns a text or calls, as its agents use it."""

from __future__ import annotations

from typing import Any

from crewai import LLM
from serving import KEY, MODEL, QUESTION, Job, call, serve


def call_path(job: Job) -> dict[str, Any]:
    """Send a request with ``call``. The model counts tokens over its calls, so each job has a model of its own."""
    model = LLM(model=f"openai/{MODEL}", base_url=job.base_url, api_key=KEY, max_retries=0, stream=job.stream)
    answer: Any = model.call([{"role": "user", "content": QUESTION}], tools=job.tools or None)
    counts = model.get_token_usage_summary()
    usage = {"prompt_tokens": counts.prompt_tokens, "completion_tokens": counts.completion_tokens}
    if isinstance(answer, list) and all(map(_is_call, answer)):
        return {"calls": [_describe_call(item) for item in answer], "usage": usage}
    return {"text": answer, "calls": [], "usage": usage}


def _is_call(item: Any) -> bool:
    """Return whether an item is a call, which is an object in an answer and a dictionary in a stream."""
    return "function" in item if isinstance(item, dict) else hasattr(item, "function")


def _describe_call(item: Any) -> dict[str, Any]:
    if isinstance(item, dict):
        return call(item["function"]["name"], item["function"]["arguments"])
    return call(item.function.name, item.function.arguments)


serve({"call": call_path})
