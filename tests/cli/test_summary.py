"""Test what reports get from a run, and that two runs, joined, have the same as one run of all their exchanges."""

from __future__ import annotations

import copy
import io
import json
from collections.abc import Sequence
from typing import Any

import pytest
from dialect_examples import GROQ, completion
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from payloads import CHUNKS, COMPLETION, ERROR, REQUEST, WHOLE_CHUNK
from reading import read_all

from isogloss.cli.checking.groups import group_key
from isogloss.cli.checking.run_settings import Keep, RunSettings
from isogloss.cli.checking.summary import Run
from isogloss.cli.reporters.text import report
from isogloss.validator import engines
from isogloss.validator.dialects.explainers import AutoExplainer
from isogloss.validator.dialects.model import dialects
from isogloss.validator.exchange import Exchange
from isogloss.validator.findings import Break, Impact, Severity
from isogloss.validator.judging.judge import Judge

JUDGE = Judge(engines.load(), explainer=AutoExplainer(dialects()))
GATEWAY = {"provider": "Groq", "x_groq": {"id": "req_1"}, "usage_breakdown": None}
CHOICES = [{**choice, "warp": 1, "index": index} for choice in COMPLETION["choices"] for index in range(2)]
RECORDS: list[Any] = [
    {"response": completion(**copy.deepcopy(GROQ)), "host": "api.groq.com"},
    {"response": COMPLETION | {"created": "then"}},
    {"response": COMPLETION | GATEWAY, "host": "router.huggingface.co"},
    {"request": REQUEST, "path": "/v1/chat/completions", "status": 429, "expected_status": [200], "response": ERROR},
    {"response": COMPLETION | {"created": "now", "warp": 1}},
    {"response": COMPLETION | GATEWAY | {"service_tier": "on_demand"}, "host": "router.huggingface.co"},
    {"chunks": [*CHUNKS, WHOLE_CHUNK]},
]


def _run(exchanges: Sequence[Exchange], settings: RunSettings) -> Run:
    run = Run(settings)
    for exchange in exchanges:
        run.files += 1
        run.add(JUDGE.judge(exchange), file=exchange.file)
    return run


def _contents(run: Run) -> dict[str, Any]:
    """Return everything that reports get from a run."""
    values = {name: value for name, value in vars(run).items() if name not in ("dialects", "firsts", "rates")}
    groups = [(one.first, one.count, one.files, one.dialects, one.rate, one.context) for one in run.groups()]
    counted = {slug: {name: getattr(count, name) for name in count.__slots__} for slug, count in run.dialects.items()}
    return values | {"groups": groups, "dialects": counted, "rates": run.rates.all(), "verdict": run.verdict}


@pytest.mark.parametrize("keep", ["all", "first", "failing", "none"])
@pytest.mark.parametrize("one_file", [True, False])
def test_two_runs_joined_have_the_same_as_one(keep: Keep, one_file: bool) -> None:
    settings = RunSettings(Severity.WARNING, keep=keep, has_contexts=keep != "none", has_survey=keep == "all")
    lines = [json.dumps(record) + "\n" for record in RECORDS]

    def exchanges(start: int, end: int) -> list[Exchange]:
        texts = (
            {"f": "\n" * start + "".join(lines[start:end])}
            if one_file
            else {f"f{at}": lines[at] for at in range(start, end)}
        )
        found = [one for name, text in texts.items() for one in read_all(text.encode(), f"{name}.jsonl")]
        return [one for one in found if isinstance(one, Exchange)]

    whole = _contents(_run(exchanges(0, len(lines)), settings))
    for cut in range(1, len(lines)):
        run = _run(exchanges(0, cut), settings)
        run.merge(_run(exchanges(cut, len(lines)), settings), after=cut if one_file else 0)
        assert _contents(run) == whole


