"""``isogloss report``: show which dialects a corpus speaks, what it exercises, or which clients break on it."""

from __future__ import annotations

import sys
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TextIO, TypeAlias

import click

from isogloss.cli.checking.mapping_use import MappingUse, watch
from isogloss.cli.checking.survey import Survey
from isogloss.cli.checking.unused import unused_mappings
from isogloss.cli.configuration.dialect_choice import auto_explainer, dialect_files_option, known_dialects
from isogloss.cli.configuration.parameters import ClientNames
from isogloss.cli.configuration.paths import distinct
from isogloss.cli.configuration.record_settings import columns_option
from isogloss.cli.configuration.settings import Configuration, load, overlooked
from isogloss.cli.elements.indented_json import write_document
from isogloss.cli.elements.outputs import output_options, write_files
from isogloss.cli.elements.skipping import say_advice, skipped_lines
from isogloss.cli.process import exits, output
from isogloss.cli.process.progress import ProgressBar
from isogloss.cli.process.terminal import color_option
from isogloss.cli.reading.capture_path import CapturePath
from isogloss.cli.reading.corpus import Corpus, corpus_options, input_format_option
from isogloss.cli.reading.targets import check_targets
from isogloss.cli.reading.unread import say_unread
from isogloss.cli.report_views.clients.counts import ClientView
from isogloss.cli.report_views.coverage.counts import Coverage
from isogloss.cli.report_views.tables import ViewTables
from isogloss.schemas import client_files
from isogloss.validator import engines
from isogloss.validator.captures.mapping import Mapping as RecordMapping
from isogloss.validator.exchange import Skipped
from isogloss.validator.impact import matcher_of
from isogloss.validator.judging.judge import Judge

__all__ = ["FORMATS", "VIEWS", "command"]

FORMATS = ("text", "json", "markdown", "html")
"""The names of the formats."""

VIEWS = ("dialects", "coverage", "clients")
"""The names of the views. Each has a folder in ``report_views``."""

_View: TypeAlias = Survey | Coverage | ClientView


@click.command(name="report")
@click.argument("paths", nargs=-1, required=True, type=CapturePath(), metavar="PATH...")
@click.option(
    "--view",
    type=click.Choice(VIEWS),
    default="dialects",
    show_default=True,
    help="Which dialects are spoken; which parts of the reference occur in the captures; or which clients were seen to "
    "break on such answers.",
)
@input_format_option
@output_options(FORMATS)
@columns_option
@click.option("--evidence", is_flag=True, help="Print the evidence for and against the dialects of each exchange.")
@click.option(
    "--clients",
    type=ClientNames(),
    metavar="NAMES",
    help="Show only these clients, comma-separated, with --view clients.",
)
@color_option
@dialect_files_option
@corpus_options
@click.pass_context
def command(
    ctx: click.Context,
    paths: tuple[str, ...],
    view: str,
    input_format: str | None,
    output_format: str,
    outputs: tuple[tuple[str, Path], ...],
    records: dict[str, str | bool] | None,
    evidence: bool,
    clients: tuple[str, ...] | None,
    dialect_files: tuple[Path, ...],
    exclude: tuple[str, ...],
    respect_gitignore: bool | None,
    config_file: Path | None,
) -> None:
    """Report which dialects the captures under PATH speak, what they cover, or which clients break on such answers.

    Unexplained deviations come first: those that the dialect of their exchange is not known for. With --view coverage,
    the properties, values and rules that never occur in the captures come first. With --view clients, the report lists
    the clients that were seen to break on such deviations, with the number of exchanges.

    \b
    Examples:
      isogloss report tests/cassettes
      isogloss report recordings --output html:dialects.html
      isogloss report recordings --view coverage
      isogloss report recordings --view clients
    """
    if view != "dialects" and (evidence or dialect_files):
        raise click.UsageError("--evidence and --dialect-file are for --view dialects")
    if view != "clients" and clients is not None:
        raise click.UsageError("--clients is for --view clients")
    overrides = {
        "exclude": exclude,
        "dialect-files": dialect_files,
        "respect-gitignore": respect_gitignore,
        "records": records,
    }
    configuration = load(config_file, overrides)
    check_targets([path for _, path in outputs], paths, configuration.files)
    results, judge = _view_and_judge(view, clients, configuration, keep_evidence=evidence)
    _gather(Corpus(configuration, input_format=input_format), paths, judge, results)
    for message in overlooked(paths, configuration.file) if config_file is None else ():
        output.say(f"Note: {message}")
    write = partial(_report, view)
    write(output_format, results, sys.stdout)
    write_files(write, results, outputs)
    if not results.exchanges:
        say_advice(results.skipped, any_file=results.files > 0)
        ctx.exit(exits.NOTHING_CHECKED)
    ctx.exit(exits.NOTHING_CHECKED if say_unread(paths, results.skipped) else exits.OK)


def _view_and_judge(
    view: str, clients: tuple[str, ...] | None, configuration: Configuration, *, keep_evidence: bool
) -> tuple[_View, Judge]:
    """Return a view without counts, and the judge that finds what it counts."""
    engine = engines.load()
    if view == "clients":
        by_client = ClientView(clients or client_files.clients())
        return by_client, Judge(engine, matcher=matcher_of(by_client.clients))
    if view == "coverage":
        return Coverage(), Judge(engine)
    dialects = known_dialects(configuration.dialect_files())
    survey = Survey(dialects, keep_evidence=keep_evidence)
    return survey, Judge(engine, explainer=auto_explainer(tuple(dialects.values())))


def _report(view: str, name: str, results: _View, out: TextIO) -> None:
    """Write the report on a view in a format."""
    folder = f"isogloss.cli.report_views.{view}"
    if name == "html":
        out.write(import_module(f"{folder}.page").render(results))
    elif name == "json":
        write_document(import_module(f"{folder}.as_json").document(results), out)
    else:
        tables = import_module(f"{folder}.tables")
        evidence = tables.evidence_lines(results) if isinstance(results, Survey) else ()
        skipped = skipped_lines(results.skipped, results.checked)
        shown = ViewTables(view.capitalize(), tables.heading(results), tables.tables(results), skipped, evidence)
        import_module(f"isogloss.cli.report_views.{name}").report(shown, out)


def _gather(corpus: Corpus, paths: tuple[str, ...], judge: Judge, results: _View) -> None:
    """Judge every exchange under the paths by all rules, and add what that says to a view."""
    configuration, uses = corpus.configuration, dict[RecordMapping, MappingUse]()
    with ProgressBar() as bar:
        for path, exchanges in corpus.read_all(bar.track(distinct(corpus.walk(paths), paths))):
            if isinstance(path, Skipped):
                results.skipped.append(path)
            else:
                results.files += 1
                for exchange in watch(path, configuration.records(corpus.name(path)), exchanges, uses):
                    if isinstance(exchange, Skipped):
                        results.skipped.append(exchange)
                    else:
                        results.add(exchange, judge.judge(exchange))
            bar.advance()
    for message in (*corpus.unmatched(paths), *unused_mappings(uses, is_whole=corpus.is_whole(paths))):
        output.say(f"Note: {message}")
