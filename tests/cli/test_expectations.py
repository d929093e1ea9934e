"""Tests of ``[[tool.isogloss.expect]]``, with which users write their own rules without Python."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]

ANSWER = {
    "id": "chatcmpl-FakeA1b2C3d4E5f6G7h8I9j0K1l2M", "object": "chat.completion", "created": 1760000000, "model": "m",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "", "refusal": None},
                 "logprobs": None, "finish_reason": "length"}],
    "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
}  # fmt: skip
RECORD = {"request": {"model": "m", "messages": [{"role": "user", "content": "Hi"}]}, "response": ANSWER}
NO_EMPTY_BUBBLE = """
[[expect]]
name = "no-empty-bubble"
in = "completion"
at = "choices[].message.content"
schema = { type = "string", minLength = 1 }
message = "our client shows an empty bubble"
"""


@pytest.fixture
def check_project(tmp_path: Path, isogloss: Run, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Return a function that runs ``check`` in a project with a configuration and copies of a recorded exchange."""

    def run(configuration: str, *arguments: str, record: Any = RECORD, copies: int = 1) -> Any:
        (tmp_path / "isogloss.toml").write_text(configuration)
        (tmp_path / "traffic.jsonl").write_text((json.dumps(record) + "\n") * copies)
        monkeypatch.chdir(tmp_path)
        return isogloss("check", "traffic.jsonl", *arguments)

    return run


def read_findings(result: Any) -> list[dict[str, Any]]:
    findings: list[dict[str, Any]] = json.loads(result.stdout)["findings"]
    return [finding for finding in findings if finding["rule"].startswith("expect/")]


def test_an_unmet_expectation_is_a_finding_with_place_severity_and_message(check_project: Run) -> None:
    result = check_project(NO_EMPTY_BUBBLE, "--format", "json")
    assert result.returncode == 1
    (finding,) = read_findings(result)
    assert (finding["rule"], finding["severity"], finding["kind"]) == ("expect/no-empty-bubble", "error", "completion")
    assert finding["message"] == "our client shows an empty bubble (minLength)"
    assert (finding["path"], finding["pointer"]) == ("choices[].message.content", "/choices/0/message/content")
    column = json.dumps(RECORD).index('"content": ""') + len('"content": ') + 1
    assert (finding["source"]["line"], finding["source"]["column"]) == (1, column)


def test_text_says_nothing_of_dialects_about_an_expectation(check_project: Run) -> None:
    assert "known in no dialect" not in check_project(NO_EMPTY_BUBBLE).stdout


def test_an_absent_property_is_a_finding_only_if_it_is_required(check_project: Run) -> None:
    absent = NO_EMPTY_BUBBLE.replace("choices[].message.content", "choices[].message.reasoning")
    required = NO_EMPTY_BUBBLE.replace("choices[].message.content", "").replace('{ type = "string", minLength = 1 }',
                                                                       '{ required = ["x_request_id"] }')  # fmt: skip
    assert read_findings(check_project(absent, "--format", "json")) == []
    (finding,) = read_findings(check_project(required, "--format", "json"))
    assert (finding["path"], finding["message"]) == ("", "our client shows an empty bubble (required)")


@pytest.mark.parametrize(
    ("path", "meant"),
    [
        ("choices.message", "choices[].message"),
        ("choices[].mesage.content", "choices[].message.content"),
        ("choices[].message[].content", "choices[].message.content"),
        ("usage.promptTokens", "usage.prompt_tokens"),
        ("choices[].message.content", None),
        ("choices[].message.tool_calls[].id", None),
        ("choices[].message.tool_calls[]", None),
        ("choices[].message.reasoning", None),
    ],
)
def test_an_expectation_whose_path_is_misspelt_is_named(check_project: Run, path: str, meant: str | None) -> None:
    configuration = NO_EMPTY_BUBBLE.replace("choices[].message.content", path)
    note = f"Note: expect/no-empty-bubble was not checked: no completion has {path}; did you mean {meant}?\n"
    assert check_project(configuration).stderr == ("" if meant is None else note)
    assert check_project(configuration, "--ignore", "expect").stderr == ""
    request = {"request": RECORD["request"]}
    assert check_project(configuration, record=request).stderr == "", "without a completion, nothing is known"


@pytest.mark.parametrize("path", ["choices[].message.reasoning", "choices[].message.tool_calls[].id"])
def test_an_expectation_that_no_file_of_the_project_meets_is_named_unless_the_reference_has_its_path(
    check_project: Run, isogloss: Run, path: str
) -> None:
    check_project(NO_EMPTY_BUBBLE.replace("choices[].message.content", path))
    stderr = isogloss("check", ".").stderr
    assert stderr == (
        ""
        if "tool_calls" in path
        else f"Note: expect/no-empty-bubble was not checked: no completion has {path}; is its path right?\n"
    )


