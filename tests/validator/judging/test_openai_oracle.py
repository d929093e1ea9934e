"""Test against the reference client: a payload that its models reject always has a finding."""

from __future__ import annotations

import json
from itertools import islice
from typing import Any

import pytest
from openai.types.chat import ChatCompletion, ChatCompletionChunk
from pydantic import BaseModel, ValidationError

from isogloss.validator import engines
from isogloss.validator.exchange import Exchange, Kind, Payload
from isogloss.validator.findings import Severity
from isogloss.validator.judging.judge import Judge
from isogloss.validator.text import Text

MODELS: dict[Kind, type[BaseModel]] = {"completion": ChatCompletion, "chunk": ChatCompletionChunk}
NPM_ONLY = "custom-tool-call"
"""Fixtures whose names begin so have custom calls in streams: npm has types for them (7.57.0), PyPI not yet."""
JUDGE = Judge(engines.load())


def rejects(model: type[BaseModel], value: object) -> bool:
    try:
        model.model_validate(value)
    except ValidationError:
        return True
    return False


def severities(kind: Kind, value: object) -> list[Severity]:
    text = Text(json.dumps(value).encode())
    body = Payload(kind=kind, value=value, text=text)
    verdict = JUDGE.judge(Exchange(file="payload", number=0, text=text, response=body))
    return [finding.severity for finding in verdict.findings]


@pytest.mark.parametrize("kind", MODELS)
def test_conforming_fixtures_are_accepted_by_the_client(kind: Kind, payloads: list[Any]) -> None:
    for payload in payloads:
        if payload.kind == kind and not payload.name.startswith(NPM_ONLY):
            assert not rejects(MODELS[kind], payload.value), payload.name


@pytest.mark.thorough
@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.parametrize("step", [4, pytest.param(1, marks=pytest.mark.slow)], ids=["every-fourth", "all"])
def test_every_change_that_the_client_rejects_causes_an_error_or_warning(
    kind: Kind, payloads: list[Any], step: int
) -> None:
    rejected, missed = 0, []
    for payload in payloads:
        if payload.kind != kind or payload.name.startswith(NPM_ONLY):
            continue
        for change in islice(payload.changes(), 0, None, step):
            value = change.apply_to(payload.value)
            if rejects(MODELS[kind], value):
                rejected += 1
                if max(severities(kind, value), default=Severity.NOTE) < Severity.WARNING:
                    missed.append((payload.name, change))
    assert missed == []
    assert rejected > 1000 / step