@given(st.lists(st.tuples(st.sampled_from(["a", "b"]), st.sampled_from(RECORDS)), max_size=12))
def test_text_is_the_same_if_only_the_contexts_of_notes_that_it_frames_are_kept(records: list[tuple[str, Any]]) -> None:
    lines: dict[str, str] = {}
    for name, record in records:
        lines[name] = lines.get(name, "") + json.dumps(record) + "\n"
    found = [one for name, text in lines.items() for one in read_all(text.encode(), f"{name}.jsonl")]
    exchanges = [one for one in found if isinstance(one, Exchange)]
    runs = [
        _run(exchanges, RunSettings(Severity.ERROR, keep="first", has_contexts=True, frames_notes_once=once))
        for once in (False, True)
    ]
    texts = [io.StringIO(), io.StringIO()]
    for run, text in zip(runs, texts, strict=True):
        report(run, text)
    assert texts[0].getvalue() == texts[1].getvalue()
    all_contexts, framed = [run.contexts or {} for run in runs]
    assert framed.items() <= all_contexts.items()
    notes = [key for key in framed if key[0] is Severity.NOTE]
    assert len(notes) == len({(framed[key].source.file, key[1]) for key in notes})


@pytest.mark.parametrize("once", [True, False])
def test_only_the_note_that_stands_first_is_framed_and_none_beside_a_warning_of_its_rule(once: bool) -> None:
    note = json.dumps({"response": COMPLETION | {"warp": 1, "weft": 2}})
    warning = json.dumps({"request": {"model": "m", "messages": [{"role": "user", "content": "x"}], "warp": 1}})
    settings = RunSettings(Severity.ERROR, keep="first", has_contexts=True, frames_notes_once=once)

    def frames(*records: str) -> int:
        found = read_all("".join(f"{record}\n" for record in records).encode(), "f.jsonl")
        run, text = _run([one for one in found if isinstance(one, Exchange)], settings), io.StringIO()
        report(run, text)
        assert text.getvalue().count("[unknown-property]") == (2 if len(records) == 1 else 3)
        return text.getvalue().count(" ^")

    assert (frames(note), frames(note, warning), frames(warning, note)) == (1, 1, 1)


@pytest.mark.parametrize("keep", ["all", "first"])
def test_findings_that_say_the_same_are_one_group_which_counts_them_and_their_files(keep: Keep) -> None:
    line = json.dumps({"response": COMPLETION | {"choices": CHOICES}}).encode() + b"\n"
    exchanges = [one for name in ("a", "b") for one in read_all(line * 2, f"{name}.jsonl") if isinstance(one, Exchange)]
    [group] = [one for one in _run(exchanges, RunSettings(Severity.NOTE, keep=keep)).groups() if one.count > 4]
    assert (group.count, group.files) == (8, {"a.jsonl", "b.jsonl"})
    assert (group.first.pointer, group.first.source.line) == ("/choices/0/warp", 1)


def test_a_note_that_a_dialect_explains_is_in_another_group_than_one_that_none_explains() -> None:
    [exchange] = read_all(json.dumps({"response": COMPLETION | {"warp": 1}}).encode(), "f.json")
    assert isinstance(exchange, Exchange)
    finding = JUDGE.judge(exchange).findings[0]
    assert finding.severity is Severity.NOTE
    assert len({group_key(replace(finding, explained_by=slugs)) for slugs in ((), ("a",), ("a", "b"))}) == 2


def test_the_form_of_a_value_divides_a_group_only_where_clients_broke_on_it() -> None:
    [exchange] = read_all(json.dumps({"response": COMPLETION | {"warp": 1}}).encode(), "f.json")
    assert isinstance(exchange, Exchange)
    finding = JUDGE.judge(exchange).findings[0]
    for breaks in ((), (Break("client", "1", "answer", "raises", ("Error",), 1, 1),)):
        keys = {group_key(replace(finding, impact=Impact(form, 1, 1, breaks))) for form in ("null", "string")}
        assert len(keys) == (2 if breaks else 1)
