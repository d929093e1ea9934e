"""``[[tool.isogloss.expect]]``: rules of one's own, without Python."""

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
BUBBLE = """
[[expect]]
name = "no-empty-bubble"
in = "completion"
at = "choices[].message.content"
schema = { type = "string", minLength = 1 }
message = "our client shows an empty bubble"
"""


@pytest.fixture
def project(tmp_path: Path, isogloss: Run, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Run ``check`` in a project with a configuration and one recorded exchange."""

    def run(configuration: str, *arguments: str, record: Any = RECORD, lines: int = 1) -> Any:
        (tmp_path / "isogloss.toml").write_text(configuration)
        (tmp_path / "traffic.jsonl").write_text((json.dumps(record) + "\n") * lines)
        monkeypatch.chdir(tmp_path)
        return isogloss("check", "traffic.jsonl", *arguments)

    return run


def found(done: Any) -> list[dict[str, Any]]:
    findings: list[dict[str, Any]] = json.loads(done.stdout)["findings"]
    return [one for one in findings if one["rule"].startswith("expect/")]


def test_a_broken_expectation_is_a_finding_with_its_place_severity_and_message(project: Run) -> None:
    done = project(BUBBLE, "--format", "json")
    assert done.returncode == 1
    (finding,) = found(done)
    assert (finding["rule"], finding["severity"], finding["kind"]) == ("expect/no-empty-bubble", "error", "completion")
    assert finding["message"] == "our client shows an empty bubble (minLength)"
    assert (finding["path"], finding["pointer"]) == ("choices[].message.content", "/choices/0/message/content")
    column = json.dumps(RECORD).index('"content": ""') + len('"content": ') + 1
    assert (finding["source"]["line"], finding["source"]["column"]) == (1, column)


def test_where_nothing_stands_nothing_is_found_and_required_says_what_has_to_be_there(project: Run) -> None:
    absent = BUBBLE.replace("choices[].message.content", "choices[].message.reasoning")
    required = BUBBLE.replace("choices[].message.content", "").replace('{ type = "string", minLength = 1 }',
                                                                       '{ required = ["x_request_id"] }')  # fmt: skip
    assert found(project(absent, "--format", "json")) == []
    (finding,) = found(project(required, "--format", "json"))
    assert (finding["path"], finding["message"]) == ("", "our client shows an empty bubble (required)")


def test_a_stream_is_held_to_what_is_expected_of_completions_and_of_chunks(project: Run) -> None:
    chunk = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    chunks = [
        chunk | {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}
        for delta, finish in (({"role": "assistant", "content": ""}, None), ({}, "stop"))
    ]
    both = BUBBLE + '[[expect]]\nname = "model"\nin = "chunk"\nat = "model"\nschema = { const = "n" }\n'
    whole, of_chunks = sorted(
        found(project(both, "--format", "json", record={"request": RECORD["request"], "chunks": chunks})),
        key=lambda one: one["kind"],
        reverse=True,
    )
    assert (whole["kind"], whole["pointer"], whole["count"]) == ("completion", "/choices/0/message/content", 1)
    assert (of_chunks["kind"], of_chunks["pointer"], of_chunks["count"]) == ("chunk", "/model", 2)


@pytest.mark.parametrize("form", ["text", "jsonl", "sarif", "junit", "github", "gitlab", "markdown", "html"])
def test_every_format_has_it(project: Run, form: str) -> None:
    done = project(BUBBLE, "--format", form)
    assert done.returncode == 1
    assert "no-empty-bubble" in done.stdout


def test_severity_ignore_select_and_baseline_hold_for_it(project: Run) -> None:
    assert project(BUBBLE + 'severity = "note"\n').returncode == 0
    assert found(project(BUBBLE, "--ignore", "expect/no-empty-bubble", "--format", "json")) == []
    assert found(project(BUBBLE, "--ignore", "expect", "--format", "json")) == []
    assert found(project(BUBBLE, "--ignore", "schema", "--format", "json")) != []
    assert [one["rule"] for one in found(project(BUBBLE, "--select", "expect", "--format", "json"))] == [
        "expect/no-empty-bubble"
    ]
    assert found(project(BUBBLE, "--select", "schema", "--format", "json")) == []
    assert project(BUBBLE, "--write-baseline", "known.json").returncode == 0
    assert project(BUBBLE, "--baseline", "known.json").returncode == 0


@pytest.mark.usefixtures("shared_work")
def test_several_processes_and_remembered_violations_find_the_same(project: Run) -> None:
    record = RECORD | {"response": ANSWER | {"padding": "x" * 300}}
    one, two = (project(BUBBLE, "--jobs", jobs, "--statistics", record=record, lines=120).stdout for jobs in "12")
    assert "120  error    expect/no-empty-bubble" in one
    assert one == two


def test_its_rate_is_of_the_exchanges_in_which_its_place_is(project: Run) -> None:
    done = project(BUBBLE + 'severity = "note"\n', "--fail-on-rate", "expect/no-empty-bubble=50%")
    assert done.returncode == 1
    assert "expect/no-empty-bubble: in 1 of 1 exchange, and at most 50 % may have it" in done.stdout


def test_keys_are_masked_in_its_message_and_its_values(project: Run) -> None:
    key = "sk-proj-" + "a1B2c3D4" * 6
    answer = ANSWER | {"model": key}
    said = BUBBLE.replace("choices[].message.content", "model").replace("minLength = 1", "maxLength = 1")
    done = project(said.replace("our client", key), "--format", "json", "--show-values",
                   record={"response": answer})  # fmt: skip
    assert found(done)
    assert key not in done.stdout


def test_its_page_says_where_to_look(isogloss: Run) -> None:
    done = isogloss("explain", "expect/no-empty-bubble")
    assert done.returncode == 0
    assert "[[tool.isogloss.expect]]" in done.stdout


@pytest.mark.parametrize(
    ("configuration", "told"),
    [
        ("expect = 3\n", "expect: not a list of tables"),
        (BUBBLE + BUBBLE, "line 10: expect.name: 'no-empty-bubble' is the name of another one"),
        (BUBBLE.replace('in = "completion"', 'in = "completions"'), "line 4: expect.in: 'completions' is not one of"),
        (BUBBLE.replace('"choices[]', '"$.choices[]'), "line 5: expect.at: '$.choices[].message.content' is no path"),
        (BUBBLE.replace('"string"', '"strng"'), "line 6: expect.schema: no valid JSON Schema at /type"),
        (BUBBLE.replace("{ type", '{ "$ref" = "http://x.invalid/", type'), "line 6: expect.schema: cannot be used"),
        (BUBBLE.replace("schema", "shema"), "line 2: expect: schema is missing"),
        (BUBBLE + 'level = "note"\n', "line 8: expect.level: unknown key"),
        (BUBBLE.replace("no-empty-bubble", "No Bubble"), "line 3: expect.name: 'No Bubble' is no name"),
        ('ignore = ["expect/other"]\n' + BUBBLE, "ignore: no rule or group is called 'expect/other'"),
    ],
)
def test_a_faulty_expectation_is_told_with_file_and_line(project: Run, configuration: str, told: str) -> None:
    done = project(configuration)
    assert done.returncode == 2
    assert f"isogloss.toml: {told}" in done.stderr


def test_a_schema_that_takes_too_long_is_an_error_of_the_configuration(project: Run) -> None:
    doubling = "".join(
        f'[expect.schema."$defs".d{number}]\nanyOf = [{{ "$ref" = "#/$defs/d{number + 1}" }}, '
        f'{{ "$ref" = "#/$defs/d{number + 1}" }}]\n'
        for number in range(30)
    )
    table = '[[expect]]\nname = "slow"\nin = "completion"\n[expect.schema]\n"$ref" = "#/$defs/d0"\n'
    done = project(f'{table}{doubling}[expect.schema."$defs".d30]\ntype = "object"\n')
    assert done.returncode == 2
    assert "takes too long" in done.stderr
