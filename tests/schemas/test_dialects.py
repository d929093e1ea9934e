"""What holds for every dialect: its file, its sources, and its fixtures under fixtures/dialects/<slug>/."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import orjson
import pytest
from jsonschema_rs import Draft202012Validator, meta

from isogloss import schemas
from isogloss.validator import captures, engines, rules
from isogloss.validator.dialects.explanations import explanation
from isogloss.validator.dialects.model import Dialect, Fact, dialect
from isogloss.validator.engines import predicate
from isogloss.validator.examining.examined import Examined
from isogloss.validator.examining.examiner import Examiner
from isogloss.validator.exchange import Exchange
from isogloss.validator.findings import Severity
from isogloss.validator.pointer import generic

ROOT = Path(__file__).parents[2]
FILES = ROOT / "schemas/isogloss/schemas/dialects"
FIXTURES = ROOT / "fixtures/dialects"
OPENAI_ITSELF = {"openai", "classic-2023", "heroku"}
"""The reference, the shape that its own answers had in 2023, and who is known by fingerprints alone: no deviation sets
their fixtures apart from it."""

WITHOUT_ADDRESS = {"classic-2023", "reasoning-content", "stepfun"}
"""Whose documentation was written from without its address."""

SLUGS = schemas.dialects()


def _fixtures(slug: str) -> list[Path]:
    return sorted((FIXTURES / slug).glob("*"))


@cache
def _authored(slug: str) -> dict[str, Any]:
    data: dict[str, Any] = orjson.loads((FILES / f"{slug}.json").read_bytes())
    return data


@cache
def _examiner() -> Examiner:
    return Examiner(engines.load())


@cache
def _examined(path: Path) -> tuple[Examined, ...]:
    with path.open("rb") as stream:
        read = list(captures.read(captures.Capture(stream, path.name)))
    assert read
    assert all(isinstance(one, Exchange) for one in read), read
    return tuple(_examiner().examine(one) for one in read if isinstance(one, Exchange))


def _explained(slug: str, path: Path) -> Iterator[tuple[str, Severity, Fact | None]]:
    """Yield each finding in a fixture, with its severity and the fact that explains it, or ``None`` if no fact does."""
    for examined in _examined(path):
        for found in examined.hits:
            what = f"{found.rule} at {found.part.value} {generic(found.hit.pointer)}: {found.hit.message}"
            yield what, found.severity, explanation(dialect(slug), examined, found)


def _own(slug: str) -> Iterator[tuple[str, Fact]]:
    """Yield the verified deviations and behaviours in the dialect's own file."""
    whole: Dialect = dialect(slug)
    for name in ("deviations", "behaviours"):
        for number, fact in enumerate(_authored(slug).get(name, ())):
            one: Fact = getattr(whole, name)[number]
            if one.decides:
                yield f"{', '.join(fact.get('in', [fact.get('rule', '')]))} {fact.get('at', '')}", one


def test_a_dialect_satisfies_the_schema_of_dialect_files() -> None:
    validator = Draft202012Validator(schemas.dialect_schema())
    errors = ((slug, error) for slug in SLUGS for error in validator.iter_errors(_authored(slug)))
    assert [f"{slug}: {error.instance_path}: {error.message}" for slug, error in errors] == []


def test_a_dialect_is_named_after_its_file() -> None:
    assert [slug for slug in SLUGS if _authored(slug)["slug"] != slug] == []


def test_a_dialects_members_stand_in_the_order_of_the_schema_indented_by_two() -> None:
    order = list(schemas.dialect_schema()["properties"])
    for slug in SLUGS:
        members = re.findall(r'^  "(\w+)":', (FILES / f"{slug}.json").read_text(), re.MULTILINE)
        assert members == [name for name in order if name in members], slug
        assert set(members) == _authored(slug).keys(), slug


def test_every_fact_names_a_source_and_every_source_is_named() -> None:
    for slug in SLUGS:
        data = _authored(slug)
        named = {fact["source"] for name in schemas.FACTS for fact in data.get(name, ())}
        assert named == set(data["sources"]) - {"hosts", "relays"}, slug


