"""Probe servers one after the other, and make the results that reports show."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from isogloss.cli.checking.summary import Run
from isogloss.cli.probe.judging import Plan
from isogloss.cli.probe.matrix.server import ProbedServer
from isogloss.cli.probe.naming import describe_dialect
from isogloss.cli.probe.outcome import Outcome
from isogloss.cli.probe.recording import make_folder, remove_earlier
from isogloss.cli.probe.sending_cases import CaseOutcomes, send_cases
from isogloss.cli.probe.servers import Server
from isogloss.cli.probe.summing_up import sum_up
from isogloss.cli.process import exits
from isogloss.cli.process.progress import Status
from isogloss.validator.findings import Finding, Source
from isogloss.validator.judging.judge import Judge

__all__ = ["ProbedServers", "exit_code", "probe_each"]


class ProbedServers(NamedTuple):
    """The servers with their outcomes, and whether Ctrl-C ended the run. If it did, the other servers are missing."""

    servers: list[ProbedServer]
    interrupted: bool


def probe_each(
    servers: Sequence[Server],
    plan: Callable[[Server, Path | None], Plan],
    judge: Judge,
    folder: Path | None,
) -> ProbedServers:
    """Send the cases of its plan to each server. With several servers, each has its records in a folder with its name.

    The servers are asked one after the other: on one machine, each would slow the others down. Raises
    :class:`output.Unwritable`.
    """
    probed_servers = []
    folders = [folder if folder is None or len(servers) == 1 else folder / server.name for server in servers]
    plans = [plan(server, server_folder) for server, server_folder in zip(servers, folders, strict=True)]
    for server_folder, server_plan in zip(folders, plans, strict=True):
        if server_folder is not None:
            make_folder(server_folder, server_plan.cases)
    for server, server_folder, server_plan in zip(servers, folders, plans, strict=True):
        if server_folder is not None:
            remove_earlier(server_folder, server_plan.cases)
        outcomes, interrupted = _send(server_plan, judge, f"{server.name}  " if len(servers) > 1 else "")
        run = sum_up(outcomes, server_plan.run_settings, recorded=folder is not None)
        if len(servers) > 1 and folder is None:
            run = _with_server_name(server.name, run)
        probed = ProbedServer(
            name=server.name,
            url=server.url,
            model=server.model,
            dialect=describe_dialect(outcomes),
            outcomes=outcomes,
            run=run,
        )
        probed_servers.append(probed)
        if interrupted:
            return ProbedServers(probed_servers, True)
    return ProbedServers(probed_servers, False)


def _send(plan: Plan, judge: Judge, prefix: str) -> CaseOutcomes:
    """Send the cases of a plan, and show how far this has come in a line that begins with the prefix."""
    done = count(1)
    with Status() as status:

        def show(outcome: Outcome) -> None:
            status.show(f"{prefix}{next(done)}/{len(plan.cases)}  {outcome.case.name}: {outcome.standing}")

        return send_cases(plan, judge, show)


def _with_server_name(name: str, run: Run) -> Run:
    """Put the name of the server in front of the names of its answers, which are in no file. Return the changed run."""

    def rename_source(source: Source) -> Source:
        return replace(source, file=f"{name}/{source.file}")

    def rename_finding(finding: Finding) -> Finding:
        return replace(finding, source=rename_source(finding.source))

    if run.contexts is not None:
        run.contexts = {
            key: replace(context, source=rename_source(context.source)) for key, context in run.contexts.items()
        }
    run.findings = [rename_finding(one) for one in run.findings]
    run.failing = [one for one in run.findings if one.severity >= run.settings.fail_on]
    run.skipped = [replace(skip, file=f"{name}/{skip.file}") for skip in run.skipped]
    run.cases = [one._replace(findings=tuple(map(rename_finding, one.findings))) for one in run.cases or ()]
    return run


def exit_code(servers: Sequence[ProbedServer]) -> int:
    """Return the exit code for all servers together: the worst of their codes."""
    codes = {_server_exit_code(server) for server in servers}
    return next((code for code in (exits.INTERNAL, exits.FAILED, exits.NOTHING_CHECKED) if code in codes), exits.OK)


def _server_exit_code(server: ProbedServer) -> int:
    """Return the exit code for one server.

    If it is compared with an earlier report, only what is worse than in that report makes it fail.
    """
    if any(outcome.internal for outcome in server.outcomes):
        return exits.INTERNAL
    has_verdict = any(outcome.standing in ("conforms", "deviates") for outcome in server.outcomes)
    unanswered = {outcome.case.name for outcome in server.outcomes if not outcome.answered}
    if server.changes is not None:
        changed = {change.case for change in server.changes if change.before != change.now}
        unanswered &= changed
    if server.failed and has_verdict:
        return exits.FAILED
    return exits.OK if has_verdict and not unanswered else exits.NOTHING_CHECKED
