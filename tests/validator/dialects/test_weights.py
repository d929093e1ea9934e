"""Each term of attribution, in a small invented world where it can be worked out by hand.

The world has 32 families; a child belongs to the family of its parent.
"""

from __future__ import annotations

from math import exp, log
from typing import Any

import pytest
from speaking import UUID, completion, examined, frequent_offender, small_world

from isogloss.validator.dialects.attribution import Attribution
from isogloss.validator.dialects.chains import STRANGERS_CHAIN
from isogloss.validator.dialects.payload_features import PayloadFeatures
from isogloss.validator.dialects.speakers import AutoSpeaker
from isogloss.validator.dialects.weights import Observation, Weights

WORLD = small_world()
SPEAKER = AutoSpeaker(WORLD)
FAMILIES = 32


def attribution(payload: object, host: str | None = None, speaker: AutoSpeaker = SPEAKER) -> Attribution:
    """Return the attribution of an answer."""
    found = speaker.explain(examined(payload, host)).attribution
    assert found is not None
    return found


def background(*rates: float) -> float:
    """Return how often any speaker shows a feature that families show at these rates."""
    return (sum(rates) + 0.01 * FAMILIES) / (1.01 * FAMILIES)


def form_background(families: int, *rates: float) -> float:
    """Return how often a value of any speaker has a form that the values of families have at these rates.

    `families` counts the families that have forms for this value.
    """
    return (sum(rates) + 0.05 * families + 0.2) / (families + 1)


RARE = background(10.5 / 22)
COMMON = background(*[20.5 / 22] * 20, 0.7, 0.35, 1.5 / 1002, 0.25, 0.35, 0.7, 0.9)
ALPHA = form_background(22, 20.5 / 22)


@pytest.mark.parametrize(
    ("members", "slug", "what", "how", "weight"),
    [
        # what a dialect is known for, against how often anybody shows it
        ({"more_usage": {"alpha_price": 0.5}}, "alpha", "usage.alpha_price", "known", log((10.5 / 22) / RARE)),
        ({"gamma_route": "r"}, "gamma", "gamma_route", "known", log((100.5 / 102) / background(100.5 / 102))),
        ({"beta_stats": {}}, "beta", "beta_stats", "known", log(0.7 / background(0.7))),
        # documentation alone says less, a shape more, and nothing more than so much
        ({"delta_note": "n"}, "delta", "delta_note", "known", 2.5),
        ({"sigma_shape": "s"}, "sigma", "sigma_shape", "known", 2.5),
        ({"common_tag": "c"}, "beta", "common_tag", "known", log(0.7 / COMMON)),
        ({"common_tag": "c"}, "theta", "common_tag", "known", log(0.7 / COMMON)),
        ({"common_tag": "c"}, "delta", "common_tag", "known", log(0.35 / COMMON)),
        ({"common_tag": "c"}, "eta", "common_tag", "known", log(0.35 / COMMON)),
        ({"common_tag": "c"}, "zeta", "common_tag", "known", log(0.25 / COMMON)),
        ({"common_tag": "c"}, "sigma", "common_tag", "known", log(0.9 / COMMON)),
        ({"common_tag": "c"}, "epsilon", "common_tag", "known", -3.0),
        # what is missing, what a gateway passes on, forms that anybody's values have and the form of the model
        ({"message": {"refusal": ...}}, "alpha", "message.refusal", "known", 1.5),
        ({"alpha_tag": "t"}, "gamma", "alpha_tag", "passed on", 0.5),
        ({"id": UUID}, "beta", "form of completion id", "known", 1.2),
        ({"model": "alpha-1"}, "alpha", "form of completion model", "known", 2.0),
        ({"id": "alpha-1"}, "alpha", "form of completion id", "known", log(20.5 / 22 / ALPHA)),
        # what no dialect is known for, the less a dialect is expected to show it the better it is known
        ({"warp": 1}, "alpha", "warp", "unexplained", log(1 / 24 / 0.4)),
        ({"warp": 1}, "beta", "warp", "unexplained", log(1 / 154 / 0.4)),
        ({"warp": 1}, "delta", "warp", "unexplained", log(1 / 12 / 0.4)),
        ({"warp": 1}, "epsilon", "warp", "unexplained", log(0.004 / 0.4)),
        ({"warp": 1}, "gamma", "warp", "unexplained", log(0.05 / 0.4)),
        # the form of another's id; a server runs any model
        ({"id": UUID}, "alpha", "form of completion id", "another's", log(0.1)),
        ({"id": "alpha-1"}, "beta", "form of completion id", "another's", log(1 - 0.7)),
        ({}, "alpha", "form of completion model", "another's", log(0.1)),
        ({}, "beta", "form of completion model", None, 0.0),
        # what is nearly always there, and is not
        ({}, "alpha", "alpha_tag", "not seen", log(0.2 / 0.9)),
        ({}, "alpha", "usage.alpha_price", None, 0.0),
        ({}, "gamma", "gamma_route", "not seen", log(0.2 / 0.9)),
        ({"usage": ...}, "alpha", "usage.alpha_units", None, 0.0),
        ({}, "beta", "beta_stats", None, 0.0),
    ],
)  # fmt: skip
def test_an_observation_weighs_how_much_likelier_a_dialect_makes_it_than_anybody(
    members: dict[str, Any], slug: str, what: str, how: str | None, weight: float
) -> None:
    evidence = [one for one in attribution(completion(**members)).evidence(slug) if one.what.endswith(what)
                or one.what.endswith(f"{what} absent")]  # fmt: skip
    if how is None:
        assert evidence == []
        return
    [one] = evidence
    assert (one.how, one.weight) == (how, pytest.approx(weight))


