"""Find what the rules report in an exchange that is given in parts."""

from __future__ import annotations

import json
from collections.abc import Sequence

from good_exchanges import Parts, events_of
from reading import all_exchanges

from isogloss.validator import engines
from isogloss.validator.findings import Finding
from isogloss.validator.judging.judge import Judge

__all__ = ["find", "find_rules"]

JUDGE = Judge(engines.load())


def find_rules(parts: Parts) -> set[str]:
    """Return the names of the rules that find something in an exchange."""
    return {finding.rule for finding in find(parts)}


def find(parts: Parts) -> Sequence[Finding]:
    """Return the findings in an exchange."""
    record = {"status": 200, **parts}
    if "chunks" in record:
        record["sse"] = events_of(record.pop("chunks"))
    text = json.dumps(record)
    for old, new in record.pop("spelling", ()):
        assert old in text
        text = text.replace(old, new, 1)
    [exchange] = all_exchanges(f"{text}\n", "planted.jsonl")
    return JUDGE.judge(exchange).findings
