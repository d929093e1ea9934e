"""Writers of every format, and what checks a capture within limits of time and memory."""

from __future__ import annotations

import io
import resource
import time
from collections.abc import Callable

import pytest
from writers import LOG_WRITERS, PARSED, RESPONSE_WRITERS, WRITERS, Recorded, Writer, records

from isogloss.validator import engines
from isogloss.validator.captures import Capture, capture, read
from isogloss.validator.exchange import Exchange, Skipped
from isogloss.validator.judging.judge import Judge

Check = Callable[[bytes], list[Exchange | Skipped]]


@pytest.fixture(scope="session")
def recorded_type() -> type[Recorded]:
    return Recorded


@pytest.fixture(params=WRITERS)
def writer(request: pytest.FixtureRequest) -> tuple[str, Writer]:
    return request.param, WRITERS[request.param]


@pytest.fixture(params=WRITERS | RESPONSE_WRITERS | LOG_WRITERS)
def any_writer(request: pytest.FixtureRequest) -> tuple[str, Writer]:
    return request.param, (WRITERS | RESPONSE_WRITERS | LOG_WRITERS)[request.param]


@pytest.fixture(scope="session")
def every_format() -> list[str]:
    """Return the names of all writers."""
    return [*WRITERS, *RESPONSE_WRITERS, *LOG_WRITERS]


@pytest.fixture(scope="session")
def keeps_parsed() -> frozenset[str]:
    """Return the names of the writers that keep bodies parsed. No JSON can be broken in them."""
    return PARSED


@pytest.fixture(scope="session")
def records_writer() -> Writer:
    return records


@pytest.fixture(scope="session")
def response_writers() -> dict[str, Writer]:
    return RESPONSE_WRITERS


@pytest.fixture(scope="session")
def log_writers() -> dict[str, Writer]:
    return LOG_WRITERS


@pytest.fixture
def check() -> Check:
    """Read and judge a capture. Check that this takes less than 5 seconds of processor time and 300 MB of memory."""
    judge = Judge(engines.load())

    def check(data: bytes) -> list[Exchange | Skipped]:
        begin, before = time.process_time(), _peak()
        found = list(read(Capture(io.BytesIO(data), "capture")))
        for one in found:
            if isinstance(one, Exchange):
                judge.judge(one)
        assert time.process_time() - begin < 5
        assert _peak() - before < 300
        return found

    return check


def _peak() -> int:
    """Return the most memory that this process ever held, in MB. Linux counts in kB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10


@pytest.fixture
def small_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lower the limits of unpacked sizes, so that they are reached fast."""
    monkeypatch.setattr(capture, "_RATIO_FROM", 1 << 20)
    monkeypatch.setattr(capture, "_MOST_UNPACKED", 1 << 22)
