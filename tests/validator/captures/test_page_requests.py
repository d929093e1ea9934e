"""Tests that a request in a block of a page, and a line that names a URL, belong to the answer below."""

from __future__ import annotations

import json
from typing import Any

import pytest
from payloads import COMPLETION, ERROR, EVENTS, REQUEST, as_events, chunk
from reading import all_exchanges, exchange_in, findings_of_exchange, last_reason, place_of, read_all, values_of

from isogloss.validator.exchange import Payload, Skipped

_STREAMED = REQUEST | {"stream": True}
_TOOL = {"type": "function", "function": {"name": "f"}}
_CALL = {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
_CALLING = COMPLETION | {
    "choices": [
        {
            "index": 0,
            "message": {"role": "assistant", "content": None, "refusal": None, "tool_calls": [_CALL]},
            "logprobs": None,
            "finish_reason": "tool_calls",
        }
    ]
}
_CALLING_EVENTS = as_events(
    chunk({"role": "assistant", "content": None, "tool_calls": [{"index": 0} | _CALL]}),
    chunk({}, "tool_calls"),
    "[DONE]",
)
_PAGES = {
    "labels": "## Chat\n\n**Request:**\n```json\n{request}\n```\n\n**Response:**\n\n```json\n{answer}\n```\n",
    "headings": "### Request Body\n\n```json\n{request}\n```\n\n### Response Body\n\n```json\n{answer}\n```\n",
    "no labels": "```\n{request}\n```\n\n```\n{answer}\n```\n",
    "words": "Ask this:\n\n```json\n{request}\n```\n\nThen it answers, after a while:\n\n```\n{answer}\n```\n\nDone.\n",
    "a quotation": "> ```json\n> {request}\n> ```\n>\n> ```json\n> {answer}\n> ```\n",
    "Chinese": "### 请求示例\n```json\n{request}\n```\n### 响应示例\n```json\n{answer}\n```\n",
    "HTTP": "```http\nPOST /v1/chat/completions HTTP/1.1\nHost: h\n\n{request}\n```\nGets\n```json\n{answer}\n```\n",
}
_PAIRS: list[tuple[dict[str, Any], Any]] = [
    (REQUEST, COMPLETION),
    (REQUEST | {"max_tokens": 1, "temperature": 9}, COMPLETION | {"model": "m-2026-01-01"}),
    (REQUEST | {"tools": [_TOOL]}, _CALLING),
    (_STREAMED, EVENTS.rstrip()),
    (_STREAMED | {"tools": [_TOOL], "stream_options": {"include_usage": True}}, _CALLING_EVENTS.rstrip()),
]


def _page(form: str, request: object, answer: object) -> str:
    texts = [one if isinstance(one, str) else json.dumps(one, indent=1) for one in (request, answer)]
    if "> {answer}" in form:
        texts = [text.replace("\n", "\n> ") for text in texts]
    return form.replace("{request}", texts[0]).replace("{answer}", texts[1])


@pytest.mark.parametrize("form", _PAGES)
@pytest.mark.parametrize("request_and_answer", _PAIRS, ids=range(len(_PAIRS)))
def test_a_request_above_an_answer_is_one_exchange_with_it(
    form: str, request_and_answer: tuple[dict[str, Any], Any]
) -> None:
    request, answer = request_and_answer
    page = "# A page\n\n" + _page(_PAGES[form], request, answer) + f"\n## More\n\n```json\n{json.dumps(ERROR)}\n```\n"
    found, error = all_exchanges(page, "page.md")
    assert values_of(found)[0] == request
    record = {"request": request, "sse" if isinstance(answer, str) else "response": answer}
    record |= {"path": "/v1/chat/completions"} if form == "HTTP" else {}
    expected = {one.rule for one in findings_of_exchange(exchange_in(record)) if one.kind != "stream"}
    assert {one.rule for one in findings_of_exchange(found) if one.kind != "stream"} == expected
    assert [one.number for one in (found, error)] == [0, 1]


def test_a_finding_in_the_request_has_its_place_in_its_block() -> None:
    page = _page(_PAGES["labels"], REQUEST | {"temperature": 77}, COMPLETION)
    (found,) = all_exchanges(page, "page.md")
    (finding,) = [one for one in findings_of_exchange(found) if one.pointer == "/temperature"]
    line, column = place_of(finding)
    assert page.splitlines()[line - 1][column - 1 :].startswith("77")


@pytest.mark.parametrize(
    ("request_", "answer"),
    [
        (REQUEST, COMPLETION | {"model": "gpt-4o"}),
        (REQUEST | {"n": 2}, COMPLETION),
        (_STREAMED, COMPLETION),
        (REQUEST, EVENTS.rstrip()),
        (REQUEST, _CALLING),
        (REQUEST | {"tools": [{"type": "function", "function": {"name": "g"}}]}, _CALLING),
        (_STREAMED, _CALLING_EVENTS.rstrip()),
        (REQUEST, ERROR),
    ],
    ids=["model", "n", "no stream", "stream", "no tools", "other tools", "tools in a stream", "error"],
)
def test_an_example_that_contradicts_the_request_above_it_is_no_answer_to_it(
    request_: dict[str, Any], answer: Any
) -> None:
    asked, answered = all_exchanges(_page(_PAGES["labels"], request_, answer), "page.md")
    assert (asked.request is not None, asked.response) == (True, None)
    assert answered.request is None
    rules = {one.rule for one in findings_of_exchange(asked) + findings_of_exchange(answered)}
    assert not rules & {"stream-refused", "tool-undeclared", "choice-count-mismatch", "model-not-asked-for"}


@pytest.mark.parametrize(
    "between",
    [
        "## Errors\n",
        f"```json\n{json.dumps(REQUEST | {'n': 1})}\n```\n",
        f"```json\n{json.dumps(COMPLETION)}\n```\n",
        "```python\nclient.create(messages=[])\n```\n",
        "```\n$ ls\n```\n",
    ],
)
def test_an_answer_behind_something_else_is_not_that_of_a_request(between: str) -> None:
    page = f"```json\n{json.dumps(REQUEST)}\n```\n{between}```json\n{json.dumps(COMPLETION)}\n```\n"
    found = all_exchanges(page, "page.md")
    assert found[-1].response is not None
    assert found[-1].request is None


def test_the_first_chunk_of_a_stream_is_the_answer_to_a_request_for_one() -> None:
    asked = f"POST /v1/chat/completions HTTP/1.1\nHost: h\n\n{json.dumps(_STREAMED)}"
    event = as_events(chunk({"role": "assistant", "content": ""}))
    got = f"HTTP/1.1 200 OK\nContent-Type: text/event-stream\n\n{event}"
    (exchange,) = all_exchanges(f"# A\n\n```http\n{asked}\n```\n\n```http\n{got}```\n", "page.md")
    assert exchange.request is not None
    assert exchange.request.value == _STREAMED


@pytest.mark.parametrize("language", ["", "json", "http", "bash"])
@pytest.mark.parametrize("between", ["\n", "\n\n"])
def test_the_body_of_a_request_may_stand_directly_below_the_line_that_names_it(language: str, between: str) -> None:
    asked = f"POST https://api.example.com/v1/chat/completions{between}{json.dumps(REQUEST, indent=1)}"
    page = f"# A\n\n```{language}\n{asked}\n```\n\n```json\n{json.dumps(COMPLETION)}\n```\n"
    (exchange,) = all_exchanges(page, "page.md")
    assert exchange.request is not None
    assert (exchange.request.value, exchange.host) == (REQUEST, "api.example.com")


def test_each_request_has_the_answer_below_it() -> None:
    requests = [REQUEST | {"temperature": number} for number in (0, 1, 2)]
    found = all_exchanges("".join(_page(_PAGES["labels"], one, COMPLETION) for one in requests), "page.md")
    assert [one.request and one.request.value for one in found] == requests


_CONTENT = [{"type": "text", "text": "Ho"}]
_MESSAGE = {"role": "assistant", "content": "Ho"}


@pytest.mark.parametrize(
    "other",
    [
        {"model": "m", "created_at": "2026-01-01T00:00:00Z", "message": _MESSAGE, "done": True},
        {"id": "x", "message": _MESSAGE | {"content": _CONTENT}, "finish_reason": "COMPLETE"},
        {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": _CONTENT,
         "stop_reason": "end_turn", "usage": {"input_tokens": 1, "output_tokens": 1}},
    ],
    ids=["Ollama", "Cohere", "Anthropic"],
)  # fmt: skip
@pytest.mark.parametrize("form", [name for name in _PAGES if name not in ("HTTP", "a quotation")])
def test_a_request_above_an_answer_of_another_api_is_one_of_that_api(form: str, other: dict[str, Any]) -> None:
    assert all_exchanges(_page(_PAGES[form], REQUEST, other), "page.md") == []


_NAMED = [
    "{method} {url}",
    "### {method} {url}",
    "#### 2.1 {method} {url}",
    "## What it is for: `{method} {url}`",
    "## What it is for ({method} {url})",
    "**{method}** `{url}`",
    "`{method} {url}`",
    "**Endpoint:** `{method} {url}`",
    "- {method} {url} (needs a key)",
    "**`{method} {url}`** -- What it is for",
    "> {method} {url}",
    "```\n{method} {url}\nAuthorization: Bearer $KEY\n```",
    "```http\n{method} {url} HTTP/1.1\nHost: h\n```",
]
_ERROR_BLOCK = f"\nWithout a key:\n\n```json\n{json.dumps(ERROR)}\n```\n"


@pytest.mark.parametrize("line", _NAMED)
@pytest.mark.parametrize(
    ("method", "base", "path"),
    [
        ("GET", "", "/v1/models"),
        ("POST", "https://api.example.com", "/v1/embeddings"),
        ("POST", "{{base}}", "/v1/messages"),
        ("DELETE", "$BASE", "/v1/files/f"),
    ],
)
def test_errors_below_a_line_that_names_another_api_are_of_that_api(
    line: str, method: str, base: str, path: str
) -> None:
    page = f"# API\n\n{line.format(method=method, url=base + path)}\n" + _ERROR_BLOCK * 2
    parts = read_all(page, "page.md")
    assert all(isinstance(one, Skipped) for one in parts), parts
    assert path in last_reason(parts)
    others = all_exchanges(f"{page}\n## Chat\n{_page(_PAGES['labels'], REQUEST, COMPLETION)}{_ERROR_BLOCK}", "page.md")
    assert [one.request is not None for one in others] == [True, False]


@pytest.mark.parametrize("line", _NAMED)
def test_an_error_below_a_line_that_names_chat_completions_is_read(line: str) -> None:
    (found,) = all_exchanges(f"{line.format(method='POST', url='/v1/chat/completions')}\n{_ERROR_BLOCK}", "page.md")
    assert isinstance(found.response, Payload)
    assert found.response.kind == "error"


@pytest.mark.parametrize(
    "words",
    [
        "Use GET /v1/models to list them.",
        "GET /v1/models 401 in 12 ms",
        "GET /v1/models\n\n# Errors",
        "| GET | /v1/models |",
        "- POST /v1/chat/completions\n- GET /v1/models",
        "GET /v1/models\n\nPOST /v1/chat/completions\n\nDELETE /v1/files/f",
        "GET requests are refused.",
    ],
)
def test_an_error_below_words_about_another_api_is_read(words: str) -> None:
    assert len(all_exchanges(f"{words}\n{_ERROR_BLOCK}", "page.md")) == 1


@pytest.mark.parametrize(
    "between", ["", "\n**Headers:**\n```\nContent-Type: application/json\n```\n", "\n### Request\n"]
)
def test_a_request_in_a_block_has_the_url_that_a_line_above_it_names(between: str) -> None:
    named = f"POST https://api.example.com/v1/chat/completions\n{between}\n"
    (found,) = all_exchanges(named + _page(_PAGES["headings" if between else "words"], REQUEST, COMPLETION), "page.md")
    assert (found.host, found.path) == ("api.example.com", "/v1/chat/completions")
    other = named.replace("chat/completions", "messages") + f"```json\n{json.dumps(REQUEST)}\n```\n"
    assert all_exchanges(other, "page.md") == []


def test_requests_on_lines_of_a_text_are_not_joined_as_blocks_of_a_page_are() -> None:
    lines = [REQUEST, REQUEST | {"n": 1}, COMPLETION]
    found = all_exchanges("\n".join(f"body: {json.dumps(one)}" for one in lines), "run.txt")
    assert [one.request is not None and one.response is not None for one in found] == [False] * 3
