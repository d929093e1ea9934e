"""``isogloss probe``: send requests to running servers, and check the answers against the reference."""

from __future__ import annotations

import os
import sys
from functools import partial
from pathlib import Path
from typing import Any

import click

from isogloss.cli import reporters
from isogloss.cli.checking.judges import make_judge
from isogloss.cli.checking.probe_reports import read as read_reports
from isogloss.cli.configuration.dialect_choice import auto_explainer, known_dialects
from isogloss.cli.configuration.paths import display_path
from isogloss.cli.configuration.settings import Configuration, load
from isogloss.cli.elements.outputs import write_files
from isogloss.cli.probe.cases import Case
from isogloss.cli.probe.choosing import PROFILES, choose_cases, list_cases
from isogloss.cli.probe.connecting import wait_for
from isogloss.cli.probe.judging import Plan
from isogloss.cli.probe.matrix import formats
from isogloss.cli.probe.matrix.server import Probed
from isogloss.cli.probe.matrix.since import matching, with_changes
from isogloss.cli.probe.naming import NamingExplainer
from isogloss.cli.probe.repeating import repeat_cases
from isogloss.cli.probe.run_options import ProbeOptions, probe_options
from isogloss.cli.probe.servers import Headers, Server, find_servers
from isogloss.cli.probe.several import exit_code, probe_each
from isogloss.cli.probe.summing_up import run_settings
from isogloss.cli.process import exits, output
from isogloss.cli.reading.targets import check_targets
from isogloss.validator import engines
from isogloss.validator.findings import SEVERITIES, Severity
from isogloss.validator.impact import matcher_of
from isogloss.validator.judging.judge import Judge

__all__ = ["command"]


@click.command(name="probe")
@probe_options
@click.pass_context
def command(ctx: click.Context, /, **values: Any) -> None:
    """Send a small set of requests to running servers and check their answers against the OpenAI reference.

    URL is the base URL of an OpenAI-compatible server; requests are sent to no other host. The key comes from the
    environment variable OPENAI_API_KEY, or from that of --api-key-env, and is written nowhere.

    Several servers are probed one after the other, and reported side by side. NAME is a server that the configuration
    has under probe.servers; without URL and NAME, all of these are probed. If there are several servers, each gets only
    its own key: the one in the configuration, or the one of --api-key-env for all of them.

    A case conforms, deviates (with a warning or an error), is unsupported (refused with a correct error) or
    inconclusive. The exit code is 1 with findings at or above --fail-on; 3 if the server did not answer, or was busy or
    failed on some case; 4 if isogloss itself failed on an answer, which the report says. With --since, it is 1 only if
    such findings are new, or if a case conformed before and is unsupported now; and 3 only if a case had an answer
    before and has none now.

    \b
    Examples:
      isogloss probe http://localhost:8000/v1 --model tiny
      isogloss probe https://api.example.com/v1 --model m --api-key-env MY_KEY
      isogloss probe http://localhost:8000/v1 --model tiny --record answers
      isogloss probe http://localhost:8000/v1 --model tiny --since before.json
      isogloss probe http://host1/v1 http://host2/v1 --model m --format html
    """
    options = ProbeOptions(values)
    cases = choose_cases(options.wanted, options.groups, options.unwanted, PROFILES[options.profile].costly)
    if options.listing is not None:
        if options.output_format != "text" or options.outputs:
            raise click.UsageError("--format and --output are for a report: --list and --list-cases print text")
        click.echo("\n".join(list_cases(cases, described=options.listing == "descriptions")))
        return
    configuration = load(options.config_file, options.settings)
    failing = SEVERITIES[configuration.settings(None).fail_on]
    servers = _servers(options, configuration)
    earlier = None if options.since is None else matching(servers, read_reports(options.since))
    judge = _judge(options, configuration)
    for server in servers if options.wait else ():
        wait_for(server.target, options.wait)  # a server that never answers is probed, too: its report then says why
    plan = partial(_plan, options, cases, failing)
    probed_servers, interrupted = probe_each(servers, plan, judge, options.record)
    if left_out := [server.name for server in servers[len(probed_servers) :]]:
        output.say(f"interrupted: not probed: {', '.join(left_out)}")
    if earlier is not None:
        probed_servers = with_changes(probed_servers, earlier, failing)
    probed = Probed(probed_servers, None if options.since is None else options.since.name)
    formats.report(options.output_format, probed, sys.stdout)
    write_files(formats.report, probed, options.outputs)
    ctx.exit(exits.INTERRUPTED if interrupted else exit_code(probed_servers))


def _servers(options: ProbeOptions, configuration: Configuration) -> list[Server]:
    """Return the servers to probe. Raises ``click.UsageError`` if there are none, or an output cannot be written."""
    targets = [path for _, path in options.outputs]
    check_targets(targets, [], configuration.files)
    record = options.record
    if record is not None and os.path.realpath(record) in map(os.path.realpath, targets):
        raise click.UsageError(f"the records of --record and a report would both be {display_path(str(record))}")
    headers = Headers(options.api_key_env, options.headers, options.header_env)
    servers = find_servers(options.words, options.models, headers, configuration)
    if len(servers) > 1 and "badge" in options.format_names:
        raise click.UsageError("a badge is of one server; write one for each")
    return servers


def _judge(options: ProbeOptions, configuration: Configuration) -> Judge:
    shows_impact = any(reporters.shows_impact(name, "usual") for name in options.format_names)
    return make_judge(
        configuration,
        configuration.settings(None),
        engines.load(),
        matcher=matcher_of(() if shows_impact else None),
        unexplaining=lambda: NamingExplainer(
            auto_explainer(tuple(known_dialects(configuration.dialect_files()).values()))
        ),
    )


def _plan(options: ProbeOptions, cases: list[Case], failing: Severity, server: Server, folder: Path | None) -> Plan:
    return Plan(
        target=server.target,
        model=server.model,
        cases=list(repeat_cases(cases, options.repeat)),
        folder=folder,
        jobs=options.jobs,
        seconds=options.timeout,
        deadline=options.deadline,
        run_settings=run_settings(options.format_names, failing),
        excused=PROFILES[options.profile].excused,
    )
