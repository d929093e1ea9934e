"""Tests that the recorded outcomes are those of the cases as they are now."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import client_data
import pytest
import registry
from case_building import FIXTURES, build_cases

from isogloss.schemas import client_files

CASES = client_files.client_cases(None)


def test_the_files_of_each_case_are_those_that_were_replayed() -> None:
    digests = client_data.read_digests()
    assert digests.keys() == CASES.keys(), "python tests/clients/run.py --all runs the clients on the new cases"
    changed = [
        name
        for name, case in CASES.items()
        if client_data.digest_of_files(case["case"], case["twin"]) != digests[name][0]
    ]
    assert not changed, "fixtures changed: python tests/clients/run.py --all runs the clients on them"


@pytest.mark.parametrize("slug", registry.client_slugs())
def test_a_client_was_run_with_each_case_that_its_paths_take(slug: str) -> None:
    client = registry.load_client(slug)
    for run in client_files.client(slug)["runs"]:
        for name, outcomes in run["paths"].items():
            path = client.paths[name]
            if path.of == "all":
                taken = {case for case, entry in CASES.items() if path.takes(entry["mode"], False)}
                has_outcome = {*outcomes["same"], *outcomes["unpublished"], *outcomes["differs"]}
                assert taken == has_outcome, f"python tests/clients/run.py --client {slug} runs it on all cases"


def test_outcomes_of_a_case_that_is_now_replayed_in_other_bytes_are_removed(tmp_path: Path) -> None:
    client, replayed = registry.load_client("openai-python"), tmp_path / "digests" / "replayed.txt"
    folder = FIXTURES / "completion" / "answer-missing"
    cases, _ = build_cases([folder / f"invalid-{name}.json" for name in ("stop", "length")])
    changed, unchanged = cases.values()
    results: Any = {"plain": dict.fromkeys((changed.name, unchanged.name))}
    client_data.write_client(client, {client.versions[0]: results}, "2026-11-30", tmp_path)

    def recorded() -> list[str]:
        [run] = json.loads((tmp_path / "openai-python.json").read_bytes())["runs"]
        return list(run["paths"]["plain"]["same"])

    client_data.write_cases([changed, unchanged], tmp_path, replayed)
    assert recorded() == sorted((changed.name, unchanged.name))
    twin = dataclasses.replace(changed.twin, pieces=[b" ", *changed.twin.pieces])
    client_data.write_cases([dataclasses.replace(changed, twin=twin), unchanged], tmp_path, replayed)
    assert recorded() == [unchanged.name]
