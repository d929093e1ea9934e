"""``isogloss check``: check captures, and report the findings and a verdict."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from isogloss.cli import reporters
from isogloss.cli.checking.checker import Checker, CheckerOptions
from isogloss.cli.checking.run_settings import RunSettings
from isogloss.cli.checking.summary import Run
from isogloss.cli.commands.check_options import CheckOptions, check_options
from isogloss.cli.configuration.dialect_choice import check_use
from isogloss.cli.configuration.parameters import why_unreadable
from isogloss.cli.configuration.selection import problem_of_rule
from isogloss.cli.configuration.settings import Configuration, overlooked
from isogloss.cli.configuration.settings import load as load_settings
from isogloss.cli.elements.outputs import write_files
from isogloss.cli.process import exits, output, terminal
from isogloss.cli.reading.targets import check_targets
from isogloss.cli.reading.unread import say_unread
from isogloss.cli.reporters import statistics, text
from isogloss.validator import engines
from isogloss.validator.exchange import Skipped, Why
from isogloss.validator.findings import SEVERITIES, STDIN
from isogloss.validator.quoting import count_of
from isogloss.validator.secrets import mask_text

__all__ = ["command"]


@click.command()
@check_options
@click.pass_context
def command(ctx: click.Context, /, **values: Any) -> None:
    """Check captured payloads, streams and exchanges against the OpenAI reference.

    PATH is a file, a folder or - for standard input. Cassettes, HAR files, event streams, JSON Lines, logs, payloads
    and other captures are recognised by their content.

    \b
    Examples:
      isogloss check answer.json
      isogloss check tests/cassettes --fail-on warning
      curl -sN … | isogloss check -
      isogloss check --live http://localhost:8000/v1 --request request.json
    """
    options = CheckOptions(values)
    configuration = load_settings(options.config_file, options.settings)
    _check_names(options, configuration)
    targets = [path for _, path in options.outputs]
    known = configuration.baseline() if options.write_baseline is None else None
    others = [*configuration.files, options.request, known]
    check_targets([path for path in (*targets, options.write_baseline) if path], options.paths, others)
    run = Run(_run_settings(options, configuration))
    lines = None if options.statistics else reporters.lines(options.output_format, options.detail, sys.stdout)
    checker = _checker(options, configuration, run, lines)
    checker.files(options.paths, jobs=options.jobs)
    answered = (
        options.live is None
        or options.request is None
        or _check_live_answer(options.live, options.request, options, checker)
    )
    if options.detail != "quiet":
        own = overlooked(options.paths, configuration.file) if options.config_file is None else []
        for message in (*own, *checker.unmatched(options.paths)):
            output.say(f"Note: {message}")
    _report(options, run, lines)
    if checker.new_baseline is not None:
        known_findings = count_of(checker.new_baseline.write(), "known finding")
        output.say(f"{known_findings} written to {options.write_baseline}")
    for error in run.internal_errors:
        output.say(f"Error: {error}")
    unread = _say_unread(options, run)
    if not answered and run.has_verdict:
        output.say("Error: the server of --live gave no answer to the request")
    ctx.exit(_exit_code(options, run) or (exits.NOTHING_CHECKED if unread or not answered else exits.OK))


def _stdin_name(options: CheckOptions) -> str:
    return STDIN if options.stdin_filename is None else mask_text(options.stdin_filename)


def _say_unread(options: CheckOptions, run: Run) -> bool:
    """Write a message for each path that the user named, and that could not be read, or not to its end.

    With ``--allow-empty``, another program names the paths. Then only those count that the user may not read. If
    nothing was checked, the run does not pass anyway, and the report has the reasons. Return whether there was a
    message.
    """
    closed = [problem for path in options.paths if (problem := why_unreadable(path)) is not None]
    for problem in closed:
        output.say(f"Error: {problem}")
    if closed or options.allow_empty or not run.has_verdict:
        return bool(closed)
    return say_unread(options.paths, run.skipped, _stdin_name(options))


def _check_names(options: CheckOptions, configuration: Configuration) -> None:
    """Raise ``click.UsageError`` for the name of a rule or dialect in an option that has no effect on any file."""
    check_use(configuration.line.get("dialect-files", ()), configuration.used("dialect"))
    for rule, _ in options.fail_on_rate:
        problem = problem_of_rule(rule, configuration.own_rules)
        if problem is None and not configuration.may_check(rule):
            problem = f"{rule!r} is not checked: it is ignored, or not selected"
        if problem is not None:
            raise click.BadParameter(problem, param_hint="'--fail-on-rate'")


def _run_settings(options: CheckOptions, configuration: Configuration) -> RunSettings:
    """Return the settings of the run. The formats of its reports decide what it keeps."""
    least, fail_on = SEVERITIES[options.min_severity], SEVERITIES[configuration.settings(None).fail_on]
    least_failing = min(SEVERITIES[label] for label in configuration.used("fail-on"))
    if least > least_failing:
        raise click.UsageError(f"--min-severity {least.label} would hide what fails the run: {least_failing.label}s")
    detail, formats = options.detail_and_formats
    shown = [name for name in formats if reporters.shows_contexts(name, detail)]
    return RunSettings(
        fail_on,
        fail_on_impact=options.fail_on_impact,
        limits=dict(options.fail_on_rate),
        least_severity=least,
        keep="all" if options.outputs else reporters.what_to_keep(options.output_format, detail),
        detail=options.detail,
        has_contexts=bool(shown),
        frames_notes_once=all(reporters.format_of(name).frames_notes_once for name in shown),
        has_survey=any(reporters.format_of(name).shows_survey for name in formats),
        show_impact=options.asks_for_impact,
        clients=options.clients or (),
    )


def _checker(options: CheckOptions, configuration: Configuration, run: Run, lines: reporters.Lines | None) -> Checker:
    checker_options = CheckerOptions(
        configuration,
        _engine(options.engine),
        kind=options.kind,
        input_format=options.input_format,
        show_values=options.show_values,
        stdin_name=_stdin_name(options),
        clients=options.clients or () if options.shows_impact else None,
    )
    new_baseline = None
    if options.write_baseline is not None:
        from isogloss.cli.checking.baseline import NewBaseline  # few runs write one

        new_baseline = NewBaseline(options.write_baseline)
    return Checker(
        checker_options,
        run,
        new_baseline=new_baseline,
        each=lines.add if lines is not None else None,
        cut=options.output_format != "jsonl",
    )


def _check_live_answer(url: str, request: Path, options: CheckOptions, checker: Checker) -> bool:
    """Send a request to a server, and check its answer. Return whether it is one, and no refusal."""
    from isogloss.cli.probe.answer_checks import completion_of
    from isogloss.cli.probe.failures import why_all_are_refused
    from isogloss.cli.probe.live import post_file
    from isogloss.cli.probe.target import make_target

    server = make_target(url, key_variable=options.api_key_env, headers=options.headers, variables=options.header_env)
    answer = post_file(server, request, options.timeout)
    if isinstance(answer, Skipped):
        checker.run.skipped.append(answer)
        return False
    checker.exchange(answer)
    status = answer.http.status
    if status is None or status < 400 or completion_of(answer) is not None:
        return True
    checker.run.inconclusive += 1
    why = why_all_are_refused(server, status) or f"the answer has status {status}"
    reason = f"only the error was checked: {why}"
    checker.run.skipped.append(Skipped(file=answer.file, why=Why(reason)))
    return False


def _report(options: CheckOptions, run: Run, lines: reporters.Lines | None) -> None:
    if options.statistics:
        statistics.report(run, sys.stdout)
    elif lines is not None:
        lines.end(run)
    else:
        reporters.report(options.output_format, run, sys.stdout)
    write_files(reporters.report, run, options.outputs)


def _exit_code(options: CheckOptions, run: Run) -> int:
    """Return the exit code of a run.

    If nothing was checked, a quiet run with text output writes the reason to standard error, since it has no report.
    """
    if run.internal_errors:
        return exits.INTERNAL
    if run.failed and run.has_verdict:
        return exits.OK if options.exit_zero else exits.FAILED
    if run.has_verdict or options.allow_empty:
        return exits.OK
    if options.detail == "quiet" and options.output_format == "text":
        terminal.write(text.nothing_checked(run), sys.stderr)
    return exits.NOTHING_CHECKED


def _engine(name: str | None) -> engines.Engine:
    try:
        return engines.load(name)
    except ModuleNotFoundError as error:
        raise click.UsageError(f"the engine {name} is not installed: pip install {name}") from error
