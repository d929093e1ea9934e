"""Find the features of a completion: of the whole, its choices, their messages and their calls."""

from __future__ import annotations

import re
import time
from functools import lru_cache
from typing import Any

import orjson

from isogloss.validator.examining.features.sets import NONE, combined_of
from isogloss.validator.pointer import ABSENT

__all__ = ["of_completion"]

_LONGEST_NAME = 64
_MOST_CHARACTERS = 64
"""The characters that make 256 bytes if each has four: that many for each token of the completion are too many."""

_BESIDE_CONTENT = frozenset({"tool_calls", "function_call", "reasoning_content", "reasoning"})

_ENCODED_TWICE = re.compile("[\xc2-\xf4][\x80-\xbf€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]")
"""A character that Latin-1 has for the first byte of one in UTF-8, before one that Latin-1 or Windows-1252 has."""
_STARTED = time.time()
"""The time when isogloss started, in seconds since 1970. Answers were created before it, except in a live check."""


def of_completion(value: dict[str, Any]) -> frozenset[str]:
    """Return the features of a completion.

    Of the whole:

    * ``no completion``: it has no choices.
    * ``empty``: the id or the model is an empty string.
    * ``slash in model``: a slash or a backslash.
    * ``error beside choices``: an error that is not empty.
    * ``unusual time``: ``created`` is 0 or negative.
    * ``late creation time``: ``created`` is after the start of isogloss.
    * ``usage``, ``no usage``.
    * ``low usage``: the tokens of the prompt, of the completion or of both are 0, or the total is missing, or there are
      more than 64 characters of text and arguments for each token of the completion.
    * ``unusual total``: the total may not be the sum.
    * ``usage details``: one of them is not 0.
    * ``float``: the time, the index of a choice or a number of tokens has a decimal point or is very large, or a detail
      of the usage is no number. What else may hold an integer counts as one: annotations and audio.

    Of its choices:

    * ``several choices``, ``delta``, ``logprobs``.
    * ``unusual index``: the index of a choice is not its position.
    * ``finish reason of calls``, with ``no calls`` if the calls may be missing.

    Of its messages:

    * ``no content``: the content is null or blank, and there are no calls.
    * ``refusal``, ``annotations``, ``reasoning``.
    * ``calls`` of tools or of a function; ``several calls`` if there are several.
    * ``stop beside calls``: the finish reason is ``stop``.
    * ``unusual calls``: the list of calls is empty, or a call has an empty id or an unusual name.
    * ``unusual arguments``: the arguments of a call are no JSON object.
    * ``marks``: text or arguments have a character of markup or the replacement character.
    * ``encoded twice``: text beyond ASCII has two characters that may be the bytes of one in UTF-8.
    * ``entities``: arguments have ``&``, which escapes characters in HTML.
    """
    found: list[str] = []
    get = value.get
    model, created, usage, choices = get("model"), get("created"), get("usage"), get("choices")
    if model == "" or get("id") == "":
        found.append("empty")
    if type(model) is str and ("/" in model or "\\" in model):
        found.append("slash in model")
    if type(created) is int or type(created) is float:
        if type(created) is float:
            found.append("float")
        if created <= 0:
            found.append("unusual time")
        elif created > _STARTED:
            found.append("late creation time")
    if get("error"):
        found.append("error beside choices")
    if type(usage) is dict:
        _add_usage_features(usage, found)
    elif "usage" not in value:
        found.append("no usage")
    if type(choices) is list:
        if len(choices) > 1:
            found.append("several choices")
        characters = 0
        for position, choice in enumerate(choices):
            if type(choice) is dict:
                characters += _add_choice_features(choice, position, found)
            else:  # rules count only objects
                found.append("unusual index")
        tokens = usage.get("completion_tokens") if type(usage) is dict else None
        if type(tokens) is int and characters > tokens * _MOST_CHARACTERS:
            found.append("low usage")
    elif "choices" not in value:
        found.append("no completion")
    return combined_of(found) if found else NONE


