"""Tests of Markdown pages: fenced blocks are read like files, and findings have their places in the page."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.cli import files
from isogloss.validator import captures, engines
from isogloss.validator.exchange import Exchange, Payload, Skipped, Stream
from isogloss.validator.judging.judge import Judge

PAGE = Path(__file__).parents[3] / "fixtures" / "captures" / "markdown" / "page.md"
REQUEST = {"model": "m", "messages": [{"role": "user", "content": "Hi"}]}


def read(text: str | bytes, name: str = "page.md") -> list[Exchange | Skipped]:
    data = text.encode() if isinstance(text, str) else text
    return list(captures.read(captures.Capture(io.BytesIO(data), name)))


def test_the_blocks_of_a_page_are_exchanges() -> None:
    request, stream, error, other = read(PAGE.read_bytes())
    assert isinstance(request, Exchange)
    assert request.request is not None
    assert isinstance(stream, Exchange)
    assert isinstance(stream.response, Stream)
    assert isinstance(error, Exchange)
    assert isinstance(error.response, Payload)
    assert error.response.kind == "error"
    assert isinstance(other, Skipped)
    assert [part.number for part in (request, stream, error, other)] == [0, 1, 2, 3]


def test_a_finding_has_its_place_in_the_page() -> None:
    judge = Judge(engines.load())
    (finding,) = (
        finding
        for part in read(PAGE.read_bytes())
        if isinstance(part, Exchange)
        for finding in judge.judge(part).findings
    )
    lines = PAGE.read_text("utf-8").splitlines()
    place = finding.source
    assert lines[place.line - 1][place.column - 1 :].startswith('5, "param"')


@pytest.mark.parametrize(
    "fence", ["```json", "~~~~ JSON title=x", "   ````json", "> ```json", "- ```json", "1. ```json"]
)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_fence_in_a_list_or_a_quotation_is_read(fence: str, end: str) -> None:
    indent = fence.partition("`")[0].partition("~")[0]
    line_prefix = indent if ">" in indent else " " * len(indent)
    closing_fence = fence.strip("> -1.")[:4].strip("json ") or "```"
    text = json.dumps(REQUEST, indent=1).splitlines()
    page = end.join(["# x", fence, *(line_prefix + line for line in text), line_prefix + closing_fence, "", "end"])
    (exchange,) = read(page)
    assert isinstance(exchange, Exchange)
    assert exchange.request is not None
    assert exchange.request.value == REQUEST
    place = exchange.request.text.place(exchange.request.text.data.index(b'"messages"'))
    assert page.splitlines()[place.line - 1][place.column - 1 :].startswith('"messages"')


@pytest.mark.parametrize("fence", ["```", "```python", "```jsonnet", "~~~yaml", "    no fence"])
def test_other_blocks_are_not_read(fence: str) -> None:
    (skipped,) = read(f"{fence}\n{json.dumps(REQUEST)}\n```\n")
    assert isinstance(skipped, Skipped)
    assert "marked as json or sse" in skipped.reason


def test_a_page_is_read_only_if_it_is_named_itself(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_bytes(PAGE.read_bytes())
    (skipped,) = files.walk([str(tmp_path)])
    assert isinstance(skipped, Skipped)
    assert "named itself" in skipped.reason
    assert list(files.walk([str(page)])) == [str(page)]


@given(st.lists(st.sampled_from(["```", "~~~~", "json", "sse", " ", "> ", "- ", "\n", "\r", "{}", "data: {}", "é"])))
def test_any_page_is_read(parts: list[str]) -> None:
    assert read("".join(parts))
