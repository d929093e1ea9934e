"""`id`, `object`, `model` or `created` has no value on some chunks of a stream, and a value on others.

An empty string and 0 count as no value. This rule does not report a property that is empty on every chunk: the rules
about the whole completion do.

## Why it matters
A chunk that names no completion belongs to none. Clients take id and model from the first chunk that they see, and
clients that validate reject the empty `object`.

## Who breaks
MLflow's gateway, on the first chunk of Azure OpenAI, which brings the results of the prompt filter alone
([mlflow/mlflow#12767](https://github.com/mlflow/mlflow/issues/12767)). LlamaIndex in 2023
([run-llama/llama_index#7640](https://github.com/run-llama/llama_index/issues/7640)), Pydantic AI in 2024
([pydantic/pydantic-ai#164](https://github.com/pydantic/pydantic-ai/issues/164)), and LiteLLM 1.95 when it answered
Claude Code ([BerriAI/litellm#35785](https://github.com/BerriAI/litellm/issues/35785)), broke on the empty choices of
that chunk.

## What to do
* As a server's author: Give every chunk the same `id`, `object`, `created` and `model`, from one value that is made
  when the request arrives. That includes the first chunk, the one with the usage, and the one with filter results.
* As a client's user: Take `id` and `model` from the first chunk on which they are not empty. Do not group chunks by id
  if you read one stream at a time.

## Bad
```
data: {"id":"","object":"","created":0,"model":"","choices":[],"prompt_filter_results":[]}
data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{}}]}
```

## Good
```
data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{}}]}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.streams.trace import Trace

RULE = Rule(
    severity=Severity.ERROR,
    catalogue=(11,),
    replaces=("unknown-value", "wrong-format"),
    sources=(
        Citation("API reference, the chat completion chunk object", "2026-04"),
        Citation("recorded OpenAI streams: none of them is ever empty", "2026-08"),
    ),
    needs=("changing envelope",),
)


_EMPTY = {"id": "", "object": "", "model": "", "created": 0}
"""The value of each property that counts as no value. The schema reports values of a wrong type."""


def check(trace: Trace) -> Iterator[Hit]:
    """Yield a hit for every property that is empty in a chunk and not elsewhere.

    The first hit in each chunk has the severity of the rule, and the others are notes.
    """
    names = []
    for name in _EMPTY:
        values = [mark.value for mark in trace.runs[name]]
        if any(values) and any(_is_empty(name, value) for value in values):
            names.append(name)
    for event, chunk in trace.chunks if names else ():
        empty = [name for name in names if _is_empty(name, chunk.get(name))]
        for position, name in enumerate(empty):
            message = f"{_names_with_verb(empty)} no value here, though other chunks have one"
            if position:
                message = f"{name} has no value here, and neither has {empty[0]}"
            yield Hit(message, (name,), chunk[name], event, severity=Severity.NOTE if position else None)


def _is_empty(name: str, value: object) -> bool:
    return type(value) is type(_EMPTY[name]) and value == _EMPTY[name]


def _names_with_verb(names: list[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} and {last} have" if others else f"{last} has"
