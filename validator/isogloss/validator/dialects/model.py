"""Represent dialects and their facts as objects. Facts compile the schemas of their values when first needed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache, cached_property, lru_cache
from typing import Any

import orjson
from msgspec import Struct

from isogloss import schemas
from isogloss.validator.dialects.dates import first_moment, first_moment_after
from isogloss.validator.engines import predicate
from isogloss.validator.pointer import ABSENT, Steps, steps_of

__all__ = [
    "Behaviour", "Deviation", "Dialect", "Fact", "Fingerprint", "Restriction", "dialect", "dialects", "from_data",
]  # fmt: skip

_MOST_REMEMBERED = 1024
_LITERAL, _OPTIONAL = "-_/:@ ", ("*", "?", "{")
"""Characters that stand for themselves in a regular expression, and those by which the one before may be missing."""


class Fact(Struct, frozen=True, kw_only=True, eq=False, dict=True):
    """The base of all facts. A fact is equal only to itself.

    ``at`` is the path that the fact is about. ``seen`` holds the number of recorded exchanges that show the fact, and
    the number of exchanges that could have shown it. It is ``None`` if nobody counted them. ``projects`` holds the same
    numbers of the projects that recorded these exchanges, if the projects differ. ``confidence`` is the kind of the
    fact's source. ``decides`` is false if nobody could verify the fact. ``inherited`` is true if a parent has
    the fact, too. ``passed_on`` is true if dialects behind this one show the fact as well. The fact was first seen at
    ``since``, and was not seen any more from ``until`` on. Both are in seconds since 1970.
    """

    at: str
    confidence: str
    seen: tuple[int, int] | None = None
    projects: tuple[int, int] | None = None
    schema: Mapping[str, Any] | None = None
    inherited: bool = False
    passed_on: bool = False
    since: float | None = None
    until: float | None = None

    def holds(self, when: float | None) -> bool:
        """Return whether a moment is in the time in which the fact was seen; ``None`` is any moment."""
        return when is None or (
            (self.since is None or self.since <= when) and (self.until is None or when < self.until)
        )

    @property
    def decides(self) -> bool:
        """Whether somebody verified the fact."""
        return self.confidence != "unverified"

    @cached_property
    def steps(self) -> Steps:
        """The steps of the path ``at``."""
        return steps_of(self.at) or ()

    @cached_property
    def accepts(self) -> Callable[[object], bool]:
        """A function that returns whether a value at the path satisfies the schema of the fact.

        Without a schema, only a value that is absent does.
        """
        if self.schema is None:
            return lambda value: value is ABSENT
        return _accepting(self.schema_text)

    @cached_property
    def schema_text(self) -> bytes:
        """The schema as text, which is the same for equal schemas."""
        return orjson.dumps(self.schema, option=orjson.OPT_SORT_KEYS)

    @property
    def by_type(self) -> bool:
        """Whether the type of a value alone decides whether the value is accepted."""
        return self.schema is None or self.schema.keys() <= {"type"}


@lru_cache(_MOST_REMEMBERED)
def _accepting(schema: bytes) -> Callable[[object], bool]:
    """Compile a schema, once for all facts that have it."""
    return predicate(orjson.loads(schema))


class Deviation(Fact, frozen=True, kw_only=True, eq=False, dict=True):
    """A value that the dialect has, or with ``absent`` leaves out, at a path of some kinds of payloads."""

    kinds: frozenset[str]
    absent: bool = False

    @property
    def title(self) -> str:
        """The deviation as reports name it."""
        return f"{'/'.join(sorted(self.kinds))} {self.at}" + (" absent" if self.absent else "")


class Fingerprint(Fact, frozen=True, kw_only=True, eq=False, dict=True):
    """A form of the values at a path that is typical of the dialect. The reference allows it, too."""

    kinds: frozenset[str]

    @property
    def beginning(self) -> str:
        """The text that all values of this form begin with: they are strings. It is empty if no such text is known."""
        schema = self.schema or {}
        if isinstance(schema.get("const"), str):
            return str(schema["const"])
        return _literal_beginning(schema.get("pattern", "")) if schema.get("type") == "string" else ""


class Behaviour(Fact, frozen=True, kw_only=True, eq=False, dict=True):
    """A rule that the dialect is known to break: at the path ``at``, or anywhere if ``at`` is empty."""

    rule: str

    @property
    def title(self) -> str:
        """The behaviour as reports name it."""
        return f"{self.rule} {self.at}".rstrip()


class Restriction(Fact, frozen=True, kw_only=True, eq=False, dict=True):
    """A restriction: the value at the path must satisfy the schema. Without a schema, no value is allowed there.

    ``observed`` is true if the source is a recording or the server's code, and not documentation alone. With the effect
    ``taken``, every value is allowed, also those that a parent restricts. ``when`` is a schema: the restriction holds
    only for requests that satisfy it as a whole. If it is ``None``, the restriction holds for all requests. ``scope``
    is ``order`` if the strings at the path are one value, joined by spaces, ``turn`` if only messages after the last
    one of the user count, and ``None`` if every value does. ``note`` explains the restriction.
    """

    effect: str
    observed: bool = False
    when: Mapping[str, Any] | None = None
    scope: str | None = None
    note: str | None = None

    @cached_property
    def concerns(self) -> Callable[[object], bool]:
        """A function that returns whether the restriction holds for a request."""
        return predicate(self.when) if self.when is not None else lambda request: True

    @property
    def reason(self) -> str:
        """The note behind a space, in brackets; empty if the restriction holds for every value of all requests."""
        return f" ({self.note.rstrip('.')})" if (self.when is not None or self.scope) and self.note else ""


class Dialect:
    """One dialect with all its facts, also those that it inherits."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.data = data
        self._passed_on = frozenset(data.get("passes_on", ()))
        self.slug: str = data["slug"]
        self.name: str = data["name"]
        self.kind: str = data["kind"]
        self.hosts: tuple[str, ...] = tuple(data["hosts"])
        self.parents: tuple[str, ...] = tuple(data.get("inherits", ()))
        self.relays: str | tuple[str, ...] = (
            data["relays"] if data.get("relays") == "any" else tuple(data.get("relays", ()))
        )
        self.deviations = [
            Deviation(kinds=frozenset(fact["in"]), absent="absent" in fact, **self._fact(fact))
            for fact in data["deviations"]
        ]
        self.fingerprints = [
            Fingerprint(kinds=frozenset(fact["in"]), **self._fact(fact)) for fact in data["fingerprints"]
        ]
        self.behaviours = [Behaviour(rule=fact["rule"], **self._fact(fact)) for fact in data["behaviours"]]

    def _fact(self, fact: Mapping[str, Any]) -> dict[str, Any]:
        seen, projects = fact.get("seen"), fact.get("projects")
        return {
            "at": fact.get("at", ""),
            "seen": (seen[0], seen[1]) if seen else None,
            "projects": (projects[0], projects[1]) if projects else None,
            "confidence": self.data["sources"][fact["source"]]["confidence"],
            "schema": fact.get("schema"),
            "inherited": "/" in fact["source"],
            "since": first_moment(fact["since"]) if "since" in fact else None,
            "until": first_moment_after(fact["until"]) if "until" in fact else None,
            "passed_on": fact.get("rule") in self._passed_on or fact.get("at") in self._passed_on,
        }

    @cached_property
    def restrictions(self) -> list[Restriction]:
        """The restrictions of its requests. Only a dialect that somebody names needs them."""
        return [
            Restriction(
                effect=fact["effect"],
                observed=self.data["sources"][fact["source"]]["confidence"] in ("recorded", "source-code"),
                when=fact.get("when"),
                scope=fact.get("scope"),
                note=fact.get("note"),
                **self._fact(fact),
            )
            for fact in self.data["restrictions"]
        ]

    @property
    def facts(self) -> tuple[Fact, ...]:
        """All facts about its answers."""
        return (*self.deviations, *self.fingerprints, *self.behaviours)

    @property
    def explaining_facts(self) -> tuple[Deviation | Behaviour, ...]:
        """The facts that explain findings."""
        return (*self.deviations, *self.behaviours)

    def speaks_at(self, host: str) -> bool:
        """Return whether a host name is one of the dialect's."""
        return host in self.hosts or any(pattern.fullmatch(host) for pattern in self._host_patterns)

    @cached_property
    def _host_patterns(self) -> list[re.Pattern[str]]:
        return [re.compile(_host_pattern(host)) for host in self.hosts if "*" in host]

    def may_relay(self, other: Dialect) -> bool:
        """Return whether the dialect passes on answers of another one that is neither its parent nor its child."""
        related = other.slug in self.parents or self.slug in other.parents
        return not related and (self.relays == "any" or other.slug in self.relays)


