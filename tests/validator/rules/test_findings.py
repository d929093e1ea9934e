"""Test that what is found in the fixtures that deviate is listed, with its place, in the folder ``findings``.

With ``WRITE_GOLDEN=1`` these files are written anew. Read their difference before you commit it: each line has the line
and column, the severity, the rule, the kind, the pointer, how often it occurs if that is not once, and the value.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from isogloss.validator import rules
from isogloss.validator.findings import Finding

FIXTURES = Path(__file__).parents[3] / "fixtures"
LISTED = Path(__file__).parent / "findings"
WRITE = bool(os.environ.get("WRITE_GOLDEN"))
_LONGEST_VALUE = 30


def _line(finding: Finding) -> str:
    source = finding.source
    place = f"{source.line}:{source.column}" + ("" if source.event is None else f" event {source.event}")
    count = f" ×{finding.count}" if finding.count != 1 else ""
    value = "" if finding.value is None else f" = {finding.value[:_LONGEST_VALUE]}"
    return f"  {place} {finding.severity.label} {finding.rule} {finding.kind} {finding.pointer or '/'}{count}{value}\n"


@pytest.mark.parametrize("group", rules.GROUPS)
def test_findings_in_fixtures_that_deviate_are_those_that_are_listed(
    group: str, findings_of: Callable[[Path], list[Finding]]
) -> None:
    found = []
    for path in sorted((FIXTURES / group).glob("*/invalid-*")):
        found += [f"{path.parent.name}/{path.name}\n", *map(_line, findings_of(path))]
    listed = LISTED / f"{group}.txt"
    if WRITE:
        listed.write_text("".join(found), "utf-8")
    assert "".join(found) == listed.read_text("utf-8")