def test_every_source_can_be_looked_up() -> None:
    """Check that every source has a URL, a package with its version, or a commit.

    Only documents that came without their address have none of these.
    """
    found = re.compile(r"https?://|@[0-9a-f]{7}|(PyPI|npm) \S+ \d")
    sources = [(slug, key, one["where"]) for slug in SLUGS for key, one in _authored(slug)["sources"].items()]
    lost = {(slug, key) for slug, key, where in sources if not found.search(where)}
    assert lost == {(slug, "docs") for slug in WITHOUT_ADDRESS}


def test_no_two_facts_of_a_dialect_say_the_same() -> None:
    for slug in SLUGS:
        for name in schemas.FACTS:
            facts = [
                (kind, fact.get("at"), fact.get("rule"), orjson.dumps(fact.get("schema"), option=orjson.OPT_SORT_KEYS))
                for fact in _authored(slug).get(name, ())
                for kind in fact.get("in", [""])
            ]
            assert sorted(facts, key=str) == sorted(set(facts), key=str), f"{name} of {slug}"


@pytest.mark.thorough
@pytest.mark.parametrize("slug", SLUGS)
def test_the_schemas_of_facts_compile_and_are_seen_no_oftener_than_possible(slug: str) -> None:
    for name in schemas.FACTS:
        for fact in _authored(slug).get(name, ()):
            if "schema" in fact:
                meta.validate(fact["schema"])
                predicate(fact["schema"])
            if "seen" in fact:
                assert fact["seen"][0] <= fact["seen"][1]


def test_the_parents_of_a_dialect_exist() -> None:
    for slug in SLUGS:
        assert set(_authored(slug).get("inherits", ())) <= set(SLUGS) - {slug}, slug


def test_the_rules_that_a_dialect_breaks_exist() -> None:
    for slug in SLUGS:
        assert {fact["rule"] for fact in _authored(slug).get("behaviours", ())} <= set(rules.names()), slug


def test_the_dialects_that_one_relays_exist_and_have_a_source() -> None:
    for slug in SLUGS:
        data = _authored(slug)
        relays = data.get("relays", ())
        assert relays == "any" or set(relays) <= set(SLUGS) - {slug}, f"{slug}: places and rules belong in `passes_on`"
        assert ("relays" in data) == ("relays" in data["sources"]), slug


def test_only_one_dialect_owns_a_host() -> None:
    hosts = [host for slug in SLUGS for host in _authored(slug).get("hosts", ())]
    assert len(hosts) == len(set(hosts))


def test_one_dialect_is_the_reference_and_breaks_no_rule_above_a_note() -> None:
    references = [slug for slug in SLUGS if _authored(slug)["kind"] == "reference"]
    assert references == ["openai"]
    assert {rules.rule(fact["rule"]).severity for fact in _authored("openai").get("behaviours", ())} <= {Severity.NOTE}


def test_a_dialect_has_fixtures_and_fixtures_belong_to_a_dialect() -> None:
    assert {path.name for path in FIXTURES.iterdir() if any(path.iterdir())} == set(SLUGS)


@pytest.mark.parametrize("slug", SLUGS)
def test_a_fixture_is_explained_by_its_dialect(slug: str) -> None:
    """Check that the dialect explains every finding that is more than a note."""
    found = [(path.name, *one) for path in _fixtures(slug) for one in _explained(slug, path)]
    assert [(name, what) for name, what, severity, fact in found if fact is None and severity > Severity.NOTE] == []


@pytest.mark.parametrize("slug", [slug for slug in SLUGS if slug not in OPENAI_ITSELF])
def test_a_fixture_shows_what_is_not_openais(slug: str) -> None:
    for path in _fixtures(slug):
        facts = zip(_facts(slug, path), _facts("openai", path), strict=True)
        assert any(theirs and not ours for theirs, ours in facts), path.name


def _facts(slug: str, path: Path) -> list[Fact | None]:
    return [fact for _, _, fact in _explained(slug, path)]


@pytest.mark.parametrize("slug", SLUGS)
def test_every_fact_of_a_dialect_is_shown_by_one_of_its_fixtures(slug: str) -> None:
    shown = {id(fact) for path in _fixtures(slug) for fact in _facts(slug, path)}
    assert [what for what, fact in _own(slug) if id(fact) not in shown] == []
