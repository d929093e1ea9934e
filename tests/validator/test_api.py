"""Test what programs import, and the messages about unknown names."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
import requests

import isogloss.validator
from isogloss import schemas
from isogloss.schemas import client_files
from isogloss.validator import Expectation, ResponseHook, check, fold

ROOT = Path(__file__).parents[2]
ANSWER = json.loads((ROOT / "fixtures" / "conforming" / "completion" / "text.json").read_text())
STREAM = ROOT / "fixtures" / "captures" / "sse" / "stream.sse"


def test_package_lists_everything_that_programs_import() -> None:
    assert dir(isogloss.validator) == sorted(isogloss.validator.__all__)
    assert all(hasattr(isogloss.validator, name) for name in isogloss.validator.__all__)
    assert isogloss.validator.schemas is schemas
    assert isogloss.validator.__version__ == version("isogloss")


def test_findings_name_clients_that_broke_only_on_request(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_files, "CLIENTS", ROOT / "tests/validator/impact/clients")
    answer = (ROOT / "fixtures/schema/null-value/invalid-completion-choices.json").read_bytes()

    def broken_clients(**options: Any) -> set[str]:
        [finding] = check(answer, **options).findings
        return set() if finding.impact is None else {client_break.client for client_break in finding.impact.breaks}

    assert broken_clients() == set()
    assert broken_clients(clients=()) == {"alpha", "beta"}
    assert broken_clients(clients=["beta"]) == broken_clients(clients="beta") == {"beta"}
    with pytest.raises(ValueError, match="no client is called 'gamma'"):
        check(answer, clients=["gamma"])


@pytest.mark.parametrize(
    ("status", "headers", "rules"),
    [
        (200, {"content-type": "application/json"}, []),
        (200, {}, []),
        (500, {"content-type": "application/json"}, ["completion-with-error-status"]),
        (200, {"content-type": "text/html"}, ["json-content-type"]),
    ],
)
def test_status_and_content_type_of_a_response_count(status: int, headers: dict[str, str], rules: list[str]) -> None:
    response = SimpleNamespace(status_code=status, headers=headers, content=json.dumps(ANSWER).encode(), url="")
    assert [finding.rule for finding in check(response).findings] == rules


def _answered_by_requests(url: str, **body: Any) -> Any:
    response = requests.Response()
    response.request = requests.Request("POST", url, **body).prepare()
    response.status_code, response.url, response._content = 200, url, json.dumps(ANSWER).encode()
    return response


def _answered_by_httpx(url: str, **body: Any) -> Any:
    with httpx.Client(transport=httpx.MockTransport(lambda _: httpx.Response(200, json=ANSWER))) as client:
        return client.post(url, **{"content" if name == "data" else name: value for name, value in body.items()})


@pytest.mark.parametrize("answered", [_answered_by_requests, _answered_by_httpx])
def test_an_answer_is_checked_against_the_request_that_its_response_holds(answered: Callable[..., Any]) -> None:
    def rules(path: str, *, request: Any = None, **body: Any) -> list[str]:
        result = check(answered(f"https://api.example.com/v1/{path}", **body), request=request)
        assert result.exchanges == 1
        return [finding.rule for finding in result.findings if finding.rule != "json-content-type"]

    streaming = {"model": ANSWER["model"], "messages": [{"role": "user", "content": "Hi"}], "stream": True}
    assert rules("chat/completions", json=streaming) == ["stream-refused"]
    assert rules("chat/completions", data=json.dumps(streaming)) == ["stream-refused"]
    assert rules("chat/completions", json=streaming, request=streaming | {"stream": False}) == []
    assert rules("chat/completions") == []
    assert rules("messages", json=streaming) == []


@pytest.mark.parametrize("answer", [ANSWER, ANSWER | {"created": "then"}])
def test_no_dialect_is_spoken_if_none_is_asked_for(answer: Any) -> None:
    assert check(answer).speaks == ()


def test_a_request_that_was_sent_piece_by_piece_and_not_kept_is_not_checked() -> None:
    url = "https://api.example.com/v1/chat/completions"
    by_httpx = httpx.Response(200, json=ANSWER, request=httpx.Request("POST", url, content=iter([b"{}"])))
    for response in (by_httpx, _answered_by_requests(url, data=iter([b"{}"]))):
        result = check(response, ignore="json-content-type")
        assert (result.exchanges, result.findings) == (1, ())


def test_fold_accepts_a_stream_as_bytes_text_or_chunks() -> None:
    data = STREAM.read_bytes()
    chunks = [json.loads(line.removeprefix("data: ")) for line in data.decode().splitlines() if line]
    completion = fold(data)
    assert completion["choices"][0]["message"]["content"] == "Hello"
    assert completion == fold(chunks) == fold(data.decode())
    with pytest.raises(ValueError, match="no stream that folds"):
        fold(completion)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"dialect": "grokk"}, "no dialect is called 'grokk'; did you mean 'grok'?"),
        ({"select": ["done-mising"]}, "no rule or group is called 'done-mising'; did you mean 'done-missing'?"),
        ({"ignore": "zzz"}, "no rule or group is called 'zzz'; see: isogloss rules"),
        ({"kind": "response"}, "no kind of payload is called 'response'; known are request, completion, chunk, error"),
        ({"select": ["twins"]}, "'twins': only isogloss compare checks rules about twins"),
        ({"select": ["wire"], "ignore": ["wire"]}, "no rule is left: all that are selected are ignored, too"),
    ],
)
def test_error_about_a_name_without_a_meaning_suggests_the_nearest(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match="^" + message.replace("?", r"\?") + "$"):
        check({}, **options)


def test_error_about_an_unknown_severity_suggests_the_nearest() -> None:
    with pytest.raises(ValueError, match=r"^no severity is called 'eror'; did you mean 'error'\?$"):
        check({}).failing("eror")


@pytest.mark.processes
def test_the_package_runs_as_a_module() -> None:
    done = subprocess.run([sys.executable, "-m", "isogloss", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"isogloss {version('isogloss')}\n"


def test_expectations_are_checked_like_rules_by_check_and_by_the_hook() -> None:
    answer = {**ANSWER, "model": "other"}
    expectation = Expectation(
        name="our-model", kind="completion", at="model", schema={"const": "ours"}, message="not ours"
    )
    findings = check(answer, expect=[expectation]).failing()
    assert [(finding.rule, finding.pointer) for finding in findings] == [("expect/our-model", "/model")]
    assert check({**ANSWER, "model": "ours"}, expect=[expectation]).conforms
    assert not check(answer, expect=[expectation], select=["wrong-type"]).conforms
    for name in ("expect", "expect/our-model"):
        assert check(answer, expect=[expectation], ignore=[name]).conforms
    with pytest.raises(ValueError, match="our-model"):
        ResponseHook(expect=[replace(expectation, schema={"type": "objekt"})])
    with pytest.raises(ValueError, match="not a path"):
        check(answer, expect=[replace(expectation, at="$.model")])
    deep: list[Any] = []
    for _ in range(3000):
        deep = [deep]
    with pytest.raises(ValueError, match="nested too deep"):
        check(answer, expect=[replace(expectation, schema={"enum": deep})])


def test_an_event_whose_json_has_a_fault_is_not_checked_by_expectations() -> None:
    expectation = Expectation(name="b-alone", kind="chunk", at="choices[].delta.content", schema={"const": "b"})
    chunk = '{"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"a"}}]%s}'
    events = "".join(f"data: {chunk % more}\n\n" for more in ("", ',"x":NaN', ""))
    [finding] = [one for one in check(events.encode(), expect=[expectation]).findings if one.rule == "expect/b-alone"]
    assert finding.count == 2


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"schema": True}, "its schema is True"),
        ({"schema": '{"type": "string"}'}, "it has to be an object"),
        ({"name": "Our model"}, "a name has lower-case letters"),
        ({"kind": "completions"}, "its kind is 'completions'; known are request"),
        ({"severity": "error"}, "such as Severity.WARNING"),
        ({"at": None}, "its path is None"),
    ],
)
def test_an_expectation_that_cannot_be_checked_says_why(change: dict[str, Any], message: str) -> None:
    values = {"name": "our-model", "kind": "completion", "at": "model", "schema": {"const": "ours"}} | change
    with pytest.raises(ValueError, match=message):
        check(ANSWER, expect=[Expectation(**values)])


@pytest.mark.parametrize("expect", [Expectation(name="a", kind="chunk", schema={}), [{"name": "a"}]])
def test_expectations_that_are_no_list_of_them_are_refused(expect: Any) -> None:
    with pytest.raises(ValueError, match="expect has to be a list"):
        check(ANSWER, expect=expect)


def test_what_a_program_passes_by_mistake_is_named() -> None:
    assert check(None).skipped == ("None is no answer: did the call return one?",)
    assert check(str(STREAM)).skipped == ("this text is the name of a file: pass its content, Path(…).read_bytes()",)
    with pytest.raises(TypeError, match="pass the content of the file"):
        check(STREAM)
    with pytest.raises(ValueError, match="did you mean 'completion'"):
        check(ANSWER, kind="completions")  # type: ignore[arg-type]

    async def ask() -> Any:
        return ANSWER

    async def stream() -> Any:
        yield ANSWER

    coroutine = ask()
    with pytest.raises(TypeError, match="await it"):
        check(coroutine)
    coroutine.close()
    with pytest.raises(TypeError, match="pass its chunks"):
        check(stream())


@pytest.mark.parametrize(
    ("subject", "message"),
    [
        (["data: {}\n", "\n"], "pass a body as one text"),
        ((line for line in (b"data: {}", b"")), "pass a body as one text"),
        (io.BytesIO(b"data: {}\n\n"), "pass its content, file.read()"),
        (io.StringIO("{}"), "pass its content, file.read()"),
    ],
)
def test_what_is_a_body_in_pieces_or_a_file_is_refused_with_what_to_do(subject: Any, message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=re.escape(message)):
        check(subject)


@pytest.mark.parametrize("dialect", [None, 5, ["groq"]])
def test_a_dialect_that_is_no_text_is_refused_by_its_value(dialect: Any) -> None:
    with pytest.raises(ValueError, match="no dialect is called"):
        check(ANSWER, dialect=dialect)
