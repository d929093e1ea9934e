"""Tests of CSV: which tables are read, how their cells are separated and quoted, and what is left alone."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Sequence
from functools import partial
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from payloads import base64_of, with_finish_reason
from reading import exchange_in, findings_of_exchange, place_of, read_all, values_of

from isogloss.validator import engines
from isogloss.validator.captures import MOST_SKIPPED, capture
from isogloss.validator.captures.mapping import Mapping
from isogloss.validator.captures.rows import csv_cells
from isogloss.validator.exchange import Exchange, Payload, Skipped
from isogloss.validator.judging.judge import Judge

REQUEST: dict[str, Any] = {"model": "m", "messages": [{"role": "user", "content": 'Say "hello", please.\n'}]}
COMPLETION = with_finish_reason("bored")
_BODIES = (json.dumps(REQUEST), json.dumps(COMPLETION))


def _table(*rows: Sequence[Any], **options: Any) -> bytes:
    out = io.StringIO(newline="")
    csv.writer(out, **options).writerows(rows)
    return out.getvalue().encode()


_read = partial(read_all, name="log.csv")


def _only_exchange(data: bytes) -> Exchange:
    [exchange] = _read(data)
    assert isinstance(exchange, Exchange)
    return exchange


def _is_the_exchange(exchange: Exchange) -> bool:
    assert exchange.request is not None
    assert isinstance(exchange.response, Payload)
    return (exchange.request.value, exchange.response.value) == (REQUEST, COMPLETION)


_STYLES: list[dict[str, Any]] = [
    {},
    *({"quoting": csv.QUOTE_ALL, "lineterminator": end} for end in ("\n", "\r\n", "\r")),
    {"quoting": csv.QUOTE_ALL, "doublequote": False, "escapechar": "\\"},
]
_NAMES = ["a", "request", "note 1", "response", "日本"]
_CELLS = st.text(st.sampled_from('a,;\t"\n\r\\ é日{}[]:'), max_size=8)


@given(
    cells=st.lists(_CELLS, min_size=3, max_size=3),
    separator=st.sampled_from(",;\t"),
    style=st.sampled_from(_STYLES),
    names=st.permutations(_NAMES),
    mark=st.sampled_from(("", "\ufeff", "\n")),
)
@example(cells=[",[\\", "", ""], separator=",", style={}, names=_NAMES, mark="")
@example(cells=["[\\", "[\\", ""], separator=",", style=_STYLES[1], names=_NAMES, mark="")
def test_the_exchange_of_a_row_is_read_whatever_the_other_cells_and_the_form_of_the_table_are(
    cells: list[str], separator: str, style: dict[str, Any], names: list[str], mark: str
) -> None:
    row = dict(zip(("request", "response", "a", "note 1", "日本"), [*_BODIES, *cells], strict=True))
    table = _table(names, [row[name] for name in names], delimiter=separator, **style)
    data = mark.encode() + table

    exchange = _only_exchange(data)
    assert _is_the_exchange(exchange)
    [finding] = [one for one in findings_of_exchange(exchange) if one.rule == "unknown-value"]
    before = re.split(rb'["\\]"bored', data)[0].decode().replace("\r\n", "\n").replace("\r", "\n")
    expected_column = len(before) - before.rfind("\n")
    assert place_of(finding) == (before.count("\n") + 1, expected_column)


def test_columns_may_have_any_names() -> None:
    exchange = _only_exchange(_table(("case", "given", "expected"), ("a", *_BODIES)))
    assert _is_the_exchange(exchange)
    assert exchange.dumped  # nobody knows whether the bodies are as they were sent


def test_status_and_url_are_columns_of_a_record() -> None:
    url = "https://api.example.com/v1/chat/completions"
    exchange = _only_exchange(_table(("url", "request", "response", "status"), (url, *_BODIES, 200)))
    assert (exchange.host, exchange.path) == ("api.example.com", "/v1/chat/completions")
    assert exchange.http.status == 200


def test_the_url_of_a_page_is_not_the_url_of_the_request() -> None:
    url = "https://platform.openai.com/docs"
    exchange = _only_exchange(_table(("url", "request", "response"), (url, *_BODIES)))
    assert (exchange.host, exchange.path) == (None, None)


def test_a_mapping_names_columns_whose_bodies_are_as_sent() -> None:
    data = _table(("case", "given", "expected"), ("a", *_BODIES))
    exchange = exchange_in(data, "log.csv", mapping=Mapping(request="given", response="expected"))
    assert _is_the_exchange(exchange)
    assert not exchange.dumped


def test_a_cell_may_hold_a_whole_record() -> None:
    record = json.dumps({"request": REQUEST, "response": COMPLETION})
    assert _is_the_exchange(_only_exchange(_table(("id", "event"), (1, record))))


def test_tables_that_spark_wrote_are_read() -> None:
    data = (
        rb"""id,given,expected
