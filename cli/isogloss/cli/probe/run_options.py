"""Define the options of ``isogloss probe``, and gather their values in one object."""

from __future__ import annotations

from pathlib import Path

import click

from isogloss.cli.configuration.dialect_choice import dialect_options
from isogloss.cli.configuration.option_groups import OptionValues, join
from isogloss.cli.configuration.parameters import Count, ExistingPath, GivenPath, Seconds, TextValue
from isogloss.cli.configuration.selection import fail_on_option, selection_options
from isogloss.cli.elements.outputs import output_options
from isogloss.cli.probe.choosing import case_options
from isogloss.cli.probe.matrix import formats
from isogloss.cli.probe.options import server_options
from isogloss.cli.process.terminal import color_option
from isogloss.cli.reading.corpus import config_option

__all__ = ["ProbeOptions", "probe_options"]


class ProbeOptions(OptionValues):
    """The command-line options of a probe."""

    words: tuple[str, ...]
    models: tuple[str, ...]
    wanted: tuple[str, ...]
    groups: tuple[str, ...]
    unwanted: tuple[str, ...]
    profile: str
    listing: str | None
    api_key_env: str | None
    headers: tuple[str, ...]
    header_env: tuple[str, ...]
    timeout: float
    wait: float
    deadline: float
    jobs: int
    repeat: int
    record: Path | None
    since: Path | None
    output_format: str
    outputs: tuple[tuple[str, Path], ...]
    config_file: Path | None

    @property
    def format_names(self) -> set[str]:
        """The names of all formats that are written."""
        return {self.output_format, *(name for name, _ in self.outputs)}


probe_options = join(
    click.argument("words", nargs=-1, metavar="[URL|NAME]..."),
    click.option(
        "--model",
        "models",
        type=TextValue(),
        multiple=True,
        metavar="NAME",
        help="The model to use: one for all servers, or one for each, in their order.",
    ),
    case_options,
    server_options,
    click.option(
        "--wait",
        type=Seconds(min=0),
        default=0.0,
        metavar="SECONDS",
        help="How long to wait for the first answer of a server that is being started.",
    ),
    click.option(
        "--deadline",
        type=Seconds(min=0, min_open=True),
        default=180.0,
        show_default=True,
        metavar="SECONDS",
        help="The time limit for the whole probe, with the checks.",
    ),
    click.option(
        "--jobs",
        type=Count(1, 64),
        default=4,
        show_default=True,
        metavar="N",
        help="How many requests to send in parallel.",
    ),
    click.option(
        "--repeat",
        type=Count(1, 1000),
        default=1,
        metavar="N",
        help="Send each case that depends on the model this many times, and report its rate with an interval.",
    ),
    click.option(
        "--record",
        type=GivenPath(file=False, folder=True),
        metavar="FOLDER",
        help="Write each exchange to this folder, without secrets; check it later with: isogloss check FOLDER.  "
        "Records of these cases that are there already are replaced.  "
        "With several servers, each has its own folder in it.",
    ),
    click.option(
        "--since",
        type=ExistingPath(),
        metavar="REPORT",
        help="Report what changed since an earlier report of probe, as --output json:FILE writes it. "
        "The run then fails only if something is worse.",
    ),
    output_options(formats.FORMATS),
    fail_on_option,
    dialect_options,
    color_option,
    selection_options,
    config_option,
)
"""Adds the argument and all options to a command."""
