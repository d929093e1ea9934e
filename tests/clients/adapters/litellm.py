"""Adapter for LiteLLM as a client: ``completion`` with a model of an OpenAI-compatible server."""

from __future__ import annotations

from typing import Any

import litellm
from openai_shapes import result_of_choice, token_counts
from serving import KEY, MODEL, QUESTION, Job, serve

litellm.suppress_debug_info = True


def _result_of_choice(choice: Any) -> dict[str, Any]:
    return {**result_of_choice(choice), "reasoning": getattr(choice.message, "reasoning_content", None)}


def completion(job: Job) -> dict[str, Any]:
    """Send a request with ``completion``. Join the chunks of a stream with LiteLLM's own function."""
    options: dict[str, Any] = {"n": job.n} if job.n > 1 else {}
    if job.tools:
        options["tools"] = job.tools
    if job.stream:
        options |= {"stream": True, "stream_options": {"include_usage": True}}
    messages = [{"role": "user", "content": QUESTION}]
    answer: Any = litellm.completion(
        f"openai/{MODEL}", messages, api_base=job.base_url, api_key=KEY, max_retries=0, num_retries=0, **options
    )
    if job.stream:
        answer = litellm.stream_chunk_builder(list(answer), messages=messages)
    result = {**_result_of_choice(answer.choices[0]), "usage": token_counts(getattr(answer, "usage", None))}
    if len(answer.choices) > 1:
        result["choices"] = [_result_of_choice(choice) for choice in answer.choices]
    return result


serve({"completion": completion})
