"""Find the features of a request: its options and what it asks for by them, and what its messages hold."""

from __future__ import annotations

from isogloss.validator.examining.features.sets import NONE, combined
from isogloss.validator.rules.pairing import asks_for_usage, demand
from isogloss.validator.views import Request, items, obj

__all__ = ["of_messages", "of_options"]

_OPTIONS = {
    "logit_bias": "logit_bias", "max_completion_tokens": "token limit", "max_tokens": "token limit",
    "metadata": "metadata", "model": "model", "prediction": "prediction", "service_tier": "service_tier",
    "stop": "stop", "stream_options": "stream_options", "tools": "tools", "functions": "tools",
    "top_logprobs": "top_logprobs", "tool_choice": "tool_choice", "function_call": "tool_choice",
}  # fmt: skip
_RARE_OPTIONS = frozenset({"n", "logprobs", "reasoning_effort", "modalities"})
_TOOL_OPTIONS = frozenset({"tool_choice", "parallel_tool_calls", "function_call"})


def of_options(request: Request) -> frozenset[str]:
    """Return the features of a request that its options give it: all of its properties but the messages.

    The options, as far as rules read them:

    * ``logit_bias``, ``metadata``, ``model``, ``prediction``, ``service_tier``, ``stop``, ``stream_options``,
      ``top_logprobs``.
    * ``token limit``, ``tools``, ``tool_choice``: each for the new and the old name of the option.
    * ``two token limits``: the request has both names of the limit.
    * ``no tools``: ``tools`` is missing or empty.
    * ``tool_choice of an object``: the option is an object.
    * ``tool options``: the request has an option that needs tools.
    * ``number of choices``: ``n`` is not 1.

    What the request asks for:

    * ``request for usage``, ``request for logprobs``, ``request for audio``, ``request for JSON``, ``response schema``.
    * ``demanded call``, ``tool_choice none``, ``parallel_tool_calls false``, ``reasoning_effort none``.
    * ``strict schema``: a tool or the response has one.
    """
    value, get = request.value, request.value.get
    found = [_OPTIONS[name] for name, option in value.items() if option is not None and name in _OPTIONS]
    if found.count("token limit") > 1:
        found.append("two token limits")
    if not get("tools"):
        found.append("no tools")
    if "stream_options" in found and asks_for_usage(request):
        found.append("request for usage")
    if not _RARE_OPTIONS.isdisjoint(value):
        if get("n", 1) != 1:
            found.append("number of choices")
        if get("logprobs") is True:
            found.append("request for logprobs")
        if get("reasoning_effort") == "none":
            found.append("reasoning_effort none")
        if request.wants_audio:
            found.append("request for audio")
    if not _TOOL_OPTIONS.isdisjoint(value):
        found.append("tool options")
        if get("parallel_tool_calls") is False:
            found.append("parallel_tool_calls false")
    if "tool_choice" in found:
        if isinstance(get("tool_choice"), dict) or isinstance(get("function_call"), dict):
            found.append("tool_choice of an object")
        mode = demand(request).mode
        if mode not in ("auto", "unknown"):
            found.append("tool_choice none" if mode == "none" else "demanded call")
    strict = False
    response_format = get("response_format")
    if isinstance(response_format, dict):
        if response_format.get("type") in ("json_object", "json_schema"):
            found.append("request for JSON")
            if response_format["type"] == "json_schema":
                found.append("response schema")
        strict = (obj(response_format.get("json_schema")) or {}).get("strict") is True
    if strict or True in [tool.strict for tool in request.tools]:
        found.append("strict schema")
    return combined(*dict.fromkeys(found)) if found else NONE


def of_messages(messages: object) -> frozenset[str]:
    """Return the features of a request that its messages give it:

    * ``tool calls in messages``, with ``unusual calls`` if a list of calls is empty.
    * ``tool messages``, ``file parts``, ``media parts``: files and images.
    """
    found: set[str] = set()
    for message in messages if isinstance(messages, list) else ():
        if not isinstance(message, dict):
            continue
        if message.get("role") == "tool":
            found.add("tool messages")
        calls = message.get("tool_calls")
        if calls is not None:
            found.add("tool calls in messages")
            if not calls:
                found.add("unusual calls")
        content = message.get("content")
        if type(content) is list:
            kinds = [part.get("type") for _, part in items(content)]
            if "file" in kinds:
                found |= {"file parts", "media parts"}
            if "image_url" in kinds:
                found.add("media parts")
    return combined(*found) if found else NONE
