"""Tests of logs that show the bytes of connections among other lines."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path

import pytest
from payloads import COMPLETION, EVENTS, REQUEST
from reading import exchanges_in, findings_of_exchange, read_all, values_of
from recorded import Recorded
from wire_writers import write_wire_log, write_wire_log_of_ruby

from isogloss.validator.captures.capture import Capture
from isogloss.validator.captures.formats import wire_log
from isogloss.validator.exchange import Exchange, Skipped, Stream

LOG = (Path(__file__).parents[3] / "fixtures" / "captures" / "wire-log" / "apache.log").read_bytes()
REQUEST_TEXT, COMPLETION_TEXT = json.dumps(REQUEST), json.dumps(COMPLETION)
RECORDED = Recorded(REQUEST_TEXT, COMPLETION_TEXT)
SENT = (
    "POST /v1/chat/completions HTTP/1.1\r\nHost: llm.example.com\r\n"
    f"Content-Length: {len(REQUEST_TEXT)}\r\n\r\n{REQUEST_TEXT}"
)
ANSWERED = f"HTTP/1.1 200 OK\r\nContent-Length: {len(COMPLETION_TEXT)}\r\n\r\n{COMPLETION_TEXT}"


def rows(data: str, row: str) -> str:
    """Write a dump of a text: sixteen bytes a line."""
    starts = range(0, len(data), 16)
    return "".join(row.format(at=at, hex=data[at : at + 16].encode().hex(" ").ljust(47)) + "\n" for at in starts)


def curl_dump(mark: str, data: str) -> str:
    return f"{mark}, {len(data)} bytes (0x{len(data):x})\n" + rows(data, "{at:04x}: {hex} ................")


def netty_dump(action: str, data: str) -> str:
    head = "08:21:04.283 DEBUG r.n.h.c.HttpClient : [id: 0x6547c732, L:/192.0.2.1:5 - R:a/192.0.2.2:8]"
    return f"{head} {action}: {len(data)}B\n         +---+\n         |  0 |\n+--------+\n" + rows(
        data, "|{at:08x}| {hex} |................|"
    )


def test_each_line_of_a_log_of_apache_is_a_piece_of_a_request_or_its_answer() -> None:
    first, second = exchanges_in(LOG)
    for found in (first, second):
        assert (found.host, found.path, found.http.status) == ("llm.example.com", "/v1/chat/completions", 200)
        assert found.request is not None
    assert values_of(first)[1]["choices"][0]["message"]["content"] == "Hello — “[\n]”."
    assert isinstance(second.response, Stream)
    assert len(second.response.values) == 4


@pytest.mark.parametrize("beginning", [b"[main] DEBUG", b"[2026-11-24 05:00:02.000] [main] DEBUG"])
def test_a_log_may_begin_with_a_bracket_as_an_array_does(beginning: bytes) -> None:
    log = re.sub(rb"(?m)^\S+Z +(INFO|DEBUG) ", beginning + b" ", LOG)
    assert log.startswith(b"[")
    assert [found.http.status for found in exchanges_in(log)] == [200, 200]


@pytest.mark.parametrize(
    "log",
    [
        curl_dump("=> Send header", SENT[:-20])
        + "== Info: TLS\n"
        + curl_dump("<= Recv SSL data", "\x16\x03\x03\x04\x05")
        + curl_dump("=> Send data", SENT[-20:])
        + curl_dump("<= Recv header", ANSWERED[:60])
        + curl_dump("<= Recv data", ANSWERED[60:]),
        netty_dump("WRITE", SENT) + netty_dump("READ", ANSWERED[:99]) + netty_dump("READ", ANSWERED[99:]),
        f"2026-10-09T08:21:04Z TRACE reqwest::connect::verbose: 274d2d2d write: b{json.dumps(SENT)}\n"
        f"2026-10-09T08:21:05Z TRACE reqwest::connect::verbose: 274d2d2d read: b{json.dumps(ANSWERED)}\n",
        f'opened\n<- {json.dumps(SENT[:-9])}\n<- {json.dumps(SENT[-9:])}\n-> "HTTP/1.1 100 Continue\\r\\n"\n'
        f'-> "\\r\\n"\n-> {json.dumps(ANSWERED)}\nread 9 bytes\nConn keep-alive\n',
    ],
    ids=["curl", "netty", "reqwest", "ruby"],
)
def test_dumps_and_escaped_strings_are_read_like_the_bytes_themselves(log: str) -> None:
    (found,) = exchanges_in(log.encode())
    assert values_of(found) == (REQUEST, COMPLETION)
    assert (found.host, found.http.status) == ("llm.example.com", 200)


def test_connections_that_are_open_at_the_same_time_are_distinguished_by_their_ids() -> None:
    log = write_wire_log([RECORDED] * 2).decode().splitlines(keepends=True)
    first, second = ([line for line in log if f"outgoing-{number} " in line] for number in (0, 1))
    mixed = "".join(line for pair in zip(first, second, strict=True) for line in pair)
    assert [values_of(found) for found in exchanges_in(mixed.encode())] == [(REQUEST, COMPLETION)] * 2


def test_a_request_that_is_sent_in_two_parts_around_an_interim_response_has_the_final_answer() -> None:
    log = write_wire_log([RECORDED]).decode().splitlines(keepends=True)
    start = next(at for at, line in enumerate(log) if "<< " in line)
    interim = [log[0].split(">> ")[0] + '<< "' + text + '[\\r][\\n]"\n' for text in ("HTTP/1.1 100 Continue", "")]
    waiting = "".join((*log[: start - 1], *interim, *log[start - 1 :]))
    (found,) = exchanges_in(waiting.encode())
    assert (values_of(found), found.http.status) == ((REQUEST, COMPLETION), 200)


@pytest.mark.parametrize("lines", [20, -6])
def test_of_an_answer_in_which_the_log_ends_nothing_is_missing(lines: int) -> None:
    *whole, last = read_all(b"".join(LOG.splitlines(keepends=True)[:lines]))
    assert len(whole) == (lines < 0)
    assert isinstance(last, Skipped)
    assert last.reason == "the log ends before the answer does"


def test_a_stream_is_cut_off_if_the_server_closed_the_connection_inside_it() -> None:
    lines = LOG.splitlines(keepends=True)[:-6]
    end = lines[-1].partition(b"<< ")[0] + b'<< "end of stream"\n'
    _, found = exchanges_in(b"".join([*lines, end]))
    assert "done-missing" in {finding.rule for finding in findings_of_exchange(found)}


def test_an_error_of_a_connection_is_no_part_of_the_answer() -> None:
    error = LOG.splitlines()[-1].partition(b"<< ")[0] + b'<< "[read] I/O error: Read timed out"\n'
    assert [values_of(found) for found in exchanges_in(LOG + error)] == [
        values_of(found) for found in exchanges_in(LOG)
    ]


def test_connections_of_several_clients_that_have_the_same_id_are_skipped() -> None:
    log = write_wire_log([RECORDED] * 2).decode().replace("outgoing-1", "outgoing-0").splitlines(keepends=True)
    middle = len(log) // 2
    mixed = "".join(line for pair in zip(log[:middle], log[middle:], strict=True) for line in pair)
    found = read_all(mixed.encode())
    assert found
    assert all(isinstance(one, Skipped) and "several connections have this id" in one.reason for one in found)


def test_two_answers_to_one_request_are_of_connections_that_have_the_same_id() -> None:
    log = write_wire_log([RECORDED]).decode().splitlines(keepends=True)
    answer = [line for line in log if "<< " in line]
    assert [type(one) for one in read_all("".join(log).encode())] == [Exchange]
    [found] = read_all("".join([*log, *answer]).encode())
    assert isinstance(found, Skipped)
    assert "several connections have this id" in found.reason


def test_an_exchange_of_which_the_log_has_cut_off_a_line_is_skipped() -> None:
    cut = write_wire_log([RECORDED, RECORDED]).decode().rstrip()[:-40]
    whole, skipped = read_all(cut.encode())
    assert isinstance(whole, Exchange)
    assert isinstance(skipped, Skipped)
    assert skipped.reason == "the log has cut off a line of the connection"


@pytest.mark.parametrize(
    ("path", "api"), [("/v1/embeddings", "Embeddings API"), ("/v1/messages", "Anthropic Messages API")]
)
def test_traffic_of_another_api_of_models_is_skipped(path: str, api: str) -> None:
    other = Recorded(REQUEST_TEXT, COMPLETION_TEXT, url=f"https://api.example.com{path}")
    skipped, chat = read_all(write_wire_log([other, RECORDED]))
    assert isinstance(skipped, Skipped)
    assert api in skipped.reason
    assert isinstance(chat, Exchange)


def test_a_log_of_other_services_is_no_wire_log() -> None:
    other = write_wire_log([Recorded(REQUEST_TEXT, COMPLETION_TEXT, url="https://api.example.com/orders")])
    assert wire_log.recognise(Capture(io.BytesIO(other), "app.log")) == 0


def test_a_stream_keeps_its_events_byte_for_byte() -> None:
    for write in (write_wire_log, write_wire_log_of_ruby):
        (found,) = exchanges_in(write([Recorded(REQUEST_TEXT, EVENTS, content_type="text/event-stream")]))
        assert isinstance(found.response, Stream)
        assert found.response.text.data == EVENTS.encode()


def test_bytes_on_a_connection_that_are_no_request_are_not_read() -> None:
    """They may be those of another protocol."""
    log = write_wire_log([RECORDED]).decode()
    first = log.splitlines(keepends=True)[0]
    other = re.sub('>> ".*"', '>> "ping[\\\\r][\\\\n]"', first).replace("outgoing-0", "outgoing-7")
    for lines in (other + log, log + other):
        (found,) = exchanges_in(lines)
        assert values_of(found) == (REQUEST, COMPLETION)


def test_the_end_of_a_connection_is_no_part_of_a_body_that_ends_with_it() -> None:
    log = re.sub(r".*Content-Length: \d{3,}.*\n", "", write_wire_log([RECORDED]).decode())
    about = log.splitlines()[-1].partition("<< ")[0]
    for words in ("end of stream", "[read] I/O error: Connection reset"):
        (found,) = exchanges_in(f'{log}{about}<< "{words}"\n')
        assert values_of(found) == (REQUEST, COMPLETION)
        assert found.response is not None
        assert found.response.text.data == COMPLETION_TEXT.encode()
