"""Tests of invalid configurations, baselines and files of dialects: the file is named, and the run ends with 2."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

PAIR = "fixtures/captures/json/pair.json"
DEEP = "[" * 100_000 + "]" * 100_000

BASELINES = {
    "no JSON": "{",
    "nested too deep": f'{{"baseline_version": 1, "findings": {DEEP}}}',
    "a large number": '{"baseline_version": 1, "findings": [{"count": 99999999999999999999999}]}',
    "no list": '{"baseline_version": 1, "findings": {"a": 1}}',
    "an odd version": '{"baseline_version": {}}',
    "no UTF-8": "\udcff",
}
CONFIGURATIONS = {
    "nested too deep": f"a = {DEEP}",
    "a large number": "a = " + "9" * 5000,
    "no table": "paths = [[1]]",
    "a table for a name": "dialect = {a = 1}",
    "a date": "fail-on = 1979-05-27",
    "no UTF-8": "\udcff",
}
DIALECTS = {
    "no JSON": "{",
    "nested too deep": DEEP,
    "nothing": "null",
    "an object for a name": '{"slug": {}}',
    "a schema elsewhere": '{"slug": "x", "deviations": [{"schema": {"$ref": "http://localhost/y"}}]}',
    "no UTF-8": "\udcff",
}
CASES = [
    pytest.param(options, text, id=f"{options[0][2:]} {name}")
    for options, texts in (
        (("--baseline",), BASELINES),
        (("--config",), CONFIGURATIONS),
        (("--dialect-file", "--dialect", "auto"), DIALECTS),
    )
    for name, text in texts.items()
]


@pytest.mark.parametrize(("options", "text"), CASES)
def test_an_invalid_file_is_named(
    isogloss: Callable[..., Any], tmp_path: Path, options: tuple[str, ...], text: str
) -> None:
    file = tmp_path / "hostile"
    file.write_bytes(text.encode("utf-8", "surrogateescape"))
    result = isogloss("check", PAIR, options[0], file, *options[1:])
    assert result.returncode == 2
    assert "hostile" in result.stderr


def test_a_baseline_may_name_files_that_cannot_exist(isogloss: Callable[..., Any], tmp_path: Path) -> None:
    file = tmp_path / "known.json"
    written = isogloss("check", PAIR, "--write-baseline", file)
    assert written.returncode == 0
    baseline = json.loads(file.read_text("utf-8"))
    entry = baseline["findings"][0]
    baseline["findings"] += [entry | {"file": name} for name in ("x" * 5000, "a\0b", "/proc/1/mem/x")]
    file.write_text(json.dumps(baseline), "utf-8")
    result = isogloss("check", PAIR, "--baseline", file)
    assert result.returncode == 0, result.stderr
