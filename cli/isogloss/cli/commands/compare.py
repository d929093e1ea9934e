"""``isogloss compare``: compare answers that should agree, and recordings that should not differ."""

from __future__ import annotations

import sys
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TextIO

import click

from isogloss.cli.checking.judges import make_judge
from isogloss.cli.comparisons import comparison, reports, words
from isogloss.cli.configuration.dialect_choice import dialect_files_option
from isogloss.cli.configuration.paths import display_path, name_of
from isogloss.cli.configuration.selection import active_rules
from isogloss.cli.configuration.settings import Settings, load
from isogloss.cli.elements.outputs import output_options, write_files
from isogloss.cli.elements.skipping import say_advice, say_skipped
from isogloss.cli.process import exits, output
from isogloss.cli.process.terminal import color_option
from isogloss.cli.reading.capture_path import CapturePath
from isogloss.cli.reading.corpus import input_format_option
from isogloss.cli.reading.targets import check_targets
from isogloss.cli.reading.unread import say_unread
from isogloss.validator import engines
from isogloss.validator.comparing.pairing import WAYS, Way
from isogloss.validator.findings import SEVERITIES
from isogloss.validator.judging.judge import Judge

__all__ = ["FORMATS", "command"]

FORMATS = {"text": "text", "json": "as_json", "markdown": "markdown", "html": "page"}
"""The name of each format and its module, which has ``report(comparison, out)``."""


@click.command(name="compare")
@click.argument("first", type=CapturePath(), metavar="CAPTURE")
@click.argument("second", type=CapturePath(), required=False, metavar="[CAPTURE]")
@click.option(
    "--twins/--changes",
    default=None,
    help="Look for answers to the same request that do not agree, or for what changed from the first capture to the "
    "second.  [default: twins with one capture, changes with two]",
)
@click.option(
    "--pair-by",
    type=click.Choice(WAYS),
    help="Pair the answers of two captures by the request, by the name of the case (its file, and the number in it), "
    "by position, or not at all.  [default: by request; answers without one by name]",
)
@input_format_option
@output_options(FORMATS)
@click.option(
    "--fail-on",
    type=click.Choice(tuple(SEVERITIES)),
    default="error",
    show_default=True,
    help="The lowest severity of differences that fail the run.",
)
@click.option("--select", multiple=True, metavar="NAMES", help="Check only these rules about twins, comma-separated.")
@click.option("--ignore", multiple=True, metavar="NAMES", help="Leave out these rules about twins, comma-separated.")
@dialect_files_option
@color_option
@click.pass_context
def command(
    ctx: click.Context,
    first: str,
    second: str | None,
    twins: bool | None,
    pair_by: Way | None,
    input_format: str | None,
    output_format: str,
    outputs: tuple[tuple[str, Path], ...],
    fail_on: str,
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    dialect_files: tuple[Path, ...],
) -> None:
    """Compare answers to the same request, or two recordings of a server.

    CAPTURE is a file, a folder or - for standard input. With one CAPTURE, compare the answers in it to the same
    request, such as a stream and a completion, or those to a request that was sent several times. With two, print what
    changed from the first to the second: properties, values, types, order, protocol, and broken rules, with rates. Two
    JSON reports of isogloss probe are compared case by case.

    \b
    Examples:
      isogloss compare tests/cassettes
      isogloss compare recordings/v1 recordings/v2 --format markdown
      isogloss compare --twins direct.har gateway.har
    """
    if second is None and (twins is False or pair_by is not None):
        raise click.UsageError(f"{'--pair-by' if pair_by else '--changes'} needs two captures")
    if first == second == "-":
        raise click.UsageError("only one of the two captures can be standard input")
    paths = [path for path in (first, second) if path is not None]
    as_twins = second is None if twins is None else twins
    active = active_rules(select, ignore, compared=True)
    if active is not None and not as_twins:
        raise click.UsageError("--select and --ignore are for comparing twins: add --twins")
    if dialect_files and as_twins:
        raise click.UsageError("--dialect-file is for what changed, and has no effect on twins")
    configuration, engine = load(None, {"dialect": "auto", "dialect-files": dialect_files}), engines.load()
    check_targets([path for _, path in outputs], paths, configuration.files)

    @cache
    def judge_for(settings: Settings) -> Judge:
        return Judge(engine) if as_twins else make_judge(configuration, settings, engine, expects=False)

    recordings: list[comparison.Recording] = []
    probe_reports: list[reports.Report] = []
    for path in paths:
        report = None if as_twins or second is None or input_format else reports.read(path)
        if isinstance(report, reports.Report):
            probe_reports.append(report)
        else:
            recordings.append(comparison.read(path, judge_for, configuration, stream=report, input_format=input_format))
    if probe_reports and recordings:
        name = name_of(display_path(probe_reports[0].path))
        raise click.UsageError(f"{name} is a report of isogloss: give two reports of isogloss probe, or two captures")
    if probe_reports:
        result = reports.compare_reports(*probe_reports)
    elif as_twins:
        result = comparison.compare_twins(recordings, pair_by, active)
    else:
        result = comparison.compare_recordings(recordings, pair_by)
    _report_and_exit(ctx, paths, result, output_format, outputs, fail_on)


def _report_and_exit(
    ctx: click.Context,
    paths: list[str],
    result: comparison.Comparison,
    output_format: str,
    outputs: tuple[tuple[str, Path], ...],
    fail_on: str,
) -> None:
    """Write the reports, and end with the exit code that the result comes to."""
    _report(output_format, result, sys.stdout)
    write_files(_report, result, outputs)
    say_skipped(result.skipped, result.checked)
    for text in words.refused(result):
        output.say(f"Note: {text}")
    if not result.groups:
        output.say(f"Note: {words.nothing_compared(result)}")
        if not result.checked:
            say_advice(result.skipped, any_file=any(recording.files for recording in result.recordings))
        ctx.exit(exits.NOTHING_CHECKED)
    unread = say_unread(paths, result.skipped)
    failed = result.failed(SEVERITIES[fail_on])
    ctx.exit(exits.FAILED if failed else exits.NOTHING_CHECKED if unread or result.is_partial else exits.OK)


def _report(name: str, result: comparison.Comparison, out: TextIO) -> None:
    """Write the report in a format."""
    import_module(f"isogloss.cli.comparisons.{FORMATS[name]}").report(result, out)
