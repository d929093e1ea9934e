"""Find, validate and read the configuration in ``isogloss.toml`` or ``[tool.isogloss]`` of ``pyproject.toml``.

For each key, the command line counts most, then the tables of ``paths`` that match, then the top level of the file,
and last the defaults.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from msgspec import Struct

from isogloss.cli.configuration.dialect_choice import find_dialect, load_file
from isogloss.cli.configuration.named_files import as_utf_8, read_named
from isogloss.cli.configuration.paths import display_path
from isogloss.cli.configuration.patterns import Pattern, Patterns, matches, relative_to
from isogloss.cli.configuration.record_settings import mapping
from isogloss.cli.configuration.selection import active_rules
from isogloss.cli.configuration.settings_schema import dotted, problems, schema
from isogloss.cli.configuration.toml_places import place_of
from isogloss.validator import rules
from isogloss.validator.captures.mapping import Mapping as RecordMapping
from isogloss.validator.suggesting import misspelt

if TYPE_CHECKING:
    from isogloss.validator.examining.expectations import Expectation

__all__ = ["SETTINGS", "Configuration", "Settings", "Value", "find", "load", "overlooked", "own_dialects"]

SETTINGS = ("dialect", "strict", "select", "ignore", "severity", "fail-on")
"""The keys that may differ from path to path."""


class Settings(Struct, frozen=True):
    """The settings by which a file is judged. They are hashable, so that files with the same settings share a judge."""

    dialect: str
    strict: bool
    select: tuple[str, ...]
    ignore: tuple[str, ...]
    severity: tuple[tuple[str, str], ...]
    fail_on: str


class Value(Struct, frozen=True):
    """An effective value and where it comes from, in words."""

    value: Any
    origin: str


class Configuration:
    """The settings of a configuration file and of the command line, which overrides the file.

    ``data`` holds the settings of the file, and ``line`` those of the command line. ``folder`` is the folder of the
    file, or without a file the current folder.
    """

    def __init__(
        self, line: Mapping[str, Any], *, file: Path | None = None, data: Mapping[str, Any] | None = None
    ) -> None:
        self.line = line
        self.file = file
        self.folder = Path.cwd() if file is None else file.absolute().parent
        self.data = data or {}

    def values(self, path: str | None) -> dict[str, list[Value]]:
        """Return the effective value of each of :data:`SETTINGS` for a file, or for no file in particular.

        ``severity`` has one value for each rule.
        """
        layers = list(self._layers(path))
        found: dict[str, list[Value]] = {}
        for name in SETTINGS:
            if name == "severity":
                by_rule = {
                    rule: Value((rule, severity), origin)
                    for origin, layer in layers
                    for rule, severity in layer.get(name, {}).items()
                }
                found[name] = [by_rule[rule] for rule in sorted(by_rule)]
            else:
                found[name] = [next(Value(layer[name], origin) for origin, layer in reversed(layers) if name in layer)]
        return found

    def settings(self, path: str | None) -> Settings:
        """Return the settings by which a file is judged."""
        return self._effective_settings(path) if path is not None and self.data.get("paths") else self._common_settings

    @cached_property
    def _common_settings(self) -> Settings:
        return self._effective_settings(None)

    def _effective_settings(self, path: str | None) -> Settings:
        values = self.values(path)
        return Settings(
            dialect=values["dialect"][0].value,
            strict=values["strict"][0].value,
            select=tuple(values["select"][0].value),
            ignore=tuple(values["ignore"][0].value),
            severity=tuple(one.value for one in values["severity"]),
            fail_on=values["fail-on"][0].value,
        )

    def records(self, path: str | None) -> RecordMapping | None:
        """Return where the records of a file hold the parts of an exchange.

        Return ``None`` if the configuration does not define it.
        """
        found = self.record_table(path)
        return mapping(found.value) if found is not None else None

    def record_table(self, path: str | None) -> Value | None:
        """Return the table ``records`` that counts for a file, and where it comes from.

        Return ``None`` if there is no table.
        """
        if "records" not in self.data and "records" not in self.line and not self.data.get("paths"):
            return None
        tables = [Value(layer["records"], origin) for origin, layer in self._layers(path) if "records" in layer]
        return tables[-1] if tables else None

    def patterns(self) -> Patterns:
        """Return the patterns for files that are not to be checked, and for files with settings of their own."""
        if "exclude" in self.line:
            folder = Path.cwd()
            excluding = [Pattern(pattern, folder, f'--exclude "{pattern}"') for pattern in self.line["exclude"]]
        else:
            excluding = self._own_patterns("exclude")
        return Patterns(excluding, self._own_patterns("paths"))

    def _own_patterns(self, key: str) -> list[Pattern]:
        name = self.file.name if self.file is not None else ""
        return [Pattern(pattern, self.folder, f'"{pattern}" of {key} in {name}') for pattern in self.data.get(key, ())]

    @property
    def respect_gitignore(self) -> bool:
        """Whether files that git ignores are left out, unless they are named themselves."""
        name = "respect-gitignore"
        return bool(self.line.get(name, self.data.get(name, schema()["properties"][name]["default"])))

    def dialect_files(self) -> tuple[Path, ...]:
        """Return the paths of the user's own dialects: those on the command line, else those in the file."""
        files: Sequence[Path] | None = self.line.get("dialect-files")
        return tuple(files) if files else tuple(self.folder / name for name in self.data.get("dialect-files", ()))

    @property
    def files(self) -> list[Path | None]:
        """The files that hold the settings and the user's own dialects."""
        return [self.file, *self.dialect_files()]

    def used(self, key: str) -> set[str]:
        """Return the values of ``dialect`` or ``fail-on`` that count for some file."""
        if key in self.line:
            return {self.line[key]}
        return {self.values(None)[key][0].value, *(one[key] for one in self._tables_of_paths() if key in one)}

    def may_check(self, rule: str) -> bool:
        """Return whether a rule may be active in some file."""
        settings = self.settings(None)
        if any("select" in one or "ignore" in one for one in self._tables_of_paths()):
            return True
        active = active_rules(settings.select, settings.ignore, self.own_rules)
        return active is None or rule in active

    def _tables_of_paths(self) -> Collection[Mapping[str, Any]]:
        tables: Mapping[str, Mapping[str, Any]] = self.data.get("paths", {})
        return tables.values()

    @property
    def own_rules(self) -> list[str]:
        """The names of the rules that the expectations of the file make."""
        return [f"{rules.EXPECTED}/{table['name']}" for table in self.data.get("expect", ())]

    def expectations(self) -> list[Expectation]:
        """Return the expectations of the file, in its order."""
        if "expect" not in self.data:
            return []
        from isogloss.cli.configuration.expect_settings import expectation

        return [expectation(table) for table in self.data["expect"]]

    def baseline(self) -> Path | None:
        """Return the path of the file of known findings, or ``None`` if there is none.

        Raises ``click.UsageError`` if the configuration file names one that does not exist, or a folder.
        """
        if (path := self.line.get("baseline")) is not None:
            return Path(path)
        if self.file is None or "baseline" not in self.data:
            return None
        baseline: Path = self.folder / self.data["baseline"]
        name = display_path(str(baseline))
        problem = f"{name} is a folder, not a file" if os.path.isdir(baseline) else ""
        if not os.path.lexists(baseline):
            problem = f"there is no file {name}; --write-baseline {name} writes it"
        if problem:
            raise _wrong_setting(self.file, ("baseline",), problem)
        return baseline

    def _layers(self, path: str | None) -> Iterator[tuple[str, Mapping[str, Any]]]:
        yield "default", {name: schema()["$defs"][name]["default"] for name in SETTINGS}
        name = self.file.name if self.file is not None else ""
        yield name, self.data
        tables: Mapping[str, Any] = self.data.get("paths", {})
        relative = relative_to(path, self.folder) if tables and path is not None else None
        for pattern, table in tables.items() if relative is not None else ():
            if matches(pattern, relative):
                yield f'{name}: paths."{pattern}"', table
        yield "command line", self.line


