"""Read the setting ``records``: where the records of a log hold the parts of an exchange."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import click

from isogloss.cli.configuration.parameters import Parameter
from isogloss.validator.captures.mapping import Mapping as RecordMapping
from isogloss.validator.captures.mapping import is_path, names_of, path_of
from isogloss.validator.captures.tables.columns import BODIES, PRESETS, columns_of
from isogloss.validator.suggesting import hint

__all__ = ["columns_option", "mapping", "problems", "table"]

_PART = r'(?:\A|,)((?:\["(?:[^"\\]|\\.)*+"\]|[^,])*+)'
"""A part with its path. There may be a comma in a quoted name."""
_STEP = r"""\[(?:(\d+|\*)|'([^']*)'|"([^"]*)")\]"""
_MOST_STEPS = 100
"""How many names a path may have. Each may have dots itself, so that all ways to divide the path are tried."""


def mapping(table: Mapping[str, Any]) -> RecordMapping:
    """Make the mapping of records from a table of the configuration. The table must be valid."""
    return RecordMapping(**{name.replace("-", "_"): value for name, value in table.items()})


def table(columns: RecordMapping) -> dict[str, str | bool]:
    """Return a mapping as a table of the configuration. Parts that have their default are left out."""
    return {
        name.replace("_", "-"): value
        for name, value in columns._asdict().items()
        if value != RecordMapping._field_defaults[name]
    }


class _Columns(Parameter):
    """A table ``records`` on the command line: the name of a preset, or parts with their paths."""

    name = "PRESET|PART=PATH,..."

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> dict[str, str | bool]:
        """Return the table ``records`` for a value of the option. Fail if the value is not valid."""
        if "=" not in value:
            try:
                return table(columns_of(value))
            except ValueError as error:
                self.fail(f"{error}; or say where the parts stand: request=asked,response=answer", param, ctx)
        parts = [one.partition("=") for one in re.findall(_PART, value)]
        given: dict[str, str | bool] = {}
        for name, _, path in parts:
            name = name.strip().replace("_", "-")
            if name in given:
                self.fail(f"{name}: named twice", param, ctx)
            given[name] = path.strip() != "false" if name == "as-sent" else path.strip()
        known = [name.replace("_", "-") for name in RecordMapping._fields]
        for key, problem in problems(given, dict.fromkeys(known)):
            self.fail(f"{key}: {problem}" if key else problem, param, ctx)
        return given


columns_option = click.option(
    "--columns",
    "records",
    type=_Columns(),
    help="Where records, or the rows of a table, hold the parts of an exchange, like "
    "request=asked,response=answer; or the name of a preset: "
    f"{', '.join(PRESETS)}. The parts: request, response, stream, status, host, path, content-type; and as-sent=false.",
)
"""Adds the option ``--columns`` to a command. Its value is a table ``records`` of the configuration."""


def problems(table: Any, known: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield each problem of a table, with its key. The key is empty if the problem is in the table as a whole."""
    if not isinstance(table, dict):
        yield "", "not a table: it has a key for each part of an exchange"
        return
    for name, value in table.items():
        if name not in known:
            yield name, f"unknown key; {hint(name, known)}"
        elif (name == "as-sent") != isinstance(value, bool) or not isinstance(value, bool | str):
            yield name, f"{value!r} is not {'true or false' if name == 'as-sent' else 'the path of a property'}"
        elif isinstance(value, str) and not (is_path(value) and value == value.strip()):
            plain = _plain_path(value)
            suggestion = f"; did you mean {plain!r}?" if is_path(plain) else ""
            yield name, f"{value!r} is not a path: names of properties, joined by dots{suggestion}"
        elif isinstance(value, str) and len(names_of(value)) > _MOST_STEPS:
            yield name, f"a path of more than {_MOST_STEPS} names"
    if table.keys().isdisjoint(BODIES):
        yield "", f"no body is named: say where one of {', '.join(BODIES)} stands"


def _plain_path(path: str) -> str:
    """Return a path without what JSON Path and jq add to it: ``$``, brackets, a dot in front.

    Brackets that mean nothing to these are part of a name, except ``[]`` and those with quotes.
    """
    path = path.strip().removeprefix("$")
    steps = rf"{_STEP}|([^.\[\]]+)"
    if not re.fullmatch(rf"(?:\.|{steps})*", path):
        is_name = "[]" not in path and not re.search("[\"']", path)
        return path_of(name for name in path.split(".") if name) if is_name else path
    return path_of(next(one for one in step.groups() if one is not None) for step in re.finditer(steps, path))
