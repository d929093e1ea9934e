"""Adapter for Instructor, which makes a Pydantic model of the call in an answer."""

from __future__ import annotations

from functools import cache
from typing import Any

import instructor
from openai import OpenAI
from pydantic import create_model
from serving import KEY, MODEL, QUESTION, Job, call, serve

TYPES = {"string": str, "integer": int, "number": float, "boolean": bool, "object": dict, "array": list}


@cache
def _client_at(base_url: str) -> Any:
    client = OpenAI(base_url=base_url, api_key=KEY, max_retries=0)
    return instructor.from_openai(client, mode=instructor.Mode.TOOLS)


def tools(job: Job) -> dict[str, Any]:
    """Ask for the first tool of the job as a response model. Try once, since each attempt gets the same answer."""
    function = job.tools[0]["function"]
    fields: Any = {name: (TYPES[schema["type"]], ...) for name, schema in function["parameters"]["properties"].items()}
    arguments, completion = _client_at(job.base_url).chat.completions.create_with_completion(
        model=MODEL,
        messages=[{"role": "user", "content": QUESTION}],
        response_model=create_model(function["name"], **fields),
        max_retries=1,
    )
    usage = completion.usage
    counts = usage and {"prompt_tokens": usage.prompt_tokens, "completion_tokens": usage.completion_tokens}
    return {"calls": [call(function["name"], arguments.model_dump(mode="json"))], "usage": counts}


serve({"tools": tools})
