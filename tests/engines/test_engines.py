"""Tests of the recipes of docs/scale.md for Spark, Ray and Daft.

They find what ``check`` finds, even if a worker is killed.
"""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import recipes

pytestmark = pytest.mark.engines

RECORDED = recipes.ROOT.parent / "shared" / "corpus"
RUN_VARIANTS = Path(__file__).with_name("run_variants.py")
KILL_PROCESS = """
import os, signal
original_check = check

def check(batch):
    findings = original_check(batch)
    if 30 in batch.column("id").to_pylist():
        try:
            os.close(os.open({mark!r}, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return findings  # a process was killed before, and this batch is tried again
        victim = os.getpid()
        while {who!r} not in open(f"/proc/{{victim}}/cmdline").read():
            victim = int(open(f"/proc/{{victim}}/stat").read().rpartition(")")[2].split()[1])
        os.kill(victim, signal.SIGKILL)
        signal.pause()
    return findings
"""
"""Code after which the first worker that checks row 30 kills the process ``who``: itself, or one that started it."""


def _skip_without(module: str) -> None:
    if importlib.util.find_spec(module) is None:
        pytest.skip(f"{module} is not installed: pip install -e '.[engines]'")


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("logs")
    recipes.write_logs(folder, recipes.generated_rows(120), group=20)
    return folder


@pytest.fixture(scope="module")
def expected(logs: Path) -> dict[str, list[tuple[Any, ...]]]:
    """Return the findings of ``check`` for each table, by its name."""
    findings = {"logs": recipes.findings_of_check(logs / "logs.jsonl")}
    if RECORDED.is_dir():
        (logs / "recorded").mkdir()
        findings["recorded"] = recipes.write_recorded_logs(logs / "recorded", RECORDED)
        (logs / "recorded" / "logs.parquet").rename(logs / "recorded.parquet")
    return findings


def make_variants(engine: str, mark: Path, **killed_processes: str) -> dict[str, str]:
    """Return variants of a recipe: unchanged, with recorded traffic, with small batches, and with a killed process."""
    recipe, small = (recipes.recipe(engine).replace("2000", size) for size in ("2000", "7"))
    start = recipes.code_blocks("Engines", "python")[0]
    programs = {"recipe": recipe, "small": small}
    if RECORDED.is_dir():
        programs["recorded"] = recipe.replace("logs.parquet", "recorded.parquet")
    for name, who in killed_processes.items():
        programs[name] = small.replace(start, start + KILL_PROCESS.format(mark=str(mark / name), who=who))
    return programs


def run_programs(folder: Path, logs: Path, programs: Mapping[str, str], *command: str, **environment: str) -> None:
    for path in logs.glob("*.parquet"):
        (folder / path.name).symlink_to(path)
    (folder / "variants.json").write_text(json.dumps(programs), "utf-8")
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    result = subprocess.run(
        [*command, RUN_VARIANTS, "variants.json"], cwd=folder, env=os.environ | {"PATH": path} | environment,
        capture_output=True, text=True, check=False, timeout=500,
    )  # fmt: skip
    assert result.returncode == 0, result.stderr[-3000:]


def assert_same_findings(folder: Path, name: str, expected: dict[str, list[tuple[Any, ...]]]) -> None:
    """Assert that a variant found what ``check`` finds."""
    table = "recorded" if name == "recorded" else "logs"
    if table not in expected:
        pytest.skip("needs the recordings beside the checkout (../shared)")
    assert recipes.findings_of_recipe(folder, f"found-{name}") == expected[table]


SPARK_VARIANTS = ("recipe", "recorded", "small", "worker", "executor")


@pytest.fixture(scope="module")
def spark(logs: Path, expected: object, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Run the variants in Spark with two workers, and return the folder with the results.

    The workers get a packed environment, as the page shows.
    """
    _skip_without("pyspark")
    if shutil.which("java") is None:
        pytest.skip("java is not installed")
    folder = tmp_path_factory.mktemp("spark")
    create, pack, submit = recipes.code_blocks("Spark", "sh")[0].splitlines()
    create_here = create.replace("python3", sys.executable, 1).replace("isogloss[arrow]", f"{recipes.ROOT}[arrow]")
    for line in (create_here, pack):
        subprocess.run(["bash", "-c", line], cwd=folder, check=True, capture_output=True)
    variable, *_, archives, archive, _ = submit.split()
    name, _, value = variable.partition("=")
    run_programs(
        folder, logs, make_variants("Spark", folder, worker="pyspark", executor="CoarseGrainedExecutorBackend"),
        "spark-submit", "--master", "local-cluster[2,1,1024]", archives, archive,
        "--conf", "spark.sql.files.minPartitionNum=4", "--conf", "spark.sql.files.openCostInBytes=0",
        "--conf", "spark.log.level=ERROR",
        **{name: value, "PYSPARK_DRIVER_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"},
    )  # fmt: skip
    return folder


@pytest.mark.parametrize("name", SPARK_VARIANTS)
def test_spark_finds_what_check_finds(spark: Path, expected: dict[str, list[tuple[Any, ...]]], name: str) -> None:
    assert_same_findings(spark, name, expected)
    assert len(list((spark / f"found-{name}.parquet").glob("*.parquet"))) > 1
    assert name not in ("worker", "executor") or (spark / name).exists()


RAY_VARIANTS = ("recipe", "recorded", "small", "worker")


@pytest.fixture(scope="module")
def ray(logs: Path, expected: object, tmp_path_factory: pytest.TempPathFactory) -> Path:
    _skip_without("ray")
    folder = tmp_path_factory.mktemp("ray")
    run_programs(
        folder, logs, make_variants("Ray", folder, worker="ray::"), sys.executable, RAY_USAGE_STATS_ENABLED="0"
    )
    return folder


@pytest.mark.parametrize("name", RAY_VARIANTS)
def test_ray_finds_what_check_finds(ray: Path, expected: dict[str, list[tuple[Any, ...]]], name: str) -> None:
    assert_same_findings(ray, name, expected)
    assert name != "worker" or (ray / name).exists()


@pytest.fixture(scope="module")
def daft(logs: Path, expected: object, tmp_path_factory: pytest.TempPathFactory) -> Path:
    _skip_without("daft")
    folder = tmp_path_factory.mktemp("daft")
    run_programs(folder, logs, make_variants("Daft", folder), sys.executable, DO_NOT_TRACK="true")
    return folder


@pytest.mark.parametrize("name", ["recipe", "recorded", "small"])
def test_daft_finds_what_check_finds(daft: Path, expected: dict[str, list[tuple[Any, ...]]], name: str) -> None:
    assert_same_findings(daft, name, expected)