def find(folder: Path) -> Path | None:
    """Return the nearest configuration file in a folder or above it, or ``None`` if there is none.

    In each folder, ``isogloss.toml`` comes first. Raises ``click.UsageError`` if it is a folder, or a link to nothing.
    """
    for above in (folder, *folder.parents):
        for name in ("isogloss.toml", "pyproject.toml"):
            path = above / name
            if name == "isogloss.toml" and os.path.lexists(path) and not os.path.isfile(path):
                raise click.UsageError(
                    f"{display_path(str(path))} is no file: rename it, or name a configuration with --config"
                )
            if name == "isogloss.toml" and os.path.isfile(hidden := above / ".isogloss.toml"):
                instead = f"{display_path(str(path))} is" if os.path.isfile(path) else "call it isogloss.toml"
                raise click.UsageError(f"{display_path(str(hidden))} is not read: {instead}")
            if os.path.isfile(path) and (name == "isogloss.toml" or _read_table(path) is not None):
                return path
    return None


def overlooked(paths: Iterable[str], used: Path | None) -> list[str]:
    """Return a message for each configuration that stands nearer to a path than the one that is used.

    That is one in a folder below the current one, or in another project.
    """
    folders = dict.fromkeys(path if os.path.isdir(path) else os.path.dirname(path) for path in paths if path != "-")
    nearest: dict[Path, None] = {}
    for folder in folders:
        with suppress(click.UsageError):  # what is wrong with a configuration that is not used is not said
            if os.path.isdir(folder or ".") and (found := find(Path(os.path.abspath(folder)))) is not None:
                nearest[found] = None
    others = [file for file in nearest if used is None or not os.path.samefile(file, used)]
    instead = "isogloss uses the configuration of the current folder, or that of --config"
    return [f"{display_path(str(file))} is not used: {instead}" for file in others]


