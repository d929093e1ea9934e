"""Test that recorded OpenAI traffic has no error and no warning, except for those that are listed with a reason."""

from __future__ import annotations

import json
from pathlib import Path

from isogloss.validator import captures, engines
from isogloss.validator.exchange import Exchange
from isogloss.validator.findings import Finding, Severity
from isogloss.validator.judging.judge import Judge

EXCEPTIONS = json.loads(Path(__file__).with_name("openai_exceptions.json").read_text())
GENUINE_FIDELITIES = {"wire", "parsed", "wire-redacted", "chunks"}


def _is_excepted(finding: Finding, source: str) -> bool:
    return any(
        exception["rule"] == finding.rule and exception["path"] == finding.path and exception["source"] in source
        for exception in EXCEPTIONS
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
                if not isinstance(exchange, Exchange) or not genuine or record["fidelity"] not in GENUINE_FIDELITIES:
                    continue
                exchanges += 1
                for finding in judge.judge(exchange).findings:
                    if finding.severity is Severity.NOTE:
                        continue
                    if finding.kind == "request" and (record["status"] or 200) >= 400:
                        continue  # OpenAI refused this request, too
                    if _is_excepted(finding, record["source"]["path"]):
                        excepted.add((finding.rule, finding.path))
                    else:
                        alarms.append((record["source"]["path"], finding))
    assert exchanges > 1000
    assert not alarms
    assert excepted == {(exception["rule"], exception["path"]) for exception in EXCEPTIONS}
