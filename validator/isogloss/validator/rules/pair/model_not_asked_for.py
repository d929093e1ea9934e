"""The answer comes from another model than the request names.

The rule takes the following for the same model:

* a dated snapshot of the model (`gpt-4o` and `gpt-4o-2024-08-06`)
* its name with the prefix of a router or a path (`openai/gpt-4o`, `models/gpt-4o`)
* another build of it (`Qwen3-8B` and `Qwen3-8B-Q4_K_M`)
* another spelling of the same letters and digits
* the model that a moving name (`-latest`, `-preview`) points to

If some chunks of a stream name the model of the request and others another one, `stream-model-changed` reports it.

The name of a route or a deployment need not contain the name of a model, and then it looks like another model.
Therefore this is a note.

## Why it matters
Price, context length and quality depend on the model that answered. Only this property shows that a fallback answered,
or that an alias now points to another model.

## Who sends it
Proxies that answer every name with the one model they have
([icebear0828/codex-proxy#660](https://github.com/icebear0828/codex-proxy/issues/660)).

## What to do
* As a server's author: Refuse an unknown model with 404 and `model_not_found`. If you use a fallback, name the model
  that answered, as this answer does.
* As a client's user: Compare `model` with what you asked for, and log both. In a gateway, look for fallbacks and
  aliases of this name.

## Bad
```
{"model":"gpt-4o",…}

{"model":"gpt-5.4",…}
```

## Good
```
{"model":"gpt-4o",…}

{"model":"gpt-4o-2024-08-06",…}
```
"""

from __future__ import annotations

from collections.abc import Sequence

from isogloss.validator.findings import Severity
from isogloss.validator.kinds.model_names import are_of_one_model
from isogloss.validator.quoting import quote_name
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.rules.pairing import Pair

RULE = Rule(
    severity=Severity.NOTE,
    sources=(
        Citation("API reference, the chat completion object: model, the model used for the completion", "2026-04"),
        Citation("recorded OpenAI answers: the model that was asked for, or a dated snapshot of it", "2026-11"),
        Citation("icebear0828/codex-proxy#660", "2026-11"),
    ),
    needs=("completion", "model"),
)


def check(pair: Pair) -> Sequence[Hit]:
    """Return a hit for the model of the answer if it is not the model that the request names."""
    requested = pair.request.model
    answered = pair.completion.model if pair.completion is not None else None
    if not requested or not answered or requested == answered or are_of_one_model(requested, answered):
        return ()
    in_chunks = [] if pair.trace is None else [mark.value for mark in pair.trace.runs["model"]]
    if any(isinstance(one, str) and (requested == one or are_of_one_model(requested, one)) for one in in_chunks):
        return ()
    return [Hit(f"{quote_name(answered)} answers, and {quote_name(requested)} was asked for", ("model",), answered)]
