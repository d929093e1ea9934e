"""Test facts that hold since or until a date: they count by the time of the answer, and still explain findings."""

from __future__ import annotations

import datetime
import json
from math import log
from typing import Any

import pytest
from dialect_examples import UUID, completion, examined
from hypothesis import given
from hypothesis import strategies as st
from reading import exchange_in

from isogloss import schemas
from isogloss.validator.dialects.attribution import Attribution
from isogloss.validator.dialects.dates import first_moment, first_moment_after
from isogloss.validator.dialects.eras import Eras, moment_of
from isogloss.validator.dialects.explainers import AutoExplainer
from isogloss.validator.dialects.model import Deviation, Dialect, dialects
from isogloss.validator.dialects.payload_features import PayloadFeatures
from isogloss.validator.dialects.payloads import payloads_of
from isogloss.validator.dialects.weights import Observation, Weights

ANSWERS = {"in": ["completion", "chunk"], "source": "known"}

FEATURES = PayloadFeatures(dialects())
WEIGHTS = Weights(list(dialects()), FEATURES)
NUMBERED_FORMS = [
    ((kind, fingerprint.at), FEATURES.numbers[fingerprint])
    for dialect in dialects()
    for fingerprint in dialect.fingerprints
    if fingerprint.decides and (fingerprint.since or fingerprint.until)
    for kind in fingerprint.kinds
]
DATED = [(dialect, fact) for dialect in dialects() for fact in dialect.deviations if fact.since or fact.until]


def seconds(date: str) -> int:
    """Return the beginning of a day (UTC) in seconds since 1970."""
    return int(datetime.datetime.fromisoformat(date).replace(tzinfo=datetime.UTC).timestamp())


def dialect_of_era(**era: str) -> Dialect:
    """Return a dialect with one deviation, which holds only in the given era, if there is one."""
    return dialect_with(
        deviations=[{**ANSWERS, "at": "usage.mu_price", "schema": {"type": "number"}, "seen": [50, 50], **era}]
    )


def dialect_with(**facts: list[dict[str, Any]]) -> Dialect:
    """Return a dialect with these facts."""
    known = {"known": {"where": "invented", "date": "2026", "confidence": "recorded"}}
    return Dialect(
        schemas.inherit(
            {"slug": "mu", "name": "Mu", "kind": "vendor", "summary": ".", "sources": known, **facts},
            {},
        )
    )


def attribution(dialect: Dialect, day: str, **properties: Any) -> Attribution:
    """Return the attribution of an answer of that day, among this dialect and those that come with isogloss."""
    explained = AutoExplainer([dialect, *dialects()]).explain(examined(completion(created=seconds(day), **properties)))
    assert explained.attribution is not None
    return explained.attribution


def weights(dialect: Dialect, day: str, **properties: Any) -> dict[str, float]:
    """Return the weights of the evidence that the dialect's own property gives for and against it."""
    return {
        evidence.how: evidence.weight
        for evidence in attribution(dialect, day, **properties).evidence("mu")
        if "mu_" in evidence.what
    }


@pytest.mark.parametrize(
    ("era", "day", "inside"),
    [
        ({}, "2025-06-15", True),
        ({"since": "2025-06"}, "2025-06-15", True),
        ({"since": "2025-06"}, "2025-05-31", False),
        ({"since": "2025-06-15"}, "2025-06-15", True),
        ({"until": "2025-06"}, "2025-06-30", True),
        ({"until": "2025-06"}, "2025-07-01", False),
        ({"until": "2025"}, "2025-12-31", True),
        ({"until": "2025"}, "2026-01-01", False),
        ({"since": "2025-02", "until": "2025-03"}, "2025-03-31", True),
        ({"version": "before 0.6"}, "2025-06-15", True),
    ],
)
def test_fact_weighs_much_in_its_era_and_little_outside(era: dict[str, str], day: str, inside: bool) -> None:
    weight = weights(dialect_of_era(**era), day, more_usage={"mu_price": 0.5})["known"]
    assert weight > 2.5 if inside else weight == 0.5


def test_missing_fact_is_evidence_only_in_its_era() -> None:
    assert "not seen" in weights(dialect_of_era(since="2025-06"), "2025-06-15")
    assert "not seen" not in weights(dialect_of_era(since="2025-06"), "2025-05-15")
    assert "not seen" not in weights(dialect_of_era(until="2025-04"), "2025-05-15")


@pytest.mark.parametrize(
    ("id_", "day", "is_missed"),
    [("new-1", "2025-06-15", False), ("new-1", "2025-05-15", True), ("x-1", "2025-06-15", True)],
)
def test_form_that_ends_is_not_missed_where_the_form_that_follows_is_there(id_: str, day: str, is_missed: bool) -> None:
    """Months are all that is known of when a form changed: in that month, an answer shows one form or the other."""
    old = {**ANSWERS, "at": "id", "schema": {"pattern": "^old-"}, "seen": [50, 50], "until": "2025-06"}
    new = {**ANSWERS, "at": "id", "schema": {"pattern": "^new-"}, "since": "2025-06"}
    mu = dialect_with(deviations=[old], fingerprints=[new])
    missed = [one for one in attribution(mu, day, id=id_).evidence("mu") if one.how == "not seen"]
    assert bool(missed) == is_missed


