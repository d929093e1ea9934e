"""A completion has an `error` beside its `choices`.

The answer says at the same time that it succeeded and that it failed. An `error` that is null or empty is not reported
by this rule.

## Why it matters
Clients disagree: those that look for `error` first raise and lose the answer, and those that read only `choices` show
what may be half an answer as a whole one.

## Who breaks
`langchain-openai` and LiteLLM, which raise on an answer with an `error` before they read its choices.

## What to do
* As a server's author: Send `{"error": {…}}` alone, with a status of 400 or above. If an answer is usable, send no
  error; warnings belong into a property of another name.
* As a client's user: Look for `error` before you read `choices`, and decide what your program does with such answers.

## Bad
```json
{"choices": [{"index": 0, "message": {"role": "assistant", "content": "It r"}, "finish_reason": "stop"}],
 "error": {"message": "Upstream timed out", "code": 504}}
```

## Good
```json
{"error": {"message": "Upstream timed out", "type": "server_error", "param": null, "code": null}}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.views import Completion

RULE = Rule(
    severity=Severity.ERROR,
    sources=(
        Citation("langchain-openai (PyPI) 1.7.3, chat_models/base.py: raises on an answer with an error", "2026-11"),
        Citation("openai/openai-agents-python#2850: providers send errors in the shape of a completion", "2026-04"),
        Citation("recorded OpenAI completions: no error in any", "2026-11"),
    ),
    replaces=("unknown-property",),
    needs=("error beside choices",),
)


def check(completion: Completion) -> Iterator[Hit]:
    """Yield a hit for the `error` of a completion, if it is not empty.

    A completion folded from a stream is not checked: the rule `error-in-chunk` reads its chunks.
    """
    error = completion.value.get("error")
    if error and not completion.folded:
        yield Hit("an error beside the choices", ("error",), error, key=True)
