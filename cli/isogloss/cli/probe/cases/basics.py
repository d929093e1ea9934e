"""Cases about the plain answer and the plain stream, and about the models that a server has."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from isogloss.cli.probe.cases.case import Case
from isogloss.cli.probe.cases.questions import STREAM, ask

__all__ = ["cases"]

_basic = partial(Case, group="basics")
_of_models = partial(Case, group="models", body=None, method="GET")


def cases() -> Iterator[Case]:
    """Yield the cases of the groups ``basics`` and ``models``."""
    yield _basic(
        "plain", "one question, one answer", "the whole answer",
        "Clients that validate reject an answer without id, object, created or model, though it was paid for.",
        "https://github.com/guardrails-ai/guardrails/issues/1415",
        ask(), simplest=True,
    )  # fmt: skip
    yield _basic(
        "stream", "the answer as a stream", "stream",
        "Clients join chunks by their id: with a new id on every chunk, one reply becomes many messages.",
        "https://github.com/BerriAI/litellm/issues/38098",
        ask(**STREAM),
    )  # fmt: skip
    yield _basic(
        "stream-usage", "a stream that ends with its usage", "stream_options.include_usage",
        "Agents use it to measure how full the context is; a usage chunk of another shape makes the stream fail.",
        "https://github.com/anomalyco/opencode/issues/1298",
        ask(**STREAM, stream_options={"include_usage": True}),
    )  # fmt: skip
    yield _basic(
        "two-answers", "the same question twice, which gives two answers", "id of the answer",
        "Stores and logs keep answers by their id: a constant id overwrites one answer with another.",
        "https://github.com/ogx-ai/ogx/issues/2315",
        ask(), times=2, distinct=True,
    )  # fmt: skip
    yield _of_models(
        "models", "the list of models", "GET /models",
        "Clients fill their list of models with it; if it is empty, they say that the server has none.",
        "https://github.com/madroidmaq/mlx-omni-server/issues/130",
        path="models",
    )  # fmt: skip
    yield _of_models(
        "model", "the model by its name", "GET /models/{model}",
        "Programs look up the model that they were given before they ask it anything.",
        "https://github.com/xtekky/gpt4free/issues/689",
        path="models/{model}",
    )  # fmt: skip