1,"{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"Say \\\"hello\\\", please.\\n\"}]}","""
        + b'"'
        + json.dumps(COMPLETION).replace('"', '\\"').encode()
        + b'"\n'
    )
    assert _is_the_exchange(_only_exchange(data))


def test_a_backslash_before_another_character_counts_as_itself() -> None:
    cells = [
        body.replace('"', '\\"') for body in (json.dumps(REQUEST | {"messages": [{"content": "a\nb"}]}), _BODIES[1])
    ]
    assert "a\\nb" in cells[0]
    exchange = _only_exchange(f'id,request,response\n1,"{cells[0]}","{cells[1]}"\n'.encode())
    assert exchange.request is not None
    assert exchange.request.value == REQUEST | {"messages": [{"content": "a\nb"}]}


def test_json_may_stand_in_cells_without_quotation_marks_around_them() -> None:
    data = b"id\trequest\tresponse\n1\t" + "\t".join(_BODIES).encode()
    exchange = _only_exchange(data)
    assert _is_the_exchange(exchange)
    [finding] = [one for one in findings_of_exchange(exchange) if one.rule == "unknown-value"]
    line = data.split(b"\n")[1]
    assert place_of(finding) == (2, line.index(b'"bored"') + 1)


def test_cells_that_are_missing_at_the_end_of_a_row_count_as_absent() -> None:
    record = json.dumps({"request": REQUEST, "response": COMPLETION})
    first, second = _read(_table(("event", "id"), (record, 1), (record,)))
    assert isinstance(first, Exchange)
    assert isinstance(second, Exchange)
    assert _is_the_exchange(second)


def test_rows_without_a_body_are_skipped_with_that_reason_and_counted_if_there_are_many() -> None:
    rows = [("1", "x")] * (MOST_SKIPPED + 5)
    exchange, *skipped = _read(_table(("request", "response"), _BODIES, *rows))
    assert isinstance(exchange, Exchange)
    parts = [one for one in skipped if isinstance(one, Skipped)]
    assert {one.reason for one in parts[:-1]} == {"a row without a body of JSON or of events"}
    assert parts[-1].reason == "the reasons for 5 more skipped parts are not kept"
    assert len(parts) == MOST_SKIPPED + 1
    assert _read(_table(("request", "response"), _BODIES, *rows[5:]))[1:] == parts[:-1]


def test_empty_cells_count_as_absent_and_blank_rows_as_nothing() -> None:
    data = _table(("id", "request", "response", "sse"), (1, *_BODIES, "")) + b"\r\n\r\n"
    assert _is_the_exchange(_only_exchange(data))


def test_the_first_of_several_columns_with_the_same_name_counts() -> None:
    data = _table(("request", "response", "response"), (*_BODIES, "other"))
    assert _is_the_exchange(_only_exchange(data))


def test_names_that_are_no_utf8_do_not_count_as_a_fault_of_the_row() -> None:
    data = b"request,response,\xe4,\xf6\n" + _table((*_BODIES, "x", "y"))
    exchange = _only_exchange(data)
    assert [one.rule for one in findings_of_exchange(exchange)] == ["unknown-value"]


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_rows_of_a_long_table_are_read_wherever_its_blocks_end(line_end: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(capture, "_BLOCK", 1 << 13)
    monkeypatch.setattr(csv_cells, "_BLOCK", 1 << 13)
    sizes = [1, 550, 500, 9_000, 3, 20_000, *range(400, 500)]
    bodies = [
        (json.dumps(REQUEST | {"user": ("x" * 50 + "\n") * (size // 50)}, indent=1), _BODIES[1]) for size in sizes
    ]
    data = _table(("request", "response"), *bodies, quoting=csv.QUOTE_ALL, lineterminator=line_end)
    judge = Judge(engines.load())
    places = [judge.judge(one).findings[-1].source for one in _read(data) if isinstance(one, Exchange)]
    assert [place.exchange for place in places] == list(range(len(sizes)))
    starts = [match.start() for match in re.finditer(rb'""bored""', data)]
    lines = data.replace(b"\r\n", b" \n").replace(b"\r", b"\n")
    assert [place.line for place in places] == [lines.count(b"\n", 0, start) + 1 for start in starts]


def test_a_row_that_is_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csv_cells, "LARGEST_DOCUMENT", 1 << 20)
    large = json.dumps(REQUEST | {"user": "x" * (3 << 20)})
    exchange, skipped = _read(_table(("request", "response"), _BODIES, (large, _BODIES[1])))
    assert isinstance(exchange, Exchange)
    assert isinstance(skipped, Skipped)
    assert skipped.reason == "the row on line 3 is larger than 1 MiB"


def test_rows_are_numbered_and_a_row_with_more_cells_than_columns_is_skipped() -> None:
    data = _table(("request", "response"), _BODIES) + b"\r\n" + _table((*_BODIES, "more"), _BODIES)
    first, skipped, last = _read(data)
    assert (first.number, skipped.number, last.number) == (0, 1, 2)
    assert isinstance(skipped, Skipped)
    assert skipped.reason == "line 4: 3 cells, and only 2 columns"


@pytest.mark.parametrize("row", ['1,"{""messages"": []}', '1,"{""messages"": []}"x'])
def test_a_cell_whose_quotation_marks_do_not_fit_is_named_by_its_line(row: str) -> None:
    exchange, skipped = _read(_table(("request", "response"), _BODIES) + row.encode() + b"\n")
    assert isinstance(exchange, Exchange)
    assert isinstance(skipped, Skipped)
    assert skipped.reason == "line 3: not CSV: a quoted cell has no end, or text stands behind its end"


def test_words_beside_a_request_are_no_answer() -> None:
    [skipped] = _read(_table(("request", "response"), (_BODIES[0], "Hello!")))
    assert isinstance(skipped, Skipped)
    assert skipped.reason == "the log keeps only the text of the answer"


@pytest.mark.parametrize(
    "text",
    [
        'Dear all, here are my "messages"\nand nothing else\n',
        'import json, re\n\nbody = {"messages": []}\n',
        'id,x"messages"\n',
        'one,two\nx"messages",2,3\n',
        '2026-11-01,x\n2026-11-02,x"messages"\n',
        "id,messages\n1,choices\n",
        'a,b\nx"messages"',
        'messages\nx"messages"\n',
        'import json,os\nBODY = {"id":"x","choices":[]}\n',
        'import json,os\nimport re,sys\n\nBODY = {"id":"x","choices":[]}\n',
        'Dear all,\nyours,\n"choices" and "messages"\n',
    ],
)
def test_texts_that_are_no_table_of_traffic_are_not_recognised(text: str) -> None:
    [skipped] = _read(text.encode())
    assert isinstance(skipped, Skipped)
    assert skipped.reason == "not a capture: no input format recognises it"


def test_a_table_is_recognised_if_its_second_row_ends_behind_the_head() -> None:
    long_request = json.dumps(REQUEST | {"user": "x" * 100_000})
    for table in (
        _table(("request", "response"), (long_request, _BODIES[1])),
        "\t".join(("request", "response\n" + long_request, _BODIES[1])).encode(),
    ):
        assert isinstance(_only_exchange(table), Exchange)


def test_an_answer_alone_in_a_row_is_read() -> None:
    exchange = _only_exchange(_table(("id", "prompt", "answer"), (1, "Hi", _BODIES[1])))
    assert values_of(exchange) == (None, COMPLETION)


@pytest.mark.parametrize("answer", [{"choices": COMPLETION["choices"]}, {"error": {"message": "no", "type": "x"}}])
def test_a_part_of_an_answer_and_an_error_of_any_service_are_not_read_alone(answer: dict[str, Any]) -> None:
    [skipped] = _read(_table(("id", "prompt", "answer", "messages"), (1, "Hi", json.dumps(answer), "")))
    assert isinstance(skipped, Skipped)


@pytest.mark.parametrize("user", ["a", "x" * 100_000])
def test_bodies_in_base64_are_read_as_go_writes_bytes(user: str) -> None:
    request = REQUEST | {"user": user}
    bodies = [base64_of(json.dumps(body)) for body in (request, COMPLETION)]
    exchange = _only_exchange(_table(("id", "request", "response"), (1, *bodies)))
    assert values_of(exchange) == (request, COMPLETION)


def test_a_table_of_tokens_in_base64_is_none_of_traffic() -> None:
    token = base64_of('{"alg": "HS256", "typ": "JWT", "kid": "a key"}')
    [skipped] = _read(_table(("id", "token"), (1, token)))
    assert isinstance(skipped, Skipped)
    assert skipped.reason == "not a capture: no input format recognises it"


@pytest.mark.parametrize("text", ["# A page\n", "a,b\n1"])
def test_a_file_that_is_read_as_csv_although_it_is_none_is_skipped_with_the_reason(text: str) -> None:
    [skipped] = read_all(text, "page", "csv")
    assert isinstance(skipped, Skipped)
    assert skipped.reason == "not CSV: there is no row of names with a row of as many cells below it"
