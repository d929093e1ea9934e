"""The options of ``isogloss check``, and what they came to as one value."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from functools import reduce
from pathlib import Path
from typing import Any, Literal

import click

from isogloss.cli import reporters, stores
from isogloss.cli.checker import SEVERITIES
from isogloss.cli.clients_choice import ClientNames
from isogloss.cli.corpus import corpus_options
from isogloss.cli.dialect_choice import dialect_options
from isogloss.cli.probe.options import server_options
from isogloss.cli.rates import Limit
from isogloss.cli.record_settings import Columns
from isogloss.cli.terminal import color_option
from isogloss.validator import engines
from isogloss.validator.captures import input_formats
from isogloss.validator.captures.tables.columns import PRESETS
from isogloss.validator.exchange import Kind
from isogloss.validator.kinds import KINDS

__all__ = ["Options", "check_options"]

_Command = Callable[..., Any]


class _InputFormat(click.ParamType):  # type: ignore[type-arg, unused-ignore]  # generic from click 8.4 on
    """An input format by name; the formats are imported only to check one that was given."""

    name = "format"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if value not in input_formats():
            self.fail(f"{value!r} is none of {', '.join(sorted(input_formats()))}", param, ctx)
        return value


class _Path(click.Path):
    """A file or directory that is there, or a URL of an object store."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return value if stores.is_stored(value) else super().convert(value, param, ctx)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Options:
    """The options of a run from the command line. ``settings`` are those that a configuration may have, too."""

    paths: tuple[str, ...]
    kind: Kind | None
    input_format: str | None
    output_format: str
    outputs: tuple[tuple[str, Path], ...]
    detail: Literal["quiet", "usual", "verbose"]
    statistics: bool
    show_values: bool
    min_severity: str
    exit_zero: bool
    clients: tuple[str, ...] | None
    fail_on_impact: bool
    fail_on_rate: tuple[tuple[str, float], ...]
    stdin_filename: str | None
    config_file: Path | None
    write_baseline: Path | None
    engine: str | None
    jobs: int
    live: str | None
    request: Path | None
    api_key_env: str | None
    headers: tuple[str, ...]
    header_env: tuple[str, ...]
    timeout: float
    allow_empty: bool
    settings: Mapping[str, Any]

    @staticmethod
    def of(given: Mapping[str, Any]) -> Options:
        """Make the options from the values of click. Raises ``click.UsageError`` if some of them do not go together."""
        own = {field.name for field in fields(Options)} - {"settings"}
        settings = {name.replace("_", "-"): value for name, value in given.items() if name not in own}
        if settings.pop("no-respect-gitignore"):
            settings["respect-gitignore"] = False
        kept = {name: value for name, value in settings.items() if value not in (None, ())}
        options = Options(**{name: given[name] for name in own} | {"detail": given["detail"] or "usual"}, settings=kept)
        options._fit()
        return options

    @property
    def written(self) -> tuple[str, list[str]]:
        """The level of detail on standard output, and the names of all formats that are written."""
        files = [name for name, _ in self.outputs]
        return ("usual", files) if self.statistics else (self.detail, [*files, self.output_format])

    @property
    def asks_for_impact(self) -> bool:
        """Whether an option requests what clients were seen to break on. Some formats show it only then."""
        return self.clients is not None or self.fail_on_impact

    @property
    def shows_impact(self) -> bool:
        """Whether the run needs what clients were seen to break on. If not, none of this data is read."""
        detail, formats = self.written
        return self.asks_for_impact or any(reporters.shows_impact(name, detail) for name in formats)

    def _fit(self) -> None:
        if (self.live is None) != (self.request is None):
            raise click.UsageError("--live and --request need each other")
        if not self.paths and self.live is None:
            raise click.UsageError("Missing argument 'PATH...'.")
        silent = [name for name in (self.output_format, *dict(self.outputs)) if name not in reporters.SHOWING_VALUES]
        if self.show_values and silent:
            shown = ", ".join(reporters.SHOWING_VALUES)
            raise click.UsageError(f"--show-values is for {shown}: {silent[0]} quotes no values")
        if self.fail_on_impact and self.min_severity != "note":
            raise click.UsageError(
                f"--min-severity {self.min_severity} would hide what fails the run: what a client was seen to break on"
            )
        if self.statistics and self.output_format != "text":
            raise click.UsageError(f"--statistics is for text, not for {self.output_format}")


