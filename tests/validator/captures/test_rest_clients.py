"""Tests of files of REST clients: each request is read in its section, and what stands around it is no body."""

from __future__ import annotations

import itertools
import json
from functools import partial

import pytest
from payloads import COMPLETION, REQUEST
from reading import read_all

from isogloss.validator.exchange import Exchange, Skipped

BODY = json.dumps(REQUEST, indent=2)
POST = f"POST https://api.example.com/v1/chat/completions\nContent-Type: application/json\n\n{BODY}\n"


_read = partial(read_all, name="chat.http")


@pytest.mark.parametrize(
    "before", ["", "###\n", "### Chat\n# @name chat\n", "@base = x\n// one\n\n# two\n", "\ufeff\n"]
)
@pytest.mark.parametrize(
    "behind", ["", "\n###\n", "\n### Next\n", "\n> {% client.test('x') %}\n", "\n<> 2026-11-24T100000.200.json\n"]
)
def test_the_body_of_a_request_ends_before_what_a_rest_client_reads(before: str, behind: str) -> None:
    for version, end in itertools.product(("", " HTTP/1.1"), ("\n", "\r\n")):
        text = (before + POST.replace("completions\n", f"completions{version}\n", 1) + behind).replace("\n", end)
        (found,) = _read(text)
        assert isinstance(found, Exchange)
        assert found.request is not None
        assert found.request.sound
        assert found.request.value == REQUEST
        assert (found.host, found.path) == ("api.example.com", "/v1/chat/completions")
        place = found.request.text.place(found.request.text.data.index(b'"model"'))
        assert place.line == text[: text.index('"model"')].count("\n") + 1


def test_each_section_is_a_request() -> None:
    text = f"### One\n{POST}\n### Two\nGET {{{{base}}}}/v1/models\n\n###\n# Three\n{POST}"
    first, models, last = _read(text)
    assert isinstance(first, Exchange)
    assert isinstance(models, Skipped)
    assert isinstance(last, Exchange)
    assert [first.number, last.number] == [0, 2]


def test_a_variable_in_the_url_counts_as_the_host_and_one_in_the_body_makes_it_unknown() -> None:
    text = POST.replace("https://api.example.com", "{{base}}")
    with_variable = text.replace('"Hi"', '"{{text}}"')
    first, second = _read(f"###\n{text}\n###\n{with_variable}")
    assert isinstance(first, Exchange)
    assert (first.host, first.path) == (None, "/v1/chat/completions")
    assert isinstance(second, Skipped)
    assert second.reason == "a request with variables, which a REST client fills in"


def test_a_message_without_remarks_and_separators_was_sent_with_its_braces() -> None:
    (found,) = _read(POST.replace('"Hi"', '"{{text}}"'))
    assert isinstance(found, Exchange)


@pytest.mark.parametrize("body", ["< ./request.json", "file,request.json;", "```json\n{}\n```"])
def test_a_body_in_another_file_or_form_is_not_read(body: str) -> None:
    (found,) = _read(f"POST https://api.example.com/v1/chat/completions\n\n{body}\n")
    assert isinstance(found, Skipped)


def test_an_answer_that_a_test_of_hurl_expects_is_not_read() -> None:
    (found,) = _read(f'{POST}HTTP 200\n[Asserts]\njsonpath "$.model" == "m"\n', name="chat.hurl")
    assert isinstance(found, Exchange)
    assert found.request is not None
    assert found.request.sound
    assert found.response is None


@pytest.mark.parametrize(
    "expected", ["HTTP 200\n", "HTTP 200\n[Asserts]\nstatus == 200\n\n", f"HTTP *\n{BODY}\n# next\n"]
)
def test_each_request_of_a_test_of_hurl_is_read(expected: str) -> None:
    get = f"GET {{{{base}}}}/v1/models\n{expected}"
    with_variable = POST.replace('"Hi"', '"{{text}}"') + expected
    found = _read(f"{get}{POST}{expected}{get}{with_variable}{POST}{expected}", name="chat.hurl")
    assert [type(one) for one in found] == [Exchange, Skipped, Exchange]
    for one in (found[0], found[-1]):
        assert isinstance(one, Exchange)
        assert one.request is not None
        assert (one.request.value, one.request.sound, one.response) == (REQUEST, True, None)


def test_remarks_before_a_request_are_no_capture_in_other_files() -> None:
    for name in ("page.txt", "chat.py", "chat"):
        assert not any(isinstance(found, Exchange) for found in _read(f"# Chat\n{POST}", name=name))


def test_a_chunk_of_a_body_on_the_wire_may_begin_like_a_separator() -> None:
    body = json.dumps(COMPLETION | {"service_tier": "### 3"})
    start = body.index("###")
    framed = "".join(f"{len(part):x}\r\n{part}\r\n" for part in (body[:start], body[start:]))
    answer = f"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{framed}0\r\n\r\n"
    (exchange,) = _read(f"POST /v1/chat/completions HTTP/1.1\r\nHost: h\r\n\r\n{json.dumps(REQUEST)}\r\n{answer}")
    assert isinstance(exchange, Exchange)
    assert exchange.response is not None
    assert exchange.response.text.data.decode() == body
