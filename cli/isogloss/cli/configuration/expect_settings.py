"""Read the setting ``expect``: the user's own rules, each a schema for a path in a kind of payload."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from isogloss.validator.engines import predicate
from isogloss.validator.examining.expectations import Expectation, problem_of_path, problem_of_schema
from isogloss.validator.findings import SEVERITIES
from isogloss.validator.quoting import join_list, printable
from isogloss.validator.secrets import mask_text
from isogloss.validator.suggesting import hint

__all__ = ["expectation", "problems"]


def expectation(table: Mapping[str, Any]) -> Expectation:
    """Make an expectation from a table of the configuration in which there are no problems."""
    return Expectation(
        name=table["name"],
        kind=table["in"],
        at=table.get("at", ""),
        schema=table["schema"],
        severity=SEVERITIES[table.get("severity", "error")],
        message=printable(mask_text(table.get("message", "breaks the expectation"))),
    )


def problems(tables: Any, item: Mapping[str, Any]) -> Iterator[tuple[int, str, str]]:
    """Yield the problems of the tables: the number of the table, the key or an empty text, and a description.

    ``item`` is the schema of a table.
    """
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        yield 0, "", "not a list of tables: each begins with [[tool.isogloss.expect]], or [[expect]] in isogloss.toml"
        return
    names: set[Any] = set()
    for number, table in enumerate(tables):
        yield from ((number, key, problem) for key, problem in _problems(table, item))
        if isinstance(name := table.get("name"), str):
            if name in names:
                yield number, "name", f"{name!r} is the name of another one"
            names.add(name)


def _problems(table: Mapping[str, Any], item: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    known = item["properties"]
    for key, value in table.items():
        if key not in known:
            yield key, f"unknown key; {hint(key, known)}"
        elif not predicate(known[key])(value):
            yield key, _value_problem(known[key], value)
        elif (key == "at" and (problem := problem_of_path(value))) or (
            key == "schema" and (problem := problem_of_schema(value))
        ):
            yield key, problem
    for key in item["required"]:  # the key may be a misspelt one, which was named before
        if key not in table:
            yield "", f"has no key {key!r}"


def _value_problem(schema: Mapping[str, Any], value: Any) -> str:
    if "enum" in schema:
        return f"{value!r} is not one of {join_list(schema['enum'])}"
    if "pattern" in schema:
        return f"{value!r} is not a name: lower-case letters and digits, joined by hyphens"
    return f"{value!r} is not a table" if schema["type"] == "object" else f"{value!r} is not a text, or is empty"
