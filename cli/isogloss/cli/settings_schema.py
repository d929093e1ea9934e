"""Check a configuration against its JSON Schema, and report each problem, with its line if that is known."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

import click
import orjson

from isogloss import schemas
from isogloss.cli.record_settings import line_of
from isogloss.cli.record_settings import problems as record_problems
from isogloss.cli.selection import active_rules, unknown
from isogloss.validator import rules
from isogloss.validator.engines import predicate
from isogloss.validator.suggesting import closest

__all__ = ["problems", "schema"]

_BARE_KEY = r"[A-Za-z0-9_-]+"


@cache
def schema() -> dict[str, Any]:
    """Return the JSON Schema of a configuration."""
    loaded: dict[str, Any] = orjson.loads(Path(schemas.__file__).with_name("configuration.schema.json").read_bytes())
    return loaded


def problems(data: Any, path: Path) -> Iterator[str]:
    """Yield a message for each problem in the settings of a file.

    The file at ``path`` is read again to find the numbers of lines.
    """
    return chain(_record_problems(data, path), _expect_problems(data, path), _problems(data))


def _problems(data: Any) -> Iterator[str]:
    """Yield a message for each wrong key, then for each wrong value, then for each wrong name of a rule."""
    if not predicate(schema())(data):
        yield from _unknown_keys(data)
        import jsonschema  # slow to import, and needed only if there is a problem

        errors = jsonschema.Draft202012Validator(schema()).iter_errors(data)
        for error in sorted(errors, key=lambda error: [str(step) for step in error.absolute_path]):
            yield f"{_dotted_key(error.absolute_path)}: {error.message}"
        return
    own = [f"{rules.EXPECTED}/{table['name']}" for table in data.get("expect", ())]
    for table_keys, table in _tables(data):
        for name in ("select", "ignore"):
            try:
                active_rules(table.get(name, ()), (), own)
            except click.UsageError as error:
                yield f"{_dotted_key((*table_keys, name))}: {error.message}"
        for rule in table.get("severity", {}):
            if rule not in rules.names():
                yield f"{_dotted_key((*table_keys, 'severity'))}: {unknown(rule, groups=())}"


def _record_problems(data: Any, path: Path) -> Iterator[str]:
    """Yield a message for each problem in the tables ``records``, with its line."""
    known = schema()["$defs"]["records"]["properties"]
    for table_keys, table in _tables(data):
        if isinstance(table, dict) and "records" in table:
            for key, problem in record_problems(table["records"], known):
                line = line_of(path.read_text("utf-8"), "records", key)
                place = f"line {line}: " if line is not None else ""
                yield f"{place}{_dotted_key((*table_keys, 'records', *([key] if key else [])))}: {problem}"


def _expect_problems(data: Any, path: Path) -> Iterator[str]:
    """Yield a message for each problem in the tables ``expect``, with its line."""
    if isinstance(data, dict) and "expect" in data:
        from isogloss.cli.expect_settings import line_of_item, problems

        for number, key, problem in problems(data["expect"], schema()["$defs"]["expect"]["items"]):
            line = line_of_item(path.read_text("utf-8"), number, key)
            place = f"line {line}: " if line is not None else ""
            yield f"{place}{_dotted_key(('expect', *([key] if key else [])))}: {problem}"


def _tables(data: Any) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield the configuration and each of its tables of ``paths``, with the keys that lead to it."""
    yield (), data
    paths = data.get("paths") if isinstance(data, dict) else None
    for name, table in paths.items() if isinstance(paths, dict) else ():
        yield ("paths", name), table


def _unknown_keys(data: Any) -> Iterator[str]:
    for table_keys, table in _tables(data):
        known = schema()["$defs"]["path"]["properties"] if table_keys else schema()["properties"]
        for name in table if isinstance(table, dict) else ():
            if name not in known:
                near = closest(name, known)
                hint = f"did you mean {near!r}?" if near else f"known are {', '.join(known)}"
                yield f"{_dotted_key((*table_keys, name))}: unknown key; {hint}"


def _dotted_key(steps: Iterable[Any]) -> str:
    return (
        ".".join(step if re.fullmatch(_BARE_KEY, step) else f'"{step}"' for step in map(str, steps))
        or "the configuration"
    )
