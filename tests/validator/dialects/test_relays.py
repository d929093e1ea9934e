"""Test the data of gateways: which dialects they relay, and which of their facts are passed on."""

from __future__ import annotations

import pytest

from isogloss.validator.dialects.model import Behaviour, Dialect, Fact, dialects

UNKNOWN_RELAYED = {"heroku", "azure-own-data"}
"""A gateway for which no source says which dialects it relays, and a service in front of its own parent."""
GATEWAYS = [dialect for dialect in dialects() if dialect.data.get("passes_on")]


def _facts(dialect: Dialect) -> list[Fact]:
    return [*dialect.deviations, *dialect.behaviours, *dialect.fingerprints]


@pytest.mark.parametrize("dialect", GATEWAYS, ids=lambda gateway: gateway.slug)
def test_only_relaying_dialects_pass_on_facts_and_each_entry_names_a_fact(dialect: Dialect) -> None:
    assert dialect.relays or dialect.slug in UNKNOWN_RELAYED
    names = {fact.at for fact in _facts(dialect)} | {
        fact.rule for fact in _facts(dialect) if isinstance(fact, Behaviour)
    }
    assert set(dialect.data["passes_on"]) <= names


@pytest.mark.parametrize("dialect", GATEWAYS, ids=lambda gateway: gateway.slug)
def test_exactly_the_listed_facts_are_passed_on(dialect: Dialect) -> None:
    listed = set(dialect.data["passes_on"])
    for fact in _facts(dialect):
        assert fact.passed_on == (fact.at in listed or (isinstance(fact, Behaviour) and fact.rule in listed))
