"""JUnit XML: a case for each file, which fails with the findings that fail the run; other findings are its output."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TextIO
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from isogloss.cli.reporters.text import place, what
from isogloss.cli.summary import Run
from isogloss.validator.findings import Finding
from isogloss.validator.quoting import count_of, printable

__all__ = ["report"]


def report(run: Run, out: TextIO) -> None:
    """Write one suite."""
    suite = Element("testsuite", name="isogloss")
    cases = list(_cases(run))
    suite.extend(cases)
    for name, found in (("tests", "."), ("failures", "failure"), ("skipped", "skipped")):
        suite.set(name, str(sum(1 for case in cases if found == "." or case.find(found) is not None)))
    suite.set("errors", "0")
    root = Element("testsuites")
    root.append(suite)
    ElementTree.indent(root)
    out.write('<?xml version="1.0" encoding="utf-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n")


def _cases(run: Run) -> Iterator[Element]:
    failing = _by_file(run.failing)
    told = set(map(id, run.failing))
    others = _by_file(one for one in run.findings if id(one) not in told)
    reasons: dict[str, list[str]] = {}
    for skip in run.skipped:
        reasons.setdefault(skip.file, []).append(printable(skip.reason))
    for file in dict.fromkeys((*run.checked, *failing, *others, *reasons)):
        case = Element("testcase", classname="isogloss", name=printable(file), file=printable(file))
        if file in failing:
            found = failing[file]
            failure = SubElement(case, "failure", type=found[0].rule, message=_message(found))
            failure.text = _listed(found)
        elif not run.checked[file] and file in reasons:
            SubElement(case, "skipped", message=reasons[file][0])
        elif not run.checked[file] and file not in others:
            continue  # an archive, whose members have cases of their own; or nothing at all
        if file in others:
            SubElement(case, "system-out").text = _listed(others[file])
        yield case


def _by_file(findings: Iterable[Finding]) -> dict[str, list[Finding]]:
    found: dict[str, list[Finding]] = {}
    for one in findings:
        found.setdefault(one.source.file, []).append(one)
    return found


def _message(findings: list[Finding]) -> str:
    first = findings[0]
    more = f", and {count_of(len(findings) - 1, 'finding')} more" if len(findings) > 1 else ""
    return f"[{first.rule}] {what(first)}: {first.message}{more}"


def _listed(findings: list[Finding]) -> str:
    return "\n".join(f"{place(one)}: {one.severity.label}[{one.rule}] {what(one)}: {one.message}" for one in findings)
