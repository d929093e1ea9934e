"""Tests of the setting ``records``, with which a log of any layout is checked without code."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.cli.configuration.record_settings import problems
from isogloss.cli.configuration.settings_schema import schema
from isogloss.validator.captures.document import Document, Node
from isogloss.validator.captures.mapping import names_of, path_of
from isogloss.validator.captures.structures.objects.mapped import follow
from isogloss.validator.text import Text

Isogloss = Callable[..., CompletedProcess[str]]

LOG = {
    "asked": {"req": json.dumps({"model": "m", "messages": [{"role": "user", "content": "Hi"}]})},
    "seen": {
        "resp": {
            "of": {"id": "chatcmpl-Fake1", "object": "chat.completion", "created": "now", "model": "m", "choices": []}
        }
    },
    "http": {"status": 200},
}
"""An entry that is not read without a mapping: request and answer are too far from each other."""
MAPPING = '[records]\nrequest = "asked.req"\nresponse = "seen.resp.of"\nstatus = "http.status"\n'


@pytest.fixture
def folder(isogloss: Isogloss, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "log.jsonl").write_text((json.dumps(LOG) + "\n") * 3, "utf-8")
    return tmp_path


def test_a_log_is_read_as_the_configuration_says(folder: Path, isogloss: Isogloss) -> None:
    assert isogloss("check", "log.jsonl").returncode == 3
    (folder / "isogloss.toml").write_text(MAPPING, "utf-8")
    result = isogloss("check", "log.jsonl", "--format", "json")
    assert result.returncode == 1
    summary = json.loads(result.stdout)["summary"]
    assert summary["exchanges"] == 3
    assert summary["payloads"]["request"] == 3
    places = {(finding["rule"], finding["source"]["line"]) for finding in json.loads(result.stdout)["findings"]}
    assert ("wrong-type", 3) in places


PATHS = {"request": "asked.req", "response": "seen.resp.of", "status": "http.status", "host": "http.host"}


def columns_of(paths: dict[str, str]) -> str:
    return ",".join(f"{part}={path}" for part, path in paths.items())


@pytest.mark.parametrize("misspelt", [(), ("request",), ("response",), ("status",), ("host",), tuple(PATHS)])
def test_each_path_at_which_no_record_has_anything_is_named_with_the_one_that_is_meant(
    folder: Path, isogloss: Isogloss, misspelt: tuple[str, ...]
) -> None:
    record = LOG | {"http": {"status": 200, "host": "api.example.com"}, "answer": None}
    (folder / "log.jsonl").write_text((json.dumps(record) + "\n") * 3, "utf-8")
    paths = PATHS | {part: PATHS[part].replace("s", "z") for part in misspelt}
    result = isogloss("check", "log.jsonl", "--columns", columns_of(paths))
    if len(misspelt) < len(PATHS):
        said = [f"Note: no record has a {part} at {paths[part]}; did you mean {PATHS[part]!r}?" for part in misspelt]
    else:  # nothing is read at all, and the reason says where the bodies stand
        said = [f"Note: no record has a {part} at {path}; is its path right?" for part, path in paths.items()]
        assert f"--columns {columns_of({part: PATHS[part] for part in ('request', 'response')})}" in result.stdout
    assert result.stderr.splitlines() == said


@pytest.mark.parametrize("name", ["log.jsonl", "log.json"])
def test_misspelt_paths_are_named_if_the_records_are_read_without_them(
    tmp_path: Path, isogloss: Isogloss, name: str
) -> None:
    record = {"req": json.loads(LOG["asked"]["req"]), "resp": LOG["seen"]["resp"]["of"], "code": 200}  # type: ignore[index]
    content = json.dumps([record] * 2) if name == "log.json" else f"{json.dumps(record)}\n" * 2
    (tmp_path / name).write_text(content, "utf-8")
    result = isogloss("check", tmp_path / name, "--columns", "request=rq,response=rsp,status=cod")
    assert "2 exchanges" in result.stdout
    meant = {"request at rq": "req", "response at rsp": "resp", "status at cod": "code"}
    assert result.stderr.splitlines() == [
        f"Note: no record has a {part}; did you mean {path!r}?" for part, path in meant.items()
    ]


def test_paths_of_a_configuration_are_named_if_all_its_files_were_checked_or_some_record_was_read_by_them(
    folder: Path, isogloss: Isogloss
) -> None:
    (folder / "other.jsonl").write_text(json.dumps(LOG["seen"]["resp"]["of"]) + "\n", "utf-8")  # type: ignore[index]
    (folder / "isogloss.toml").write_text('records = { request = "askd.req" }\n', "utf-8")
    named = "no record has a request at askd.req"
    assert named not in isogloss("check", "other.jsonl").stderr
    assert named in isogloss("check", ".").stderr
    (folder / "isogloss.toml").write_text(
        'paths."log*".records = { request = "askd.req", response = "seen.resp.of" }\n', "utf-8"
    )
    for command in ("check", "report"):
        assert f"{named}; did you mean 'asked.req'?" in isogloss(command, "log.jsonl").stderr


def test_a_log_without_streams_or_without_a_property_of_its_preset_has_no_misspelt_path(
    tmp_path: Path, isogloss: Isogloss
) -> None:
    record = {"proxy_server_request": json.loads(LOG["asked"]["req"]), "response": LOG["seen"]["resp"]["of"]}  # type: ignore[index]
    (tmp_path / "log.jsonl").write_text(json.dumps(record) + "\n", "utf-8")
    for columns in ("litellm", "request=proxy_server_request,response=response,stream=events"):
        assert isogloss("check", tmp_path / "log.jsonl", "--columns", columns).stderr == ""


def test_records_of_another_api_are_at_the_right_paths(tmp_path: Path, isogloss: Isogloss) -> None:
    record = {"asked": {"model": "m", "input": "Hi"}, "seen": {"object": "response", "output": []}}
    (tmp_path / "log.jsonl").write_text(f"{json.dumps(record)}\n" * 2, "utf-8")
    assert isogloss("check", tmp_path / "log.jsonl", "--columns", "request=asked,response=seen").stderr == ""


@pytest.mark.parametrize("copies", [1, 120])
@pytest.mark.parametrize("form", ["objects", "texts", "items", "names with dots", "an answer alone"])
def test_a_record_of_an_unknown_layout_is_skipped_with_the_columns_that_read_it(
    tmp_path: Path, isogloss: Isogloss, form: str, copies: int
) -> None:
    asked, answer = json.loads(LOG["asked"]["req"]), LOG["seen"]["resp"]["of"]  # type: ignore[index]
    record = {
        "objects": {"a": {"b": {"c": asked}}, "d": {"e": {"f": {"g": answer}}}},
        "texts": {"a": json.dumps({"b": {"c": json.dumps(asked)}}), "d": {"e": {"f": json.dumps({"g": answer})}}},
        "items": {"a": [{"c": [{"d": asked}]}, 1], "e": {"f": [0, {"g": {"h": answer}}]}},
        "names with dots": {"a.b": {"c.d": {"e": asked}}, "f.g": {"h": {"i.j": answer}}},
        "an answer alone": {"a": {"b": {"c": answer}}},
    }[form]
    log = tmp_path / "log.jsonl"
    log.write_text(f"{json.dumps(record)}\n" * copies, "utf-8")
    skipped = isogloss("check", log)
    found = re.search(r"isogloss check --columns (\S+) reads it", skipped.stdout)
    assert found is not None
    assert ("which may be an example" in skipped.stdout) == (form == "an answer alone" and copies == 1)
    assert f"\nnothing-checked: 0 exchanges in 1 file, {copies} skipped" in skipped.stdout
    read = json.loads(isogloss("check", log, "--columns", found[1], "--format", "json").stdout)["summary"]
    assert (read["exchanges"], read["payloads"]["completion"]) == (copies, copies)
    assert read["payloads"]["request"] == (0 if form == "an answer alone" else copies)


@pytest.mark.parametrize("name", ["log.jsonl", "log.json"])
def test_a_mapping_has_priority_over_the_detected_layout(tmp_path: Path, isogloss: Isogloss, name: str) -> None:
    request = {"model": "gpt-4o", "messages": [{"role": "user", "content": "Hi"}]}
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": "Hello", "refusal": None},
        "finish_reason": "stop",
    }
    answer = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "gpt-4o", "choices": [choice]}
    record = json.dumps(answer | {"asked": request})
    (tmp_path / name).write_text(record if name == "log.json" else f"{record}\n{record}\n", "utf-8")
    result = isogloss("check", "--columns", "request=asked", "--format", "json", tmp_path / name)
    payloads = json.loads(result.stdout)["summary"]["payloads"]
    assert payloads == {"request": 1 + (name == "log.jsonl"), "completion": 0, "chunk": 0, "error": 0}


@pytest.mark.parametrize("name", ["log.jsonl", "log.json"])
@pytest.mark.parametrize(("kind", "requests", "chunks"), [((), 2, 0), (("--kind", "chunk"), 0, 2)])
def test_records_that_look_like_chunks_are_read_by_the_mapping_unless_the_kind_is_given(
    tmp_path: Path, isogloss: Isogloss, name: str, kind: tuple[str, ...], requests: int, chunks: int
) -> None:
    chunk = {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"content": "a"}}]}
    record = chunk | {"asked": {"model": "gpt-4o", "messages": [{"role": "user", "content": "Hi"}]}}
    content = json.dumps([record] * 2) if name == "log.json" else f"{json.dumps(record)}\n" * 2
    (tmp_path / name).write_text(content, "utf-8")
    result = isogloss("check", "--columns", "request=asked", *kind, "--format", "json", tmp_path / name)
    summary = json.loads(result.stdout)["summary"]
    assert summary["payloads"] == {"request": requests, "completion": 0, "chunk": chunks, "error": 0}
    assert summary["exchanges"] == (1 if chunks else 2)  # chunks make one stream


def test_the_report_reads_a_log_as_the_configuration_says(folder: Path, isogloss: Isogloss) -> None:
    assert isogloss("report", "log.jsonl").returncode == 3
    (folder / "isogloss.toml").write_text(MAPPING, "utf-8")
    report = json.loads(isogloss("report", "log.jsonl", "--format", "json").stdout)
    assert report["summary"]["exchanges"] == 3


@pytest.mark.parametrize(
    ("command", "reads"),
    [
        (("compare", "log.jsonl", "log.jsonl"), "1 request in both: nothing changed"),
        (("portability", "log.jsonl"), "accepted as it is: "),
        (("dialects", "infer", "log.jsonl", "--slug", "x"), '"at": "created"'),
        (("repro", "log.jsonl"), '"created":"a"'),
        (("fold", "log.jsonl"), "no stream that folds into a completion"),
    ],
)
def test_every_command_reads_a_log_as_the_configuration_says_or_says_why_it_does_not(
    folder: Path, isogloss: Isogloss, command: tuple[str, ...], reads: str
) -> None:
    unread = isogloss(*command)
    assert unread.returncode == 3
    assert "isogloss check --columns request=asked.req,response=seen.resp.of reads it" in unread.stderr
    (folder / "isogloss.toml").write_text(MAPPING, "utf-8")
    read = isogloss(*command)
    assert reads in read.stdout + read.stderr


def test_the_report_leaves_out_what_the_configuration_excludes(folder: Path, isogloss: Isogloss) -> None:
    (folder / "isogloss.toml").write_text(f'exclude = ["old"]\n{MAPPING}', "utf-8")
    (folder / "old").mkdir()
    (folder / "old" / "log.jsonl").write_text(json.dumps(LOG) + "\n", "utf-8")

    def count_files(*options: str) -> int:
        count: int = json.loads(isogloss("report", ".", "--format", "json", *options).stdout)["summary"]["files"]
        return count

    assert count_files() == 2
    assert count_files("--exclude", "*.toml") == 2
    assert count_files("--exclude", "*.jsonl") == 1
    (folder / "isogloss.toml").write_text('exclude = ["nothing"]\n', "utf-8")
    assert 'Note: "nothing" of exclude in isogloss.toml matches nothing' in isogloss("report", ".").stderr


@pytest.mark.usefixtures("shared_work")
def test_several_processes_read_a_large_log_in_the_same_way(folder: Path, isogloss: Isogloss) -> None:
    (folder / "isogloss.toml").write_text(MAPPING, "utf-8")
    (folder / "log.jsonl").write_text((json.dumps(LOG | {"pad": "x" * 400}) + "\n") * 300, "utf-8")
    one_process, two_processes = (isogloss("check", "log.jsonl", "--jobs", jobs) for jobs in ("1", "2"))
    assert one_process.stdout == two_processes.stdout
    assert "300 exchanges" in one_process.stdout


@pytest.mark.parametrize("name", ["as-sent", "as_sent"])
def test_the_parts_of_columns_may_be_written_with_underscores(folder: Path, isogloss: Isogloss, name: str) -> None:
    columns = f"{columns_of(PATHS)},{name}=false"
    result = isogloss("check", "log.jsonl", "--columns", columns, "--format", "json")
    assert json.loads(result.stdout)["summary"]["exchanges"] == 3, result.stderr


def test_a_path_may_have_its_own_mapping(folder: Path, isogloss: Isogloss) -> None:
    (folder / "other.jsonl").write_bytes((folder / "log.jsonl").read_bytes())
    (folder / "isogloss.toml").write_text(MAPPING.replace("[records]", '[paths."log*".records]'), "utf-8")
    summary = json.loads(isogloss("check", ".", "--format", "json").stdout)["summary"]
    assert summary["exchanges"] == 3
    assert "records.request" in isogloss("config", "log.jsonl").stdout
    assert "records.request" not in isogloss("config", "other.jsonl").stdout


@given(st.text(".$[]'\"0a* ", max_size=8))
def test_the_schema_of_the_configuration_refuses_no_path_that_counts_as_one(path: str) -> None:
    assert re.search(schema()["$defs"]["at"]["pattern"], path) or list(problems({"request": path}, {"request": None}))


@given(st.lists(st.text('.$[]"\\ ,=a0', max_size=6), min_size=1, max_size=4))
def test_names_with_any_characters_are_found_by_their_path(names: list[str]) -> None:
    path = path_of(names)
    assert not list(problems({"request": path}, {"request": None}))
    assert path.count(".") or names_of(path) == tuple(names)
    record: object = "found"
    for name in reversed(names):
        record = {name: record}
    assert follow(Node(Document(Text(b"")), record, ()), path).value == "found"


@pytest.mark.parametrize("name", ["pay[load]", "$payload", "a,b", "a=b", "[0]", '"quoted"', "$"])
def test_a_column_may_have_any_name(folder: Path, isogloss: Isogloss, name: str) -> None:
    (folder / "named.jsonl").write_text(json.dumps({"x": {name: LOG["seen"]["resp"]["of"]}}) + "\n")
    result = isogloss("check", "named.jsonl", "--columns", f"response={path_of(['x', name])}", "--format", "json")
    assert json.loads(result.stdout)["summary"]["exchanges"] == 1
    assert isogloss("check", "named.jsonl", "--columns", f"response={path_of([name])}").returncode != 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[records]\nreqest = "a"', "isogloss.toml:2:1: records.reqest: unknown key; did you mean 'request'?"),
        ('strict = true\n\n[records]\nzzz = "a"', ":4:1: records.zzz: unknown key; known are request, response"),
        ('records.request = "$.a[0].b"', ":1:9: records.request: '$.a[0].b' is not a path"),
        ('records.request = "$.a[0].b"', "did you mean 'a.0.b'?"),
        ('[records]\nrequest = ""', ":2:1: records.request: '' is not a path"),
        ('[records]\nrequest = "a.b[]"', ":2:1: records.request: 'a.b[]' is not a path"),
        ("records.request = \"$['a[0]'].b\"", "did you mean '[\"a[0]\"].b'?"),
        ('records.request = "log.body[raw]"', "did you mean 'log[\"body[raw]\"]'?"),
        ('[paths."a/*".records]\nresponse = "$"', ":2:1: paths.\"a/*\".records.response: '$' is not a path"),
        (f'[records]\nrequest = "{"a." * 100}b"', ":2:1: records.request: a path of more than 100 names"),
        ('[records]\nstatus = "a"', ":1:2: records: no body is named: say where one of request, response"),
        ("[records]\nrequest = 5", ":2:1: records.request: 5 is not the path of a property"),
        ('[records]\nrequest = "a"\nas-sent = "no"', ":3:1: records.as-sent: 'no' is not true or false"),
        ("records = 5", ":1:1: records: not a table"),
        (
            '[paths."a/*"]\nrecords = { response = "a..b" }',
            ":2:13: paths.\"a/*\".records.response: 'a..b' is not a path",
        ),
        ('[paths."a/*".records]\nresponse = "a"\nas_sent = false', ':3:1: paths."a/*".records.as_sent: unknown key'),
    ],
)
def test_an_invalid_mapping_is_a_usage_error_with_its_line(
    folder: Path, isogloss: Isogloss, text: str, message: str
) -> None:
    (folder / "isogloss.toml").write_text(text, "utf-8")
    result = isogloss("check", "log.jsonl")
    assert result.returncode == 2
    assert message in result.stderr
