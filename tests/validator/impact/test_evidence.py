"""Test which cases of clients are evidence on a finding, and which are not."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from payloads import as_events, chunk
from reading import all_exchanges

from isogloss.validator import engines
from isogloss.validator.findings import Finding
from isogloss.validator.impact.evidence import (
    CaseKey,
    ClientCase,
    ClientDifference,
    ClientEvidence,
    ClientRun,
    evidence,
)
from isogloss.validator.impact.matching import Matcher
from isogloss.validator.judging.judge import Judge
from isogloss.validator.pointer import ABSENT

ROOT = Path(__file__).parents[3]
FOLDER = Path(__file__).parent / "clients"
FIXTURES = ROOT / "fixtures"
COMPLETION: dict[str, Any] = json.loads((FIXTURES / "conforming/completion/text.json").read_bytes())
END = chunk({}, "stop")

Find = Callable[[Any], list[Finding]]


def _completion_with(content: Any) -> dict[str, Any]:
    changed = copy.deepcopy(COMPLETION)
    changed["choices"][0]["message"]["content"] = content
    return changed


def _finding_of(findings: Sequence[Finding], rule: str) -> Finding:
    [finding] = [finding for finding in findings if finding.rule == rule]
    return finding


def _breaks_of(finding: Finding) -> set[tuple[str, str, str, str]]:
    breaks = finding.impact.breaks if finding.impact is not None else ()
    return {
        (client_break.client, client_break.version, client_break.path, client_break.outcome) for client_break in breaks
    }


def test_case_of_the_same_rule_place_and_form_is_evidence(find: Find) -> None:
    finding = _finding_of(find(COMPLETION | {"choices": None}), "null-value")
    assert _breaks_of(finding) == {
        ("alpha", "1.0.0", "plain", "raises"),
        ("alpha", "2.0.0", "plain", "raises"),
        ("beta", "3.1.0", "generate", "raises"),
    }


@pytest.mark.parametrize("content", [5, {"text": "Hello"}, [], True])
def test_a_case_whose_value_has_another_form_is_no_evidence(find: Find, content: object) -> None:
    assert _finding_of(find(_completion_with(content)), "wrong-type").impact is None


def test_cases_with_any_value_of_the_same_form_are_evidence_and_are_counted(find: Find) -> None:
    impact = _finding_of(find(_completion_with([{"type": "text", "text": "other"}])), "wrong-type").impact
    assert impact is not None
    [client_break] = impact.breaks
    assert (impact.cases, client_break.cases, client_break.of) == (2, 1, 2)
    assert (client_break.client, client_break.version, client_break.outcome) == ("alpha", "2.0.0", "silent")


def test_a_case_at_another_place_is_no_evidence(find: Find) -> None:
    finding = _finding_of(find(COMPLETION | {"usage": None}), "null-value")
    assert finding.impact is None


def test_case_of_a_stream_is_no_evidence_on_a_completion(find: Find) -> None:
    changed = copy.deepcopy(COMPLETION)
    changed["choices"][0]["message"]["reasoning_content"] = "Hm"
    assert _finding_of(find(changed), "unknown-property").impact is None
    streamed = _finding_of(find([chunk({"role": "assistant", "reasoning_content": "Hm"}), END]), "unknown-property")
    assert _breaks_of(streamed) == {("beta", "3.1.0", "agent", "silent")}


def test_a_single_chunk_counts_as_a_stream(find: Find) -> None:
    single = find(FIXTURES / "schema/unknown-property/invalid-chunk-reasoning-content.json")
    assert _breaks_of(_finding_of(single, "unknown-property")) == {("beta", "3.1.0", "agent", "silent")}


@pytest.mark.parametrize("values", [("Hm", None), (None, "Hm"), ("Hm", "so")])
def test_finding_on_many_chunks_has_the_forms_of_all_its_values(find: Find, values: tuple[object, ...]) -> None:
    chunks = [chunk({"role": "assistant"}), *(chunk({"reasoning_content": value}) for value in values), END]
    finding = _finding_of(find(chunks), "unknown-property")
    assert finding.impact is not None
    assert set(finding.impact.form.split(", ")) == {"null" if value is None else "string" for value in values}
    assert _breaks_of(finding) == {("beta", "3.1.0", "agent", "silent")}


def test_finding_on_several_choices_has_the_forms_of_all_their_values(find: Find) -> None:
    one, other = chunk({"reasoning_content": "Hm"}), chunk({"reasoning_content": None})
    one["choices"] += [{**other["choices"][0], "index": 1}]
    impact = _finding_of(find([one, END]), "unknown-property").impact
    assert impact is not None
    assert impact.form == "null, string"


def test_finding_on_a_whole_stream_has_evidence(client_evidence: ClientEvidence) -> None:
    where = CaseKey("done-missing", "stream", "stream", "")
    impact = client_evidence.impact(where, frozenset({"whole"}), "any", False)
    assert impact is not None
    assert [(client_break.client, client_break.outcome) for client_break in impact.breaks] == [("beta", "hangs")]


@pytest.mark.parametrize(
    ("message", "calls", "form", "chosen"),
    [
        ("one", True, "absent, one, with calls", ["one with calls"]),
        ("one", False, "absent, one, without calls", ["one without"]),
        ("other", True, "absent, other", ["other without"]),
        ("unknown", False, "absent, without calls", ["one without", "other without"]),
        ("unknown", True, "absent, with calls", ["one with calls"]),
    ],
)
def test_of_several_cases_those_count_that_have_the_message_of_the_finding_and_calls_as_it_has(
    message: str, calls: bool, form: str, chosen: list[str]
) -> None:
    where = CaseKey("missing-property", "completion", "answer", "id")
    cases = {
        name: ClientCase(name, where, "answer", "absent", ABSENT, name.partition(" ")[0], "calls" in name, None, "")
        for name in ("one with calls", "one without", "other without")
    }
    runs = [
        ClientRun(name, "1", "plain", frozenset(), {name: ClientDifference("raises", "")}, frozenset())
        for name in cases
    ]
    known = ClientEvidence(cases, runs)
    for asked_before in ("other", "unknown", "one"):
        known.impact(where, frozenset({"absent"}), asked_before, not calls)
        known.impact(where, frozenset({"absent"}), asked_before, calls)
    impact = known.impact(where, frozenset({"absent"}), message, calls)
    assert impact is not None
    assert (impact.form, [one.client for one in impact.breaks]) == (form, chosen)


@pytest.mark.parametrize(
    ("deviating", "form", "chosen"),
    [
        ([0], "null, on the first event", ["first"]),
        ([0, 1], "null, on the first event", ["first"]),
        ([1], "null, on later events", ["later"]),
        ([0, 1, 2], "null", ["first", "later"]),  # no case is like it, so all are evidence
    ],
)
def test_of_several_cases_those_count_that_are_on_the_same_events_of_a_stream(
    deviating: list[int], form: str, chosen: list[str], tmp_path: Path
) -> None:
    where = CaseKey("null-value", "chunk", "stream", "created")
    extents = {"first": "on the first event", "later": "on later events"}
    cases = {
        name: ClientCase(name, where, "stream", "null", None, None, False, one, "") for name, one in extents.items()
    }
    runs = [
        ClientRun(name, "1", "plain", frozenset(), {name: ClientDifference("raises", "")}, frozenset())
        for name in cases
    ]
    judge = Judge(engines.load(), matcher=Matcher(ClientEvidence(cases, runs)))
    chunks = [chunk({"role": "assistant"}), chunk({"content": "Hm"}), END]
    for number in deviating:
        chunks[number] = chunks[number] | {"created": None}
    (tmp_path / "stream").write_text(as_events(*chunks, "[DONE]"))
    [exchange] = all_exchanges(tmp_path / "stream")
    impact = _finding_of(judge.judge(exchange).findings, "null-value").impact
    assert impact is not None
    assert (impact.form, [one.client for one in impact.breaks]) == (form, chosen)


def test_what_clients_did_beside_calls_is_no_evidence_on_a_text_if_there_is_a_case_of_a_text() -> None:
    judge = Judge(engines.load(), matcher=Matcher(evidence()))
    forms = []
    for name in ("invalid-completion-message-content", "invalid-completion-message-content-beside-calls"):
        [exchange] = all_exchanges(FIXTURES / "schema" / "missing-property" / f"{name}.json")
        impact = _finding_of(judge.judge(exchange).findings, "missing-property").impact
        assert impact is not None
        forms.append(impact.form)
    assert forms == ["absent, without calls", "absent, with calls"]


def test_client_that_did_not_break_is_counted_and_not_listed(find: Find) -> None:
    changed = copy.deepcopy(COMPLETION)
    changed["choices"][0]["message"]["annotations"] = None
    impact = _finding_of(find(changed), "null-value").impact
    assert impact is not None
    assert impact.breaks == ()
    assert impact.tried == 2  # the case is not published for beta, since beta failed on the twin


def test_conforming_cases_are_evidence_on_no_finding(client_evidence: ClientEvidence) -> None:
    conforming = client_evidence.cases["conforming/two-choices"]
    assert conforming.where is None
    assert all(
        conforming not in client_evidence.cases_of_rule(case.where.rule)
        for case in client_evidence.cases.values()
        if case.where
    )


def test_evidence_is_limited_to_the_named_clients() -> None:
    where = CaseKey("null-value", "completion", "answer", "choices")
    impact = evidence(("beta",), FOLDER).impact(where, frozenset({"null"}), "any", False)
    assert impact is not None
    assert {client_break.client for client_break in impact.breaks} == {"beta"}
    with pytest.raises(KeyError):
        evidence(("gamma",), FOLDER)


def test_findings_have_no_impact_without_a_matcher(findings_of: Callable[[Path], list[Finding]]) -> None:
    findings = findings_of(FIXTURES / "schema/null-value/invalid-completion-choices.json")
    assert [finding.impact for finding in findings] == [None]
