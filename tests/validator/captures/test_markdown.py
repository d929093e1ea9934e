"""Tests of Markdown pages: blocks of code are read like files, and findings have their places in the page."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from page_examples import ANSWER, CHUNKS, EVENTS, REQUEST, read
from payloads import COMPLETION, as_events
from reading import findings_of_exchange, values_of

from isogloss.cli.reading import files
from isogloss.validator import engines
from isogloss.validator.exchange import Exchange, Payload, Skipped, Stream
from isogloss.validator.judging.judge import Judge

PAGE = Path(__file__).parents[3] / "fixtures" / "captures" / "markdown" / "page.md"


def test_the_blocks_of_a_page_are_exchanges() -> None:
    stream, error, other = read(PAGE.read_bytes())
    assert isinstance(stream, Exchange)
    assert stream.request is not None
    assert isinstance(stream.response, Stream)
    assert isinstance(error, Exchange)
    assert isinstance(error.response, Payload)
    assert error.response.kind == "error"
    assert isinstance(other, Skipped)
    assert [part.number for part in (stream, error, other)] == [0, 1, 2]


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


@pytest.mark.parametrize(
    "text",
    [
        f"It sends this:\n\n{as_events(*CHUNKS, '[DONE]')}",
        f"=== Streaming ===\n{json.dumps(CHUNKS, indent=2)}\n",
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


@pytest.mark.parametrize("error", [{"error": "invalid_token"}, {"message": "Not Found", "documentation_url": "u"}])
def test_a_response_of_any_api_in_a_block_is_not_read(error: dict[str, str]) -> None:
    (part,) = read(f"```text\nHTTP/1.1 401 Unauthorized\n\n{json.dumps(error)}\n```\n")
    assert isinstance(part, Skipped)


@pytest.mark.parametrize("key", ["http_interactions", "interactions"])
def test_a_page_is_read_whatever_a_block_of_it_is_like(key: str) -> None:
    (exchange,) = read(f"```yaml\n{key}:\n- request:\n```\n\n```json\n{json.dumps(REQUEST)}\n```\n")
    assert isinstance(exchange, Exchange)


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


def test_other_faults_of_json_in_a_marked_block_stay_faults() -> None:
    answer = json.dumps(COMPLETION | {"system_fingerprint": None})
    for faulty in (answer[:-1] + ",}", answer.replace("null", "none"), answer.replace("null", "None") + "}"):
        (exchange,) = read(f"```json\n{faulty}\n```\n")
        assert isinstance(exchange, Exchange)
        assert any(finding.rule.startswith("json-") for finding in findings_of_exchange(exchange)), faulty


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


def test_a_page_may_begin_with_a_byte_order_mark_before_a_block() -> None:
    (found,) = read(f"\ufeff```json\n{ANSWER}\n```\n")
    assert isinstance(found, Exchange)
    assert found.text.place(0) == (2, 1)


@pytest.mark.parametrize("end", [":answer.json", ",ignore", "{1,3}", ":"])
def test_the_word_of_a_block_ends_before_a_title_or_options(end: str) -> None:
    for page in (f"```json{end}\n{ANSWER[:-1]},}}\n```\n", f"```sh{end}\n$ date\n{ANSWER}\n```\n"):
        (found,) = read(page)
        assert isinstance(found, Exchange)
        assert values_of(found)[1] == json.loads(ANSWER)


@pytest.mark.parametrize("words", ["复制代码", "Copy code", "Copy\nExplain"])
@pytest.mark.parametrize("indent", [None, 2])
def test_words_on_lines_behind_an_answer_in_a_block_of_json_are_those_of_the_page(
    words: str, indent: int | None
) -> None:
    answer = json.dumps(COMPLETION, indent=indent)
    (found,) = read(f"```json\n{answer}\n{words}\n```\n")
    assert isinstance(found, Exchange)
    assert findings_of_exchange(found) == []
    (faulty,) = read(f"```json\n{answer} {words}\n```\n")
    assert isinstance(faulty, Exchange)
    assert {finding.rule for finding in findings_of_exchange(faulty)} == {"json-extra-data"}


@pytest.mark.parametrize("mark", ["// ", "# "])
@pytest.mark.parametrize("word", ["json", "", "text"])
def test_comments_between_the_records_of_a_block_say_what_they_are(mark: str, word: str) -> None:
    chunks = [json.dumps(CHUNKS[0]), json.dumps(CHUNKS[1] | {"created": "x"})]
    page = f"```{word}\n{mark}the first chunk\n{chunks[0]}\n\n{mark}the last - one\n{chunks[1]}\n```\n"
    (found,) = read(page)
    assert isinstance(found, Exchange)
    assert isinstance(found.response, Stream)
    (finding,) = (one for one in findings_of_exchange(found) if one.path == "created")
    assert page.splitlines()[finding.source.line - 1][finding.source.column - 1 :].startswith('"x"')


def test_the_headers_of_a_stream_alone_in_a_block_are_no_exchange() -> None:
    head = "HTTP/1.1 200 OK\nContent-Type: text/event-stream\n"
    (found,) = read(f"### Headers\n```\n{head}\n```\n### Body\n```\n{EVENTS}\n```\n")
    assert isinstance(found, Exchange)
    assert found.number == 0
    assert values_of(found)[1][:2] == CHUNKS


@pytest.mark.parametrize("label", ["**The answer**: ", "**The answer:** ", "- **Answer**: ", "* **Answer** "])
def test_an_answer_behind_a_label_in_bold_is_read(label: str) -> None:
    (found,) = read(f"### A test\n**Action**: TEST\n{label}{ANSWER}\n**Result**: it works\n")
    assert isinstance(found, Exchange)
    assert values_of(found)[1] == json.loads(ANSWER)
