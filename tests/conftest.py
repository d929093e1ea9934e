"""What all tests share: where the fixtures are, and the road from a file to its findings."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

from isogloss.validator import captures, engines
from isogloss.validator.comparing.answers import compared
from isogloss.validator.comparing.pairing import twins_within
from isogloss.validator.comparing.twins import differences
from isogloss.validator.dialects import model as dialects
from isogloss.validator.dialects.speakers import AutoSpeaker, FixedSpeaker
from isogloss.validator.exchange import Exchange, Skipped
from isogloss.validator.findings import Finding
from isogloss.validator.judging.judge import Judge, Verdict

ROOT = Path(__file__).parent.parent
FIXTURES = ROOT / "fixtures"
SHARED = ROOT.parent / "shared"


settings.register_profile("all", max_examples=100, deadline=None)
settings.register_profile("ordinary", max_examples=25, deadline=None)
settings.register_profile("fast", max_examples=5, deadline=None)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--fast", action="store_true", help="leave out thorough tests, and try few examples of properties")
    parser.addoption("--all-examples", action="store_true", help="try properties with four times as many examples")


def pytest_configure(config: pytest.Config) -> None:
    """Choose how many examples properties are tried with; tests that want more multiply that number."""
    few, many = config.getoption("--fast"), config.getoption("--all-examples")
    settings.load_profile("all" if many else "fast" if few else "ordinary")
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # each process that a test starts would compile every module


def pytest_collection_finish(session: pytest.Session) -> None:
    """Keep what was collected out of garbage collection: it is large, and lives until the end."""
    gc.collect()
    gc.freeze()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Function]) -> None:
    """With ``--fast``, leave out what is marked as thorough, and what reads the recordings beside the checkout."""
    if config.getoption("--fast"):
        left_out = [item for item in items if item.get_closest_marker("thorough") or "shared" in item.fixturenames]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in set(left_out)]


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real recordings beside the checkout; tests that measure with it are skipped where it is not."""
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
    """What rules about twins find among some exchanges."""
    answers = [one for verdict in verdicts if (one := compared(verdict, ("", 0))) is not None and not one.passing]
    return [one.finding for one in differences(twins_within(answers))]


@pytest.fixture(scope="session")
def findings_of(read: Callable[[Path], list[Exchange | Skipped]]) -> Callable[[Path], list[Finding]]:
    """Everything that is found in a file; a file in which nothing is to be checked fails the test.

    What a file called ``dialect`` beside it says is the dialect it is held against, as by ``--dialect``. The exchanges
    of a fixture of the group ``twins`` are held against each other, too.
    """
    judges = {"openai": Judge(engines.load())}

    def findings(path: Path) -> list[Finding]:
        named = path.with_name("dialect")
        slug = named.read_text().strip() if named.exists() else "openai"
        if slug not in judges:
            speaker = AutoSpeaker(dialects.dialects()) if slug == "auto" else FixedSpeaker(dialects.dialect(slug))
            judges[slug] = Judge(engines.load(), speaker=speaker)
        judge = judges[slug]
        exchanges = read(path)
        assert exchanges
        assert not [one for one in exchanges if isinstance(one, Skipped)]
        verdicts = [judge.judge(one) for one in exchanges if isinstance(one, Exchange)]
        of_twins = twins_of(verdicts) if path.parents[1].name == "twins" else []
        return [finding for verdict in verdicts for finding in verdict.findings] + of_twins

    return findings
