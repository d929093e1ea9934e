"""A request sets an option that OpenAI refuses for its model.

Reasoning models refuse options of other models, and other models refuse options of reasoning models. Each model has a
limit of tokens, too. Some refuse more here than in the Responses API, such as a reasoning effort of `max`. The rule
knows only models for which a refusal was recorded, quoted or documented. This is a warning, because OpenAI may accept
the option later, and gateways may remove it.

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

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from isogloss.validator.findings import Severity
from isogloss.validator.quoting import quote_name
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.rules.request._models import is_one_of
from isogloss.validator.views import Request, quantity

RULE = Rule(
    severity=Severity.WARNING,
    sources=(
        Citation("langchain-ai/langsmith-sdk#1003: max_tokens, of o1-preview", "2024-09"),
        Citation("teilomillet/gollm#33: max_tokens, of o1 and o3-mini", "2025-03"),
        Citation("ThinkInAIXYZ/deepchat#336: max_tokens, of o4-mini", "2025-05"),
        Citation("devnullvoid/dms-ai-assistant#12: max_tokens, of gpt-5.2 and gpt-5.4-mini", "2026-05"),
        Citation("Netw0rkNoob/VulnClaw#6: max_tokens, of gpt-5.5", "2026-05"),
        Citation("mnfst/modelparams.dev#89 and #91: max_tokens, of gpt-5.6-sol and gpt-5.6-luna", "2026-07"),
        Citation("leafo/lua-openai#12: temperature, of o1-mini", "2024-11"),
        Citation("BeehiveInnovations/pal-mcp-server#78: temperature, of o3 and o3-mini", "2025-06"),
        Citation("microsoft/vscode#253673: temperature, of o4-mini at Azure", "2025-07"),
        Citation("guide Using GPT-5: temperature, top_p and logprobs raise an error", "2025-08"),
        Citation("API reference, create chat completion: stop, of o3 and o4-mini", "2026-04"),
        Citation("huggingface/smolagents#1662: stop, of gpt-5, gpt-5-mini and gpt-5-nano", "2025-08"),
        Citation("huggingface/smolagents#1868: stop, of gpt-5.1", "2025-11"),
        Citation("huggingface/smolagents#1893: stop, of gpt-5.2 at Azure", "2025-12"),
        Citation("run-llama/llama_index#20865: parallel_tool_calls, of o1, o3-mini and o4-mini", "2026-03"),
        Citation("defog-ai/defog#171: parallel_tool_calls, of o3", "2025-07"),
        Citation("davidmigloz/langchain_dart#712: reasoning_effort, of gpt-4o-mini", "2025-06"),
        Citation("generative-computing/mellea#270: reasoning_effort, of gpt-4o", "2025-12"),
        Citation("formulahendry/wechat-acp#16: reasoning_effort, of gpt-4.1 behind GitHub Copilot", "2026-03"),
        Citation("PsycherosAI/Psycheros#41: reasoning_effort, also none, of gpt-4.1-nano", "2026-07"),
        Citation(
            "API reference, create chat completion: reasoning_effort, of models before gpt-5.1, and of it", "2026-04"
        ),
        Citation("davidmigloz/langchain_dart#760: minimal is new with gpt-5", "2025-08"),
        Citation("anomalyco/opencode#4451: minimal, of gpt-5.1", "2025-11"),
        Citation("egoist/chatwise-releases#1257: high, of gpt-5.2-chat-latest", "2026-02"),
        Citation("vercel/ai#5647: temperature, top_p and penalties, of gpt-4o-search-preview", "2025-04"),
        Citation("crmne/ruby_llm#155: temperature, of gpt-4o-mini-search-preview", "2025-05"),
        Citation("recorded refusals: stop, of o1-mini and gpt-5-mini; web_search_options, of gpt-4o", "2026-11"),
        Citation(
            "maruel/genai, recorded refusals: web_search_options, of gpt-4.1, gpt-4.1-nano, gpt-5-mini", "2025-09"
        ),
        Citation("maruel/genai, recorded refusals: stop, of gpt-5.4 and gpt-5.4-mini", "2026-04"),
        Citation("maruel/genai, recorded refusals: web_search_options, of gpt-5.4", "2026-04"),
        Citation("maruel/genai, recorded refusals: web_search_options, of gpt-audio", "2026-05"),
        Citation(
            "maruel/genai, recorded refusals: logprobs, of gpt-5-mini; logprobs and JSON, of gpt-audio", "2026-09"
        ),
        Citation("maruel/genai, recorded refusals: tools, stop, logprobs, of gpt-4o-mini-search-preview", "2026-04"),
        Citation("simonw/llm#731: top_p and penalties, of o3-mini", "2025-02"),
        Citation("aandrew-me/tgpt#333: top_p, of o1, o1-preview and o1-mini", "2025-01"),
        Citation("AsyncFuncAI/deepwiki-open#226: top_p, of o3", "2025-06"),
        Citation("lobehub/lobehub#7747: top_p, of o4-mini", "2025-05"),
        Citation("lobehub/lobehub#5053: frequency_penalty, of o1-preview", "2024-12"),
        Citation("nextai-translator/nextai-translator#1781: presence_penalty, of gpt-5-mini", "2025-08"),
        Citation("confident-ai/deepeval#1358 and #2184: logprobs, of o3-mini and o4-mini", "2025-10"),
        Citation("glowingjade/obsidian-smart-composer#499: prediction, of gpt-5.1", "2025-12"),
        Citation("google-deepmind/concordia#164: verbosity, of gpt-4o", "2025-09"),
        Citation("enricoros/big-AGI#930: verbosity, of gpt-5-chat-latest", "2026-01"),
        Citation("livekit/agents#3966: a reasoning_effort of null, of gpt-5.1", "2025-11"),
        Citation("anomalyco/models.dev#2351: reasoning_effort in the model pages of gpt-5.1 to gpt-5.4", "2026-06"),
        Citation("anomalyco/opencode#26268, from errors of the Responses endpoint: minimal, of gpt-5.5", "2026-05"),
        Citation("paperless-ngx/paperless-ngx#12822: temperature, of gpt-5.5", "2026-05"),
        Citation("anomalyco/opencode#36315: prompt_cache_options, of models before gpt-5.6", "2026-07"),
        Citation("OpenRouter's documentation, PromptCacheOptions: only gpt-5.6 and newer", "2026-11"),
        Citation("keephq/keep#6712: json_schema, of gpt-3.5-turbo", "2026-08"),
        Citation("guide on structured outputs: gpt-4-turbo and earlier models may use JSON mode instead", "2024-08"),
        Citation("openai (PyPI) 1.30.0, completion_create_params.py: models with response_format", "2024-05"),
        Citation("ChatGPTNextWeb/NextChat#3195: 8192 tokens, of gpt-3.5-turbo-1106 and gpt-4-1106-preview", "2023-11"),
        Citation("logancyang/obsidian-copilot#256: 10000 tokens, of gpt-4-turbo", "2024-01"),
        Citation("openai/openai-python#687: 5500 tokens, of gpt-4-1106-preview", "2023-11"),
        Citation("qgrail/obsidian-ai-assistant#40: at most 16,384, from the model page of gpt-4o-mini", "2025-01"),
        Citation("tailcallhq/forgecode#1185: 20480 tokens, of gpt-4o", "2025-07"),
        Citation("opencode-ai/opencode#140: 50000 tokens, of gpt-4.1", "2025-05"),
        Citation("repowise-dev/repowise#987: temperature, of gpt-5.6-luna", "2026-07"),
        Citation("anomalyco/models.dev#6639: gpt-5.6-luna accepts a temperature if it does not reason", "2026-09"),
        Citation("mnfst/modelparams.dev#207: temperature, top_p and max, of gpt-5.6", "2026-08"),
        Citation("ItzCrazyKns/Vane#1173: temperature, of gpt-5.6", "2026-07"),
        Citation("livekit/agents#7169, by the values that the error names: minimal and max, of gpt-5.6", "2026-09"),
        Citation("bolna-ai/bolna#1019: max_tokens, stop and temperature, of gpt-6-astra", "2026-09"),
        Citation("genkit-ai/genkit#6303: reasoning_effort of gpt-6-astra", "2026-09"),
        Citation("BerriAI/litellm-docs#1173: max, of gpt-6-astra, in the Responses API alone", "2026-09"),
        Citation("mnfst/modelparams.dev#356: top_p, of gpt-6-astra", "2026-09"),
        Citation("LibreChat-AI/agents#506: logprobs, of gpt-6-astra", "2026-09"),
        Citation("apidog.com, from the guide Using GPT-6: none and minimal, of gpt-6.1-sol", "2026-09"),
        Citation("jhd3197/Prompture 1.15.1: none and max, of gpt-6-astra and gpt-6.1-sol", "2026-10"),
        Citation("LaoZhang's documentation: max, of gpt-6.1-sol, in Chat Completions", "2026-11"),
        Citation("apidog.com, from the model page: minimal, of gpt-6.1-terra", "2026-10"),
        Citation("model page of gpt-6.2-sol: the API rejects a reasoning effort of none", "2026-11"),
        Citation("apidog.com, from the model page of gpt-6.2-astra: the same", "2026-11"),
        Citation("Runware's documentation, gpt-6.2-astra and gpt-6.2-sol: reasoning from low through max", "2026-11"),
        Citation("recorded requests that OpenAI answered: none of these for these models", "2026-11"),
    ),
    replaces=("unknown-value",),
    includes=("deprecated-property",),
    of_options=True,
)

_FIRST_GPT_5 = "gpt-5(|-mini|-nano)"
_BEFORE_GPT_5_6 = "gpt-4o(|-mini) gpt-4.1(|-mini|-nano) gpt-5(|.1|.2|.3|.4|.5)(|-mini|-nano) o(1|3)(|-mini) o4-mini"
_GPT_5_6 = "gpt-5.6(|-luna|-sol|-terra)"
_SEARCH = "gpt-4o(|-mini)-search-preview"
_EFFORTS = ("low", "medium", "high")
_TEXT, _JSON = {"type": "text"}, {"type": "json_object"}
_REFUSED: tuple[tuple[str, tuple[object, ...], str], ...] = (
    (
        "max_tokens",
        (),
        "o1(|-mini|-preview) o3(|-mini) o4-mini gpt-5(|.1|.2|.4)(|-mini|-nano) gpt-5.5 "
        "gpt-5.6(|-luna|-sol) gpt-6-astra",
    ),
    ("temperature", (1,), f"o1(|-mini|-preview) o3(|-mini) o4-mini {_FIRST_GPT_5} gpt-6-astra"),
    ("top_p", (1,), f"o1(|-mini|-preview) o3(|-mini) o4-mini {_FIRST_GPT_5} gpt-6-astra"),
    ("presence_penalty", (0,), "o3-mini gpt-5-mini"),
    ("frequency_penalty", (0,), "o1-preview o3-mini"),
    ("logprobs", (False,), f"o3-mini o4-mini {_FIRST_GPT_5} gpt-6-astra gpt-audio {_SEARCH}"),
    ("stop", (), f"o1-mini o3 o4-mini {_FIRST_GPT_5} gpt-5.(1|2) gpt-5.4(|-mini) gpt-6-astra {_SEARCH}"),
    ("parallel_tool_calls", (), "o1 o3(|-mini) o4-mini"),
    ("reasoning_effort", (), "gpt-4o(|-mini) gpt-4.1(|-nano)"),
    ("reasoning_effort", _EFFORTS, "o1 o3(|-mini) o4-mini"),
    ("reasoning_effort", ("minimal", *_EFFORTS), _FIRST_GPT_5),
    ("reasoning_effort", ("none", *_EFFORTS), "gpt-5.1"),
    ("reasoning_effort", ("none", *_EFFORTS, "xhigh"), f"gpt-5.2 gpt-5.4(|-mini|-nano) gpt-5.5 {_GPT_5_6}"),
    ("reasoning_effort", (*_EFFORTS, "xhigh"), "gpt-6-astra gpt-6.1-sol"),
    ("reasoning_effort", (*_EFFORTS, "xhigh", "max"), "gpt-6.2-(astra|sol)"),
    ("reasoning_effort", ("none", *_EFFORTS, "xhigh", "max"), "gpt-6.1-terra"),
    ("reasoning_effort", ("medium",), "gpt-5.(1|2)-chat-latest"),
    ("prediction", (), "gpt-5.1"),
    ("prompt_cache_options", (), _BEFORE_GPT_5_6),
    ("verbosity", ("medium",), "gpt-4o gpt-5-chat-latest"),
    ("web_search_options", (), "gpt-4o gpt-4.1(|-nano) gpt-5-mini gpt-5.4 gpt-audio"),
    ("response_format", (_TEXT,), "gpt-audio gpt-4"),
    ("response_format", (_TEXT, _JSON), "gpt-3.5-turbo(|-1106|-0125) gpt-4-turbo gpt-4-(1106|0125)-preview"),
    ("tools", (), _SEARCH),
    ("temperature", (), _SEARCH),
    ("top_p", (), _SEARCH),
    ("presence_penalty", (), _SEARCH),
    ("frequency_penalty", (), _SEARCH),
)
"""An option, the values of it that are accepted anyway, and the models that refuse it, also with a date."""

_REFUSED_IF_REASONING: tuple[tuple[str, tuple[object, ...], str], ...] = (
    ("temperature", (1,), f"gpt-5.5 {_GPT_5_6}"),
    ("top_p", (1,), "gpt-5.6(|-sol)"),
)
"""The same, of models that accept the option if `reasoning_effort` is `none`."""

_NULL_REFUSED = "gpt-5.1"
"""The models that refuse a `reasoning_effort` even if it is null."""

_MOST_TOKENS = (
    (4_096, "gpt-3.5-turbo(|-1106) gpt-4-turbo gpt-4-1106-preview"),
    (16_384, "gpt-4o(|-mini)"),
    (32_768, "gpt-4.1"),
)
"""The greatest `max_tokens`, and the models that refuse more."""


def check(request: Request) -> Iterator[Hit]:
    """Yield a hit for each option that the model of the request refuses."""
    model = request.model
    if not model.startswith(("o1", "o3", "o4", "gpt-")):
        return
    refused, most_tokens = _limits_of(model, request.value.get("reasoning_effort") != "none")
    for option, accepted in refused:
        if option not in request.value:
            continue
        value: Any = request.value[option]
        is_null = value is None and not (option == "reasoning_effort" and is_one_of(model, _NULL_REFUSED))
        if value == [] or is_null or value in accepted:
            continue
        message = f"{quote_name(model)} does not support {quote_name(option)}{_but(accepted)}"
        yield Hit(message, (option,), value, other_pointers=((option,),))
    tokens = quantity(request.value.get("max_tokens"))
    if most_tokens is not None and tokens is not None and tokens > most_tokens:
        yield Hit(f"{quote_name(model)} writes at most {most_tokens:,} tokens", ("max_tokens",), tokens)


def _but(accepted: tuple[object, ...]) -> str:
    words = [one["type"] if isinstance(one, dict) else str(one) for one in accepted if one is not False]
    return f" other than {', '.join(words)}" if words else ""


@lru_cache(maxsize=64)
def _limits_of(model: str, reasons: bool) -> tuple[list[tuple[str, tuple[object, ...]]], int | None]:
    """Return what a model refuses, and the greatest `max_tokens` if it is known."""
    table = (*_REFUSED, *_REFUSED_IF_REASONING) if reasons else _REFUSED
    refused = [(option, accepted) for option, accepted, models in table if is_one_of(model, models)]
    return refused, next((most for most, models in _MOST_TOKENS if is_one_of(model, models)), None)
