"""Adapter for ``InferenceClient`` of ``huggingface_hub``: ``chat.completions.create``."""

from __future__ import annotations

from functools import cache
from typing import Any

from huggingface_hub import InferenceClient
from openai_shapes import request_arguments, result_of_choice, token_counts
from serving import KEY, Job, call, serve

EMPTY_RESULT: dict[str, Any] = {"text": None, "calls": [], "role": None, "finish_reason": None, "reasoning": None}
"""The result that an application has after a stream without choices."""


@cache
def _client_at(base_url: str) -> InferenceClient:
    return InferenceClient(base_url=base_url, api_key=KEY)


def _result_of_choice(choice: Any) -> dict[str, Any]:
    return {**result_of_choice(choice), "reasoning": choice.message.reasoning}


def chat(job: Job) -> dict[str, Any]:
    """Send a request with ``chat.completions.create``. Join the chunks of a stream by the indices in them."""
    create = _client_at(job.base_url).chat.completions.create
    if not job.stream:
        completion = create(**request_arguments(job))
        result = {**_result_of_choice(completion.choices[0]), "usage": token_counts(completion.usage)}
        if len(completion.choices) > 1:
            result["choices"] = [_result_of_choice(choice) for choice in completion.choices]
        return result
    folded_choices: dict[int, dict[str, Any]] = {}
    usage = None
    for chunk in create(**request_arguments(job), stream=True, stream_options={"include_usage": True}):
        usage = token_counts(chunk.usage) or usage
        for choice in chunk.choices if job.n > 1 else chunk.choices[:1]:
            index = choice.index if job.n > 1 else 0
            _add_choice(folded_choices.setdefault(index, {**EMPTY_RESULT, "calls": {}}), choice)
    choices = [
        {**folded_choice, "calls": list(folded_choice["calls"].values())}
        for _, folded_choice in sorted(folded_choices.items())
    ]
    result = {**(choices[0] if choices else EMPTY_RESULT), "usage": usage}
    return {**result, "choices": choices} if len(choices) > 1 else result


def _add_choice(folded_choice: dict[str, Any], choice: Any) -> None:
    delta = choice.delta
    folded_choice["finish_reason"] = choice.finish_reason or folded_choice["finish_reason"]
    folded_choice["role"] = delta.role or folded_choice["role"]
    for name, part in (("text", delta.content), ("reasoning", delta.reasoning)):
        if part:
            folded_choice[name] = (folded_choice[name] or "") + part
    for fragment in delta.tool_calls or ():
        if fragment.index in folded_choice["calls"]:
            folded_choice["calls"][fragment.index]["arguments"] += fragment.function.arguments
        else:
            folded_choice["calls"][fragment.index] = call(fragment.function.name, fragment.function.arguments)


serve({"chat": chat})
