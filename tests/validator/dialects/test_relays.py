"""Test the data of gateways: which dialects they relay, and which of their facts are passed on."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from dialect_examples import EXAMINER, KNOWN
from msgspec.structs import replace
from reading import exchanges_in

from isogloss.validator.dialects.explainers import AutoExplainer
from isogloss.validator.dialects.model import Behaviour, Dialect, Fact

FIXTURES = Path(__file__).parents[3] / "fixtures/dialects"
UNKNOWN_RELAYED = {"heroku", "azure-own-data"}
"""A gateway for which no source says which dialects it relays, and a service in front of its own parent."""
WITHOUT_MARKS = {("github-copilot", "anthropic")}
"""A service, and a dialect that it relays and that has too few marks to be known behind it."""
OF_OTHERS = {
    "azure-openai": {"choices[].stop_reason", "usage.audio_prompt_tokens"},
    "uipath": {"usage.cache_creation_input_tokens", "usage.cache_read_input_tokens"},
}
"""What services pass on of models and APIs that have no dialect."""
RELAYED = {
    "azure-openai": ("deepseek", "sglang", "xai"),
    "github-copilot": ("anthropic", "azure-openai", "bedrock", "gemini", "xai"),
    "pollinations": ("azure-openai", "cloudflare"),
    "uipath": ("azure-openai",),
    "venice": ("vllm",),
}
RELAYED_BY_ANY = ("groq", "sglang")
"""Dialects that stand for all others behind a service that relays any."""
GATEWAYS = [dialect for dialect in KNOWN if dialect.data.get("passes_on")]
RELAYING = [dialect for dialect in KNOWN if dialect.relays]


def _facts(dialect: Dialect) -> list[Fact]:
    return [*dialect.deviations, *dialect.behaviours, *dialect.fingerprints]


def _host(dialect: Dialect) -> str:
    return dialect.hosts[0].replace("*", "x") if dialect.hosts else f"{dialect.slug}.example"


@cache
def _explainer() -> AutoExplainer:
    """Return an explainer for which also gateways that anybody can install have a host."""
    installed = {dialect.slug for dialect in RELAYING if not dialect.hosts}
    return AutoExplainer(
        [Dialect(one.data | {"hosts": [_host(one)]}) if one.slug in installed else one for one in KNOWN]
    )


def _speaks_both(front: Dialect, behind: str) -> bool:
    """Return whether a fixture of the dialect behind, at the host of the dialect in front, speaks both dialects."""
    exchanges = (one for path in sorted((FIXTURES / behind).iterdir()) for one in exchanges_in(path) if one.response)
    found = (_explainer().explain(EXAMINER.examine(replace(one, host=_host(front)))).attribution for one in exchanges)
    return any(one is not None and one.chain == (front.slug, behind) for one in found)


@pytest.mark.parametrize("front", RELAYING, ids=lambda front: front.slug)
def test_an_answer_at_the_host_of_a_service_speaks_also_the_dialect_that_the_service_relays(front: Dialect) -> None:
    relayed = RELAYED.get(front.slug, RELAYED_BY_ANY)
    silent = {(front.slug, behind) for behind in relayed if not _speaks_both(front, behind)}
    assert silent == {pair for pair in WITHOUT_MARKS if pair[0] == front.slug}


@pytest.mark.parametrize("front", RELAYING, ids=lambda front: front.slug)
def test_what_a_service_passes_on_is_known_of_a_dialect_that_it_relays(front: Dialect) -> None:
    known = [fact for other in KNOWN if front.may_relay(other) for fact in _facts(other)]
    names = {fact.at for fact in known} | {fact.rule for fact in known if isinstance(fact, Behaviour)}
    assert set(front.data.get("passes_on", ())) - names == OF_OTHERS.get(front.slug, set())


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
