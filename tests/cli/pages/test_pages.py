"""Test what the pages of all commands show without a script and without a network."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

PAIR = "fixtures/captures/json/pair.json"
GROQ = "fixtures/dialects/groq"


def test_a_page_names_the_version_the_date_and_the_command(
    isogloss: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    page = isogloss("check", PAIR, "--format", "html").stdout
    origin = re.search(r"Written by isogloss \S+, (.*), with <code>(.*)</code>", page)
    assert origin is not None
    assert origin.groups() == ("1970-01-02 00:00 UTC", f"isogloss check {PAIR} --format html")


@pytest.mark.parametrize("epoch", ["", "yesterday", "9" * 20, "9" * 5000])
def test_a_date_that_is_none_is_not_used(
    isogloss: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, epoch: str
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", epoch)
    result = isogloss("check", PAIR, "--format", "html")
    assert result.returncode == 1
    assert re.search(r"Written by isogloss \S+, 20\d\d-", result.stdout)


@pytest.mark.thorough
def test_the_command_is_shown_without_the_values_of_headers_and_without_keys(
    isogloss: Callable[..., Any], tmp_path: Path
) -> None:
    request = tmp_path / "sk-proj-A1b2C3d4A1b2C3d4A1b2C3d4A1b2C3d4.json"
    request.write_text('{"model":"m","messages":[]}')
    page = isogloss(
        "check", "--live", "http://127.0.0.1:1/v1", "--request", request, "--format", "html",
        "--header", "X-Token: secret", "--header=Y-Token: secret",
    ).stdout  # fmt: skip
    assert "isogloss check --live http://127.0.0.1:1/v1 --request " in page
    assert " --header … " in page
    assert "secret" not in page
    assert "C3d4A1b2" not in page


@pytest.mark.thorough
def test_every_link_within_a_page_has_a_target_and_every_id_is_unique(isogloss: Callable[..., Any]) -> None:
    dialects = [f"fixtures/dialects/{slug}" for slug in ("azure-openai", "groq", "ollama", "openrouter", "vllm")]
    for arguments in (("check", "fixtures/schema", "fixtures/stream"), ("report", *dialects, "--evidence")):
        page = isogloss(*arguments, "--format", "html").stdout.partition("<script>")[0]
        ids = re.findall(r' id="([^"]+)"', page)
        assert len(ids) == len(set(ids))
        assert set(re.findall(r'href="#([^"]+)"', page)) <= set(ids)


def test_a_finding_shows_its_excerpt_with_a_mark_and_its_rule_says_who_breaks(
    isogloss: Callable[..., Any],
) -> None:
    page = isogloss("check", PAIR, "--format", "html").stdout
    assert '<mark>"created": "…"</mark>' in page
    rule = page.partition('id="page-wrong-type"')[2]
    assert "<h4>Who breaks</h4>" in rule
    assert page.count("A value has another JSON type than the reference allows.") == 1


def test_the_picture_shows_which_dialect_deviates_although_no_dialect_was_chosen(
    isogloss: Callable[..., Any],
) -> None:
    page = isogloss("check", GROQ, "--format", "html").stdout
    assert "<dt>groq</dt>" in page
    assert re.search(r'<td class="known s\d" title="groq: \d+ of \d+ exchanges, known in it">', page)
    chosen = isogloss("check", GROQ, "--dialect", "groq", "--format", "html").stdout
    assert "by --dialect" in chosen


def test_the_picture_has_no_column_for_exchanges_without_a_deviation(isogloss: Callable[..., Any]) -> None:
    conforming = "fixtures/conforming/completion/text.json"
    page = isogloss("check", f"{GROQ}/completion.json", conforming, "--format", "html").stdout
    assert re.findall(r'title="\d+ exchanges?"><span>(.*?)</span></th>', page) == ["groq"]


@pytest.mark.usefixtures("shared_work")
def test_several_processes_draw_the_same_picture_as_one(
    isogloss: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    payload = json.loads(Path("fixtures/dialects/groq/completion.json").read_text())
    for number in range(40):
        (tmp_path / f"{number}.json").write_text(json.dumps(payload))
    pages = [isogloss("check", tmp_path, "--format", "html", "--jobs", jobs).stdout for jobs in ("1", "2")]
    one, two = (re.sub('<p class="origin">.*', "", page) for page in pages)
    assert one == two


def test_a_page_shows_no_text_of_a_payload(isogloss: Callable[..., Any], tmp_path: Path) -> None:
    payload = json.loads(Path("fixtures/conforming/completion/text.json").read_text())
    payload["choices"][0]["message"] |= {"content": "my cat is ill", "thoughts": "my dog is not", "refusal": 3}
    (tmp_path / "answer.json").write_text(json.dumps(payload))
    for command in ("check", "report"):
        page = isogloss(command, tmp_path, "--format", "html").stdout
        assert "thoughts" in page
        assert "cat is" not in page
        assert "dog is" not in page


def test_every_page_names_the_version_the_date_and_the_command_below_its_title(
    write_page: Callable[[str], Path],
) -> None:
    for command in ("check", "nothing", "report", "probe"):
        header = write_page(command).read_text("utf-8").partition("</header>")[0]
        name = "check" if command == "nothing" else command
        assert re.search(rf'<p class="origin">Written by isogloss \S+, .* UTC, with <code>isogloss {name} ', header)


def test_a_page_says_how_often_a_finding_occurs_that_is_one_entry(isogloss: Callable[..., Any], tmp_path: Path) -> None:
    answer = json.loads(Path("fixtures/conforming/completion/text.json").read_bytes())
    path = tmp_path / "answers.jsonl"
    for changes, label in (
        ([{"created": "then"}], "1 error, in 1 of 1 exchange"),
        ([{"created": "then"}] * 3, "the same error 3 times, in 3 of 3 exchanges,"),
        ([{"created": "then"}, {"created": "then", "model": 5}], "2 different errors, in 2 of 2 exchanges,"),
    ):
        path.write_text("\n".join(json.dumps(answer | change) for change in changes), "utf-8")
        assert f"<small>{label}" in isogloss("check", path, "--format", "html").stdout


def test_a_page_without_findings_says_so(isogloss: Callable[..., Any], write_page: Callable[[str], Path]) -> None:
    assert "No Chat Completions traffic was found that could be checked." in write_page("nothing").read_text("utf-8")
    conforming = isogloss("check", "fixtures/conforming/completion/text.json", "--format", "html").stdout
    assert "None to report." in conforming
    hidden = isogloss("check", "docs/examples/cassette.yaml", "--select", "usage-zero", "--format", "html").stdout
    assert "None to report." in hidden
    explained = isogloss("report", f"{GROQ}/completion.json", "--format", "html").stdout
    assert "None: every deviation is known in the dialect that shows it." in explained
    unreachable = isogloss("probe", "http://127.0.0.1:1/v1", "--model", "tiny", "--format", "html").stdout
    assert "The server answered no case: cannot connect" in unreachable


def test_a_case_of_a_probe_links_to_its_findings_and_quotes_its_answers(write_page: Callable[[str], Path]) -> None:
    page = write_page("probe").read_text("utf-8")
    plain = page.partition('id="case-plain"')[2].partition("</details>")[0]
    anchor = re.search(r'<a href="#(f-\w+)">wrong-type</a>', plain)
    assert anchor is not None
    assert f'<p id="{anchor[1]}">' in page
    assert '"finish_reason": 7' in plain
    assert '<mark>"finish_reason": 7</mark>' in page
    assert 'id="picture"' in page
    assert re.search(r"<strong>[123]</strong> deviates?</li>", page)
