"""``isogloss report``: which dialects a corpus speaks, which deviations they explain, and which are unexplained."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

import click

from isogloss.cli import exits, files, inputs, output
from isogloss.cli.dialect_choice import dialect_options, known
from isogloss.cli.report_views.survey import Survey
from isogloss.validator import engines
from isogloss.validator.dialects.speakers import AutoSpeaker
from isogloss.validator.exchange import Skipped
from isogloss.validator.judging.judge import Judge

__all__ = ["FORMATS", "command"]

FORMATS = {"text": "text", "json": "as_json", "markdown": "markdown", "html": "page"}
"""The name of each format and its module, which has ``render(survey) -> str``."""


@click.command(name="report")
@click.argument("paths", nargs=-1, required=True, type=click.Path(exists=True, allow_dash=True), metavar="PATH...")
@click.option("--format", "output_format", type=click.Choice(tuple(FORMATS)), default="text", show_default=True)
@click.option("--output", "target", type=click.Path(dir_okay=False, path_type=Path), help="Write to this file.")
@click.option("--evidence", is_flag=True, help="Print the evidence for and against the dialects of each exchange.")
@click.option("--body-alone", is_flag=True, help="Attribute by the payloads alone, even where the host is known.")
@dialect_options
@click.pass_context
def command(
    ctx: click.Context,
    paths: tuple[str, ...],
    output_format: str,
    target: Path | None,
    evidence: bool,
    body_alone: bool,
    dialect_files: tuple[Path, ...],
) -> None:
    """Report which dialects the captures under PATH speak.

    Unexplained deviations come first: those that the dialect of their exchange is not known for.

    \b
    Examples:
      isogloss report tests/cassettes
      isogloss report recordings --format html --output dialects.html
    """
    survey = survey_of(paths, dialect_files, evidence=evidence, body_alone=body_alone)
    rendered: str = import_module(f"isogloss.cli.report_views.{FORMATS[output_format]}").render(survey)
    if target is None:
        sys.stdout.write(rendered)
    else:
        with output.replacing(target) as out:
            out.write(rendered)
        click.echo(f"wrote {target}", err=True)
    ctx.exit(exits.OK if survey.exchanges else exits.NOTHING_CHECKED)


def survey_of(paths: tuple[str, ...], dialect_files: tuple[Path, ...], *, evidence: bool, body_alone: bool) -> Survey:
    """Judge every exchange under the paths and gather what that says about dialects."""
    dialects = known(dialect_files)
    survey = Survey(dialects)
    judge = Judge(engines.load(), speaker=AutoSpeaker(dialects.values(), hosts=not body_alone))
    for path in files.walk(paths):
        if isinstance(path, Skipped):
            survey.skipped.append(path)
            continue
        survey.files += 1
        for found in inputs.read(path):
            if isinstance(found, Skipped):
                survey.skipped.append(found)
            else:
                survey.add(found, judge.judge(found), keep_evidence=evidence)
    return survey