@pytest.mark.parametrize(
    ("schema", "keyword", "meant"),
    [
        ("{ minlength = 1 }", "minlength", "minLength"),
        ("{ allOf = [{ properties = { a = { maxitems = 1 } } }] }", "maxitems", "maxItems"),
        ("{ additionalProperty = false }", "additionalProperty", "additionalProperties"),
        ('{ properties = { requierd = {} }, const = { typ = 1 }, x-note = "a", example = 1 }', None, None),
    ],
)
def test_a_misspelt_keyword_of_a_schema_is_an_error(
    check_project: Run, schema: str, keyword: str | None, meant: str | None
) -> None:
    result = check_project(NO_EMPTY_BUBBLE.replace('{ type = "string", minLength = 1 }', schema))
    if keyword is None:
        assert (result.returncode, result.stderr) == (1, "")
    else:
        assert result.returncode == 2
        assert f"{keyword!r} is no keyword of JSON Schema; did you mean {meant!r}?" in result.stderr


def test_expectations_of_completions_and_of_chunks_apply_to_streams(check_project: Run) -> None:
    chunk = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    chunks = [
        chunk | {"choices": [{"index": 0, "delta": delta, "finish_reason": finish_reason}]}
        for delta, finish_reason in (({"role": "assistant", "content": ""}, None), ({}, "stop"))
    ]
    configuration = (
        NO_EMPTY_BUBBLE + '[[expect]]\nname = "model"\nin = "chunk"\nat = "model"\nschema = { const = "n" }\n'
    )
    of_completion, of_chunks = sorted(
        read_findings(
            check_project(configuration, "--format", "json", record={"request": RECORD["request"], "chunks": chunks})
        ),
        key=lambda finding: finding["kind"],
        reverse=True,
    )
    assert (of_completion["kind"], of_completion["pointer"], of_completion["count"]) == (
        "completion",
        "/choices/0/message/content",
        1,
    )
    assert (of_chunks["kind"], of_chunks["pointer"], of_chunks["count"]) == ("chunk", "/model", 2)


@pytest.mark.parametrize("output_format", ["text", "jsonl", "sarif", "junit", "github", "gitlab", "markdown", "html"])
def test_every_format_has_the_finding(check_project: Run, output_format: str) -> None:
    result = check_project(NO_EMPTY_BUBBLE, "--format", output_format)
    assert result.returncode == 1
    assert "no-empty-bubble" in result.stdout


def test_severity_ignore_select_and_baseline_apply_to_expectations(check_project: Run) -> None:
    assert check_project(NO_EMPTY_BUBBLE + 'severity = "note"\n').returncode == 0
    assert read_findings(check_project(NO_EMPTY_BUBBLE, "--ignore", "expect/no-empty-bubble", "--format", "json")) == []
    assert read_findings(check_project(NO_EMPTY_BUBBLE, "--ignore", "expect", "--format", "json")) == []
    assert read_findings(check_project(NO_EMPTY_BUBBLE, "--ignore", "schema", "--format", "json")) != []
    assert [
        finding["rule"]
        for finding in read_findings(check_project(NO_EMPTY_BUBBLE, "--select", "expect", "--format", "json"))
    ] == ["expect/no-empty-bubble"]
    assert read_findings(check_project(NO_EMPTY_BUBBLE, "--select", "schema", "--format", "json")) == []
    assert check_project(NO_EMPTY_BUBBLE, "--write-baseline", "known.json").returncode == 0
    assert check_project(NO_EMPTY_BUBBLE, "--baseline", "known.json").returncode == 0


def test_only_of_an_expectation_that_is_ignored_nothing_is_said(check_project: Run) -> None:
    misspelt = NO_EMPTY_BUBBLE.replace("choices[].message.content", "choices[].message.contend")
    for options in ((), ("--ignore", "created-zero")):
        assert "did you mean choices[].message.content?" in check_project(misspelt, *options).stderr
    assert check_project(misspelt, "--ignore", "expect/no-empty-bubble").stderr == ""
    in_files = f'paths."traffic.jsonl".ignore = ["expect/no-empty-bubble"]\n{misspelt}'
    assert check_project(in_files).stderr == ""


@pytest.mark.usefixtures("shared_work")
def test_several_processes_find_the_same_as_one(check_project: Run) -> None:
    record = RECORD | {"response": ANSWER | {"padding": "x" * 300}}
    one_process, two_processes = (
        check_project(NO_EMPTY_BUBBLE, "--jobs", jobs, "--statistics", record=record, copies=120).stdout
        for jobs in "12"
    )
    assert "120  error    expect/no-empty-bubble" in one_process
    assert one_process == two_processes


