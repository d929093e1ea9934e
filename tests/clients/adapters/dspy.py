"""Adapter for DSPy: ``LM``, called as the modules of DSPy call it."""

from __future__ import annotations

from typing import Any

import dspy
from serving import KEY, MODEL, QUESTION, Job, call, serve


def lm(job: Job) -> dict[str, Any]:
    """Call the model itself, as modules do."""
    model = dspy.LM(f"openai/{MODEL}", api_base=job.base_url, api_key=KEY, cache=False, num_retries=0)
    options: dict[str, Any] = {"tools": job.tools} if job.tools else {}
    outputs = model(messages=[{"role": "user", "content": QUESTION}], **options)
    output: Any = outputs[0]
    if isinstance(output, str) or output is None:
        result: dict[str, Any] = {"text": output, "calls": []}
    else:
        calls = output.get("tool_calls") or ()
        result = {
            "text": output.get("text"),
            "calls": [call(item.function.name, item.function.arguments) for item in calls],
        }
    usage = dict(model.history[-1].get("usage") or {})
    result["usage"] = {name: usage.get(name) for name in ("prompt_tokens", "completion_tokens")} if usage else None
    return result


serve({"lm": lm})
