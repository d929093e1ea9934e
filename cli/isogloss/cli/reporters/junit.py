"""JUnit XML: a case for each file with exchanges, or that could not be read; of a probe, one for each of its cases.

It fails with the findings that fail the run; other findings are its output.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TextIO
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from isogloss.cli.probed import ProbedCase
from isogloss.cli.reporters.skipping import is_unread
from isogloss.cli.reporters.text import explained, place, seen_to_break, what
from isogloss.cli.summary import Run
from isogloss.validator.findings import Finding
from isogloss.validator.quoting import count_of, printable

__all__ = ["report", "suite", "write"]

_LONGEST_BODY = 2000
"""Characters of a body that are shown."""


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
    suite = Element("testsuite", name=name)
    cases = list(_cases(run) if run.cases is None else (_probed(case, run) for case in run.cases))
    suite.extend(cases)
    suite.set("tests", str(len(cases)))
    suite.set("failures", str(sum(case.find("failure") is not None for case in cases)))
    suite.set("skipped", str(sum(case.find("skipped") is not None for case in cases)))
    suite.set("errors", "0")
    return suite


def _cases(run: Run) -> Iterator[Element]:
    failing = _by_file(run.failing)
    told = set(map(id, run.failing))
    others = _by_file(one for one in run.findings if id(one) not in told)
    unread = {skip.file: printable(skip.reason) for skip in reversed(run.skipped) if is_unread(skip)}
    for file in dict.fromkeys((*run.checked, *failing, *others, *unread)):
        case = Element("testcase", classname="isogloss", name=printable(file), file=printable(file))
        if file in failing:
            found = failing[file]
            failure = SubElement(case, "failure", type=found[0].rule, message=_message(found))
            failure.text = _listed(found, run)
        elif not run.checked[file] and file in unread:
            SubElement(case, "skipped", message=unread[file])
        elif not run.checked[file] and file not in others:
            continue  # without an exchange: an archive, whose members have cases of their own; or no traffic at all
        if file in others:
            SubElement(case, "system-out").text = _listed(others[file], run)
        yield case


def _probed(case: ProbedCase, run: Run) -> Element:
    """Make the element for a case of a probe.

    A case that is unsupported or inconclusive, and has no finding that fails the run, is skipped. The output of the
    element holds the requests and the answers, and the findings that do not fail the run.
    """
    element = Element("testcase", classname="isogloss.probe", name=case.name, time=f"{case.seconds:.3f}")
    failing = [one for one in case.findings if run.fails(one)]
    if failing:
        failure = SubElement(element, "failure", type=failing[0].rule, message=_message(failing))
        failure.text = _listed(failing, run)
    elif case.standing in ("unsupported", "inconclusive"):
        SubElement(element, "skipped", message=f"{case.standing}: {printable(case.reason)}")
    lines = [f"{case.standing}: {printable(case.reason)}" if case.reason else case.standing]
    for answer in case.answers:
        first = "" if answer.first_byte is None else f"first byte after {answer.first_byte:.3f} s, "
        lines += [
            f"request: {_shortened(answer.request)}",
            f"status {answer.status}, {first}whole after {answer.seconds:.3f} s, {answer.size:,} bytes",
            f"answer: {_shortened(answer.answer)}",
        ]
    others = [one for one in case.findings if not run.fails(one)]
    SubElement(element, "system-out").text = "\n".join([*lines, *([_listed(others, run)] if others else [])])
    return element


def _shortened(body: str) -> str:
    shown = printable(body[:_LONGEST_BODY])
    return shown if len(body) <= _LONGEST_BODY else f"{shown}…"


def _by_file(findings: Iterable[Finding]) -> dict[str, list[Finding]]:
    found: dict[str, list[Finding]] = {}
    for one in findings:
        found.setdefault(one.source.file, []).append(one)
    return found


def _message(findings: list[Finding]) -> str:
    first = findings[0]
    more = f", and {count_of(len(findings) - 1, 'finding')} more" if len(findings) > 1 else ""
    return f"[{first.rule}] {what(first)}: {first.message}{more}"


def _listed(findings: list[Finding], run: Run) -> str:
    lines = []
    for one in findings:
        lines.append(f"{place(one)}: {one.severity.label}[{one.rule}] {what(one)}: {one.message}{explained(one)}")
        if run.tell_impact and (broken := seen_to_break(one)):
            lines.append(f"    {broken}")
    return "\n".join(lines)
