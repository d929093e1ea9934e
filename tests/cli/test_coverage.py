"""Tests of ``isogloss report --view coverage``: what captures exercise of the reference, and what they do not."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema_rs
import orjson
import pytest

from isogloss import schemas
from isogloss.cli.checking.reference import tree
from isogloss.validator.kinds import KINDS

Isogloss = Callable[..., Any]
CORPUS = "fixtures/conforming"
OPENAI = "fixtures/dialects/openai"


@pytest.fixture
def read_coverage(isogloss: Isogloss) -> Callable[..., dict[str, Any]]:
    """Return a function that reads the coverage report on captures."""
    return lambda *paths: json.loads(isogloss("report", "--view", "coverage", *paths, "--format", "json").stdout)


@pytest.fixture
def stream(tmp_path: Path) -> Path:
    chunks = [
        {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}
        for choice in (
            {"index": 0, "delta": {"role": "assistant", "content": "a", "refusal": None}, "finish_reason": None},
            {"index": 0, "delta": {"content": "b"}, "finish_reason": None},
            {"index": 0, "delta": {}, "finish_reason": "stop"},
        )
    ]
    path = tmp_path / "answer.sse"
    path.write_text("".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks) + "data: [DONE]\n\n")
    return path


def test_properties_and_values_are_counted_by_exchange_and_null_is_not_counted(
    read_coverage: Callable[..., dict[str, Any]], stream: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "copy.sse"
    copy.write_bytes(stream.read_bytes())
    report = read_coverage(stream, copy)
    properties = {row["path"]: row for row in report["properties"] if row["kind"] == "chunk"}
    assert properties["choices[].delta.content"]["exchanges"] == properties["choices[].delta.content"]["of"] == 2
    assert properties["choices[].delta.refusal"]["exchanges"] == 0
    assert (
        properties["choices[].finish_reason"]["values"] | {"length": 0, "stop": 2}
        == (properties["choices[].finish_reason"]["values"])
    )


def test_properties_in_the_middle_of_a_long_stream_are_counted(
    read_coverage: Callable[..., dict[str, Any]], tmp_path: Path
) -> None:
    chunk = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    deltas: list[dict[str, Any]] = [{"content": "a"} for _ in range(101)]
    deltas[50]["refusal"] = "no"
    path = tmp_path / "long.sse"
    path.write_text("".join(
        f"data: {json.dumps(chunk | {'choices': [{'index': 0, 'delta': delta, 'finish_reason': None}]})}\n\n"
        for delta in deltas
    ))  # fmt: skip
    counts = {row["path"]: row["exchanges"] for row in read_coverage(path)["properties"] if row["kind"] == "chunk"}
    assert counts["choices[].delta.refusal"] == 1


def test_a_rule_is_exercised_where_it_could_have_found_something(
    read_coverage: Callable[..., dict[str, Any]], stream: Path
) -> None:
    rules = {row["rule"]: row for row in read_coverage(stream)["rules"]}
    assert (rules["finish-reason-repeated"]["exchanges"], rules["finish-reason-repeated"]["found"]) == (1, 0)
    assert (rules["tool-call-index-jump"]["exchanges"], rules["tool-call-index-jump"]["needs"]) == (
        0,
        ["calls", "stream"],
    )
    assert "dialect-restriction" not in rules


def test_properties_and_rules_that_are_exercised_least_come_first(read_coverage: Callable[..., dict[str, Any]]) -> None:
    report = read_coverage(CORPUS)
    for part in ("properties", "rules"):
        counts = [row["exchanges"] for row in report[part]]
        assert counts == sorted(counts)
        assert counts[-1] > 0


def test_the_json_report_follows_its_schema(read_coverage: Callable[..., dict[str, Any]]) -> None:
    schema = orjson.loads((Path(schemas.__file__).parent / "report" / "coverage-v1.json").read_bytes())
    jsonschema_rs.Draft202012Validator(schema).validate(read_coverage(CORPUS))


def test_the_summary_counts_what_the_lists_hold(read_coverage: Callable[..., dict[str, Any]]) -> None:
    report = read_coverage(CORPUS)
    exercised = report["summary"]["exercised"]
    assert exercised["rules"] == {
        "exercised": sum(row["exchanges"] > 0 for row in report["rules"]),
        "of": len(report["rules"]),
    }
    for kind in KINDS:
        of_kind = [row for row in report["properties"] if row["kind"] == kind]
        assert exercised[f"{kind}_properties"] == {
            "exercised": sum(row["exchanges"] > 0 for row in of_kind),
            "of": len(of_kind),
        }


def test_text_and_markdown_have_options_properties_and_rules(isogloss: Isogloss) -> None:
    for options in ((), ("--format", "markdown")):
        text = isogloss("report", "--view", "coverage", CORPUS, *options).stdout
        titles = ("Request options", "Properties of requests", "Properties of completions", "Rules")
        assert all(title in text for title in titles)
        assert "\x1b" not in text


def test_text_counts_the_properties_inside_one_that_does_not_occur(isogloss: Isogloss, stream: Path) -> None:
    text = isogloss("report", "--view", "coverage", stream).stdout
    assert re.search(r"^ *0 +usage and \d+ inside", text, re.MULTILINE)
    assert re.search(r"^ *1 +choices\[\]\.delta", text, re.MULTILINE)
    assert re.search(r"^ *1 .* inside", text, re.MULTILINE) is None


def test_the_page_has_every_property_and_every_rule(isogloss: Isogloss) -> None:
    page = isogloss("report", "--view", "coverage", CORPUS, "--format", "html").stdout
    for kind in KINDS:
        assert f'id="{kind}"' in page
        for node in tree(kind).below():
            assert f"<code>{node.path.rpartition('.')[2]}</code>" in page
    assert "tool-call-unanswered" in page
    assert re.search(r"<script[^>]* src=|https?://(?!json-schema)", page) is None


def test_a_corpus_with_nothing_to_check_ends_with_3(isogloss: Isogloss, tmp_path: Path) -> None:
    result = isogloss("report", "--view", "coverage", tmp_path)
    assert result.returncode == 3


def test_options_of_another_view_are_refused(isogloss: Isogloss) -> None:
    assert isogloss("report", "--view", "coverage", "--evidence", OPENAI).returncode == 2


def test_every_property_of_the_conforming_payloads_is_in_the_tree() -> None:
    def check_properties(node: Any, value: Any) -> None:
        if isinstance(value, dict) and node.children:
            for name, inner in value.items():
                assert name in node.children, f"{node.kind} {node.path} {name}"
                check_properties(node.children[name], inner)
        elif isinstance(value, list) and node.items is not None:
            for item in value:
                check_properties(node.items, item)

    for kind in KINDS:
        payloads = sorted((Path(__file__).parents[2] / CORPUS / kind).glob("*.json"))
        assert payloads
        for path in payloads:
            check_properties(tree(kind), json.loads(path.read_text()))
