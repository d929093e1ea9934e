"""Judge the flows that pass through mitmproxy: write findings to its event log, and a report at the end."""

from __future__ import annotations

import io
import logging
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from isogloss.cli import reporters
from isogloss.cli.checking.checker import Checker, CheckerOptions
from isogloss.cli.checking.groups import FindingGroup
from isogloss.cli.checking.run_settings import RunSettings
from isogloss.cli.checking.summary import Run
from isogloss.cli.configuration import settings
from isogloss.cli.elements.outputs import OutputFile, write_files
from isogloss.cli.process import terminal
from isogloss.cli.proxy.streaming import may_be_chat
from isogloss.cli.reporters import text
from isogloss.validator import engines
from isogloss.validator.captures.flows import FlowMessage, read_flow
from isogloss.validator.captures.limits import Budget
from isogloss.validator.exchange import Skipped, Why
from isogloss.validator.findings import SEVERITIES, Finding, Severity
from isogloss.validator.http_faults import fault_in
from isogloss.validator.quoting import printable
from isogloss.validator.secrets import mask, mask_text
from isogloss.validator.text import Text

__all__ = ["ProxyJudge"]

_LOG = logging.getLogger("isogloss")
_LONGEST_REASON = 200
_LEVELS = {Severity.ERROR: logging.ERROR, Severity.WARNING: logging.WARNING, Severity.NOTE: logging.INFO}


class ProxyJudge:
    """Judges flows by a configuration. ``before`` is the judge until the options changed, whose report goes on.

    Raises ``click.UsageError`` for options that are wrong.
    """

    def __init__(self, config: str, dialect: str, outputs: Sequence[str], before: ProxyJudge | None) -> None:
        configured = settings.load(Path(config) if config else None, {"dialect": dialect or None})
        self._outputs = [OutputFile(reporters.FORMATS).convert(output, None, None) for output in outputs]
        fail_on = SEVERITIES[configured.settings(None).fail_on]
        keep = "all" if outputs else reporters.what_to_keep("text", "usual")
        self._run: Run = Run(RunSettings(fail_on, keep=keep)) if before is None else before._run
        self._checker = Checker(CheckerOptions(configured, engines.load()), self._run, each=_log_findings)

    def judge(self, flow: Any, body: bytes | None) -> None:
        """Judge a flow that has ended; ``body`` is the part of the answer that came.

        A flow that is no request for a Chat Completion is ignored.
        """
        if not may_be_chat(flow):
            return
        name = _flow_name(flow)
        answer = None if body is None else Text(mask(body))
        budget = Budget()
        budget.read = len(body or b"") + len(flow.request.raw_content or b"")

        def body_of(message: FlowMessage) -> Text | None:
            if message is not flow.request:
                return answer
            return None if message.raw_content is None else Text(mask(message.raw_content))

        live = flow.is_replay != "response"  # else mitmproxy answers from a file
        exchange = read_flow(flow, name, self._run.exchanges, answer or Text(b""), body_of, budget, live=live)
        if isinstance(exchange, Skipped):
            self._skip(exchange)
        else:
            self._checker.exchange(exchange)
        if flow.response is None and flow.error is not None:
            fault = fault_in(flow.error.msg) if "response" in flow.error.msg else None  # else of the request
            reason = f"no answer came: {printable(mask_text(flow.error.msg))[:_LONGEST_REASON]}"
            self.skip(flow, reason if fault is None else f"no valid HTTP answer came: {fault}")

    def skip(self, flow: Any, reason: str) -> None:
        """Leave out a flow that has ended, and keep the reason for the report."""
        self._skip(Skipped(file=_flow_name(flow), why=Why(reason)))

    def _skip(self, skipped: Skipped) -> None:
        self._run.skipped.append(skipped)
        _LOG.info("isogloss: %s: skipped: %s", skipped.file, skipped.reason)

    def report(self) -> None:
        """Write the report on all flows to standard output, and to the files that the options name."""
        reporters.report("text", self._run, sys.stdout)
        write_files(reporters.report, self._run, self._outputs)
        for error in self._run.internal_errors:
            _LOG.error("isogloss: %s", error)


def _flow_name(flow: Any) -> str:
    """Return the name of a flow in findings: its method and its URL without the query, with keys masked."""
    return mask_text(f"{flow.request.method} {flow.request.pretty_url.partition('?')[0]}")


def _log_findings(findings: Sequence[Finding]) -> None:
    """Write findings to the event log, a line each."""
    for finding in findings:
        out = io.StringIO()
        terminal.write([text.line(FindingGroup(finding, finding.count))], out)
        _LOG.log(_LEVELS[finding.severity], "isogloss: %s", out.getvalue().rstrip("\n"))
