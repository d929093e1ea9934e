"""Tests of recordings of httptest2 and httptest (R): a response as the code that ``dput`` writes of it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from payloads import COMPLETION, ERROR, as_events
from reading import exchange_in, read_all

from isogloss.validator.exchange import Cause, Payload, Skipped, Stream

URL = "https://api.example.com/v1/chat/completions"
ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"})


def in_code(text: str) -> str:
    return f'"{text.translate(ESCAPES)}"'


def in_raw(text: str) -> str:
    return f"as.raw(c({', '.join(f'0x{byte:02x}' for byte in text.encode())}))"


def of_httr2(body: str, status: int = 200, content_type: str = "application/json", url: str = URL) -> str:
    headers = f'structure(list(`content-type` = "{content_type}", note = "body = 1L"), class = "httr2_headers")'
    return (
        f'structure(list(method = "POST", url = {in_code(url)}, \n    status_code = {status}L, headers = {headers},'
        f' \n    body = {body}, \n    cache = new.env(parent = emptyenv())), class = "httr2_response")\n'
    )


def of_httr(body: str) -> str:
    headers = 'structure(list(\n    `Content-Type` = "application/json"), class = c("insensitive", "list"))'
    request = 'structure(list(method = "POST", url = "https://other.example", body = charToRaw("{}")))'
    return (
        f'structure(list(url = "{URL}", status_code = 404L, headers = {headers}, content = {body},'
        f' request = {request}), class = "response")\n'
    )


@given(st.text(st.characters(codec="utf-8", exclude_characters="\x7f", exclude_categories=["Cc", "Cs"])), st.booleans())
def test_body_is_the_text_that_r_wrote(text: str, is_text: bool) -> None:
    answer = json.dumps(COMPLETION | {"model": f'a "name" \\ {text}'}, indent=1, ensure_ascii=False)
    body = f"charToRaw({in_code(answer)})" if is_text else in_raw(answer)
    exchange = exchange_in(of_httr2(body), "completions-1a2b3c-POST.R")
    assert isinstance(exchange.response, Payload)
    assert exchange.response.value == json.loads(answer)
    assert (exchange.host, exchange.path) == ("api.example.com", "/v1/chat/completions")
    assert (exchange.http.status, exchange.http.content_type) == (200, "application/json")


def test_stream_is_read_as_a_stream() -> None:
    events = as_events(COMPLETION | {"object": "chat.completion.chunk"}, "[DONE]")
    exchange = exchange_in(of_httr2(f"charToRaw({in_code(events)})", content_type="text/event-stream"), "chat.R")
    assert isinstance(exchange.response, Stream)


@pytest.mark.parametrize("write", [in_raw, lambda text: f"charToRaw({in_code(text)})"])
def test_response_of_httr_has_its_own_url_and_status_and_not_those_of_its_request(write: Any) -> None:
    exchange = exchange_in(of_httr(write(json.dumps(ERROR))), "chat.R")
    assert (exchange.host, exchange.http.status) == ("api.example.com", 404)


def test_finding_has_the_place_in_the_code() -> None:
    code = of_httr2(f"charToRaw({in_code(json.dumps(COMPLETION, indent=2))})")
    response = exchange_in(code, "chat.R").response
    assert isinstance(response, Payload)
    place = response.text.place(response.text.data.index(b'"model"'))
    line = code.splitlines()[place.line - 1]
    assert line[place.column - 1 :].startswith('\\"model\\"')


@pytest.mark.parametrize(
    "code",
    [
        of_httr2("raw(0)"),
        of_httr2("charToRaw(" + in_code(json.dumps(COMPLETION)))[:400],
        of_httr2(in_raw(json.dumps(COMPLETION)))[:400],
        of_httr2("charToRaw(" + '"' + '\\"' * 100),
    ],
    ids=["no body", "text that does not end", "bytes that do not end", "quotes that do not end"],
)
def test_response_without_a_whole_body_is_skipped(code: str) -> None:
    (skipped,) = read_all(code, "chat.R")
    assert isinstance(skipped, Skipped)
    assert skipped.why.cause is Cause.UNREAD


def test_response_of_another_api_is_skipped() -> None:
    (skipped,) = read_all(of_httr2('charToRaw("{}")', url="https://api.example.com/v1/embeddings"), "embeddings.R")
    assert isinstance(skipped, Skipped)
