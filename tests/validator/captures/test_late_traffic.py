"""Tests of captures whose first traffic stands behind the part by which their format is recognised."""

from __future__ import annotations

import gzip
import io
import json

import pytest
from payloads import CHUNKS, COMPLETION, REQUEST, as_events
from reading import exchange_in, read_all, values_of

from isogloss.validator.captures import Capture, read
from isogloss.validator.exchange import Exchange, Skipped

BODIES = json.dumps(REQUEST), json.dumps(COMPLETION)
IN_CSV = ",".join('"{}"'.format(body.replace('"', '""')) for body in BODIES)
ANSWER = "HTTP/1.1 200 OK\ncontent-type: application/json\n\n"
SQL = f"INSERT INTO logs (request, response) VALUES ('{BODIES[0]}', '{BODIES[1]}');\n"
LATE = {
    "lines of a log": ("server.log", "12:00:00 INFO started\n" * 4000, f"12:00:01 INFO {BODIES[1]}\n"),
    "a long line of a log": ("server.log", f"12:00:00 INFO {'x' * 100_000}\n", f"12:00:01 INFO {BODIES[1]}\n"),
    "a log from a pipe": ("<stdin>", "12:00:00 INFO started\n" * 4000, f"12:00:01 INFO {BODIES[1]}\n"),
    "text": ("out.txt", "some words\n" * 10_000, f"{BODIES[1]}\n"),
    "rows of CSV": ("rows.csv", "id,request,response\n" + "1,,\n" * 20_000, f"2,{IN_CSV}\n"),
    "rows of SQL": ("dump.sql", "INSERT INTO users VALUES (1, 'a');\n" * 4000, SQL),
    "a copy of a terminal": ("out.txt", "$ echo a\na\n" * 8000, f"$ curl -i {{url}}\n{ANSWER}{BODIES[1]}\n"),
    "YAML": ("a.yaml", "items:\n" + "- name: a\n" * 8000, f"- request: '{BODIES[0]}'\n  response: '{BODIES[1]}'\n"),
    "an archive of txtar": ("a.txtar", "-- a.txt --\n" + "x\n" * 40_000, f"-- response.json --\n{BODIES[1]}\n"),
    "an event stream": ("a.sse", ": waiting\n\n" * 8000, as_events(*CHUNKS, "[DONE]")),
}


def _exchange(found: list[Exchange | Skipped]) -> Exchange:
    [exchange] = [one for one in found if isinstance(one, Exchange)]
    return exchange


@pytest.mark.parametrize(("name", "before", "traffic"), LATE.values(), ids=LATE)
def test_traffic_behind_the_first_64_kib_is_read_at_its_place(name: str, before: str, traffic: str) -> None:
    late = _exchange(read_all(before + traffic, name))
    answer = values_of(late)[1]
    assert answer == COMPLETION or answer[:2] == CHUNKS
    body = late.response
    assert body is not None
    assert body.text.place(len(body.text.data) - 1).line > before.count("\n")


@pytest.mark.parametrize("name", ["server.log", "<stdin>"])
def test_the_first_traffic_may_be_longer_than_64_kib(name: str) -> None:
    request = REQUEST | {"messages": [{"role": "user", "content": "x" * 100_000}]}
    assert values_of(exchange_in(f"12:00:00 DEBUG {json.dumps(request)}\n", name)) == (request, None)


def test_late_traffic_is_read_from_what_is_packed_and_behind_very_many_lines() -> None:
    name, before, traffic = LATE["lines of a log"]
    packed = Capture(io.BytesIO(gzip.compress((before + traffic).encode())), f"{name}.gz")
    assert values_of(_exchange(list(read(packed))))[1] == COMPLETION
    assert values_of(_exchange(read_all(before * 20 + traffic, name)))[1] == COMPLETION


@pytest.mark.parametrize(
    "text",
    [
        f"# a test of a program\n{'x = 1' * 20_000}\nANSWER = {BODIES[1]}\n",
        f"{'word ' * 20_000}\n| column | {BODIES[1]} |\n",
        f"{'12:00:00 INFO started' * 4000}\n",
    ],
)
def test_late_text_that_no_format_recognises_is_not_read(text: str) -> None:
    [skipped] = read_all(text, "test_program.py")
    assert isinstance(skipped, Skipped)
    assert "no input format recognises it" in skipped.reason
