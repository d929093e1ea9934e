"""Cases about tools: calls that are required, allowed or forbidden, one or several, and the turn after them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from isogloss.cli.probe import answer_checks
from isogloss.cli.probe.cases.case import Case
from isogloss.cli.probe.cases.questions import LONG, STREAM, TWO_CITIES, WEATHER, ask

__all__ = ["cases"]

_TOOL = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "Get the weather in a city",
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string"}},
            "required": ["city"],
        },
    },
}
_NAMED = {"type": "function", "function": {"name": "get_weather"}}
_NONE_THREAD = "https://github.com/tenstorrent/tt-inference-server/issues/4386"


def _call(number: int, city: str) -> dict[str, Any]:
    function = {"name": "get_weather", "arguments": f'{{"city": "{city}"}}'}
    return {"id": f"call_{number}", "type": "function", "function": function}


def _assistant(*calls: dict[str, Any]) -> dict[str, Any]:
    return {"role": "assistant", "content": None, "tool_calls": list(calls)}


def _result(number: int, content: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": f"call_{number}", "content": content}


def _tools(name: str, what: str, tests: str, why: str, thread: str, *messages: Any, **more: Any) -> Case:
    expects = more.pop("expects", None)
    body = ask(*messages, tools=[_TOOL], **{"limit": LONG, **more})
    return Case(name, what, tests, why, thread, body, group="tools", expects=expects)


def cases() -> Iterator[Case]:
    """Yield the cases of the group ``tools``."""
    yield from _required_or_forbidden()
    yield from _optional()
    yield from _several_calls()


def _required_or_forbidden() -> Iterator[Case]:
    yield _tools(
        "tool", "a named function that has to be called", "tool_choice (a name)",
        "Libraries get structured data by a forced call, and read its arguments as JSON text.",
        "https://github.com/ggml-org/llama.cpp/issues/20198",
        WEATHER, tool_choice=_NAMED, expects=answer_checks.expect_tool_call,
    )  # fmt: skip
    yield _tools(
        "tool-stream", "the same as a stream", "tool_choice (a name) with stream",
        "Clients join the pieces of a call by index, and need id and name in the first of them.",
        "https://github.com/vllm-project/vllm/issues/18412",
        WEATHER, tool_choice=_NAMED, **STREAM, expects=answer_checks.expect_tool_call,
    )  # fmt: skip
    yield _tools(
        "tool-required", "any function that has to be called", "tool_choice required",
        "Agents in which every step is a call cannot go on if the call comes as text.",
        "https://github.com/vllm-project/vllm/pull/35936",
        WEATHER, tool_choice="required", expects=answer_checks.expect_tool_call,
    )  # fmt: skip
    yield _tools(
        "tool-required-stream", "the same as a stream", "tool_choice required with stream",
        "Servers that obey it in whole answers sent the call as content in streams.",
        "https://github.com/sgl-project/sglang-jax/issues/1275",
        WEATHER, tool_choice="required", **STREAM, expects=answer_checks.expect_tool_call,
    )  # fmt: skip
    yield _tools(
        "tool-none", "a function that must not be called", "tool_choice none",
        "Agents ask for a final text in this way; a call that nobody answers breaks the next turn.",
        _NONE_THREAD, WEATHER, tool_choice="none",
    )  # fmt: skip
    yield _tools(
        "tool-none-stream", "the same as a stream", "tool_choice none with stream",
        "Agents ask for a final text in this way; a call that nobody answers breaks the next turn.",
        _NONE_THREAD, WEATHER, tool_choice="none", **STREAM,
    )  # fmt: skip


def _optional() -> Iterator[Case]:
    yield _tools(
        "tool-auto", "a function that may be called", "tool_choice auto",
        "A call that comes as text in the content is never run, and the agent stops.",
        "https://github.com/sgl-project/sglang/issues/30480",
        WEATHER, tool_choice="auto", expects=answer_checks.expect_tool_call,
    )  # fmt: skip
    yield _tools(
        "tool-auto-stream", "the same as a stream", "tool_choice auto with stream",
        "Servers that find calls in a whole answer streamed the markup of the model as content.",
        "https://github.com/waybarrios/vllm-mlx/pull/43",
        WEATHER, tool_choice="auto", **STREAM, expects=answer_checks.expect_tool_call,
    )  # fmt: skip
    yield _tools(
        "tool-unneeded", "a function that is of no use for the question", "tools that are offered",
        "Agents offer tools with every question: an empty list of calls in the answer makes them loop, or fail.",
        "https://github.com/vllm-project/vllm/issues/44104",
        limit=16,
    )  # fmt: skip
    yield _tools(
        "tool-unneeded-stream", "the same as a stream", "tools that are offered, with stream",
        "Servers held back the whole text, or dropped it, as soon as tools were offered.",
        "https://github.com/jundot/omlx/pull/103",
        limit=16, **STREAM,
    )  # fmt: skip


def _several_calls() -> Iterator[Case]:
    yield _tools(
        "tools-parallel", "two calls in one answer", "parallel_tool_calls",
        "Only the first call was read; the others stayed in the content as text.",
        "https://github.com/ggml-org/llama.cpp/issues/14101",
        TWO_CITIES, tool_choice="required", parallel_tool_calls=True, expects=answer_checks.expect_two_tool_calls,
    )  # fmt: skip
    yield _tools(
        "tools-parallel-stream", "two calls in one stream", "parallel_tool_calls with stream",
        "Two calls with one index become one call with broken arguments.",
        "https://github.com/ollama/ollama/issues/15457",
        TWO_CITIES, tool_choice="required", parallel_tool_calls=True, **STREAM,
        expects=answer_checks.expect_two_tool_calls,
    )  # fmt: skip
    yield _tools(
        "tool-result", "the turn after a tool call", "messages with the role tool",
        "An agent sends back what it received: if a server does not accept that, every second turn fails.",
        "https://github.com/NVIDIA/nim-deploy/issues/182",
        WEATHER, _assistant(_call(1, "Paris")), _result(1, "sunny"), limit=16,
    )  # fmt: skip
    yield _tools(
        "tool-results-stream", "the turn after two calls, streamed", "messages with the role tool, and stream",
        "A new call with the id of an old one is taken for the old one, and is never run.",
        "https://github.com/bug-ops/zeph/issues/6501",
        TWO_CITIES, _assistant(_call(1, "Paris"), _call(2, "Rome")), _result(1, "sunny"), _result(2, "rainy"),
        limit=16, **STREAM,
    )  # fmt: skip
    yield _tools(
        "tool-n-stream", "two choices that both call a function, streamed", "n with tools and stream",
        "The pieces of two choices come mixed; a call of the second is lost or joined to the first.",
        "https://github.com/openai/openai-agents-python/issues/3313",
        WEATHER, n=2, tool_choice="required", **STREAM, expects=answer_checks.expect_two_choices,
    )  # fmt: skip
