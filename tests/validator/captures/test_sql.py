"""Tests of dumps of SQL databases: which rows are read, how strings are written, and where findings are."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from payloads import as_events, chunk, with_finish_reason
from reading import all_exchanges, exchange_in, exchanges_in, findings_in, read_all, values_of
from sql_writers import doubled, sqlite_string, with_backslashes

from isogloss.validator.captures.rows import sql_rows
from isogloss.validator.exchange import Skipped, Stream

CAPTURES = Path(__file__).parents[3] / "fixtures" / "captures" / "sql"
REQUEST: dict[str, Any] = {"model": "m", "messages": [{"role": "user", "content": 'Say "it\'s", please.\n\\ \t日'}]}
COMPLETION = with_finish_reason("bored")
_ROW = (json.dumps(REQUEST), json.dumps(COMPLETION))


def _escape_string(text: str) -> str:
    return "E" + with_backslashes(text)


def _unistr(text: str) -> str:
    return f"unistr({doubled(text.replace(chr(92), chr(92) * 2)).replace(chr(10), chr(92) + 'u000a')})"


def _copied(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n")


@pytest.mark.parametrize(
    ("first_line", "string"),
    [
        ("-- a dump", doubled),
        ("-- a dump", _escape_string),
        ("-- a dump", lambda text: f"{doubled(text)}::jsonb"),
        ("-- a dump", lambda text: f"CAST({doubled(text)} AS JSON)"),
        ("PRAGMA foreign_keys=OFF;", sqlite_string),
        ("PRAGMA foreign_keys=OFF;", _unistr),
        ("-- MySQL dump 10.13", with_backslashes),
        ("/*!40101 SET NAMES utf8mb4 */; /* MariaDB */", with_backslashes),
    ],
)
@pytest.mark.parametrize("indent", [None, 1])
def test_a_row_is_read_in_whatever_form_its_strings_are_written(
    first_line: str, string: Callable[[str], str], indent: int | None
) -> None:
    row = ", ".join(string(json.dumps(body, indent=indent)) for body in (REQUEST, COMPLETION))
    data = f"{first_line}\nINSERT INTO t (id, a, b, c) VALUES (1, {row}, NULL);\n"
    assert values_of(exchange_in(data)) == (REQUEST, COMPLETION)
    [finding] = [one for one in findings_in(data) if one.rule == "unknown-value"]
    assert data.splitlines()[finding.source.line - 1][finding.source.column - 1 :].lstrip('\\"').startswith("bored")


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO t VALUES ({0}), ({0});",
        "insert into public.t (id, a, b)\nvalues  ({0}),\n        ({0});",
        'REPLACE INTO [my table] VALUES({0});\nINSERT OR IGNORE INTO "my table" VALUES({0});',
        "INSERT INTO t (id, a, b) OVERRIDING SYSTEM VALUE VALUES ({0});\nINSERT INTO t VALUES\n({0});",
    ],
)
def test_every_row_of_every_statement_is_read(statement: str) -> None:
    row = f"-1.5, {doubled(_ROW[0])}, {doubled(_ROW[1])}"
    found = exchanges_in("-- a dump\nCREATE TABLE t (id int);\n" + statement.format(row) + "\n")
    assert [values_of(one) for one in found] == [(REQUEST, COMPLETION)] * 2
    assert [one.number for one in found] == [0, 1]


@pytest.mark.parametrize("names", ["", " (id, host, [request_body], response_status, response_body)"])
def test_the_names_of_columns_count_wherever_they_stand(names: str) -> None:
    columns = (
        '"id" int NOT NULL, -- it\'s a number\n  `host` varchar(9, 9),\n  [request_body] text, response_status int,'
    )
    values = f"1, 'a', {doubled(_ROW[0])}, 418, {doubled(_ROW[1])}"
    table = f"CREATE TABLE t (\n  {columns}\n  response_body json,\n  UNIQUE (id)\n);\n"
    assert exchange_in(f"{table}INSERT INTO t{names} VALUES ({values});\n").http.status == 418


def test_an_answer_alone_in_a_row_is_read() -> None:
    data = f"-- a dump\nINSERT INTO t (id, prompt, answer, made) VALUES (1, 'Hi', {doubled(_ROW[1])}, '2026-11-26');\n"
    assert values_of(exchange_in(data)) == (None, COMPLETION)


def test_a_stream_in_a_string_over_several_lines_keeps_its_blank_lines() -> None:
    events = as_events(chunk({"content": "a"}), chunk({"content": "b"}), "[DONE]")
    data = f"-- a dump\nINSERT INTO t VALUES (1, {doubled(_ROW[0])}, {doubled(events)});\n"
    body = exchange_in(data).response
    assert isinstance(body, Stream)
    assert body.text.data == events.encode()


def test_what_sqlite_dumps_is_read(tmp_path: Path) -> None:
    database = sqlite3.connect(tmp_path / "calls.db")
    database.execute("CREATE TABLE calls (a, b)")
    database.execute("INSERT INTO calls VALUES (?, ?)", [json.dumps(one, indent=1) for one in (REQUEST, COMPLETION)])
    data = "\n".join(database.iterdump())
    database.close()
    assert values_of(exchange_in(data)) == (REQUEST, COMPLETION)


def test_rows_of_a_copy_are_read_up_to_its_end() -> None:
    row = "\t".join(["1", r"\N", *map(_copied, _ROW)])
    copy = f'COPY public."Calls" (id, note, "Sent", received) FROM stdin;\n{row}\n{row}\n\\.\n'
    found = exchanges_in(f"--\n-- PostgreSQL database dump\n--\n\n\\restrict a\n\n{copy}\n\n{row}\n{copy}")
    assert [values_of(one) for one in found] == [(REQUEST, COMPLETION)] * 4


@pytest.mark.parametrize(
    "data",
    [
        f"-- seeds\nINSERT INTO prompts VALUES (1, {doubled(_ROW[0])});\n",
        "-- a migration\nCREATE TABLE t (id int);\nINSERT INTO t SELECT id FROM calls;\n",
        "BEGIN;\nCREATE TABLE a (b json DEFAULT '{}');\nINSERT INTO a VALUES ('{\"choices\": [1]}'), (2;\n",
    ],
)
def test_rows_without_an_answer_are_skipped_together(data: str) -> None:
    [skipped] = read_all(data, "seeds.sql")
    assert isinstance(skipped, Skipped)
    assert skipped.why.words == "rows of SQL without an answer of Chat Completions"


def test_a_statement_that_has_no_end_is_read_as_far_as_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sql_rows, "LARGEST_DOCUMENT", 1 << 12)
    row = f"(1, {doubled(_ROW[0])}, {doubled(_ROW[1])});\n"
    [exchange, skipped] = read_all("INSERT INTO t VALUES " + row + "INSERT INTO t VALUES ('" + "a\n" * 5000)
    assert values_of(exchange) == (REQUEST, COMPLETION)  # type: ignore[arg-type]
    assert isinstance(skipped, Skipped)
    assert skipped.why.words.startswith("the statement on line 2 is larger than")


def test_a_byte_order_mark_may_stand_before_the_first_row() -> None:
    row = f"INSERT INTO t VALUES (1, {doubled(_ROW[0])}, {doubled(_ROW[1])});\n"
    assert values_of(exchange_in(f"\ufeff{row}")) == (REQUEST, COMPLETION)


@pytest.mark.parametrize("name", ["spend_logs.sql", "calls.sql"])
def test_each_exchange_of_a_dump_has_its_request(name: str) -> None:
    found = all_exchanges((CAPTURES / name).read_bytes())
    assert [(one.request is not None, one.response is not None) for one in found] == [(True, True)] * 2
