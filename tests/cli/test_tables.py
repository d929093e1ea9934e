"""Tests of checking tables with one exchange in each row: in Parquet and Arrow files, folders and object stores."""

from __future__ import annotations

import errno
import io
import json
import os
import re
import signal
import socket
import subprocess
import sys
import zipfile
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

from isogloss.cli.reading import stores
from isogloss.cli.reading.jobs import Share, batches
from isogloss.validator.captures import Capture, read

Isogloss = Callable[..., CompletedProcess[str]]

CONFORMING = Path(__file__).parents[2] / "fixtures" / "conforming"
OK = (CONFORMING / "completion" / "text.json").read_text("utf-8")
BAD = json.dumps(json.loads(OK) | {"created": "now"})
EMBEDDINGS = '{"object": "list", "data": [{"object": "embedding", "index": 0, "embedding": [0.5]}], "model": "m"}'


@pytest.fixture
def folder(isogloss: Isogloss, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def read_report_without_places(result: CompletedProcess[str]) -> dict[str, Any]:
    """Return the report of a run without the places, because they differ between a line and a cell.

    ``line`` is kept, because it counts the rows of both.
    """
    assert result.returncode in (0, 1), result.stderr
    report: dict[str, Any] = json.loads(result.stdout)
    for finding in report["findings"]:
        finding["source"] = [finding["source"][name] for name in ("line", "exchange", "event")]
    report["findings"].sort(key=str)
    for entry in report["skipped"]:
        del entry["file"]
    return report


@pytest.fixture(scope="module")
def rows() -> list[dict[str, Any]]:
    return tables.rows(mixture.exchanges(5, 150, longest=10))


@pytest.mark.thorough
@pytest.mark.parametrize("objects", [False, True], ids=["text", "objects"])
def test_a_table_has_the_same_findings_as_its_records_in_json_lines(
    folder: Path, isogloss: Isogloss, rows: list[dict[str, Any]], objects: bool
) -> None:
    tables.lines(folder / "rows.jsonl", rows, objects=objects)
    tables.parquet(folder / "rows.parquet", rows, group=40)
    options = ("--columns", tables.COLUMNS, "--format", "json", "--dialect", "auto")
    reports = [read_report_without_places(isogloss("check", *options, name)) for name in ("rows.jsonl", "rows.parquet")]
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


@pytest.mark.parametrize("compression", ["uncompressed", "zstd", "lz4"])
def test_arrow_files_are_read_batch_by_batch(folder: Path, isogloss: Isogloss, compression: str) -> None:
    table = pa.table({"response": [OK, None, BAD]})
    feather.write_feather(table, "logs.feather", compression=compression, chunksize=2)
    with pa.ipc.new_stream("logs.arrow", table.schema) as writer:
        writer.write_table(table, max_chunksize=2)
    for name in ("logs.feather", "logs.arrow"):
        [finding] = json.loads(isogloss("check", name, "--format", "json").stdout)["findings"]
        assert (finding["source"]["row_group"], finding["source"]["exchange"]) == (1, 2)


def test_standard_input_may_be_a_table_or_an_archive_with_a_table(folder: Path, isogloss: Isogloss) -> None:
    pq.write_table(pa.table({"response": [BAD]}), "logs.parquet")
    with zipfile.ZipFile("logs.zip", "w") as archive:
        archive.write("logs.parquet")
    for source in ("logs.parquet", "logs.zip"):
        assert "error[wrong-type]" in isogloss("check", "-", input=Path(source).read_bytes()).stdout


def test_guessed_columns_are_printed_once(folder: Path, isogloss: Isogloss) -> None:
    for day in ("1", "2"):
        pq.write_table(
            pa.table({"status_code": [200], "request_body": ["{}"], "response_body": [BAD]}), f"{day}.parquet"
        )
    result = isogloss("check", ".")
    guess = "request=request_body,response=response_body,status=status_code"
    assert result.stderr == f"Note: ./1.parquet: read with --columns {guess}, as its columns are called\n"
    assert result.returncode == 1
    with_columns = isogloss("check", ".", "--columns", guess)
    assert with_columns.stderr == ""
    assert with_columns.stdout == result.stdout
    with_columns = isogloss("report", ".", "--columns", guess)
    assert with_columns.stderr == ""
    assert with_columns.stdout == isogloss("report", ".").stdout


def test_the_configuration_may_name_the_columns(folder: Path, isogloss: Isogloss) -> None:
    pq.write_table(pa.table({"answer": [BAD]}), "logs.parquet")
    result = isogloss("check", "logs.parquet")
    assert result.returncode == 3
    assert "no column is known to hold requests or answers; --columns response=NAME says which" in result.stdout
    (folder / "isogloss.toml").write_text('[records]\nresponse = "answer"\n', "utf-8")
    result = isogloss("check", "logs.parquet")
    assert (result.returncode, result.stderr) == (1, "")


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ("databrick", "no preset of columns is called 'databrick'; did you mean 'databricks'?"),
        ("respons=a", "respons: unknown key; did you mean 'response'?"),
        ("status=a", "no body is named: say where one of request, response, stream stands"),
        ("response=", "response: '' is not a path"),
        ("response=a,response=b", "response: named twice"),
        ('response=["a"', "response: '[\"a\"' is not a path: names of properties, joined by dots\n"),
    ],
)
def test_an_invalid_columns_option_is_a_usage_error(
    folder: Path, isogloss: Isogloss, columns: str, message: str
) -> None:
    pq.write_table(pa.table({"response": [OK]}), "logs.parquet")
    result = isogloss("check", "logs.parquet", "--columns", columns)
    assert result.returncode == 2
    assert message in result.stderr


