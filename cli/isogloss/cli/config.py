"""``isogloss config``: what a file is judged by, and where each value comes from."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click
import orjson

from isogloss.cli import settings
from isogloss.cli.inputs import shown
from isogloss.cli.settings import Configuration

__all__ = ["command"]


@click.command(name="config")
@click.argument("path", required=False)
@click.option(
    "--config",
    "config_file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="The configuration, instead of the isogloss.toml or pyproject.toml that is found from here upwards.",
)
def command(path: str | None, config_file: Path | None) -> None:
    """Print the settings that count for PATH, or for no file in particular, and where each comes from."""
    configured = settings.load(config_file, {})
    rows = list(_rows(configured, path))
    names, values = max(len(row[0]) for row in rows), max(len(row[1]) for row in rows)
    for name, value, origin in rows:
        click.echo(f"{name:<{names}}  {value:<{values}}  {origin}".rstrip())


def _rows(configured: Configuration, path: str | None) -> Iterator[tuple[str, str, str]]:
    yield "configuration", shown(str(configured.file)) if configured.file is not None else "none", ""
    for name, values in configured.values(path).items():
        for value, origin in values:
            if name == "severity":
                yield f"severity.{value[0]}", value[1], origin
            else:
                yield name, _written(value), origin
    if (records := configured.record_table(path)) is not None:
        yield from ((f"records.{name}", str(value), records.origin) for name, value in records.value.items())
    origin = configured.file.name if configured.file is not None else ""
    for name in ("dialect-files", "baseline", "respect-gitignore"):
        if name in configured.data:
            value = configured.data[name]
            yield name, _written(value), origin
    for name, server in configured.data.get("probe", {}).get("servers", {}).items():
        yield from ((f"probe.servers.{name}.{key}", _written(value), origin) for key, value in server.items())
    if path is not None:
        reason = configured.patterns().excluded(path)
        yield (
            "excluded",
            "no" if reason is None else "yes",
            "" if reason is None else reason.removeprefix("excluded by "),
        )


def _written(value: object) -> str:
    return value if isinstance(value, str) else orjson.dumps(value).decode()
