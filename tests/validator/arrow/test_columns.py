"""Test that columns of any type are read without raising, or are refused with advice."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isogloss.validator.arrow import ddl, findings, schema, verdict_schema, verdicts

OK = (Path(__file__).parents[3] / "fixtures" / "conforming" / "completion" / "text.json").read_text("utf-8")

STRUCT = pa.struct([("id", pa.string()), ("choices", pa.list_(pa.string()))])
VARIANT = pa.struct([("metadata", pa.binary()), ("value", pa.binary())])
REFUSED_TYPES = {
    "struct": (STRUCT, r"the column 'response' is a struct, .* absent or null, .*: keep the response as JSON text"),
    "list": (pa.list_(STRUCT), r"the column 'response' is a list, .* as JSON text"),
    "map": (pa.map_(pa.string(), pa.string()), r"the column 'response' is a nested type, .* as JSON text"),
    "VARIANT": (VARIANT, r"the column 'response' is a VARIANT, .* to_json\(response\)"),
    "number": (pa.int64(), r"of type int64, and the response has to be text"),
    "timestamp": (pa.timestamp("us"), r"of type timestamp\[us\], and the response has to be text"),
    "dictionary of numbers": (pa.dictionary(pa.int8(), pa.int64()), "has to be text"),
}


@pytest.mark.parametrize("name", REFUSED_TYPES)
def test_column_of_a_type_without_text_is_refused_with_advice(name: str) -> None:
    type_, message = REFUSED_TYPES[name]
    with pytest.raises(TypeError, match=message):
        verdicts(pa.record_batch({"response": pa.nulls(2, type_)}), {"response": "response"})


def test_a_status_may_be_a_number_or_text() -> None:
    batch = pa.record_batch({"response": [OK], "status": pa.nulls(1, pa.timestamp("us"))})
    with pytest.raises(TypeError, match="the status has to be text or numbers"):
        verdicts(batch, {"response": "response", "status": "status"})


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"response": "resp"}, "no column is called 'resp', which is to hold the response; did you mean 'response'?"),
        ({"response": "s.other"}, "the struct 's' has no field 'other'"),
        ({"respose": "response"}, "no part of an exchange is called 'respose'; did you mean 'response'?"),
        ({"status": "response"}, "no body is named: say which column holds one of request, response, stream"),
        ("databrics", "no preset of columns is called 'databrics'; did you mean 'databricks'?"),
    ],
)  # fmt: skip
def test_error_names_columns_and_names_that_do_not_exist(columns: Any, message: str) -> None:
    batch = pa.record_batch({"response": [OK], "s": [{"a": OK}]})
    with pytest.raises(ValueError, match=re.escape(message)):
        verdicts(batch, columns)


def test_unknown_dialect_rule_or_column_is_refused() -> None:
    batch = pa.record_batch({"response": [OK]})
    with pytest.raises(ValueError, match="no dialect is called 'nobody'"):
        verdicts(batch, {"response": "response"}, dialect="nobody")
    with pytest.raises(ValueError, match="no rule or group is called 'nothing'"):
        findings(batch, {"response": "response"}, ignore=["nothing"])
    with pytest.raises(ValueError, match="keep: there is no column called 'id', or there are several"):
        findings(batch, {"response": "response"}, keep=["id"])


def test_empty_table_gives_empty_results() -> None:
    table = pa.table({"id": pa.array([], pa.int64()), "response": pa.array([], pa.string())})
    assert verdicts(table, {"response": "response"}).schema == verdict_schema()
    assert findings(table, {"response": "response"}, keep=["id"]).schema == schema({"id": pa.int64()})


def test_any_object_that_exports_arrow_data_is_accepted() -> None:
    class Frame:
        def __arrow_c_stream__(self, requested_schema: object = None) -> Any:
            return pa.table({"response": [OK, "x"]}).__arrow_c_stream__(requested_schema)

    assert verdicts(Frame(), {"response": "response"}).num_rows == 2


_PIECES = st.sampled_from([OK, "{", "}", "[", '"', "data: ", "\n\n", ":", "null", "{}", "[DONE]", '{"choices": [', ","])
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["id", "object", "choices", "messages", "usage", "error"]), inner, max_size=3)
    ),
    max_leaves=8,
)
_TEXT = st.one_of(
    st.none(),
    st.text(st.characters(codec="utf-8"), max_size=20),
    _JSON.map(json.dumps),
    st.lists(_PIECES, max_size=6).map("".join),
)
_BYTES = st.none() | st.binary(max_size=30) | _TEXT.map(lambda text: None if text is None else text.encode())


def _columns(values: st.SearchStrategy[Any], type_: Any) -> st.SearchStrategy[Any]:
    return st.lists(values, min_size=5, max_size=5).map(lambda rows: pa.array(rows, type_))


_COLUMN = st.one_of(
    _columns(_TEXT, pa.string()),
    _columns(_TEXT, pa.large_string()),
    _columns(_TEXT, pa.string_view()),
    _columns(_BYTES, pa.binary()),
    _columns(_BYTES, pa.binary_view()),
    _columns(_TEXT, pa.string()).map(lambda array: array.dictionary_encode()),
    _columns(st.binary(min_size=4, max_size=4) | st.none(), pa.binary(4)),
    st.just(pa.nulls(5)),
)
_STATUS = st.one_of(
    _COLUMN,
    _columns(st.none() | st.integers(-(2**63), 2**63 - 1), pa.int64()),
    _columns(st.none() | st.floats(), pa.float64()),
)


@settings(max_examples=50)
@given(
    _COLUMN, _COLUMN, _COLUMN, _STATUS, st.booleans(), st.sampled_from(["openai", "auto", "groq"]),
)  # fmt: skip
def test_no_row_raises(request: Any, response: Any, other: Any, status: Any, as_sent: bool, dialect: str) -> None:
    table = pa.table({"request": request, "response": response, "other": other, "status": status})
    columns = {
        "request": "request", "response": "response", "stream": "other", "status": "status", "host": "other",
        "path": "other", "content_type": "other", "as_sent": as_sent,
    }  # fmt: skip
    verdict_rows = verdicts(table, columns, dialect=dialect)
    assert verdict_rows.num_rows == 5
    verdict_rows.validate(full=True)
    counts = [row["errors"] + row["warnings"] + row["notes"] for row in verdict_rows.to_pylist()]
    listed = findings(table, columns, dialect=dialect, keep=["status"])
    listed.validate(full=True)
    assert listed.num_rows == sum(counts)


def test_ddl_describes_a_schema_for_spark() -> None:
    kept = {"id": pa.int64(), "day of `log`": pa.dictionary(pa.int8(), pa.date32()), "at": pa.timestamp("us", "UTC")}
    assert ddl(schema(kept)) == (
        "`id` BIGINT, `day of ``log``` DATE, `at` TIMESTAMP, `rule` STRING, `severity` STRING, `message` STRING, "
        "`kind` STRING, `path` STRING, `pointer` STRING, `event` INT, `count` INT, `explained_by` ARRAY<STRING>, "
        "`dialect` STRING"
    )
    assert "`findings` ARRAY<STRUCT<`rule`: STRING, " in ddl(verdict_schema())
    types = {"a": pa.decimal128(10, 2), "b": pa.map_(pa.string(), pa.int16()), "c": pa.timestamp("us"), "d": pa.bool_()}
    kept_ddl = "`a` DECIMAL(10, 2), `b` MAP<STRING, SMALLINT>, `c` TIMESTAMP_NTZ, `d` BOOLEAN, "
    assert ddl(schema(types)).startswith(kept_ddl)
    with pytest.raises(TypeError, match="Spark has no type for time64"):
        ddl(schema({"t": pa.time64("us")}))


_SCRIPT_WITHOUT_PYARROW = """
import sys
sys.modules["pyarrow"] = None
import isogloss.validator, isogloss.validator.captures
isogloss.validator.check({})
import isogloss.validator.arrow
"""


@pytest.mark.processes
def test_without_pyarrow_only_the_arrow_module_fails_and_says_what_to_install() -> None:
    done = subprocess.run([sys.executable, "-c", _SCRIPT_WITHOUT_PYARROW], capture_output=True, text=True, check=False)
    assert done.stderr.splitlines()[-1] == (
        "ModuleNotFoundError: reading Arrow tables needs pyarrow: pip install 'isogloss[arrow]'"
    )
