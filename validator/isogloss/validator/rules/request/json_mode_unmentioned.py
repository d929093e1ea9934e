"""`response_format` asks for JSON, and no message does.

With the type `json_object`, OpenAI requires that the messages contain the word "json" in some form, and answers 400 if
they do not. The type `json_schema` has no such condition.

## Why it matters
The request is refused. On servers that accept it, the model can write only JSON, although the prompt does not say so,
and it may write white space until the token limit.

## What to do
* As a server's author: Check the messages for the word as OpenAI does, so that programs written for you also work
  there; or add an instruction to the prompt yourself.
* As a client's user: Say "Answer in JSON" in the system message and name the properties that you expect. With
  `json_schema` instead of `json_object` there is no such condition.

## Bad
```json
{"messages": [{"role": "user", "content": "Name a city."}], "response_format": {"type": "json_object"}}
```

## Good
```json
{"messages": [{"role": "user", "content": "Name a city, as JSON."}], "response_format": {"type": "json_object"}}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.views import Message, Request

RULE = Rule(
    severity=Severity.ERROR,
    sources=(
        Citation("API reference, create chat completion: response_format", "2026-04"),
        Citation("mem0ai/mem0#3008", "2025-06"),
    ),
    needs=("request for JSON",),
)


def check(request: Request) -> Iterator[Hit]:
    """Yield a hit for the type `json_object` if no text of any message contains "json", in upper or lower case."""
    if request.response_format.get("type") != "json_object" or not request.messages:
        return
    if not all(map(_is_readable, request.messages)):
        return  # what cannot be read may have the word
    if not any("json" in text.lower() for message in request.messages for text in _texts(message)):
        yield Hit("json_object needs the word JSON in some message", ("response_format", "type"), "json_object")


def _is_readable(message: Message) -> bool:
    """Return whether the content of a message is a text, parts that are objects, or null, or may be missing."""
    content = message.content
    if isinstance(content, list):
        return all(isinstance(part, dict) for part in content)
    may_have_none = "content" in message.value or message.role == "assistant"
    return isinstance(content, str) or (content is None and may_have_none)


def _texts(message: Message) -> Iterator[str]:
    yield from message.texts
    for call in message.calls:
        yield call.name or ""
        yield call.arguments or ""
