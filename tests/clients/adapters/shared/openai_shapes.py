"""Ask for completions and read them in the shapes of OpenAI, for clients that take and return them unchanged."""

from __future__ import annotations

from typing import Any

from serving import MODEL, QUESTION, Job, call

__all__ = ["request_arguments", "result_of_choice", "token_counts"]


def request_arguments(job: Job) -> dict[str, Any]:
    """Return the arguments of a request without a stream."""
    arguments: dict[str, Any] = {"model": MODEL, "messages": [{"role": "user", "content": QUESTION}]}
    if job.tools:
        arguments["tools"] = job.tools
    if job.n > 1:
        arguments["n"] = job.n
    return arguments


def token_counts(usage: Any) -> dict[str, Any] | None:
    """Return the counts of an object ``usage``, or what the client has in its place if it is empty."""
    return usage and {"prompt_tokens": usage.prompt_tokens, "completion_tokens": usage.completion_tokens}


def result_of_choice(choice: Any) -> dict[str, Any]:
    """Return what a choice of a completion holds, without its refusal and its reasoning."""
    message = choice.message
    return {
        "text": message.content,
        "calls": [call(item.function.name, item.function.arguments) for item in message.tool_calls or ()],
        "role": message.role,
        "finish_reason": choice.finish_reason,
    }
