"""The recipes of docs/scale.md for Spark, Ray and Daft find what ``check`` finds, also when a worker is killed."""

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
RUN = Path(__file__).with_name("run_variants.py")
KILLED = """
import os, signal
judged = check

def check(batch):
    found = judged(batch)
    if 30 in batch.column("id").to_pylist():
        try:
            os.close(os.open({mark!r}, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return found  # it is done again
        victim = os.getpid()
        while {who!r} not in open(f"/proc/{{victim}}/cmdline").read():
            victim = int(open(f"/proc/{{victim}}/stat").read().rpartition(")")[2].split()[1])
        os.kill(victim, signal.SIGKILL)
        signal.pause()
    return found
"""
"""The first worker that comes to row 30 kills the process that ``who`` names: itself, or one that started it."""


def _needs(module: str) -> None:
    if importlib.util.find_spec(module) is None:
        pytest.skip(f"{module} is not installed: pip install -e '.[engines]'")


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("logs")
    recipes.write(folder, recipes.generated(120), group=20)
    return folder


@pytest.fixture(scope="module")
def expected(logs: Path) -> dict[str, list[tuple[Any, ...]]]:
    """Return what ``check`` finds, by the name of the table."""
    found = {"logs": recipes.of_check(logs / "logs.jsonl")}
    if RECORDED.is_dir():
        (logs / "recorded").mkdir()
        found["recorded"] = recipes.write_recorded(logs / "recorded", RECORDED)
        (logs / "recorded" / "logs.parquet").rename(logs / "recorded.parquet")
    return found


def variants(engine: str, mark: Path, **killed: str) -> dict[str, str]:
    """Return variants of a recipe: unchanged, on recorded traffic, with small batches, and with a process killed."""
    recipe, small = (recipes.recipe(engine).replace("2000", size) for size in ("2000", "7"))
    start = recipes.blocks("Engines", "python")[0]
    found = {"recipe": recipe, "small": small}
    if RECORDED.is_dir():
        found["recorded"] = recipe.replace("logs.parquet", "recorded.parquet")
    for name, who in killed.items():
        found[name] = small.replace(start, start + KILLED.format(mark=str(mark / name), who=who))
    return found


def run(folder: Path, logs: Path, programs: Mapping[str, str], *command: str, **environment: str) -> None:
    for path in logs.glob("*.parquet"):
        (folder / path.name).symlink_to(path)
    (folder / "variants.json").write_text(json.dumps(programs), "utf-8")
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    done = subprocess.run(
        [*command, RUN, "variants.json"], cwd=folder, env=os.environ | {"PATH": path} | environment,
        capture_output=True, text=True, check=False, timeout=500,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]


def same(folder: Path, name: str, expected: dict[str, list[tuple[Any, ...]]]) -> None:
    """Check that a variant found what ``check`` finds."""
    table = "recorded" if name == "recorded" else "logs"
    if table not in expected:
        pytest.skip("needs the recordings beside the checkout (../shared)")
    assert recipes.of_engine(folder, f"found-{name}") == expected[table]


SPARK = ("recipe", "recorded", "small", "worker", "executor")


@pytest.fixture(scope="module")
def spark(logs: Path, expected: object, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Run the variants in Spark with two workers, and return the folder of the results.

    The workers get a packed environment, as the page shows.
    """
    _needs("pyspark")
    if shutil.which("java") is None:
        pytest.skip("java is not there")
    folder = tmp_path_factory.mktemp("spark")
    create, pack, submit = recipes.blocks("Spark", "sh")[0].splitlines()
    installed = create.replace("python3", sys.executable, 1).replace("isogloss[arrow]", f"{recipes.ROOT}[arrow]")
    for line in (installed, pack):
        subprocess.run(["bash", "-c", line], cwd=folder, check=True, capture_output=True)
    variable, *_, archives, archive, _ = submit.split()
    name, _, value = variable.partition("=")
    run(
        folder, logs, variants("Spark", folder, worker="pyspark", executor="CoarseGrainedExecutorBackend"),
        "spark-submit", "--master", "local-cluster[2,1,1024]", archives, archive,
        "--conf", "spark.sql.files.minPartitionNum=4", "--conf", "spark.sql.files.openCostInBytes=0",
        "--conf", "spark.log.level=ERROR",
        **{name: value, "PYSPARK_DRIVER_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"},
    )  # fmt: skip
    return folder


@pytest.mark.parametrize("name", SPARK)
def test_spark_finds_what_check_finds(spark: Path, expected: dict[str, list[tuple[Any, ...]]], name: str) -> None:
    same(spark, name, expected)
    assert len(list((spark / f"found-{name}.parquet").glob("*.parquet"))) > 1
    assert name not in ("worker", "executor") or (spark / name).exists()


RAY = ("recipe", "recorded", "small", "worker")


@pytest.fixture(scope="module")
def ray(logs: Path, expected: object, tmp_path_factory: pytest.TempPathFactory) -> Path:
    _needs("ray")
    folder = tmp_path_factory.mktemp("ray")
    run(folder, logs, variants("Ray", folder, worker="ray::"), sys.executable, RAY_USAGE_STATS_ENABLED="0")
    return folder


@pytest.mark.parametrize("name", RAY)
def test_ray_finds_what_check_finds(ray: Path, expected: dict[str, list[tuple[Any, ...]]], name: str) -> None:
    same(ray, name, expected)
    assert name != "worker" or (ray / name).exists()


@pytest.fixture(scope="module")
def daft(logs: Path, expected: object, tmp_path_factory: pytest.TempPathFactory) -> Path:
    _needs("daft")
    folder = tmp_path_factory.mktemp("daft")
    run(folder, logs, variants("Daft", folder), sys.executable, DO_NOT_TRACK="true")
    return folder


@pytest.mark.parametrize("name", ["recipe", "recorded", "small"])
def test_daft_finds_what_check_finds(daft: Path, expected: dict[str, list[tuple[Any, ...]]], name: str) -> None:
    same(daft, name, expected)
