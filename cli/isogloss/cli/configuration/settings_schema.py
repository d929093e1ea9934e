"""Check a configuration against its JSON Schema, and describe each problem."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import click
import orjson

from isogloss import schemas
from isogloss.cli.configuration.patterns import fault
from isogloss.cli.configuration.record_settings import problems as record_problems
from isogloss.cli.configuration.selection import active_rules, problem_of_rule
from isogloss.validator import rules
from isogloss.validator.engines import predicate
from isogloss.validator.quoting import printable
from isogloss.validator.suggesting import hint

if TYPE_CHECKING:
    import jsonschema

__all__ = ["Problem", "dotted", "problems", "schema"]

_BARE_KEY = r"[A-Za-z0-9_-]+"


@cache
def schema() -> dict[str, Any]:
    """Return the JSON Schema of a configuration."""
    loaded: dict[str, Any] = orjson.loads(Path(schemas.__file__).with_name("configuration.schema.json").read_bytes())
    return loaded


Problem: TypeAlias = tuple[tuple[str | int, ...], str]
"""The keys that lead to a wrong setting, and what is wrong with it."""


def problems(data: Any, name: str) -> Iterator[Problem]:
    """Yield each problem in the settings of a file with this name."""
    if name != "pyproject.toml" and isinstance(data, dict) and "tool" in data:
        yield (
            ("tool", "isogloss"),
            "only for pyproject.toml; here the keys stand at the top, and tables have names like [severity]",
        )
    yield from chain(_record_problems(data), _problems(data))


def _problems(data: Any) -> Iterator[Problem]:
    """Yield each wrong key, then each wrong value, then each wrong name of a rule."""
    if not predicate(schema())(data):
        import jsonschema  # slow to import, and needed only if there is a problem

        violations = jsonschema.Draft202012Validator(schema()).iter_errors(data)
        errors = sorted(violations, key=lambda error: [str(step) for step in error.absolute_path])
        for error in errors:
            yield from _unknown_keys(error)
        for error in errors:
            key = (error.instance,) if _is_of_name(error) else ()
            words = _words(error)
            is_item = bool(error.absolute_path) and isinstance(error.absolute_path[-1], int)
            yield (*error.absolute_path, *key), f"each item {words}" if is_item and words.startswith("must") else words
        return
    if "expect" in data:
        from isogloss.cli.configuration.expect_settings import problems

        yield from ((("expect", number, key), problem) for number, key, problem in problems(data["expect"]))
    own = [f"{rules.EXPECTED}/{table['name']}" for table in data.get("expect", ())]
    for number, pattern in enumerate(data.get("exclude", ())):
        if problem := fault(pattern):
            yield ("exclude", number), problem
    for pattern in data.get("paths", {}):
        if problem := fault(pattern):
            yield ("paths", pattern), problem
    for table_keys, table in _tables(data):
        for name, of_select, of_ignore in (
            ("select", table.get("select", ()), ()),
            ("ignore", (), table.get("ignore", ())),
        ):
            try:
                active_rules(of_select, of_ignore, own)
            except click.UsageError as error:
                yield (*table_keys, name), error.message
        for rule in table.get("severity", {}):
            if rule in own:
                yield (*table_keys, "severity", rule), "the table of an expectation has its severity"
            elif problem := problem_of_rule(rule, own):
                yield (*table_keys, "severity", rule), problem


_PATTERNS = {
    "expect": "must be a name: lower-case letters and digits, joined by hyphens",
    "probe": "must be the name of an environment variable: letters, digits and underscores",
}
"""What a text must be that has to match a pattern, by the first key that leads to it."""
_TABLES = "a list of tables: each begins with [[expect]], or [[tool.isogloss.expect]] in pyproject.toml"
_TYPES = {"array": "a list", "boolean": "true or false", "object": "a table", "string": "a text in quotation marks"}


def _is_of_name(error: jsonschema.ValidationError) -> bool:
    """Return whether it is the name of a table that is wrong; ``instance`` is this name then."""
    return "propertyNames" in error.absolute_schema_path


def _words(error: jsonschema.ValidationError) -> str:
    """Say what is wrong with a value in the words of TOML."""
    key = str(next(iter(error.absolute_path), ""))
    if error.validator == "type":
        is_list_of_tables = list(error.absolute_path) == ["expect"]
        return f"must be {_TABLES if is_list_of_tables else _TYPES[str(error.validator_value)]}"
    if error.validator == "enum":
        return f"must be one of {', '.join(map(json.dumps, cast('list[str]', error.validator_value)))}"
    if error.validator == "required":
        table = cast("dict[str, Any]", error.instance)
        missing = next(name for name in cast("list[str]", error.validator_value) if name not in table)
        return f"has no key {missing!r}"
    if _is_of_name(error):
        return "the name of a server has only letters, digits, hyphens, underscores and dots"
    if error.validator == "pattern":  # the value is not quoted: it may be a key
        return _PATTERNS[key]
    if error.validator == "minLength":
        return "must not be empty"
    message: str = error.message
    return message


def _record_problems(data: Any) -> Iterator[Problem]:
    """Yield each problem in the tables ``records``."""
    known = schema()["$defs"]["records"]["properties"]
    for table_keys, table in _tables(data):
        if isinstance(table, dict) and "records" in table:
            for key, problem in record_problems(table["records"], known):
                yield (*table_keys, "records", *([key] if key else [])), problem


def _tables(data: Any) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield the configuration and each of its tables of ``paths``, with the keys that lead to it."""
    yield (), data
    paths = data.get("paths") if isinstance(data, dict) else None
    for name, table in paths.items() if isinstance(paths, dict) else ():
        yield ("paths", name), table


def _unknown_keys(error: jsonschema.ValidationError) -> Iterator[Problem]:
    """Yield each key that a table may not have, if that is the error."""
    if error.validator == "additionalProperties":
        known = cast("dict[str, Any]", error.schema)["properties"]
        for name in cast("dict[str, Any]", error.instance):
            if name not in known:
                yield (*error.absolute_path, name), f"unknown key; {hint(name, known)}"


def dotted(keys: Iterable[str | int]) -> str:
    """Write the keys that lead to a setting as TOML does. Numbers of tables are left out."""
    names = (key for key in keys if isinstance(key, str))
    written = (key if re.fullmatch(_BARE_KEY, key) else f'"{printable(key)}"' for key in names)
    return ".".join(written) or "the configuration"
