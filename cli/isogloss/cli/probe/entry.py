"""The command line of ``isogloss probe``."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from isogloss.cli import reporters
from isogloss.cli.checking.judges import make_judge
from isogloss.cli.checking.probe_reports import read as read_reports
from isogloss.cli.configuration.dialect_choice import dialect_options, known_dialects
from isogloss.cli.configuration.existing_path import ExistingPath
from isogloss.cli.configuration.paths import display_path
from isogloss.cli.configuration.settings import load
from isogloss.cli.elements.outputs import output_options, write_files
from isogloss.cli.probe.choosing import PROFILES, case_options, choose_cases, list_cases
from isogloss.cli.probe.matrix import formats
from isogloss.cli.probe.matrix.server import Probed
from isogloss.cli.probe.matrix.since import matching, with_changes
from isogloss.cli.probe.naming import NamingExplainer
from isogloss.cli.probe.options import Seconds, server_options
from isogloss.cli.probe.repeating import repeat_cases
from isogloss.cli.probe.sending_cases import Plan
from isogloss.cli.probe.servers import Headers, Server, find_servers
from isogloss.cli.probe.several import exit_code, probe_each
from isogloss.cli.probe.summing_up import run_settings
from isogloss.cli.probe.waiting import wait_for
from isogloss.cli.process import exits, output
from isogloss.cli.process.terminal import color_option
from isogloss.cli.reading.targets import check_targets
from isogloss.validator import engines
from isogloss.validator.findings import SEVERITIES
from isogloss.validator.judging.judge import matcher

__all__ = ["command"]


@click.command()
@click.argument("words", nargs=-1, metavar="[URL|NAME]...")
@click.option(
    "--model",
    "models",
    multiple=True,
    metavar="NAME",
    help="The model to use: one for all servers, or one for each, in their order.",
)
@case_options
@server_options
@click.option(
    "--wait",
    type=Seconds(min=0),
    default=0.0,
    metavar="SECONDS",
    help="How long to wait for the first answer of a server that is being started.",
)
@click.option(
    "--deadline",
    type=Seconds(min=0, min_open=True),
    default=180.0,
    show_default=True,
    metavar="SECONDS",
    help="The time limit for the whole probe, with the checks.",
)
@click.option(
    "--jobs", type=click.IntRange(1, 64), default=4, show_default=True, help="How many requests to send in parallel."
)
@click.option(
    "--repeat",
    type=click.IntRange(1, 1000),
    default=1,
    metavar="N",
    help="Send each case that depends on the model this many times, and report its rate with an interval.",
)
@click.option(
    "--record",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="Write each exchange to this folder, without secrets; check it later with: isogloss check FOLDER.  "
    "Records of these cases that are there already are replaced.  "
    "With several servers, each has its own folder in it.",
)
@click.option(
    "--since",
    type=ExistingPath(),
    metavar="REPORT",
    help="Report what changed since an earlier JSON report of probe. The run then fails only if something is worse.",
)
@output_options(formats.FORMATS)
@click.option(
    "--fail-on",
    type=click.Choice(tuple(SEVERITIES)),
    help="The lowest severity of findings that fail the run.  [default: error]",
)
@click.option(
    "--dialect",
    metavar="SLUG",
    help="The dialect whose deviations become notes; with auto, the one that the answers speak.  [default: openai]",
)
@dialect_options
@color_option
@click.option("--select", multiple=True, metavar="NAMES", help="Check only these rules or groups, comma-separated.")
@click.option("--ignore", multiple=True, metavar="NAMES", help="Leave out these rules or groups, comma-separated.")
@click.option(
    "--config",
    "config_file",
    type=ExistingPath(),
    metavar="FILE",
    help="The configuration with the servers and the settings, instead of the one in this folder or above it.",
)
@click.pass_context
def command(
    ctx: click.Context,
    words: tuple[str, ...],
    models: tuple[str, ...],
    wanted: tuple[str, ...],
    groups: tuple[str, ...],
    unwanted: tuple[str, ...],
    profile: str,
    listing: str | None,
    api_key_env: str | None,
    headers: tuple[str, ...],
    header_env: tuple[str, ...],
    timeout: float,
    wait: float,
    deadline: float,
    jobs: int,
    repeat: int,
    record: Path | None,
    since: Path | None,
    output_format: str,
    outputs: tuple[tuple[str, Path], ...],
    fail_on: str | None,
    dialect: str | None,
    dialect_files: tuple[Path, ...],
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    config_file: Path | None,
) -> None:
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
    cases = choose_cases(wanted, groups, unwanted, PROFILES[profile].costly)
    if listing is not None:
        click.echo("\n".join(list_cases(cases, described=listing == "descriptions")))
        return
    line = {"dialect": dialect, "dialect-files": dialect_files, "select": select, "ignore": ignore, "fail-on": fail_on}
    configuration = load(config_file, line)
    settings = configuration.settings(None)
    failing = SEVERITIES[settings.fail_on]
    check_targets([path for _, path in outputs], [])
    if record is not None and os.path.realpath(record) in [os.path.realpath(path) for _, path in outputs]:
        raise click.UsageError(f"the records of --record and a report would both be {display_path(str(record))}")
    chosen_servers = find_servers(words, models, Headers(api_key_env, headers, header_env), configuration)
    format_names = {output_format, *(name for name, _ in outputs)}
    if len(chosen_servers) > 1 and "badge" in format_names:
        raise click.UsageError("a badge is of one server; write one for each")
    earlier = None if since is None else matching(chosen_servers, read_reports(since))
    judge = make_judge(
        configuration,
        settings,
        engines.load(),
        matcher=matcher(() if any(reporters.shows_impact(name, "usual") for name in format_names) else None),
        unexplaining=lambda: NamingExplainer.for_dialects(known_dialects(configuration.dialect_files()).values()),
    )

    def plan(server: Server, folder: Path | None) -> Plan:
        return Plan(
            target=server.target,
            model=server.model,
            cases=list(repeat_cases(cases, repeat)),
            folder=folder,
            jobs=jobs,
            seconds=timeout,
            deadline=deadline,
            run_settings=run_settings(format_names, failing),
            excused=PROFILES[profile].excused,
        )

    for server in chosen_servers if wait else ():
        wait_for(server.target, wait)  # a server that never answers is probed, too: its report then says why
    probed_servers, interrupted = probe_each(chosen_servers, plan, judge, record, sys.stderr)
    if left_out := [server.name for server in chosen_servers[len(probed_servers) :]]:
        output.say(f"interrupted: not probed: {', '.join(left_out)}")
    if earlier is not None:
        probed_servers = with_changes(probed_servers, earlier, failing)
    probed = Probed(probed_servers, None if since is None else since.name)
    formats.report(output_format, probed, sys.stdout)
    write_files(formats.report, probed, outputs)
    ctx.exit(exits.INTERRUPTED if interrupted else exit_code(probed_servers))
