"""Test that the client of OpenAI parses what conforms, and raises the right exception for what is refused."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import openai
import pytest

from isogloss.cli.probe.cases import CASES, Case

ERRORS = {400: openai.BadRequestError, 404: openai.NotFoundError}


@pytest.fixture
def connect(wire: SimpleNamespace) -> Iterator[Callable[[str], openai.OpenAI]]:
    clients: list[openai.OpenAI] = []

    def connect_client(url: str) -> openai.OpenAI:
        clients.append(openai.OpenAI(base_url=url, api_key=wire.key, max_retries=0))
        return clients[-1]

    yield connect_client
    for client in clients:
        client.close()


def _select_cases(refusals: bool) -> list[Case]:
    return [
        case
        for case in CASES
        if isinstance(case.body, dict)
        and case.refusal is refusals
        and case.key == "right"
        and not (case.path or case.sent_once)
    ]


def test_the_client_parses_a_conforming_answer_without_changes(
    serve: Any, wire: SimpleNamespace, connect: Callable[[str], openai.OpenAI]
) -> None:
    client = connect(serve(wire.answer_correctly).url)
    for case in _select_cases(refusals=False):
        payload = json.loads(case.requests("tiny")[0] or b"")
        unknown = {"isogloss_no_such_parameter": payload.pop("isogloss_no_such_parameter", None)}
        answer = client.chat.completions.create(**payload, extra_body=unknown)
        completion = wire.completion(payload)
        if payload.get("stream"):
            received = [chunk.to_dict() for chunk in answer]
            copied = {name: received[0][name] for name in ("id", "created")}
            assert received == [chunk | copied for chunk in wire.chunks(payload)]
        else:
            assert answer.to_dict() == completion | {"id": answer.id, "created": answer.created}


def test_the_client_raises_the_matching_exception_for_a_proper_refusal(
    serve: Any, wire: SimpleNamespace, connect: Callable[[str], openai.OpenAI]
) -> None:
    client = connect(serve(wire.answer_correctly).url)
    for case in _select_cases(refusals=True):
        with pytest.raises(ERRORS[case.expected[0]]) as raised:
            client.post("/chat/completions", cast_to=object, body=json.loads(case.requests("tiny")[0] or b""))
        assert raised.value.type == "invalid_request_error"
    with pytest.raises(openai.AuthenticationError):
        client.with_options(api_key="sk-wrong").chat.completions.create(model="tiny", messages=[])