@pytest.mark.parametrize("command", ["check", "portability", "compare"])
def test_a_byte_order_mark_before_a_record_changes_nothing(
    isogloss: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("isogloss.toml").write_text(NO_EMPTY_BUBBLE)
    results = []
    for encoding in ("utf-8", "utf-8-sig"):
        Path("record.json").write_text(json.dumps(RECORD, indent=1), encoding)
        results.append(isogloss(command, "record.json", *["record.json"][: command == "compare"]))
    assert results[0] == results[1]
    assert "our client shows" in results[0].stdout or command != "check"
    assert "not known" not in results[0].stdout
    assert "1 request in both" in results[0].stdout or command != "compare"


def test_the_rate_counts_only_exchanges_that_have_the_path(check_project: Run) -> None:
    result = check_project(NO_EMPTY_BUBBLE + 'severity = "note"\n', "--fail-on-rate", "expect/no-empty-bubble=50%")
    assert result.returncode == 1
    assert "expect/no-empty-bubble: in 1 of 1 exchange, and at most 50 % may have it" in result.stdout


def test_keys_are_masked_in_messages_and_values(check_project: Run) -> None:
    key = "sk-proj-" + "a1B2c3D4" * 6
    answer = ANSWER | {"model": key}
    configuration = NO_EMPTY_BUBBLE.replace("choices[].message.content", "model").replace(
        "minLength = 1", "maxLength = 1"
    )
    result = check_project(configuration.replace("our client", key), "--format", "json", "--show-values",
                   record={"response": answer})  # fmt: skip
    assert read_findings(result)
    assert key not in result.stdout


def test_explain_names_the_setting_of_expectations(isogloss: Run) -> None:
    result = isogloss("explain", "expect/no-empty-bubble")
    assert result.returncode == 0
    assert "[[tool.isogloss.expect]]" in result.stdout


@pytest.mark.parametrize(
    ("configuration", "message"),
    [
        ("expect = 3\n", "1:1: expect: must be a list of tables"),
        (NO_EMPTY_BUBBLE + NO_EMPTY_BUBBLE, "10:1: expect.name: 'no-empty-bubble' is the name of another one"),
        (
            NO_EMPTY_BUBBLE.replace('in = "completion"', 'in = "completions"'),
            '4:1: expect.in: must be one of "request"',
        ),
        (
            NO_EMPTY_BUBBLE.replace('"choices[]', '"$.choices[]'),
            "5:1: expect.at: '$.choices[].message.content' is not a path",
        ),
        (NO_EMPTY_BUBBLE.replace('"string"', '"strng"'), "6:1: expect.schema: no valid JSON Schema at /type"),
        (
            NO_EMPTY_BUBBLE.replace("{ type", '{ "$ref" = "http://x.invalid/", type'),
            "6:1: expect.schema: cannot be used",
        ),
        (
            NO_EMPTY_BUBBLE.replace("{ type", '{ anyOf = [{ pattern = "(" }], type'),
            "6:1: expect.schema: the pattern '(' is no regular expression",
        ),
        (NO_EMPTY_BUBBLE.replace("schema", "shema"), "6:1: expect.shema: unknown key; did you mean 'schema'?"),
        ('[[expect]]\nname = "a"\nin = "chunk"\n', "1:3: expect: has no key 'schema'"),
        (NO_EMPTY_BUBBLE + 'level = "note"\n', "8:1: expect.level: unknown key"),
        (NO_EMPTY_BUBBLE.replace("no-empty-bubble", "No Bubble"), "3:1: expect.name: must be a name"),
        ('ignore = ["expect/other"]\n' + NO_EMPTY_BUBBLE, "1:1: ignore: no rule or group is called 'expect/other'"),
    ],
)
def test_an_invalid_expectation_is_a_usage_error_with_file_and_line(
    check_project: Run, configuration: str, message: str
) -> None:
    result = check_project(configuration)
    assert result.returncode == 2
    assert f"isogloss.toml:{message}" in result.stderr


def test_a_schema_that_takes_too_long_is_a_usage_error(check_project: Run) -> None:
    definitions = "".join(
        f'[expect.schema."$defs".d{number}]\nanyOf = [{{ "$ref" = "#/$defs/d{number + 1}" }}, '
        f'{{ "$ref" = "#/$defs/d{number + 1}" }}]\n'
        for number in range(30)
    )
    table = '[[expect]]\nname = "slow"\nin = "completion"\n[expect.schema]\n"$ref" = "#/$defs/d0"\n'
    result = check_project(f'{table}{definitions}[expect.schema."$defs".d30]\ntype = "object"\n')
    assert result.returncode == 2
    assert "takes too long" in result.stderr
