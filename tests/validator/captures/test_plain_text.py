"""Tests of text in which an answer is a line of its own: what is read, and which other text is left alone."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from payloads import CHUNKS, as_events, chunk, with_finish_reason
from reading import all_exchanges, findings_of_exchange, place_in, place_of, read_all, values_of

from isogloss.validator.exchange import Exchange, NotJson, Payload, Stream

BODY = json.dumps(with_finish_reason("bored"))
EVENTS = as_events(*CHUNKS, "[DONE]")


_read = partial(read_all, name="output.txt")


def _exchanges(text: str, name: str = "output.txt") -> list[Exchange]:
    return all_exchanges(text, name)


_TEXTS = {
    "a terminal": '$ curl https://api.example.com/v1/chat/completions \\\n  -d \'{\n  "model": "m"}\'\n%s\n',
    "a terminal with a prompt behind the answer": "root@host:/#  curl -s localhost\n%sroot@host:/# \n",
    "Node": "[server] started\n[server] got %s\n",
    "Gin": "[GIN] 2026/11/24 - 05:00:00 | 200\n[GIN] %s\n",
    "a tag and an address": "[Client][Response] POST https://api.example.com/v1/chat/completions 200:OK %s\n",
    "Flutter": "flutter: ready\nflutter: %s\n",
    "java.util.logging": "May 22, 2026 10:11:12 AM app.Client\nINFO: got\nresponse body: %s\n",
    "a label that is not ASCII": "回應： done\n回應: %s\n",
    "a name without a time, as in logfmt": "smoke of groups: started\ngroup one: status=200 body=%s\n",
    "a label like a key of YAML": "response: 200\n%s\n",
    "a message that quotes a word": "cannot decode it: missing field `type` at line 1 column 9. Raw response: %s\n",
    "a name alone": "[Trace] 200 https://api.example.com\nctx=chat tookMs=3\nbody=%s\n",
    "what wscat received": "Connected (press CTRL+C to quit)\n< %s\n",
    "what a client marks as received": ">> POST https://api.example.com/v1\n>>\n<< HTTP/2 200\n<<\n<< %s\n",
}


@pytest.mark.parametrize("text", _TEXTS.values(), ids=_TEXTS)
@pytest.mark.parametrize("name", ["debug.log", "shell.txt", "app.log.1", "app.log-2026-11-24", "NOHUP.OUT"])
def test_an_answer_on_a_line_is_read_if_the_file_is_called_like_a_log_or_a_text(text: str, name: str) -> None:
    data = text % BODY
    (exchange,) = _exchanges(data, name)
    assert isinstance(exchange.response, Payload)
    assert exchange.response.value == with_finish_reason("bored")
    assert exchange.dumped == ("curl" not in text)  # what curl prints is as it was sent
    assert _exchanges(data, "client.py") == []
    (finding,) = [one for one in findings_of_exchange(exchange) if one.rule == "unknown-value"]
    assert place_of(finding) == place_in(data, '"bored"')


def test_lines_of_events_are_a_stream() -> None:
    lines = [f"data: {json.dumps(chunk)}" for chunk in CHUNKS]
    (exchange,) = _exchanges("$ curl -N localhost\n" + "\n\n".join([*lines, "data: [DONE]"]) + "\n")
    assert isinstance(exchange.response, Stream)
    assert exchange.response.values == [*CHUNKS, NotJson.DONE]


_PRINTED = [chunk({"role": "assistant", "content": 'It\'s "so" \\ \n'}), chunk({}, "bored")]
_SPELLED = [f"data: {json.dumps(one)}\n\n" for one in _PRINTED] + ["data: [DONE]\n\n"]
_PRINTED_STREAMS = {
    "lines as bytes": [repr(line.encode()) for event in _SPELLED for line in event.splitlines()],
    "lines as bytes behind words": [f"got {event.encode()!r}" for event in _SPELLED],
    "lines as text behind a name": [f"[client] {event.strip()!r}" for event in _SPELLED],
    "events in the quotes of JSON behind a label": [f"event: {json.dumps(event)}" for event in _SPELLED],
    "several events in bytes": [repr("".join(_SPELLED[:2]).encode()), repr(_SPELLED[2].encode())],
    "all events in bytes": [repr("".join(_SPELLED).encode())],
}


@pytest.mark.parametrize("lines", _PRINTED_STREAMS.values(), ids=_PRINTED_STREAMS)
@pytest.mark.parametrize(("name", "text"), [("run.txt", "$ python run.py\n{}\n"), ("run.md", "```\n$ run\n{}\n```\n")])
def test_strings_of_a_stream_that_a_program_printed_are_the_stream(name: str, text: str, lines: list[str]) -> None:
    data = text.format("\n".join(lines))
    (exchange,) = _exchanges(data, name)
    assert isinstance(exchange.response, Stream)
    assert exchange.response.values == [*_PRINTED, NotJson.DONE]
    assert exchange.dumped
    (finding,) = findings_of_exchange(exchange)
    assert place_of(finding) == place_in(data, '\\"bored' if '\\"bored' in data else '"bored')


_WAYS_TO_LOG: dict[str, Callable[[int, str], list[str]]] = {
    "bytes": lambda _, read: [repr(read.encode())],
    "text": lambda _, read: [repr(read)],
    "JSON behind a label": lambda _, read: [f"chunk: {json.dumps(read)}"],
    "a log": lambda number, read: [f"2026-11-24 05:00:{number % 60:02d},123 DEBUG got {read.encode()!r}"],
    "a log beside other lines": lambda number, read: [f"[{number}] DEBUG waiting", f"[{number}] DEBUG got {read!r}"],
    "two handlers": lambda _, read: [f"DEBUG:root:got {read.encode()!r}", f"05:00:00 got {read.encode()!r}"],
}


@pytest.mark.parametrize("way", _WAYS_TO_LOG)
@given(st.lists(st.integers(len("data: {"), len("".join(_SPELLED))), max_size=40))
@example(list(range(7, len("".join(_SPELLED)), 7)))
@example([len("".join(_SPELLED)) - 1])
def test_a_stream_is_read_wherever_the_reads_that_a_program_printed_were_cut(way: str, cuts: list[int]) -> None:
    text = "".join(_SPELLED)
    ends = sorted({0, len(text), *cuts})
    lines = [line for n, ends in enumerate(pairwise(ends)) for line in _WAYS_TO_LOG[way](n, text[slice(*ends)])]
    pages = [("run.md", "```\n{}\n```\n")] if any("choices" in line for line in lines) else []
    for name, around in [("run.log", "{}\n"), *pages]:  # a block of a page has to name something of a payload
        (exchange,) = _exchanges(around.format("\n".join(lines)), name)
        assert isinstance(exchange.response, Stream)
        assert [value for value in exchange.response.values if value is not NotJson.DONE] == _PRINTED
        assert [finding.rule for finding in findings_of_exchange(exchange)] == ["unknown-value"]


def test_a_read_that_is_not_completed_hides_no_event_behind_it() -> None:
    reads = ['data: {"id": "', *_SPELLED]
    (exchange,) = _exchanges("\n".join(f"got {read.encode()!r}" for read in reads) + "\n")
    assert isinstance(exchange.response, Stream)
    assert exchange.response.values == [*_PRINTED, NotJson.DONE]


def test_strings_of_other_words_between_reads_are_no_reads() -> None:
    text = "".join(_SPELLED)
    lines = [f"got: {text[:50]!r}", "name: 'x'", f"got: {text[50:]!r}"]
    (exchange,) = _exchanges("\n".join(lines) + "\n")
    assert isinstance(exchange.response, Stream)
    assert exchange.response.values == [*_PRINTED, NotJson.DONE]


_OF_PROGRAMS = (
    "assert line == {}", "    {}", "    yield {}", "data = {}", "send({})", "{},", "{}  # the first", "'x': {}", "+{}",
)  # fmt: skip


@pytest.mark.parametrize("line", _OF_PROGRAMS)
@pytest.mark.parametrize(("name", "text"), [("notes.txt", "Some text\n{}\n"), ("notes.md", "```\n{}\n```\n")])
def test_the_strings_of_a_stream_in_a_program_are_not_read(name: str, text: str, line: str) -> None:
    assert _exchanges(text.format("\n".join(line.format(event.encode()) for event in _SPELLED)), name) == []


@pytest.mark.parametrize("line", ["echo {}", "puts {}", "$ printf {}"])
def test_a_command_that_writes_the_strings_of_a_stream_is_not_read(line: str) -> None:
    assert _exchanges("\n".join(line.format(repr(event)) for event in _SPELLED)) == []


def test_the_end_of_a_stream_of_another_api_is_not_reported() -> None:
    assert [
        type(found) for found in _read(f"$ curl -N localhost\ndata: {{}}\n\ndata: [DONE]\n\n{BODY}\ndata: [DONE]\n")
    ] == [Exchange]


_OTHER_TEXTS = {
    "Python": "    body = %s\n",
    "a call": "    answer(%s)\n",
    "an argument": "    answer(body=%s)\n",
    "an argument on a line": "        body=%s,\n",
    "an assignment with a type": "const body: Body = %s\n",
    "a string": "    body = '%s'\n",
    "Go": "var body = `%s`\n",
    "a literal with a comma": '    "body": %s,\n',
    "an assertion": "test_a.py:1: AssertionError: assert %s == {}\n",
    "a removed line": "-%s\n",
    "an added line": "+ %s\n",
    "a comment": "# response: %s\n",
    "a comment in C": "// response: %s\n",
    "an item of a list": "* Example: %s\n",
    "a sentence": "You are an API. Reply with an object like %s\n",
    "a sentence that goes on": "Reply with: %s and nothing else.\n",
    "differences": "diff --git a/x b/x\n@@ -1,2 +1,2 @@\n %s\n",
    "a fenced block": "Answer:\n```json\n%s\n```\n",
    "a binary file": "\0x: %s\n",
}


@pytest.mark.parametrize("text", _OTHER_TEXTS.values(), ids=_OTHER_TEXTS)
@pytest.mark.parametrize("name", ["prompt.txt", "changes.log"])
def test_code_tests_and_instructions_are_not_read(text: str, name: str) -> None:
    assert _exchanges(f"Some text\n{text % BODY}", name) == []


@pytest.mark.parametrize(
    "body", [BODY[:-1], BODY.replace("chat.completion", "thing"), "{}", '{"error": {"message": ""}}']
)
def test_text_without_a_whole_answer_is_not_read(body: str) -> None:
    assert _exchanges(f"response: {body}\n") == []


def test_marks_of_what_was_sent_and_received_make_an_exchange() -> None:
    request = json.dumps({"model": "m", "messages": [{"role": "user", "content": "Hi"}], "stream": True})
    (exchange,) = _exchanges(f"> {request}\n" + "".join(f"< {json.dumps(chunk)}\n" for chunk in CHUNKS))
    assert exchange.request is not None
    assert isinstance(exchange.response, Stream)
    assert exchange.response.values == CHUNKS


def test_an_answer_may_go_on_over_indented_lines_behind_a_label() -> None:
    request = json.dumps({"model": "m", "messages": [{"role": "user", "content": "Hi"}]}, indent=2)
    answer = json.dumps(with_finish_reason("bored"), indent=2)
    text = f"d.l.http.Client : HTTP request:\n- body: {request}\n\nd.l.http.Client : HTTP response:\n- body: {answer}\n"
    (exchange,) = _exchanges(text, "client.log")
    assert exchange.request is not None
    assert exchange.request.text.place(0) == (2, 9)
    assert isinstance(exchange.response, Payload)
    assert exchange.response.value == with_finish_reason("bored")
    assert exchange.response.text.place(0) == (len(request.splitlines()) + 4, 9)


def test_an_answer_below_the_levels_of_net_is_read() -> None:
    """They look like keys of YAML."""
    answer = json.dumps(with_finish_reason("bored"), indent=2).replace("\n", "\n      ")
    text = f"dbug: App.Client[0]\n      Response: {answer}\ninfo: App[0]\n      done\n"
    (exchange,) = _exchanges(text, "console.log")
    assert isinstance(exchange.response, Payload)
    assert exchange.response.value == with_finish_reason("bored")
    assert exchange.response.text.place(0) == (2, 17)


@pytest.mark.parametrize("words", ["Hi", 'It\'s "so" \\ \n'])
def test_bytes_that_python_prints_are_read_behind_a_label(words: str) -> None:
    request = {"model": "m", "messages": [{"role": "user", "content": words}]}
    (exchange,) = _exchanges(f"send: {json.dumps(request).encode()!r}\nreply: 'HTTP/1.1 200 OK\\r\\n'\n{BODY}\n")
    assert exchange.request is not None
    assert exchange.request.value == request
    (alone,) = _exchanges(f"body = b'{json.dumps(request)}'\n{BODY}\n")
    assert alone.request is None


@pytest.mark.parametrize("before", ["", "chunks: ["])
def test_the_items_of_an_indented_list_of_chunks_are_a_stream(before: str) -> None:
    written = json.dumps(CHUNKS, indent=2)
    text = f"=== Streaming ===\n{before + written.removeprefix('[') if before else written}\n"
    (exchange,) = _exchanges(text)
    assert isinstance(exchange.response, Stream)
    assert exchange.response.values == CHUNKS
    assert exchange.text.place(0) == (3, 3)


_LOGS_OF_CLIENTS = {
    "OkHttp": "--> POST https://api.example.com/v1\nContent-Length: 9\n\n{}\n<-- 200 OK (5ms)\n\n%s\n<-- END HTTP\n",
    "Ktor": "REQUEST: https://api.example.com/v1\nCOMMON HEADERS\n-> Accept: a\nBODY START\n%s\nBODY END\n",
    "http.client of Python": "send: b'POST /v1 HTTP/1.1\\r\\n'\nreply: 'HTTP/1.1 200 OK\\r\\n'\nheader: Via: a\n%s\n",
    "Monolog": "[2026-11-24 05:00:00] local.DEBUG: >>>>>>>>\nPOST /v1 HTTP/1.1\n\n{}\n<<<<<<<<\n%s\n---\n",
}
"""Lines that begin as those of YAML and of JSON do."""


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("text", _LOGS_OF_CLIENTS.values(), ids=_LOGS_OF_CLIENTS)
def test_bodies_on_lines_of_their_own_in_logs_of_clients_are_read(text: str, indent: int | None) -> None:
    (exchange,) = _exchanges(text % json.dumps(with_finish_reason("bored"), indent=indent), "client.log")
    assert isinstance(exchange.response, Payload)
    assert exchange.response.value == with_finish_reason("bored")
    assert exchange.response.text.place(0) == (text[: text.index("%s")].count("\n") + 1, 1)


def test_a_stream_that_a_gateway_logged_on_both_sides_is_read_twice() -> None:
    """As in the logs of CLIProxyAPI, where both have the same id."""
    log = f"=== API RESPONSE 1 ===\n\nBody:\n{EVENTS}\n\n=== RESPONSE ===\nStatus: 200\n\n{EVENTS}"
    streams = [exchange.response for exchange in _exchanges(log, "request.log")]
    whole = [*CHUNKS, NotJson.DONE]
    assert [stream.values for stream in streams if isinstance(stream, Stream)] == [whole, whole]


@pytest.mark.parametrize("between", ["", "event: message\n", "id: 7\nevent: message\nretry: 1\n"])
def test_a_role_behind_the_end_begins_no_other_stream(between: str) -> None:
    """Some servers name it in each chunk, also in that of the usage."""
    usage = chunk({"role": "assistant", "content": ""})
    text = "".join(f"{between}data: {json.dumps(one)}\n\n" for one in [*CHUNKS, usage])
    (exchange,) = _exchanges(f"got:\n{text}")
    assert isinstance(exchange.response, Stream)
    assert exchange.response.values == [*CHUNKS, usage]


@pytest.mark.parametrize("end", ["", "\n", "\r\n"])
def test_an_answer_below_a_line_that_looks_like_yaml_is_read_with_any_line_end(end: str) -> None:
    line_end = "\r\n" if end == "\r\n" else "\n"
    (exchange,) = read_all(f"response: 200{line_end}{json.dumps(with_finish_reason('stop'))}{end}", "run.txt")
    assert isinstance(exchange, Exchange)
    assert isinstance(exchange.response, Payload)


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("heading", ["\n== streaming ==\n", "Test 2:\n\n", "INFO next\n"])
def test_answers_behind_headings_are_read_if_a_text_begins_with_one(heading: str, indent: int | None) -> None:
    answer = json.dumps(with_finish_reason("stop"), indent=indent)
    text = f"{answer}\n{heading}{EVENTS}{heading}{answer}\n"
    first, stream, last = [exchange.response for exchange in _exchanges(text)]
    assert isinstance(stream, Stream)
    assert stream.values == [*CHUNKS, NotJson.DONE]
    for body in (first, last):
        assert isinstance(body, Payload)
        assert body.sound


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("heading", ["", "== not streaming ==\n"])
def test_an_answer_behind_a_stream_is_read_in_a_text_that_begins_with_the_stream(
    heading: str, indent: int | None
) -> None:
    text = f"{EVENTS}{heading}{json.dumps(with_finish_reason('stop'), indent=indent)}\n"
    stream, answer = [exchange.response for exchange in _exchanges(text)]
    assert isinstance(stream, Stream)
    assert stream.values == [*CHUNKS, NotJson.DONE]
    assert isinstance(answer, Payload)
    assert answer.sound
    (exchange,) = _exchanges(text, "answer.sse")
    assert "sse-unknown-line" in {finding.rule for finding in findings_of_exchange(exchange)}


@pytest.mark.parametrize("command", ["$ curl -s ", "user@host:~$ curl -X POST \\\n  ", "curl "])
@pytest.mark.parametrize("is_chat", [True, False])
def test_an_error_alone_counts_behind_a_command_that_calls_the_api(command: str, is_chat: bool) -> None:
    error = {"error": {"message": "No.", "type": "invalid_request_error", "param": None, "code": None}}
    path = "chat/completions" if is_chat else "embeddings"
    log = f'{command}https://api.example.com/v1/{path} -d \'{{"model": "m"}}\'\n{json.dumps(error)}\n'
    found = [exchange.response for exchange in _exchanges(log)]
    assert [body.value for body in found if isinstance(body, Payload)] == [error] * is_chat


_ASKED = json.dumps({"model": "m", "messages": [{"role": "user", "content": "Hi"}]})


@pytest.mark.parametrize(
    ("name", "page"), [("shell.txt", "{}"), ("page.md", "```console\n{}```\n"), ("page.md", "```\n{}```\n")]
)
@pytest.mark.parametrize(
    ("lines", "is_as_sent"),
    [
        ("$ curl https://h/v1/chat/completions -d @r.json\n", True),
        ("user@host:~$ curl https://h/v1/chat/completions \\\n  -d @$FILE\n", True),
        (f"$ python client.py\n{_ASKED}\n", False),
        (f"$ curl https://h/v1/chat/completions\n{BODY}\n$ python client.py\n{_ASKED}\n", False),
    ],
)
def test_a_document_that_curl_prints_is_judged_as_it_was_sent_and_one_that_a_client_prints_is_not(
    name: str, page: str, lines: str, is_as_sent: bool
) -> None:
    """Client libraries take an error out of its object, and write nulls for what a server left out."""
    error = {"object": "error", "message": "No such model.", "type": "NotFoundError", "param": None, "code": 404}
    found = _exchanges(page.format(f"{lines}{json.dumps(error)}\n"), name)
    rules = {finding.rule for exchange in found for finding in findings_of_exchange(exchange)}
    assert found
    assert ("error-shape" in rules) == is_as_sent


_COPIED = json.dumps(with_finish_reason("bored"), indent=0)


@pytest.mark.parametrize("begins", ["", json.dumps({"model": "m", "messages": []}, indent=2)])
def test_an_answer_over_lines_that_are_not_indented_is_read_behind_a_command(begins: str) -> None:
    text = f'{begins}\ncurl https://h/v1/chat/completions \\\n-d \'{{\n"model": "m"\n}}\'\n{_COPIED}\nThe answer.\n'
    (exchange,) = _exchanges(text)
    assert isinstance(exchange.response, Payload)
    assert exchange.response.value == with_finish_reason("bored")
    (finding,) = [one for one in findings_of_exchange(exchange) if one.rule == "unknown-value"]
    assert place_of(finding) == place_in(text, '"bored"')


@pytest.mark.parametrize("before", ["answer = (", "    body: '", "const x = "])
def test_an_answer_over_any_lines_of_a_program_is_not_read(before: str) -> None:
    assert _exchanges(f"Some text\n{before}{_COPIED})\n") == []


@pytest.mark.parametrize("dots", ["...", "…", "  ...  "])
@pytest.mark.parametrize("end", [["[DONE]"], [{"id": "c", "choices": [], "usage": {}}, "[DONE]"]])
def test_what_dots_between_events_stand_for_may_have_held_the_rest_of_the_stream(dots: str, end: list[object]) -> None:
    first, last = as_events(chunk({"role": "assistant", "content": "Hi"})), as_events(*end)
    for events, is_part in ((f"{first}{dots}\n{last}", True), (f"{dots}\n\n{first}{last}", False)):
        (found,) = _exchanges(f"curl -N https://h/v1/chat/completions\n{events}")
        assert ("finish-reason-missing" in {one.rule for one in findings_of_exchange(found)}) is not is_part


@pytest.mark.parametrize(
    ("name", "first", "is_read"),
    [
        ("<stdin>", "$ curl -s https://example.test/v1/chat/completions -d '{}'", True),
        ("<stdin>", "me@host:~$ curl -s https://example.test/v1/chat/completions -d '{}'", True),
        ("<stdin>", "Warning: slow", False),  # it may be the body that a server sent
        ("<stdin>", "$ curl -s https://example.test/v1/models", False),
        ("notes", "$ curl -s https://example.test/v1/chat/completions -d '{}'", False),
    ],
)
def test_standard_input_is_a_copy_of_a_terminal_if_it_begins_with_a_command(
    name: str, first: str, is_read: bool
) -> None:
    text = f"{first}\n{BODY}\n$ \n"
    assert bool(_exchanges(text, name)) == is_read


@pytest.mark.parametrize(("end", "is_part"), [("...", True), (" …", True), ("... [truncated]", True), ("", False)])
def test_an_event_that_ends_in_dots_may_have_gone_on_with_the_rest_of_the_stream(end: str, is_part: bool) -> None:
    first, last = chunk({"role": "assistant", "content": "Hi"}), json.dumps(chunk({"content": "!"}))
    events = as_events(first) + (f"data: {last[:40]}{end}" if is_part else f"data: {last}")
    (found,) = _exchanges(f"curl -N https://h/v1/chat/completions\n{events}\n\n$ ls\n")
    assert ("finish-reason-missing" in {one.rule for one in findings_of_exchange(found)}) is not is_part


def test_a_body_behind_the_headers_of_its_message_is_read() -> None:
    """The package axios-logger writes both on one line."""
    tag, url = "[Axios][%s] POST ", 'https://api.example.com/v1/chat/completions %s{"x-request-id":"req_1"} '
    asked = json.dumps({"model": "m", "messages": [{"role": "user", "content": "Hi"}], "stream": True})
    exchanges = _exchanges(tag % "Request" + url % "" + asked + "\n" + tag % "Response" + url % "200:OK " + EVENTS)
    [exchange] = exchanges
    assert exchange.request is not None
    assert isinstance(exchange.response, Stream)
    assert exchange.response.values == [*CHUNKS, NotJson.DONE]


@pytest.mark.parametrize("line", ['[case] {"a": 1}, %s', '[case] {"a": 1} => %s', '[case] {"a": 1} %s {"b": 2}'])
def test_an_answer_behind_another_object_with_other_words_is_not_read(line: str) -> None:
    assert not _exchanges(line % BODY + "\n")


_OF_COMMANDS = {
    "a status": "200",
    "numbers with their names": "HTTP_CODE:200 TIME:0.2",
    "an object": '{"http_code":200,"url":"https://api.example.com/v1/chat/completions"}',
    "a remark of curl": "* Connection #0 to host localhost left intact",
    "a remark in a trace": "== Info: Connection #0 to host localhost left intact",
    "a remark of wget": "Setting --output-document (outputdocument) to -",
}


@pytest.mark.parametrize("behind", _OF_COMMANDS.values(), ids=_OF_COMMANDS)
def test_what_a_command_prints_directly_behind_an_answer_hides_no_answer(behind: str) -> None:
    other = json.dumps(with_finish_reason("stop") | {"id": "chatcmpl-Fake9"})
    text = f"== plain\n{BODY}{behind}\n== stream\n{EVENTS}{behind}\n== other\n{other}{behind}\n"
    answers = [values_of(one)[1] for one in _exchanges(text)]
    assert answers == [json.loads(BODY), [*CHUNKS, NotJson.DONE], json.loads(other)]
