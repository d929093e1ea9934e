"""The whole content is a call of a declared tool, written as JSON or as a call in Python, or in a tag.

The content is an object with the name of a tool of the request and its arguments, a list of such objects, or a call
like `get_weather(city="Paris")`. Around it there is nothing but a code fence, a tag of any name (`<tools>`), or a word
before a bracket (`functools[…]`). A tag with the name of a tool is a call of it, unless the request mentions the tag.
If `response_format` asks for JSON, the rule does not check the content. Markup that models are known for is left to
the rule `markup-in-content`. It is an error if `finish_reason` announces a call, or the request demands one, and there
is none.

## Why it matters
The client waits for `tool_calls` and gets a text that ends with `stop`: the tool is not run, and the user reads the
call.

## Who sends it
Ollama, whose parser expects another form of call than Qwen2.5-Coder writes
([ollama/ollama#12174](https://github.com/ollama/ollama/issues/12174)), as on its own API with Phi-4-mini
([ollama/ollama#9437](https://github.com/ollama/ollama/issues/9437)), and servers that run a model without a parser for
its calls, such as vLLM with Qwen2.5-Coder
([vllm-project/vllm#32926](https://github.com/vllm-project/vllm/issues/32926)). Claude Code got calls of GLM and
DeepSeek in tags that have the names of its tools
([musistudio/claude-code-router#1340](https://github.com/musistudio/claude-code-router/pull/1340)).

## What to do
* As a server's author: Parse calls in the form that this model writes, in streams as well; hold back content that
  begins like a call until you know that it is not a call.
* As a client's user: Choose a model and a server that are known to call tools together, or set the server's parser. A
  first user message that shows an example of a call makes it more frequent.

## Bad
```
{"tools":[{"type":"function","function":{"name":"get_weather"}}],…}

{"message":{"role":"assistant","content":"{\\"name\\":\\"get_weather\\",\\"parameters\\":{\\"city\\":\\"Paris\\"}}"}}
```

## Good
```
{"tools":[{"type":"function","function":{"name":"get_weather"}}],…}

{"message":{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function",
  "function":{"name":"get_weather","arguments":"{\\"city\\":\\"Paris\\"}"}}]}}
```
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.quoting import quote_name
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.rules.completion._markup import leaked_marker
from isogloss.validator.rules.completion._texts import mentions, parse_json
from isogloss.validator.rules.pairing import Pair, demand
from isogloss.validator.views import Json, Request, obj

RULE = Rule(
    severity=Severity.WARNING,
    sources=(
        Citation("API reference, the chat completion object: message, tool_calls", "2026-04"),
        Citation("recorded OpenAI answers: none among those to requests with tools", "2026-11"),
        Citation("ollama/ollama#12174", "2026-04"),
        Citation("vllm-project/vllm#32926: `<tools>`", "2026-01"),
        Citation("vllm-project/vllm#14682: `functools[…]`", "2025-03"),
        Citation("musistudio/claude-code-router#1340: `<write_file>`", "2026-04"),
    ),
    needs=("completion", "tools"),
    replaces=("finish-reason-without-calls", "forced-call-missing"),
)

_FENCE = "```"
_LANGUAGES = ("json", "tool_code", "tool_call")
_PYTHON_CALL = re.compile(r"\[?([A-Za-z_][\w-]{0,63})\(\s*(?:[A-Za-z_]\w*\s*=[^\n]*|\{[^\n]*\}\s*)?\)\]?")
_TAG = re.compile(r"<([A-Za-z_][\w.-]{0,63})>")
_WORD_BEFORE_BRACKET = re.compile(r"[a-z]{1,20}(?=\[\s*\{)")
_MOST_LAYERS = 3
"""How many fences, tags and words may stand around a call."""
_ARGUMENT_KEYS = ("arguments", "parameters", "args", "input")


def check(pair: Pair) -> Iterator[Hit]:
    """Yield a hit for each content that consists only of a call of a tool of the request."""
    for choice in pair.choices:
        content = choice.content
        if not content or (content[0] not in "{[<` \n" and content[-1] not in ")] \n"):
            continue
        if not pair.request.declared or _may_want_json(pair.request):
            return
        called = _called_tool(content, pair.request)
        if called is not None:
            is_announced = choice.finish_reason in ("tool_calls", "function_call")
            is_missing = not choice.called and (is_announced or demand(pair.request).mode in ("required", "named"))
            yield Hit(
                f"the content is a call of {quote_name(called)}",
                (*choice.at, "message", "content"),
                content,
                severity=Severity.ERROR if is_missing else None,
                other_pointers=((*choice.at, "finish_reason"), (*choice.at, "message", "tool_calls")),
            )


def _may_want_json(request: Request) -> bool:
    """Return whether the request asks for JSON, or for a form of answer that the reference does not know."""
    return request.value.get("response_format") is not None and request.response_format.get("type") != "text"


def _called_tool(content: str, request: Request) -> str | None:
    """Return the name of the tool that the content calls, without the layers of markup around the call, or ``None``."""
    text, tools = content.strip(), request.declared
    for _ in range(_MOST_LAYERS):
        tag = _TAG.match(text)
        inner = _without_layer(text, tag)
        if inner is None:
            break
        if tag is not None and (leaked_marker(text) is not None or tag[1] in tools):
            return tag[1] if tag[1] in tools and not mentions(request, tag[0]) else None
        text = inner.strip()
    python_call = _PYTHON_CALL.fullmatch(text)
    if python_call is not None:
        return python_call[1] if python_call[1] in tools else None
    value = parse_json(text)
    if isinstance(value, dict) and isinstance(value.get("tool_calls"), list):
        value = value["tool_calls"]
    calls = value if isinstance(value, list) else [value]
    names = [_call_name(call) for call in calls[:16] if isinstance(call, dict)]
    return (
        next((tool_name for tool_name in names if tool_name in tools), None)
        if names and len(names) == len(calls[:16])
        else None
    )


def _without_layer(text: str, tag: re.Match[str] | None) -> str | None:
    """Return what stands in a fence, in a tag or behind a word that the text begins with, or ``None`` if nothing does.

    Fence and tag have to reach to the end of the text.
    """
    if tag is not None:
        end = f"</{tag[1]}>"
        return text[tag.end() : -len(end)] if text.endswith(end) else None
    if text.startswith(_FENCE) and text.endswith(_FENCE) and len(text) >= 2 * len(_FENCE):
        inner = text.removeprefix(_FENCE).removesuffix(_FENCE)
        language = next((one for one in _LANGUAGES if inner.startswith(one)), "")
        return inner.removeprefix(language)
    word = _WORD_BEFORE_BRACKET.match(text)
    return text[word.end() :] if word is not None else None


def _call_name(call: Json) -> str | None:
    call = obj(call.get("function")) or call
    called = call.get("name", call.get("function"))
    if not isinstance(called, str):
        called = call.get("tool")
    argument_keys = [key for key in _ARGUMENT_KEYS if isinstance(call.get(key), dict | str)]
    return called if isinstance(called, str) and argument_keys and len(call) <= len(argument_keys) + 3 else None
