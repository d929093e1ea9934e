"""A request names a model that OpenAI does not serve in Chat Completions.

The pro and codex models of these generations answer in the Responses API alone, and instruct models in the old
Completions API. The rule knows only models for which a refusal was quoted. This is a warning, because gateways pass
such requests to the other API.

## Why it matters
The request is refused (404, "This model is only supported in v1/responses and not in v1/chat/completions."). Lists of
models, such as that of `/v1/models`, do not say which API serves a model, so users choose them.

## What to do
* As a server's author: Answer 404 and name `model` in `param`, and say which API serves this model.
* As a client's user: Call the API that serves this model, or take its sibling without `-pro`, `-codex` or `-instruct`
  in the name.

## Bad
```json
{"model": "gpt-5-codex", "messages": [{"role": "user", "content": "Hi"}]}
```

## Good
```json
{"model": "gpt-5", "messages": [{"role": "user", "content": "Hi"}]}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.quoting import quote_name
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.rules.request._models import is_one_of
from isogloss.validator.views import Request

RULE = Rule(
    severity=Severity.WARNING,
    sources=(
        Citation("sigoden/aichat#1318: o1-pro and o3-pro need the Responses API", "2025-06"),
        Citation("simonw/llm#1169: only supported in v1/responses, of o3-pro", "2025-06"),
        Citation("alvinunreal/tmuxai#82: only supported in v1/responses, of gpt-5-codex", "2025-10"),
        Citation("HeyPuter/puter#2110: the same of gpt-5.1-codex-mini", "2025-12"),
        Citation("pgadmin-org/pgadmin4#9795: the same of gpt-5-pro", "2026-03"),
        Citation("enricoros/big-AGI#169: not a chat model, of gpt-3.5-turbo-instruct", "2023-10"),
        Citation("recorded requests that OpenAI answered: none to these models", "2026-11"),
    ),
    of_options=True,
)

_MODELS = "o(1|3)-pro gpt-5-pro gpt-5-codex gpt-5.1-codex-mini gpt-3.5-turbo-instruct(|-0914)"


def check(request: Request) -> Iterator[Hit]:
    """Yield a hit for the model if another API serves it."""
    if is_one_of(request.model, _MODELS):
        yield Hit(f"OpenAI does not serve {quote_name(request.model)} in Chat Completions", ("model",), request.model)
