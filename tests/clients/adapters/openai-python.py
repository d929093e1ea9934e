"""Adapter for the ``openai`` package: ``create``, the helper ``stream`` and the helper ``parse``."""

from __future__ import annotations

from functools import cache
from typing import Any

from openai import OpenAI
from openai_shapes import request_arguments, result_of_choice, token_counts
from serving import KEY, Job, call, serve

EMPTY_RESULT: dict[str, Any] = {"text": None, "calls": [], "role": None, "finish_reason": None, "refusal": None}
"""The result that an application has after a stream without choices."""


@cache
def _client_at(base_url: str) -> OpenAI:
    return OpenAI(base_url=base_url, api_key=KEY, max_retries=0)


def _result_of_choice(choice: Any) -> dict[str, Any]:
    return {**result_of_choice(choice), "refusal": choice.message.refusal}


def _result_of(completion: Any) -> dict[str, Any]:
    result = {**_result_of_choice(completion.choices[0]), "usage": token_counts(completion.usage)}
    if len(completion.choices) > 1:
        result["choices"] = [_result_of_choice(choice) for choice in completion.choices]
    return result


def plain(job: Job) -> dict[str, Any]:
    """Send a request with ``create``. Join the chunks of a stream as the documentation of streamed tool calls shows."""
    client = _client_at(job.base_url)
    if not job.stream:
        return _result_of(client.chat.completions.create(**request_arguments(job)))
    folded_choices: dict[int, dict[str, Any]] = {}
    usage = None
    with client.chat.completions.create(
        **request_arguments(job), stream=True, stream_options={"include_usage": True}
    ) as stream:
        for chunk in stream:
            usage = token_counts(chunk.usage) or usage
            for choice in chunk.choices if job.n > 1 else chunk.choices[:1]:  # the documentation reads choices[0]
                folded_choice = folded_choices.setdefault(
                    choice.index if job.n > 1 else 0, {"text": None, "calls": {}, "role": None, "refusal": None}
                )
                _add_choice(folded_choice, choice)
    choices = [
        {**folded_choice, "calls": list(folded_choice["calls"].values())}
        for _, folded_choice in sorted(folded_choices.items())
    ]
    result = {**(choices[0] if choices else EMPTY_RESULT), "usage": usage}
    return {**result, "choices": choices} if len(choices) > 1 else result


def _add_choice(folded_choice: dict[str, Any], choice: Any) -> None:
    """Add a choice of a chunk to a folded choice, as the guide to function calling shows: find calls by index."""
    folded_choice["finish_reason"] = choice.finish_reason or folded_choice.get("finish_reason")
    delta = choice.delta
    folded_choice["role"] = delta.role or folded_choice["role"]
    if delta.content:
        folded_choice["text"] = (folded_choice["text"] or "") + delta.content
    if delta.refusal:
        folded_choice["refusal"] = (folded_choice["refusal"] or "") + delta.refusal
    for fragment in delta.tool_calls or ():
        if fragment.index not in folded_choice["calls"]:
            folded_choice["calls"][fragment.index] = call(fragment.function.name, fragment.function.arguments)
        else:
            folded_choice["calls"][fragment.index]["arguments"] += fragment.function.arguments


def stream_helper(job: Job) -> dict[str, Any]:
    """Send a request with ``stream``, and read the final completion."""
    client = _client_at(job.base_url)
    with client.chat.completions.stream(**request_arguments(job), stream_options={"include_usage": True}) as stream:
        return _result_of(stream.get_final_completion())


def parse(job: Job) -> dict[str, Any]:
    """Send a request with ``parse``, which decodes the arguments of strict tools."""
    return _result_of(_client_at(job.base_url).chat.completions.parse(**request_arguments(job)))


serve({"plain": plain, "stream": stream_helper, "parse": parse})
