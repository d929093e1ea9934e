"""``isogloss check``: verdicts on captures."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any, Literal

import click

from isogloss.cli import exits, reporters
from isogloss.cli.baseline import Recorder, load
from isogloss.cli.checker import SEVERITIES, Checker
from isogloss.cli.dialect_choice import dialect_options
from isogloss.cli.jobs import Died
from isogloss.cli.probe.options import server_options
from isogloss.cli.reporters import statistics as statistics_of_rules
from isogloss.cli.reporters import text
from isogloss.cli.settings import load as load_settings
from isogloss.cli.summary import Run
from isogloss.cli.terminal import color_option
from isogloss.validator import engines
from isogloss.validator.captures import input_formats
from isogloss.validator.exchange import Kind, Skipped
from isogloss.validator.kinds import KINDS
from isogloss.validator.quoting import count_of, printable
from isogloss.validator.secrets import masked

__all__ = ["command"]


class _InputFormat(click.ParamType):  # type: ignore[type-arg, unused-ignore]  # generic from click 8.4 on
    """An input format by name; the formats are imported only to check one that was given."""

    name = "format"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if value not in input_formats():
            self.fail(f"{value!r} is none of {', '.join(sorted(input_formats()))}", param, ctx)
        return value


@click.command()
@click.argument("paths", nargs=-1, type=click.Path(exists=True, readable=False, allow_dash=True), metavar="PATH...")
@click.option("--kind", type=click.Choice(KINDS), help="What the payloads are, whatever their content says.")
@click.option("--input-format", type=_InputFormat(), help="Read the files as this format, whatever their bytes say.")
@click.option(
    "--format",
    "output_format",
    type=click.Choice(tuple(reporters.FORMATS)),
    default="text",
    show_default=True,
    help="How to say it on standard output.",
)
@click.option(
    "--output",
    "outputs",
    type=reporters.OutputFile(),
    multiple=True,
    metavar="FORMAT:FILE",
    help="Write it to a file, too, in this format. May be repeated.",
)
@click.option("-q", "--quiet", "detail", flag_value="quiet", help="As text, print nothing but what fails the run.")
@click.option(
    "-v", "--verbose", "detail", flag_value="verbose", help="As text, print every finding by itself, and more."
)
@color_option
@click.option(
    "--statistics", is_flag=True, help="As text, how often each rule found something, instead of the findings."
)
@click.option(
    "--show-values",
    is_flag=True,
    help="Quote what stands at each place: message text, too, but no keys. For text, json and jsonl.",
)
@click.option(
    "--fail-on",
    type=click.Choice(tuple(SEVERITIES)),
    help="The severity from which on findings fail the run.  [default: error]",
)
@click.option(
    "--min-severity",
    type=click.Choice(tuple(SEVERITIES)),
    default="note",
    show_default=True,
    help="The severity from which on findings are reported at all, in every format.",
)
@click.option("--exit-zero", is_flag=True, help="End with 0 also where findings would fail the run.")
@click.option(
    "--strict",
    is_flag=True,
    default=None,
    help="Demand what the published reference requires, even where OpenAI omits it.",
)
@click.option(
    "--dialect",
    metavar="SLUG",
    help="Whose deviations are notes: a dialect's, or with auto those of whichever the evidence speaks for.  "
    "[default: openai]",
)
@dialect_options
@click.option("--select", multiple=True, metavar="NAMES", help="Only these rules or groups, comma-separated.")
@click.option("--ignore", multiple=True, metavar="NAMES", help="All but these rules or groups, comma-separated.")
@click.option(
    "--exclude", multiple=True, metavar="PATTERN", help="Leave out what matches, like 'generated/**'. May be repeated."
)
@click.option(
    "--no-respect-gitignore", is_flag=True, help="Read what git ignores, too. What is named itself is read in any case."
)
@click.option(
    "--stdin-filename", metavar="FILE", help="What - is called in findings, and by the settings of which it is checked."
)
@click.option(
    "--config",
    "config_file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="The configuration, instead of the isogloss.toml or pyproject.toml that is found from here upwards.",
)
@click.option(
    "--baseline",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Known findings, which do not fail the run and are not told again.",
)
@click.option(
    "--write-baseline",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write the findings that would fail the run to this file, as known.",
)
@click.option(
    "--engine",
    type=click.Choice(engines.NAMES),
    help="The JSON Schema engine; by default the faster one that is installed.",
)
@click.option(
    "--jobs",
    type=click.IntRange(1),
    default=os.cpu_count() or 1,
    help="How many processes share the work where there is much of it; by default one a core.",
)
@click.option("--live", metavar="URL", help="Send --request to this server, and check what it answers.")
@click.option(
    "--request",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="The request body to send to the server of --live, as it is.",
)
@server_options
@click.option("--allow-empty", is_flag=True, help="End with 0 when nothing was there to be checked.")
@click.pass_context
def command(
    ctx: click.Context,
    /,
    paths: tuple[str, ...],
    kind: Kind | None,
    input_format: str | None,
    output_format: str,
    outputs: tuple[tuple[str, Path], ...],
    detail: Literal["quiet", "verbose"] | None,
    statistics: bool,
    show_values: bool,
    min_severity: str,
    exit_zero: bool,
    no_respect_gitignore: bool,
    stdin_filename: str | None,
    dialect_files: tuple[Path, ...],
    config_file: Path | None,
    baseline: Path | None,
    write_baseline: Path | None,
    engine: str | None,
    jobs: int,
    live: str | None,
    request: Path | None,
    api_key_env: str | None,
    headers: tuple[str, ...],
    header_env: tuple[str, ...],
    timeout: float,
    allow_empty: bool,
    **settings: Any,
) -> None:
    """Check captured payloads, streams and exchanges against the OpenAI reference.

    PATH is a file, a directory or - for standard input: a JSON payload, an array of payloads or chunks, JSON Lines,
    an SSE capture, or exchange records.

    \b
    Examples:
      isogloss check answer.json
      isogloss check tests/cassettes --fail-on warning
      curl -sN … | isogloss check -
      isogloss check --live http://localhost:8000/v1 --request request.json
    """
    if (live is None) != (request is None):
        raise click.UsageError("--live and --request need each other")
    if not paths and live is None:
        raise click.UsageError("Missing argument 'PATH...'.")
    silent = [name for name in (output_format, *dict(outputs)) if name not in reporters.SHOWING_VALUES]
    if show_values and silent:
        shown = ", ".join(reporters.SHOWING_VALUES)
        raise click.UsageError(f"--show-values is for {shown}: {silent[0]} quotes no values")
    if statistics and output_format != "text":
        raise click.UsageError(f"--statistics is for text, not for {output_format}")
    line = {name.replace("_", "-"): value for name, value in settings.items() if value not in (None, ())}
    line |= {"dialect-files": dialect_files} | ({"baseline": baseline} if baseline else {})
    line |= {"respect-gitignore": False} if no_respect_gitignore else {}
    configured = load_settings(config_file, line)
    least, fail_on = SEVERITIES[min_severity], SEVERITIES[configured.settings(None).fail_on]
    if least > fail_on:
        raise click.UsageError(f"--min-severity {min_severity} would hide what fails the run: {fail_on.label}s")
    lines = None if statistics else reporters.lines(output_format, detail or "usual", sys.stdout)
    run = Run(
        fail_on,
        detail=detail or "usual",
        keep="all" if outputs else reporters.keeps(output_format, "usual" if statistics else detail or "usual"),
        least=least,
        contexts={} if reporters.shows_contexts(output_format, detail or "usual") and not statistics else None,
    )
    known = configured.baseline()
    checker = Checker(
        configuration=configured,
        engine=_engine(engine),
        run=run,
        baseline=load(known) if known is not None and write_baseline is None else None,
        recorder=Recorder(write_baseline) if write_baseline is not None else None,
        each=lines.add if lines is not None else None,
        cut=output_format != "jsonl",
        show_values=show_values,
        **({"stdin_name": masked(stdin_filename)} if stdin_filename else {}),
    )
    try:
        checker.files(paths, kind=kind, input_format=input_format, jobs=jobs)
    except Died as error:
        click.echo(f"Error: {error}", err=True)
        ctx.exit(exits.NOTHING_CHECKED)
    if live is not None and request is not None:
        from isogloss.cli.probe.live import answered
        from isogloss.cli.probe.target import target

        server = target(live, key_variable=api_key_env, headers=headers, variables=header_env)
        answer = answered(server, request, timeout)
        if isinstance(answer, Skipped):
            run.skipped.append(answer)
        else:
            checker.exchange(answer)
    if detail != "quiet":
        for unmatched in checker.unmatched(paths):
            click.echo(f"Note: {printable(unmatched)}", err=True)
    if statistics:
        statistics_of_rules.report(run, sys.stdout)
    elif lines is not None:
        lines.end(run)
    else:
        reporters.report(output_format, run, sys.stdout)
    for name, path in outputs:
        reporters.write(name, run, path)
    if checker.recorder is not None:
        click.echo(f"{count_of(checker.recorder.write(), 'known finding')} written to {write_baseline}", err=True)
    for fault in run.faults:
        click.echo(f"Error: {printable(fault)}", err=True)
    if run.faults:
        ctx.exit(exits.INTERNAL)
    if run.failed:
        ctx.exit(exits.OK if exit_zero else exits.FAILED)
    if run.exchanges or allow_empty:
        ctx.exit(exits.OK)
    if detail == "quiet" and output_format == "text":  # which has written nothing yet
        text.write(text.nothing_checked(run), sys.stderr)
    ctx.exit(exits.NOTHING_CHECKED)


def _engine(name: str | None) -> engines.Engine:
    try:
        return engines.load(name)
    except ModuleNotFoundError as error:
        raise click.UsageError(f"the engine {name} is not installed") from error
