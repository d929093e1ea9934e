"""Read the setting ``expect``: the user's own rules, each a schema for a path in a kind of payload."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from isogloss.validator.examining.expectations import Expectation, problem_of_path, problem_of_schema
from isogloss.validator.findings import SEVERITIES
from isogloss.validator.quoting import printable
from isogloss.validator.secrets import mask_text

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


def problems(tables: Iterable[Mapping[str, Any]]) -> Iterator[tuple[int, str, str]]:
    """Yield what the schema of the configuration does not say: the number of a table, the key, and what is wrong."""
    names: set[str] = set()
    for number, table in enumerate(tables):
        if table["name"] in names:
            yield number, "name", f"{table['name']!r} is the name of another one"
        names.add(table["name"])
        if problem := problem_of_path(table.get("at", "")):
            yield number, "at", problem
        if problem := problem_of_schema(table["schema"]):
            yield number, "schema", problem
