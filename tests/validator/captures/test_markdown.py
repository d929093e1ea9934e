"""Tests of Markdown pages: blocks of code are read like files, and findings have their places in the page."""

from __future__ import annotations

import json
import re
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from payloads import COMPLETION, ERROR, as_events, chunk
from reading import all_exchanges, findings_of_exchange, read_all, values_of

from isogloss.cli.reading import files
from isogloss.validator import engines
from isogloss.validator.exchange import Exchange, NotJson, Payload, Skipped, Stream
from isogloss.validator.judging.judge import Judge

PAGE = Path(__file__).parents[3] / "fixtures" / "captures" / "markdown" / "page.md"
REQUEST = {"model": "m", "messages": [{"role": "user", "content": "Hi"}]}


read = partial(read_all, name="page.md")


def test_the_blocks_of_a_page_are_exchanges() -> None:
    request, stream, error, other = read(PAGE.read_bytes())
    assert isinstance(request, Exchange)
    assert request.request is not None
    assert isinstance(stream, Exchange)
    assert isinstance(stream.response, Stream)
    assert isinstance(error, Exchange)
    assert isinstance(error.response, Payload)
    assert error.response.kind == "error"
    assert isinstance(other, Skipped)
    assert [part.number for part in (request, stream, error, other)] == [0, 1, 2, 3]


def test_a_finding_has_its_place_in_the_page() -> None:
    judge = Judge(engines.load())
    (finding,) = (
        finding
        for part in read(PAGE.read_bytes())
        if isinstance(part, Exchange)
        for finding in judge.judge(part).findings
    )
    lines = PAGE.read_text("utf-8").splitlines()
    place = finding.source
    assert lines[place.line - 1][place.column - 1 :].startswith('5, "param"')


@pytest.mark.parametrize(
    "fence", ["```json", "~~~~ JSON title=x", "   ````json", "> ```json", "- ```json", "1. ```json"]
)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_fence_in_a_list_or_a_quotation_is_read(fence: str, end: str) -> None:
    indent = fence.partition("`")[0].partition("~")[0]
    line_prefix = indent if ">" in indent else " " * len(indent)
    closing_fence = fence.strip("> -1.")[:4].strip("json ") or "```"
    text = json.dumps(REQUEST, indent=1).splitlines()
    page = end.join(["# x", fence, *(line_prefix + line for line in text), line_prefix + closing_fence, "", "end"])
    (exchange,) = read(page)
    assert isinstance(exchange, Exchange)
    assert exchange.request is not None
    assert exchange.request.value == REQUEST
    place = exchange.request.text.place(exchange.request.text.data.index(b'"messages"'))
    assert page.splitlines()[place.line - 1][place.column - 1 :].startswith('"messages"')


CHUNKS = [
    {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [
        {"index": 0, "delta": delta, "finish_reason": reason}
    ]}
    for delta, reason in (({"role": "assistant", "content": "Hi"}, None), ({}, "stop"))
]  # fmt: skip
EVENTS = as_events(*CHUNKS) + "data: [DONE]"


@pytest.mark.parametrize("fence", ["```", "```bash", "```jsonl", "~~~text", "```json"])
@pytest.mark.parametrize(
    ("content", "chunks"),
    [
        (json.dumps(REQUEST), 0),
        (EVENTS, 3),
        ("\n".join(map(json.dumps, CHUNKS)), 2),
        ("\n".join(json.dumps(chunk, indent=2) for chunk in CHUNKS), 2),
        (json.dumps(CHUNKS), 2),
    ],
    ids=["request", "events", "lines", "indented", "array"],
)
def test_a_block_is_read_by_its_content_however_it_is_marked(fence: str, content: str, chunks: int) -> None:
    page = f"# x\n{fence}\n{content}\n{fence[:3]}\nend\n"
    (exchange,) = read(page)
    assert isinstance(exchange, Exchange)
    body = exchange.response
    assert (len(body.values) if isinstance(body, Stream) else 0) == chunks
    assert (exchange.request is None) == bool(chunks)
    assert exchange.text.place(0).line == 3


