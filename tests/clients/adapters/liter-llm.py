"""Adapter for liter-llm, whose core is in Rust: ``chat``, and ``chat_stream`` with its chunks joined."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from liter_llm import ChatCompletionRequest, ChatCompletionTool, DefaultClient, chat, chat_stream, create_client
from liter_llm.options import StreamFunctionCall
from serving import KEY, MODEL, QUESTION, Job, call, run_coroutine, serve


@cache
def _client_at(base_url: str) -> DefaultClient:
    return create_client(api_key=KEY, base_url=base_url, max_retries=0)


def _request(job: Job) -> ChatCompletionRequest:
    return ChatCompletionRequest(
        model=MODEL,
        messages=[{"role": "user", "content": QUESTION}],
        n=job.n if job.n > 1 else None,
        tools=[ChatCompletionTool.from_json(json.dumps(tool)) for tool in job.tools] or None,
    )


def _token_counts(usage: Any) -> dict[str, Any] | None:
    return usage and {"prompt_tokens": usage.prompt_tokens, "completion_tokens": usage.completion_tokens}


def _result_of_choice(choice: Any) -> dict[str, Any]:
    message = choice.message
    return {
        "text": message.text(),
        "calls": [call(item.function.name, item.function.arguments) for item in message.tool_calls or ()],
        "finish_reason": choice.finish_reason and str(choice.finish_reason),
        "reasoning": message.reasoning_content,
        "refusal": message.refusal,
    }


async def _answer(job: Job) -> dict[str, Any]:
    completion = await chat(_client_at(job.base_url), _request(job))
    result = {**_result_of_choice(completion.choices[0]), "usage": _token_counts(completion.usage)}
    if len(completion.choices) > 1:
        result["choices"] = [_result_of_choice(choice) for choice in completion.choices]
    return result


async def _streamed_answer(job: Job) -> dict[str, Any]:
    """Join the chunks: find choices and calls by index, as for other clients that return chunks as they are."""
    folded_choices: dict[int, dict[str, Any]] = {}
    usage = None
    async for chunk in chat_stream(_client_at(job.base_url), _request(job)):
        usage = _token_counts(chunk.usage) or usage
        for choice in chunk.choices if job.n > 1 else chunk.choices[:1]:
            folded_choice = folded_choices.setdefault(
                choice.index if job.n > 1 else 0,
                {"text": None, "calls": {}, "finish_reason": None, "reasoning": None, "refusal": None},
            )
            _add_choice(folded_choice, choice)
    choices = [
        {**folded_choice, "calls": list(folded_choice["calls"].values())}
        for _, folded_choice in sorted(folded_choices.items())
    ]
    result = {**(choices[0] if choices else {"text": None, "calls": [], "finish_reason": None}), "usage": usage}
    return {**result, "choices": choices} if len(choices) > 1 else result


def _add_choice(folded_choice: dict[str, Any], choice: Any) -> None:
    delta = choice.delta
    if choice.finish_reason:
        folded_choice["finish_reason"] = str(choice.finish_reason)
    for name, part in (
        ("text", delta.content),
        ("reasoning", delta.reasoning_content),
        ("refusal", delta.refusal),
    ):
        if part:
            folded_choice[name] = (folded_choice[name] or "") + part
    for fragment in delta.tool_calls or ():
        function = fragment.function or StreamFunctionCall()
        if fragment.index in folded_choice["calls"]:
            folded_choice["calls"][fragment.index]["arguments"] += function.arguments or ""
        else:
            folded_choice["calls"][fragment.index] = call(function.name, function.arguments or "")


def chat_path(job: Job) -> dict[str, Any]:
    """Send a request with ``chat`` or ``chat_stream``."""
    return run_coroutine(_streamed_answer(job) if job.stream else _answer(job))


serve({"chat": chat_path})