def _literal_beginning(pattern: str) -> str:
    """Return the text before the first special character of a regular expression, if what it matches begins with that.

    Nothing is known to begin with an optional character, nor what matches one of several expressions.
    """
    if not pattern.startswith("^") or "|" in pattern:
        return ""
    end = next((at for at, one in enumerate(pattern) if at and not (one.isalnum() or one in _LITERAL)), len(pattern))
    return pattern[1 : end - pattern.startswith(_OPTIONAL, end)]


def _host_pattern(host: str) -> str:
    """Return a regular expression for a host name.

    A leading ``*.`` is any labels, a ``*`` elsewhere is one label or a part of it.
    """
    head, rest = (".+", host[1:]) if host.startswith("*.") else ("", host)
    return head + re.escape(rest).replace(r"\*", "[^.]+")


def from_data(data: Mapping[str, Any]) -> Dialect:
    """Make a dialect from the content of a dialect file, which may inherit from dialects that ship.

    Raises ``KeyError`` for a parent or a source that does not exist. The content must satisfy the dialect schema.
    """
    return Dialect(schemas.inherit(data, {parent: schemas.dialect(parent) for parent in data.get("inherits", ())}))


@cache
def dialect(slug: str) -> Dialect:
    """Return the dialect with this slug. Raises ``KeyError`` for an unknown one."""
    return Dialect(schemas.dialect(slug))


def dialects() -> Iterator[Dialect]:
    """Return every dialect that ships, one after the other."""
    return map(dialect, schemas.dialects())
