"""Define the options of ``isogloss check``, and gather their values in one object."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import click

from isogloss.cli import reporters
from isogloss.cli.checking.rates import Limit
from isogloss.cli.configuration.dialect_choice import dialect_options
from isogloss.cli.configuration.option_groups import OptionValues, join
from isogloss.cli.configuration.parameters import ClientNames, Count, ExistingPath, GivenPath
from isogloss.cli.configuration.record_settings import columns_option
from isogloss.cli.configuration.selection import fail_on_option, selection_options
from isogloss.cli.elements.outputs import output_options
from isogloss.cli.probe.options import given_server_option, server_options
from isogloss.cli.process.terminal import color_option
from isogloss.cli.reading.capture_path import CapturePath
from isogloss.cli.reading.corpus import corpus_options, input_format_option
from isogloss.validator import engines
from isogloss.validator.exchange import Kind
from isogloss.validator.findings import SEVERITIES
from isogloss.validator.kinds import KINDS

__all__ = ["CheckOptions", "check_options"]


class CheckOptions(OptionValues):
    """The command-line options of a run."""

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

    def __init__(self, given: Mapping[str, Any]) -> None:
        """Make the options from the values of click. Raises ``click.UsageError`` if some of them do not go together."""
        super().__init__(given)
        self.detail = given["detail"] or "usual"
        self._check_combinations()

    @property
    def detail_and_formats(self) -> tuple[str, list[str]]:
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
        detail, formats = self.detail_and_formats
        return self.asks_for_impact or any(reporters.shows_impact(name, detail) for name in formats)

    def _check_combinations(self) -> None:
        if (self.live is None) != (self.request is None):
            raise click.UsageError("--live and --request need each other")
        if not self.paths and self.live is None and not self.allow_empty:
            raise click.UsageError("Missing argument 'PATH...'.")
        formats_without_values = [
            name for name in (self.output_format, *dict(self.outputs)) if name not in reporters.SHOWING_VALUES
        ]
        if self.show_values and formats_without_values:
            allowed = ", ".join(reporters.SHOWING_VALUES)
            raise click.UsageError(f"--show-values is for {allowed}: {formats_without_values[0]} quotes no values")
        self._check_pointless()
        if self.fail_on_impact and self.min_severity != "note":
            raise click.UsageError(
                f"--min-severity {self.min_severity} would hide what fails the run: what a client was seen to break on"
            )
        if self.statistics and self.output_format != "text":
            raise click.UsageError(f"--statistics is for text, not for {self.output_format}")

    def _check_pointless(self) -> None:
        """Raise ``click.UsageError`` for an option that does nothing without another one."""
        if self.live is None and (option := given_server_option()) is not None:
            raise click.UsageError(f"{option} is for the server of --live, which is not given")
        if self.stdin_filename is not None and "-" not in self.paths:
            raise click.UsageError("--stdin-filename is for standard input: give - as PATH")


check_options = join(
    click.argument("paths", nargs=-1, type=CapturePath(alone=False), metavar="PATH..."),
    click.option(
        "--kind",
        type=click.Choice(KINDS),
        help="The kind of all payloads that are not part of a recording, instead of the kind that their content shows.",
    ),
    input_format_option,
    columns_option,
    output_options(reporters.FORMATS),
    click.option("-q", "--quiet", "detail", flag_value="quiet", help="As text, print only what fails the run."),
    click.option(
        "-v",
        "--verbose",
        "detail",
        flag_value="verbose",
        help="As text, print every finding on its own line, and everything that was skipped.",
    ),
    color_option,
    click.option(
        "--statistics",
        is_flag=True,
        help="As text, print how often each rule found something, instead of the findings.",
    ),
    click.option(
        "--show-values",
        is_flag=True,
        help="Quote the value at each place, also message text; keys stay masked. For text, json and jsonl.",
    ),
    fail_on_option,
    click.option(
        "--fail-on-rate",
        type=Limit(),
        multiple=True,
        metavar="RULE=PERCENT",
        help="Also fail if a rule finds something in more than this share of the exchanges where it could, like "
        "arguments-off-schema=2%. May be repeated.",
    ),
    click.option(
        "--min-severity",
        type=click.Choice(tuple(SEVERITIES)),
        default="note",
        show_default=True,
        help="The lowest severity of findings that are reported, in every format.",
    ),
    click.option(
        "--clients",
        type=ClientNames(),
        metavar="NAMES",
        help="Show what these clients, and no others, were seen to break on; comma-separated, with the names of "
        "isogloss clients list.",
    ),
    click.option(
        "--fail-on-impact",
        is_flag=True,
        help="Also fail on a finding of any severity if a client was seen to break on it: any, or one of --clients.",
    ),
    click.option("--exit-zero", is_flag=True, help="End with 0 even if findings fail the run."),
    click.option(
        "--strict",
        is_flag=True,
        default=None,
        help="Require everything that the published reference requires, even if OpenAI omits it.",
    ),
    dialect_options,
    selection_options,
    corpus_options,
    click.option(
        "--stdin-filename",
        metavar="FILE",
        help="The name of standard input in findings; it has the settings of a file with this name.",
    ),
    click.option(
        "--baseline",
        type=GivenPath(),
        metavar="FILE",
        help="A file of known findings, which are not reported and do not fail the run.",
    ),
    click.option(
        "--write-baseline",
        type=GivenPath(),
        metavar="FILE",
        help="Write the findings that would fail the run to this file, as known findings.",
    ),
    click.option(
        "--engine",
        type=click.Choice(engines.NAMES),
        help="The JSON Schema engine; by default the faster one that is installed.",
    ),
    click.option(
        "--jobs",
        type=Count(1),
        default=os.cpu_count() or 1,
        metavar="N",
        help="The number of processes for a large run; by default the number of cores.",
    ),
    click.option("--live", metavar="URL", help="Send --request to this server, and check the answer."),
    click.option(
        "--request",
        type=ExistingPath(),
        help="The request body to send to the server of --live, unchanged.",
    ),
    server_options,
    click.option(
        "--allow-empty",
        is_flag=True,
        help="End with 0 also if there was nothing to check, or if a file that is named is damaged: for hooks.",
    ),
)
"""Adds the argument and all options to a command."""
