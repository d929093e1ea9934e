"""``isogloss repro``: write the smallest capture that keeps a finding."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import click

from isogloss.cli.checking.contexts import contexts
from isogloss.cli.checking.judges import configured_severities, is_active, make_judge
from isogloss.cli.configuration.dialect_choice import check_use, dialect_options
from isogloss.cli.configuration.parameters import Count, GivenPath
from isogloss.cli.configuration.paths import display_path, name_of
from isogloss.cli.configuration.selection import problem_of_rule
from isogloss.cli.configuration.settings import Configuration, Settings, load
from isogloss.cli.elements.skipping import say_advice, say_skipped
from isogloss.cli.process import exits, output
from isogloss.cli.process.progress import Status
from isogloss.cli.reading.capture_path import CapturePath
from isogloss.cli.reading.corpus import Corpus, input_format_option
from isogloss.cli.reading.targets import check_targets
from isogloss.cli.reading.unread import say_unread
from isogloss.cli.repro_formats import markdown, pytest_test, replay
from isogloss.cli.repro_formats.model import Repro
from isogloss.validator import engines, rules
from isogloss.validator.examining.examined import is_rest
from isogloss.validator.exchange import Exchange, Skipped
from isogloss.validator.findings import Finding, Severity
from isogloss.validator.judging.judge import Judge, Verdict
from isogloss.validator.quoting import count_of, join_first, printable
from isogloss.validator.reducing.reduction import Reduction, reduce

__all__ = ["command"]

_FORMATS = {"replay": replay.text, "pytest": pytest_test.text, "markdown": markdown.text}
_MOST_NAMED = 10
_NO_EXCHANGE = "no exchange"


class _Choice(NamedTuple):
    """The options that choose a finding."""

    rule: str | None
    at: str | None
    number: int | None

    def matches(self, finding: Finding) -> bool:
        """Return whether the options choose this finding."""
        return self.rule in (None, finding.rule) and self.at in (None, finding.path, finding.pointer)


@click.command(name="repro")
@click.argument("capture", type=CapturePath(folder=False))
@click.option("--rule", metavar="RULE", help="The rule of the finding; without it, the most severe finding counts.")
@click.option("--at", metavar="PATH", help="The path of the finding, such as choices[].index, or its JSON Pointer.")
@input_format_option
@click.option("--exchange", "number", type=Count(0), metavar="N", help="The exchange of the finding, counted from 0.")
@dialect_options
@click.option(
    "--format",
    "form",
    type=click.Choice(("file", *_FORMATS)),
    default="file",
    show_default=True,
    help="A capture, shell commands with curl and nc, a test for pytest, or a page for an issue tracker.",
)
@click.option(
    "--output",
    "target",
    type=GivenPath(),
    help="Write to this new file.",
)
@click.option("--force", is_flag=True, help="Overwrite the file of --output, unless it is the capture.")
@click.pass_context
def command(
    ctx: click.Context,
    capture: str,
    rule: str | None,
    at: str | None,
    input_format: str | None,
    number: int | None,
    dialect: str | None,
    dialect_files: tuple[Path, ...],
    form: str,
    target: Path | None,
    force: bool,
) -> None:
    """Write the smallest payload, stream or exchange that keeps a finding of CAPTURE, with neutral words in it.

    CAPTURE is a file, or - for standard input. If several findings match, the most severe one counts, then the first.
    What is written has no error and no warning that the exchange did not have.

    \b
    Examples:
      isogloss repro cassette.yaml --rule finish-reason-repeated
      isogloss repro log.jsonl --at 'choices[].index' --exchange 4 --format pytest
    """
    if rule is not None:
        _check_rule(rule)
    if force and target is None:
        raise click.UsageError("--force is for the file of --output, which is not given")
    configuration = load(None, {"dialect": dialect, "dialect-files": dialect_files})
    corpus = Corpus(configuration, input_format=input_format)
    settings = configuration.settings(corpus.name(capture))
    check_use(dialect_files, [settings.dialect])
    if target is not None:
        _check_target(target, capture, force=force)
    if rule is not None and not is_active(rule, configuration, settings):
        raise click.UsageError(f"{rule!r} is not checked: the configuration ignores it, or selects others")
    judge = make_judge(configuration, settings, engines.load(), expects=False)
    severities = configured_severities(settings)
    with Status() as status:
        items = chain.from_iterable(exchanges for _, exchanges in corpus.read_all([capture]))
        skipped: list[Skipped] = []
        found = _find(items, judge, _Choice(rule, at, number), severities, status, skipped)
        if isinstance(found, str):
            say_skipped(skipped, {} if found == _NO_EXCHANGE else {name_of(capture): 1})
            output.say(f"{name_of(capture)}: {found}")
            if found == _NO_EXCHANGE:
                say_advice(skipped)
            ctx.exit(exits.NOTHING_CHECKED)
        reduction = reduce(*found, judge, partial(_show_progress, status))
    if reduction is None:
        output.say(f"{name_of(capture)}: a capture of this exchange alone does not have the finding")
        ctx.exit(exits.NOTHING_CHECKED)
    repro = _make_repro(reduction, dialect, configuration, settings)
    _write(reduction.data if form == "file" else _FORMATS[form](repro).encode(), target)
    click.echo(_summary(found[1], reduction), err=True)
    # What could not be read before the search ended may hold a finding that counts more.
    ctx.exit(exits.NOTHING_CHECKED if say_unread([capture], skipped) else exits.OK)


def _check_rule(rule: str) -> None:
    """Raise ``click.UsageError`` for a name that is not that of a rule whose findings can be kept."""
    if rule.startswith(f"{rules.EXPECTED}/"):
        raise click.UsageError("repro keeps findings of the rules of isogloss, and not those of expectations")
    if (problem := problem_of_rule(rule, ())) is not None:
        raise click.UsageError(problem)


def _summary(finding: Finding, reduction: Reduction) -> str:
    """Return which finding of the capture was kept, and how small the result is."""
    place = f"at {printable(finding.path)} " if finding.path else ""
    return (
        f"{finding.rule}, {finding.severity.label} {place}of exchange {finding.source.exchange}: "
        f"{count_of(len(reduction.data), 'byte')}, {count_of(reduction.judged, 'smaller capture')} tried"
        + (", up to the limit: a smaller one may exist" if reduction.ended else "")
    )


def _check_target(target: Path, capture: str, *, force: bool) -> None:
    """Raise ``click.UsageError`` if an existing file would be lost."""
    check_targets([target], [capture])
    if target.exists() and not force:
        raise click.UsageError(
            f"{display_path(str(target))} is there already: name a new file; without --force, none is overwritten"
        )


def _find(
    items: Iterable[Exchange | Skipped],
    judge: Judge,
    choice: _Choice,
    severities: Mapping[str, Severity],
    status: Status,
    skipped: list[Skipped],
) -> tuple[Verdict, Finding] | str:
    """Return the chosen finding with the verdict that has it, or a message that says why there is none.

    ``severities`` are those that the configuration gives to rules. What is not read is added to ``skipped``.
    """
    best: tuple[Verdict, Finding] | None = None
    found: dict[str, None] = {}  # in order
    number = -1
    most_severe = (
        Severity.ERROR if choice.rule is None else severities.get(choice.rule, rules.rule(choice.rule).severity)
    )
    for exchange in items:
        if isinstance(exchange, Skipped):
            skipped.append(exchange)
            continue
        number = exchange.number
        status.show(f"looking through exchange {number}")
        if choice.number not in (None, number):
            continue
        verdict = judge.judge(exchange)
        for finding in verdict.findings:
            if is_rest(finding.message):
                continue
            found[finding.rule if choice.at is None else finding.path] = None
            if choice.matches(finding) and (best is None or finding.severity > best[1].severity):
                best = verdict, finding
        if best is not None and (best[1].severity >= most_severe or choice.number is not None):
            break
    return _why_none(choice, number, list(found)) if best is None else best


def _why_none(choice: _Choice, last_number: int, found: Sequence[str]) -> str:
    """Return a message that says why no finding is the chosen one.

    ``found`` are the paths that have findings if the user gave a path, otherwise the rules.
    """
    if last_number < 0:
        return _NO_EXCHANGE
    if choice.number is not None and choice.number > last_number:
        return f"there is no exchange {choice.number}; the last one is {last_number}"
    if not found:
        return "no findings" if choice.number is None else f"no findings in exchange {choice.number}"
    preposition = "of" if choice.at is None else "at"
    named = join_first([path or "no path" for path in found], _MOST_NAMED)
    return f"no such finding; there are findings {preposition} {named}"


def _show_progress(status: Status, size: int, judged: int) -> None:
    status.show(f"{size:,} bytes, {judged:,} smaller captures tried")


def _make_repro(
    reduction: Reduction, given_dialect: str | None, configuration: Configuration, settings: Settings
) -> Repro:
    """Return the reproduction. To check it, the dialect is needed only if the user gave it, or if the rule is about it.

    The severity that a configuration gives to a rule holds only where this configuration is.
    """
    rule = reduction.finding.rule
    names_dialect = given_dialect is not None or rules.group_of(rule) == "dialect"
    known = next((context.dialects for _, context in contexts(reduction.verdict, [reduction.finding])), None)
    return Repro(
        data=reduction.data,
        properties=reduction.values.properties,
        exchange=reduction.verdict.examined.exchange,
        finding=reduction.finding,
        dialects=known or (),
        dialect=settings.dialect if names_dialect else "openai",
        dialect_files=configuration.dialect_files(),
        fails_on=Severity.NOTE if rule in configured_severities(settings) else reduction.finding.severity,
    )


def _write(data: bytes, target: Path | None) -> None:
    """Write to a file, or to standard output; a terminal gets what it might act on as escapes."""
    if target is not None:
        with output.open_atomic(target) as out:
            out.buffer.write(data)
    elif sys.stdout.isatty():
        click.echo("\n".join(map(printable, data.decode("utf-8", "backslashreplace").split("\n"))))
    else:
        sys.stdout.buffer.write(data)
