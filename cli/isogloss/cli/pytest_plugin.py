"""The pytest plugin: the fixture ``isogloss`` for payloads, and ``--isogloss-cassettes`` for what a run recorded.

It is loaded by every pytest run of an environment, so at first it imports pytest alone.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from isogloss.cli.summary import Run
    from isogloss.validator import Finding, Result

__all__ = ["Isogloss"]

_RUN = pytest.StashKey["Run"]()
_OPENED = pytest.StashKey[set[str]]()


class Isogloss:
    """What the fixture ``isogloss`` is."""

    def check(self, subject: Any, *, fail_on: str = "error", **options: Any) -> Result:
        """Check a payload, a response or a list of chunks, and fail the test when it does not conform.

        Takes what :func:`isogloss.validator.check` takes, with the same options. Findings at or above ``fail_on`` fail
        the test, and so does something that is no Chat Completions traffic at all.
        """
        __tracebackhide__ = True
        from isogloss.validator import check

        result = check(subject, **options)
        if not result.exchanges:
            reasons = "; ".join(result.skipped) or "it is empty"
            raise AssertionError(f"nothing that isogloss could check: {reasons}")
        if failing := result.failing(fail_on):
            raise AssertionError("\n".join(("the payload deviates from the OpenAI reference:", *_lines(failing))))
        return result


def _lines(findings: Iterable[Finding]) -> list[str]:
    from isogloss.validator.quoting import printable

    return [
        f"  {one.severity.label}[{one.rule}] {one.kind} {printable(one.pointer) or '(whole)'}: {one.message}"
        + (f"  (×{one.count})" if one.count > 1 else "")
        for one in findings
    ]


@pytest.fixture(scope="session", name="isogloss")
def _isogloss() -> Isogloss:
    """Asserts that Chat Completions payloads conform: ``isogloss.check(payload)``."""
    return Isogloss()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--isogloss-cassettes``."""
    parser.getgroup("isogloss").addoption(
        "--isogloss-cassettes",
        action="append",
        default=[],
        metavar="PATH",
        help="Check the cassettes under this file or folder that the tests opened when all of them have run, by the "
        "project's isogloss configuration, and fail the run as isogloss check would. May be repeated.",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Note which files the tests open, read or written, if their cassettes are to be checked."""
    paths = config.getoption("isogloss_cassettes")
    if not paths:
        return
    for path in paths:
        if not Path(path).exists():
            raise pytest.UsageError(f"--isogloss-cassettes: there is no {path}")
    opened: set[str] = set()
    config.stash[_OPENED] = opened
    inside = tuple(f"{Path(path).resolve()}" for path in paths)

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        if event == "open" and isinstance(arguments[0], str):
            path = os.path.abspath(arguments[0])
            if path in inside or path.startswith(tuple(one + os.sep for one in inside)):
                opened.add(path)

    sys.addaudithook(hook)  # whatever library plays the cassettes, it opens them


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Check the cassettes, once, after everything that records has recorded."""
    config = session.config
    paths = config.getoption("isogloss_cassettes")
    if not paths or hasattr(config, "workerinput"):  # with pytest-xdist, only where the workers are waited for
        return
    spread = bool(config.getoption("numprocesses", None))  # the workers' files are not seen here: all are checked
    used = paths if spread else sorted(os.path.relpath(one) for one in config.stash[_OPENED] if os.path.isfile(one))
    run = config.stash[_RUN] = _checked(used, config.rootpath)
    if run.failed and session.exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def _checked(paths: list[str], root: Path) -> Run:
    import click

    from isogloss.cli import settings
    from isogloss.cli.baseline import load
    from isogloss.cli.checker import SEVERITIES, Checker
    from isogloss.cli.summary import Run
    from isogloss.validator import engines

    try:
        configured = settings.load(settings.find(root), {})
        known = configured.baseline()
        run = Run(SEVERITIES[configured.settings(None).fail_on])
        baseline = load(known) if known is not None else None
        Checker(configuration=configured, engine=engines.load(), run=run, baseline=baseline).files(paths)
    except click.UsageError as error:
        raise pytest.UsageError(f"isogloss: {error.message}") from error
    return run


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Print the findings in the cassettes."""
    run = config.stash.get(_RUN, None)
    if run is None:
        return
    import io

    from isogloss.cli.reporters import text

    out = io.StringIO()
    text.report(run, out)
    terminalreporter.section("isogloss", sep="-", red=run.failed)
    terminalreporter.write(out.getvalue())
