"""From a finding to what was seen of clients: which cases are evidence on it, and which are not."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from isogloss.validator.findings import Finding
from isogloss.validator.impact.evidence import ClientEvidence, Where, evidence

ROOT = Path(__file__).parents[3]
FOLDER = Path(__file__).parent / "clients"
FIXTURES = ROOT / "fixtures"
WHOLE: dict[str, Any] = json.loads((FIXTURES / "conforming/completion/text.json").read_bytes())

Found = Callable[[Any], list[Finding]]


def _chunk(**delta: Any) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": None}
    return {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1760000000, "model": "m"} | {
        "choices": [choice]
    }


def _end() -> dict[str, Any]:
    chunk = _chunk()
    chunk["choices"][0]["finish_reason"] = "stop"
    return chunk


def _with(content: Any) -> dict[str, Any]:
    changed = copy.deepcopy(WHOLE)
    changed["choices"][0]["message"]["content"] = content
    return changed


def _of(findings: list[Finding], rule: str) -> Finding:
    [found] = [one for one in findings if one.rule == rule]
    return found


def _clients(finding: Finding) -> set[tuple[str, str, str, str]]:
    breaks = finding.impact.breaks if finding.impact is not None else ()
    return {(one.client, one.version, one.path, one.outcome) for one in breaks}


def test_a_case_of_the_same_rule_place_and_form_is_evidence_with_its_version_and_path(found: Found) -> None:
    finding = _of(found(WHOLE | {"choices": None}), "null-value")
    assert _clients(finding) == {
        ("alpha", "1.0.0", "plain", "raises"),
        ("alpha", "2.0.0", "plain", "raises"),
        ("beta", "3.1.0", "generate", "raises"),
    }


@pytest.mark.parametrize("content", [5, {"text": "Hello"}, [], True])
def test_a_case_whose_value_has_another_form_is_no_evidence(found: Found, content: object) -> None:
    assert _of(found(_with(content)), "wrong-type").impact is None


def test_every_value_of_the_same_form_is_evidence_and_the_cases_are_counted(found: Found) -> None:
    impact = _of(found(_with([{"type": "text", "text": "other"}])), "wrong-type").impact
    assert impact is not None
    [seen] = impact.breaks
    assert (impact.cases, seen.cases, seen.of) == (2, 1, 2)
    assert (seen.client, seen.version, seen.outcome) == ("alpha", "2.0.0", "silent")


def test_a_case_at_another_place_is_no_evidence(found: Found) -> None:
    finding = _of(found(WHOLE | {"usage": None}), "null-value")
    assert finding.impact is None


def test_what_a_stream_sends_is_no_evidence_on_an_answer_of_one_document(found: Found) -> None:
    changed = copy.deepcopy(WHOLE)
    changed["choices"][0]["message"]["reasoning_content"] = "Hm"
    assert _of(found(changed), "unknown-property").impact is None
    streamed = _of(found([_chunk(role="assistant", reasoning_content="Hm"), _end()]), "unknown-property")
    assert _clients(streamed) == {("beta", "3.1.0", "agent", "silent")}


def test_a_single_chunk_counts_as_a_stream(found: Found) -> None:
    single = found(FIXTURES / "schema/unknown-property/invalid-chunk-reasoning-content.json")
    assert _clients(_of(single, "unknown-property")) == {("beta", "3.1.0", "agent", "silent")}


@pytest.mark.parametrize("values", [("Hm", None), (None, "Hm"), ("Hm", "so")])
def test_of_a_finding_on_many_chunks_the_values_on_all_of_them_count(found: Found, values: tuple[object, ...]) -> None:
    chunks = [_chunk(role="assistant"), *(_chunk(reasoning_content=one) for one in values), _end()]
    finding = _of(found(chunks), "unknown-property")
    assert finding.impact is not None
    assert set(finding.impact.form.split(", ")) == {"null" if one is None else "string" for one in values}
    assert _clients(finding) == {("beta", "3.1.0", "agent", "silent")}


def test_what_is_said_of_a_stream_as_a_whole_has_evidence_too(known: ClientEvidence) -> None:
    impact = known.impact(Where("done-missing", "stream", "stream", ""), frozenset({"whole"}))
    assert impact is not None
    assert [(one.client, one.outcome) for one in impact.breaks] == [("beta", "hangs")]


def test_where_a_client_was_run_and_did_not_break_it_is_counted_and_nothing_is_listed(found: Found) -> None:
    changed = copy.deepcopy(WHOLE)
    changed["choices"][0]["message"]["annotations"] = None
    impact = _of(found(changed), "null-value").impact
    assert impact is not None
    assert impact.breaks == ()
    assert impact.tried == 2  # of beta the case is not published, since it failed on the twin


def test_conforming_cases_are_evidence_on_no_finding(known: ClientEvidence) -> None:
    conforming = known.cases["conforming/two-choices"]
    assert conforming.where is None
    assert all(conforming not in known.cases_of_rule(case.where.rule) for case in known.cases.values() if case.where)


def test_only_the_clients_that_are_named_count() -> None:
    where = Where("null-value", "completion", "answer", "choices")
    impact = evidence(("beta",), FOLDER).impact(where, frozenset({"null"}))
    assert impact is not None
    assert {one.client for one in impact.breaks} == {"beta"}
    with pytest.raises(KeyError):
        evidence(("gamma",), FOLDER)


def test_without_a_matcher_findings_say_nothing_of_clients(findings_of: Callable[[Path], list[Finding]]) -> None:
    findings = findings_of(FIXTURES / "schema/null-value/invalid-completion-choices.json")
    assert [one.impact for one in findings] == [None]