def _add_usage_features(usage: dict[str, Any], found: list[str]) -> None:
    """Add the features of the numbers of tokens, and of their details."""
    found.append("usage")
    get = usage.get
    prompt, completion, total = get("prompt_tokens"), get("completion_tokens"), get("total_tokens")
    if not total or completion == 0 or prompt == 0:
        found.append("low usage")
    if type(prompt) is not int or type(completion) is not int or type(total) is not int:
        found.append("unusual total")
        if float in (type(prompt), type(completion), type(total)):
            found.append("float")
    elif prompt + completion != total:
        found.append("unusual total")
    for details in (get("prompt_tokens_details"), get("completion_tokens_details")):
        if details and type(details) is dict:
            numbers = details.values()
            if any(numbers):
                found.append("usage details")
            try:
                integers = type(sum(numbers)) is int
            except (TypeError, OverflowError):  # one of them is no number, or too large for a float
                integers = False
            if not integers:
                found.append("float")


def _add_choice_features(choice: dict[str, Any], position: int, found: list[str]) -> int:
    """Add the features of a choice, and return the number of characters of its content and its arguments."""
    get = choice.get
    index, reason, message = get("index"), get("finish_reason"), get("message")
    if type(index) is not int or index != position:
        if index != position:
            found.append("unusual index")
        if type(index) is float:
            found.append("float")
    if "delta" in choice:
        found.append("delta")
    if get("logprobs"):
        found.append("logprobs")
    if reason in ("tool_calls", "function_call"):
        found.append("finish reason of calls")
        if reason != "tool_calls" or type(message) is not dict or not message.get("tool_calls"):
            found.append("no calls")
    if type(message) is not dict:
        return 0
    get = message.get
    content, calls, function, characters = get("content", ABSENT), None, None, 0
    if not _BESIDE_CONTENT.isdisjoint(message):
        calls, function = get("tool_calls"), get("function_call")
        if calls is not None or function is not None:
            found.append("calls")
            if reason == "stop":
                found.append("stop beside calls")
            characters = _add_call_features(calls, function, found)
        for text in (get("reasoning_content"), get("reasoning")):
            if text and type(text) is str:
                found.append("reasoning")
                if _may_have_marks(text):
                    found.append("marks")
                if not text.isascii() and _ENCODED_TWICE.search(text):
                    found.append("encoded twice")
    if type(content) is str and content and not content.isspace():
        characters += len(content)
        if _may_have_marks(content):
            found.append("marks")
        if not content.isascii() and _ENCODED_TWICE.search(content):
            found.append("encoded twice")
    elif (content is None or type(content) is str) and not calls and not function:
        found.append("no content")
    if get("refusal"):
        found.append("refusal")
    if get("annotations"):
        found += ("annotations", "float")
    if get("audio"):
        found.append("float")
    return characters


def _add_call_features(calls: object, function: object, found: list[str]) -> int:
    """Add the features of the calls of a message, and return the number of characters of their arguments."""
    is_odd, characters = calls == [], 0
    bodies = [function] if type(function) is dict else []
    if type(calls) is list:
        for call in calls:
            if type(call) is dict:
                body = call.get("custom" if call.get("type") == "custom" else "function")
                if type(body) is dict:
                    bodies.append(body)
                if call.get("id") == "":
                    is_odd = True
        if len(calls) > 1:
            found.append("several calls")
    for body in bodies:
        name, arguments = body.get("name"), body.get("arguments")
        if type(name) is not str or len(name) > _LONGEST_NAME or not _is_usual(name):
            is_odd = True
        if type(arguments) is str:
            characters += len(arguments)
            if not _is_json_object(arguments):
                found.append("unusual arguments")
            if _may_have_marks(arguments):
                found.append("marks")
            if "&" in arguments:
                found.append("entities")
    if is_odd:
        found.append("unusual calls")
    return characters


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
