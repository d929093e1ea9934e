"""A message has a role or a part that OpenAI refuses for the model of the request.

The first o1 models take no instructions from a developer, text models read no images, and only audio models hear. The
rule knows only models for which a refusal was recorded or quoted. This is a warning, because OpenAI may accept the
message later.

## Why it matters
The request is refused (400, "Unsupported value: 'messages[0].role' does not support 'system' with this model.", or
"Invalid content type. image_url is only supported by certain models."). The message stays in the history, so that each
later request of the conversation is refused, too.

## What to do
* As a server's author: Refuse the message with status 400, and name the message and what the model does not read.
  Dropping the part makes the model invent what it held.
* As a client's user: Take a model that reads such messages. Otherwise transcribe sound and describe images first, and
  put instructions into the first message of the user.

## Bad
```json
{"model": "o1-mini", "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"}]}
```

## Good
```json
{"model": "o1-mini", "messages": [{"role": "user", "content": "Be brief. Hi"}]}
```
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache

from isogloss.validator.findings import Severity
from isogloss.validator.quoting import quote_name
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.rules.request._models import is_one_of
from isogloss.validator.views import Request, string

RULE = Rule(
    severity=Severity.WARNING,
    sources=(
        Citation("recorded refusals: the roles system and developer, of o1-mini", "2026-11"),
        Citation("BerriAI/litellm#5671: the role system, of o1-preview", "2024-09"),
        Citation("recorded refusals: input_audio, of gpt-5-mini", "2026-11"),
        Citation("maruel/genai, recorded refusals: input_audio, of gpt-4.1 and gpt-4.1-nano", "2025-08"),
        Citation("maruel/genai, recorded refusals: input_audio, of gpt-5.4", "2026-04"),
        Citation("maruel/genai, recorded refusals: image_url, of gpt-4o-audio-preview", "2026-04"),
        Citation("maruel/genai, recorded refusals: image_url, of gpt-audio", "2026-09"),
        Citation("vllm-project/vllm#11629: image_url, of GPT-3.5", "2025-01"),
        Citation("nextcloud/integration_openai#282: image_url, of gpt-3.5-turbo", "2025-11"),
        Citation("ozgrozer/ai-renamer#22: image_url, of gpt-3.5-turbo and gpt-4", "2024-09"),
        Citation("recorded requests that OpenAI answered: none of these for these models", "2026-11"),
    ),
)

_REFUSED = (
    ("system", "o1-(mini|preview)"),
    ("developer", "o1-mini"),
    ("input_audio", "gpt-4.1(|-nano) gpt-5-mini gpt-5.4"),
    ("image_url", "gpt-3.5-turbo gpt-4 gpt-4o-audio-preview gpt-audio"),
)
"""A role or the type of a part, and the models that refuse it, also with a date."""


def check(request: Request) -> Iterable[Hit]:
    """Return a hit for each role and each part that the model refuses."""
    refused = _refused_by(request.model)
    return _hits(request, refused) if refused else ()


def _hits(request: Request, refused: frozenset[str]) -> Iterator[Hit]:
    for message in request.messages:
        if message.role in refused:
            problem = f"{quote_name(request.model)} refuses the role {quote_name(message.role)}"
            yield Hit(problem, (*message.at, "role"), message.role)
        for at, part in message.parts:
            kind = string(part.get("type"))
            if kind in refused:
                yield Hit(f"{quote_name(request.model)} reads no {quote_name(kind)}", (*at, "type"), kind)


@lru_cache(maxsize=512)
def _refused_by(model: str) -> frozenset[str]:
    return frozenset(what for what, models in _REFUSED if is_one_of(model, models))
