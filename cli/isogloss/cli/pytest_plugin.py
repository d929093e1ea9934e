"""Add a fixture and an option to pytest.

The fixture ``isogloss`` checks payloads and the answers to clients. The option ``--isogloss-cassettes`` checks what was
recorded. Every pytest run of an environment loads this plugin, so at first it imports only pytest.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Generator, Iterator
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from isogloss.cli.checking.summary import Run
    from isogloss.validator import ResponseHook, Result
    from isogloss.validator.hooks import Answer

__all__ = ["Isogloss"]

_RUN = pytest.StashKey["Run"]()
_OPENED = pytest.StashKey[set[str]]()
_FIXTURE = pytest.StashKey["Isogloss"]()
_CRASHED = pytest.StashKey[bool]()
"""Whether a worker of pytest-xdist crashed, so that nobody knows what it opened."""
_UNCHECKED = "isogloss_unchecked"
_OPENED_THERE = "isogloss_opened"
"""The names under which a worker of pytest-xdist passes on how many answers were not checked, and what it opened."""


class Isogloss:
    """The value of the fixture ``isogloss``."""

    def __init__(self) -> None:
        self._deviating: list[str] = []
        self.unchecked: Counter[str] = Counter()
        """How many answers were not checked to their end, by the reason."""

    def check(self, subject: Any, *, fail_on: str = "error", **options: Any) -> Result:
        """Check a payload, a response or a list of chunks, and fail the test if it does not conform.

        ``subject`` and ``options`` are those of :func:`isogloss.validator.check`. The test fails if there are findings
        at or above ``fail_on``, or if the subject is no Chat Completions traffic at all.
        """
        __tracebackhide__ = True
        from isogloss.validator import check

        result = check(subject, **options)
        if not result.exchanges:
            reasons = "; ".join(result.skipped) or "it is empty"
            raise AssertionError(f"nothing that isogloss could check: {reasons}")
        if result.failing(fail_on):
            raise AssertionError(
                "\n".join(("the payload deviates from the OpenAI reference:", *_lines(result, fail_on)))
            )
        return result

    def hook(self, *, fail_on: str = "error", **options: Any) -> ResponseHook:
        """Return an event hook for a client of ``httpx`` or ``openai``. It fails the test during which answers deviate.

        ``options`` are those of :class:`isogloss.validator.ResponseHook`. A client may outlive a test, for example if a
        fixture with a wider scope holds it. Each answer counts for the test during which it ended.
        """
        from isogloss.validator import ResponseHook

        each = options.pop("each", None)

        def add_answer(answer: Answer) -> None:
            how = "checked in part" if answer.result.exchanges else "not checked"
            self.unchecked.update(f"{how}: {reason}" for reason in answer.result.skipped)
            if answer.result.failing(fail_on):
                where = f"{answer.url}, status {answer.status}:"
                self._deviating.append("\n".join((where, *_lines(answer.result, fail_on))))
            if each is not None:
                each(answer)

        return ResponseHook(each=add_answer, **options)

    def deviating(self) -> str:
        """Describe the answers that deviate since the last call, or return an empty string if there are none."""
        found, self._deviating = self._deviating, []
        return "\n".join(("a request or its answer deviates from the OpenAI reference:", *found)) if found else ""


def _lines(result: Result, fail_on: str) -> Iterator[str]:
    """Yield lines for the findings that fail a test, and last what to do next.

    With each finding come what stands at its place, and the dialects in which it is known.
    """
    from isogloss.cli.checking.run_settings import RunSettings
    from isogloss.cli.checking.summary import Run
    from isogloss.cli.reporters.text import context, what_to_do
    from isogloss.validator.api import verdicts
    from isogloss.validator.findings import SEVERITIES
    from isogloss.validator.quoting import printable

    run = Run(RunSettings(SEVERITIES[fail_on], detail="quiet", has_contexts=True))
    for verdict in verdicts(result):
        run.add(verdict, file=verdict.file)
    groups = run.groups(failing=True)
    advised_rules: set[str] = set()
    for group in groups:
        finding = group.first
        times = f"  (×{group.count:,})" if group.count > 1 else ""
        pointer = printable(finding.pointer) or "(whole)"
        yield f"  {finding.severity.label}[{finding.rule}] {finding.kind} {pointer}: {finding.message}{times}"
        lines = [*context(group, None), *(what_to_do(finding) if finding.rule not in advised_rules else ())]
        advised_rules.add(finding.rule)
        yield from ("".join(text for text, _ in line) for line in lines)
    yield f"next: isogloss explain {groups[0].first.rule}"


@pytest.fixture(scope="session", name="isogloss")
def _isogloss(pytestconfig: pytest.Config) -> Isogloss:
    """Assert that payloads conform: ``isogloss.check(payload)``. For all answers to a client: ``isogloss.hook()``."""
    return pytestconfig.stash.setdefault(_FIXTURE, Isogloss())


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None]:
    """Fail a test that passed although answers to its clients deviate.

    If the test failed by itself, add the deviating answers to its report.
    """
    yield from _failing_on_deviations(item, "call")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None]:
    """Fail the end of a test if answers deviate that end only then: fixtures close their clients."""
    yield from _failing_on_deviations(item, "teardown")


def _failing_on_deviations(item: pytest.Item, when: str) -> Generator[None]:
    try:
        yield
    except BaseException:
        if found := _deviating(item):
            item.add_report_section(when, "isogloss", found)
        raise
    if found := _deviating(item):
        pytest.fail(found, pytrace=False)


def _deviating(item: pytest.Item) -> str:
    fixture = item.config.stash.get(_FIXTURE, None)
    return fixture.deviating() if fixture is not None else ""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option ``--isogloss-cassettes``."""
    parser.getgroup("isogloss").addoption(
        "--isogloss-cassettes",
        action="append",
        default=[],
        metavar="PATH",
        help="Check the cassettes under this file or folder that the tests opened when all of them have run, by the "
        "project's isogloss configuration, and fail the run as isogloss check would. May be repeated.",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Record which of the cassettes the tests open to read or to write, if cassettes are to be checked.

    Raises ``pytest.UsageError`` if a file or folder of the option does not exist.
    """
    paths = config.getoption("isogloss_cassettes")
    if not paths:
        return
    for path in paths:
        if not os.path.exists(path):
            from isogloss.cli.configuration.parameters import why_unreadable

            missing = f"{path!r} does not exist: make this folder before the first recording"
            raise pytest.UsageError(f"--isogloss-cassettes: {why_unreadable(path) or missing}")
    opened: set[str] = set()
    config.stash[_OPENED] = opened
    named = [os.path.abspath(path) for path in paths]
    roots = [(name, os.path.join(one, "")) for name in named for one in dict.fromkeys((name, os.path.realpath(name)))]
    real_folder = lru_cache(os.path.realpath)

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        if event == "open" and isinstance(arguments[0], str | bytes):
            path = os.path.abspath(os.fsdecode(arguments[0]))
            folder, file = os.path.split(path)
            ways = ((one, *root) for one in (path, os.path.join(real_folder(folder), file)) for root in roots)
            for one, name, root in ways:
                if os.path.join(one, "").startswith(root):  # it is called as the option names it
                    opened.add(os.path.normpath(os.path.join(name, os.path.relpath(one, root))))
                    return

    sys.addaudithook(hook)  # every library that plays cassettes opens their files


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Check the cassettes once, when all tests have run and everything is recorded.

    A worker of pytest-xdist passes on how many answers were not checked, and what it opened. The main process checks.
    If a worker crashed, it checks everything.
    """
    config = session.config
    fixture, opened = config.stash.get(_FIXTURE, None), config.stash.get(_OPENED, set())
    if (output := getattr(config, "workeroutput", None)) is not None:  # a worker of pytest-xdist
        output[_UNCHECKED] = dict(fixture.unchecked) if fixture is not None else {}
        output[_OPENED_THERE] = sorted(opened)
        return
    paths = config.getoption("isogloss_cassettes")
    if not paths:
        return
    is_known = not config.stash.get(_CRASHED, False)
    cassettes = sorted(os.path.relpath(one) for one in opened if os.path.isfile(one)) if is_known else paths
    run = config.stash[_RUN] = _check_cassettes(cassettes, config.rootpath)
    if run.failed and session.exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Add up what a worker of pytest-xdist did not check, and what it opened. One that crashed has said nothing."""
    stash, output = node.config.stash, getattr(node, "workeroutput", {})
    if unchecked := output.get(_UNCHECKED):
        stash.setdefault(_FIXTURE, Isogloss()).unchecked.update(unchecked)
    if _OPENED_THERE not in output:
        stash[_CRASHED] = True
    elif opened := output[_OPENED_THERE]:
        stash[_OPENED].update(opened)


def _check_cassettes(paths: list[str], root: Path) -> Run:
    import click

    from isogloss.cli.checking.checker import Checker, CheckerOptions
    from isogloss.cli.checking.run_settings import RunSettings
    from isogloss.cli.checking.summary import Run
    from isogloss.cli.configuration import settings
    from isogloss.validator import engines
    from isogloss.validator.findings import SEVERITIES

    try:
        configuration = settings.load(settings.find(root), {})
        run = Run(RunSettings(SEVERITIES[configuration.settings(None).fail_on], has_contexts=True))
        Checker(CheckerOptions(configuration, engines.load()), run).files(paths)
    except click.UsageError as error:
        raise pytest.UsageError(f"isogloss: {error.message}") from error
    return run


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Print the findings in the cassettes, and how many answers the hooks could not check."""
    fixture = config.stash.get(_FIXTURE, None)
    for reason, count in fixture.unchecked.items() if fixture is not None else ():
        terminalreporter.write_line(f"isogloss: {count} answer{'s' if count > 1 else ''} {reason}", yellow=True)
    run = config.stash.get(_RUN, None)
    if run is None:
        return
    import io

    from isogloss.cli.reporters import text
    from isogloss.validator.quoting import printable

    out = io.StringIO()
    if run.files or run.skipped:
        text.report(run, out)
    else:
        names = " and ".join(map(printable, config.getoption("isogloss_cassettes")))
        out.write(f"nothing-checked: no test opened a file in {names}\n")
    terminalreporter.section("isogloss", sep="-", red=run.failed)
    terminalreporter.write(out.getvalue())