@pytest.mark.parametrize(
    "content", ["import json", "{broken", '{"colour": "red"}', "data: 1", '[{"a": 1}', "curl -N x"]
)
@pytest.mark.parametrize("fence", ["```", "```python", "~~~yaml"])
def test_blocks_of_other_content_are_left_alone_unless_they_are_marked(fence: str, content: str) -> None:
    (skipped,) = read(f"{fence}\n{content}\n{fence[:3]}\n")
    assert isinstance(skipped, Skipped)
    assert skipped.reason == "a page without a block of JSON or of events"
    (named,) = read(f"```json\n{content}\n```\n")
    assert isinstance(named, Skipped)
    assert named.number == 0


ANSWER = json.dumps({
    "id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "m",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "Hi"}, "finish_reason": "stop"}],
})  # fmt: skip


@pytest.mark.parametrize("language", ["", "console", "bash title=x", "PowerShell"])
@pytest.mark.parametrize(
    "lines", [["$ curl -s localhost/v1", ANSWER], [ANSWER, "", "HTTP_CODE:200"], [f"{ANSWER}user@host:~$"]]
)
def test_an_answer_on_a_line_of_a_copy_of_a_terminal_is_read(language: str, lines: list[str]) -> None:
    (exchange,) = read("\n".join(["Text", f"```{language}", *lines, "```"]))
    assert isinstance(exchange, Exchange)
    assert isinstance(exchange.response, Payload)
    assert exchange.response.value == json.loads(ANSWER)
    assert exchange.dumped
    place = exchange.response.text.place(0)
    assert (place.line, place.column) == (3 + next(at for at, line in enumerate(lines) if ANSWER in line), 1)


def test_an_answer_that_python_printed_is_read_below_an_object_that_is_no_payload() -> None:
    (exchange,) = read(f'```\nstatus: {{"ok": true}}\n{json.loads(ANSWER)}\n```\n')
    assert isinstance(exchange, Exchange)
    assert isinstance(exchange.response, Payload)
    assert exchange.response.value == json.loads(ANSWER)


def test_an_answer_among_the_lines_of_a_program_is_not_read() -> None:
    (skipped,) = read(f"```python\nprint(1)\n{ANSWER}\n```\n")
    assert isinstance(skipped, Skipped)


@given(
    st.sampled_from(["    ", "\t"]),
    st.sampled_from([json.dumps(REQUEST), json.dumps(json.loads(ANSWER), indent=2), EVENTS, f"{ANSWER}\n\n{ANSWER}"]),
    st.sampled_from(["Text:\n\n", "# x\n\n", "- an item\n\n"]),
    st.sampled_from(["\n", "\r\n"]),
)
def test_an_indented_block_is_read_and_placed_like_a_fenced_one(
    indentation: str, content: str, before: str, end: str
) -> None:
    lines = (f"{indentation}{line}" if line else "" for line in content.split("\n"))
    page = (before + "\n".join(lines) + "\n\nMore text.\n").replace("\n", end)
    found = read(page)
    assert len(found) == (2 if content.startswith(f"{ANSWER}\n") else 1)
    for exchange in found:
        assert isinstance(exchange, Exchange)
        text = exchange.text
        for offset in range(0, len(text.data), 50):
            place = text.place(offset)
            line = page.replace("\r\n", "\n").split("\n")[place.line - 1]
            assert line[place.column - 1 :].startswith(text.data[offset : offset + 1].decode().strip("\r\n"))


def test_text_in_a_paragraph_and_code_around_a_body_are_not_read() -> None:
    for page in (
        f"# x\n{json.dumps(REQUEST)}\n",
        f"It answers with\n{json.dumps({'choices': json.loads(ANSWER)['choices']})}\n",  # says not what it is
        '# x\n{"error": {"message": "No", "type": "t", "param": null, "code": null}}\n',
        f"# x\n\n    print(1)\n    {ANSWER}\n",
        f"# x\n\n    body = {json.dumps(REQUEST, indent=2)}\n",
        f"```\ncurl x -d @- <<EOF\n{json.dumps(REQUEST, indent=2)}\nEOF\n```\n",
        f"```\nanswer = {json.dumps(json.loads(ANSWER), indent=2)}\n```\n",
    ):
        (skipped,) = read(page)
        assert isinstance(skipped, Skipped), page