def load(path: Path | None, line: Mapping[str, Any]) -> Configuration:
    """Return the configuration in a file, or in the nearest one. Options of the command line override it.

    ``line`` holds these options by the names of the settings. Those that are ``None`` or empty were not given.

    Raises ``click.UsageError`` that names the file and the key, and for an unknown name the nearest known one.
    """
    path = path or find(Path.cwd())
    line = {name: value for name, value in line.items() if value not in (None, ())}
    if path is None:
        configuration = Configuration(line)
    else:
        data = _read_table(path)
        if data is None:
            raise click.UsageError(f"{display_path(str(path))} has no table [tool.isogloss]")
        if (problem := next(problems(data, path.name), None)) is not None:
            raise _wrong_setting(path, *problem)
        configuration = Configuration(line, file=path, data=data)
    active_rules(line.get("select", ()), line.get("ignore", ()), configuration.own_rules)  # its names before all others
    settings = configuration.settings(None)
    active_rules(settings.select, settings.ignore, configuration.own_rules)
    _check_dialects(configuration)
    return configuration


def own_dialects(given: Sequence[Path]) -> Sequence[Path]:
    """Return the dialect files that are given on the command line of a command, or else those of the configuration."""
    return given or load(None, {}).dialect_files()


def _wrong_setting(path: Path, keys: Sequence[str | int], problem: str) -> click.UsageError:
    """Return the error for a setting of a file, with its line and column."""
    outer = ("tool", "isogloss") if path.name == "pyproject.toml" else ()
    place = place_of(_text(path), (*outer, *keys))
    where = f"{display_path(str(path))}:" + (f"{place[0]}:{place[1]}:" if place is not None else "")
    return click.UsageError(f"{where} {dotted(keys)}: {problem}")


def _no_toml(path: Path, text: str, problem: str) -> click.UsageError:
    """Return the error for a file that is no TOML. The parser says where, behind the problem."""
    match = re.fullmatch(r"(?s)(.*) \(at (?:line (\d+), column (\d+)|end of document)\)", problem)
    lines = text.rstrip().split("\n")
    place = f":{len(lines)}:{len(lines[-1]) + 1}"
    if match is not None and match[2]:
        problem, place = match[1], f":{match[2]}:{match[3]}"
    return click.UsageError(f"{display_path(str(path))}{place}: not TOML: {problem}")


