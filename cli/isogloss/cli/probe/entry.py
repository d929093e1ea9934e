"""The command line of ``isogloss probe``."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import click

from isogloss.cli import exits, output, reporters
from isogloss.cli.dialect_choice import dialect_options, known, speaker
from isogloss.cli.probe import scorecard
from isogloss.cli.probe.asking import Plan, ask
from isogloss.cli.probe.cases import CASES, Case
from isogloss.cli.probe.naming import Naming
from isogloss.cli.probe.options import server_options
from isogloss.cli.probe.outcome import Outcome
from isogloss.cli.probe.progress import Progress
from isogloss.cli.probe.summing_up import empty_run, summed_up
from isogloss.cli.probe.target import target
from isogloss.cli.selection import active_rules
from isogloss.cli.summary import Run
from isogloss.cli.terminal import color_option
from isogloss.validator import engines
from isogloss.validator.findings import Severity
from isogloss.validator.judging.judge import Judge
from isogloss.validator.suggesting import closest

__all__ = ["command"]

_SEVERITIES = {severity.label: severity for severity in Severity}


def _list(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        width = max(len(case.name) for case in CASES)
        for case in CASES:
            click.echo(f"{case.name:{width}}  {case.what}")
        ctx.exit(exits.OK)


@click.command()
@click.argument("url")
@click.option("--model", required=True, metavar="NAME", help="The model to use.")
@click.option("--case", "wanted", multiple=True, metavar="NAMES", help="Only these cases, comma-separated.")
@click.option("--skip", "unwanted", multiple=True, metavar="NAMES", help="All but these cases, comma-separated.")
@click.option(
    "--list", is_flag=True, is_eager=True, expose_value=False, callback=_list, help="List the cases and send nothing."
)
@server_options
@click.option(
    "--deadline",
    type=click.FloatRange(min=0, min_open=True),
    default=180.0,
    show_default=True,
    metavar="SECONDS",
    help="How long the whole may take, judging too.",
)
@click.option(
    "--jobs", type=click.IntRange(1, 64), default=4, show_default=True, help="How many requests to send at once."
)
@click.option(
    "--record",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Write each exchange to this folder, without secrets; check it later with: isogloss check DIR.",
)
@click.option(
    "--format",
    "output_format",
    type=click.Choice(tuple(reporters.FORMATS)),
    default="text",
    show_default=True,
    help="The format of the report.",
)
@click.option(
    "--fail-on",
    type=click.Choice(tuple(_SEVERITIES)),
    default="error",
    show_default=True,
    help="The least severity of findings that fail the run.",
)
@click.option(
    "--dialect",
    default="openai",
    show_default=True,
    metavar="SLUG",
    help="The dialect whose deviations become notes; with auto, the one that the answers speak.",
)
@dialect_options
@color_option
@click.option("--select", multiple=True, metavar="NAMES", help="Only these rules or groups, comma-separated.")
@click.option("--ignore", multiple=True, metavar="NAMES", help="All but these rules or groups, comma-separated.")
@click.pass_context
def command(
    ctx: click.Context,
    url: str,
    model: str,
    wanted: tuple[str, ...],
    unwanted: tuple[str, ...],
    api_key_env: str | None,
    headers: tuple[str, ...],
    header_env: tuple[str, ...],
    timeout: float,
    deadline: float,
    jobs: int,
    record: Path | None,
    output_format: str,
    fail_on: str,
    dialect: str,
    dialect_files: tuple[Path, ...],
    select: tuple[str, ...],
    ignore: tuple[str, ...],
) -> None:
    """Send a small set of requests to a running server and check its answers against the OpenAI reference.

    URL is the base URL of an OpenAI-compatible server; requests are sent to no other host. The key comes from the
    environment variable OPENAI_API_KEY, or from that of --api-key-env, and is written nowhere.

    A case conforms, deviates (with a warning or an error), is unsupported (properly refused) or inconclusive. The exit
    code is 1 with findings at or above --fail-on; 3 if the server did not answer, or failed or was busy on some case;
    4 if isogloss itself failed on an answer, which the report says.

    \b
    Examples:
      isogloss probe http://localhost:8000/v1 --model tiny
      isogloss probe https://api.example.com/v1 --model m --api-key-env EXAMPLE_KEY --record answers
    """
    plan = Plan(
        target=target(url, key_variable=api_key_env, headers=headers, variables=header_env),
        model=model,
        cases=_chosen(wanted, unwanted),
        folder=record,
        jobs=jobs,
        seconds=timeout,
        deadline=deadline,
        empty=empty_run(output_format, _SEVERITIES[fail_on]),
    )
    judge = Judge(
        engines.load(),
        active=active_rules(select, ignore),
        speaker=speaker(dialect, dialect_files) or Naming.of(known(dialect_files).values()),
    )
    progress = Progress(len(plan.cases), sys.stderr)
    try:
        if record is not None:
            record.mkdir(parents=True, exist_ok=True)
        outcomes, interrupted = ask(plan, judge, progress.done)
    except OSError as error:
        raise output.Unwritable(record, error) from error
    finally:
        progress.close()
    run = summed_up(outcomes, plan.empty, recorded=record is not None)
    if output_format == "text":
        scorecard.write(outcomes, run, sys.stdout)
    else:
        reporters.report(output_format, run, sys.stdout)
    ctx.exit(exits.INTERRUPTED if interrupted else _exit(outcomes, run))


def _chosen(wanted: Iterable[str], unwanted: Iterable[str]) -> list[Case]:
    asked, left = _names(wanted), _names(unwanted)
    cases = [case for case in CASES if (not asked or case.name in asked) and case.name not in left]
    if not cases:
        raise click.UsageError("no case is left to be asked")
    return cases


def _names(items: Iterable[str]) -> set[str]:
    names = {name.strip() for item in items for name in item.split(",") if name.strip()}
    known_names = [case.name for case in CASES]
    for name in sorted(names.difference(known_names)):
        near = closest(name, known_names)
        hint = f"did you mean {near!r}?" if near else "see: isogloss probe --list"
        raise click.UsageError(f"no case is called {name!r}; {hint}")
    return names


def _exit(outcomes: Sequence[Outcome], run: Run) -> int:
    if any(outcome.internal for outcome in outcomes):
        return exits.INTERNAL
    settled = any(outcome.standing in ("conforms", "deviates") for outcome in outcomes)
    if run.failed and settled:
        return exits.FAILED
    whole = all(outcome.answered for outcome in outcomes)
    return exits.OK if settled and whole else exits.NOTHING_CHECKED