_CHUNKS = [
    {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m",
     "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}
    for delta, reason in [({"role": "assistant", "content": "Hi"}, None), ({}, "stop")]
]  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        f"It sends this:\n\n{as_events(*_CHUNKS, '[DONE]')}",
        f"=== Streaming ===\n{json.dumps(_CHUNKS, indent=2)}\n",
        f"text\n    {ANSWER}\n",  # goes on with the paragraph
        f"body: {json.dumps(json.loads(ANSWER), indent=2)}\n",
        f"```python\nprint(answer)\n```\nprints\n{ANSWER}\n",
    ],
)
def test_an_answer_outside_of_blocks_is_read_if_no_block_holds_one(text: str) -> None:
    (exchange,) = read(f"# An issue\n{text}")
    assert isinstance(exchange, Exchange)
    assert exchange.response is not None
    assert exchange.dumped
    config = '```json\n{"retries": 3}\n```\n'
    assert [one for one in read(f"{config}# An issue\n{text}") if isinstance(one, Exchange)] != []
    in_block, other = json.dumps(json.loads(ANSWER) | {"model": "other"}), f"# An issue\n{text}"
    (exchange,) = read(f"{other}\n```json\n{in_block}\n```\n")
    assert isinstance(exchange, Exchange)
    assert isinstance(exchange.response, Payload)
    assert exchange.response.value["model"] == "other"


def test_an_answer_over_several_lines_of_a_copy_of_a_terminal_is_read() -> None:
    answer = json.dumps(json.loads(ANSWER), indent=2)
    page = f"```\nStatus: 200\nbody: {answer}\n\n{answer}\nbye\n```\n"
    first, second = read(page)
    assert isinstance(first, Exchange)
    assert isinstance(second, Exchange)
    assert (first.text.place(0), second.text.place(0)) == ((3, 7), (4 + answer.count("\n") + 1, 1))
    assert first.dumped


@pytest.mark.parametrize("prefix", ["app-1  | ", "║ ", "2026-11-24T05:00:00.1234567Z "])
def test_an_answer_over_lines_that_begin_with_what_a_tool_writes_is_read_and_a_request_is_not(prefix: str) -> None:
    lines = ["body: {", *json.dumps(json.loads(ANSWER), indent=2).splitlines()[1:]]
    asked = json.dumps(REQUEST, indent=2).splitlines()
    page = "".join(f"{prefix}{line}\n" for line in [*asked, "POST 200", *lines, "bye"])
    (found,) = read(f"```\n{page}```\n")
    assert isinstance(found, Exchange)
    assert found.dumped
    assert isinstance(found.response, Payload)
    assert found.response.value == json.loads(ANSWER)
    assert found.response.text.place(0) == (3 + len(asked), len(f"{prefix}body: ") + 1)
    quoted = "".join(f"> {line}\n" for line in ["```", *page.splitlines(), "```"])
    assert not any(isinstance(one, Exchange) for one in read(quoted))  # places would be wrong


@pytest.mark.parametrize("name", ["page.md", "page.rst", "page.adoc"])
def test_a_page_is_read_only_if_it_is_named_itself(name: str, tmp_path: Path) -> None:
    page = tmp_path / name
    page.write_bytes(PAGE.read_bytes())
    (skipped,) = files.walk([str(tmp_path)])
    assert isinstance(skipped, Skipped)
    assert "name a page" in skipped.reason
    assert list(files.walk([str(page)])) == [str(page)]


@given(st.lists(st.sampled_from(["```", "~~~~", "json", "sse", " ", "> ", "- ", "\n", "\r", "{}", "data: {}", "é"])))
def test_any_page_is_read(parts: list[str]) -> None:
    assert read("".join(parts))


@pytest.mark.parametrize("word", ["http", "console", ""])
def test_messages_in_a_block_keep_their_status_unless_something_stands_in_place_of_a_body(word: str) -> None:
    command, error = "$ curl -i https://h/v1/chat/completions -d @r.json\n", {"error": {"message": "m", "type": "t"}}
    head = "HTTP/1.1 429 Too Many Requests\ncontent-type: application/json\n\n"
    others = [head + "{...}", head + json.dumps(error)[:-2]]
    blocks = [*others, command + head + json.dumps(error), head + json.dumps(error)]
    page = "".join(f"```{word}\n{block}\n```\n\n" for block in blocks)
    found = read(page)
    assert [part.number for part in found] == [0, 1]
    assert [part.http.status for part in found if isinstance(part, Exchange)] == [429, 429]


