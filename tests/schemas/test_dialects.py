"""Test every dialect: its file, its sources, and its fixtures under fixtures/dialects/<slug>/."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import orjson
import pytest
from jsonschema_rs import Draft202012Validator, meta
from reading import exchanges_in

from isogloss import schemas
from isogloss.validator import engines, rules
from isogloss.validator.dialects.explanations import Explanations, observe
from isogloss.validator.dialects.model import Dialect, Fact, dialect
from isogloss.validator.engines import predicate
from isogloss.validator.examining.examined import Examined
from isogloss.validator.examining.examiner import Examiner
from isogloss.validator.findings import Severity
from isogloss.validator.kinds import marks
from isogloss.validator.pointer import generic

ROOT = Path(__file__).parents[2]
FILES = ROOT / "schemas/isogloss/schemas/dialects"
FIXTURES = ROOT / "fixtures/dialects"
WITHOUT_DEVIATIONS = {"openai", "classic-2023", "heroku"}
"""Dialects that no deviation in their fixtures distinguishes from the reference: the reference itself, the form of its
answers in 2023, and a dialect that is known only by fingerprints."""

COUNTED = re.compile(
    r"(\b\d[\d,]*|\ban?|\btwo|\bthree|\bfour|\bsix|\bseven|\bten|\bone)(?: refused)?"
    r" (?:requests?|completions?|streams?|exchanges?|errors?|answers?)\b|\((\d[\d,]*)\)"
)
"""How many exchanges the source of a dialect names in words."""
WORDS_OF_NUMBERS = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "six": 6, "seven": 7, "ten": 10}

WITHOUT_ADDRESS = {"classic-2023", "reasoning-content"}
"""Dialects that were written from documentation whose address is not known."""

NO_FACTS = {
    ("ai21", "wrong-format"), ("azure-openai", "deprecated-property"), ("bedrock", "documented-property-absent"),
    ("cline", "wrong-format"), ("dynamo", "documented-property-absent"),
    ("foundry-local", "documented-property-absent"),
    ("gigachat", "deprecated-property"), ("gigachat", "usage-unasked"),
    ("kong", "wrong-format"), ("llama-cpp", "model-is-path"), ("llama-cpp", "model-not-asked-for"),
    ("new-api", "wrong-format"), ("portkey", "wrong-format"), ("snowflake", "stream-property-partial"),
    ("tgi", "sse-no-space"), ("upstage", "model-not-asked-for"), ("volcengine-ark", "wrong-format"),
}  # fmt: skip
"""Rules of notes that fixtures of a dialect have and no fact of it explains.