def test_a_table_of_structs_or_without_the_named_columns_is_skipped_with_a_reason(
    folder: Path, isogloss: Isogloss
) -> None:
    pq.write_table(pa.table({"response": [{"id": "x"}]}), "structs.parquet")
    result = isogloss("check", "structs.parquet", "--columns", "response=response", "--verbose")
    assert result.returncode == 3
    assert "structs.parquet: skipped: the column 'response' is a struct, which cannot say whether" in result.stdout
    result = isogloss("check", "structs.parquet", "--columns", "databricks", "--verbose")
    assert "skipped: no column is called 'request', which is to hold the request" in result.stdout


def test_a_table_in_which_a_column_is_missing_does_not_pass_beside_other_files(
    folder: Path, isogloss: Isogloss
) -> None:
    pq.write_table(pa.table({"asked": ["{}"], "answer": [OK]}), "logs.parquet")
    (folder / "other.json").write_text(OK, "utf-8")
    result = isogloss("check", "logs.parquet", "other.json", "--columns", "response=answr")
    assert result.returncode == 3
    assert "Error: logs.parquet: no column is called 'answr'" in result.stderr


def test_a_column_that_a_table_has_is_not_called_missing_because_of_other_files(
    folder: Path, isogloss: Isogloss
) -> None:
    pq.write_table(pa.table({"asked": ["{}"], "answer": [OK]}), "logs.parquet")
    (folder / "other.json").write_text(OK, "utf-8")
    for command in ("check", "report"):
        assert isogloss(command, ".", "--columns", "response=answer").stderr == ""


def test_columns_also_map_records_of_json_lines(folder: Path, isogloss: Isogloss) -> None:
    (folder / "log.jsonl").write_text((json.dumps({"answer": BAD, "number": 1}) + "\n") * 2, "utf-8")
    assert isogloss("check", "log.jsonl").returncode == 3
    assert isogloss("check", "log.jsonl", "--columns", "response=answer").returncode == 1


def test_hive_partition_folders_are_columns(folder: Path, isogloss: Isogloss) -> None:
    error = (CONFORMING / "error" / "invalid-request.json").read_text("utf-8")
    for status in ("200", "400"):
        (folder / "lake" / f"status={status}").mkdir(parents=True)
        pq.write_table(pa.table({"body": [error]}), folder / "lake" / f"status={status}" / "part-0.parquet")
    (folder / "lake" / "_delta_log").mkdir()
    (folder / "lake" / "_delta_log" / "0.json").write_text("{}", "utf-8")
    report = json.loads(
        isogloss("check", "lake", "--columns", "response=body,status=status", "--format", "json").stdout
    )
    assert [
        (finding["rule"], finding["source"]["file"]) for finding in report["findings"] if finding["severity"] == "error"
    ] == [("error-with-success-status", "lake/status=200/part-0.parquet")]
    assert [entry["file"] for entry in report["skipped"]] == ["lake/_delta_log"]


@pytest.mark.thorough
@pytest.mark.usefixtures("shared_work")
def test_several_processes_share_the_row_groups_of_a_file(folder: Path, isogloss: Isogloss) -> None:
    values = (OK, BAD, *(None, EMBEDDINGS) * 4)
    responses = [values[number % len(values)] for number in range(1500)]
    pq.write_table(pa.table({"response": responses}), "logs.parquet", row_group_size=200)
    shares = list(batches(["logs.parquet"], None, None))
    assert len(shares) > 1
    assert {type(share) for share in shares} == {Share}
    arguments = ("check", "logs.parquet", "--format", "json", "--output")
    one_process, two_processes = (isogloss(*arguments, f"text:{jobs}.txt", "--jobs", jobs) for jobs in ("1", "2"))
    assert (one_process.returncode, one_process.stdout) == (1, two_processes.stdout)
    assert json.loads(one_process.stdout)["summary"]["skipped"] == 1200
    assert "the reasons for 200 more skipped parts are not kept" in one_process.stdout
    assert (folder / "1.txt").read_text("utf-8") == (folder / "2.txt").read_text("utf-8")


