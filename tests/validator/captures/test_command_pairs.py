"""Tests that a command and the answer below it are an exchange, in pages and in copies of a terminal."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from payloads import COMPLETION, ERROR, EVENTS, REQUEST, URL, as_events, chunk, with_finish_reason
from reading import all_exchanges, exchange_in, findings_of_exchange, place_of, read_all, values_of

from isogloss.validator.exchange import Exchange, Payload, Skipped

STREAMED = REQUEST | {"stream": True}
_IN_DOUBLE_QUOTES = str.maketrans({"\\": "\\\\", '"': '\\"', "$": "\\$", "`": "\\`"})


def _single(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def _double(text: str) -> str:
    return '"' + text.translate(_IN_DOUBLE_QUOTES) + '"'


_HEADER = '-H "Content-Type: application/json"'
_SPELLINGS: dict[str, Callable[[str], str]] = {
    "single quotes": lambda body: f"curl {URL} {_HEADER} -d {_single(body)}",
    "a quote in other quotes": lambda body: f"""curl {URL} -d '{body.replace("'", "'" + '"' + "'" + '"' + "'")}'""",
    "double quotes": lambda body: f"curl -s {URL} -d {_double(body)} {_HEADER}",
    "lines with a backslash": lambda body: f"curl -sS -X POST \\\n  {URL} \\\n  {_HEADER} \\\n  -d {_single(body)}",
    "lines without a mark": lambda body: f"curl -X POST {URL}\n-H 'a: b'\n-d {_single(body)}",
    "the URL behind the body": lambda body: f'curl -sN -H "a: b" --data-raw {_single(body)} "{URL}" | jq .',
    "an option in one word": lambda body: f"curl -XPOST --url={URL} -d{_single(body)} 2>/dev/null | jq",
    "a long option in one word": lambda body: f"curl --json={_single(body)} --url '{URL}'",
    "the value behind other letters": lambda body: f"curl -sSLd {_single(body)} -o - {URL}",
    "cmd": lambda body: f"curl.exe -X POST {URL} ^\n  {_HEADER} ^\n  -d {_double(body)}",
    "lines that a shell marks": lambda body: (
        f"curl {URL} \\\n> {_HEADER} \\\n> -d " + _single(body).replace("\n", "\n> ")
    ),
    "a here-document": lambda body: f"curl {URL} {_HEADER} -d @- <<'EOF'\n{body}\nEOF",
    "a here-document of cat": lambda body: f"cat <<'END' | curl -s {URL} -d @-\n{body}\nEND",
    "a here-document as a file": lambda body: f"cat <<'END' | curl -s {URL} -d @/dev/stdin\n{body}\nEND",
    "a here-string": lambda body: f"curl {URL} --data-binary @- <<< {_single(body)}",
    "HTTPie": lambda body: f"http --stream POST {URL} <<< {_single(body)}",
    "PowerShell": lambda body: f"Invoke-RestMethod -Uri {URL} -Method Post -Body '{body}'",
}
_ANYWHERE = {
    "a terminal": ("page.md", "```console\n$ {command}\n{answer}\n```\n"),
    "a prompt with words": ("page.md", "```\n(base) u@h:~/x$ {command}\n{answer}u@h:~/x$ \n```\n"),
    "a prompt without a blank": ("page.md", "```\n$ whoami\n$ {command}\n{answer}\n```\n".replace("$ ", "$")),
    "a text": ("run.txt", "$ {command}\n{answer}\n"),
    "a meter": ("run.txt", "$ {command}\n  % Total    % Received\n100  1   --:--:--  9k\n{answer}\n"),
    "a page without blocks": ("page.md", "It gets:\n\n$ {command}\n{answer}\n\nAnd so on.\n"),
    "two blocks": ("page.md", "## Chat\n```bash\n{command}\n```\n\nIt answers:\n```json\n{answer}\n```\n"),
    "a heading of the answer": (
        "page.md",
        "# A\n```sh\n{command}\n```\n# Example response\n```json\n{answer}\n```\n",
    ),
    "a line of dashes": ("page.md", "{command}\n-----------\n\n{answer}\n"),
    "AsciiDoc": ("a.adoc", "== A\n\n[source,sh]\n----\n{command}\n----\n\n[source,json]\n----\n{answer}\n----\n"),
    "reStructuredText": ("a.rst", "A\n=\n\n.. code-block:: sh\n\n   {command}\n\nAnswer::\n\n   {answer}\n\nB\n"),
    "comments": ("page.md", "```sh\n{command}\n\n# Answer:\n{answer}\n```\n"),
    "a list": ("page.md", "1. Ask:\n\n   ```bash\n   {command}\n   ```\n2. Then:\n\n   ```json\n   {answer}\n   ```\n"),
}
_INDENTED = ("a list", "reStructuredText")
_REQUESTS: list[tuple[dict[str, Any], Any]] = [
    (REQUEST, COMPLETION),
    (REQUEST | {"n": 2, "temperature": 9}, COMPLETION | {"choices": COMPLETION["choices"] * 2}),
    (REQUEST | {"response_format": {"type": "json_object"}, "logprobs": True}, COMPLETION),
    (REQUEST | {"tool_choice": "required", "tools": [{"type": "function", "function": {"name": "f"}}]}, COMPLETION),
    (REQUEST | {"max_tokens": 1, "stop": ["o"]}, COMPLETION | {"model": "m-2026-01-01"}),
    (STREAMED | {"stream_options": {"include_usage": True}}, EVENTS),
]


def _findings(exchange: Exchange) -> list[tuple[str, str, str, int]]:
    return sorted((one.rule, one.kind, one.pointer, one.severity.value) for one in findings_of_exchange(exchange))


def _page(name: str, command: str, answer: object) -> str:
    _, form = _ANYWHERE[name]
    text = answer.rstrip("\n") if isinstance(answer, str) else json.dumps(answer)
    if name == "comments":
        text = "".join(f"# {line}\n" for line in text.split("\n"))
    if name in _INDENTED:
        command, text = (one.replace("\n", "\n   ") for one in (command, text))
    return form.format(command=command, answer=text)


_PLACED = [
    pytest.param(where, spelling, *_REQUESTS[number % len(_REQUESTS)], id=f"{spelling}-{where}")
    for number, (spelling, where) in enumerate(product(_SPELLINGS, _ANYWHERE))
]
"""Each spelling of a command in each place: the first with the first of the exchanges, the second with the second, and
so on, again from the first behind the last."""


@pytest.mark.parametrize(("where", "spelling", "request_", "answer"), _PLACED)
def test_a_command_and_its_answer_have_the_findings_of_an_exchange_record(
    where: str, spelling: str, request_: dict[str, Any], answer: dict[str, Any] | str
) -> None:
    record = {"request": request_, "path": "/v1/chat/completions", "host": "api.example.com"}
    record["sse" if isinstance(answer, str) else "response"] = answer
    page = _page(where, _SPELLINGS[spelling](json.dumps(request_, indent=2)), answer)
    (found,) = all_exchanges(page, _ANYWHERE[where][0])
    assert found.request is not None, page
    assert found.request.value == request_
    assert (found.host, found.path) == ("api.example.com", "/v1/chat/completions")
    expected = [one for one in _findings(exchange_in(record)) if isinstance(answer, dict) or one[1] != "stream"]
    assert _findings(found) == expected, page


@given(
    st.sampled_from(sorted(set(_SPELLINGS) - {"lines that a shell marks", "PowerShell"})),
    st.text(st.sampled_from("'\"\\`$\n{}<>&|;^# aé\U0001f366") | st.characters(codec="utf-8"), max_size=20),
    st.booleans(),
)
def test_a_request_is_read_as_the_shell_sends_it(spelling: str, content: str, is_ascii: bool) -> None:
    request = {"model": "m", "messages": [{"role": "user", "content": content}]}
    command = _SPELLINGS[spelling](json.dumps(request, ensure_ascii=is_ascii))
    (found,) = all_exchanges(f"```\n$ {command}\n{json.dumps(COMPLETION)}\n```\n", "page.md")
    assert found.request is not None, command
    assert found.request.value == request


def test_a_finding_in_a_request_has_its_place_in_the_command() -> None:
    for spelling in _SPELLINGS.values():
        command = spelling(json.dumps(REQUEST | {"temperature": 77}, indent=1))
        page = _page("two blocks", command, COMPLETION)
        (found,) = all_exchanges(page, "page.md")
        (finding,) = [one for one in findings_of_exchange(found) if one.pointer == "/temperature"]
        line, column = place_of(finding)
        assert page.splitlines()[line - 1][column - 1 :].startswith("77")


_COMMAND = _SPELLINGS["single quotes"](json.dumps(REQUEST))
_BODY = json.dumps(COMPLETION)
_OTHER_MODEL = json.dumps(COMPLETION | {"model": "gpt-4o"})


@pytest.mark.parametrize(
    "between",
    [
        "```\n## Errors\n```json\n",
        "```\n\nOther\n=====\n\n```json\n",
        "```\n## Response format\n```json\n",
        f"```\n```bash\n{_COMMAND}\n```\n```json\n",
        f"```\n```json\n{json.dumps(REQUEST, indent=2)}\n```\n```json\n",
        "```\n```python\nclient.create(\n    messages=[],\n)\n```\n```json\n",
        '```\n```json\n{\n  "choices": [...]\n}\n```\n```json\n',
        f"```\n```json\n{_BODY}\n```\nor\n```json\n",
        "$ python client.py\n",
    ],
)
def test_an_answer_behind_something_else_is_not_that_of_a_command(between: str) -> None:
    found = all_exchanges(f"```bash\n{_COMMAND}\n{between}{_BODY}\n```\n", "page.md")
    assert found[-1].response is not None
    assert found[-1].request is None
    assert found[-1].host is None


@pytest.mark.parametrize(
    ("request_", "answer"),
    [
        (REQUEST, _OTHER_MODEL),
        (REQUEST | {"model": "gpt-4o-mini"}, _OTHER_MODEL),
        (REQUEST | {"n": 2}, _BODY),
        (STREAMED, _BODY),
        (REQUEST, EVENTS),
        (REQUEST, json.dumps(ERROR | {"error": {"message": "No such model", "type": "x", "code": "model_not_found"}})),
    ],
    ids=["model", "variant", "n", "no stream", "stream", "error"],
)
def test_an_answer_that_does_not_fit_is_paired_only_directly_below_a_command_in_a_terminal(
    request_: dict[str, Any], answer: str
) -> None:
    """In a page, an example may be made by hand or copied; a terminal shows what the command got."""
    command = _SPELLINGS["double quotes"](json.dumps(request_))
    (apart,) = all_exchanges(_page("two blocks", command, answer), "page.md") or [None]
    assert apart is None or apart.request is None
    (below,) = all_exchanges(_page("a terminal", command, answer), "page.md")
    assert below.request is not None
    assert below.request.value == request_
    is_error = '"error"' in answer
    for between, is_paired in (
        ("", is_error),
        ("  0  9  0  0  --:--:--  7\n", True),
        ("HTTP/1.1 200 OK\na: b\n\n", True),
    ):
        found = all_exchanges(f"```\n{command}\n{between}{answer}\n```\n", "page.md") or [None]
        assert (found[0] is not None and found[0].request is not None) is is_paired, between


def test_each_command_has_the_answer_below_it() -> None:
    requests = [REQUEST | {"temperature": number} for number in (0, 1, 2)]
    for form in ("```\n$ {}\n{}\n```\n", "```sh\n{}\n```\n```json\n{}\n```\n"):
        pairs = [form.format(_SPELLINGS["cmd"](json.dumps(one)), _BODY) for one in requests]
        for page in ("".join(pairs), "".join(pairs).replace("```\n```\n$", "$")):
            found = all_exchanges(page, "page.md")
            assert [one.request and one.request.value for one in found] == requests


def test_a_long_page_is_read_with_its_commands() -> None:
    page = "A line of a page.\n" * 10_000 + "\n" + _page("two blocks", _COMMAND, COMPLETION)
    (found,) = all_exchanges(page, "page.md")
    assert found.request is not None


def test_the_output_of_other_commands_does_not_hide_which_command_got_an_answer() -> None:
    session = f'$ curl -s https://h/v1/models\n{{"object": "list", "data": []}}\n$ {_COMMAND}\n{_BODY}\n$ exit\n'
    for name, page in (("run.txt", session), ("page.md", f"```\n{session}```\n")):
        (found,) = all_exchanges(page, name)
        assert found.request is not None
        assert found.host == "api.example.com"


@pytest.mark.parametrize(
    "body", ['"{\\"model\\": \\"$MODEL\\"}"', "@request.json", '"$(cat request.json)"', "'{\"model\": ...}'"]
)
def test_of_a_command_whose_body_is_not_known_the_url_counts_directly_above_the_answer(body: str) -> None:
    command = f"curl {URL} -d {body}"
    (below,) = all_exchanges(_page("a terminal", command, COMPLETION), "page.md")
    assert (below.host, below.request) == ("api.example.com", None)
    (apart,) = all_exchanges(_page("two blocks", command, COMPLETION), "page.md")
    assert (apart.host, apart.request) == (None, None)


@pytest.mark.parametrize(("quote", "is_known"), [("'", True), ("", False)])
def test_a_here_document_is_known_with_a_variable_in_it_only_if_the_shell_leaves_that_alone(
    quote: str, is_known: bool
) -> None:
    for indent, where in ((2, "a terminal"), (None, "a terminal"), (None, "a text")):
        body = json.dumps(REQUEST | {"model": "$MODEL"}, indent=indent)
        command = f"curl {URL} -d @- <<{quote}EOF{quote}\n{body}\nEOF"
        page = _page(where, command, COMPLETION | {"model": "$MODEL"})
        (found,) = all_exchanges(page, _ANYWHERE[where][0])
        assert (found.host, found.request is not None) == ("api.example.com", is_known)


@pytest.mark.parametrize(
    "base", ["$BASE_URL", "${BASE_URL}", "{{base}}", "<base-url>", "http://<host>:80", "https://${HOST}"]
)
def test_a_variable_in_a_url_is_no_host(base: str) -> None:
    command = f'curl "{base}/chat/completions" -d {_single(json.dumps(REQUEST))}'
    (found,) = all_exchanges(_page("two blocks", command, COMPLETION), "page.md")
    assert (found.host, found.path) == (None, "/chat/completions")


@pytest.mark.parametrize("path", ["completions", "embeddings", "responses", "messages"])
@pytest.mark.parametrize("where", ["a terminal", "two blocks", "a text"])
def test_an_error_below_a_command_that_calls_another_api_is_one_of_that_api(path: str, where: str) -> None:
    error = {"error": {"message": "No", "type": "invalid_request_error", "param": None, "code": "model_not_found"}}
    command = f'curl https://api.example.com/v1/{path} -d \'{{"model": "m", "input": "x"}}\''
    text = _page(where, command, error) + _page(where, _COMMAND, COMPLETION)
    (found,) = all_exchanges(text, _ANYWHERE[where][0])
    assert isinstance(found.response, Payload)
    assert found.response.kind == "completion"


def test_what_another_api_answers_to_a_command_is_skipped_with_its_path() -> None:
    command = f"curl https://api.example.com/v1/completions -d {_single(json.dumps(REQUEST))}"
    (skipped,) = read_all(_page("a terminal", command, COMPLETION), "page.md")
    assert isinstance(skipped, Skipped)
    assert "/v1/completions" in skipped.reason


def test_curl_v_shows_no_body_of_a_request_and_the_command_does() -> None:
    page = (
        f"$ curl -v {URL} -d {_single(json.dumps(REQUEST | {'n': 2}))}\n* Connected to api.example.com\n"
        "> POST /v1/chat/completions HTTP/1.1\n> Host: api.example.com\n> Content-Type: application/json\n>\n"
        f"< HTTP/1.1 200 OK\n< Content-Type: application/json\n<\n{_BODY}\n"
    )
    for name, text in (("run.txt", page), ("page.md", f"```\n{page}```\n")):
        (found,) = all_exchanges(text, name)
        assert found.request is not None
        assert found.http.status == 200
        assert "choice-count-mismatch" in {one.rule for one in findings_of_exchange(found)}


def test_a_request_that_is_read_in_a_command_is_not_read_twice() -> None:
    text = f"$ curl {URL} -d @- <<EOF\n{json.dumps(REQUEST)}\nEOF\n{_BODY}\n$ {_COMMAND}\n{_BODY}\n"
    for name, page in (("run.txt", text), ("page.md", f"```\n{text}```\n")):
        found = all_exchanges(page, name)
        assert [one.number for one in found] == [0, 1]
        assert all(one.request and one.response and one.host == "api.example.com" for one in found)


def test_what_a_program_made_of_an_answer_is_not_as_it_was_sent() -> None:
    answer = {"id": "x", "object": "chat.completion", "created": 1, "model": "m", "choices": [], "usage": None}
    for printed, is_dumped in ((json.dumps(answer), False), (repr(answer), True)):
        (found,) = all_exchanges(f"```\n$ {_COMMAND}\n{printed}\n```\n", "page.md")
        assert found.request is not None
        assert found.dumped is is_dumped


def test_a_stream_below_a_command_is_its_answer_even_if_it_broke_off() -> None:
    events = as_events(chunk({"role": "assistant", "content": "Ho"}), chunk({"content": "!"}))
    command = _SPELLINGS["double quotes"](json.dumps(STREAMED))
    (found,) = all_exchanges(_page("two blocks", command, events), "page.md")
    assert found.request is not None
    (unlike,) = all_exchanges(_page("two blocks", _COMMAND, events), "page.md")
    assert unlike.request is None


@pytest.mark.parametrize("where", ["a terminal", "a text", "a meter"])
def test_a_chunk_alone_below_a_command_is_one_of_the_stream_that_was_asked_for(where: str) -> None:
    name, page = _ANYWHERE[where]
    first = as_events(chunk({"role": "assistant", "content": "Ho"})).rstrip()
    command = _SPELLINGS["single quotes"](json.dumps(STREAMED | {"n": 2}))
    (found,) = all_exchanges(page.replace("{command}", command).replace("{answer}", f"{first}\n\nAnd so on."), name)
    assert values_of(found)[0] == STREAMED | {"n": 2}
    assert isinstance(found.response, Payload)
    assert found.response.kind == "chunk"
    assert findings_of_exchange(found) == []


def test_a_chunk_below_a_command_that_asks_for_no_stream_is_not_what_it_got() -> None:
    for where in ("two blocks", "a page without blocks"):
        page = _page(where, _COMMAND, chunk({"content": "Ho"})).replace("$ ", "")
        (found,) = (one for one in all_exchanges(page, "page.md") if one.response is not None)
        assert found.request is None


def test_words_about_commands_are_none() -> None:
    for words in (
        "Use curl or http for it.",
        "See https://api.example.com/v1/chat/completions for more.",
        "curl: (7) x",
    ):
        (found,) = all_exchanges(f"{words}\n```json\n{json.dumps(with_finish_reason('bored'))}\n```\n", "page.md")
        assert (found.request, found.host) == (None, None)


@pytest.mark.parametrize(("language", "prompt"), [
    ("json", ""), ("json", "$ "), ("JSON", "user@host:~$ "), ("html", "[user@host ~]# "), ("angular2html", "$ "),
])  # fmt: skip
def test_a_command_and_its_answer_are_read_in_a_block_that_is_marked_as_something_else(
    language: str, prompt: str
) -> None:
    command = f"{prompt}curl -s {URL} -d '{json.dumps(REQUEST)}'\n{json.dumps(COMPLETION)}\n"
    first, second = all_exchanges(f"```{language}\n{command}\n{command}```\n", "page.md")
    assert first.request is not None
    assert values_of(first) == values_of(second)


@pytest.mark.parametrize(("language", "prompt"), [("html", ""), ("python", "# "), ("go", "// $ ")])
def test_a_command_without_a_prompt_makes_no_terminal_of_a_program(language: str, prompt: str) -> None:
    command = f"{prompt}curl -s {URL} -d '{json.dumps(REQUEST)}'\n{json.dumps(COMPLETION)}\n"
    assert not all_exchanges(f"```{language}\nx = 1\n{command}```\n", "page.md")