def test_few_counts_are_drawn_to_a_quarter_and_to_the_background_where_it_is_higher() -> None:
    [tag] = [
        one for one in attribution(completion(alpha_tag="t")).evidence("alpha") if one.what.endswith("alpha_tag")
    ]  # fmt: skip
    assert tag.weight == pytest.approx(log((18.5 / 22) / background(18.5 / 22, 90.5 / 102)))


def score(candidate: str, found: Attribution) -> float:
    """Return the score of a dialect, computed from its confidence and that of the stranger, whose score is known."""
    [confidence] = [one.confidence for one in found.candidates if one.slug == candidate]
    return 1.7 + log(confidence / found.stranger)


def test_of_a_group_of_observations_the_strongest_counts_and_three_tenths_of_the_others() -> None:
    found = attribution(completion(id=..., model=..., usage=..., alpha_tag="t", gamma_route="r"))
    weights = {one.what: one.weight for one in found.evidence("gamma")}
    missing = [weights[f"missing-property at completion {name}"] for name in ("id", "model")]
    documented = [weight for what, weight in weights.items() if what.startswith("documented")]
    assert not documented
    for_it = weights["unknown-property at completion gamma_route"] + 0.3 * 0.5
    # id and model are places of fingerprints, and so groups of their own
    assert score("gamma", found) == pytest.approx(for_it + sum(missing))


def test_what_a_group_says_against_a_dialect_has_a_floor() -> None:
    found = attribution(completion(warp=1, weft=2, loom=3, shuttle=4, yarn=5, heddle=6))
    against = [one.weight for one in found.evidence("gamma")]
    assert sum(against) < 0.3 * sum(against) < -5 + 0.7 * 2
    assert score("gamma", found) == pytest.approx(-5)


def test_a_host_speaks_for_its_owner_and_what_tells_nobody_apart_for_the_reference() -> None:
    plain = attribution(completion())
    hosted = attribution(completion(), "api.alpha.example")
    assert score("alpha", hosted) == pytest.approx(score("alpha", plain) + 5)
    assert score("reference", plain) == pytest.approx(2.5)
    assert score("delta", plain) == pytest.approx(0)
    assert plain.speaks == "undetermined"
    assert plain.nearest.slug == "reference"


def test_confidences_are_shares_of_all_candidates_and_the_stranger() -> None:
    found = attribution(completion(alpha_tag="t", more_usage={"alpha_units": 1}))
    assert sum(one.confidence for one in found.candidates) + found.stranger == pytest.approx(1)
    weights = {one.what: one.weight for one in found.evidence("alpha")}
    usage, tag = (weights[f"unknown-property at completion {at}"] for at in ("usage.alpha_units", "alpha_tag"))
    others_forms = weights["form of completion id"], weights["form of completion model"]
    together = usage + tag + sum(others_forms)
    # the stranger alone, and in front of alpha, which has marks in two groups
    alone, behind = exp(1.7), exp(together - STRANGERS_CHAIN)
    assert exp(score("alpha", found) - 1.7) == pytest.approx(exp(together) / (alone + behind))


def test_a_child_without_an_observation_of_its_own_is_tied_with_its_parent_and_the_parent_is_named() -> None:
    found = attribution(completion(id=UUID, beta_stats={}, common_tag="c"))
    assert [one.same_as for one in found.candidates if one.slug == "child"] == ["beta"]
    assert found.nearest.slug == "beta"
    assert found.tied == ("beta", "child")


def test_a_finding_on_a_request_says_nothing() -> None:
    def of(**record: Any) -> Attribution | None:
        return SPEAKER.explain(examined(completion(), **record)).attribution

    request = {"model": "m", "messages": [{"role": "user", "content": "Hi"}]}
    assert of(request=request | {"alpha_tag": "t", "warp": 1}) == of(request=request)


def test_an_observation_in_many_chunks_counts_once() -> None:
    def chunk(content: str) -> dict[str, Any]:
        delta = {"role": "assistant", "content": content}
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": None}
        return {"id": "x", "object": "chat.completion.chunk", "created": 1760000000, "model": "m", "alpha_tag": "t",
                "choices": [choice]}  # fmt: skip

    few = attribution([chunk(str(number)) for number in range(3)])
    many = attribution([chunk(str(number)) for number in range(300)])
    assert few == many


def test_what_is_in_one_object_is_one_group_and_so_are_deltas_and_messages_and_all_of_the_usage() -> None:
    weights = Weights(WORLD, PayloadFeatures(WORLD))

    def group(path: str) -> str:
        return weights.observation(Observation("unknown-property", "chunk", path, ())).group

    assert group("usage.details.warp") == group("usage.weft")
    assert group("choices[].delta.warp") == group("choices[].message.weft") != group("choices[].warp")
    assert group("warp") == group("weft") != group("id")


def test_a_property_can_be_a_mark_of_a_dialect_and_the_breaking_of_a_rule_cannot() -> None:
    offender = frequent_offender()
    world = [*WORLD, offender]
    weights = Weights(world, PayloadFeatures(world))
    [deviation], [behaviour] = offender.deviations, offender.behaviours

    tag = weights.observation(Observation("unknown-property", "completion", "rho_tag", ((offender, deviation),)))
    broken = Observation(behaviour.rule, "completion", "choices[].finish_reason", ((offender, behaviour),))
    rule = weights.observation(broken)
    assert tag.weights[-1] == rule.weights[-1] > log(8)
    assert (tag.marks, tag.own) == ((len(WORLD),), (len(WORLD),))
    assert (rule.marks, rule.own) == ((), (len(WORLD),))
