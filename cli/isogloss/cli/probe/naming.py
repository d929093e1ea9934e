"""Name the dialect of answers, but explain no finding by it: every deviation keeps its severity."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence

from msgspec.structs import replace

from isogloss.cli.probe.outcome import Outcome
from isogloss.validator.dialects.attribution import SURE, TIE, UNDETERMINED
from isogloss.validator.dialects.explainers import AutoExplainer, ExplainedHits
from isogloss.validator.examining.examined import Examined
from isogloss.validator.quoting import count_of, join_first, join_list

__all__ = ["NamingExplainer", "describe_dialect"]

_REFERENCE = "openai"
_LEAST_CONFIDENCE = 1e-9
_MOST_NAMED = 3
"""The highest number of dialects that are named as the nearest ones."""
_LEAST_NAMED = 0.1
"""The least confidence with which a dialect is named as the nearest one."""


class NamingExplainer:
    """Attributes exchanges to dialects, but explains no finding by a dialect."""

    def __init__(self, explainer: AutoExplainer) -> None:
        self._explainer = explainer

    def explain(self, examined: Examined) -> ExplainedHits:
        """Return the attribution; no dialect explains any finding."""
        explained = self._explainer.explain(examined)
        return replace(explained, explained_by=[()] * len(explained.explained_by))


def describe_dialect(outcomes: Sequence[Outcome]) -> str:
    """Describe which dialect the answers speak, or name the nearest ones if that is not sure.

    Return an empty string if no answer with a status below 300 has an attribution. No dialect is named if each is
    improbable, and the reference is not if a speaker that no dialect knows is more probable.

    The confidences of the answers are averaged with a geometric mean. What one answer shows, the next one shows again,
    so many answers are hardly more evidence than one. A dialect is named only if at least one answer surely speaks it
    by itself.
    """
    attributions = [
        answer.attribution
        for outcome in outcomes
        for answer in outcome.judged
        if answer.attribution is not None and answer.status < 300
    ]
    if not attributions:
        return ""
    logarithms: dict[str, float] = defaultdict(float)
    for attribution in attributions:
        confidences = {candidate.slug: candidate.confidence for candidate in attribution.candidates}
        for slug, confidence in (confidences | {UNDETERMINED: attribution.stranger}).items():
            logarithms[slug] += math.log(max(confidence, _LEAST_CONFIDENCE))
    means = {slug: math.exp(total / len(attributions)) for slug, total in logarithms.items()}
    sum_of_means = sum(means.values())
    stranger = means.pop(UNDETERMINED)
    best = max(means.values())
    tied = sorted(slug for slug, mean in means.items() if mean >= best * TIE)
    confidence = best / sum_of_means
    agreeing = sum(1 for attribution in attributions if set(tied) & set(attribution.tied))
    agree = f"{agreeing} of {count_of(len(attributions), 'answer')}"
    if _REFERENCE in tied and best >= stranger:
        return "speaks no dialect that differs from the reference"
    if confidence >= SURE and any(one.speaks in tied for one in attributions):
        relayed = sorted({slug for one in attributions if one.speaks in tied for slug in one.chain[1:]})
        relaying = f", relaying {join_list(relayed)}" if relayed else ""
        return f"speaks the dialect {join_list(tied)}{relaying} (in {agree})"
    if confidence < _LEAST_NAMED:
        return "speaks no dialect that isogloss knows, as far as the answers show"
    named = join_list(tied) if len(tied) <= _MOST_NAMED else join_first(tied, _MOST_NAMED)
    return f"speaks no dialect for certain; nearest: {named} (confidence {confidence * 100:.0f} %, in {agree})"
