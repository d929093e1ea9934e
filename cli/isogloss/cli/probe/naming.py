"""Name the dialect of answers, but explain no finding by it: every deviation keeps its severity."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from isogloss.cli.configuration.dialect_choice import auto_explainer
from isogloss.validator.dialects.explainers import AutoExplainer, ExplainedHits
from isogloss.validator.dialects.model import Dialect
from isogloss.validator.examining.examined import Examined

__all__ = ["NamingExplainer"]


class NamingExplainer:
    """Attributes exchanges to dialects, but explains no finding by a dialect."""

    def __init__(self, explainer: AutoExplainer) -> None:
        self._explainer = explainer

    @classmethod
    def for_dialects(cls, dialects: Iterable[Dialect]) -> NamingExplainer | None:
        """Make the explainer for some dialects, or return ``None`` if there are none."""
        known = tuple(dialects)
        return cls(auto_explainer(known)) if known else None

    def explain(self, examined: Examined) -> ExplainedHits:
        """Return the attribution; no dialect explains any finding."""
        explained = self._explainer.explain(examined)
        return replace(explained, explained_by=[()] * len(explained.explained_by))