@pytest.mark.thorough
@pytest.mark.usefixtures("shared_work")
def test_what_is_skipped_in_one_table_does_not_count_for_the_next(folder: Path, isogloss: Isogloss) -> None:
    table = pa.table({"response": [EMBEDDINGS] * 600})
    for name in ("a.parquet", "b.parquet"):
        pq.write_table(table, name, row_group_size=100, compression="none", use_dictionary=False)
    other = pa.table({"text": [EMBEDDINGS] * 600})
    pq.write_table(other, "c.parquet", row_group_size=100, compression="none", use_dictionary=False)
    assert len(list(batches(["c.parquet"], None, None))) > 1
    one_process, two_processes = (isogloss("check", ".", "--format", "json", "--jobs", jobs) for jobs in ("1", "2"))
    assert one_process == two_processes
    assert json.loads(one_process.stdout)["summary"]["skipped"] == 1201
    assert "are not kept" not in one_process.stdout


@pytest.mark.thorough
@pytest.mark.usefixtures("shared_work")
def test_a_damaged_row_group_hides_no_other_one_with_any_number_of_processes(folder: Path, isogloss: Isogloss) -> None:
    responses = [BAD, *[EMBEDDINGS] * 499, *[None] * 1000, *[OK] * 500, *[BAD] * 500]
    table = pa.table({"response": responses})
    pq.write_table(table, "logs.parquet", row_group_size=500, compression="none", use_dictionary=False)
    data = bytearray((folder / "logs.parquet").read_bytes())
    metadata = pq.ParquetFile("logs.parquet").metadata
    for number in (2, 3):
        start = metadata.row_group(number).column(0).data_page_offset
        data[start : start + 8] = b"\xff" * 8
    (folder / "logs.parquet").write_bytes(data)
    (folder / "good.json").write_text(OK, "utf-8")
    assert len(list(batches(["logs.parquet"], None, None))) > 1
    arguments = ("check", "logs.parquet", "good.json", "--exit-zero", "--format", "json", "--output")
    results = [isogloss(*arguments, f"text:{jobs}.txt", "--jobs", jobs) for jobs in ("1", "2")]
    assert results[0] == results[1]
    assert results[0].returncode == 3
    assert "Error: logs.parquet: row group 2 cannot be read: " in results[0].stderr
    report = json.loads(results[0].stdout)["summary"]
    assert (report["exchanges"], report["skipped"]) == (502, 1001)
    assert (folder / "1.txt").read_text("utf-8") == (folder / "2.txt").read_text("utf-8")


