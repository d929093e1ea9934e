"""The recipes of docs/scale.md as they stand there, and rows to run them on."""

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
"""The columns that the recipes read, as ``check`` is given them."""
MAPPING = dict(part.split("=") for part in COLUMNS.split(","))
FINDING = ("rule", "severity", "message", "kind", "path", "pointer", "event", "count", "explained_by")


def _section(heading: str) -> str:
    page = (ROOT / "docs" / "scale.md").read_text("utf-8")
    found = re.search(rf"^(#+) {re.escape(heading)}\n(.*?)(?=^\1 |^## |\Z)", page, re.MULTILINE | re.DOTALL)
    assert found is not None, heading
    return found[2]


def blocks(heading: str, language: str) -> list[str]:
    """Return the blocks of code in a section of the page."""
    return re.findall(rf"^```{language}\n(.*?)^```$", _section(heading), re.MULTILINE | re.DOTALL)


def sections() -> list[str]:
    """Return the names of the sections about engines that have code in Python."""
    return [name for name in re.findall(r"^### (.*)$", _section("Engines"), re.MULTILINE) if blocks(name, "python")]


def recipe(engine: str, number: int = 0) -> str:
    """Return a recipe of an engine, after the code that all recipes begin with."""
    return blocks("Engines", "python")[0] + "\n" + blocks(engine, "python")[number]


def words(shown: str) -> list[str]:
    """Return the words of a printed table, without the lines that it is drawn with."""
    return re.findall(r"[^\s│┆|─┌┬┐├┼┤└┴┘╭╮╰╯╞═╪╡╌+]+", shown)


def example() -> list[dict[str, Any]]:
    """Return the rows whose findings the page shows.

    They are of two days. Some conform, some do not, and one has no body.
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
    return [{"id": at, "day": day, **row} for at, (day, row) in enumerate(zip(days, bodies, strict=True), 1)]


def generated(count: int) -> list[dict[str, Any]]:
    """Return generated exchanges of many vendors, and rows that are skipped."""
    strange: list[dict[str, Any]] = [{}, {"response": "<html>"}, {"response": '{"object": "list", "data": []}'}]
    return of_records([*tables.rows(mixture.exchanges(7, count, longest=10)), *strange])


def of_records(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return rows of :func:`tables.rows` with the names that the recipes read, numbered from 0."""
    return [
        {
            "id": number, "day": f"2026-11-{number % 2 + 1:02}", "request_json": row.get("request"),
            "response_json": row.get("response"), "stream": row.get("sse"), "status": row.get("status"),
        }
        for number, row in enumerate(rows)
    ]  # fmt: skip


def write(folder: Path, rows: list[dict[str, Any]], group: int = 50) -> None:
    """Write rows as ``logs.parquet`` and ``logs.jsonl``."""
    pq.write_table(pa.Table.from_pylist(rows, SCHEMA), folder / "logs.parquet", row_group_size=group)
    (folder / "logs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")


def of_check(path: Path, *options: str) -> list[tuple[Any, ...]]:
    """Return the findings of ``isogloss check`` in a file, each after the number of its row."""
    arguments = ["check", "--columns", COLUMNS, "--dialect", "auto", "--format", "jsonl", *options, str(path)]
    done = CliRunner().invoke(cli, arguments, catch_exceptions=False)
    assert done.exit_code in (0, 1), done.stderr
    found = [one for one in map(json.loads, done.stdout.splitlines()) if one["type"] == "finding"]
    for one in found:
        one["event"] = one["source"]["event"]
    return _sorted((one["source"]["exchange"], *(one[name] for name in FINDING)) for one in found)


def of_engine(folder: Path, name: str = "findings") -> list[tuple[Any, ...]]:
    """Return the findings that a recipe wrote to a file or a folder of files, each after the id of its row."""
    rows = pq.read_table(folder / f"{name}.parquet").to_pylist()
    return _sorted((row["id"], *(row[column] for column in FINDING)) for row in rows)


def dialects(rows: Any) -> set[tuple[int, str]]:
    """Return the ids of the rows in a table of findings, each with the dialect that was named for it."""
    return set(zip(rows["id"].to_pylist(), rows["dialect"].to_pylist(), strict=True))


def write_recorded(folder: Path, corpus: Path) -> list[tuple[Any, ...]]:
    """Write 10,000 recorded exchanges, some of them several times, and return what ``check`` finds in them."""
    paths = [path for path in sorted(corpus.glob("*.jsonl")) if path.name != "big.jsonl"]
    records = [json.loads(line) for path in paths for line in path.read_text("utf-8").splitlines()]
    rows = tables.rows(records * (10_000 // len(records) + 1))[:10_000]
    write(folder, of_records(rows), group=2000)
    return of_check(folder / "logs.jsonl", "--jobs", "2")


def _sorted(found: Any) -> list[tuple[Any, ...]]:
    return sorted(found, key=repr)