def test_blank_lines_that_a_page_leaves_out_between_all_events_are_no_fault() -> None:
    chunk = '{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1760000000,"model":"m","choices":[]}'
    (exchange,) = read(f"```\ndata: {chunk}\ndata: {chunk}\ndata: [DONE]\n```\n")
    assert isinstance(exchange, Exchange)
    rules = {finding.rule for finding in findings_of_exchange(exchange)}
    assert rules.isdisjoint(("events-not-separated", "event-truncated"))


def test_a_block_of_nothing_but_the_end_of_a_stream_is_not_read() -> None:
    (part,) = read("Other APIs end in the same way:\n\n```\ndata: [DONE]\n```\n")
    assert isinstance(part, Skipped)


@pytest.mark.parametrize("error", [{"error": "invalid_token"}, {"message": "Not Found", "documentation_url": "u"}])
def test_a_response_of_any_api_in_a_block_is_not_read(error: dict[str, str]) -> None:
    (part,) = read(f"```text\nHTTP/1.1 401 Unauthorized\n\n{json.dumps(error)}\n```\n")
    assert isinstance(part, Skipped)


@pytest.mark.parametrize("key", ["http_interactions", "interactions"])
def test_a_page_is_read_whatever_a_block_of_it_is_like(key: str) -> None:
    (exchange,) = read(f"```yaml\n{key}:\n- request:\n```\n\n```json\n{json.dumps(REQUEST)}\n```\n")
    assert isinstance(exchange, Exchange)


CHUNK = {
    "id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1760000000, "model": "m",
    "choices": [{"index": 0, "delta": {"content": "Hi"}, "logprobs": None, "finish_reason": None}],
}  # fmt: skip


@pytest.mark.parametrize("chunks", [1, 2])
@pytest.mark.parametrize(("end", "is_part"), [("", True), ("data: [DONE]\n\n", False)])
def test_events_in_a_page_are_a_whole_stream_only_if_something_ends_them(chunks: int, end: str, is_part: bool) -> None:
    (exchange,) = read("```\n" + f"data: {json.dumps(CHUNK)}\n\n" * chunks + end + "```\n")
    assert isinstance(exchange, Exchange)
    found = {finding.rule for finding in findings_of_exchange(exchange)}
    assert found == (set() if is_part else {"role-missing", "finish-reason-missing"})


@pytest.mark.parametrize(("role", "finish_reason", "is_part"), [
    ({"role": "assistant"}, "stop", False), ({"role": "assistant"}, None, True), ({}, "stop", True),
])  # fmt: skip
def test_events_without_done_are_a_whole_stream_only_with_a_role_and_a_finish_reason(
    role: dict[str, str], finish_reason: str | None, is_part: bool
) -> None:
    first, last = (json.loads(json.dumps(CHUNK)) for _ in range(2))
    first["choices"][0]["delta"] |= role
    last["choices"][0]["finish_reason"] = finish_reason
    (exchange,) = read("```\n" + "".join(f"data: {json.dumps(one)}\n\n" for one in (first, last)) + "```\n")
    assert isinstance(exchange, Exchange)
    found = {finding.rule for finding in findings_of_exchange(exchange)}
    assert ("done-missing" in found) != is_part
    assert found.isdisjoint(("role-missing", "finish-reason-missing"))


@pytest.mark.parametrize(
    ("between", "end", "rules"),
    [("", "data: [DONE]\n", ["finish-reason-missing"]), ("", "", []), ("...\n\n", "data: [DONE]\n", [])],
)
def test_events_in_a_copy_of_a_terminal_are_a_whole_stream_if_done_ends_them_and_no_dots_stand_among_them(
    between: str, end: str, rules: list[str]
) -> None:
    events = [as_events(chunk({"role": "assistant", "content": "Ho"})), as_events(chunk({"content": "!"}))]
    (found,) = read(f"```\n$ curl -N localhost -d '{{\n}}'\n{between.join(events)}{end}```\n")
    assert isinstance(found, Exchange)
    assert [finding.rule for finding in findings_of_exchange(found)] == rules


def test_an_event_alone_in_a_page_is_a_chunk_or_a_part_of_a_stream() -> None:
    (first, second) = read(f"```\n{as_events(chunk({'content': 'Ho'}))}```\n\n```\n{as_events(ERROR)}```\n")
    assert isinstance(first, Exchange)
    assert isinstance(second, Exchange)
    assert isinstance(first.response, Payload)
    assert first.response.kind == "chunk"
    assert isinstance(second.response, Stream)
    assert second.response.is_part


