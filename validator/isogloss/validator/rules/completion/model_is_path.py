"""The `model` of an answer is the path of a file.

## Why it matters
The path shows where the server keeps its files. Programs that compare models, prices or limits by name cannot use it.

## Who sends it
Servers that were started with a path and given no name for it
([vllm-project/vllm#33616](https://github.com/vllm-project/vllm/issues/33616)).

## What to do
* As a server's author: Answer with the name that the request used, or with a name that the operator can set
  (`--served-model-name`, `--alias`).
* As a client's user: Start the server with a name for the model. Until then, compare only the last part of the path.

## Bad
```json
{"model": "/models/Qwen3-8B-Q4_K_M.gguf"}
```

## Good
```json
{"model": "Qwen3-8B"}
```
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.views import Completion

RULE = Rule(
    severity=Severity.NOTE,
    sources=(
        Citation("API reference, the chat completion object: model", "2026-04"),
        Citation("vllm-project/vllm#33616", "2026-11"),
    ),
    needs=("slash in model",),
)

_BEGINNING = r"/|~/|\./|[A-Za-z]:[\\/]"
_WEIGHTS = (".gguf", ".safetensors", ".bin")


def check(completion: Completion) -> Iterator[Hit]:
    """Yield a hit for a model name that begins like a path, or ends like a file of weights in a folder."""
    model = completion.model
    if not model or ("/" not in model and "\\" not in model):
        return
    if re.match(_BEGINNING, model) or model.endswith(_WEIGHTS):
        yield Hit("the model is named by a path", ("model",), model)
