"""Test each term of the formula of attribution, with invented dialects for which it can be computed by hand.

The dialects form 32 families; a child belongs to the family of its parent.
"""

from __future__ import annotations

import copy
from math import exp, log
from typing import Any

import pytest
from dialect_examples import (
    UUID,
    completion,
    counted_deviation,
    dialect_that_breaks_a_rule,
    dialect_with_an_unverified_form_of_ids,
    dialect_with_deviations,
    examined,
    invented_dialect,
    invented_dialects,
)

from isogloss.validator.dialects.attribution import Attribution
from isogloss.validator.dialects.chains import STRANGERS_CHAIN
from isogloss.validator.dialects.explainers import AutoExplainer
from isogloss.validator.dialects.payload_features import PayloadFeatures
from isogloss.validator.dialects.weights import Observation, Weights

DIALECTS = invented_dialects()
EXPLAINER = AutoExplainer(DIALECTS)
FAMILIES = 32


def attribution(payload: object, host: str | None = None, explainer: AutoExplainer = EXPLAINER) -> Attribution:
    """Return the attribution of an answer."""
    result = explainer.explain(examined(payload, host)).attribution
    assert result is not None
    return result


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
    ("properties", "slug", "what", "how", "weight"),
    [
        # a fact of the dialect, compared with how often any speaker shows it
        ({"more_usage": {"alpha_price": 0.5}}, "alpha", "usage.alpha_price", "known", log((10.5 / 22) / RARE)),
        ({"gamma_route": "r"}, "gamma", "gamma_route", "known", log((100.5 / 102) / background(100.5 / 102))),
        # the rate of a fact depends on its source; what nobody counted weighs at most 2.5, nothing less than -3
        ({"beta_stats": {}}, "beta", "beta_stats", "known", 2.5),
        ({"delta_note": "n"}, "delta", "delta_note", "known", 2.5),
        ({"sigma_shape": "s"}, "sigma", "sigma_shape", "known", 2.5),
        ({"common_tag": "c"}, "beta", "common_tag", "known", log(0.7 / COMMON)),
        ({"common_tag": "c"}, "theta", "common_tag", "known", log(0.7 / COMMON)),
        ({"common_tag": "c"}, "delta", "common_tag", "known", log(0.35 / COMMON)),
        ({"common_tag": "c"}, "eta", "common_tag", "known", log(0.35 / COMMON)),
        ({"common_tag": "c"}, "zeta", "common_tag", "known", log(0.25 / COMMON)),
        ({"common_tag": "c"}, "sigma", "common_tag", "known", log(0.9 / COMMON)),
        ({"common_tag": "c"}, "epsilon", "common_tag", "known", -3.0),
        # small limits: a missing property, a fact that a gateway passes on, a common form, the form of the model
        ({"message": {"refusal": ...}}, "alpha", "message.refusal", "known", 1.5),
        ({"alpha_tag": "t"}, "gamma", "alpha_tag", "passed on", 0.5),
        ({"id": UUID}, "beta", "form of completion id", "known", 1.2),
        ({"model": "alpha-1"}, "alpha", "form of completion model", "known", 2.0),
        ({"id": "first-1"}, "alpha", "form of completion id", "known", log(20.5 / 22 / ALPHA)),
        # a property that no dialect is known for: the better a dialect is known, the less it is expected
        ({"warp": 1}, "alpha", "warp", "unexplained", log(1 / 24 / 0.4)),
        ({"warp": 1}, "beta", "warp", "unexplained", log(1 / 154 / 0.4)),
        ({"warp": 1}, "delta", "warp", "unexplained", log(1 / 12 / 0.4)),
        ({"warp": 1}, "epsilon", "warp", "unexplained", log(0.004 / 0.4)),
        ({"warp": 1}, "gamma", "warp", "unexplained", log(0.05 / 0.4)),
        # and still less, if most others have it
        ({"common_tag": "c"}, "alpha", "common_tag", "unexplained", log(1 / 24 / COMMON)),
        # the form of another dialect's id or model; the form of the model says nothing against a server
        ({"id": UUID}, "alpha", "form of completion id", "another's", log(0.1)),
        ({"id": "first-1"}, "beta", "form of completion id", "another's", log(1 - 0.7)),
        ({}, "alpha", "form of completion model", "another's", log(0.1)),
        ({}, "beta", "form of completion model", None, 0.0),
        # a fact is missing: this is evidence only if it is nearly always shown, and its object exists
        ({}, "alpha", "alpha_tag", "not seen", log(0.2 / 0.9)),
        ({}, "alpha", "usage.alpha_price", None, 0.0),
        ({}, "gamma", "gamma_route", "not seen", log(0.2 / 0.9)),
        ({"usage": ...}, "alpha", "usage.alpha_units", None, 0.0),
        ({}, "beta", "beta_stats", None, 0.0),
    ],
)  # fmt: skip
def test_weight_of_an_observation_compares_the_dialect_with_any_speaker(
    properties: dict[str, Any], slug: str, what: str, how: str | None, weight: float
) -> None:
    evidence = [item for item in attribution(completion(**properties)).evidence(slug) if item.what.endswith(what)
                or item.what.endswith(f"{what} absent")]  # fmt: skip
    if how is None:
        assert evidence == []
        return
    [item] = evidence
    assert (item.how, item.weight) == (how, pytest.approx(weight))