def test_an_event_alone_below_the_headers_of_a_stream_is_no_json_body() -> None:
    headers = "HTTP/1.1 200 OK\nContent-Type: text/event-stream\nContent-Length: 9938\n\n"
    (exchange,) = read(f"```http\n{headers}{as_events(chunk({'role': 'assistant', 'content': ''})).rstrip()}\n```\n")
    assert isinstance(exchange, Exchange)
    assert isinstance(exchange.response, Payload)
    assert findings_of_exchange(exchange) == []


@pytest.mark.parametrize("indent", [None, 2])
def test_an_answer_with_words_of_python_in_a_block_of_json_is_what_python_printed(indent: int | None) -> None:
    answer = json.dumps(COMPLETION | {"system_fingerprint": None}, indent=indent)
    (exchange,) = read(f"```json\n{answer.replace('null', 'None')}\n```\n")
    assert isinstance(exchange, Exchange)
    assert values_of(exchange)[1] == COMPLETION | {"system_fingerprint": None}
    assert exchange.dumped
    assert "json-syntax" not in {finding.rule for finding in findings_of_exchange(exchange)}


@pytest.mark.parametrize("comment", ["// why\n", "# why\n", "/* why */ "])
@pytest.mark.parametrize("before", ["{", ",", "null", "2"])
def test_comments_in_a_block_of_json_are_those_of_the_page(comment: str, before: str) -> None:
    answer = json.dumps(COMPLETION | {"system_fingerprint": None}, indent=2).replace(before, f"{before} {comment}", 1)
    (exchange,) = read(f"```json\n{answer}\n```\n")
    assert isinstance(exchange, Exchange)
    assert values_of(exchange)[1] == COMPLETION | {"system_fingerprint": None}
    assert not any(finding.rule.startswith("json-") for finding in findings_of_exchange(exchange))


@pytest.mark.parametrize("word", ["", "jsonc", "text"])
def test_a_record_with_comments_in_a_block_of_any_word_is_read(word: str) -> None:
    record = json.dumps({"request": REQUEST, "response": json.loads(ANSWER)}, indent=2)
    for commented in (
        record.replace(",", ", // of the client", 1),
        record.replace("{", "[{ // of the client", 1) + "]",
    ):
        (exchange,) = read(f"```{word}\n{commented}\n```\n")
        assert isinstance(exchange, Exchange)
        assert values_of(exchange) == (REQUEST, json.loads(ANSWER))


