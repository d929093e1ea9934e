"""Test against the reference client: a payload that its models reject always has a finding."""

from __future__ import annotations

import json
from itertools import islice
from typing import Any

import pytest
from openai.types.chat import ChatCompletion, ChatCompletionChunk
from payloads import as_events
from pydantic import BaseModel, ValidationError

from isogloss.validator import check, engines
from isogloss.validator.exchange import NO_HTTP, Exchange, HttpFacts, Kind, Payload
from isogloss.validator.findings import Finding, Severity
from isogloss.validator.judging.judge import Judge
from isogloss.validator.text import Text
from isogloss.validator.views import is_audio_model

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


def findings(kind: Kind, value: object, http: HttpFacts = NO_HTTP) -> list[Finding]:
    text = Text(json.dumps(value).encode())
    body = Payload(kind=kind, value=value, text=text)
    return JUDGE.judge(Exchange(file="payload", number=0, text=text, response=body, http=http)).findings


def severities(kind: Kind, value: object) -> list[Severity]:
    return [finding.severity for finding in findings(kind, value)]


@pytest.mark.parametrize("kind", MODELS)
def test_conforming_fixtures_are_accepted_by_the_client(kind: Kind, payloads: list[Any]) -> None:
    for payload in payloads:
        if payload.kind == kind and not payload.name.startswith(NPM_ONLY):
            assert not rejects(MODELS[kind], payload.value), payload.name


@pytest.mark.parametrize("kind", MODELS)
def test_conforming_fixtures_conform_as_the_client_writes_them(kind: Kind, payloads: list[Any]) -> None:
    for payload in payloads:
        if payload.kind == kind and not payload.name.startswith(NPM_ONLY):
            written = MODELS[kind].model_validate(payload.value).model_dump(mode="json")
            if written["choices"]:  # a chunk without choices shows less, and stands alone in no stream
                assert findings(kind, written) == [], payload.name
                assert findings(kind, _sorted(written)) == [], payload.name


def _sorted(value: dict[str, Any]) -> Any:
    """Return a value as recorders write it that sort the properties of all objects."""
    return json.loads(json.dumps(value, sort_keys=True))


@pytest.mark.parametrize("facts", [HttpFacts(200, "application/json"), HttpFacts(content_type="application/json")])
def test_nulls_that_a_server_sent_are_reported_although_the_client_would_write_them(
    facts: HttpFacts, payloads: list[Any]
) -> None:
    value = next(payload.value for payload in payloads if payload.kind == "completion" and payload.name == "text.json")
    written = ChatCompletion.model_validate(value).model_dump(mode="json")
    assert "null-value" in {finding.rule for finding in findings("completion", written, facts)}


def test_nulls_are_reported_unless_all_shows_that_the_client_wrote_them(payloads: list[Any]) -> None:
    value = next(payload.value for payload in payloads if payload.kind == "completion" and payload.name == "text.json")
    written = ChatCompletion.model_validate(value).model_dump(mode="json")
    choice = written["choices"][0]
    one_null = {name: part for name, part in choice["message"].items() if name != "tool_calls"}
    others = [
        written | {"choices": [choice | {"message": one_null}]},
        {"object": written["object"], **written},
        {name: written[name] for name in ("id", "choices", "model", "created", "object", *written)},
        {name: written[name] for name in ("choices", "created", "model", "id", "object", *written)},
        _sorted(written | {"choices": [choice | {"message": one_null}]}),
    ]
    assert all("null-value" in {finding.rule for finding in findings("completion", other)} for other in others)


def test_a_stream_of_objects_that_the_client_wrote_conforms() -> None:
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": "", "refusal": None}, {"content": "Hi"}, {}]
    chunks = [
        ChatCompletionChunk.model_validate({
            "id": "chatcmpl-BZ3rGd8fGhJkLmNoPqRsTuVw", "object": "chat.completion.chunk", "created": 1747000000,
            "model": "gpt-4o-2024-08-06", "service_tier": "default", "system_fingerprint": "fp_07871e2ad8",
            "choices": [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": None if delta else "stop"}],
        }).model_dump(mode="json")
        for delta in deltas
    ]  # fmt: skip
    assert check(json.dumps(chunks)).findings == ()
    assert check("\n".join(map(json.dumps, chunks))).findings == ()
    wrong = check([{**chunk, "created": "1"} for chunk in chunks])
    assert {finding.rule for finding in wrong.findings} == {"wrong-type"}
    sent = check(as_events(*chunks, "[DONE]"))
    assert "null-value" in {finding.rule for finding in sent.findings}


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
            if isinstance(value, dict) and is_audio_model(value.get("model")) and "choices" not in value:
                continue  # decision 32: OpenAI sends such chunks, although its client's models reject them
            if rejects(MODELS[kind], value):
                rejected += 1
                if max(severities(kind, value), default=Severity.NOTE) < Severity.WARNING:
                    missed.append((payload.name, change))
    assert missed == []
    assert rejected > 1000 / step
