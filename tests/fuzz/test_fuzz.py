"""A few seconds of fuzzing, and every file in which it ever found a fault."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from isogloss.validator import engines
from isogloss.validator.judging.judge import Judge

KEPT = sorted((Path(__file__).parents[2] / "fixtures" / "fuzz").glob("*"))


@pytest.fixture(scope="module")
def fuzz() -> ModuleType:
    spec = importlib.util.spec_from_file_location("fuzz", Path(__file__).with_name("fuzz.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["fuzz"] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("path", KEPT, ids=lambda path: path.name)
def test_a_fault_that_was_found_is_gone(path: Path, fuzz: ModuleType) -> None:
    fuzz.check(path.read_bytes(), Judge(engines.load()))


@pytest.mark.thorough
def test_mutated_captures_bring_about_no_fault(fuzz: ModuleType) -> None:
    assert [(type(error).__name__, str(error)) for _, error in fuzz.run(runs=600, seed=20)] == []


def test_the_same_seed_gives_the_same_files(fuzz: ModuleType) -> None:
    import random

    files = fuzz.seeds()
    one, other = ([fuzz.mutated(files[n % len(files)], files, random.Random(n)) for n in range(50)] for _ in range(2))
    assert one == other
    assert len(set(one)) == 50
