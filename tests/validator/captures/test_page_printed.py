"""Tests of what programs and terminals printed in pages: what is read among other lines, and what is left alone."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import pytest
from page_examples import ANSWER, CHUNKS, EVENTS, REQUEST, read
from payloads import COMPLETION
from reading import all_exchanges, findings_of_exchange, place_in, place_of, values_of

from isogloss.validator.exchange import Exchange, NotJson, Payload, Skipped, Stream


@pytest.mark.parametrize("language", ["", "console", "bash title=x", "PowerShell"])
@pytest.mark.parametrize(
    "lines", [["$ curl -s localhost/v1", ANSWER], [ANSWER, "", "HTTP_CODE:200"], [f"{ANSWER}user@host:~$"]]
)
def test_an_answer_on_a_line_of_a_copy_of_a_terminal_is_read(language: str, lines: list[str]) -> None:
    (exchange,) = read("\n".join(["Text", f"```{language}", *lines, "```"]))
    assert isinstance(exchange, Exchange)
    assert isinstance(exchange.response, Payload)
    assert exchange.response.value == json.loads(ANSWER)
    assert exchange.dumped == ("curl" not in lines[0])
    place = exchange.response.text.place(0)
    assert (place.line, place.column) == (3 + next(at for at, line in enumerate(lines) if ANSWER in line), 1)


@pytest.mark.parametrize("answer", [ANSWER, json.dumps(json.loads(ANSWER), indent=2), repr(json.loads(ANSWER))])
@pytest.mark.parametrize("before", ["Hi\n", "<OpenAIObject chat.completion id=chatcmpl-1 at 0x7f1> JSON: ", "It got: "])
def test_what_a_cell_printed_is_read_behind_its_program_as_nbconvert_writes_it(before: str, answer: str) -> None:
    printed = re.sub(r"(?m)^", "    ", before + answer)
    for between in ("\n", "\n\n\n"):
        page = f"# A page\n\n```python\nask()\n```\n{between}{printed}\n\nText.\n"
        (exchange,) = all_exchanges(page, "page.md")
        assert values_of(exchange)[1] == json.loads(ANSWER)
        assert exchange.dumped
        (skipped,) = read(page.replace("Text.", "").replace("```\n", "```\nIt is called so:\n"))
        assert isinstance(skipped, Skipped)


@pytest.mark.parametrize("answer", [ANSWER, json.dumps(json.loads(ANSWER), indent=2), EVENTS])
@pytest.mark.parametrize("mark", ["# ", "#", "    # "])
@pytest.mark.parametrize("before", ["", "# It prints:\n", "# one\n\nrun  # this\n"])
def test_an_answer_in_the_comments_of_a_shell_is_read_and_placed(answer: str, mark: str, before: str) -> None:
    commented = "\n".join(f"{mark}{line}".rstrip() for line in answer.split("\n"))
    for end in ("", "\n# the end", "\n\nexit"):
        page = f"# A page\n```bash\n{before}{commented}{end}\n```\n"
        (exchange,) = all_exchanges(page, "page.md")
        assert values_of(exchange) == values_of(*all_exchanges(f"```\n{answer}\n```\n", "page.md"))
        assert exchange.dumped
        assert exchange.response is not None
        text = exchange.response.text
        place = text.place(text.data.index(b'"model"'))
        assert page.splitlines()[place.line - 1][place.column - 1 :].startswith('"model"')


_PROGRAM = "const x = ask();\n{}\nconst y = '{{\"choices\": []}}';\n"
_COMMENTS: dict[str, Callable[[str], str]] = {
    "hashes": lambda text: re.sub(r"(?m)^", "# ", text),
    "slashes": lambda text: "// It got:\n" + re.sub(r"(?m)^", "//", text),
    "slashes in a function": lambda text: re.sub(r"(?m)^", "    // ", text),
    "dashes": lambda text: re.sub(r"(?m)^", "-- ", text),
    "an arrow": lambda text: re.sub(r"(?m)^", "# ", text).replace("# ", "# => ", 1),
    "a prompt": lambda text: re.sub(r"(?m)^", "# ", text).replace("# ", "# >>> ", 1),
    "a label": lambda text: re.sub(r"(?m)^", "# ", text).replace("# ", "# The answer: ", 1),
    "a block": lambda text: f"/*\n{text}\n*/",
    "a block with stars": lambda text: "/**\n" + re.sub(r"(?m)^", " * ", text) + "\n */",
}


@pytest.mark.parametrize("comment", _COMMENTS)
@pytest.mark.parametrize("language", ["python", "js", "lua", "php"])
@pytest.mark.parametrize(
    "answer", [ANSWER, json.dumps(json.loads(ANSWER), indent=2), EVENTS], ids=["line", "lines", "events"]
)
def test_an_answer_in_the_comments_of_a_program_is_read(language: str, comment: str, answer: str) -> None:
    page = f"# A page\n\n```{language}\n{_PROGRAM.format(_COMMENTS[comment](answer))}```\n"
    (exchange,) = all_exchanges(page, "page.md")
    assert exchange.request is None
    body = exchange.response
    assert isinstance(body, Payload | Stream)
    text = body.text if isinstance(body, Payload) else body.text_of(1) or body.text
    place = text.place(text.data.index(b'"model"'))
    assert page.splitlines()[place.line - 1][place.column - 1 :].startswith('"model"')


@pytest.mark.parametrize("mark", ["# ", "# >>> ", "// ", "# Output: "])
@pytest.mark.parametrize("printed", [repr(json.loads(ANSWER)), "{ " + repr(json.loads(ANSWER))[1:]])
def test_an_answer_as_a_program_prints_it_is_read_in_a_comment_of_the_program(mark: str, printed: str) -> None:
    (exchange,) = all_exchanges(f"```py\nprint(ask().json())\n{mark}{printed}\n\nrun()\n```\n", "page.md")
    assert isinstance(exchange.response, Payload)
    assert exchange.response.value == json.loads(ANSWER)


@pytest.mark.parametrize("comment", _COMMENTS)
@pytest.mark.parametrize("left_out", ["id", "object", "created", "model", "choices"])
def test_a_sketch_of_an_answer_in_a_comment_is_not_read(comment: str, left_out: str) -> None:
    sketch = {name: value for name, value in json.loads(ANSWER).items() if name != left_out}
    for value in (sketch, REQUEST, {"error": {"message": "No", "type": "x", "param": None, "code": None}}):
        text = _COMMENTS[comment](json.dumps(value))
        assert not all_exchanges(f"```go\n{_PROGRAM.format(text)}```\n", "page.md"), text


def test_an_answer_that_python_printed_is_read_below_an_object_that_is_no_payload() -> None:
    (exchange,) = read(f'```\nstatus: {{"ok": true}}\n{json.loads(ANSWER)}\n```\n')
    assert isinstance(exchange, Exchange)
    assert isinstance(exchange.response, Payload)
    assert exchange.response.value == json.loads(ANSWER)


def test_an_answer_among_the_lines_of_a_program_is_not_read() -> None:
    (skipped,) = read(f"```python\nprint(1)\n{ANSWER}\n```\n")
    assert isinstance(skipped, Skipped)


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


@pytest.mark.parametrize("indent", [None, 2])
def test_an_answer_with_words_of_python_in_a_block_of_json_is_what_python_printed(indent: int | None) -> None:
    answer = json.dumps(COMPLETION | {"system_fingerprint": None}, indent=indent)
    (exchange,) = read(f"```json\n{answer.replace('null', 'None')}\n```\n")
    assert isinstance(exchange, Exchange)
    assert values_of(exchange)[1] == COMPLETION | {"system_fingerprint": None}
    assert exchange.dumped
    assert "json-syntax" not in {finding.rule for finding in findings_of_exchange(exchange)}


@pytest.mark.parametrize("page", ["```\n{}\n```\n", "# An issue\n\n{}\n"])
def test_an_answer_that_a_log_in_a_page_has_cut_off_is_not_read(page: str) -> None:
    line = f"11-24 05:00:00.123 1 2 D App  : Raw: {ANSWER[:-20]}"
    assert not any(isinstance(one, Exchange) for one in read(page.replace("{}", line)))


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


_ASKED = json.dumps(REQUEST, indent=0)
_ERROR = json.dumps({"error": {"message": "No.", "type": "invalid_request_error", "param": None, "code": None}})
_COPIED = json.dumps(COMPLETION | {"created": "x"}, indent=0)
"""An answer over lines that are not indented, with a fault."""


@pytest.mark.parametrize("before", [
    f"Authorization: Bearer ***{_ASKED}", f"{_ASKED}curl https://h/v1/chat/completions -d '{_ASKED}'",
    "No URL, no examples", "curl https://h/v1/chat/completions -d '{\"messages\": []}'",
])  # fmt: skip
@pytest.mark.parametrize("behind", ["", _ERROR, "A wrapper around the API."])
@pytest.mark.parametrize("name", ["page.md", "page.txt"])
def test_an_answer_is_read_directly_behind_what_a_copy_has_joined_with_it(before: str, behind: str, name: str) -> None:
    text = f"{before}{_COPIED}{behind}\n"
    (found,) = all_exchanges(text, name)
    asked = json.loads(before.split("'")[1]) if "curl" in before else None
    assert values_of(found) == (asked, COMPLETION | {"created": "x"})
    (finding,) = (one for one in findings_of_exchange(found) if (one.kind, one.path) == ("completion", "created"))
    assert place_of(finding) == place_in(text, '"x"')


@pytest.mark.parametrize("end", ["}'", '}"'])
@pytest.mark.parametrize("name", ["page.md", "page.txt"])
def test_what_a_line_holds_directly_behind_the_end_of_a_command_is_read(end: str, name: str) -> None:
    command = 'curl https://h/v1/chat/completions \\\n--data \'{\n"model": "m",\n"messages": []\n' + end
    (found,) = all_exchanges(f"{command}{json.dumps(COMPLETION)}\n", name)
    assert values_of(found) == ({"model": "m", "messages": []} if end == "}'" else None, COMPLETION)
    (found,) = all_exchanges(f"{command}{EVENTS}\n", name)
    assert isinstance(found.response, Stream)
    assert found.response.values == [*CHUNKS, NotJson.DONE]
    assert [finding.rule for finding in findings_of_exchange(found)] == ["wrong-format"]  # of the id


@pytest.mark.parametrize("before", ["x = json(", "x = [", "x = '", 'x = "', "return ", "x: ", "f(a, ", "x = `", "${"])
def test_an_answer_directly_behind_the_syntax_of_a_program_is_none(before: str) -> None:
    assert all_exchanges(f"# A page\n\nWrite {before}{_COPIED}\n", "page.md") == []


@pytest.mark.parametrize("words", ["Thanks!", "curl -d '{}' https://h", 'It says "x": {1}', "# A heading"])
@pytest.mark.parametrize("between", ["\n\n", "\n"])
def test_words_behind_json_with_which_a_page_begins_are_no_fault_of_it(words: str, between: str) -> None:
    (alone,) = all_exchanges(f"{json.dumps(COMPLETION)}{between}{words}\n", "page.md")
    assert not findings_of_exchange(alone)
    answer, stream = all_exchanges(f"{_COPIED}{between}{words}\n\n{EVENTS}\n", "page.md")
    assert values_of(answer)[1] == COMPLETION | {"created": "x"}
    assert isinstance(stream.response, Stream)
    assert all_exchanges(f"{_ERROR}{between}{words}\n", "page.md") == []  # of any API


def test_json_alone_in_a_page_is_judged_with_its_faults() -> None:
    for fault in ("}", ",", '"x"'):
        (found,) = all_exchanges(f"{ANSWER}{fault}\n", "page.md")
        assert "json-extra-data" in {finding.rule for finding in findings_of_exchange(found)}


@pytest.mark.parametrize("comment", ["// the id", "/* the id */", "# the id"])
def test_an_answer_with_comments_is_read_outside_of_blocks(comment: str) -> None:
    answer = json.dumps(COMPLETION, indent=2).replace(",\n", f", {comment}\n", 1)
    (found,) = all_exchanges(f"# A page\n\nIt sends:\n{answer}\n", "page.md")
    assert values_of(found)[1] == COMPLETION
    assert not findings_of_exchange(found)
