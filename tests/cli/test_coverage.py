"""``isogloss report --view coverage``: what captures exercise of the reference, and what they do not."""

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
from isogloss.cli.report_views.coverage.reference import KINDS, tree

Run = Callable[..., Any]
CORPUS = "fixtures/conforming"
PLAIN = "fixtures/dialects/openai"


@pytest.fixture
def seen(isogloss: Run) -> Callable[..., dict[str, Any]]:
    """Return the coverage report on some captures."""
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


def test_properties_and_values_are_counted_by_exchange_and_null_counts_for_nothing(
    seen: Callable[..., dict[str, Any]], stream: Path
) -> None:
    report = seen(stream, stream)
    found = {one["path"]: one for one in report["properties"] if one["kind"] == "chunk"}
    assert found["choices[].delta.content"]["exchanges"] == found["choices[].delta.content"]["of"] == 2
    assert found["choices[].delta.refusal"]["exchanges"] == 0
    assert (
        found["choices[].finish_reason"]["values"] | {"length": 0, "stop": 2}
        == (found["choices[].finish_reason"]["values"])
    )


def test_a_rule_is_exercised_where_it_could_have_found_something(
    seen: Callable[..., dict[str, Any]], stream: Path
) -> None:
    rules = {one["rule"]: one for one in seen(stream)["rules"]}
    assert (rules["finish-reason-repeated"]["exchanges"], rules["finish-reason-repeated"]["found"]) == (1, 0)
    assert (rules["tool-call-index-jump"]["exchanges"], rules["tool-call-index-jump"]["needs"]) == (
        0,
        ["calls", "stream"],
    )
    assert "dialect-restriction" not in rules


def test_what_is_empty_comes_first(seen: Callable[..., dict[str, Any]]) -> None:
    report = seen(CORPUS)
    for part in ("properties", "rules"):
        counts = [one["exchanges"] for one in report[part]]
        assert counts == sorted(counts)
        assert counts[-1] > 0


def test_the_json_report_keeps_to_its_schema(seen: Callable[..., dict[str, Any]]) -> None:
    schema = orjson.loads((Path(schemas.__file__).parent / "report" / "coverage-v1.json").read_bytes())
    jsonschema_rs.Draft202012Validator(schema).validate(seen(CORPUS))


def test_the_summary_counts_what_the_lists_hold(seen: Callable[..., dict[str, Any]]) -> None:
    report = seen(CORPUS)
    told = report["summary"]["exercised"]
    assert told["rules"] == {
        "exercised": sum(one["exchanges"] > 0 for one in report["rules"]),
        "of": len(report["rules"]),
    }
    for kind in KINDS:
        of_kind = [one for one in report["properties"] if one["kind"] == kind]
        assert told[f"{kind}_properties"] == {
            "exercised": sum(one["exchanges"] > 0 for one in of_kind),
            "of": len(of_kind),
        }


def test_text_and_markdown_tell_options_properties_and_rules(isogloss: Run) -> None:
    for options in ((), ("--format", "markdown")):
        text = isogloss("report", "--view", "coverage", CORPUS, *options).stdout
        titles = ("Request options", "Properties of requests", "Properties of completions", "Rules")
        assert all(title in text for title in titles)
        assert "\x1b" not in text


def test_the_page_has_every_property_and_every_rule(isogloss: Run) -> None:
    page = isogloss("report", "--view", "coverage", CORPUS, "--format", "html").stdout
    for kind in KINDS:
        assert f'id="{kind}"' in page
        for node in tree(kind).below():
            assert f"<code>{node.path.rpartition('.')[2]}</code>" in page
    assert "tool-call-unanswered" in page
    assert re.search(r"<script[^>]* src=|https?://(?!json-schema)", page) is None


def test_nothing_to_check_is_no_coverage(isogloss: Run, tmp_path: Path) -> None:
    done = isogloss("report", "--view", "coverage", tmp_path)
    assert done.returncode == 3


def test_options_of_the_other_view_are_refused(isogloss: Run) -> None:
    assert isogloss("report", "--view", "coverage", "--evidence", PLAIN).returncode == 2


def test_every_property_of_the_conforming_payloads_is_in_the_tree() -> None:
    def known(node: Any, value: Any) -> None:
        if isinstance(value, dict) and node.children:
            for name, inner in value.items():
                assert name in node.children, f"{node.kind} {node.path} {name}"
                known(node.children[name], inner)
        elif isinstance(value, list) and node.items is not None:
            for item in value:
                known(node.items, item)

    for kind in KINDS:
        for path in sorted(Path(CORPUS, kind).glob("*.json")):
            known(tree(kind), json.loads(path.read_text()))
