"""Adapter for TensorZero, whose core is in Rust: ``inference`` of the gateway that its Python package embeds."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from serving import MODEL, QUESTION, Job, call, serve
from tensorzero import TensorZeroGateway

CONFIGURATION = """
[models.server]
routing = ["server"]

[models.server.providers.server]
type = "openai"
api_base = "{base_url}"
model_name = "{model}"
api_key_location = "none"
"""
FINISH_REASONS = {"tool_call": "tool_calls"}
"""The finish reasons that TensorZero renames."""


@cache
def _gateway_to(base_url: str) -> TensorZeroGateway:
    """Return a gateway with one model at a base URL, as the guide to OpenAI-compatible servers shows."""
    file = Path("tensorzero.toml")
    file.write_text(CONFIGURATION.format(base_url=base_url, model=MODEL), "utf-8")
    return TensorZeroGateway.build_embedded(config_file=str(file))


def _token_counts(usage: Any) -> dict[str, Any] | None:
    return usage and {"prompt_tokens": usage.input_tokens, "completion_tokens": usage.output_tokens}


def _finish_reason(reason: Any) -> str | None:
    return reason and FINISH_REASONS.get(reason.value, reason.value)


def inference(job: Job) -> dict[str, Any]:
    """Send a request with ``inference``. Join the chunks of a stream by their ids."""
    options: dict[str, Any] = {"stream": True} if job.stream else {}
    if job.tools:
        options["additional_tools"] = [tool["function"] for tool in job.tools]
    question = {"messages": [{"role": "user", "content": QUESTION}]}
    answer: Any = _gateway_to(job.base_url).inference(model_name="server", input=question, **options)
    return _join_chunks(answer) if job.stream else _result_of(answer)


def _result_of(answer: Any) -> dict[str, Any]:
    def texts(kind: str) -> str | None:
        return "".join(block.text or "" for block in answer.content if block.type == kind) or None

    return {
        "text": texts("text"),
        "calls": [call(block.raw_name, block.raw_arguments) for block in answer.content if block.type == "tool_call"],
        "finish_reason": _finish_reason(answer.finish_reason),
        "usage": _token_counts(answer.usage),
        "reasoning": texts("thought"),
    }


def _join_chunks(chunks: Any) -> dict[str, Any]:
    texts: dict[str, str] = {}
    calls: dict[str, dict[str, Any]] = {}
    finish_reason, usage = None, None
    for chunk in chunks:
        finish_reason = _finish_reason(chunk.finish_reason) or finish_reason
        usage = _token_counts(chunk.usage) or usage
        for block in chunk.content:
            if block.type == "tool_call":
                joined = calls.setdefault(block.id, call("", ""))
                joined["name"] += block.raw_name or ""
                joined["arguments"] += block.raw_arguments
            else:
                texts[block.type] = texts.get(block.type, "") + (block.text or "")
    return {
        "text": texts.get("text"),
        "calls": list(calls.values()),
        "finish_reason": finish_reason,
        "usage": usage,
        "reasoning": texts.get("thought"),
    }


def _message_of(error: BaseException) -> str:
    """Return the text of an error without the names of the model and its provider, which stand before the cause."""
    text = str(getattr(error, "text", error)).removeprefix('{"error":"').removesuffix('"}')
    return text.rpartition("with errors: server: ")[2].removeprefix("Error from openai server: ")


serve({"inference": inference}, _message_of)
