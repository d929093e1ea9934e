"""Fuzz for a few seconds, and check every file in which fuzzing ever found a fault."""

from __future__ import annotations

import random
import signal
from pathlib import Path

import fuzz
import fuzz_tables
import pytest
import structured

from isogloss.validator import engines
from isogloss.validator.judging.judge import Judge

FAULTY_FILES = sorted((Path(__file__).parents[2] / "fixtures" / "fuzz").glob("*"))


@pytest.mark.parametrize("path", FAULTY_FILES, ids=lambda path: path.name)
def test_a_file_that_once_caused_a_fault_causes_none(path: Path) -> None:
    fuzz.check(path.read_bytes(), Judge(engines.load()))


@pytest.mark.thorough
@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="the system has no timer that ends a file that hangs")
def test_mutated_captures_cause_no_fault() -> None:
    assert [(type(error).__name__, str(error)) for _, error in fuzz.run(runs=300, seed=20)] == []


@pytest.mark.thorough
def test_the_same_seed_gives_the_same_files() -> None:
    files = fuzz.seed_files()
    first, second = ([fuzz.mutate(files[n % len(files)], files, random.Random(n)) for n in range(50)] for _ in range(2))
    assert first == second
    assert len(set(first)) == 50


@pytest.mark.thorough
def test_the_same_seed_gives_the_same_exchanges_in_all_formats() -> None:
    values = structured.read_values()
    assert len(values) > 1000
    first, second = (
        [
            structured.write_exchange(structured.make_exchange(values, rng), rng)
            for rng in map(random.Random, range(150))
        ]
        for _ in range(2)
    )
    assert first == second
    assert len({format_name for format_name, *_ in first}) > 25


def test_minimising_a_corpus_keeps_the_smallest_files_that_reach_new_lines() -> None:
    small, spaced, other = b'{"object": "chat.completion"}', b'{"object":  "chat.completion"}', b"data: [DONE]\n\n"
    kept = list(fuzz.minimise([spaced, other, small, small], Judge(engines.load())))
    assert kept == [other, small]


@pytest.mark.thorough
def test_mutated_tables_cause_no_fault() -> None:
    assert [fault for _, _, fault in fuzz_tables.run(runs=40, seed=20)] == []
