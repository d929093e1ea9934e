"""A few seconds of fuzzing, and every file in which it ever found a fault."""

from __future__ import annotations

import random
from pathlib import Path

import fuzz
import fuzz_tables
import pytest
import structured

from isogloss.validator import engines
from isogloss.validator.judging.judge import Judge

KEPT = sorted((Path(__file__).parents[2] / "fixtures" / "fuzz").glob("*"))


@pytest.mark.parametrize("path", KEPT, ids=lambda path: path.name)
def test_a_fault_that_was_found_is_gone(path: Path) -> None:
    fuzz.check(path.read_bytes(), Judge(engines.load()))


@pytest.mark.thorough
def test_mutated_captures_bring_about_no_fault() -> None:
    assert [(type(error).__name__, str(error)) for _, error in fuzz.run(runs=600, seed=20)] == []


@pytest.mark.thorough
def test_the_same_seed_gives_the_same_files() -> None:
    files = fuzz.seeds()
    one, other = ([fuzz.mutated(files[n % len(files)], files, random.Random(n)) for n in range(50)] for _ in range(2))
    assert one == other
    assert len(set(one)) == 50


@pytest.mark.thorough
def test_the_same_seed_gives_the_same_exchanges_in_all_formats() -> None:
    values = structured.values()
    assert len(values) > 1000
    one, other = (
        [structured.written(structured.mutated(values, rng), rng)[0] for rng in map(random.Random, range(150))]
        for _ in range(2)
    )
    assert one == other
    assert len(set(one)) > 25


def test_a_corpus_keeps_the_smallest_files_that_reach_something_new() -> None:
    small, spaced, other = b'{"object": "chat.completion"}', b'{"object":  "chat.completion"}', b"data: [DONE]\n\n"
    kept = list(fuzz.minimised([spaced, other, small, small], Judge(engines.load())))
    assert kept == [other, small]


@pytest.mark.thorough
def test_mutated_tables_bring_about_no_fault() -> None:
    assert [said for _, _, said in fuzz_tables.run(runs=40, seed=20)] == []
