"""Name the dialect of answers, but explain no finding by it: every deviation keeps its severity."""

from __future__ import annotations

from msgspec.structs import replace

from isogloss.validator.dialects.explainers import AutoExplainer, ExplainedHits
from isogloss.validator.examining.examined import Examined

__all__ = ["NamingExplainer"]


class NamingExplainer:
    """Attributes exchanges to dialects, but explains no finding by a dialect."""

    def __init__(self, explainer: AutoExplainer) -> None:
        self._explainer = explainer

    def explain(self, examined: Examined) -> ExplainedHits:
        """Return the attribution; no dialect explains any finding."""
        explained = self._explainer.explain(examined)
        return replace(explained, explained_by=[()] * len(explained.explained_by))