def _check_dialects(configuration: Configuration) -> None:
    """Raise ``click.UsageError`` for a dialect or a dialect file that cannot be used, before anything is read."""
    files = configuration.dialect_files()
    is_from_line = bool(configuration.line.get("dialect-files"))
    for position, file in enumerate(files):
        if not os.path.isfile(file):
            name = display_path(str(file))
            problem = f"there is no dialect file {name}"
            if os.path.exists(file):
                problem = f"{name} is no regular file, as the file of a dialect has to be"
            if configuration.file is None or is_from_line:
                raise click.UsageError(problem)
            raise _wrong_setting(configuration.file, ("dialect-files", position), problem)
        load_file(file)
    _check_dialect(configuration.line, files)
    for name, table in (("", configuration.data), *configuration.data.get("paths", {}).items()):
        try:
            _check_dialect(table, files)
        except click.UsageError as error:
            if configuration.file is None:
                raise
            keys = ("paths", name) if name else ()
            raise _wrong_setting(configuration.file, (*keys, "dialect"), error.message) from None


def _check_dialect(table: Mapping[str, Any], files: Sequence[Path]) -> None:
    """Raise ``click.UsageError`` for an unknown dialect."""
    if table.get("dialect", "auto") not in ("auto", "openai"):
        find_dialect(table["dialect"], files)


_TABLE = r"""(?m)^[ \t]*+\[{1,2}+[ \t]*+(tool[ \t]*+\.[ \t]*+)?+["']?+([\w-]++)[^]\n]*+\]{1,2}+[ \t]*+(?:#.*)?$"""
"""The header of a table, with the first part of its name behind ``tool``."""
_LETTERS = frozenset("isogl")
"""All letters of ``isogloss``: a misspelt name has most of them."""


def _check_tables(path: Path, text: str) -> None:
    """Raise ``click.UsageError`` for a table of ``pyproject.toml`` that is misspelt [tool.isogloss]."""
    for table in re.finditer(_TABLE, text):
        tool, name = table.groups()
        if (tool and name == "isogloss") or len(_LETTERS.intersection(name.lower())) < 4:
            continue  # so are nearly all tables
        if misspelt(name, ["isogloss"]) is not None:
            start = table.start(2)
            where = (
                f"{display_path(str(path))}:{text.count(chr(10), 0, start) + 1}:{start - text.rfind(chr(10), 0, start)}"
            )
            shown = f"[tool.{name}]" if tool else f"[{name}]"
            raise click.UsageError(f"{where}: {shown} is no table of isogloss; did you mean [tool.isogloss]?")


def _text(path: Path) -> str:
    return as_utf_8(read_named(path)).decode().replace("\r\n", "\n")


@lru_cache(8)  # to find a configuration and to load it takes several readings of the same files
def _parse(text: str) -> Any:
    """Return the value of a text in TOML. Raises ``ValueError`` for a text that is no TOML."""
    import tomllib

    return json.loads(json.dumps(tomllib.loads(text), default=str))  # TOML has dates, but JSON Schema has none


def _read_table(path: Path) -> Any:
    """Return the settings in a file, or ``None`` for a ``pyproject.toml`` without settings for isogloss."""
    try:
        text = _text(path)
        if path.name == "pyproject.toml":
            _check_tables(path, text)
            if "isogloss" not in text:
                return None
        data = _parse(text)
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise click.UsageError(f"{display_path(str(path))}:{line}: not UTF-8, as TOML has to be") from error
    except ValueError as error:
        raise _no_toml(path, text, str(error)) from error
    except RecursionError as error:
        raise click.UsageError(f"{display_path(str(path))} is nested too deep") from error
    if path.name != "pyproject.toml":
        return data
    tool = data.get("tool")
    return tool.get("isogloss") if isinstance(tool, dict) else None
