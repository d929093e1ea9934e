"""The reference client and the probe speak to the same server: what conforms, the client can parse."""

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

    def connected(url: str) -> openai.OpenAI:
        clients.append(openai.OpenAI(base_url=url, api_key=wire.key, max_retries=0))
        return clients[-1]

    yield connected
    for client in clients:
        client.close()


def _questions(refusals: bool) -> list[Case]:
    return [
        case
        for case in CASES
        if isinstance(case.body, dict)
        and case.refusal is refusals
        and case.key == "right"
        and not (case.path or case.once)
    ]


def test_what_conforms_the_client_parses_to_the_same(
    serve: Any, wire: SimpleNamespace, connect: Callable[[str], openai.OpenAI]
) -> None:
    client = connect(serve(wire.well).url)
    for case in _questions(refusals=False):
        request = json.loads(case.requests("tiny")[0] or b"")
        unknown = {"isogloss_no_such_parameter": request.pop("isogloss_no_such_parameter", None)}
        answer = client.chat.completions.create(**request, extra_body=unknown)
        whole = wire.completion(request)
        if request.get("stream"):
            received = [chunk.to_dict() for chunk in answer]
            same = {name: received[0][name] for name in ("id", "created")}
            assert received == [chunk | same for chunk in wire.chunks(request)]
        else:
            assert answer.to_dict() == whole | {"id": answer.id, "created": answer.created}


def test_what_is_refused_in_due_form_the_client_raises_as_that(
    serve: Any, wire: SimpleNamespace, connect: Callable[[str], openai.OpenAI]
) -> None:
    client = connect(serve(wire.well).url)
    for case in _questions(refusals=True):
        with pytest.raises(ERRORS[case.expected[0]]) as raised:
            client.post("/chat/completions", cast_to=object, body=json.loads(case.requests("tiny")[0] or b""))
        assert raised.value.type == "invalid_request_error"
    with pytest.raises(openai.AuthenticationError):
        client.with_options(api_key="sk-wrong").chat.completions.create(model="tiny", messages=[])