def test_a_damaged_table_is_skipped(folder: Path, isogloss: Isogloss) -> None:
    pq.write_table(pa.table({"response": [OK]}), "logs.parquet")
    data = (folder / "logs.parquet").read_bytes()
    (folder / "logs.parquet").write_bytes(data[: len(data) // 2])
    (folder / "short.arrow").write_bytes(b"ARROW1\0\0" + b"\1" * 50)
    (folder / "column.parquet").write_bytes(data[:60] + b"\xff" * 30 + data[90:])
    result = isogloss("check", ".", "--verbose")
    assert result.returncode == 3
    assert re.search(r"logs.parquet: skipped: cannot be read as Parquet: \w", result.stdout)
    assert re.search(r"short.arrow: skipped: cannot be read as Arrow: \w", result.stdout)
    assert re.search(r"column.parquet: skipped: row group 0 cannot be read: \w", result.stdout)


def test_a_disk_that_fails_while_a_table_is_read_is_no_damage_of_the_table() -> None:
    class FailingFile(io.BytesIO):
        has_failed = False

        def seek(self, offset: int, whence: int = 0) -> int:  # tables are read from their end
            self.has_failed = self.has_failed or bool(offset)
            return super().seek(offset, whence)

        def read(self, size: int | None = -1) -> bytes:
            if self.has_failed:
                raise OSError(errno.EIO, os.strerror(errno.EIO))
            return super().read(size)

    table = io.BytesIO()
    pq.write_table(pa.table({"response": [OK] * 3}), table)
    with pytest.raises(OSError, match="Input/output") as raised:
        list(read(Capture(FailingFile(table.getvalue()), "logs.parquet")))
    assert raised.value.errno == errno.EIO


@pytest.mark.processes
def test_without_pyarrow_the_reason_says_what_to_install(folder: Path) -> None:
    pq.write_table(pa.table({"response": [OK]}), "logs.parquet")
    code = "import sys; sys.modules['pyarrow'] = None\nfrom isogloss.cli.main import main\nmain(sys.argv[1:])"
    command = [sys.executable, "-c", code, "check", "logs.parquet"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 3
    assert "reading Parquet and Arrow needs pyarrow: pip install 'isogloss[arrow]'" in result.stdout
    command[-1] = "s3://bucket/folder"
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 2
    assert "reading object stores needs pyarrow: pip install 'isogloss[arrow]'" in result.stderr


@pytest.mark.processes
@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_signal_ends_a_run_that_waits_for_a_store(folder: Path, number: signal.Signals, code: int) -> None:
    credentials = {"AWS_ACCESS_KEY_ID": "k", "AWS_SECRET_ACCESS_KEY": "s"}
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"127.0.0.1:{server.getsockname()[1]}"
        url = f"s3://bucket/folder?endpoint_override={address}&scheme=http&region=us-east-1"
        command = [sys.executable, "-m", "isogloss", "check", url]
        with subprocess.Popen(command, env=os.environ | credentials, stderr=subprocess.DEVNULL) as run:
            connection, _ = server.accept()  # and never answer
            with connection:
                assert connection.recv(1)
                run.send_signal(number)
                assert run.wait(60) == code


@pytest.mark.processes
def test_a_store_that_never_answers_ends_in_a_reason(folder: Path) -> None:
    code = (
        "import sys; from isogloss.cli.reading import stores; stores.FIRST_ANSWER_SECONDS = 0.1\n"
        "from isogloss.cli.main import main; main(sys.argv[1:])"
    )
    with socket.create_server(("127.0.0.1", 0)) as server:  # it never accepts
        url = f"gs://anonymous@bucket/folder?endpoint_override=127.0.0.1:{server.getsockname()[1]}&scheme=http"
        command = [sys.executable, "-c", code, "check", url]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 3
    assert "cannot be listed: no answer within 0.1 seconds; is it reachable, and are its credentials" in result.stdout


@pytest.mark.parametrize("error", [pa.ArrowException, OSError])
def test_a_store_that_fails_gives_a_short_reason_without_keys(error: type[Exception]) -> None:
    def fail(_: object) -> object:
        raise error("no token for AKIAZQ8LMN4XR7VT2WY6" + " and then" * 99 + "\ntried /a\ntried /b")

    with pytest.raises(OSError, match=r"^no token for AKIA\*{16} [ a-z]*…$") as raised:
        stores._wait_for(fail, None)
    assert len(str(raised.value)) < 400


_FILL_BUCKET = """
import sys
from pyarrow.fs import S3FileSystem, copy_files
store = S3FileSystem(endpoint_override=sys.argv[1], scheme="http", allow_bucket_creation=True, region="us-east-1")
store.create_dir("lake")
copy_files(sys.argv[2], "lake/logs", destination_filesystem=store)
"""


@pytest.fixture
def store_address(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Start a server of moto, which stands in for an object store, and yield its address.

    ``isogloss`` finds the address only in the environment.
    """
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
def test_object_stores_are_read_through_pyarrow(folder: Path, run_process: Isogloss, store_address: str) -> None:
    def isogloss(*arguments: str) -> CompletedProcess[str]:
        return run_process(*arguments, env=dict(os.environ))

    for day in ("1", "2"):
        (folder / "logs" / f"day={day}").mkdir(parents=True)
        pq.write_table(pa.table({"response": [OK, BAD]}), folder / "logs" / f"day={day}" / "part-0.parquet")
    (folder / "logs" / "_SUCCESS").touch()
    (folder / "logs" / "answers.jsonl").write_text(f"{BAD}\n" * 3, "utf-8")
    subprocess.run([sys.executable, "-c", _FILL_BUCKET, store_address, str(folder / "logs")], check=True)
    result = isogloss("check", "s3://lake/logs", "s3://lake/logs/day=3", "--format", "json")
    assert result.stderr.startswith("Note: s3://lake/logs/day=1/part-0.parquet: read with --columns response=response")
    report = json.loads(result.stdout)
    assert [(finding["source"]["file"], finding["source"]["line"]) for finding in report["findings"]] == [
        *(("s3://lake/logs/answers.jsonl", line) for line in (1, 2, 3)),
        ("s3://lake/logs/day=1/part-0.parquet", 2),
        ("s3://lake/logs/day=2/part-0.parquet", 2),
    ]
    [skipped] = report["skipped"]
    assert (skipped["file"], skipped["reason"]) == ("s3://lake/logs/day=3", "cannot be listed: is not there")
    assert result.returncode == 1
    assert "3 exchanges in 1 file" in isogloss("report", "s3://lake/logs/answers.jsonl").stdout
