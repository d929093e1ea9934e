"""Cases about the plain answer and the plain stream, and about the models that a server has."""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.cli.probe.cases.case import Case
from isogloss.cli.probe.cases.questions import STREAM, ask

__all__ = ["cases"]


def cases() -> Iterator[Case]:
    """Yield the cases of the groups ``basics`` and ``models``."""
    yield Case(
        name="plain",
        group="basics",
        what="one question, one answer",
        tests="the whole answer",
        why="Clients that validate reject an answer without id, object, created or model, though it was paid for.",
        thread="https://github.com/guardrails-ai/guardrails/issues/1415",
        body=ask(),
        simplest=True,
    )
    yield Case(
        name="stream",
        group="basics",
        what="the answer as a stream",
        tests="stream",
        why="Clients join chunks by their id: with a new id on every chunk, one reply becomes many messages.",
        thread="https://github.com/BerriAI/litellm/issues/38098",
        body=ask(**STREAM),
    )
    yield Case(
        name="stream-usage",
        group="basics",
        what="a stream that ends with its usage",
        tests="stream_options.include_usage",
        why="Agents use it to measure how full the context is; a usage chunk of another shape makes the stream fail.",
        thread="https://github.com/anomalyco/opencode/issues/1298",
        body=ask(**STREAM, stream_options={"include_usage": True}),
    )
    yield Case(
        name="two-answers",
        group="basics",
        what="the same question twice, which gives two answers",
        tests="id of the answer",
        why="Stores and logs keep answers by their id: a constant id overwrites one answer with another.",
        thread="https://github.com/ogx-ai/ogx/issues/2315",
        body=ask(),
        times=2,
        distinct=True,
    )
    yield Case(
        name="models",
        group="models",
        what="the list of models",
        tests="GET /models",
        why="Clients fill their list of models with it; if it is empty, they say that the server has none.",
        thread="https://github.com/madroidmaq/mlx-omni-server/issues/130",
        body=None,
        method="GET",
        path="models",
    )
    yield Case(
        name="model",
        group="models",
        what="the model by its name",
        tests="GET /models/{model}",
        why="Programs look up the model that they were given before they ask it anything.",
        thread="https://github.com/xtekky/gpt4free/issues/689",
        body=None,
        method="GET",
        path="models/{model}",
    )
