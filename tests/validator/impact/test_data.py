"""The evidence that ships: each case is evidence on the finding that it was made from."""

from __future__ import annotations

from pathlib import Path

from isogloss.validator import captures, engines
from isogloss.validator.exchange import Exchange
from isogloss.validator.impact.evidence import ClientCase, evidence
from isogloss.validator.impact.matching import Matcher
from isogloss.validator.judging.judge import Judge

ROOT = Path(__file__).parents[3]
KNOWN = evidence()
JUDGE = Judge(engines.load(), matcher=Matcher(KNOWN))
FROM_FILES = [case for case in KNOWN.cases.values() if case.where is not None and case.file != "generated"]
RUN = [case for case in FROM_FILES if KNOWN.impact_of([case]) is not None]


def _forms(case: ClientCase) -> set[str]:
    """Return the forms of value for which there is evidence on the finding of a case in its own file."""
    assert case.where is not None
    path = ROOT / case.file
    with path.open("rb") as stream:
        exchanges = [one for one in captures.read(captures.Capture(stream, path.name)) if isinstance(one, Exchange)]
    return {
        form
        for exchange in exchanges
        for one in JUDGE.judge(exchange).findings
        if (one.rule, one.kind, one.path) == case.where[:2] + case.where[3:] and one.impact is not None
        for form in one.impact.form.split(", ")
    }


def test_a_case_is_evidence_on_the_finding_in_its_own_file() -> None:
    assert len(RUN) > 300
    assert [case.id for case in RUN if case.form not in _forms(case)] == []