@pytest.mark.parametrize("word", ["", "json", "text"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_backslashes_at_the_ends_of_lines_in_brackets_are_those_of_a_program_that_made_the_page(
    word: str, end: str
) -> None:
    lines = json.dumps(COMPLETION | {"id": 5}, indent=2).splitlines()
    first, last = lines.index('  "choices": ['), lines.index("  ],")
    broken = [line + "\\" * (first <= number < last) for number, line in enumerate(lines)]
    page = end.join([f"```{word}", *broken, "```", ""])
    (exchange,) = read(page)
    assert isinstance(exchange, Exchange)
    assert values_of(exchange)[1] == COMPLETION | {"id": 5}
    (finding,) = findings_of_exchange(exchange)
    assert page.splitlines()[finding.source.line - 1][finding.source.column - 1 :].startswith("5")


def test_the_numbers_of_lines_before_an_answer_in_a_block_are_those_of_the_page() -> None:
    lines = json.dumps(COMPLETION, indent=2).splitlines()
    numbers = [str(number) for number in range(1, len(lines) + 1)]
    (exchange,) = read("\n".join(["```json", *numbers, *lines, "```", ""]))
    assert isinstance(exchange, Exchange)
    assert findings_of_exchange(exchange) == []


def test_an_answer_between_tags_of_html_is_read() -> None:
    (exchange,) = read(f"# A notebook\n\n<strong style='color: #00008B;'>{ANSWER}</strong>\n")
    assert isinstance(exchange, Exchange)
    assert values_of(exchange)[1] == json.loads(ANSWER)


@pytest.mark.parametrize("page", ["```\n{}\n```\n", "# An issue\n\n{}\n"])
def test_an_answer_that_a_log_in_a_page_has_cut_off_is_not_read(page: str) -> None:
    line = f"11-24 05:00:00.123 1 2 D App  : Raw: {ANSWER[:-20]}"
    assert not any(isinstance(one, Exchange) for one in read(page.replace("{}", line)))


def test_other_faults_of_json_in_a_marked_block_stay_faults() -> None:
    answer = json.dumps(COMPLETION | {"system_fingerprint": None})
    for faulty in (answer[:-1] + ",}", answer.replace("null", "none"), answer.replace("null", "None") + "}"):
        (exchange,) = read(f"```json\n{faulty}\n```\n")
        assert isinstance(exchange, Exchange)
        assert any(finding.rule.startswith("json-") for finding in findings_of_exchange(exchange)), faulty


def test_of_a_chunk_in_a_page_a_part_may_be_left_out() -> None:
    (exchange,) = read('```\ndata: {"id": "chatcmpl-1", "object": "chat.completion.chunk", ...}\n```\n')
    assert isinstance(exchange, Exchange)
    assert findings_of_exchange(exchange) == []


@pytest.mark.parametrize("between", ["", "and so on\n\n"])
@pytest.mark.parametrize("end", ["data: [DONE]\n", ""])
def test_events_whose_json_a_page_writes_over_several_lines_are_read(between: str, end: str) -> None:
    events = [f"data: {json.dumps(one, indent=2)}\n\n" for one in CHUNKS]
    (found,) = read(f"```json\n{between.join(events)}{end}```\n")
    assert isinstance(found, Exchange)
    assert values_of(found)[1][:2] == CHUNKS
    assert {one.rule for one in findings_of_exchange(found)} <= {"wrong-format", "done-missing"}


def test_events_over_several_lines_are_skipped_if_a_part_of_one_is_left_out_or_they_are_those_of_another_api() -> None:
    event = json.dumps(CHUNKS[0], indent=2)
    for events in (f"data: {event}\n\ndata: {event[:60]}, ...,\n}}\n", 'data: {\n "a": 1\n}\n\ndata: [DONE]\n'):
        (found,) = read(f"```json\n{events}```\n")
        assert isinstance(found, Skipped)


@pytest.mark.parametrize("mark", ["... [truncated]", "…", "(truncated)"])
def test_an_answer_that_a_page_has_cut_off_is_skipped(mark: str) -> None:
    (found,) = read(f"```json\n{json.dumps(COMPLETION)[:-80]}\n{mark}\n```\n")
    assert isinstance(found, Skipped)


@pytest.mark.parametrize("indent", [None, 2])
def test_blanks_before_an_answer_in_a_block_are_those_of_the_page(indent: int | None) -> None:
    (found,) = read(f"```\n\n   {json.dumps(COMPLETION, indent=indent)}\n```\n")
    assert isinstance(found, Exchange)
    assert findings_of_exchange(found) == []


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("behind", ["%", "⏎", "user@host:~$ ", "(base)"])
def test_what_a_shell_puts_behind_an_answer_in_a_block_is_left_out(behind: str, indent: int | None) -> None:
    (found,) = read(f"```\n{json.dumps(COMPLETION, indent=indent)}{behind}\n```\n")
    assert isinstance(found, Exchange)
    assert findings_of_exchange(found) == []


@pytest.mark.parametrize("word", ["json", "text"])
@pytest.mark.parametrize("behind", ["```\n", "```\n\nMore words.\n", "```\n```\n\nMore words.\n"])
def test_a_fence_directly_behind_an_answer_ends_the_block(behind: str, word: str) -> None:
    (found,) = read(f"It prints\n\n```{word}\n{json.dumps(COMPLETION)}{behind}")
    assert isinstance(found, Exchange)
    assert isinstance(found.response, Payload)
    assert found.response.value == COMPLETION
    assert findings_of_exchange(found) == []


@pytest.mark.parametrize("before", ["`", "sse: `", 'BODY = """', "'''"])
def test_the_first_event_of_a_string_over_many_lines_is_one_of_the_stream(before: str) -> None:
    (found,) = read(f"```\n{before}{EVENTS}{before.rpartition(' ')[2]}\n```\n")
    assert isinstance(found, Exchange)
    assert isinstance(found.response, Stream)
    assert found.response.values == [*CHUNKS, NotJson.DONE]


@pytest.mark.parametrize("indentation", ["    ", "\t"])
def test_events_in_a_block_without_fences_are_read_without_its_indentation(indentation: str) -> None:
    block = EVENTS.rstrip().replace("\n", f"\n{indentation}")
    (found,) = all_exchanges(f"It sends:\n\n{indentation}{block}\n", "a.md")
    assert values_of(found)[1][:2] == CHUNKS


@pytest.mark.parametrize(
    "word",
    [
        "", "bash", "console", "log", "output", "plaintext", "sh", "shell", "shell-session", "terminal", "text", "txt",
        "python",
    ],
)  # fmt: skip
def test_what_a_program_printed_is_read_in_a_copy_of_a_terminal_and_not_in_a_program(word: str) -> None:
    page = f"```{word}\nI ask it:\nanswer: {json.dumps(COMPLETION)}\n```\n"
    assert len(all_exchanges(page, "a.md")) == (word != "python")


@pytest.mark.parametrize(
    "entry",
    [
        "2026-11-24T05:00:00Z\tDEBUG\tmain.go:10\tresponse\t{}",
        "[2026-11-24 05:00:00] app.DEBUG: response {} []",
        "10:00AM DBG response body={}",
    ],
)
@pytest.mark.parametrize("page", ["```\n{}\n```\n", "```log\n{}\n```\n", "# An issue\n\n{}\n"])
def test_an_answer_anywhere_in_a_line_of_a_log_is_read(entry: str, page: str) -> None:
    record = json.dumps({"status": 200, "body": ANSWER})
    (found,) = read(page.replace("{}", entry.replace("{}", record)))
    assert isinstance(found, Exchange)
    assert isinstance(found.response, Payload)
    assert found.response.value == json.loads(ANSWER)


def test_a_line_of_a_program_in_a_block_without_a_word_is_not_read() -> None:
    assert not any(isinstance(one, Exchange) for one in read(f"```\nanswer = [{ANSWER}]\n```\n"))


def test_a_page_may_begin_with_a_byte_order_mark_before_a_block() -> None:
    (found,) = read(f"\ufeff```json\n{ANSWER}\n```\n")
    assert isinstance(found, Exchange)
    assert found.text.place(0) == (2, 1)


_HTTR2 = (
    "-> POST /v1/chat/completions HTTP/1.1\n-> Content-Type: application/json\n-> \n>> {request}\n\n"
    "<- HTTP/2 200 \n<- content-type: application/json\n<- \n{answer}\n"
)


@pytest.mark.parametrize(("word", "before"), [("", ""), ("", "#> "), ("r", "#> ")])
@pytest.mark.parametrize("indent", [None, 2])
def test_what_httr2_prints_is_read_in_a_page_also_behind_the_marks_of_output_in_r(
    word: str, before: str, indent: int | None
) -> None:
    answer = "\n".join(f"<< {line}" for line in json.dumps(COMPLETION, indent=indent).split("\n"))
    printed = _HTTR2.format(request=json.dumps(REQUEST), answer=answer)
    lines = "".join(f"{before}{line}\n" for line in printed.splitlines())
    (found,) = all_exchanges(f"# An issue\n\n```{word}\nreq |> req_perform()\n{lines}```\n", "issue.md")
    assert values_of(found) == (REQUEST, COMPLETION)


@pytest.mark.parametrize(
    "page", ["# A page\n\ncurl --url https://api.example.com\n{}\n\nMore\n", "```\n./run.sh\n{}\n```\n"]
)
def test_an_answer_over_lines_that_are_not_indented_is_read_among_other_lines(page: str) -> None:
    indented = json.dumps(COMPLETION | {"created": "x"}, indent=2)
    for answer in (re.sub("(?m)^ +", "", indented), json.dumps(COMPLETION | {"created": "x"}).replace(", ", ",\n")):
        text = page.replace("{}", answer)
        (found,) = read(text)
        assert isinstance(found, Exchange)
        (finding,) = (finding for finding in findings_of_exchange(found) if finding.path == "created")
        assert finding.source.line == text[: text.index('"x"')].count("\n") + 1


@pytest.mark.parametrize("dots", ["...", "…"])
def test_events_with_dots_in_place_of_a_part_are_left_out_and_so_is_the_end(dots: str) -> None:
    events = (
        f'data: {json.dumps(CHUNKS[0])}\ndata: {{"choices":[{{"delta":{{"content":"Hi"}}}}],{dots}}}\ndata: [DONE]\n'
    )
    (found,) = read(f"# A page\n\nThe usual form:\n{events}")
    assert isinstance(found, Exchange)
    assert not {finding.rule for finding in findings_of_exchange(found)} & {"finish-reason-missing", "role-missing"}
