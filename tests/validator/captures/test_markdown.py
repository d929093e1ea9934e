"""Markdown pages: their fenced blocks are read like files, and what is found has its place in the page."""

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
    asked, streamed, failed, other = read(PAGE.read_bytes())
    assert isinstance(asked, Exchange)
    assert asked.request is not None
    assert isinstance(streamed, Exchange)
    assert streamed.response is not None
    assert isinstance(streamed.response.body, Stream)
    assert isinstance(failed, Exchange)
    assert failed.response is not None
    assert isinstance(failed.response.body, Payload)
    assert failed.response.body.kind == "error"
    assert isinstance(other, Skipped)
    assert [one.number for one in (asked, streamed, failed, other)] == [0, 1, 2, 3]


def test_what_is_found_has_its_line_and_column_in_the_page() -> None:
    judge = Judge(engines.load())
    (finding,) = (
        finding for one in read(PAGE.read_bytes()) if isinstance(one, Exchange) for finding in judge.judge(one).findings
    )
    lines = PAGE.read_text("utf-8").splitlines()
    place = finding.source
    assert lines[place.line - 1][place.column - 1 :].startswith('5, "param"')


@pytest.mark.parametrize(
    "fence", ["```json", "~~~~ JSON title=x", "   ````json", "> ```json", "- ```json", "1. ```json"]
)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_fence_may_stand_in_lists_and_quotations(fence: str, end: str) -> None:
    before = fence.partition("`")[0].partition("~")[0]
    quoted = before if ">" in before else " " * len(before)
    mark = fence.strip("> -1.")[:4].strip("json ") or "```"
    text = json.dumps(REQUEST, indent=1).splitlines()
    page = end.join(["# x", fence, *(quoted + line for line in text), quoted + mark, "", "end"])
    (found,) = read(page)
    assert isinstance(found, Exchange)
    assert found.request is not None
    assert found.request.value == REQUEST
    place = found.request.text.place(found.request.text.data.index(b'"messages"'))
    assert page.splitlines()[place.line - 1][place.column - 1 :].startswith('"messages"')


@pytest.mark.parametrize("fence", ["```", "```python", "```jsonnet", "~~~yaml", "    no fence"])
def test_other_blocks_are_left_alone(fence: str) -> None:
    (found,) = read(f"{fence}\n{json.dumps(REQUEST)}\n```\n")
    assert isinstance(found, Skipped)
    assert "marked as json or sse" in found.reason


def test_a_page_is_read_only_where_it_is_named_itself(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_bytes(PAGE.read_bytes())
    (skipped,) = files.walk([str(tmp_path)])
    assert isinstance(skipped, Skipped)
    assert "named itself" in skipped.reason
    assert list(files.walk([str(page)])) == [str(page)]


@given(st.lists(st.sampled_from(["```", "~~~~", "json", "sse", " ", "> ", "- ", "\n", "\r", "{}", "data: {}", "é"])))
def test_any_page_is_read(parts: list[str]) -> None:
    assert read("".join(parts))
