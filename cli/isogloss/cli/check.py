"""``isogloss check``: verdicts on captures."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from isogloss.cli import exits, inputs, output, reporters
from isogloss.cli.dialect_choice import dialect_options, speaker
from isogloss.cli.probe.options import server_options
from isogloss.cli.selection import active_rules
from isogloss.cli.summary import Run
from isogloss.validator import engines
from isogloss.validator.captures import formats
from isogloss.validator.exchange import Skipped
from isogloss.validator.findings import Severity
from isogloss.validator.judge import Judge
from isogloss.validator.kinds import KINDS

__all__ = ["command"]

_SEVERITIES = {severity.label: severity for severity in Severity}


class _InputFormat(click.ParamType):  # type: ignore[type-arg, unused-ignore]  # generic from click 8.4 on
    """An input format by name; the formats are imported only to check one that was given."""

    name = "format"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if value not in formats():
            self.fail(f"{value!r} is none of {', '.join(sorted(formats()))}", param, ctx)
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
    help="How to say it.",
)
@click.option(
    "--fail-on",
    type=click.Choice(tuple(_SEVERITIES)),
    default="error",
    show_default=True,
    help="The severity from which on findings fail the run.",
)
@click.option(
    "--strict", is_flag=True, help="Demand what the published reference requires, even where OpenAI omits it."
)
@click.option(
    "--dialect",
    default="openai",
    show_default=True,
    metavar="SLUG",
    help="Whose deviations are notes: a dialect's, or with auto those of whichever the evidence speaks for.",
)
@dialect_options
@click.option("--select", multiple=True, metavar="NAMES", help="Only these rules or groups, comma-separated.")
@click.option("--ignore", multiple=True, metavar="NAMES", help="All but these rules or groups, comma-separated.")
@click.option(
    "--engine",
    type=click.Choice(engines.NAMES),
    help="The JSON Schema engine; by default the faster one that is installed.",
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
    paths: tuple[str, ...],
    kind: str | None,
    input_format: str | None,
    output_format: str,
    fail_on: str,
    strict: bool,
    dialect: str,
    dialect_files: tuple[Path, ...],
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    engine: str | None,
    live: str | None,
    request: Path | None,
    api_key_env: str | None,
    headers: tuple[str, ...],
    header_env: tuple[str, ...],
    timeout: float,
    allow_empty: bool,
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
    severities = {"documented-property-absent": Severity.ERROR} if strict else {}
    judge = Judge(
        _engine(engine),
        active=active_rules(select, ignore),
        severities=severities,
        speaker=speaker(dialect, dialect_files),
    )
    run = Run(_SEVERITIES[fail_on])
    for path in inputs.walk(paths):
        if isinstance(path, Skipped):
            run.skipped.append(path)
            continue
        run.files += 1
        for found in inputs.read(path, kind=kind, input_format=input_format):  # type: ignore[arg-type]
            if isinstance(found, Skipped):
                run.skipped.append(found)
            else:
                run.add(judge.judge(found))
    if live is not None and request is not None:
        from isogloss.cli.probe.live import answered
        from isogloss.cli.probe.target import target

        server = target(live, key_variable=api_key_env, headers=headers, variables=header_env)
        answer = answered(server, request, timeout)
        if isinstance(answer, Skipped):
            run.skipped.append(answer)
        else:
            run.add(judge.judge(answer))
    with output.until_closed():
        reporters.report(output_format, run, sys.stdout)
    if run.failed:
        ctx.exit(exits.FAILED)
    ctx.exit(exits.OK if run.exchanges or allow_empty else exits.NOTHING_CHECKED)


def _engine(name: str | None) -> engines.Engine:
    try:
        return engines.load(name)
    except ModuleNotFoundError as error:
        raise click.UsageError(f"the engine {name} is not installed") from error
