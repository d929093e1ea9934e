"""Write JUnit XML: a case for each file, or, for a probe, for each of its cases.

Files without exchanges and findings have a case only if they could not be read. A case fails if it has findings that
fail the run. Its other findings are its output. A rate with a limit is a case, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TextIO
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from isogloss.cli.checking.probed import ProbedCase
from isogloss.cli.checking.summary import Run
from isogloss.cli.elements.places import kind_and_path, place
from isogloss.cli.reporters.text import message, rates_as_text, seen_to_break
from isogloss.validator.findings import Finding
from isogloss.validator.quoting import count_of, printable

__all__ = ["report", "suite", "write"]

_LONGEST_BODY = 2000
"""The largest number of characters that are shown of a body."""


def report(run: Run, out: TextIO) -> None:
    """Write a document with one suite."""
    write([suite(run, "isogloss")], out)


def write(suites: Sequence[Element], out: TextIO) -> None:
    """Write a document of suites."""
    root = Element("testsuites")
    root.extend(suites)
    ElementTree.indent(root)
    out.write('<?xml version="1.0" encoding="utf-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n")


def suite(run: Run, name: str) -> Element:
    """Make the suite of a run."""
    element = Element("testsuite", name=name)
    cases = list(_file_cases(run) if run.cases is None else (_probe_case(case, run) for case in run.cases))
    cases += _rate_cases(run)
    element.extend(cases)
    element.set("tests", str(len(cases)))
    element.set("failures", str(sum(case.find("failure") is not None for case in cases)))
    element.set("skipped", str(sum(case.find("skipped") is not None for case in cases)))
    element.set("errors", "0")
    return element


def _file_cases(run: Run) -> Iterator[Element]:
    failing = _by_file(run.failing)
    failing_ids = set(map(id, run.failing))
    other_findings = _by_file(finding for finding in run.findings if id(finding) not in failing_ids)
    unread = {skip.file: printable(skip.reason) for skip in reversed(run.skipped) if skip.unread}
    for file in dict.fromkeys((*run.checked, *failing, *other_findings, *unread)):
        case = Element("testcase", classname="isogloss", name=printable(file), file=printable(file))
        if file in failing:
            found = failing[file]
            failure = SubElement(case, "failure", type=found[0].rule, message=_message(found))
            failure.text = _finding_lines(found, run)
        elif not run.checked.get(file, 0) and file in unread:
            SubElement(case, "skipped", message=unread[file])
        elif not run.checked.get(file, 0) and file not in other_findings:
            continue  # no exchange: the file is an archive, whose members have their own cases, or it holds no traffic
        if file in other_findings:
            SubElement(case, "system-out").text = _finding_lines(other_findings[file], run)
        yield case


def _probe_case(case: ProbedCase, run: Run) -> Element:
    """Make the element for a case of a probe.

    A case that is unsupported or inconclusive, and has no finding that fails the run, is skipped. The output of the
    element holds the requests and the answers, and the findings that do not fail the run.
    """
    element = Element("testcase", classname="isogloss.probe", name=case.name, time=f"{case.seconds:.3f}")
    failing = run.settings.failing(case.findings)
    if failing:
        failure = SubElement(element, "failure", type=failing[0].rule, message=_message(failing))
        failure.text = _finding_lines(failing, run)
    elif case.standing in ("unsupported", "inconclusive"):
        SubElement(element, "skipped", message=f"{case.standing}: {printable(case.reason)}")
    lines = [f"{case.standing}: {printable(case.reason)}" if case.reason else case.standing]
    for answer in case.answers:
        first_byte = "" if answer.first_byte is None else f"first byte after {answer.first_byte:.3f} s, "
        lines += [
            f"request: {_shorten(answer.request)}",
            f"status {answer.status}, {first_byte}whole after {answer.seconds:.3f} s, {answer.size:,} bytes",
            f"answer: {_shorten(answer.answer)}",
        ]
    other_findings = [finding for finding in case.findings if not run.settings.fails(finding)]
    SubElement(element, "system-out").text = "\n".join(
        [*lines, *([_finding_lines(other_findings, run)] if other_findings else [])]
    )
    return element


def _shorten(body: str) -> str:
    shown = printable(body[:_LONGEST_BODY])
    return shown if len(body) <= _LONGEST_BODY else f"{shown}…"


def _rate_cases(run: Run) -> Iterator[Element]:
    """Yield a case for each rate that has a limit. It fails if the rate is above the limit."""
    above = {
        rate.rule: text
        for (rate, _), text in zip(run.rates.above(run.settings.limits), rates_as_text(run), strict=True)
    }
    for rule in run.settings.limits:
        case = Element("testcase", classname="isogloss", name=f"rate of {rule}")
        if rule in above:
            SubElement(case, "failure", type=rule, message=above[rule])
        yield case


def _by_file(findings: Iterable[Finding]) -> dict[str, list[Finding]]:
    by_file: dict[str, list[Finding]] = {}
    for finding in findings:
        by_file.setdefault(finding.source.file, []).append(finding)
    return by_file


def _message(findings: list[Finding]) -> str:
    first = findings[0]
    more = f", and {count_of(len(findings) - 1, 'finding')} more" if len(findings) > 1 else ""
    return f"[{first.rule}] {kind_and_path(first)}: {first.message}{more}"


def _finding_lines(findings: list[Finding], run: Run) -> str:
    lines = []
    for finding in findings:
        lines.append(f"{place(finding.source)}: {finding.severity.label}[{finding.rule}] {message(finding)}")
        if run.settings.show_impact and (broken_clients := seen_to_break(finding)):
            lines.append(f"    {broken_clients}")
    return "\n".join(lines)
