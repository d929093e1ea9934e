"""Tests of the view of dialects of ``isogloss report`` in each of its formats."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from terminals import Terminal

from isogloss import schemas
from isogloss.cli.report_views import text as text_of_views
from isogloss.cli.report_views.tables import Table, ViewTables

Isogloss = Callable[..., Any]
CORPUS = ("fixtures/dialects/groq", "fixtures/dialects/deepseek", "fixtures/dialects/openai")
HOSTILE_TEXT = "</script><b>|`[bold]x[/bold]`::error::]]>\x1b[31m"


@pytest.fixture
def hostile_capture(tmp_path: Path) -> Path:
    """Write a completion with control characters and markup, and return its path."""
    payload = {
        "id": "chatcmpl-FakeA1b2C3d4E5f6G7h8I9j0K1l2M", "object": "chat.completion", "created": 1760000000,
        "model": "gpt-4o-mini", "system_fingerprint": HOSTILE_TEXT,
        "choices": [{"index": 0, "message": {"role": "assistant", "content": HOSTILE_TEXT, "refusal": None},
                     "logprobs": None, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
        HOSTILE_TEXT: 1,
    }  # fmt: skip
    path = tmp_path / "hostile.json"
    path.write_text(json.dumps(payload))
    return path


def test_the_json_report_counts_exchanges_deviations_and_what_is_unexplained(
    isogloss: Isogloss, hostile_capture: Path
) -> None:
    report = json.loads(isogloss("report", *CORPUS, hostile_capture, "--format", "json").stdout)
    assert {dialect["slug"] for dialect in report["dialects"]} == {"groq", "deepseek", "openai", "undetermined"}
    *named, undetermined = report["dialects"]
    assert all(dialect["sure"] == dialect["exchanges"] and not dialect["nearest"] for dialect in named)
    assert (undetermined["slug"], undetermined["sure"]) == ("undetermined", 0)
    assert sum(undetermined["nearest"].values()) == undetermined["exchanges"]
    assert sum(dialect["exchanges"] for dialect in report["dialects"]) == report["summary"]["exchanges"]
    x_groq = next(row for row in report["deviations"] if row["kind"] == "completion" and row["path"] == "x_groq")
    assert x_groq["dialects"]["groq"]["unexplained"] == 0
    assert x_groq["dialects"]["groq"]["first"]["file"].startswith("fixtures/dialects/groq/")
    unexplained = [row for row in report["deviations"] if any(cell["unexplained"] for cell in row["dialects"].values())]
    assert all(cell["unexplained"] == 0 for row in report["deviations"] for slug, cell in row["dialects"].items()
               if slug != "undetermined")  # fmt: skip
    assert "unknown-property" in [row["rule"] for row in unexplained if row["kind"] == "completion"]


def test_the_text_report_begins_with_what_is_unexplained(isogloss: Isogloss, hostile_capture: Path) -> None:
    text = isogloss("report", *CORPUS, hostile_capture).stdout
    titles = [
        line.split()[0].rstrip(":")
        for line in text.splitlines()
        if line.startswith(("Unexplained", "Dialects", "Explained", "Never"))
    ]
    assert titles == ["Unexplained", "Dialects", "Explained", "Never"]
    assert "undetermined" in text
    assert "\x1b" not in text
    assert ": 3 dialects, " in text.splitlines()[-1]


@pytest.mark.parametrize("width", [60, 78, 87, 88, 100, 200])
def test_on_a_terminal_of_any_width_no_word_is_broken(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("NO_COLOR", "1")
    rows = [("error", "wrong-type · completion created", "undetermined", "2 of 128", "captures/pair.json:18:16")]
    table = Table("Unexplained", "What it is.", ("severity", "deviation", "dialect", "exchanges", "first"), rows)
    terminal = Terminal()
    text_of_views.report(ViewTables("Dialects", "summary", [table], []), terminal)
    lines = terminal.getvalue().splitlines()
    assert max(map(len, lines)) <= width
    words = " ".join(lines).split()
    assert {"error", "wrong-type", "completion", "created", "undetermined", "captures/pair.json:18:16"} <= {
        word.strip(";") for word in words
    }


def test_the_facts_that_no_exchange_showed_are_counted_and_json_has_all(isogloss: Isogloss) -> None:
    arguments = ("report", "fixtures/dialects/openrouter/completion.json")
    facts = json.loads(isogloss(*arguments, "--format", "json").stdout)["never_seen"]["openrouter"]
    text = " ".join(isogloss(*arguments).stdout.split())
    assert f"and {len(facts) - 10} more (--format json lists them)" in text
    assert facts[9] in text
    assert facts[-1] not in text


def test_a_dialect_whose_facts_were_all_seen_is_left_out_of_those_with_facts_that_were_not(isogloss: Isogloss) -> None:
    groq = [f"fixtures/dialects/groq/{name}.json" for name in ("completion", "stream-rare")]
    report = json.loads(isogloss("report", "fixtures/dialects/heroku", *groq, "--format", "json").stdout)
    assert {"heroku", "groq"} <= {row["slug"] for row in report["dialects"]}
    assert "heroku" not in report["never_seen"]
    shown = {row["rule"] for row in report["deviations"] if "groq" in row["dialects"]}
    behaviours = {fact["rule"] for fact in schemas.dialect("groq")["behaviours"]}
    never_seen = {fact.split()[0] for fact in report["never_seen"]["groq"]}
    assert shown & behaviours
    assert never_seen & behaviours == behaviours - shown


def test_the_most_severe_deviations_come_first_and_of_these_the_most_frequent(
    isogloss: Isogloss, tmp_path: Path
) -> None:
    conforming = json.loads(Path("fixtures/conforming/completion/text.json").read_text())
    changes = [{"model": 1, "x": 1}, {"created": "", "x": 1}, {"model": 1, "service_tier": ""}, {"model": 1}, {"a": 1}]
    (tmp_path / "a.jsonl").write_text("".join(f"{json.dumps(conforming | change)}\n" for change in changes))
    rows = _rows_of(isogloss("report", tmp_path, "--format", "markdown").stdout, "Unexplained")
    shown = [
        (severity, deviation.split()[-1], count.split()[0], first.split(":")[-2])
        for severity, deviation, _, count, first in rows
    ]
    assert shown == [
        ("error", "model", "3", "1"),
        ("error", "created", "1", "2"),
        ("warning", "service_tier", "1", "3"),
        ("note", "x", "2", "1"),
        ("note", "a", "1", "5"),
    ]


def test_explained_deviations_are_in_the_order_of_their_kinds_and_paths(isogloss: Isogloss) -> None:
    rows = _rows_of(isogloss("report", *CORPUS, "--format", "markdown").stdout, "Explained")
    deviations = [re.split(" · | ", f"{row[0]} ")[:3] for row in rows]
    assert len(deviations) > 5
    assert deviations == sorted(deviations, key=lambda one: (one[1], one[2], one[0]))


def _rows_of(text: str, title: str) -> list[list[str]]:
    """Return the cells of the rows of a table in Markdown."""
    table = text.replace("\\", "").partition(f"## {title}\n")[2].partition("\n## ")[0]
    lines = [line.strip("| ") for line in table.splitlines() if line.startswith("|")]
    return [re.split(r" *\| *", line) for line in lines[2:]]


def test_evidence_is_printed_on_request(isogloss: Isogloss) -> None:
    text = isogloss("report", "fixtures/dialects/groq/completion.json", "--evidence").stdout
    assert "speaks groq" in text
    assert "unknown-property at completion usage_breakdown (known) +" in text


def test_evidence_is_in_the_json_and_in_the_markdown(isogloss: Isogloss) -> None:
    command = ("report", "fixtures/dialects/groq/completion.json", "--evidence", "--format")
    [exchange] = json.loads(isogloss(*command, "json").stdout)["exchanges"]
    assert (exchange["speaks"], exchange["sure"], exchange["candidates"][0]["slug"]) == (["groq"], True, "groq")
    kinds = {(one["what"], one["how"]) for one in exchange["candidates"][0]["evidence"]}
    assert ("unknown-property at completion usage_breakdown", "known") in kinds
    weights = [one["weight"] for candidate in exchange["candidates"] for one in candidate["evidence"]]
    assert weights == [round(weight, 2) for weight in weights]
    text = isogloss(*command, "markdown").stdout.replace("\\", "")
    assert "unknown-property at completion usage_breakdown (known) +" in text


def test_the_host_is_evidence(isogloss: Isogloss, tmp_path: Path) -> None:
    payload = json.loads(Path("fixtures/conforming/completion/text.json").read_text())
    record = {"host": "api.openai.com", "response": payload}
    path = tmp_path / "record.json"
    path.write_text(json.dumps(record))
    assert "the host (its own) +5.0" in isogloss("report", path, "--evidence").stdout


def test_evidence_names_a_host_that_contradicts_the_body(isogloss: Isogloss, tmp_path: Path) -> None:
    record = json.loads(Path("fixtures/dialects/groq/completion.json").read_text()) | {"host": "api.deepseek.com"}
    path = tmp_path / "record.json"
    path.write_text(json.dumps(record))
    assert "though the host belongs to deepseek" in isogloss("report", path, "--evidence").stdout


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.links: list[str] = []
        self.scripts = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.scripts += tag == "script"
        self.links += [value or "" for name, value in attrs if name in ("href", "src")]


def test_the_html_page_loads_nothing_and_escapes_payloads(
    isogloss: Isogloss, hostile_capture: Path, tmp_path: Path
) -> None:
    page = tmp_path / "page.html"
    assert isogloss("report", *CORPUS, hostile_capture, "--output", f"html:{page}").returncode == 0
    text = page.read_text(encoding="utf-8")
    parsed = _Tags()
    parsed.feed(text)
    sources = ("#", "https://")  # anchors in the page, and sources that the pages of rules cite
    assert all(link.startswith(sources) for link in parsed.links)
    assert parsed.scripts == 1
    assert not parsed.tags & {"iframe", "link", "img", "svg", "form", "base", "object"}
    assert "\x1b" not in text
    assert "&lt;/script&gt;" in text


def test_the_html_page_shows_each_unexplained_deviation_with_its_message_and_place(
    isogloss: Isogloss, tmp_path: Path
) -> None:
    payload = json.loads(Path("fixtures/conforming/completion/text.json").read_text())
    path = tmp_path / "stranger.json"
    path.write_text(json.dumps(payload | {"id": "stranger", "warp": 1}))
    page = isogloss("report", path, "--format", "html").stdout
    assert "<code>warp</code> is not part of the reference" in page
    column = path.read_text().index('"warp"') + 1
    assert f"stranger.json:1:{column}" in page


def test_markdown_escapes_payloads(isogloss: Isogloss, hostile_capture: Path) -> None:
    text = isogloss("report", *CORPUS, hostile_capture, "--format", "markdown").stdout
    row = next(line for line in text.splitlines() if "unknown\\-property" in line or "bold" in line)
    assert "</script>" not in row
    assert "\\|" in row
    assert "\x1b" not in text


def test_a_corpus_with_nothing_to_check_ends_with_3_and_says_why(isogloss: Isogloss, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("nothing")
    for view in ("dialects", "coverage", "clients"):
        for output_format in ("text", "markdown"):
            result = isogloss("report", tmp_path, "--view", view, "--format", output_format)
            assert result.returncode == 3
            assert re.search(r"skipped: .*notes\\?\.txt.*: not a capture", result.stdout)


def test_a_body_that_no_dialect_explains_is_undetermined(isogloss: Isogloss, tmp_path: Path) -> None:
    payload = json.loads(Path("fixtures/conforming/completion/text.json").read_text())
    path = tmp_path / "stranger.json"
    path.write_text(json.dumps(payload | {"id": "stranger", "warp": 1, "weft": 2, "loom": 3}))
    assert "undetermined; nearest: " in isogloss("report", path, "--evidence").stdout
