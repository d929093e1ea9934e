"""Tests of words and numbers behind a body that is a file of its own."""

from __future__ import annotations

import json

import pytest
from payloads import COMPLETION, EVENTS, REQUEST, URL
from reading import all_exchanges, findings_of_exchange, read_all, values_of

from isogloss.validator.captures.bodies.trailing import WORDS_BEHIND
from isogloss.validator.exchange import Exchange, Skipped

BODIES = {
    "an answer": json.dumps(COMPLETION) + "\n",
    "an answer over lines": json.dumps(COMPLETION, indent=2) + "\n",
    "a stream": EVENTS,
}


def _rules(text: str, name: str) -> set[str]:
    [found] = all_exchanges(text, name)
    return {finding.rule for finding in findings_of_exchange(found)}


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
@pytest.mark.parametrize("words", ["works now, thanks!", "OK", "\nDone in 3 seconds.", "real 0m1.2s", "так тоже"])
def test_words_on_lines_behind_an_answer_are_skipped_in_a_text_alone(body: str, words: str) -> None:
    first, *others = read_all(f"{body}{words}\n", "answer.txt")
    assert isinstance(first, Exchange)
    assert not findings_of_exchange(first)
    assert [one.why for one in others if isinstance(one, Skipped)] == [WORDS_BEHIND]
    assert _rules(f"{body}{words}\n", "answer.dat") & {"json-extra-data", "sse-unknown-line"}


@pytest.mark.parametrize("words", ["Done", "\nDone in 3 seconds.", "user@h:~$ "])
def test_words_behind_several_documents_are_left_out(words: str) -> None:
    chunks = [json.loads(line.removeprefix("data: ")) for line in EVENTS.splitlines() if line.startswith("data: {")]
    for documents in ([json.dumps(one, indent=2) for one in chunks], [json.dumps(COMPLETION, indent=2), *["{}"] * 2]):
        text = "\n".join(documents)
        assert values_of(all_exchanges(f"{text}\n{words}\n", "a.txt")[0]) == values_of(all_exchanges(text, "a.txt")[0])


@pytest.mark.parametrize("mark", ["%", "%\nuser@host % ", "⏎", "⏎   \nuser@host ~> "])
def test_the_mark_of_a_shell_behind_an_answer_without_a_line_end_is_left_out(mark: str) -> None:
    assert not _rules(json.dumps(COMPLETION) + mark, "answer.txt")


@pytest.mark.parametrize("added", [" works", '\nit says "x"', "\n<br>Warning", "\n0 {"])
def test_what_may_be_no_words_is_a_fault_of_the_answer(added: str) -> None:
    assert "json-extra-data" in _rules(json.dumps(COMPLETION) + added, "answer.txt")


@pytest.mark.parametrize("words", ["works now, thanks!", "200", "user@h:~$ "])
@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_words_are_left_out_whatever_wrote_the_file(body: str, words: str) -> None:
    text = f"{body}{words}\n"
    expected = len(read_all(text, "a.txt"))
    for saved in (f"\ufeff{text}", text.replace("\n", "\r\n"), text.encode("utf-16")):
        first, *others = read_all(saved, "a.txt")
        assert isinstance(first, Exchange)
        assert {one.rule for one in findings_of_exchange(first)} <= {
            "json-byte-order-mark", "sse-byte-order-mark", "sse-line-endings",
        }  # fmt: skip
        assert 1 + len(others) == expected


def test_words_behind_what_is_no_answer_are_not_reported() -> None:
    assert all(isinstance(one, Skipped) and one.why != WORDS_BEHIND for one in read_all('{"a": 1}\nbye\n', "a.log"))


@pytest.mark.parametrize("added", ["200", "HTTP_CODE:200\n\n", "code=200\ntime: 1.5s\n"])
def test_what_curl_adds_behind_a_stream_is_no_line_of_it(added: str) -> None:
    assert not _rules(EVENTS + added, "answer.sse")


@pytest.mark.parametrize("event", ["data: 200\n\n", "id: 7\n\n"])
def test_an_event_of_a_number_is_a_part_of_the_stream(event: str) -> None:
    [found] = all_exchanges(EVENTS + event, "answer.sse")
    assert found.response is not None
    assert found.response.text.data.endswith(event.encode())


@pytest.mark.parametrize("first", [json.dumps(COMPLETION | {"id": "chatcmpl-0"}), '{"ok": true}'])
@pytest.mark.parametrize("prompt", ["%\n~ 12:00\n$ ", "\nu@h:~$ ", "%\nu@h ~ % ls\nu@h ~ % "])
@pytest.mark.parametrize("name", ["a.txt", "a.log"])
def test_what_the_next_commands_got_is_read_in_a_copy_that_begins_with_an_answer(
    first: str, prompt: str, name: str
) -> None:
    command = f"curl {URL} -d '{json.dumps(REQUEST)}'"
    *before, last = all_exchanges(f"{first}{prompt}{command}\n{json.dumps(COMPLETION)}\nu@h:~$ \n", name)
    assert len(before) == ("choices" in first)
    assert values_of(last) == (REQUEST, COMPLETION)


@pytest.mark.parametrize("command", ["ls", "cat <<EOF | tr a b\n{}\nEOF", "curl https://h -d @- <<EOF\n{}\nEOF"])
def test_commands_behind_an_answer_without_answers_of_theirs_are_no_fault_of_it(command: str) -> None:
    for body in ('{"ok": 1}', json.dumps(REQUEST)):
        assert not _rules(f"{json.dumps(COMPLETION)}\nu@h:~$ {command.replace('{}', body)}\n", "answer.txt")
