"""``isogloss report``: which dialects a corpus speaks, which deviations they explain, and which are unexplained."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from isogloss.cli import exits, output
from isogloss.cli.corpus import Corpus, corpus_options
from isogloss.cli.dialect_choice import dialect_options, known
from isogloss.cli.progress import Bar
from isogloss.cli.report_views.survey import Survey
from isogloss.cli.settings import Configuration, load
from isogloss.cli.terminal import color_option
from isogloss.validator import engines
from isogloss.validator.dialects.speakers import AutoSpeaker
from isogloss.validator.exchange import Skipped
from isogloss.validator.judging.judge import Judge
from isogloss.validator.quoting import printable

__all__ = ["FORMATS", "command"]

FORMATS = {"text": "text", "json": "as_json", "markdown": "markdown", "html": "page"}
"""The name of each format and its module, which has ``render(survey) -> str``; that of text takes the stream, too."""


@click.command(name="report")
@click.argument("paths", nargs=-1, required=True, type=click.Path(exists=True, allow_dash=True), metavar="PATH...")
@click.option("--format", "output_format", type=click.Choice(tuple(FORMATS)), default="text", show_default=True)
@click.option("--output", "target", type=click.Path(dir_okay=False, path_type=Path), help="Write to this file.")
@click.option("--evidence", is_flag=True, help="Print the evidence for and against the dialects of each exchange.")
@click.option("--body-alone", is_flag=True, help="Attribute by the payloads alone, even where the host is known.")
@color_option
@dialect_options
@corpus_options
@click.pass_context
def command(
    ctx: click.Context,
    paths: tuple[str, ...],
    output_format: str,
    target: Path | None,
    evidence: bool,
    body_alone: bool,
    dialect_files: tuple[Path, ...],
    exclude: tuple[str, ...],
    no_respect_gitignore: bool,
    config_file: Path | None,
) -> None:
    """Report which dialects the captures under PATH speak.

    Unexplained deviations come first: those that the dialect of their exchange is not known for.

    \b
    Examples:
      isogloss report tests/cassettes
      isogloss report recordings --format html --output dialects.html
    """
    line: dict[str, Any] = {"exclude": exclude, "dialect-files": dialect_files}
    if no_respect_gitignore:
        line["respect-gitignore"] = False
    configured = load(config_file, {name: value for name, value in line.items() if value != ()})
    survey = survey_of(paths, configured, evidence=evidence, body_alone=body_alone)
    view = import_module(f"isogloss.cli.report_views.{FORMATS[output_format]}")
    if target is None:
        sys.stdout.write(view.render(survey, sys.stdout) if output_format == "text" else view.render(survey))
    else:
        with output.replacing(target) as out:
            out.write(view.render(survey))
        click.echo(f"wrote {target}", err=True)
    ctx.exit(exits.OK if survey.exchanges else exits.NOTHING_CHECKED)


def survey_of(paths: tuple[str, ...], configured: Configuration, *, evidence: bool, body_alone: bool) -> Survey:
    """Judge every exchange under the paths by all rules, and gather what that says about dialects."""
    dialects = known(configured.dialect_files())
    survey = Survey(dialects)
    judge = Judge(engines.load(), speaker=AutoSpeaker(dialects.values(), hosts=not body_alone))
    corpus = Corpus(configuration=configured)
    with Bar() as bar:
        for path in bar.of(corpus.walk(paths)):
            _read(path, corpus, judge, survey, keep_evidence=evidence)
            bar.advance()
    for unmatched in corpus.unmatched(paths):
        click.echo(f"Note: {printable(unmatched)}", err=True)
    return survey


def _read(path: str | Skipped, corpus: Corpus, judge: Judge, survey: Survey, *, keep_evidence: bool) -> None:
    if isinstance(path, Skipped):
        survey.skipped.append(path)
        return
    survey.files += 1
    for found in corpus.read(path):
        if isinstance(found, Skipped):
            survey.skipped.append(found)
        else:
            survey.add(found, judge.judge(found), keep_evidence=keep_evidence)
