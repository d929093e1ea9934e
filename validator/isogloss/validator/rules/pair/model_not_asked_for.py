"""The answer comes from another model than the request names.

The rule takes the following for the same model:

* a dated snapshot of the model (`gpt-4o` and `gpt-4o-2024-08-06`)
* its name with the prefix of a router or a path (`openai/gpt-4o`, `models/gpt-4o`)
* another build of it (`Qwen3-8B` and `Qwen3-8B-Q4_K_M`)
* another spelling of the same letters and digits
* the model that a moving name (`-latest`, `-preview`) points to

The name of a route or a deployment may not contain the name of any model, and then it looks like
another model. Therefore this is a note.

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

import re
from collections.abc import Iterator
from functools import lru_cache

from isogloss.validator.findings import Severity
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

_SEPARATORS = re.compile(r"[^a-z0-9]+")
_BUILD_WORD = re.compile(
    r"v?\d\w*|latest|preview|exp|experimental|beta|instruct|it|chat|free|online|hf|gguf|mlx|onnx|awq|gptq|[fb]f?p?\d+"
    r"|int\d+|q\d\w*|i?q\d+|[kmsl]|xl|ud|mxfp\d|nvfp\d"
)
"""Matches words of a name that describe a build of a model: dates, sizes, formats and the tags of routers."""
_MOVING_WORDS = frozenset({"latest", "preview"})


def check(pair: Pair) -> Iterator[Hit]:
    """Yield a hit for the model of the answer if it is not the model that the request names."""
    requested = pair.request.model
    answered = pair.completion.model if pair.completion is not None else None
    if requested and answered and requested != answered and not _is_same_model(requested, answered):
        yield Hit(f"{quote_name(answered)} answers, and {quote_name(requested)} was asked for", ("model",), answered)


def _words(model: str) -> list[str]:
    """Return the words of a model's name in lower case, without the path or the prefix of a router before it."""
    return [word for word in _SEPARATORS.split(model[:400].lower().rstrip("/").rpartition("/")[2]) if word]


@lru_cache(1024)
def _is_same_model(model: str, other_model: str) -> bool:
    """Return whether two names are builds of one model.

    This holds if both have the same letters and digits. It also holds if one has all words of the other, and all its
    other words describe a build and not a variant. If ``model`` ends with ``latest`` or ``preview``, it is enough
    that the first two words are equal.
    """
    words, other_words = _words(model), _words(other_model)
    if "".join(words) == "".join(other_words):
        return True
    if words and words[-1] in _MOVING_WORDS and words[:2] == other_words[:2]:
        return True
    word_set, other_set = set(words), set(other_words)
    return (
        bool(word_set & other_set)
        and (word_set <= other_set or other_set <= word_set)
        and all(map(_BUILD_WORD.fullmatch, word_set ^ other_set))
    )
