"""Features of a completion: of the whole, its choices, their messages and calls."""

from __future__ import annotations

import time
from functools import lru_cache
from typing import Any

import orjson

from isogloss.validator.examining.features.sets import NONE, combined
from isogloss.validator.pointer import ABSENT

__all__ = ["of_completion"]

_LONGEST_NAME = 64

_STARTED = time.time()
"""When isogloss began, in seconds since 1970: answers were created before, in everything but a live check."""


def of_completion(value: dict[str, Any]) -> frozenset[str]:
    """Features of a completion.

    Of the whole: ``empty`` where its id or model is an empty text, ``slash in model`` where there is one of any kind,
    ``odd time`` where it was created in 1970 or before, ``late time`` after the start of isogloss, ``usage`` or ``no
    usage``, ``zero usage`` where its total is 0 or none are of the completion, ``odd total`` where it may not be the
    sum, ``usage details`` where one is not 0, ``float`` where a number of tokens, a choice's index or the time has a
    decimal point, is as large as that, or is no number. Of its choices: ``several choices``, ``odd index`` if one is
    not its position, ``delta``, ``logprobs``, ``finish reason of calls``, with ``no calls`` where these may be missing.
    Of its messages: ``no content`` where it is null or blank and there are no calls, ``refusal`` and ``annotations``;
    ``reasoning``; ``calls`` (of tools or of a function), ``call after call`` where there are several, ``stop beside
    calls``, ``odd calls`` where there are none after all or where one has an empty id or an unusual name, ``odd
    arguments`` where those of one are no JSON object; ``marks`` where text or arguments have any character of markup or
    the replacement character, ``entities`` where arguments have a character that escapes HTML.
    """
    found: list[str] = []
    model, created = value.get("model"), value.get("created")
    if value.get("id") == "" or model == "":
        found.append("empty")
    if isinstance(model, str) and ("/" in model or "\\" in model):
        found.append("slash in model")
    if type(created) is float:
        found.append("float")
    if type(created) is int or type(created) is float:
        if created <= 0:
            found.append("odd time")
        elif created > _STARTED:
            found.append("late time")
    usage = value.get("usage")
    if isinstance(usage, dict):
        found.append("usage")
        asked, answered, total = usage.get("prompt_tokens"), usage.get("completion_tokens"), usage.get("total_tokens")
        if not total or answered == 0:
            found.append("zero usage")
        if type(asked) is not int or type(answered) is not int or type(total) is not int or asked + answered != total:
            found.append("odd total")
            if float in (type(asked), type(answered), type(total)):
                found.append("float")
        for name in ("prompt_tokens_details", "completion_tokens_details"):
            details = usage.get(name)
            if isinstance(details, dict) and details:
                if any(details.values()):
                    found.append("usage details")
                try:
                    integers = type(sum(details.values())) is int
                except (TypeError, OverflowError):  # not all of them are numbers, or one is beyond all floats
                    integers = False
                if not integers:
                    found.append("float")
    elif "usage" not in value:
        found.append("no usage")
    choices = value.get("choices")
    if isinstance(choices, list):
        if len(choices) > 1:
            found.append("several choices")
        for position, choice in enumerate(choices):
            if isinstance(choice, dict):
                _of_choice(choice, position, found)
            else:  # rules count only the objects
                found.append("odd index")
    return combined(*found) if found else NONE


def _of_choice(choice: dict[str, Any], position: int, found: list[str]) -> None:
    get = choice.get
    index = get("index")
    if index != position:
        found.append("odd index")
    if type(index) is float:
        found.append("float")
    if "delta" in choice:
        found.append("delta")
    if get("logprobs"):
        found.append("logprobs")
    reason, message = get("finish_reason"), get("message")
    if reason in ("tool_calls", "function_call"):
        found.append("finish reason of calls")
        if reason != "tool_calls" or not isinstance(message, dict) or not message.get("tool_calls"):
            found.append("no calls")
    if isinstance(message, dict):
        get = message.get
        content, calls, function = get("content", ABSENT), get("tool_calls"), get("function_call")
        if content is None or (type(content) is str and (not content or content.isspace())):
            if not calls and not function:
                found.append("no content")
        elif type(content) is str and _may_have_marks(content):
            found.append("marks")
        for name in ("reasoning_content", "reasoning"):
            text = get(name)
            if text and type(text) is str:
                found.append("reasoning")
                if _may_have_marks(text):
                    found.append("marks")
        if calls is not None or function is not None:
            found.append("calls")
            if reason == "stop":
                found.append("stop beside calls")
            _of_calls(calls, function, found)
        if get("refusal"):
            found.append("refusal")
        if get("annotations"):
            found.append("annotations")


def _of_calls(calls: object, function: object, found: list[str]) -> None:
    odd = calls == []
    made = []
    for call in calls if isinstance(calls, list) else ():
        if isinstance(call, dict):
            made.append(call.get("custom" if call.get("type") == "custom" else "function"))
            odd = odd or call.get("id") == ""
    if len(made) > 1:
        found.append("call after call")
    for one in (*made, function):
        if isinstance(one, dict):
            name, arguments = one.get("name"), one.get("arguments")
            odd = odd or not (isinstance(name, str) and len(name) <= _LONGEST_NAME and _is_usual(name))
            if isinstance(arguments, str):
                if not _is_json_object(arguments):
                    found.append("odd arguments")
                if _may_have_marks(arguments):
                    found.append("marks")
                if "&" in arguments:
                    found.append("entities")
    if odd:
        found.append("odd calls")


@lru_cache(1024)
def _is_usual(name: str) -> bool:
    return name.isascii() and name.replace("-", "_").isidentifier()


def _is_json_object(text: str) -> bool:
    try:
        return type(orjson.loads(text)) is dict
    except orjson.JSONDecodeError:
        return False


def _may_have_marks(text: str) -> bool:
    return "<" in text or "[" in text or "\ufffd" in text or "◁" in text
