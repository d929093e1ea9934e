"""Tables of exchanges, one a row: Parquet, Arrow, folders and object stores are checked as JSON Lines are."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import mixture
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest
import tables

from isogloss.cli.jobs import Share, batches

Isogloss = Callable[..., CompletedProcess[str]]

CONFORMING = Path(__file__).parents[2] / "fixtures" / "conforming"
OK = (CONFORMING / "completion" / "text.json").read_text("utf-8")
BAD = json.dumps(json.loads(OK) | {"created": "now"})
EMBEDDINGS = '{"object": "list", "data": [{"object": "embedding", "index": 0, "embedding": [0.5]}], "model": "m"}'


@pytest.fixture
def folder(isogloss: Isogloss, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def found(done: CompletedProcess[str]) -> dict[str, Any]:
    """Return a report without the places, because they differ between a line and a cell.

    ``line`` is kept: it counts rows in both.
    """
    assert done.returncode in (0, 1), done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    for one in report["findings"]:
        one["source"] = [one["source"][name] for name in ("line", "exchange", "event")]
    report["findings"].sort(key=str)
    for one in report["skipped"]:
        del one["file"]
    return report


@pytest.fixture(scope="module")
def rows() -> list[dict[str, Any]]:
    return tables.rows(mixture.exchanges(5, 150, longest=10))


@pytest.mark.thorough
@pytest.mark.parametrize("objects", [False, True], ids=["text", "objects"])
def test_a_table_has_the_findings_of_the_same_records_as_json_lines(
    folder: Path, isogloss: Isogloss, rows: list[dict[str, Any]], objects: bool
) -> None:
    tables.lines(folder / "rows.jsonl", rows, objects=objects)
    tables.parquet(folder / "rows.parquet", rows, group=40)
    options = ("--columns", tables.COLUMNS, "--format", "json", "--dialect", "auto")
    reports = [found(isogloss("check", *options, name)) for name in ("rows.jsonl", "rows.parquet")]
    assert reports[0] == reports[1]
    assert reports[0]["summary"]["exchanges"] > 100


def test_the_source_of_a_finding_names_row_group_and_row(folder: Path, isogloss: Isogloss) -> None:
    table = pa.table({"response": [OK, OK, OK, '{"x": 1}', BAD]})
    pq.write_table(table, "logs.parquet", row_group_size=2)
    [finding] = json.loads(isogloss("check", "logs.parquet", "--format", "json").stdout)["findings"]
    place = BAD.index('"now"') + 1
    assert finding["source"] == {
        "file": "logs.parquet", "line": 5, "column": place, "exchange": 4, "event": None, "row_group": 2,
    }  # fmt: skip
    assert isogloss("check", "logs.parquet").stdout.startswith(f"logs.parquet:5:{place}: error[wrong-type]")


@pytest.mark.parametrize("compressed", ["uncompressed", "zstd", "lz4"])
def test_arrow_files_are_read_batch_by_batch(folder: Path, isogloss: Isogloss, compressed: str) -> None:
    table = pa.table({"response": [OK, None, BAD]})
    feather.write_feather(table, "logs.feather", compression=compressed, chunksize=2)
    with pa.ipc.new_stream("logs.arrow", table.schema) as out:
        out.write_table(table, max_chunksize=2)
    for name in ("logs.feather", "logs.arrow"):
        [finding] = json.loads(isogloss("check", name, "--format", "json").stdout)["findings"]
        assert (finding["source"]["row_group"], finding["source"]["exchange"]) == (1, 2)


@pytest.mark.thorough
def test_a_table_may_come_through_a_pipe_or_in_an_archive(folder: Path) -> None:
    pq.write_table(pa.table({"response": [BAD]}), "logs.parquet")
    subprocess.run([sys.executable, "-m", "zipfile", "-c", "logs.zip", "logs.parquet"], check=True)
    for source in ("logs.parquet", "logs.zip"):
        with open(source, "rb") as stream:
            command = [sys.executable, "-m", "isogloss", "check", "-"]
            done = subprocess.run(command, stdin=stream, capture_output=True, text=True, check=False)
        assert "error[wrong-type]" in done.stdout


def test_guessed_columns_are_named_first_and_once(folder: Path, isogloss: Isogloss) -> None:
    for day in ("1", "2"):
        pq.write_table(
            pa.table({"status_code": [200], "request_body": ["{}"], "response_body": [BAD]}), f"{day}.parquet"
        )
    done = isogloss("check", ".")
    guess = "request=request_body,response=response_body,status=status_code"
    assert done.stderr == f"Note: ./1.parquet: read with --columns {guess}, as its columns are called\n"
    assert done.returncode == 1
    said = isogloss("check", ".", "--columns", guess)
    assert said.stderr == ""
    assert said.stdout == done.stdout


def test_the_configuration_may_name_the_columns(folder: Path, isogloss: Isogloss) -> None:
    pq.write_table(pa.table({"answer": [BAD]}), "logs.parquet")
    done = isogloss("check", "logs.parquet")
    assert done.returncode == 3
    assert "no column is known to hold requests or answers; --columns response=NAME says which" in done.stdout
    (folder / "isogloss.toml").write_text('[records]\nresponse = "answer"\n', "utf-8")
    done = isogloss("check", "logs.parquet")
    assert (done.returncode, done.stderr) == (1, "")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("databrick", "no preset of columns is called 'databrick'; did you mean 'databricks'?"),
        ("respons=a", "respons: unknown key; did you mean 'response'?"),
        ("status=a", "says where no body stands; it needs one of request, response, stream"),
        ("response=", "response: '' is no path"),
    ],
)
def test_columns_that_say_nothing_are_a_wrong_command_line(
    folder: Path, isogloss: Isogloss, given: str, said: str
) -> None:
    pq.write_table(pa.table({"response": [OK]}), "logs.parquet")
    done = isogloss("check", "logs.parquet", "--columns", given)
    assert done.returncode == 2
    assert said in done.stderr


def test_a_table_without_these_columns_or_of_structs_is_skipped_with_the_reason(
    folder: Path, isogloss: Isogloss
) -> None:
    pq.write_table(pa.table({"response": [{"id": "x"}]}), "structs.parquet")
    done = isogloss("check", "structs.parquet", "--columns", "response=response", "--verbose")
    assert done.returncode == 3
    assert "structs.parquet: skipped: the column 'response' is a struct, which cannot say whether" in done.stdout
    done = isogloss("check", "structs.parquet", "--columns", "databricks", "--verbose")
    assert "skipped: no column is called 'request', which is to hold the request" in done.stdout


def test_the_columns_are_a_mapping_for_json_lines_too(folder: Path, isogloss: Isogloss) -> None:
    (folder / "log.jsonl").write_text((json.dumps({"answer": BAD}) + "\n") * 2, "utf-8")
    assert isogloss("check", "log.jsonl").returncode == 3
    assert isogloss("check", "log.jsonl", "--columns", "response=answer").returncode == 1


def test_folders_named_as_hive_does_are_columns(folder: Path, isogloss: Isogloss) -> None:
    error = (CONFORMING / "error" / "invalid-request.json").read_text("utf-8")
    for status in ("200", "400"):
        (folder / "lake" / f"status={status}").mkdir(parents=True)
        pq.write_table(pa.table({"body": [error]}), folder / "lake" / f"status={status}" / "part-0.parquet")
    (folder / "lake" / "_delta_log").mkdir()
    (folder / "lake" / "_delta_log" / "0.json").write_text("{}", "utf-8")
    report = json.loads(
        isogloss("check", "lake", "--columns", "response=body,status=status", "--format", "json").stdout
    )
    assert [(one["rule"], one["source"]["file"]) for one in report["findings"] if one["severity"] == "error"] == [
        ("error-with-success-status", "lake/status=200/part-0.parquet")
    ]
    assert [one["file"] for one in report["skipped"]] == ["lake/_delta_log"]


@pytest.mark.thorough
@pytest.mark.usefixtures("shared_work")
def test_several_processes_share_the_row_groups_of_a_file(folder: Path, isogloss: Isogloss) -> None:
    kinds = (OK, BAD, None, EMBEDDINGS)
    responses = [kinds[number % 4] for number in range(6000)]
    pq.write_table(pa.table({"response": responses}), "logs.parquet", row_group_size=500)
    shares = list(batches(["logs.parquet"], None, None))
    assert len(shares) > 1
    assert {type(one) for one in shares} == {Share}
    run = ("check", "logs.parquet", "--format", "json", "--output")
    one, two = (isogloss(*run, f"text:{jobs}.txt", "--jobs", jobs) for jobs in ("1", "2"))
    assert (one.returncode, one.stdout) == (1, two.stdout)
    assert "2,000 more parts that are not checked" in one.stdout
    assert (folder / "1.txt").read_text("utf-8") == (folder / "2.txt").read_text("utf-8")


def test_what_is_no_parquet_behind_its_first_bytes_is_skipped(folder: Path, isogloss: Isogloss) -> None:
    pq.write_table(pa.table({"response": [OK]}), "logs.parquet")
    whole = (folder / "logs.parquet").read_bytes()
    (folder / "logs.parquet").write_bytes(whole[: len(whole) // 2])
    (folder / "short.arrow").write_bytes(b"ARROW1\0\0" + b"\1" * 50)
    done = isogloss("check", ".", "--verbose")
    assert done.returncode == 3
    assert re.search(r"logs.parquet: skipped: cannot be read", done.stdout)
    assert re.search(r"short.arrow: skipped: cannot be read", done.stdout)


@pytest.mark.processes
def test_without_pyarrow_a_table_says_what_to_install(folder: Path) -> None:
    pq.write_table(pa.table({"response": [OK]}), "logs.parquet")
    code = "import sys; sys.modules['pyarrow'] = None\nfrom isogloss.cli.main import main\nmain(sys.argv[1:])"
    command = [sys.executable, "-c", code, "check", "logs.parquet"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 3
    assert "reading Parquet and Arrow needs pyarrow: pip install 'isogloss[arrow]'" in done.stdout


_BUCKET = """
import sys
from pyarrow.fs import S3FileSystem, copy_files
store = S3FileSystem(endpoint_override=sys.argv[1], scheme="http", allow_bucket_creation=True, region="us-east-1")
store.create_dir("lake")
copy_files(sys.argv[2], "lake/logs", destination_filesystem=store)
"""


@pytest.fixture
def store(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Start a server of moto, and yield its address. The command knows the address only from the environment."""
    pytest.importorskip("moto")
    for name, value in {"ACCESS_KEY_ID": "k", "SECRET_ACCESS_KEY": "s", "DEFAULT_REGION": "us-east-1"}.items():
        monkeypatch.setenv(f"AWS_{name}", value)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    command = [sys.executable, "-u", "-m", "moto.server", "-H", "127.0.0.1", "-p", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True) as server:
        assert server.stderr is not None
        address = next(match[1] for line in server.stderr if (match := re.search(r"http://(127[\d.:]+)", line)))
        monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://{address}")
        yield address
        server.terminate()


