"""The answer to a request for the list of models is not such a list.

The answer to `GET /models` is an object whose `data` lists objects with an `id`. The answer to `GET /models/ID` is one
such object. An empty list is a warning. If one of the other properties is missing, of a model or of the list, this is a
note, because few clients read any of them.

Only a capture of a request for models that has an expected status (`expected_status`) can break this rule. The
recordings of `isogloss probe` have one.

## Why it matters
Many clients fill their list of models this way, and some request nothing else to see whether a server is there. If the
list is missing or empty, they say that there is no model, although the server would answer every question.

## Who breaks
Clients that look for a model found none behind mlx-omni-server
([madroidmaq/mlx-omni-server#130](https://github.com/madroidmaq/mlx-omni-server/issues/130)), chatbot-ui failed on One
API, which sent the bare array in 2023 ([songquanpeng/one-api#128](https://github.com/songquanpeng/one-api/issues/128)),
and front ends could not connect to GenieX ([qualcomm/GenieX#640](https://github.com/qualcomm/GenieX/issues/640)).

## What to do
* As a server's author: Answer `{"object": "list", "data": [{"id": …, "object": "model", "created": …,
  "owned_by": …}]}`, with every model that a request may name.
* As a client's user: Enter the name of the model by hand.

## Bad
```json
{"error": "model name is empty"}
```

## Good
```json
{"object": "list", "data": [{"id": "tiny", "object": "model", "created": 1784000000, "owned_by": "me"}]}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.exchange import Exchange
from isogloss.validator.findings import Severity
from isogloss.validator.quoting import join_list, type_with_article
from isogloss.validator.rules import Citation, Hit, Rule

RULE = Rule(
    severity=Severity.ERROR,
    sources=(
        Citation("API reference, list models and retrieve model", "2026-04"),
        Citation("openai (PyPI) 3.52.0, types/model.py: id, created, object, owned_by", "2026-11"),
    ),
    needs=("models",),
)

_OTHER_PROPERTIES = ("object", "created", "owned_by")


def check(exchange: Exchange) -> Iterator[Hit]:
    """Yield a hit for the first fault that keeps a client from reading models, or for what one model lacks."""
    answer = exchange.models
    if answer is None:
        return
    if not isinstance(answer, dict):
        yield Hit("the body is not JSON" if isinstance(answer, str) else f"the body is {type_with_article(answer)}")
    elif not (exchange.path or "").rstrip("/").endswith("/models"):
        yield from _model_hits(answer, "the model")
    elif not isinstance(answer.get("data"), list):
        yield Hit("the body has no list called data")
    elif not answer["data"]:
        yield Hit("the list of models is empty", severity=Severity.WARNING)
    else:
        models = [one for one in answer["data"] if _lacks_id(one)] or answer["data"]
        hit = next((hit for model in models for hit in _model_hits(model, "a model")), None)
        if hit is not None:
            yield hit
        elif "object" not in answer:
            yield Hit("the list has no object", severity=Severity.NOTE)


def _lacks_id(model: object) -> bool:
    return not isinstance(model, dict) or not isinstance(model.get("id"), str)


def _model_hits(model: object, label: str) -> Iterator[Hit]:
    if not isinstance(model, dict) or _lacks_id(model):
        yield Hit(f"{label} has no id that is a string")
    elif missing := [name for name in _OTHER_PROPERTIES if name not in model]:
        yield Hit(f"{label} has no {join_list(missing)}", severity=Severity.NOTE)
