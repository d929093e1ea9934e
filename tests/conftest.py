"""Provide what all tests share: options, the folders of the fixtures, and functions that read and check a file."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Callable, Generator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import is_hypothesis_test, settings

from isogloss.validator import captures, engines
from isogloss.validator.comparing.answers import answer_of
from isogloss.validator.comparing.pairing import twins_within
from isogloss.validator.comparing.twins import differences
from isogloss.validator.dialects import model as dialects
from isogloss.validator.dialects.explainers import AutoExplainer, FixedExplainer
from isogloss.validator.exchange import Exchange, Skipped
from isogloss.validator.findings import Finding
from isogloss.validator.judging.judge import Judge, Verdict

ROOT = Path(__file__).parent.parent
FIXTURES = ROOT / "fixtures"
SHARED = ROOT.parent / "shared"


settings.register_profile("all", max_examples=100, deadline=None)
settings.register_profile("ordinary", max_examples=25, deadline=None)

_PROCESS_FIXTURES = {"environment", "serve", "server", "shared_work"}
"""Fixtures of tests that start processes or servers."""

_CLIENT_MODULES = {"test_openai_client.py", "test_openai_oracle.py", "test_openai_sdk.py"}
"""Modules that import the reference client, which takes a second in each process."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--fast",
        action="store_true",
        help="leave out properties, thorough tests, recordings, and what starts processes or servers",
    )
    parser.addoption("--all-examples", action="store_true", help="try properties with 100 examples")


def pytest_configure(config: pytest.Config) -> None:
    """Set how many examples each property test tries. A test that wants more multiplies that number."""
    settings.load_profile("all" if config.getoption("--all-examples") else "ordinary")
    # With this variable, each run would rewrite all asserts anew, which takes as long as to collect the tests, and each
    # process that a test starts would compile every module.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    sys.dont_write_bytecode = False
    # Below `nohup`, or in the background of a script, these signals are ignored. Programs that tests start inherit
    # that. They do not inherit a function: this one ignores the signals for this process alone.
    for number in (signal.SIGINT, getattr(signal, "SIGHUP", signal.SIGINT)):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, lambda *_: None)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out modules that import the reference client, if ``--fast`` is given."""
    return True if config.getoption("--fast") and collection_path.name in _CLIENT_MODULES else None


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, Any, Any]:
    """Switch garbage collection off while tests are collected, and exempt all objects that exist at the end of that.

    Nearly all of them are needed until the last test. While tests run, garbage is collected as rarely as in a run of
    the command line.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(50_000, *gc.get_threshold()[1:])
        gc.enable()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Give neighbouring tests to the same process, because they share fixtures, caches and imports."""
    from xdist.scheduler import WorkStealingScheduling

    return WorkStealingScheduling(config, log) if config.getoption("dist") == "load" else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Function]) -> None:
    """Leave out the slower tests, if ``--fast`` is given."""
    if config.getoption("--fast"):
        left_out = [item for item in items if _is_left_out(item)]
        config.hook.pytest_deselected(items=left_out)
        left_out_set = set(left_out)
        items[:] = [item for item in items if item not in left_out_set]


def _is_left_out(item: pytest.Function) -> bool:
    """Return whether a test is thorough, tries a property, reads recordings, or starts processes or servers."""
    marks = {mark.name for mark in item.iter_markers()}
    return (
        not marks.isdisjoint({"thorough", "processes"})
        or not (_PROCESS_FIXTURES | {"shared"}).isdisjoint(item.fixturenames)
        or is_hypothesis_test(item.obj)
    )


@pytest.fixture(scope="session")
def shared() -> Path:
    """Return the folder of real recordings beside the checkout. Tests that need it are skipped if it is not there."""
    if not SHARED.is_dir():
        pytest.skip("needs the recordings beside the checkout (../shared)")
    return SHARED


@pytest.fixture(scope="session")
def read() -> Callable[[Path], list[Exchange | Skipped]]:
    def read(path: Path) -> list[Exchange | Skipped]:
        with path.open("rb") as stream:
            return list(captures.read(captures.Capture(stream, path.name)))

    return read


def twins_of(verdicts: list[Verdict]) -> list[Finding]:
    """Return the findings of the rules about twins in the exchanges of these verdicts."""
    answers = [answer for verdict in verdicts if (answer := answer_of(verdict, ("", 0))) is not None]
    return [difference.finding for difference in differences(twins_within(answers))]


@pytest.fixture(scope="session")
def findings_of(read: Callable[[Path], list[Exchange | Skipped]]) -> Callable[[Path], list[Finding]]:
    """Return a function that returns all findings in a file, with the values at their places.

    The test fails if there is nothing to check in the file, or if something in it is skipped. A file called ``dialect``
    beside it names the dialect to check against, as ``--dialect`` does. The exchanges of a fixture in the group
    ``twins`` are also compared with each other.
    """
    judges = {"openai": Judge(engines.load(), show_values=True)}

    @cache
    def findings(path: Path) -> list[Finding]:
        dialect_file = path.with_name("dialect")
        slug = dialect_file.read_text().strip() if dialect_file.exists() else "openai"
        if slug not in judges:
            explainer = AutoExplainer(dialects.dialects()) if slug == "auto" else FixedExplainer(dialects.dialect(slug))
            judges[slug] = Judge(engines.load(), explainer=explainer, show_values=True)
        judge = judges[slug]
        exchanges = read(path)
        assert exchanges
        assert not [exchange for exchange in exchanges if isinstance(exchange, Skipped)]
        verdicts = [judge.judge(exchange) for exchange in exchanges if isinstance(exchange, Exchange)]
        of_twins = twins_of(verdicts) if path.parents[1].name == "twins" else []
        return [finding for verdict in verdicts for finding in verdict.findings] + of_twins

    return findings
