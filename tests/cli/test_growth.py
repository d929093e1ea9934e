"""Tests that the work of every command grows in proportion to its input, whichever part of the input grows.

The work is counted in function calls, which are the same on every machine, even on a busy one.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from call_counts import count_calls
from growing_captures import ANSWER, CHOICE, GROWING, MESSAGE, REQUEST, event, fragment, lines
from writers import capture_name

ROOT = Path(__file__).parents[2]
_SMALL = 130
"""More than every number at which a command changes its way, such as the 128 tools that the reference allows."""
_SIZES = (_SMALL, 2 * _SMALL, 4 * _SMALL)
_MOST_GROWTH = 2.6
"""Twice the input that is added may take this many times the function calls that are added."""
_FORMATS = ("text", "json", "jsonl", "sarif", "junit", "github", "gitlab", "markdown", "html")


def different_findings(size: int) -> dict[str, str]:
    return {
        "a": lines(ANSWER | {f"k{number}": 1} for number in range(size)),
        "b": lines(ANSWER | {f"j{number}": 1, "created": None} for number in range(size)),
    }


def different_values(size: int) -> dict[str, str]:
    def answers(prefix: str) -> Iterator[Any]:
        for number in range(size):
            choice = CHOICE | {"finish_reason": f"{prefix}{number}", "message": MESSAGE | {"role": f"r{number}"}}
            yield ANSWER | {"id": f"{prefix}-{number}", "model": f"m{number}", "choices": [choice]}

    return {"a": lines(answers("x")), "b": lines(answers("y"))}


def different_objects(size: int) -> dict[str, str]:
    def answer(name: str) -> Any:
        return ANSWER | {f"k{number}": {name: {"a": number, "b": [{"c": number}]}} for number in range(size)}

    return {"a": json.dumps(answer("xyz")), "b": json.dumps(answer("uvw"))}


def different_errors(size: int) -> dict[str, str]:
    return {
        name: lines(
            {"status": 400 + number % 90, "response": {"error": {"message": f"m{number}", "type": f"{name}{number}"}}}
            for number in range(size)
        )
        for name in "ab"
    }


def answers_to_one_request(size: int) -> dict[str, str]:
    records = [{"request": REQUEST, "response": ANSWER | {"k": number}} for number in range(size)]
    return {"a": lines(records), "b": lines(records).replace('"k"', '"j"')}


def answers_to_many_requests(size: int) -> dict[str, str]:
    records = [{"request": REQUEST | {"seed": number}, "response": ANSWER} for number in range(size)]
    return {"a": lines(records), "b": lines(records).replace('"finish_reason": "stop"', '"finish_reason": "x"')}


def interleaved_calls(size: int) -> dict[str, str]:
    function = {"name": "f", "arguments": ""}
    begun = [fragment(n, id=f"call_{n}", type="function", function=function) for n in range(size)]
    ended = [fragment(n, function={"arguments": "{}"}) for n in reversed(range(size))]
    return {"a": "".join([*begun, *ended, "data: [DONE]\n\n"])}


def interleaved_choices(size: int) -> dict[str, str]:
    roles = [event([{"index": n, "delta": {"role": "assistant"}, "finish_reason": None}]) for n in range(size)]
    ends = [event([{"index": n, "delta": {}, "finish_reason": "stop"}]) for n in reversed(range(size))]
    return {"a": "".join([*roles, *ends, "data: [DONE]\n\n"])}


def calls_of_a_conversation(size: int) -> dict[str, str]:
    calls = [
        {"id": f"call_{n}", "type": "function", "function": {"name": f"f{n}", "arguments": "{}"}} for n in range(size)
    ]
    asked = [{"role": "assistant", "tool_calls": [call]} for call in calls]
    answered = [{"role": "tool", "tool_call_id": call["id"], "content": "x"} for call in reversed(calls)]
    tools = [{"type": "function", "function": {"name": f"f{number}"}} for number in range(size)]
    request = REQUEST | {"messages": [*REQUEST["messages"], *asked, *answered], "tools": tools}
    return {"a": json.dumps({"request": request, "response": ANSWER | {"k": 1}})}


def known_findings(size: int) -> dict[str, str]:
    entry = {"file": "a", "rule": "unknown-property", "kind": "completion", "count": 1}
    entries = [entry | {"pointer": f"/k{number}"} for number in range(0, 2 * size, 2)]
    baseline = {"baseline_version": 1, "findings": entries}
    return {"a": different_findings(size)["a"], "known.json": json.dumps(baseline)}


def expectations(size: int) -> dict[str, str]:
    tables = [
        f'[[expect]]\nname = "n{number}"\nin = "completion"\nat = "k{number}"\nschema = {{ type = "string" }}\n'
        for number in range(size)
    ]
    return {"a": lines([ANSWER | {"k1": 1}]), "own.toml": "".join(tables)}


def facts_of_a_dialect(size: int) -> dict[str, str]:
    source = {"confidence": "source-code", "where": "server 1.0", "date": "2026-11"}
    fact = {"in": ["completion"], "schema": {"type": "integer"}, "source": "s"}
    dialect = {
        "slug": "own", "name": "Own", "kind": "server", "summary": "A server.", "sources": {"s": source},
        "deviations": [fact | {"at": f"k{number}"} for number in range(size)],
    }  # fmt: skip
    return {"a": json.dumps(ANSWER | {f"k{number}": 1 for number in range(size)}), "own.json": json.dumps(dialect)}


def reports_of_probes(size: int) -> dict[str, str]:
    finding = {"rule": "unknown-property", "kind": "completion", "severity": "note"}
    found = [finding | {"path": f"k{number}", "source": {"file": f"c{number}-1.json"}} for number in range(size)]
    cases = [{"name": f"c{number}", "standing": "conforms"} for number in range(size)]
    report = {"report_version": 1, "cases": cases, "findings": found}
    return {"a": json.dumps(report), "b": json.dumps(report | {"findings": found[::2]})}


def described_properties(size: int) -> dict[str, str]:
    properties = {f"p{number}": {"$ref": f"#/components/schemas/S{number}"} for number in range(size)}
    schemas = {f"S{number}": {"anyOf": [{"type": "string"}, {"type": "null"}]} for number in range(size)}
    return _described(properties, schemas)


def described_alternatives(size: int) -> dict[str, str]:
    roles = [
        {"type": "object", "properties": {"role": {"const": f"r{number}"}, f"p{number}": {"type": "string"}}}
        for number in range(size)
    ]
    tiers = {"enum": [f"t{number}" for number in range(size)]}
    return _described({"messages": {"type": "array", "items": {"oneOf": roles}}, "service_tier": tiers}, {})


def _described(properties: Any, schemas: Any) -> dict[str, str]:
    content = {"application/json": {"schema": {"type": "object", "properties": properties}}}
    operation = {"post": {"requestBody": {"content": content}, "responses": {}}}
    document = {"openapi": "3.1.0", "paths": {"/chat/completions": operation}, "components": {"schemas": schemas}}
    return {"own.json": json.dumps(document)}


def described_types(size: int) -> dict[str, str]:
    members = "".join(f"  a{number}: T{number};\n" for number in range(size))
    types = "".join(
        f"export interface T{number} {{ a: string | null; b?: 'x' | 'y{number}'; }}\n" for number in range(size)
    )
    others = "export interface ChatCompletionChunk {}\nexport interface ChatCompletionCreateParams {}\n"
    return {
        "p/package.json": '{"name": "openai", "version": "9.9.9"}',
        "p/resources/shared.d.ts": "export interface ErrorObject {}\n",
        "p/resources/chat/completions/completions.d.ts": (
            f"export interface ChatCompletion {{\n{members}}}\n{types}{others}"
        ),
    }


def answers_in_both_modes(size: int) -> dict[str, str]:
    def records(text: str) -> Iterator[Any]:
        for number in range(size):
            request = REQUEST | {"seed": number % (size // 3)}
            chunk = ANSWER | {"object": "chat.completion.chunk", "choices": [
                {"index": 0, "delta": {"role": "assistant", "content": f"{text}{number}"}, "finish_reason": "stop"}
            ]}  # fmt: skip
            yield {"request": request, "response": ANSWER | {"system_fingerprint": f"{text}{number}"}}
            yield {"request": request | {"stream": True}, "chunks": [chunk]}

    return {"a": lines(records("a")), "b": lines(records("b"))}


def files(size: int) -> dict[str, str]:
    return {f"a/d{number}/f.json": json.dumps(ANSWER | {f"k{number}": 1}) for number in range(size)}


CASES: dict[Callable[[int], dict[str, str]], tuple[str, ...]] = {
    different_findings: (
        *[f"check a --format {one}" for one in _FORMATS], "check a --dialect auto", "check a -v --show-values",
        "check a --statistics", "check a --write-baseline new.json", "check a --fail-on-impact", "report a",
        "report a --format html", "report a --evidence",
        "report a --view coverage", "report a --view clients", "dialects infer a --slug x",
        "compare a b --pair-by none", "compare a b --pair-by position --format html",
    ),
    different_values: (
        "check a", "check a --format html", "check a --dialect auto", "report a", "report a --view coverage",
        "dialects infer a --slug x", "compare a b --pair-by none", "compare a b --pair-by position", "repro a",
    ),
    different_objects: (
        "check a", "check a -v --show-values", "report a", "dialects infer a --slug x", "compare a b --pair-by none",
        "repro a",
    ),
    different_errors: ("check a", "report a", "dialects infer a --slug x", "compare a b --pair-by none"),
    answers_to_one_request: ("check a", "compare a", "compare a b", "compare a b --twins", "compare a --format json"),
    answers_to_many_requests: ("check a", "compare a", "compare a b", "compare a b --twins", "portability a"),
    interleaved_calls: ("check a", "fold a", "repro a", "dialects infer a --slug x", "compare a", "report a"),
    interleaved_choices: ("check a", "fold a", "repro a", "dialects infer a --slug x", "compare a", "report a"),
    calls_of_a_conversation: ("check a", "portability a", "repro a", "report a --view coverage"),
    known_findings: ("check a --baseline known.json", "check a --baseline known.json --format json"),
    expectations: ("check a --config own.toml", "config a --config own.toml"),
    facts_of_a_dialect: (
        "check a --dialect-file own.json --dialect own", "check a --dialect-file own.json --dialect auto",
        "report a --dialect-file own.json", "dialects show own --dialect-file own.json",
        "dialects diff own groq --dialect-file own.json",
        "schemas show completion --dialect own --dialect-file own.json",
    ),
    reports_of_probes: ("compare a b", "compare a b --format html"),
    described_properties: ("schemas drift --openapi own.json",),
    described_alternatives: ("schemas drift --openapi own.json",),
    described_types: ("schemas drift --npm p",),
    answers_in_both_modes: ("compare a", "compare a b", "compare a b --twins", "compare a b --pair-by none"),
    files: ("check a", "report a", "report a --view coverage", "dialects infer a --slug x", "compare a"),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(
    ("make", "command"),
    [pytest.param(make, line, id=f"{make.__name__}: {line}") for make, lines in CASES.items() for line in lines],
)
def test_the_work_of_a_command_grows_in_proportion_to_its_input(
    isogloss: Callable[..., Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    make: Callable[[int], dict[str, str]],
    command: str,
) -> None:
    calls = []
    for number, size in enumerate(_SIZES):
        folder = tmp_path / str(number)
        for name, text in make(size).items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
        monkeypatch.chdir(folder)
        if not calls:
            _run(isogloss, command)  # does what is done only once in a process
        calls.append(count_calls(partial(_run, isogloss, command)))
    _assert_proportional(calls)


@pytest.mark.slow
@pytest.mark.parametrize("part", GROWING)
def test_the_work_to_check_a_capture_grows_in_proportion_to_any_part_of_it(
    isogloss: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, part: str
) -> None:
    monkeypatch.chdir(tmp_path)
    calls = []
    for size in _SIZES:
        capture = GROWING[part](size)
        data = capture.encode() if isinstance(capture, str) else capture
        name = capture_name(data)
        Path(name).write_bytes(data)
        if not calls:
            _run(isogloss, f"check {name}")  # does what is done only once in a process
        calls.append(count_calls(partial(_run, isogloss, f"check {name}")))
    _assert_proportional(calls)


def _assert_proportional(calls: list[int]) -> None:
    small, middle, large = calls
    assert large - middle <= _MOST_GROWTH * max(middle - small, 1000)


def _run(isogloss: Callable[..., Any], command: str) -> None:
    result = isogloss(*command.split())
    assert result.returncode in (0, 1, 3), result.stderr
