"""Test that rows of Arrow tables, of any type, have the findings that the same records have as JSON Lines."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import mixture
import pyarrow as pa
import pyarrow.compute as pc
import pytest
import tables
from payloads import as_events

from isogloss.validator import api, captures
from isogloss.validator.arrow import PRESETS, findings, schema, verdict_schema, verdicts
from isogloss.validator.captures.tables.columns import columns_of, guess_columns
from isogloss.validator.exchange import Skipped
from isogloss.validator.judging.choosing import judge_by

FIXTURES = Path(__file__).parents[3] / "fixtures"
CORPUS = Path(__file__).parents[4] / "shared" / "corpus"
COLUMNS = dict(part.split("=") for part in tables.COLUMNS.split(","))
BODIES = ("request", "response", "sse", "content_type", "host", "path")

OK = (FIXTURES / "conforming" / "completion" / "text.json").read_text("utf-8")
BAD = json.dumps(json.loads(OK) | {"created": "now"})
EMBEDDINGS = '{"object": "list", "data": [{"object": "embedding", "index": 0, "embedding": [0.5]}], "model": "m"}'


@cache
def generated_rows() -> list[dict[str, Any]]:
    """Return generated rows of many vendors, and unusual rows: with nulls, of other APIs, or without JSON."""
    unusual = [
        {"response": None},
        {"response": "<html>"},
        {"response": ""},
        {"response": "{}"},
        {"response": EMBEDDINGS},
        {"response": '{"id": "x'},
        {"request": "[]", "response": OK},
        {"response": OK.replace("gpt", "\u00fc\U0001f600")},
    ]
    rows = tables.rows(mixture.exchanges(3, 120, longest=12))
    return rows + [
        dict.fromkeys(tables.NAMES) | row | {"id": str(len(rows) + number)} for number, row in enumerate(unusual)
    ]


@cache
def generated_rows_as_lines(dialect: str) -> dict[str, list[tuple[Any, ...]] | str]:
    """Return the findings in the generated rows, or why they are skipped, when they are read as JSON Lines."""
    return findings_as_lines(generated_rows(), dialect)


IN_PLACE_OF_STREAMS = {
    "a completion": OK,
    "an error": '{"error": {"message": "no"}}',
    "an error in words": '{"detail": "no"}',
    "text": "upstream connect error",
    "HTML": "<html></html>",
    "comments": ": ping\n\n",
    "lines": OK.replace("\n", "") + "\n" + OK.replace("\n", ""),
    "a cut completion": OK[:-9],
}


@pytest.mark.parametrize("column", ["stream", "response"])
@pytest.mark.parametrize("content_type", ["text/event-stream", "application/json", None])
@pytest.mark.parametrize("body", IN_PLACE_OF_STREAMS)
def test_what_a_server_sends_in_place_of_a_stream_is_judged_as_in_a_record(
    body: str, content_type: str | None, column: str
) -> None:
    request = {"model": "m", "messages": [{"role": "user", "content": "Hi"}], "stream": True}
    row = {"request": json.dumps(request), "answer": IN_PLACE_OF_STREAMS[body], "type": content_type, "host": "h"}
    columns = {"request": "request", column: "answer", "content_type": "type", "host": "host"}
    found = findings(pa.RecordBatch.from_pylist([row]), columns).to_pylist()
    record = {"host": "h", "request": request, "content_type": content_type, "response_text": row["answer"]}
    expected = api.check(json.dumps(record)).findings
    assert expected
    assert sorted((one["rule"], one["path"]) for one in found) == sorted((one.rule, one.path) for one in expected)


@pytest.mark.parametrize("flag", ["true", "false", "1"])
def test_a_column_that_says_whether_there_was_a_stream_holds_no_answer(flag: str) -> None:
    row = {"request": '{"model": "m", "messages": [{"role": "user", "content": "Hi"}]}', "stream": flag}
    columns = {"request": "request", "stream": "stream"}
    assert findings(pa.RecordBatch.from_pylist([row]), columns).num_rows == 0


def findings_as_lines(rows: list[dict[str, Any]], dialect: str) -> dict[str, list[tuple[Any, ...]] | str]:
    """Return the findings in each row, or why it is skipped, when the rows are read as JSON Lines."""
    text = "".join(json.dumps(row) + "\n" for row in rows).encode()
    capture = captures.Capture(io.BytesIO(text), "rows.jsonl", mapping=columns_of(COLUMNS))
    judge = judge_by(dialect)
    found: dict[str, list[tuple[Any, ...]] | str] = {}
    for number, exchange in enumerate(captures.read(capture, "jsonl")):
        if isinstance(exchange, Skipped):
            found[str(number)] = exchange.reason
            continue
        all_findings = judge.judge(exchange).findings
        found[str(number)] = sorted(
            (
                finding.rule,
                finding.severity.label,
                finding.message,
                finding.kind,
                finding.path,
                finding.pointer,
                finding.source.event,
                finding.count,
                finding.explained_by,
            )
            for finding in all_findings
        )
    return found


def findings_as_table(table: Any, dialect: str) -> dict[str, list[tuple[Any, ...]] | str]:
    """Return the findings in each row, or why it is skipped, when the rows are read as a table."""
    rows = verdicts(table, COLUMNS, dialect=dialect)
    found: dict[str, list[tuple[Any, ...]] | str] = {}
    for number, row in enumerate(rows.to_pylist()):
        row_findings = [
            tuple(tuple(value) if isinstance(value, list) else value for value in finding.values())
            for finding in row["findings"]
        ]
        assert row["errors"] + row["warnings"] + row["notes"] == len(row_findings)
        found[str(number)] = row["skipped"] if row["skipped"] is not None else sorted(row_findings)
    return found


def table_of(rows: list[dict[str, Any]], convert: Callable[[Any], Any] = lambda array: array) -> Any:
    columns = {}
    for name in tables.NAMES:
        values = [row[name] for row in rows]
        columns[name] = convert(pa.array(values, pa.string())) if name in BODIES else pa.array(values)
    return pa.table(columns)


TYPES: dict[str, Callable[[Any], Any]] = {
    "string": lambda array: array,
    "large string": lambda array: array.cast(pa.large_string()),
    "string view": lambda array: array.cast(pa.string_view()),
    "binary": lambda array: array.cast(pa.binary()),
    "large binary": lambda array: array.cast(pa.large_binary()),
    "binary view": lambda array: array.cast(pa.binary_view()),
    "dictionary": lambda array: array.dictionary_encode(),
    "dictionary of large strings": lambda array: array.cast(pa.large_string()).dictionary_encode(),
    "run-end encoded": lambda array: pc.run_end_encode(array),
    "JSON": lambda array: pa.ExtensionArray.from_storage(pa.json_(), array),
    "a slice": lambda array: pa.concat_arrays([pa.array(["before", None]), array]).slice(2),
}


@cache
def results_of_one_batch() -> tuple[Any, Any]:
    """Return the verdicts on the generated rows, and their findings, when all of them are one batch."""
    table = table_of(generated_rows())
    return verdicts(table, COLUMNS), findings(table, COLUMNS, keep="id")


@cache
def findings_of_one_small_batch() -> Any:
    """Return the findings in the last 40 generated rows, when these are one batch."""
    return findings(table_of(generated_rows()[-40:]), COLUMNS, keep="id")


AUTO = [
    pytest.param("auto", name, marks=pytest.mark.thorough if name == "string" else pytest.mark.slow) for name in TYPES
]


@pytest.mark.parametrize(("dialect", "type_"), [*(("openai", name) for name in TYPES), *AUTO])
def test_every_type_of_text_gives_the_same_findings_as_json_lines(dialect: str, type_: str) -> None:
    assert findings_as_table(table_of(generated_rows(), TYPES[type_]), dialect) == generated_rows_as_lines(dialect)


@pytest.mark.thorough
@pytest.mark.parametrize("size", [1, 7, 1000])
def test_the_size_of_batches_changes_nothing(size: int) -> None:
    batches = table_of(generated_rows()).to_batches(max_chunksize=size)
    all_verdicts, all_findings = results_of_one_batch()
    assert pa.Table.from_batches([verdicts(batch, COLUMNS) for batch in batches]).equals(all_verdicts)
    assert pa.Table.from_batches([findings(batch, COLUMNS, keep=["id"]) for batch in batches]).equals(all_findings)


@pytest.mark.parametrize("type_", TYPES)
@pytest.mark.parametrize("size", [7, *(pytest.param(size, marks=pytest.mark.thorough) for size in (1, 2000))])
def test_every_type_gives_the_same_findings_in_batches_of_any_size(type_: str, size: int) -> None:
    batches = table_of(generated_rows()[-40:], TYPES[type_]).to_batches(max_chunksize=size)
    assert pa.Table.from_batches([findings(batch, COLUMNS, keep="id") for batch in batches]).equals(
        findings_of_one_small_batch()
    )


@pytest.mark.slow
@pytest.mark.skipif(not CORPUS.is_dir(), reason="no recorded traffic beside the checkout")
def test_recorded_traffic_in_a_table_has_the_same_findings_as_in_json_lines() -> None:
    paths = [path for path in sorted(CORPUS.glob("*.jsonl")) if path.name != "big.jsonl"]
    rows = tables.rows(json.loads(line) for path in paths for line in path.read_text("utf-8").splitlines()[::2])
    assert len(rows) > 1000
    assert findings_as_table(table_of(rows), "auto") == findings_as_lines(rows, "auto")


def test_findings_have_the_columns_of_their_row_that_are_kept() -> None:
    day = pa.array(["a", "b", "b"]).dictionary_encode()
    batch = pa.record_batch({"id": [1, 2, 3], "day": day, "response": [OK, None, BAD]})
    out = findings(batch, {"response": "response"}, keep=["id", "day"])
    assert isinstance(out, pa.RecordBatch)
    assert out.schema == schema({"id": pa.int64(), "day": pa.string()})
    [row] = out.to_pylist()
    assert (row["id"], row["day"], row["rule"], row["severity"]) == (3, "b", "wrong-type", "error")
    assert findings(batch, {"response": "response"}, keep=["id"], ignore=["schema"]).num_rows == 0


def test_the_findings_of_a_row_are_in_the_order_of_their_events_and_severities() -> None:
    answer = json.dumps({"a": 1, **json.loads(OK), "model": 5})
    rules = findings(pa.record_batch({"response": [answer]}), {"response": "response"})["rule"].to_pylist()
    assert rules == ["wrong-type", "unknown-property"]
    choice = {"index": 0, "delta": {"content": "a"}, "finish_reason": None}
    chunk = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}
    events = [chunk | {"x": 1}, chunk | {"created": "2"}, chunk | {"x": 1}]
    stream = as_events(*events)
    found = findings(pa.record_batch({"response": [stream]}), {"response": "response"})["event"].to_pylist()
    assert len(found) > 2
    assert found == sorted(found, key=lambda event: -1 if event is None else event)


def test_a_kept_column_may_be_a_dictionary_of_lists() -> None:
    tags = pa.DictionaryArray.from_arrays(pa.array([0, 1, 0], pa.int8()), pa.array([["a"], ["b", "c"]]))
    batch = pa.record_batch({"tags": tags, "response": [OK, BAD, None]})
    out = findings(batch, {"response": "response"}, keep=["tags"])
    assert isinstance(out, pa.RecordBatch)
    assert out.column("tags").to_pylist() == [["b", "c"]]


def test_findings_below_the_requested_severity_are_left_out() -> None:
    batch = table_of(generated_rows())
    for severity, severities in (("error", {"error"}), ("warning", {"error", "warning"})):
        assert set(findings(batch, COLUMNS, at_least=severity)["severity"].to_pylist()) == severities
    with pytest.raises(ValueError, match="no severity is called 'fatal'; known are note, warning, error"):
        findings(batch, COLUMNS, at_least="fatal")


def test_verdict_names_the_dialect_and_its_confidence() -> None:
    out = verdicts(table_of(generated_rows()), COLUMNS, dialect="auto")
    assert out.schema == verdict_schema()
    rows = out.to_pylist()
    named = [row for row in rows if row["dialect"] not in (None, "undetermined")]
    assert named
    assert all(0.9 <= row["confidence"] <= 1 for row in named)
    assert {row["confidence"] for row in rows if row["dialect"] == "undetermined"} == {None}
    assert set(verdicts(table_of(generated_rows()), COLUMNS, dialect="groq")["dialect"].to_pylist()) == {"groq", None}


def test_row_that_cannot_be_checked_has_the_reason() -> None:
    batch = pa.record_batch({"response": [None, EMBEDDINGS, "nothing"]})
    empty, other, text = verdicts(batch, {"response": "response"})["skipped"].to_pylist()
    assert empty == "neither a request body nor a response body"
    assert other.startswith("not Chat Completions")
    assert text


def test_cell_may_hold_a_list_of_chunks() -> None:
    chunk = json.loads((FIXTURES / "conforming" / "chunk" / "content.json").read_text("utf-8"))
    batch = pa.record_batch({"response": [json.dumps([chunk, {**chunk, "created": "now"}])]})
    [row] = findings(batch, {"response": "response"}, at_least="error", select=["wrong-type"]).to_pylist()
    assert (row["kind"], row["event"], row["pointer"]) == ("chunk", 1, "/created")


def test_path_of_a_column_leads_into_structs_and_json_text() -> None:
    struct = pa.array([{"log": {"body": BAD}}, None, {"log": None}])
    assert verdicts(pa.record_batch({"p": struct}), {"response": "p.log.body"})["errors"].to_pylist() == [1, 0, 0]
    text = pa.array([json.dumps({"body": BAD}), json.dumps({"body": json.loads(BAD)}), "{}"])
    assert verdicts(pa.record_batch({"p": text}), {"response": "p.body"})["errors"].to_pylist() == [1, 1, 0]


def test_status_may_have_any_type_of_number_or_text() -> None:
    error = (FIXTURES / "conforming" / "error" / "invalid-request.json").read_text("utf-8")
    expected = verdicts(pa.record_batch({"r": [error], "s": [200]}), {"response": "r", "status": "s"})
    assert not expected.equals(verdicts(pa.record_batch({"r": [error]}), {"response": "r"}))
    for status in (pa.array([200], pa.int16()), pa.array([200.0]), pa.array(["200"]), pa.array(["200"]).cast("binary")):
        batch = pa.record_batch({"r": [error], "s": status})
        assert verdicts(batch, {"response": "r", "status": "s"}).equals(expected)


def test_keys_are_masked_in_findings() -> None:
    key = "sk-" + "a1B2" * 8
    batch = pa.record_batch({"response": [json.dumps(json.loads(OK) | {key: 1})]})
    assert key not in str(findings(batch, {"response": "response"}).to_pylist())


@pytest.mark.parametrize("name", PRESETS)
def test_the_table_of_a_preset_is_recognised_by_its_columns(name: str) -> None:
    preset = PRESETS[name]
    names = {part for part in preset.columns if isinstance(part, str) and part}
    assert guess_columns(sorted(names | set(preset.tells) | {"other"})) == preset.columns
    assert guess_columns(sorted((names | {"other"}) - set(preset.tells))) != preset.columns


def test_the_presets_read_rows_of_their_tables() -> None:
    request = json.dumps({"model": "m", "messages": [{"role": "user", "content": "Hi"}]})
    databricks = pa.record_batch({
        "databricks_request_id": ["1", "2"], "request": [request, None], "response": [BAD, None],
        "status_code": pa.array([200, 400], pa.int32()), "sampling_fraction": [1.0, 1.0],
    })  # fmt: skip
    assert verdicts(databricks, "databricks")["errors"].to_pylist() == [1, 0]
    litellm = pa.record_batch({
        "request_id": ["1", "2"], "call_type": ["acompletion", "acompletion"], "proxy_server_request": [request, "{}"],
        "response": [BAD, "{}"], "api_base": ["https://api.openai.com/v1", ""],
    })  # fmt: skip
    out = verdicts(litellm, "litellm")
    assert out["errors"].to_pylist() == [1, 0]
    assert out["skipped"].to_pylist()[0] is None
    assert out["skipped"].to_pylist()[1] is not None


def test_nulls_that_litellm_wrote_into_its_table_are_no_findings() -> None:
    answer = json.loads(OK)
    answer["choices"][0]["message"] |= {"function_call": None, "tool_calls": None}
    batch = pa.record_batch({
        "proxy_server_request": ["{}"], "response": [json.dumps(answer)], "api_base": ["https://api.openai.com/v1"],
    })  # fmt: skip
    own = {"response": "response"}
    assert [verdicts(batch, columns)["warnings"].to_pylist() for columns in ("litellm", own)] == [[0], [2]]