@pytest.mark.thorough
def test_object_stores_are_read_through_pyarrow(folder: Path, process: Isogloss, store: str) -> None:
    def isogloss(*arguments: str) -> CompletedProcess[str]:
        return process(*arguments, env=dict(os.environ))

    for day in ("1", "2"):
        (folder / "logs" / f"day={day}").mkdir(parents=True)
        pq.write_table(pa.table({"response": [OK, BAD]}), folder / "logs" / f"day={day}" / "part-0.parquet")
    (folder / "logs" / "_SUCCESS").touch()
    (folder / "logs" / "answers.jsonl").write_text(f"{BAD}\n" * 3, "utf-8")
    subprocess.run([sys.executable, "-c", _BUCKET, store, str(folder / "logs")], check=True)
    done = isogloss("check", "s3://lake/logs", "--format", "json")
    assert done.stderr.startswith("Note: s3://lake/logs/day=1/part-0.parquet: read with --columns response=response")
    report = json.loads(done.stdout)
    assert [(one["source"]["file"], one["source"]["line"]) for one in report["findings"]] == [
        *(("s3://lake/logs/answers.jsonl", line) for line in (1, 2, 3)),
        ("s3://lake/logs/day=1/part-0.parquet", 2),
        ("s3://lake/logs/day=2/part-0.parquet", 2),
    ]
    done = isogloss(
        "check", "s3://lake/logs/day=3", "s3://lake/logs/day=1/part-0.parquet", "--columns", "response=response"
    )
    assert "s3://lake/logs/day=3: skipped: cannot be listed: is not there" in done.stdout
    assert done.returncode == 1
