"""Test that the plugin costs little in a pytest run that does not use it."""

from __future__ import annotations

import subprocess
import sys

import plugin
import pytest


@pytest.mark.processes
def test_a_run_that_does_not_use_the_plugin_imports_nothing_else_of_isogloss() -> None:
    code = (
        "import pytest, sys; before = set(sys.modules); import isogloss.cli.pytest_plugin; "
        "print(*sorted(set(sys.modules) - before))"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert set(result.stdout.split()) <= {"isogloss", "isogloss.cli", "isogloss.cli.pytest_plugin", "__future__"}


@pytest.mark.bench
def test_the_plugin_costs_a_run_that_does_not_use_it_less_than_a_hundredth_of_a_second() -> None:
    loaded, bare = plugin.measure(15)
    assert loaded - bare < 0.01
