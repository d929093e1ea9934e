"""Evidence written for the tests: two clients that nobody makes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from isogloss.validator import captures, engines
from isogloss.validator.exchange import Exchange
from isogloss.validator.findings import Finding
from isogloss.validator.impact.evidence import ClientEvidence, evidence
from isogloss.validator.impact.matching import Matcher
from isogloss.validator.judging.judge import Judge

FOLDER = Path(__file__).parent / "clients"


@pytest.fixture(scope="session")
def known() -> ClientEvidence:
    return evidence(folder=FOLDER)


@pytest.fixture
def found(known: ClientEvidence, tmp_path: Path) -> Callable[[Any], list[Finding]]:
    """Return a function that gives the findings on a subject, with what was seen of clients.

    A subject is a payload, a list of chunks as a stream, or the path of a file.
    """
    judge = Judge(engines.load(), matcher=Matcher(known))

    def findings(subject: Any) -> list[Finding]:
        path = subject if isinstance(subject, Path) else tmp_path / "capture"
        if isinstance(subject, list):
            path.write_text("".join(f"data: {json.dumps(chunk)}\n\n" for chunk in subject) + "data: [DONE]\n\n")
        elif not isinstance(subject, Path):
            path.write_text(json.dumps(subject))
        with path.open("rb") as stream:
            exchanges = [one for one in captures.read(captures.Capture(stream, path.name)) if isinstance(one, Exchange)]
        return [finding for one in exchanges for finding in judge.judge(one).findings]

    return findings
