"""A request sets an option that OpenAI refuses for its model.

Reasoning models refuse options of other models, and other models refuse options of reasoning models. The rule knows
only models for which a refusal was recorded, quoted or documented. This is a warning, because OpenAI may accept the
option later, and gateways may remove it.

## Why it matters
The request is refused (400, "Unsupported parameter: 'max_tokens' is not supported with this model. Use
'max_completion_tokens' instead."). Changing the model's name is then enough to break an application.

## What to do
* As a server's author: Refuse the option with status 400 and its name in `param`, as OpenAI does. A gateway that
  removes or renames it should document that.
* As a client's user: Remove the option for this model. In place of `max_tokens`, send `max_completion_tokens`, which
  all models of OpenAI accept. A default value, such as a `temperature` of 1, need not be sent.

## Bad
```json
{"model": "gpt-5-mini", "messages": [{"role": "user", "content": "Hi"}], "max_tokens": 100}
```

## Good
```json
{"model": "gpt-5-mini", "messages": [{"role": "user", "content": "Hi"}], "max_completion_tokens": 100}
```
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from isogloss.validator.findings import Severity
from isogloss.validator.quoting import quote_name
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.views import Request

__all__ = ["RULE", "check"]

RULE = Rule(
    name="option-unsupported-by-model",
    severity=Severity.WARNING,
    summary="A request sets an option that OpenAI refuses for its model.",
    since="0.1.0",
    sources=(
        Citation("langchain-ai/langsmith-sdk#1003: max_tokens, of o1-preview", "2024-09"),
        Citation("teilomillet/gollm#33: max_tokens, of o1 and o3-mini", "2025-03"),
        Citation("ThinkInAIXYZ/deepchat#336: max_tokens, of o4-mini", "2025-05"),
        Citation("devnullvoid/dms-ai-assistant#12: max_tokens, of gpt-5.2 and gpt-5.4-mini", "2026-05"),
        Citation("leafo/lua-openai#12: temperature, of o1-mini", "2024-11"),
        Citation("BeehiveInnovations/pal-mcp-server#78: temperature, of o3 and o3-mini", "2025-06"),
        Citation("microsoft/vscode#253673: temperature, of o4-mini", "2025-07"),
        Citation("guide Using GPT-5: temperature, top_p and logprobs raise an error", "2025-08"),
        Citation("API reference, create chat completion: stop is not supported with o3 and o4-mini", "2026-04"),
        Citation("huggingface/smolagents#1662: stop, of gpt-5, gpt-5-mini and gpt-5-nano", "2025-08"),
        Citation("run-llama/llama_index#20865: parallel_tool_calls, of o1, o3-mini and o4-mini", "2026-03"),
        Citation("defog-ai/defog#171: parallel_tool_calls, of o3", "2025-07"),
        Citation("davidmigloz/langchain_dart#712: reasoning_effort, of gpt-4o-mini", "2025-06"),
        Citation("generative-computing/mellea#270: reasoning_effort, of gpt-4o", "2025-12"),
        Citation(
            "API reference, create chat completion: reasoning_effort, of models before gpt-5.1, and of it", "2026-04"
        ),
        Citation("davidmigloz/langchain_dart#760: minimal is new with gpt-5", "2025-08"),
        Citation("anomalyco/opencode#4451: minimal, of gpt-5.1", "2025-11"),
        Citation("egoist/chatwise-releases#1257: high, of gpt-5.2-chat-latest", "2026-02"),
        Citation("ChatGPTNextWeb/NextChat#6569: sampling options, of gpt-4o-search-preview", "2025-07"),
        Citation("crmne/ruby_llm#155: temperature, of gpt-4o-mini-search-preview", "2025-05"),
        Citation("recorded refusals: stop, of o1-mini and gpt-5-mini; web_search_options, of gpt-4o", "2026-11"),
        Citation("maruel/genai, recorded refusals: web_search_options, of gpt-4.1 and gpt-5-mini", "2025-09"),
        Citation("maruel/genai, recorded refusals: stop, of gpt-5.4 and gpt-5.4-mini", "2026-04"),
        Citation(
            "maruel/genai, recorded refusals: logprobs, of gpt-5-mini; logprobs and JSON, of gpt-audio", "2026-09"
        ),
        Citation("maruel/genai, recorded refusals: tools, stop, logprobs, of gpt-4o-mini-search-preview", "2026-04"),
        Citation("recorded requests that OpenAI answered: none of these for these models", "2026-11"),
    ),
    replaces=("unknown-value",),
)

_FIRST_GPT_5 = "gpt-5(-mini|-nano)?"
_SEARCH = "gpt-4o(-mini)?-search-preview"
_EFFORTS = ("low", "medium", "high")
_REFUSED: tuple[tuple[str, tuple[object, ...], str], ...] = (
    ("max_tokens", (), r"o1(-mini|-preview)?|o3(-mini)?|o4-mini|gpt-5(\.[124])?(-mini|-nano)?"),
    ("temperature", (1,), f"o1(-mini|-preview)?|o3(-mini)?|o4-mini|{_FIRST_GPT_5}"),
    ("top_p", (1,), _FIRST_GPT_5),
    ("logprobs", (False,), f"{_FIRST_GPT_5}|gpt-audio|{_SEARCH}"),
    ("stop", (), rf"o1-mini|o3|o4-mini|{_FIRST_GPT_5}|gpt-5\.4(-mini)?|{_SEARCH}"),
    ("parallel_tool_calls", (), "o1|o3(-mini)?|o4-mini"),
    ("reasoning_effort", (), "gpt-4o(-mini)?"),
    ("reasoning_effort", _EFFORTS, "o1|o3(-mini)?|o4-mini"),
    ("reasoning_effort", ("minimal", *_EFFORTS), _FIRST_GPT_5),
    ("reasoning_effort", ("none", *_EFFORTS), r"gpt-5\.1"),
    ("reasoning_effort", ("medium",), r"gpt-5\.2-chat-latest"),
    ("web_search_options", (), r"gpt-4o|gpt-4\.1|gpt-5-mini"),
    ("response_format", ({"type": "text"},), "gpt-audio"),
    ("tools", (), _SEARCH),
    ("temperature", (), _SEARCH),
    ("top_p", (), _SEARCH),
    ("presence_penalty", (), _SEARCH),
    ("frequency_penalty", (), _SEARCH),
)
"""An option, the values of it that are accepted all the same, and the models that refuse it, also with a date."""


def check(request: Request) -> Iterator[Hit]:
    """Yield a hit for each option that the model of the request refuses."""
    model = request.value.get("model")
    if not isinstance(model, str) or not model.startswith(("o1", "o3", "o4", "gpt-4", "gpt-5", "gpt-audio")):
        return
    for option, accepted in _refused_by(model):
        value: Any = request.value.get(option)
        if value is None or value == [] or value in accepted:
            continue
        yield Hit(f"{quote_name(model)} does not support {quote_name(option)}{_but(accepted)}", (option,), value)


def _but(accepted: tuple[object, ...]) -> str:
    words = ", ".join(str(one) for one in accepted if isinstance(one, int | str) and one is not False)
    return f" other than {words}" if words else ""


@lru_cache(maxsize=64)
def _refused_by(model: str) -> tuple[tuple[str, tuple[object, ...]], ...]:
    name = re.sub(r"-\d{4}-\d{2}-\d{2}$", "", model)
    return tuple((option, accepted) for option, accepted, models in _REFUSED if re.fullmatch(models, name))
