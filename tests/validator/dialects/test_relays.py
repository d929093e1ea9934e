"""What the files of gateways say they relay."""

from __future__ import annotations

import pytest

from isogloss.validator.dialects.model import Behaviour, Dialect, Fact, dialects

GATEWAYS = [one for one in dialects() if one.data.get("relays")]


def _facts(dialect: Dialect) -> list[Fact]:
    return [*dialect.deviations, *dialect.behaviours, *dialect.fingerprints]


@pytest.mark.parametrize("dialect", GATEWAYS, ids=lambda one: one.slug)
def test_only_gateways_relay_and_every_place_and_rule_is_that_of_a_fact(dialect: Dialect) -> None:
    assert dialect.kind == "gateway"
    names = {one.at for one in _facts(dialect)} | {one.rule for one in _facts(dialect) if isinstance(one, Behaviour)}
    assert set(dialect.data["relays"]) <= names


@pytest.mark.parametrize("dialect", GATEWAYS, ids=lambda one: one.slug)
def test_facts_at_these_places_and_of_these_rules_are_relayed_and_no_others(dialect: Dialect) -> None:
    relays = set(dialect.data["relays"])
    for one in _facts(dialect):
        assert one.relayed == (one.at in relays or (isinstance(one, Behaviour) and one.rule in relays))
