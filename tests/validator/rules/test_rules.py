"""Test what holds for every rule: its page, its name, and its fixtures in fixtures/<group>/<rule>/."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import orjson
import pytest

from isogloss.validator import rules
from isogloss.validator.findings import Finding, Severity

FIXTURES = Path(__file__).parents[3] / "fixtures"
HEADINGS = ("Why it matters", "Who breaks", "Who sends it", "What to do", "Bad", "Good")
OTHER_FORMS = (
    r"github\.com/.+/(issues|pull)/|[\w.-]+/[\w.-]+,? (issue|pull request) \d",  # owner/repository#1
    r"\d \((PyPI|npm)\)|package for (Python|npm)",  # openai (PyPI) 3.52.0
    r"\bsection \d",  # RFC 8259, 7
    r"^[^`]*(`[^`]*`[^`]*)*<",  # `<think>`: markup stands in backticks
    r"^(?!https://)[\w-]+\.[\w.-]+\.(com|org|dev|io)/",  # https://…
)
"""What is not written in the sources of rules; behind each is the form in its place."""


def _fixtures(name: str, prefix: str) -> list[Path]:
    return sorted((FIXTURES / rules.group_of(name) / name).glob(f"{prefix}-*"))


def _also_broken(folder: Path) -> set[str]:
    """Return the rules that the fault always breaks as well. The file ``also`` beside the fixtures lists them."""
    also = folder / "also"
    return set(also.read_text().split()) if also.exists() else set()


def test_names_of_rules_are_new_words_with_hyphens() -> None:
    names = rules.names()
    assert [name for name in names if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name)] == []
    assert set(names) & {*rules.RETIRED, *rules.GROUPS} == set()


def test_each_rule_is_in_one_folder_and_needs_once_what_the_folder_needs() -> None:
    folders = [folder for group in rules.GROUPS for folder in rules.folders(group)]
    assert sorted(name for folder in folders for name in folder.names) == sorted(rules.names())
    needs = {name: rules.rule(name).needs for name in rules.names()}
    assert [name for folder in folders for name in folder.names if not folder.needs <= {*needs[name]}] == []
    assert [name for name, its_needs in needs.items() if len(set(its_needs)) < len(its_needs)] == []
    assert [folder.path for folder in folders if not folder.needs and "/" in folder.path] == []


def test_a_rule_includes_none_that_is_more_severe() -> None:
    severities = {name: rules.rule(name).severity for name in rules.names()}
    for name, severity in severities.items():
        assert [one for one in rules.rule(name).includes if severities[one] > severity] == [], name


def test_a_rule_has_a_page_a_summary_and_dated_sources() -> None:
    for name in rules.names():
        rule, page = rules.rule(name), rules.page(name)
        headings = re.findall(r"^## (.+)$", page, re.MULTILINE)
        assert {"Why it matters", "What to do", "Bad", "Good"} <= {*headings}, name
        assert headings == [heading for heading in HEADINGS if heading in headings], name
        assert rule.name == name
        assert page.startswith(f"{rule.summary}\n\n"), name
        assert rule.summary.endswith("."), name
        assert rule.sources, name
        assert all(re.fullmatch(r"\d{4}(-\d\d)?", source.date) for source in rule.sources), name


@pytest.mark.parametrize("other_form", OTHER_FORMS)
def test_sources_of_one_kind_are_written_in_one_form(other_form: str) -> None:
    sources = [source.where for name in rules.names() for source in rules.rule(name).sources]
    assert [source for source in sources if re.search(other_form, source)] == []


def _advice(name: str) -> str:
    return rules.page(name).partition("\n## What to do\n")[2].partition("\n## ")[0]


def test_rule_advises_the_author_of_a_server_and_the_user_of_a_client() -> None:
    piece_of_advice = re.compile(
        r"^\* As (a server's author|a client's user): (.+?)(?=^\* |\Z)", re.MULTILINE | re.DOTALL
    )
    for name in rules.names():
        advice = piece_of_advice.findall(_advice(name))
        assert [reader for reader, _ in advice] == ["a server's author", "a client's user"], name
        assert all(len(text.split()) >= 5 and text.strip().endswith(".") for _, text in advice), name


def _examples(name: str, heading: str) -> list[str]:
    """Return what a page shows as JSON objects under a heading, with something short in place of what it leaves out."""
    example = rules.page(name).partition(f"\n## {heading}\n```")[2].partition("\n```")[0]
    for left_out, short in ((r"(?<=[{\[])…(, *)?|, *…(?=[}\]])", ""), (r": *…(?=[,}\]])", ":0")):
        example = re.sub(left_out, short, example)
    return re.findall(r"(?:^|: )(\{.*?\})(?= …|$(?!\n +[{\[\"]))", example, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("name", [name for name in rules.names() if rules.group_of(name) != "json"])
def test_the_objects_in_the_examples_of_a_page_are_json(name: str) -> None:
    for example in [*_examples(name, "Good"), *(_examples(name, "Bad") if rules.group_of(name) != "wire" else ())]:
        orjson.loads(example)


def test_pages_of_rules_have_no_control_characters() -> None:
    assert [name for name in rules.names() if not rules.page(name).replace("\n", "").isprintable()] == []


def test_no_two_rules_give_the_same_advice() -> None:
    names_by_advice: dict[str, list[str]] = {}
    for name in rules.names():
        names_by_advice.setdefault(_advice(name), []).append(name)
    assert [names for names in names_by_advice.values() if len(names) > 1] == []


@pytest.mark.parametrize("name", rules.names())
def test_an_invalid_fixture_of_a_rule_breaks_it_and_no_other(
    name: str, findings_of: Callable[[Path], list[Finding]]
) -> None:
    assert _fixtures(name, "invalid")
    for path in _fixtures(name, "invalid"):
        broken = {
            finding.rule for finding in findings_of(path) if finding.severity > Severity.NOTE or finding.rule == name
        }
        assert name in broken, path.name
        assert broken - {name} <= _also_broken(path.parent), path.name


@pytest.mark.parametrize("group", rules.GROUPS)
def test_a_valid_fixture_of_a_rule_breaks_nothing(group: str, findings_of: Callable[[Path], list[Finding]]) -> None:
    for name in rules.names(group):
        assert _fixtures(name, "valid"), name
        for path in _fixtures(name, "valid"):
            assert not [
                finding for finding in findings_of(path) if finding.severity > Severity.NOTE or finding.rule == name
            ], path


def test_every_folder_of_rule_fixtures_belongs_to_a_rule() -> None:
    folders = {(folder.parent.name, folder.name) for group in rules.GROUPS for folder in (FIXTURES / group).glob("*/")}
    assert folders <= {(rules.group_of(name), name) for name in rules.names()}