@pytest.mark.parametrize(
    ("deviation", "properties", "weight"),
    [
        ({"at": "id", "schema": {"const": ""}}, {"id": ""}, 2.0),
        ({"at": "choices[].finish_reason", "schema": {"pattern": "^$"}}, {"choice": {"finish_reason": ""}}, 2.0),
        ({"at": "created", "schema": {"type": "number"}}, {"created": 1760000000.5}, 1.5),
        ({"at": "created", "schema": {"type": "string"}}, {"created": "1760000000"}, 1.5),
        # what other APIs have as the name of an object
        ({"at": "object", "schema": {"const": "text_completion"}}, {"object": "text_completion"}, 1.2),
        # a value that could be nothing but this one weighs without a limit
        ({"at": "choices[].finish_reason", "schema": {"const": "eos"}}, {"choice": {"finish_reason": "eos"}}, 3.22),
    ],
)  # fmt: skip
def test_empty_string_and_wrong_type_weigh_little_however_often_a_dialect_shows_them(
    deviation: dict[str, Any], properties: dict[str, Any], weight: float
) -> None:
    explainer = AutoExplainer([*DIALECTS, dialect_with_deviations(deviation)])
    found = attribution(completion(**properties), explainer=explainer).evidence("upsilon")
    assert max(one.weight for one in found) == pytest.approx(weight, abs=0.05)


def uncounted(**fact: Any) -> dict[str, Any]:
    """Return a deviation that nobody counted: a string at `mu_tag`, unless another value is given."""
    return {"in": ["completion", "chunk"], "at": "mu_tag", "schema": {"type": "string"}, **fact}


@pytest.mark.parametrize(
    ("deviation", "others", "weight"),
    [
        (uncounted(), 0, 2.5),
        (uncounted(seen=[2, 4]), 0, 2.5),  # what was seen once or twice may be an exception
        (uncounted(seen=[3, 3]), 0, log((3.5 / 5) / background(3.5 / 5))),
        # three others show it, too: an unknown speaker may do so as well
        (uncounted(), 2, log(0.7 / background(0.7, 0.7, 0.7))),
        (uncounted(), 3, 1.5),
        (uncounted(seen=[3, 3]), 3, log((3.5 / 5) / background(3.5 / 5, 0.7, 0.7, 0.7))),
        # it holds the name of the dialect
        (uncounted(schema={"const": "the mu"}), 0, log(0.7 / background(0.7))),
    ],
)  # fmt: skip
def test_value_weighs_little_if_nobody_counted_it_and_less_if_several_families_have_it(
    deviation: dict[str, Any], others: int, weight: float
) -> None:
    names = [f"nu-{number}" for number in range(others)]
    dialects = [invented_dialect(name, deviations=[uncounted()]) for name in names]
    dialects += [invented_dialect(f"{name}-service", [parent]) for name, parent in zip(names, dialects, strict=True)]
    blank = [one for one in DIALECTS if one.slug.startswith("other-")][: others + 1]  # so that there are 32 families
    known = [one for one in DIALECTS if one not in blank]
    explainer = AutoExplainer([*known, invented_dialect("mu", deviations=[deviation]), *dialects])
    [item] = [
        one
        for one in attribution(completion(mu_tag="the mu"), explainer=explainer).evidence("mu")
        if one.what.endswith("mu_tag")
    ]
    assert item.weight == pytest.approx(weight)