What the client chose, or the server behind a gateway sent; ids in a form that is a fingerprint; what was seen seldom.
"""

SLUGS = schemas.dialects()


def _fixtures(slug: str) -> list[Path]:
    return sorted((FIXTURES / slug).glob("*"))


@cache
def _file_data(slug: str) -> dict[str, Any]:
    data: dict[str, Any] = orjson.loads((FILES / f"{slug}.json").read_bytes())
    return data


@cache
def _examiner() -> Examiner:
    return Examiner(engines.load())


@cache
def _examined(path: Path) -> tuple[Examined, ...]:
    exchanges = exchanges_in(path)
    assert exchanges
    return tuple(map(_examiner().examine, exchanges))


@cache
def _explanations(slug: str) -> Explanations:
    return Explanations([dialect(slug)])


class Explained(NamedTuple):
    """A finding in a fixture as text, with its severity, the kinds that it is about, and the fact that explains it."""

    text: str
    severity: Severity
    kinds: set[str]
    fact: Fact | None


def _explained_findings(slug: str, path: Path) -> Iterator[Explained]:
    """Yield each finding in a fixture. What is found in a folded stream is about its chunks as well."""
    for examined in _examined(path):
        for rule_hit in examined.hits:
            finding = f"{rule_hit.rule} at {rule_hit.part} {generic(rule_hit.hit.pointer)}: {rule_hit.hit.message}"
            observed = observe(examined, rule_hit)
            facts = _explanations(slug).facts(observed)
            kinds = {observed.kind, *(["chunk"] if rule_hit.part == "folded" else [])}
            yield Explained(finding, rule_hit.severity, kinds, facts[0][1] if facts else None)


def _own_facts(slug: str) -> Iterator[tuple[str, str, Fact]]:
    """Yield the path and the kind of each verified deviation in the file of the dialect, once for each of its kinds.

    Yield the rule of each verified behaviour, and an empty kind.
    """
    known: Dialect = dialect(slug)
    data = _file_data(slug)
    for deviation in known.deviations[: len(data.get("deviations", ()))]:
        yield from ((deviation.at, kind, deviation) for kind in sorted(deviation.kinds) if deviation.decides)
    for behaviour in known.behaviours[: len(data.get("behaviours", ()))]:
        yield from [(behaviour.rule, "", behaviour)] if behaviour.decides else []


def test_a_dialect_satisfies_the_schema_of_dialect_files() -> None:
    validator = Draft202012Validator(schemas.dialect_schema())
    errors = ((slug, error) for slug in SLUGS for error in validator.iter_errors(_file_data(slug)))
    assert [f"{slug}: {error.instance_path}: {error.message}" for slug, error in errors] == []


def test_a_dialect_is_named_after_its_file() -> None:
    assert [slug for slug in SLUGS if _file_data(slug)["slug"] != slug] == []


def test_the_properties_of_a_dialect_file_have_the_order_of_the_schema_and_two_spaces_of_indentation() -> None:
    order = list(schemas.dialect_schema()["properties"])
    for slug in SLUGS:
        properties = re.findall(r'^  "(\w+)":', (FILES / f"{slug}.json").read_text(), re.MULTILINE)
        assert properties == [name for name in order if name in properties], slug
        assert set(properties) == _file_data(slug).keys(), slug


def test_every_fact_names_a_source_and_every_source_is_used() -> None:
    for slug in SLUGS:
        data = _file_data(slug)
        used = {fact["source"] for name in schemas.FACTS for fact in data.get(name, ())}
        assert used == set(data["sources"]) - {"hosts", "relays"}, slug


def test_every_source_can_be_looked_up() -> None:
    """Check that every source has a URL, a package with its version, or a commit.

    Only documentation whose address is not known has none of these.
    """
    address = re.compile(r"https?://|@[0-9a-f]{7}|(PyPI|npm) \S+ \d")
    sources = [(slug, key, source["where"]) for slug in SLUGS for key, source in _file_data(slug)["sources"].items()]
    without_address = {(slug, key) for slug, key, where in sources if not address.search(where)}
    assert without_address == {(slug, "docs") for slug in WITHOUT_ADDRESS}


def test_no_two_facts_of_a_dialect_are_the_same() -> None:
    for slug in SLUGS:
        for name in schemas.FACTS:
            facts = [
                (kind, fact.get("at"), fact.get("rule"), orjson.dumps(fact.get("schema"), option=orjson.OPT_SORT_KEYS))
                for fact in _file_data(slug).get(name, ())
                for kind in fact.get("in", [""])
            ]
            assert sorted(facts, key=str) == sorted(set(facts), key=str), f"{name} of {slug}"


@pytest.mark.thorough
def test_the_schemas_of_facts_compile_and_no_fact_is_seen_more_often_than_possible() -> None:
    for slug in SLUGS:
        for fact in (fact for name in schemas.FACTS for fact in _file_data(slug).get(name, ())):
            if "schema" in fact:
                meta.validate(fact["schema"])
                predicate(fact["schema"])
            if "seen" in fact:
                assert fact["seen"][0] <= fact["seen"][1], slug


def _patterns(schema: object) -> Iterator[str]:
    if isinstance(schema, dict):
        yield from (value for name, value in schema.items() if name == "pattern" and isinstance(value, str))
    for inner in schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ():
        yield from _patterns(inner)


def test_a_pattern_holds_for_the_whole_value_or_ends_where_a_part_of_it_ends() -> None:
    """Check that only a name or a message may begin with anything, and that nothing ends within a part of an id."""
    for slug in SLUGS:
        for fact in (fact for name in ("fingerprints", "deviations") for fact in _file_data(slug).get(name, ())):
            for pattern in _patterns(fact.get("schema")):
                is_of_words = fact["at"] in ("model", "error.message")
                assert pattern.startswith("^") or (is_of_words and pattern.endswith("$")), (slug, pattern)
                assert pattern.endswith(("$", "-", "_", ":")) or is_of_words, (slug, pattern)


def test_no_restriction_speaks_of_null_which_counts_as_missing() -> None:
    restrictions = [(slug, fact) for slug in SLUGS for fact in _file_data(slug).get("restrictions", ())]
    assert [one for one in restrictions if b"null" in orjson.dumps(one[1].get("schema", {}))] == []


def test_the_parents_of_a_dialect_exist() -> None:
    for slug in SLUGS:
        assert set(_file_data(slug).get("inherits", ())) <= set(SLUGS) - {slug}, slug


def test_the_rules_that_a_dialect_breaks_exist() -> None:
    for slug in SLUGS:
        assert {fact["rule"] for fact in _file_data(slug).get("behaviours", ())} <= set(rules.names()), slug


def test_the_dialects_that_a_dialect_relays_exist_and_have_a_source() -> None:
    for slug in SLUGS:
        data = _file_data(slug)
        relays = data.get("relays", ())
        assert relays == "any" or set(relays) <= set(SLUGS) - {slug}, f"{slug}: places and rules belong in `passes_on`"
        assert ("relays" in data) == ("relays" in data["sources"]), slug


def test_only_one_dialect_owns_a_host() -> None:
    hosts = [host for slug in SLUGS for host in _file_data(slug).get("hosts", ())]
    assert len(hosts) == len(set(hosts))


def test_one_dialect_is_the_reference_and_breaks_no_rule_above_a_note() -> None:
    references = [slug for slug in SLUGS if _file_data(slug)["kind"] == "reference"]
    assert references == ["openai"]
    assert {rules.rule(fact["rule"]).severity for fact in _file_data("openai").get("behaviours", ())} <= {Severity.NOTE}


def test_a_dialect_has_fixtures_and_fixtures_belong_to_a_dialect() -> None:
    assert {path.name for path in FIXTURES.iterdir() if any(path.iterdir())} == set(SLUGS)


@pytest.mark.parametrize("slug", SLUGS)
def test_the_fixtures_of_a_dialect_show_each_of_its_facts_in_each_kind_and_it_explains_them(slug: str) -> None:
    """Check that the dialect explains every finding, and another one than OpenAI does."""
    shown: set[tuple[int, str]] = set()
    unexplained: set[tuple[str, str]] = set()
    for path in _fixtures(slug):
        found = list(_explained_findings(slug, path))
        assert [one.text for one in found if one.fact is None and one.severity > Severity.NOTE] == [], path.name
        unexplained |= {(slug, one.text.partition(" ")[0]) for one in found if one.fact is None}
        of_openai = _explained_findings("openai", path)
        if slug not in WITHOUT_DEVIATIONS:
            assert any(own.fact and not other.fact for own, other in zip(found, of_openai, strict=True)), path.name
        shown |= {(id(one.fact), kind) for one in found for kind in ("", *one.kinds)}
    assert unexplained == {one for one in NO_FACTS if one[0] == slug}
    assert [(what, kind) for what, kind, fact in _own_facts(slug) if (id(fact), kind) not in shown] == []


def test_no_request_of_a_dialect_has_a_property_that_is_known_only_after_the_answer() -> None:
    of_requests = {
        fact["at"] for slug in SLUGS for fact in _file_data(slug).get("deviations", ()) if "request" in fact["in"]
    }
    assert of_requests & marks._OUTCOME_PROPERTIES == set()


def test_a_fact_of_a_grandparent_keeps_the_name_of_its_source() -> None:
    fact = {"in": ["completion"], "at": "extra", "schema": {}, "source": "page"}
    source = {"where": "https://example.com", "date": "2026-11", "confidence": "documentation"}
    oldest = schemas.inherit({"slug": "oldest", "sources": {"page": source}, "deviations": [fact]}, {})
    middle = schemas.inherit({"slug": "middle", "sources": {}, "inherits": ["oldest"]}, {"oldest": oldest})
    youngest = schemas.inherit({"slug": "youngest", "sources": {}, "inherits": ["middle"]}, {"middle": middle})
    assert youngest["deviations"] == middle["deviations"] == [fact | {"source": "oldest/page"}]
    assert youngest["sources"] == middle["sources"] == {"oldest/page": source}


@pytest.mark.parametrize("slug", SLUGS)
def test_source_that_counts_its_exchanges_names_at_least_those_in_which_facts_were_looked_for(slug: str) -> None:
    data = _file_data(slug)
    facts = [fact for value in data.values() if isinstance(value, list) for fact in value if isinstance(fact, dict)]
    for key, source in data["sources"].items():
        counts = [words or digits for words, digits in COUNTED.findall(source["where"])]
        named = sum(WORDS_OF_NUMBERS.get(count) or int(count.replace(",", "")) for count in counts)
        possible = max((fact["seen"][1] for fact in facts if fact.get("source") == key and "seen" in fact), default=0)
        is_of_exchanges = source["confidence"] == "recorded" and key in ("exchanges", "recorded")
        assert not named or not is_of_exchanges or named >= possible, (key, named, possible)
