"""Tests of arrays of the records of a log: they are read like its lines."""

from __future__ import annotations

import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from logged_halves import WITH_IDS, WITHOUT_IDS, answer_of, pairs_in, read_lines, request_of
from reading import findings_of_exchange, place_in, place_of, read_all

from isogloss.validator.captures import Capture
from isogloss.validator.captures.document import Document
from isogloss.validator.captures.texts.log_arrays import log_in
from isogloss.validator.exchange import Exchange, Skipped, Stream
from isogloss.validator.text import Text

_OF_RECORDS = {
    name: recorder for name, recorder in (WITH_IDS | WITHOUT_IDS).items() if name.startswith(("records", "lines"))
} | {"lines in records": lambda name: [json.dumps({"timestamp": 1, "textPayload": line}) for line in _halves(name)]}
_ARRAYS = {
    "array": "[\n%s\n]",
    "events": '{"session": "a", "tags": ["b"], "events": [\n%s\n]}',
    "hits": '{"took": 1, "hits": {"total": {}, "hits": [\n%s\n]}}',
}


def _halves(name: str) -> list[str]:
    return WITH_IDS["a request id in brackets"](name)


def _shown(parts: list[Exchange | Skipped], lines_before: int = 0) -> list[object]:
    """Return all that is read: the values, and the lines where they stand."""
    return [
        (part.number, part.reason)
        if isinstance(part, Skipped)
        else (
            part.number,
            part.request and part.request.value,
            part.response.values if isinstance(part.response, Stream) else part.response and part.response.value,
            part.http.status,
            part.dumped,
            part.text.data,
            part.text.place(0).line - lines_before,
        )
        for part in parts
    ]


@given(
    st.permutations([name for name in "abcd" for _ in range(3)]),
    st.integers(2, 12),
    st.sampled_from(list(_OF_RECORDS)),
    st.sampled_from(list(_ARRAYS)),
)
def test_an_array_of_the_records_of_a_log_is_read_like_its_lines(
    order: list[str], size: int, recorder: str, form: str
) -> None:
    halves = {name: iter(_OF_RECORDS[recorder](name)) for name in order}
    lines = [line for name in order if (line := next(halves[name], None)) is not None][:size]
    lines = lines if len(lines) > 1 else [*lines, *_OF_RECORDS[recorder]("e")]
    as_lines = read_lines(lines, "app.jsonl")
    data = (_ARRAYS[form] % ",\n".join(lines)).encode()
    as_array = read_all(data, "app.json")
    if any(isinstance(part, Exchange) and part.request is not None for part in as_lines):
        assert _shown(as_array, 1) == _shown(as_lines)


def test_an_array_of_the_records_of_a_log_may_begin_with_a_byte_order_mark() -> None:
    array = _ARRAYS["array"] % ",".join(WITHOUT_IDS["lines"]("a"))
    assert pairs_in(read_all(f"\ufeff{array}".encode(), "app.json")) == [("a", "a")]


@pytest.mark.parametrize(
    "records",
    [
        [answer_of("a"), answer_of("b")],
        [{"request": request_of(name), "response": answer_of(name)} for name in "ab"],
        [{"in": request_of("a"), "out": answer_of("a")}, {"in": request_of("b")}],
        [request_of("a"), "a"],
        [{"role": "user", "content": "choices"}, {"role": "user", "content": "messages"}],
        [{"messages": "choices"}, {}],
    ],
    ids=["answers", "pairs", "a pair first", "a text", "messages", "an empty object"],
)
def test_an_array_without_a_request_alone_is_no_log(records: list[object]) -> None:
    for form in _ARRAYS.values():
        text = Text((form % ",".join(map(json.dumps, records))).encode())
        assert log_in(Capture(io.BytesIO(b""), "app.json"), Document(text)) == []


def _query_results(records: list[dict[str, str]]) -> str:
    rows = [[{"field": name, "value": value} for name, value in record.items()] for record in records]
    return json.dumps({"results": rows, "statistics": {"recordsMatched": 2.0}, "status": "Complete"}, indent=2)


@given(st.sampled_from(list(WITH_IDS)), st.sampled_from(["@message", "message"]))
def test_records_that_are_lists_of_their_fields_are_read_like_objects(recorder: str, name: str) -> None:
    lines = [line for one in "ab" for line in WITH_IDS[recorder](one)]
    records = [{"@timestamp": "2026-10-01 10:00:00.000", name: line, "@ptr": "CmE="} for line in lines]
    as_lines = read_lines([json.dumps(record) for record in records], "app.jsonl")
    as_rows = read_all(_query_results(records), "results.json")
    assert pairs_in(as_rows) == pairs_in(as_lines)
    assert [type(part) for part in as_rows] == [type(part) for part in as_lines]


def test_records_that_are_lists_of_their_fields_have_their_places() -> None:
    answer = answer_of("a") | {"object": "\u00e4"}
    record = {"@timestamp": "2026-10-01 10:00:00.000", "@message": f"got \u00e4 {json.dumps(answer)}"}
    text = _query_results([{"@message": "START"}, {}, record])
    found = [part for part in read_all(text, "results.json") if isinstance(part, Exchange)]
    [finding] = [one for one in findings_of_exchange(found[0]) if one.rule == "unknown-value"]
    assert place_of(finding) == place_in(text, '\\"\\\\u00e4')


@pytest.mark.parametrize(
    "value", [[[]], [[{"field": "choices"}]], [[{"field": "choices", "value": 1}]], [[{"field": "", "value": ""}], 1]]
)
def test_other_lists_of_lists_are_no_records(value: object) -> None:
    assert not [part for part in read_all({"results": value, "a": "choices"}) if isinstance(part, Exchange)]
