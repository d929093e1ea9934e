"""Test that nothing in a capture does harm in a report."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

from isogloss.cli import reporters
from isogloss.cli.commands.report import FORMATS as DIALECT_REPORTS

ROOT = Path(__file__).parents[3]
CONFORMING = json.loads((ROOT / "fixtures" / "conforming" / "completion" / "text.json").read_bytes())
HOSTILE = (
    "::error::", "</script><script>alert(1)</script>", "a|b", "`tick`", "\x1b[31mred", "[bold]x[/bold]", "]]>",
    "bell\x07\x00\x9b", "\u202ertl", "{0} [link](1)", "line\n::warning file=x::y", "##[error]z", "%0A::error::",
    "<img src=x onerror=alert(1)>", "{{ 7*7 }}", "@someone #1", "\ud83d",
)  # fmt: skip
Isogloss = Callable[..., Any]


@pytest.fixture
def hostile_folder(isogloss: Isogloss, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write captures whose property names, values and file names try to do harm, and return their folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    payload: dict[str, Any] = CONFORMING | dict.fromkeys(HOSTILE, 1)
    payload["service_tier"] = HOSTILE[1]
    payload["usage"] = {**CONFORMING["usage"], **dict.fromkeys(HOSTILE, 2)}
    payload["choices"] = [CONFORMING["choices"][0] | {"finish_reason": text, "index": text} for text in HOSTILE]
    Path("::notice::a.json").write_text(json.dumps(payload), "utf-8")
    Path("::error::<b>|`x`[y](z).json").write_text(json.dumps({"messages": HOSTILE, HOSTILE[1]: 1}), "utf-8")
    Path("::warning::skipped").write_text("nothing", "utf-8")
    return tmp_path


def run_report(isogloss: Isogloss, command: str, output_format: str) -> str:
    names = ("::notice::a.json", "::error::<b>|`x`[y](z).json", "::warning::skipped")
    result = isogloss(command, *names, ".", "--format", output_format)
    text: str = result.stdout
    assert len(text) > 1000
    for character in text:
        assert character == "\n" or character.isprintable(), f"{character!r} is not printable"
    return text


@pytest.mark.parametrize(
    ("command", "output_format"),
    [(command, name) for command, of in (("check", reporters.FORMATS), ("report", DIALECT_REPORTS)) for name in of],
)
def test_nothing_in_a_capture_does_harm_in_a_report(
    isogloss: Isogloss, hostile_folder: Path, command: str, output_format: str
) -> None:
    text = run_report(isogloss, command, output_format)
    if output_format in ("json", "jsonl", "sarif", "gitlab"):
        for line in text.splitlines() if output_format == "jsonl" else [text]:
            json.loads(line)
    elif output_format == "junit":
        assert {element.tag for element in ElementTree.fromstring(text).iter()} <= {
            "testsuites", "testsuite", "testcase", "failure", "system-out", "skipped"
        }  # fmt: skip
    elif output_format == "html":
        assert text.count("<script") == 1  # the script of the page itself
        assert "<img" not in text
        assert "<b>" not in text
        assert "{{ 7*7 }}" in text
    elif output_format == "markdown":
        assert_markdown_is_harmless(text)
    elif output_format == "github":
        own_annotation = re.compile(r"::(error|warning|notice) file=[^:,]+,line=\d+,col=\d+,title=isogloss [a-z-]+::")
        for line in text.splitlines():
            assert not line.lstrip().startswith("::") or own_annotation.match(line)
            assert line.startswith("::") or "##[" not in line
    else:
        assert not [line for line in text.splitlines() if line.lstrip().startswith("::")]


def _spans(tokens: Sequence[Token], name: str) -> list[tuple[int, int]]:
    """Return where blocks with this name begin and end among the tokens."""
    begins = [number for number, token in enumerate(tokens) if token.type == f"{name}_open"]
    ends = [number for number, token in enumerate(tokens) if token.type == f"{name}_close"]
    return list(zip(begins, ends, strict=True))


def assert_markdown_is_harmless(text: str) -> None:
    """Check that a Markdown text has only tables, headings, lists and text.

    Also check that each line that looks like a row of a table is one, and that each row has as many bars as its table
    needs.
    """
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    inline = {child.type for token in tokens for child in token.children or ()}
    assert inline <= {"text", "softbreak", "text_special"}
    blocks = {token.type.removesuffix("_open").removesuffix("_close") for token in tokens}
    assert blocks <= {
        "heading",
        "paragraph",
        "inline",
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "bullet_list",
        "list_item",
    }
    lines = text.splitlines()
    rows_by_line = {}
    for table, end in _spans(tokens, "table"):
        width = sum(token.type == "th_open" for token in tokens[table:end])
        first, last = tokens[table].map
        rows_by_line.update(dict.fromkeys(range(first, last), width))
    assert rows_by_line.keys() == {number for number, line in enumerate(lines) if line.startswith("| ")}
    for number, width in rows_by_line.items():
        assert len(re.findall(r"(?<!\\)\|", lines[number])) == width + 1
