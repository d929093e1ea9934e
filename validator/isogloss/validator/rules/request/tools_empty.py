"""`tools` is an empty array.

OpenAI answers 400, with the code `empty_array`. A request without tools has no `tools`.

## Why it matters
OpenAI and servers that follow it refuse the request, and other servers accept it. A client that works with one server
fails with another: Azure, DeepSeek, Alibaba's Qwen and vLLM since 2026-04 refuse an empty list, too. Two reports say
that OpenAI accepted one ([ml-explore/mlx-lm#170](https://github.com/ml-explore/mlx-lm/pull/170),
[local-inference-lab/vllm#193](https://github.com/local-inference-lab/vllm/pull/193)), but do not quote its answer.

## What to do
* As a server's author: Choose one behaviour and document it: OpenAI answers 400. Treating an empty list as no tools is
  harmless, but hides the mistake from programs that will use OpenAI too.
* As a client's user: Leave `tools` out when there are none, and `tool_choice` with it.

## Bad
```json
{"model": "gpt-4o-mini", "messages": [{"role": "user", "content": "Hi"}], "tools": []}
```

## Good
```json
{"model": "gpt-4o-mini", "messages": [{"role": "user", "content": "Hi"}]}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.views import Request

RULE = Rule(
    severity=Severity.ERROR,
    sources=(
        Citation("continuedev/continue#3403", "2024-12"),
        Citation("vllm-project/vllm#39780", "2026-04"),
        Citation("pydantic/pydantic-ai#155: of Azure", "2024-12"),
        Citation("runebookai/tome#87: of DeepSeek", "2025-07"),
        Citation("QwenLM/qwen-code#2054: of Alibaba", "2026-03"),
    ),
    needs=("tools", "no tools"),
    of_options=True,
)


def check(request: Request) -> Iterator[Hit]:
    """Yield a hit for an empty `tools`."""
    if request.value.get("tools") == []:
        yield Hit("tools is empty; OpenAI refuses that, leave it out", ("tools",), [])