@pytest.mark.parametrize(
    ("day", "weight"),
    [("2025-01-15", log(1 - 80.5 / 102)), ("2025-06-15", log(1 - 10.5 / 102)), ("2025-05-31", log(1 - 80.5 / 102))],
)
def test_another_form_is_as_unlikely_as_the_forms_of_that_time_are_usual(day: str, weight: float) -> None:
    def form(pattern: str, shown: int, **era: str) -> dict[str, Any]:
        return {**ANSWERS, "at": "id", "schema": {"pattern": pattern}, "seen": [shown, 100], **era}

    dialect = dialect_with(fingerprints=[form("^old-", 80, until="2025-05"), form("^new-", 10, since="2025-06")])
    evidence = {one.what: one for one in attribution(dialect, day, id="else-1").evidence("mu")}["form of completion id"]
    assert (evidence.how, evidence.weight) == ("another's", pytest.approx(weight))


def test_form_of_a_value_counts_by_the_fact_that_holds_at_that_time() -> None:
    """An old form that was more usual, and that the value has as well, would weigh little now."""
    ids = {**ANSWERS, "at": "id"}
    old = {**ids, "schema": {"pattern": "^mu-"}, "until": "2024", "seen": [100, 100]}
    new = {**ids, "schema": {"pattern": "^mu-[0-9]+$"}, "since": "2025", "seen": [60, 100]}
    dialect = dialect_with(fingerprints=[old, new])
    evidence = {one.what: one for one in attribution(dialect, "2025-06-15", id="mu-1").evidence("mu")}
    assert evidence["form of completion id"].weight > 1


@pytest.mark.parametrize("created", [0, 1760000000000, -1, "2025", None, 123456789])
def test_answer_without_a_usable_time_may_be_of_any_era(created: object) -> None:
    explained = AutoExplainer([dialect_of_era(until="2024"), *dialects()]).explain(
        examined(completion(created=created, more_usage={"mu_price": 0.5}))
    )
    assert explained.attribution is not None
    [weight] = [evidence.weight for evidence in explained.attribution.evidence("mu") if "mu_price" in evidence.what]
    assert weight > 2.5


def test_fact_explains_findings_outside_its_era() -> None:
    """Check that a fact explains findings outside its era, too: old versions of servers run for years."""
    explained = AutoExplainer(dialects()).explain(
        examined(
            completion(
                id=f"chat-{UUID.replace('-', '')}",
                created=seconds("2026-06-01"),
                choice={"stop_reason": None},
                prompt_logprobs=None,
                kv_transfer_params=None,
            )
        )
    )
    assert explained.speaks == "vllm"
    slugs_by_pointer = {
        rule_hit.hit.pointer: slugs for rule_hit, slugs in zip(explained.hits, explained.explained_by, strict=True)
    }
    assert slugs_by_pointer[("id",)] == ("vllm",)


def test_time_of_the_recording_counts_if_the_answer_has_none() -> None:
    entry = {
        "startedDateTime": "2025-06-15T10:00:00.000Z",
        "request": {"method": "POST", "url": "https://api.example.com/v1/chat/completions", "headers": []},
        "response": {
            "status": 200,
            "headers": [],
            "content": {"mimeType": "application/json", "text": json.dumps(completion(created=0))},
        },
    }
    data = json.dumps({"log": {"version": "1.2", "entries": [entry]}}).encode()
    exchange = exchange_in(data, "a.har")
    assert moment_of(payloads_of(exchange), exchange.recorded) == seconds("2025-06-15") + 10 * 3600


@given(
    st.dates(datetime.date(2001, 1, 1), datetime.date(2099, 12, 30)),
    st.sampled_from(["%Y", "%Y-%m", "%Y-%m-%d"]),
)
def test_noon_of_a_day_is_within_its_year_month_and_day(day: datetime.date, form: str) -> None:
    date = day.strftime(form)
    noon = datetime.datetime(day.year, day.month, day.day, 12, tzinfo=datetime.UTC).timestamp()
    assert first_moment(date) <= noon < first_moment_after(date)


MOMENTS = st.floats(1.6e9, 2e9)


@given(MOMENTS)
def test_facts_that_hold_at_a_moment_hold_in_its_era(moment: float) -> None:
    facts = [fact for dialect in dialects() for fact in dialect.facts]
    era = Eras(facts).era(moment)
    assert [fact.holds(era) for fact in facts] == [fact.holds(moment) for fact in facts]


@given(MOMENTS)
def test_a_form_weighs_in_the_era_of_its_path_as_at_the_moment(moment: float) -> None:
    for kind_path, number in NUMBERED_FORMS:
        era = WEIGHTS.claims.era(kind_path, moment)
        in_era = WEIGHTS.form(kind_path, frozenset([number]), era)
        at_moment = WEIGHTS.form(kind_path, frozenset([number]), moment)
        assert (in_era.weights, in_era.not_missed) == (at_moment.weights, at_moment.not_missed)


@given(st.sampled_from(DATED), MOMENTS)
def test_a_finding_weighs_in_its_era_as_at_the_moment(known: tuple[Dialect, Deviation], moment: float) -> None:
    observation = Observation("unknown-property", "chunk", known[1].at, (known,))
    in_era = WEIGHTS.observation(observation, WEIGHTS.era_of_observation(observation, moment))
    assert in_era.weights == WEIGHTS.observation(observation, moment).weights
