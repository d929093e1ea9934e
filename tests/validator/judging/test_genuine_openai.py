"""What OpenAI's own servers sent raises no alarm, but for exceptions that were looked at one by one."""

from __future__ import annotations

import json
from pathlib import Path

from isogloss.validator import captures, engines
from isogloss.validator.exchange import Exchange
from isogloss.validator.findings import Finding, Severity
from isogloss.validator.judging.judge import Judge

EXCEPTIONS = json.loads(Path(__file__).with_name("openai_exceptions.json").read_text())
WIRE = {"wire", "parsed", "wire-redacted", "chunks"}


def _excepted(finding: Finding, source: str) -> bool:
    return any(
        one["rule"] == finding.rule and one["path"] == finding.path and one["source"] in source for one in EXCEPTIONS
    )


def test_recorded_openai_traffic_gets_no_error_and_no_warning(shared: Path) -> None:
    judge = Judge(engines.load())
    alarms, excepted, exchanges = [], set(), 0
    for path in (shared / "corpus/openai.jsonl", shared / "corpus/big.jsonl"):
        records = [json.loads(line) for line in path.read_text().splitlines()]
        with path.open("rb") as stream:
            for exchange in captures.read(captures.Capture(stream, path.name)):
                record = records[exchange.number or 0]
                genuine = record["vendor"] == "openai" and record["provenance"] != "handwritten"
                if not isinstance(exchange, Exchange) or not genuine or record["fidelity"] not in WIRE:
                    continue
                exchanges += 1
                for finding in judge.judge(exchange).findings:
                    if finding.severity is Severity.NOTE:
                        continue
                    if finding.kind == "request" and (record["status"] or 200) >= 400:
                        continue  # OpenAI refused it, too
                    if _excepted(finding, record["source"]["path"]):
                        excepted.add((finding.rule, finding.path))
                    else:
                        alarms.append((record["source"]["path"], finding))
    assert exchanges > 1000
    assert not alarms
    assert excepted == {(one["rule"], one["path"]) for one in EXCEPTIONS}
