"""``--dialect`` and ``--dialect-file``: load dialects by name and from files, and choose how findings are explained."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import click

from isogloss import schemas
from isogloss.cli.configuration.named_files import read_json
from isogloss.cli.configuration.option_groups import join
from isogloss.cli.configuration.parameters import ExistingPath
from isogloss.validator import jsontext, nesting
from isogloss.validator.suggesting import unknown

if TYPE_CHECKING:
    from isogloss.validator.dialects.explainers import AutoExplainer, Explainer
    from isogloss.validator.dialects.model import Dialect

__all__ = [
    "auto_explainer", "check_use", "dialect_files_option", "dialect_options", "explainer_for", "explainer_of_shipped",
    "find_dialect", "known_dialects", "load_file",
]  # fmt: skip


dialect_files_option = click.option(
    "--dialect-file",
    "dialect_files",
    multiple=True,
    type=ExistingPath(),
    help="A file with a dialect of your own. May be repeated.",
)
"""Adds ``--dialect-file`` to a command, as ``dialect_files``."""
dialect_options = join(
    click.option(
        "--dialect",
        metavar="SLUG",
        help="The dialect whose deviations become notes, of those in isogloss dialects list; with auto, the dialect "
        "that the evidence shows.  [default: openai]",
    ),
    dialect_files_option,
)
"""Adds ``--dialect`` and ``--dialect-file`` to a command whose findings a dialect may explain."""


def known_dialects(files: Sequence[Path]) -> dict[str, Dialect]:
    """Return every dialect by its slug: those that ship, and those of the files. The latter may replace the former."""
    from isogloss.validator.dialects import model as dialects

    return {dialect.slug: dialect for dialect in (*dialects.dialects(), *map(load_file, files))}


def check_use(files: Sequence[Path], names: Collection[str]) -> None:
    """Raise ``click.UsageError`` for a file of ``--dialect-file`` whose dialect is none of the names that are used."""
    for file in files if "auto" not in names else ():
        slug = load_file(file).slug
        if slug not in names:
            raise click.UsageError(f"--dialect-file {file} has no effect: add --dialect {slug}")


def find_dialect(slug: str, files: Sequence[Path]) -> Dialect:
    """Return the dialect with a slug or alias. Raises ``click.UsageError`` with the nearest name for an unknown one."""
    from isogloss.validator.dialects import model as dialects

    own = {dialect.slug: dialect for dialect in reversed([load_file(path) for path in files])}
    if slug in own:
        return own[slug]
    known_slug = schemas.slug_of(slug)
    if known_slug is not None:
        return dialects.dialect(known_slug)
    known = (*own, *schemas.dialect_names())
    raise click.UsageError(unknown("dialect", slug, known, see="isogloss dialects list"))


def explainer_for(name: str, files: Sequence[Path]) -> Explainer | None:
    """Return what explains the findings of exchanges.

    For ``openai``, return ``None``: nothing is explained. For ``auto``, the evidence decides which dialect explains
    findings; for any other name, it is the named dialect.
    """
    if schemas.slug_of(name) == "openai":
        return None
    if name == "auto":
        return auto_explainer(tuple(known_dialects(files).values()))
    from isogloss.validator.dialects.explainers import FixedExplainer

    return FixedExplainer(find_dialect(name, files))


@lru_cache(8)
def auto_explainer(dialects: tuple[Dialect, ...]) -> AutoExplainer:
    """Return the explainer that knows these dialects: the same one for all settings that need it."""
    from isogloss.validator.dialects.explainers import AutoExplainer

    return AutoExplainer(dialects)


@cache
def explainer_of_shipped() -> AutoExplainer:
    """Return the explainer that knows all dialects that ship. They are read when it is first needed."""
    from isogloss.validator.dialects.model import dialects

    return auto_explainer(tuple(dialects()))


def load_file(path: Path) -> Dialect:
    """Read the dialect in a file. Raises ``click.UsageError`` with the file, line and column of the first problem."""
    file = read_json(path, "the dialect")
    value, scan = file.value, jsontext.scan(file.data)
    if scan.faults:
        raise file.error_at(scan.faults[0].message, scan.faults[0].offset)
    if not isinstance(value, dict):
        raise file.error("a dialect is a JSON object")
    if nesting.is_deeper(value):
        raise file.error("nested too deep for a dialect")
    import jsonschema

    from isogloss.validator import rules
    from isogloss.validator.examining.expectations import problem_of_schema

    errors = sorted(
        jsonschema.Draft202012Validator(schemas.dialect_schema()).iter_errors(value),
        key=lambda error: list(map(str, error.absolute_path)),
    )
    if errors:
        raise file.error(f"no valid dialect: {errors[0].message}", tuple(errors[0].absolute_path))
    for name in schemas.FACTS:
        for position, fact in enumerate(value.get(name, ())):
            if fact["source"] not in value["sources"]:
                raise file.error(f"no source is called {fact['source']!r}", (name, position, "source"))
            for property_name in ("schema", "when"):
                if property_name in fact and (problem := problem_of_schema(fact[property_name])):
                    raise file.error(problem, (name, position, property_name))
    for position, behaviour in enumerate(value.get("behaviours", ())):
        if behaviour["rule"] not in rules.names():
            message = unknown("rule", behaviour["rule"], rules.names(), see="isogloss rules")
            raise file.error(message, ("behaviours", position, "rule"))
    for position, parent in enumerate(value.get("inherits", ())):
        if parent not in schemas.dialects():
            message = unknown("dialect", parent, schemas.dialects(), see="isogloss dialects list")
            raise file.error(message, ("inherits", position))
    from isogloss.validator.dialects import model as dialects

    return dialects.from_data(value)
