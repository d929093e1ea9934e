"""Tests of events in pages: which are a stream, what a page may leave out of them, and what is no fault of theirs."""

from __future__ import annotations

import json

import pytest
from page_examples import CHUNKS, EVENTS, read
from payloads import ERROR, as_events, chunk
from reading import all_exchanges, findings_of_exchange, place_in, place_of, values_of

from isogloss.validator.exchange import Exchange, NotJson, Payload, Skipped, Stream


def test_blank_lines_that_a_page_leaves_out_between_all_events_are_no_fault() -> None:
    chunk = '{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1760000000,"model":"m","choices":[]}'
    (exchange,) = read(f"```\ndata: {chunk}\ndata: {chunk}\ndata: [DONE]\n```\n")
    assert isinstance(exchange, Exchange)
    rules = {finding.rule for finding in findings_of_exchange(exchange)}
    assert rules.isdisjoint(("events-not-separated", "event-truncated"))


def test_a_block_of_nothing_but_the_end_of_a_stream_is_not_read() -> None:
    (part,) = read("Other APIs end in the same way:\n\n```\ndata: [DONE]\n```\n")
    assert isinstance(part, Skipped)


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


@pytest.mark.parametrize(("number", "is_fault"), [("17...", False), ("17…", False), ("1..7", True), ("17x", True)])
def test_dots_behind_the_first_digits_of_a_number_stand_in_place_of_the_others(number: str, is_fault: bool) -> None:
    event = as_events(CHUNKS[0]).replace('"created": 1', f'"created": {number}')
    (found,) = read(f"```\n{event}{as_events(CHUNKS[1])}data: [DONE]\n```\n")
    assert isinstance(found, Exchange)
    assert ("json-syntax" in {finding.rule for finding in findings_of_exchange(found)}) == is_fault


@pytest.mark.parametrize("behind", ["...\n", "...\n\n", ""])
def test_dots_between_two_events_stand_in_place_of_a_blank_line_too(behind: str) -> None:
    first, last = (f"data: {json.dumps(one)}\n" for one in CHUNKS)
    page = f"```\n{first}\n{last}{behind}{last}\ndata: [DONE]\n```\n"
    (found,) = read(page)
    assert isinstance(found, Exchange)
    assert ("events-not-separated" in {one.rule for one in findings_of_exchange(found)}) == (not behind)


@pytest.mark.parametrize("dots", ["...", "…"])
def test_events_with_dots_in_place_of_a_part_are_left_out_and_so_is_the_end(dots: str) -> None:
    events = (
        f'data: {json.dumps(CHUNKS[0])}\ndata: {{"choices":[{{"delta":{{"content":"Hi"}}}}],{dots}}}\ndata: [DONE]\n'
    )
    (found,) = read(f"# A page\n\nThe usual form:\n{events}")
    assert isinstance(found, Exchange)
    assert not {finding.rule for finding in findings_of_exchange(found)} & {"finish-reason-missing", "role-missing"}


@pytest.mark.parametrize("between", ["", " ", "   "])
@pytest.mark.parametrize("name", ["page.md", "page.txt"])
def test_events_that_a_copy_has_joined_on_a_line_are_a_stream(between: str, name: str) -> None:
    first, last = (json.dumps(one) for one in CHUNKS)
    line = between.join([f"data: {first}", f"data: {last}", "data: [DONE]"])
    (found,) = all_exchanges(f"# A page\n\nA stream:\n{line}\nEach event is JSON.\n", name)
    assert isinstance(found.response, Stream)
    assert found.response.values == [*CHUNKS, NotJson.DONE]
    assert all_exchanges(f"# A page\n\n{line.replace(last, 'x')}\n", name) == []


def test_a_page_of_nothing_but_events_has_lost_the_blank_lines_between_them() -> None:
    (found,) = read("".join(f"data: {json.dumps(one)}\n" for one in CHUNKS) + "data: [DONE]\n")
    assert isinstance(found, Exchange)
    rules = {finding.rule for finding in findings_of_exchange(found)}
    assert rules.isdisjoint(("events-not-separated", "event-truncated"))


@pytest.mark.parametrize("name", ["page.md", "page.txt"])
def test_the_blank_line_behind_the_last_event_of_a_message_is_left_out_by_a_page(name: str) -> None:
    message = f"HTTP/2 200 \ncontent-type: text/event-stream\n\n{EVENTS}\n"
    (found,) = all_exchanges(f"It sends:\n\n```\n{message}```\n" if name == "page.md" else message, name)
    rules = {finding.rule for finding in findings_of_exchange(found)}
    assert ("event-truncated" in rules) == (name == "page.txt")


@pytest.mark.parametrize("blanks", [" ", "\t", "    "])
def test_blanks_in_an_empty_line_of_a_page_are_none_of_the_stream(blanks: str) -> None:
    events = EVENTS.replace("\n\n", f"\n{blanks}\n")
    page = f"```\n{events}\n{blanks}\n...\n```\n".replace('"delta": {}', '"delta": {"role": 1}')
    (found,) = read(page)
    assert isinstance(found, Exchange)
    assert {one.rule for one in findings_of_exchange(found)} == {"wrong-format", "wrong-type"}
    (finding,) = (one for one in findings_of_exchange(found) if one.rule == "wrong-type")
    assert place_of(finding) == place_in(page, "1}")
    (sent,) = all_exchanges(events, "a.sse")
    assert "events-not-separated" in {one.rule for one in findings_of_exchange(sent)}
