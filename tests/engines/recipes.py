"""Read the recipes of docs/scale.md, write rows to run them on, and read the findings of recipes and of ``check``."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import mixture
import pyarrow as pa
import pyarrow.parquet as pq
import tables
from click.testing import CliRunner

from isogloss.cli.main import cli

ROOT = Path(__file__).parents[2]
FIXTURES = ROOT / "fixtures"
SCHEMA = pa.schema({
    "id": pa.int64(), "day": pa.string(), "request_json": pa.string(), "response_json": pa.string(),
    "stream": pa.string(), "status": pa.int32(),
})  # fmt: skip
COLUMNS = "request=request_json,response=response_json,stream=stream,status=status"
"""The columns that the recipes read, as the option ``--columns`` of ``check`` names them."""
MAPPING = dict(part.split("=") for part in COLUMNS.split(","))
FINDING_COLUMNS = ("rule", "severity", "message", "kind", "path", "pointer", "event", "count", "explained_by")


def _section(heading: str) -> str:
    page = (ROOT / "docs" / "scale.md").read_text("utf-8")
    match = re.search(rf"^(#+) {re.escape(heading)}\n(.*?)(?=^\1 |^## |\Z)", page, re.MULTILINE | re.DOTALL)
    assert match is not None, heading
    return match[2]


def code_blocks(heading: str, language: str) -> list[str]:
    """Return the blocks of code in a language in a section of the page."""
    return re.findall(rf"^```{language}\n(.*?)^```$", _section(heading), re.MULTILINE | re.DOTALL)


def engine_sections() -> list[str]:
    """Return the headings of the sections about engines that have code in Python."""
    return [
        name for name in re.findall(r"^### (.*)$", _section("Engines"), re.MULTILINE) if code_blocks(name, "python")
    ]


def recipe(engine: str, number: int = 0) -> str:
    """Return a recipe of an engine, with the code before it with which all recipes begin."""
    return code_blocks("Engines", "python")[0] + "\n" + code_blocks(engine, "python")[number]


def words_of_table(text: str) -> list[str]:
    """Return the words of a printed table without its lines."""
    return re.findall(r"[^\s│┆|─┌┬┐├┼┤└┴┘╭╮╰╯╞═╪╡╌+]+", text)


def example_rows() -> list[dict[str, Any]]:
    """Return the rows whose findings the page shows.

    They are from two days. Some conform, some do not, and one has no body.
    """

    def text(path: str) -> str:
        return (FIXTURES / path).read_text("utf-8")

    bodies = [
        {"response_json": text("conforming/completion/text.json"), "status": 200},
        {"response_json": json.dumps(json.loads(text("dialects/deepseek/completion.json"))["response"]), "status": 200},
        {"response_json": text("schema/wrong-type/invalid-completion-created-string.json"), "status": 200},
        {"stream": text("wire/done-missing/invalid-no-done.sse"), "status": 200},
        {"status": 502},
    ]
    days = ("2026-11-01", "2026-11-01", "2026-11-02", "2026-11-02", "2026-11-02")
    return [{"id": number, "day": day, **row} for number, (day, row) in enumerate(zip(days, bodies, strict=True), 1)]


def generated_rows(count: int) -> list[dict[str, Any]]:
    """Return rows with generated exchanges of many vendors, and rows that ``check`` skips."""
    skipped: list[dict[str, Any]] = [{}, {"response": "<html>"}, {"response": '{"object": "list", "data": []}'}]
    return rows_of_records([*tables.rows(mixture.exchanges(7, count, longest=10)), *skipped])


def rows_of_records(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return rows of ``tables.rows`` with the columns that the recipes read, numbered from 0."""
    return [
        {
            "id": number, "day": f"2026-11-{number % 2 + 1:02}", "request_json": row.get("request"),
            "response_json": row.get("response"), "stream": row.get("sse"), "status": row.get("status"),
        }
        for number, row in enumerate(rows)
    ]  # fmt: skip


def write_logs(folder: Path, rows: list[dict[str, Any]], group: int = 50) -> None:
    """Write rows as ``logs.parquet`` and ``logs.jsonl``."""
    pq.write_table(pa.Table.from_pylist(rows, SCHEMA), folder / "logs.parquet", row_group_size=group)
    (folder / "logs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")


def findings_of_check(path: Path, *options: str) -> list[tuple[Any, ...]]:
    """Return the findings of ``isogloss check`` in a file, each with the number of its row before it."""
    arguments = ["check", "--columns", COLUMNS, "--dialect", "auto", "--format", "jsonl", *options, str(path)]
    result = CliRunner().invoke(cli, arguments, catch_exceptions=False)
    assert result.exit_code in (0, 1), result.stderr
    findings = [line for line in map(json.loads, result.stdout.splitlines()) if line["type"] == "finding"]
    for finding in findings:
        finding["event"] = finding["source"]["event"]
    return _sort((finding["source"]["exchange"], *(finding[name] for name in FINDING_COLUMNS)) for finding in findings)


def findings_of_recipe(folder: Path, name: str = "findings") -> list[tuple[Any, ...]]:
    """Return the findings that a recipe wrote to a file or a folder, each with the id of its row before it."""
    rows = pq.read_table(folder / f"{name}.parquet").to_pylist()
    return _sort((row["id"], *(row[column] for column in FINDING_COLUMNS)) for row in rows)


def dialects_of_rows(rows: Any) -> set[tuple[int, str]]:
    """Return the ids of the rows in a table of findings, each with the dialect that it names."""
    return set(zip(rows["id"].to_pylist(), rows["dialect"].to_pylist(), strict=True))


def write_recorded_logs(folder: Path, corpus: Path) -> list[tuple[Any, ...]]:
    """Write 10,000 recorded exchanges, with repetitions, and return the findings of ``check`` in them."""
    paths = [path for path in sorted(corpus.glob("*.jsonl")) if path.name != "big.jsonl"]
    records = [json.loads(line) for path in paths for line in path.read_text("utf-8").splitlines()]
    rows = tables.rows(records * (10_000 // len(records) + 1))[:10_000]
    write_logs(folder, rows_of_records(rows), group=2000)
    return findings_of_check(folder / "logs.jsonl", "--jobs", "2")


def _sort(findings: Any) -> list[tuple[Any, ...]]:
    return sorted(findings, key=repr)
