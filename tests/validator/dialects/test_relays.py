"""What the files of gateways say they relay, and which of their facts are passed on."""

from __future__ import annotations

import pytest

from isogloss.validator.dialects.model import Behaviour, Dialect, Fact, dialects

NOT_KNOWN_WHOM = {"heroku"}
"""Gateways with no source about whom they relay."""
GATEWAYS = [one for one in dialects() if one.data.get("passes_on")]


def _facts(dialect: Dialect) -> list[Fact]:
    return [*dialect.deviations, *dialect.behaviours, *dialect.fingerprints]


@pytest.mark.parametrize("dialect", GATEWAYS, ids=lambda one: one.slug)
def test_only_who_relays_passes_on_facts_and_every_place_and_rule_is_that_of_a_fact(dialect: Dialect) -> None:
    assert dialect.relays or dialect.slug in NOT_KNOWN_WHOM
    names = {one.at for one in _facts(dialect)} | {one.rule for one in _facts(dialect) if isinstance(one, Behaviour)}
    assert set(dialect.data["passes_on"]) <= names


@pytest.mark.parametrize("dialect", GATEWAYS, ids=lambda one: one.slug)
def test_facts_at_these_places_and_of_these_rules_are_passed_on_and_no_others(dialect: Dialect) -> None:
    listed = set(dialect.data["passes_on"])
    for one in _facts(dialect):
        assert one.passed_on == (one.at in listed or (isinstance(one, Behaviour) and one.rule in listed))
