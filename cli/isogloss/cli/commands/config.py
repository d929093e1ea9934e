"""``isogloss config``: print the settings that count for a file, and where each value comes from."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click
import orjson

from isogloss.cli.configuration import settings
from isogloss.cli.configuration.paths import display_path
from isogloss.cli.configuration.settings import Configuration
from isogloss.cli.process.terminal import aligned
from isogloss.cli.reading.corpus import config_option
from isogloss.validator.quoting import printable
from isogloss.validator.rules import EXPECTED
from isogloss.validator.secrets import mask_text

__all__ = ["command"]


@click.command(name="config")
@click.argument("path", required=False)
@config_option
def command(path: str | None, config_file: Path | None) -> None:
    """Print the settings that count for PATH, or for no file in particular, and where each comes from."""
    configuration = settings.load(config_file, {})
    for line in aligned(_rows(configuration, path)):
        click.echo(printable(mask_text(line.rstrip())))


def _rows(configuration: Configuration, path: str | None) -> Iterator[tuple[str, str, str]]:
    """Yield the name, the value and the origin of each setting."""
    yield "configuration", display_path(str(configuration.file)) if configuration.file is not None else "none", ""
    for name, values in configuration.values(path).items():
        for one in values:
            if name == "severity":
                rule, severity = one.value
                yield f"severity.{rule}", severity, one.origin
            else:
                yield name, _text(one.value), one.origin
    if (records := configuration.record_table(path)) is not None:
        yield from ((f"records.{name}", str(value), records.origin) for name, value in records.value.items())
    origin = configuration.file.name if configuration.file is not None else ""
    for name in ("dialect-files", "baseline", "respect-gitignore"):
        if name in configuration.data:
            value = configuration.data[name]
            yield name, _text(value), origin
    for table in configuration.data.get("expect", ()):
        yield f"{EXPECTED}.{table['name']}", " ".join((table["in"], table.get("at", ""))).strip(), origin
    for name, server in configuration.data.get("probe", {}).get("servers", {}).items():
        yield from ((f"probe.servers.{name}.{key}", _text(value), origin) for key, value in server.items())
    if path is not None:
        reason = configuration.patterns().excluded(path)
        yield (
            "excluded",
            "no" if reason is None else "yes",
            "" if reason is None else reason.removeprefix("excluded by "),
        )


def _text(value: object) -> str:
    return value if isinstance(value, str) else orjson.dumps(value).decode()
