"""Test the evidence that ships with isogloss: each case is evidence on the finding that it was made from."""

from __future__ import annotations

from pathlib import Path

from reading import all_exchanges

from isogloss.validator import engines
from isogloss.validator.impact.evidence import ClientCase, evidence
from isogloss.validator.impact.matching import Matcher
from isogloss.validator.judging.judge import Judge

ROOT = Path(__file__).parents[3]
EVIDENCE = evidence()
JUDGE = Judge(engines.load(), matcher=Matcher(EVIDENCE))
FROM_FILES = [case for case in EVIDENCE.cases.values() if case.where is not None and case.file != "generated"]
CASES_WITH_IMPACT = [case for case in FROM_FILES if EVIDENCE.impact_of([case]) is not None]


def _forms_with_evidence(case: ClientCase) -> set[str]:
    """Return the forms of value for which there is evidence on the finding of a case in its own file."""
    assert case.where is not None
    return {
        form
        for exchange in all_exchanges(ROOT / case.file)
        for finding in JUDGE.judge(exchange).findings
        if (finding.rule, finding.kind, finding.path) == case.where[:2] + case.where[3:] and finding.impact is not None
        for form in finding.impact.form.split(", ")
    }


def test_case_is_evidence_on_the_finding_in_its_own_file() -> None:
    assert len(CASES_WITH_IMPACT) > 300
    assert [case.id for case in CASES_WITH_IMPACT if case.form not in _forms_with_evidence(case)] == []