_OPTIONS: tuple[Callable[[_Command], _Command], ...] = (
    click.argument("paths", nargs=-1, type=_Path(exists=True, readable=False, allow_dash=True), metavar="PATH..."),
    click.option("--kind", type=click.Choice(KINDS), help="What the payloads are, whatever their content says."),
    click.option(
        "--input-format", type=_InputFormat(), help="Read the files as this format, whatever their bytes say."
    ),
    click.option(
        "--columns",
        "records",
        type=Columns(),
        help="Where records, or the rows of a table, hold the parts of an exchange: like "
        f"request=asked,response=answer, or one of {', '.join(PRESETS)}.",
    ),
    click.option(
        "--format",
        "output_format",
        type=click.Choice(tuple(reporters.FORMATS)),
        default="text",
        show_default=True,
        help="How to say it on standard output.",
    ),
    click.option(
        "--output",
        "outputs",
        type=reporters.OutputFile(),
        multiple=True,
        metavar="FORMAT:FILE",
        help="Write it to a file, too, in this format. May be repeated.",
    ),
    click.option("-q", "--quiet", "detail", flag_value="quiet", help="As text, print nothing but what fails the run."),
    click.option(
        "-v", "--verbose", "detail", flag_value="verbose", help="As text, print every finding by itself, and more."
    ),
    color_option,
    click.option(
        "--statistics", is_flag=True, help="As text, how often each rule found something, instead of the findings."
    ),
    click.option(
        "--show-values",
        is_flag=True,
        help="Quote what stands at each place: message text, too, but no keys. For text, json and jsonl.",
    ),
    click.option(
        "--fail-on",
        type=click.Choice(tuple(SEVERITIES)),
        help="The severity from which on findings fail the run.  [default: error]",
    ),
    click.option(
        "--fail-on-rate",
        type=Limit(),
        multiple=True,
        metavar="RULE=PERCENT",
        help="Fail, too, when a rule finds something in more of the exchanges where it could, like "
        "arguments-off-schema=2%. May be repeated.",
    ),
    click.option(
        "--min-severity",
        type=click.Choice(tuple(SEVERITIES)),
        default="note",
        show_default=True,
        help="The severity from which on findings are reported at all, in every format.",
    ),
    click.option(
        "--clients",
        type=ClientNames(),
        metavar="NAMES",
        help="Show what these clients were seen to break on, comma-separated, and of no other; see isogloss clients.",
    ),
    click.option(
        "--fail-on-impact",
        is_flag=True,
        help="Fail, too, on what a client was seen to break on, whatever its severity: any, or one of --clients.",
    ),
    click.option("--exit-zero", is_flag=True, help="End with 0 also where findings would fail the run."),
    click.option(
        "--strict",
        is_flag=True,
        default=None,
        help="Demand what the published reference requires, even where OpenAI omits it.",
    ),
    click.option(
        "--dialect",
        metavar="SLUG",
        help="Whose deviations are notes: a dialect's, or with auto those of whichever the evidence speaks for.  "
        "[default: openai]",
    ),
    dialect_options,
    click.option("--select", multiple=True, metavar="NAMES", help="Only these rules or groups, comma-separated."),
    click.option("--ignore", multiple=True, metavar="NAMES", help="All but these rules or groups, comma-separated."),
    corpus_options,
    click.option(
        "--stdin-filename",
        metavar="FILE",
        help="What - is called in findings, and by the settings of which it is checked or left out.",
    ),
    click.option(
        "--baseline",
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="FILE",
        help="Known findings, which do not fail the run and are not told again.",
    ),
    click.option(
        "--write-baseline",
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="FILE",
        help="Write the findings that would fail the run to this file, as known.",
    ),
    click.option(
        "--engine",
        type=click.Choice(engines.NAMES),
        help="The JSON Schema engine; by default the faster one that is installed.",
    ),
    click.option(
        "--jobs",
        type=click.IntRange(1),
        default=os.cpu_count() or 1,
        help="How many processes share the work where there is much of it; by default one a core.",
    ),
    click.option("--live", metavar="URL", help="Send --request to this server, and check what it answers."),
    click.option(
        "--request",
        type=click.Path(exists=True, dir_okay=False, path_type=Path),
        help="The request body to send to the server of --live, as it is.",
    ),
    server_options,
    click.option("--allow-empty", is_flag=True, help="End with 0 when nothing was there to be checked."),
)


def check_options(command: _Command) -> _Command:
    """Add the argument and all options to a command."""
    return reduce(lambda inner, option: option(inner), reversed(_OPTIONS), command)
