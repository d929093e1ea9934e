"""Offer evidence about two invented clients, and findings with what was seen of them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from payloads import as_events
from reading import all_exchanges

from isogloss.validator import engines
from isogloss.validator.findings import Finding
from isogloss.validator.impact.evidence import ClientEvidence, evidence
from isogloss.validator.impact.matching import Matcher
from isogloss.validator.judging.judge import Judge

FOLDER = Path(__file__).parent / "clients"


@pytest.fixture(scope="session")
def client_evidence() -> ClientEvidence:
    return evidence(folder=FOLDER)


@pytest.fixture
def find(client_evidence: ClientEvidence, tmp_path: Path) -> Callable[[Any], list[Finding]]:
    """Return a function that gives the findings on a subject, with what was seen of clients.

    A subject is a payload, a list of chunks as a stream, or the path of a file.
    """
    judge = Judge(engines.load(), matcher=Matcher(client_evidence))

    def find_in(subject: Any) -> list[Finding]:
        path = subject if isinstance(subject, Path) else tmp_path / "capture"
        if isinstance(subject, list):
            path.write_text(as_events(*subject, "[DONE]"))
        elif not isinstance(subject, Path):
            path.write_text(json.dumps(subject))
        return [finding for exchange in all_exchanges(path) for finding in judge.judge(exchange).findings]

    return find_in
