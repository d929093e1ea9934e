"""A request declares functions for a model that does not reason beside them.

From GPT-5.4 on, OpenAI's Chat Completions API refuses functions with a `reasoning_effort` other than `none`; its
Responses API accepts both. GPT-5.4 reasons only if `reasoning_effort` asks for it, GPT-5.6, GPT-6 and GPT-6.1 Terra
also if it is missing. GPT-5.5 does, too, but reports disagree whether it then refuses functions: the rule finds only an
effort that is asked for. GPT-6 Astra and GPT-6.1 Sol always reason. This is a warning, because OpenAI may accept both
later, and gateways may send the request to the other API.

## Why it matters
The request is refused (400, "Function tools with reasoning_effort are not supported for gpt-5.4 in
/v1/chat/completions."). An agent that declares its functions in each request then fails with each request.

## What to do
* As a server's author: Answer 400 and name `reasoning_effort`, or document that you drop it or pass the request to the
  Responses API.
* As a client's user: Use the Responses API for this model, or set `"reasoning_effort": "none"` in requests that declare
  functions. Models that always reason take functions only in the Responses API.

## Bad
```json
{"model": "gpt-5.4", "messages": [{"role": "user", "content": "Hi"}], "reasoning_effort": "low",
 "tools": [{"type": "function", "function": {"name": "now"}}]}
```

## Good
```json
{"model": "gpt-5.4", "messages": [{"role": "user", "content": "Hi"}], "reasoning_effort": "none",
 "tools": [{"type": "function", "function": {"name": "now"}}]}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.pointer import ABSENT
from isogloss.validator.quoting import quote_name
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.rules.request._models import is_one_of
from isogloss.validator.views import Request

RULE = Rule(
    severity=Severity.WARNING,
    sources=(
        Citation("pipecat-ai/pipecat#4043: not supported for gpt-5.4 in /v1/chat/completions", "2026-03"),
        Citation("bug-ops/zeph#5789: the same of gpt-5.4-mini", "2026-07"),
        Citation("charmbracelet/crush#2913: the same of gpt-5.5", "2026-05"),
        Citation("guide on reasoning: gpt-5.5 defaults to medium", "2026"),
        Citation("jeffdafoe/llm-memory-api#178: gpt-5.5 refuses functions without an effort, too", "2026-04"),
        Citation("justrach/codegraff#9: functions without an effort, after gpt-5.5 refused both", "2026-06"),
        Citation("openai/openai-openapi#541: the same of the family of gpt-5.4", "2026-05"),
        Citation("screenpipe/screenpipe#6863: the same of gpt-5.4-nano", "2026-09"),
        Citation("BerriAI/litellm#34569: gpt-5.6 refuses tools unless reasoning_effort is none", "2026-07"),
        Citation("livekit/agents#7169: the same of gpt-5.6-luna, gpt-5.6-sol and gpt-5.6-terra", "2026-09"),
        Citation("onyx-dot-app/onyx#15008: the same of gpt-6-sol", "2026-09"),
        Citation("goruck/home-generative-agent, discussion 928: the same of gpt-6-luna", "2026-11"),
        Citation("Oxen's documentation, gpt-6-luna: functions only with a reasoning_effort of none", "2026-11"),
        Citation("goruck/home-generative-agent 3.46.0-beta.1 and LaoZhang: the same of gpt-6.1-terra", "2026-11"),
        Citation("genkit-ai/genkit#6303: gpt-6-astra refuses functions with each effort, and none as well", "2026-09"),
        Citation(
            "dev.to/aihubmix, from the guide Using GPT-6: functions of gpt-6.1-sol need the Responses API", "2026-09"
        ),
        Citation("recorded requests that OpenAI answered: gpt-5.4 with tools has no reasoning_effort", "2026-11"),
    ),
    needs=("tools",),
    of_options=True,
)

_IF_ASKED = "gpt-5.4(|-mini|-nano) gpt-5.5"
_UNLESS_NONE = "gpt-5.6(|-luna|-sol|-terra) gpt-6-(luna|sol) gpt-6.1-terra"
_ALWAYS = "gpt-6-astra gpt-6.1-sol"


def check(request: Request) -> Iterator[Hit]:
    """Yield a hit for the effort if it makes the model reason beside functions, or for the model if it always does."""
    model, effort = request.model, request.value.get("reasoning_effort", ABSENT)
    is_always, is_asked = is_one_of(model, _ALWAYS), effort is not ABSENT and effort is not None
    is_refused = is_always or (
        effort != "none" and (is_one_of(model, _UNLESS_NONE) or (is_asked and is_one_of(model, _IF_ASKED)))
    )
    if not is_refused or all(tool.type != "function" for tool in request.tools):
        return
    if is_always:
        yield Hit(f"{quote_name(model)} supports functions only in the Responses API", ("model",), model)
    else:
        message = f"{quote_name(model)} supports functions only if `reasoning_effort` is `none`"
        yield Hit(message, ("reasoning_effort",), effort)
