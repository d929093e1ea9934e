"""Fixtures: the writers of every format, and a function that checks a capture within limits of time and memory."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import pytest
from python_decoder import is_fast
from reading import read_all
from writers import LOG_WRITERS, RESPONSE_WRITERS, WRITERS, Writer

from isogloss.validator import engines
from isogloss.validator.captures import limits
from isogloss.validator.exchange import Exchange, Skipped
from isogloss.validator.judging.judge import Judge

Check = Callable[..., list[Exchange | Skipped]]

_MOST_DECODINGS = 300


@pytest.fixture(params=WRITERS)
def writer(request: pytest.FixtureRequest) -> tuple[str, Writer]:
    return request.param, WRITERS[request.param]


@pytest.fixture(params=WRITERS | RESPONSE_WRITERS | LOG_WRITERS)
def any_writer(request: pytest.FixtureRequest) -> tuple[str, Writer]:
    return request.param, (WRITERS | RESPONSE_WRITERS | LOG_WRITERS)[request.param]


@pytest.fixture
def check() -> Check:
    """Return a function that reads and judges a capture of a name, and returns the exchanges and what is skipped.

    It asserts that this takes less than 300 MB of memory, and little processor time: about 5 seconds, or more on a
    machine that is slow or busy.
    """
    judge = Judge(engines.load())

    def check(data: bytes, name: str = "capture") -> list[Exchange | Skipped]:
        start_time, start_memory = time.process_time(), _peak_memory()
        parts = read_all(data, name)
        for part in parts:
            if isinstance(part, Exchange):
                judge.judge(part)
        assert is_fast(time.process_time() - start_time, _MOST_DECODINGS)
        assert _peak_memory() - start_memory < 300
        return parts

    return check


def _peak_memory() -> int:
    """Return the most memory that this process has ever held, in MB, or 0 on Windows, which does not tell it."""
    if sys.platform == "win32":
        return 0
    import resource  # only systems like Unix have it

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> (20 if sys.platform == "darwin" else 10)


@pytest.fixture
def small_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lower the limits of unpacked sizes, so that small captures reach them."""
    monkeypatch.setattr(limits, "_RATIO_FROM", 1 << 20)
    monkeypatch.setattr(limits, "_MOST_UNPACKED", 1 << 22)