@pytest.mark.parametrize(
    ("deviation", "properties", "weight"),
    [
        ({"at": "usage.cache_creation", "schema": {"type": "object"}, "seen": None},
         {"more_usage": {"cache_creation": {}}}, 1.2),
        ({"at": "usage.cache_creation", "schema": {"type": "object"}}, {"more_usage": {"cache_creation": {}}}, 3.22),
        ({"at": "choices[].message.name", "schema": {"type": "null"}, "seen": None}, {"message": {"name": None}}, 1.2),
        ({"at": "choices[].message.name", "schema": {"type": "string"}, "seen": None}, {"message": {"name": "x"}}, 2.5),
    ],
)  # fmt: skip
def test_name_of_another_api_weighs_like_a_common_form_if_nobody_counted_it(
    deviation: dict[str, Any], properties: dict[str, Any], weight: float
) -> None:
    explainer = AutoExplainer([*DIALECTS, dialect_with_deviations(deviation)])
    found = attribution(completion(**copy.deepcopy(properties)), explainer=explainer).evidence("upsilon")
    assert max(one.weight for one in found) == pytest.approx(weight, abs=0.05)


def test_null_that_breaks_a_rule_weighs_like_any_fault() -> None:
    """The rule about a missing role replaces the finding of the schema: it is the same null."""
    roles = {"at": "choices[].delta.role", "schema": {"type": "null"}}
    explainer = AutoExplainer([*DIALECTS, dialect_with_deviations(roles)])
    deltas: tuple[dict[str, Any], ...] = ({"role": None, "content": "Ho"}, {"role": None, "content": "ho"})
    chunks = [
        {"id": "x", "object": "chat.completion.chunk", "created": 1760000000, "model": "m",
         "choices": [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": None}]}
        for delta in deltas
    ]  # fmt: skip
    found = {
        one.what.partition(" ")[0]: one.weight for one in attribution(chunks, explainer=explainer).evidence("upsilon")
    }
    assert (found["role-missing"], found["null-value"]) == (1.5, 1.5)


def test_null_as_the_form_of_a_value_weighs_like_any_fault() -> None:
    forms = {"upsilon": {"type": "null"}, **{f"other-{number}": {"const": f"fp-{number}"} for number in range(20)}}
    dialects = [
        invented_dialect(
            slug,
            fingerprints=[{"in": ["completion"], "at": "system_fingerprint", "schema": schema, "seen": [1000, 1000]}],
        )
        for slug, schema in forms.items()
    ]
    found = attribution(completion(system_fingerprint=None), explainer=AutoExplainer(dialects))
    assert [item.weight for item in found.evidence("upsilon")] == [1.5]


def test_fact_that_a_gateway_passes_on_is_never_against_it() -> None:
    gateway = invented_dialect(
        "lambda", kind="gateway", passes_on=["common_tag"], deviations=[counted_deviation("common_tag", 1, 1000)]
    )
    found = attribution(completion(common_tag="c"), explainer=AutoExplainer([*DIALECTS, gateway]))
    [item] = [one for one in found.evidence("lambda") if one.what.endswith("common_tag")]
    assert (item.how, item.weight) == ("passed on", 0.0)


def test_another_form_of_what_a_gateway_passes_on_is_not_against_it() -> None:
    ids = {"in": ["completion"], "at": "id", "schema": {"pattern": "^nu-"}, "seen": [20, 20]}
    for passes_on, relations in ([], ["another's"]), (["id"], []):
        gateway = invented_dialect("nu", kind="gateway", passes_on=passes_on, fingerprints=[ids])
        found = attribution(completion(id="other-1"), explainer=AutoExplainer([*DIALECTS, gateway]))
        assert [one.how for one in found.evidence("nu") if one.what == "form of completion id"] == relations


@pytest.mark.parametrize(
    ("pattern", "slug", "how"),
    [
        ("^fp_lambda$", "lambda", "known"),
        ("^fp_lambda$", "other-1", "another's"),  # without a known form of this property
        ("^fp_lambda$", "gamma", None),  # a gateway, which may relay the speaker
        ("^fp_lambda$", "sigma", None),  # a vendor, which relays others, too
        ("^fp_l", "other-1", None),  # no name: anybody may have it
    ],
)
def test_value_with_the_name_of_its_speaker_is_evidence_against_all_who_relay_no_other(
    pattern: str, slug: str, how: str | None
) -> None:
    marked = {"in": ["completion"], "at": "system_fingerprint", "schema": {"pattern": pattern}}
    speaker, relaying = invented_dialect("lambda", fingerprints=[marked]), invented_dialect("sigma", relays="any")
    explainer = AutoExplainer([*DIALECTS, speaker, relaying])
    found = attribution(completion(system_fingerprint="fp_lambda"), explainer=explainer)
    weights = {one.how: one.weight for one in found.evidence(slug) if one.what.endswith("system_fingerprint")}
    assert [*weights] == ([how] if how else [])
    assert how != "another's" or weights[how] == pytest.approx(log(0.1))


def test_fact_that_nobody_could_verify_is_not_missed() -> None:
    omega = invented_dialect("omega", confidence="unverified", deviations=[counted_deviation("omega_tag", 20, 20)])
    found = attribution(completion(), explainer=AutoExplainer([*DIALECTS, omega]))
    assert not [one for one in found.evidence("omega") if one.what.endswith("omega_tag")]


def test_a_form_of_a_value_does_not_hide_that_it_was_expected_to_be_absent() -> None:
    ids: dict[str, Any] = {"in": ["completion"], "at": "id", "seen": [90, 100]}
    mu = invented_dialect(
        "mu", deviations=[{**ids, "absent": True}], fingerprints=[{**ids, "schema": {"pattern": "^mu-"}}]
    )
    found = attribution(completion(id="mu-1"), explainer=AutoExplainer([*DIALECTS, mu])).evidence("mu")
    assert "completion id absent" in [one.what for one in found if one.how == "not seen"]


def test_rate_of_few_counts_is_drawn_to_a_quarter() -> None:
    [tag] = [
        item for item in attribution(completion(alpha_tag="t")).evidence("alpha") if item.what.endswith("alpha_tag")
    ]  # fmt: skip
    assert tag.weight == pytest.approx(log((18.5 / 22) / background(18.5 / 22, 90.5 / 102)))


def score(slug: str, attributed: Attribution) -> float:
    """Return the score of a dialect, computed from its confidence and that of the stranger, whose score is known."""
    [confidence] = [candidate.confidence for candidate in attributed.candidates if candidate.slug == slug]
    return 1.7 + log(confidence / attributed.stranger)


def test_strongest_weight_of_a_group_counts_in_full_and_the_others_by_three_tenths() -> None:
    found = attribution(completion(id=..., model=..., usage=..., alpha_tag="t", gamma_route="r"))
    weights = {item.what: item.weight for item in found.evidence("gamma")}
    missing = [weights[f"missing-property at completion {name}"] for name in ("id", "model")]
    documented = [weight for what, weight in weights.items() if what.startswith("documented")]
    assert not documented
    known = weights["unknown-property at completion gamma_route"] + 0.3 * 0.5
    # what is missing belongs to the group of its object
    assert score("gamma", found) == pytest.approx(known + max(missing) + 0.3 * min(missing))


def test_value_with_fingerprints_is_a_group_of_its_own() -> None:
    found = attribution(completion(id=UUID, beta_stats={}, usage=...))
    for_and_against = [item.weight for item in found.evidence("beta")]
    assert [weight > 0 for weight in for_and_against] == [False, True, True]
    assert score("beta", found) == pytest.approx(sum(for_and_against))


def test_weights_of_a_group_against_a_dialect_have_a_lower_limit() -> None:
    found = attribution(completion(warp=1, weft=2, loom=3, shuttle=4, yarn=5, heddle=6))
    against = [item.weight for item in found.evidence("gamma") if item.how != "not seen"]
    assert sum(against) < 0.3 * sum(against) < -5 + 0.7 * 2
    strongest, weaker = sorted(_missed(found, "gamma"))
    assert score("gamma", found) == pytest.approx(-5 + strongest + 0.3 * weaker)


def test_all_that_is_not_seen_of_a_dialect_is_one_group() -> None:
    """One setting of a server, or one version of it, leaves out several things, of the answer and of its usage."""
    found = attribution(completion())
    others = [item.weight for item in found.evidence("alpha") if item.how != "not seen"]
    strongest, weaker = sorted(_missed(found, "alpha"))
    assert score("alpha", found) == pytest.approx(sum(others) + strongest + 0.3 * weaker)


def _missed(attributed: Attribution, slug: str) -> list[float]:
    return [item.weight for item in attributed.evidence(slug) if item.how == "not seen"]


def test_host_raises_the_score_of_its_owner_and_a_plain_answer_that_of_the_reference() -> None:
    plain = attribution(completion())
    hosted = attribution(completion(), "api.alpha.example")
    assert score("alpha", hosted) == pytest.approx(score("alpha", plain) + 5)
    assert score("reference", plain) == pytest.approx(2.5)
    assert score("delta", plain) == pytest.approx(0)
    assert plain.speaks == "undetermined"
    assert plain.nearest.slug == "reference"


def test_confidence_is_a_share_among_all_candidates_and_the_stranger() -> None:
    found = attribution(completion(alpha_tag="t", more_usage={"alpha_units": 1}))
    assert sum(candidate.confidence for candidate in found.candidates) + found.stranger == pytest.approx(1)
    weights = {candidate.what: candidate.weight for candidate in found.evidence("alpha")}
    usage, tag = (weights[f"unknown-property at completion {at}"] for at in ("usage.alpha_units", "alpha_tag"))
    others_forms = weights["form of completion id"], weights["form of completion model"]
    together = usage + tag + sum(others_forms)
    # the stranger, alone and in front of alpha: alpha has marks in two groups
    alone, behind = exp(1.7), exp(together - STRANGERS_CHAIN)
    assert exp(score("alpha", found) - 1.7) == pytest.approx(exp(together) / (alone + behind))


def test_stranger_in_front_counts_once_however_many_dialects_may_be_behind_it() -> None:
    twin = AutoExplainer([*DIALECTS, invented_dialect("twin", **_facts_of("alpha"))])
    found = attribution(completion(alpha_tag="t", more_usage={"alpha_units": 1}), explainer=twin)
    weights = sum(one.weight for one in found.evidence("alpha"))
    assert exp(score("alpha", found) - 1.7) == pytest.approx(exp(weights) / (exp(1.7) + exp(weights - STRANGERS_CHAIN)))


def _facts_of(slug: str) -> dict[str, Any]:
    data = next(one.data for one in DIALECTS if one.slug == slug)
    return {name: data[name] for name in ("deviations", "fingerprints", "behaviours")}


def test_child_without_an_observation_of_its_own_is_tied_with_its_parent_which_is_nearest() -> None:
    found = attribution(completion(id=UUID, beta_stats={}, common_tag="c"))
    assert [candidate.same_as for candidate in found.candidates if candidate.slug == "child"] == ["beta"]
    assert found.nearest.slug == "beta"
    assert found.tied == ("beta", "child")


def test_child_is_nearer_than_its_parent_at_its_own_host() -> None:
    beta = next(one for one in DIALECTS if one.slug == "beta")
    explainer = AutoExplainer([*DIALECTS, invented_dialect("service", [beta], hosts=["api.service.example"])])
    answer = completion(id=UUID, beta_stats={}, common_tag="c")
    assert attribution(answer, explainer=explainer).nearest.slug == "beta"
    assert attribution(answer, "api.service.example", explainer).nearest.slug == "service"


def test_finding_on_a_request_is_no_evidence() -> None:
    def attribution_of(**record: Any) -> Attribution | None:
        return EXPLAINER.explain(examined(completion(), **record)).attribution

    request = {"model": "m", "messages": [{"role": "user", "content": "Hi"}]}
    assert attribution_of(request=request | {"alpha_tag": "t", "warp": 1}) == attribution_of(request=request)


def test_an_observation_in_many_chunks_counts_once() -> None:
    def chunk(content: str) -> dict[str, Any]:
        delta = {"role": "assistant", "content": content}
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": None}
        return {"id": "x", "object": "chat.completion.chunk", "created": 1760000000, "model": "m", "alpha_tag": "t",
                "choices": [choice]}  # fmt: skip

    few = attribution([chunk(str(number)) for number in range(3)])
    many = attribution([chunk(str(number)) for number in range(300)])
    assert few == many


def test_one_object_is_one_group_as_are_delta_and_message_and_the_whole_usage() -> None:
    weights = Weights(DIALECTS, PayloadFeatures(DIALECTS))

    def group(path: str) -> str:
        return weights.observation(Observation("unknown-property", "chunk", path, ())).group

    assert group("usage.details.warp") == group("usage.weft")
    assert group("choices[].delta.warp") == group("choices[].message.weft") != group("choices[].warp")
    assert group("warp") == group("weft") != group("id")


def test_empty_strings_in_place_of_values_are_one_group() -> None:
    """A server that writes an empty string for a value that it does not have does so at every path."""
    empty = [{"at": at, "schema": {"const": ""}} for at in ("id", "choices[].finish_reason")]
    explainer = AutoExplainer([*DIALECTS, dialect_with_deviations(*empty)])
    found = attribution(completion(id="", choice={"finish_reason": ""}), explainer=explainer)
    weights = [item.weight for item in found.evidence("upsilon")]
    assert weights == pytest.approx([2.0, 2.0])
    assert score("upsilon", found) == pytest.approx(2.0 + 0.3 * 2.0)


def test_what_fragments_of_calls_repeat_or_leave_out_is_one_group() -> None:
    weights = Weights(DIALECTS, PayloadFeatures(DIALECTS))
    call = "choices[].delta.tool_calls[]"

    def group(rule: str, path: str) -> str:
        return weights.observation(Observation(rule, "chunk", path, ())).group

    repeated = group("tool-call-name-repeated", f"{call}.function.name")
    assert repeated == group("tool-call-type-repeated", f"{call}.type") == group("tool-call-index-missing", call)
    assert repeated != group("unknown-property", f"{call}.function.warp")


def test_property_can_be_a_mark_of_a_dialect_and_a_broken_rule_cannot() -> None:
    offender = dialect_that_breaks_a_rule()
    dialects = [*DIALECTS, offender]
    weights = Weights(dialects, PayloadFeatures(dialects))
    [deviation], [behaviour] = offender.deviations, offender.behaviours

    tag = weights.observation(Observation("unknown-property", "completion", "rho_tag", ((offender, deviation),)))
    broken = Observation(behaviour.rule, "completion", "choices[].finish_reason", ((offender, behaviour),))
    rule = weights.observation(broken)
    assert tag.weights[-1] > log(8) > rule.weights[-1] == 1.5
    assert (tag.marks, tag.own) == ((len(DIALECTS),), (len(DIALECTS),))
    assert (rule.marks, rule.own) == ((), (len(DIALECTS),))


@pytest.mark.parametrize(("others", "is_mark"), [(3, True), (4, False)])
def test_a_mark_is_eight_times_likelier_than_an_unknown_speaker_makes_it(others: int, is_mark: bool) -> None:
    tag = dialect_with_deviations({"at": "upsilon_tag", "schema": {"type": "string"}})
    facts = [counted_deviation("upsilon_tag", 20, 20)]
    dialects = [tag, *(invented_dialect(f"nu-{number}", deviations=facts) for number in range(others)), *DIALECTS]
    explaining = tuple((one, one.deviations[0]) for one in dialects[: others + 1])
    observed = Observation("unknown-property", "completion", "upsilon_tag", explaining)
    weighed = Weights(dialects, PayloadFeatures(dialects)).observation(observed)
    assert (0 in weighed.marks, 0 in weighed.certain) == (is_mark, is_mark)


@pytest.mark.parametrize(
    ("projects", "shown", "missed"),
    [
        (None, log((1000.5 / 1002) / background(1000.5 / 1002)), log(0.2 / 0.9)),
        ([3, 4], log((3.5 / 6) / background(3.5 / 6)), log((1 - 3.5 / 6) / 0.9)),
        ([2, 4], log((2.5 / 6) / background(2.5 / 6)), None),
    ],
)  # fmt: skip
def test_if_projects_differ_each_counts_once_however_many_exchanges_it_recorded(
    projects: list[int] | None, shown: float, missed: float | None
) -> None:
    counted = {} if projects is None else {"projects": projects}
    tag = dialect_with_deviations({"at": "upsilon_tag", "schema": {"type": "string"}, **counted})
    explainer = AutoExplainer([dialect for dialect in DIALECTS if dialect.slug != "iota"] + [tag])

    def weights(**properties: Any) -> list[float]:
        evidence = attribution(completion(**properties), explainer=explainer).evidence("upsilon")
        return [one.weight for one in evidence if one.what.endswith("upsilon_tag")]

    assert weights(upsilon_tag="t") == [pytest.approx(shown)]
    assert weights() == ([] if missed is None else [pytest.approx(missed)])


@pytest.mark.parametrize(
    ("rule", "is_missed"),
    [
        ("finish-reason-repeated", True),
        ("delta-null", True),
        ("stream-created-changed", False),  # a fast stream has one
        ("tool-call-type-repeated", False),
        ("usage-repeated", False),
        ("usage-unasked", False),
    ],
)
def test_a_stream_misses_a_broken_rule_only_if_every_stream_could_break_it(rule: str, is_missed: bool) -> None:
    choice = {"index": 0, "delta": {"role": "assistant", "content": "Ho"}, "logprobs": None, "finish_reason": "stop"}
    chunk = {"id": "x", "object": "chat.completion.chunk", "created": 1760000000, "model": "m", "choices": [choice]}
    rho = AutoExplainer([*DIALECTS, dialect_that_breaks_a_rule(rule)])
    missed = [one.what for one in attribution([chunk], explainer=rho).evidence("rho") if one.how == "not seen"]
    assert any(what.startswith(rule) for what in missed) == is_missed


@pytest.mark.parametrize(("confidence", "families"), [("recorded", 2), ("unverified", 1)])
def test_a_form_in_errors_is_as_common_as_among_the_families_whose_errors_somebody_verified(
    confidence: str, families: int
) -> None:
    in_errors: dict[str, Any] = {"in": ["error"], "at": "error.code", "schema": {"pattern": "^code-"}}
    upsilon = invented_dialect("upsilon", fingerprints=[{**in_errors, "seen": [1000, 1000]}])
    other = invented_dialect("other", confidence=confidence, deviations=[{**in_errors, "at": "error.tag"}])
    dialects = [upsilon, other]
    features = PayloadFeatures(dialects)
    weighed = Weights(dialects, features).form(("error", "error.code"), frozenset(features.numbers.values()))
    assert weighed.weights[0] == pytest.approx(log(1 / form_background(families, 1)), abs=0.01)


@pytest.mark.parametrize("id_", ["omega-1", "first-1"])
def test_a_form_that_nobody_could_verify_is_no_evidence(id_: str) -> None:
    explainer = AutoExplainer([*DIALECTS, dialect_with_an_unverified_form_of_ids()])
    evidence = attribution(completion(id=id_), explainer=explainer).evidence("omega")
    assert not [one for one in evidence if one.what.startswith("form of completion id")]
