"""What violates the reference in a payload, decided once for all payloads with the same violations.

Most payloads that violate the reference do so as an earlier one did: the chunks of one stream, the answers of one
server. Once some payloads had the same violations, the next of them makes a template, by which an engine recognises
all others. Without templates the violations are the same, only later.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import cache
from itertools import chain, islice
from typing import Any, NamedTuple

from isogloss import schemas
from isogloss.validator.engines import Engine, SchemaError, predicate, walk
from isogloss.validator.examining.schema_findings import Violation, violations
from isogloss.validator.examining.templates import Document, template
from isogloss.validator.pointer import Pointer, follow

__all__ = ["Violated", "ViolationCache"]

_MOST_TEMPLATES = 1024
"""Each takes some 50 KB in the engine."""
_MOST_SEEN = 4096
_WORTH = {"completion": 16, "chunk": 8, "error": 8, "request": 256}
"""Payloads with the same violations after which making a template costs less than listing them in each."""
_LEAST_ALIKE = 2
"""Payloads with the same properties from which on a template is made for them."""
_MOST_IN_BUCKET = 64
_MOST_ERRORS = 256
"""Errors of a payload that are kept at once; one with as many makes no template."""


class Violated(NamedTuple):
    """The violations of a payload, and a test that is true only for payloads of its kind with the same ones."""

    violations: tuple[Violation, ...]
    same: Callable[[object], bool]


def _never(_: object) -> bool:
    return False


class ViolationCache:
    """The violations of payloads. With ``keep=False`` nothing is remembered, which only takes longer."""

    def __init__(self, engine: Engine, *, keep: bool = True) -> None:
        self._keep = keep
        self._engine = engine
        self._valid: dict[str, Violated] = {}  # by kind: a schema takes a millisecond to be compiled
        self._templates: dict[Hashable, list[Violated]] = {}
        self._no_objects: dict[tuple[str, type], Violated] = {}
        self._number = 0
        self._seen: dict[int, int] = {}  # by the hash of what was seen

    def violated(self, kind: str, value: object) -> Violated:
        """Return the violations of a payload of a kind. A valid payload has none."""
        valid = self._valid.get(kind)
        if valid is None:
            valid = self._valid[kind] = Violated((), self._engine.validator(kind))
        if valid.same(value):
            return valid
        if not self._keep:
            return Violated(violations(kind, value, walk.errors(kind, value)), _never)
        if not isinstance(value, dict):
            return self._no_object(kind, value)
        templates = self._templates.get((kind, *value)) or []
        for position, known in enumerate(templates):
            if known.same(value):
                if position:
                    templates.insert(0, templates.pop(position))  # the next payload is most often like this one
                return known
        listed = walk.errors(kind, value)
        first = tuple(islice(listed, _MOST_ERRORS))
        template = self._template(kind, value, first) if len(first) < _MOST_ERRORS else _never
        found = Violated(violations(kind, value, chain(first, listed)), template)
        if found.same is not _never:
            templates = self._templates.setdefault((kind, *value), [])
            templates.insert(0, found)
            del templates[_MOST_IN_BUCKET:]
        return found

    def _no_object(self, kind: str, value: object) -> Violated:
        """Return the violations of a value that is no object. They are the same for all values of its type.

        Those of floats are not remembered, since 1.0 is an integer.
        """
        of = type(value)
        known = self._no_objects.get((kind, of))
        if known is None:
            found = violations(kind, value, walk.errors(kind, value))
            if of is float:
                return Violated(found, _never)
            known = self._no_objects[kind, of] = Violated(found, lambda other: type(other) is of)
        return known

    def _count(self, what: Hashable) -> int:
        """Count how often this was seen, and return the number.

        Two values with the same hash are counted together. This makes a template sooner, which does no harm.
        """
        if len(self._seen) >= _MOST_SEEN:
            self._seen.clear()
        number = self._seen[hash(what)] = self._seen.get(hash(what), 0) + 1
        return number

    def _template(self, kind: str, value: dict[str, Any], errors: Sequence[SchemaError]) -> Callable[[object], bool]:
        """Return a test for payloads with the same violations, or one that is never true.

        A test is made once enough other payloads had the same errors, and another one had the same property names.
        """
        if self._count((kind, *errors)) < _WORTH[kind] or self._count((kind, *value)) < _LEAST_ALIKE:
            return _never
        schema = template(_document(kind), value, errors, _condition(kind))
        if schema is None:
            return _never
        self._number += 1
        if self._number > _MOST_TEMPLATES:
            self._templates.clear()
            self._number = 1
        return predicate(schema)


@cache
def _document(kind: str) -> Document:
    return Document(schemas.judged(kind))


@cache
def _condition(kind: str) -> Callable[[Pointer, object], bool]:
    """Return a function that tests whether a value satisfies the schema at a place of a kind's document."""
    document = _document(kind)

    @cache
    def compiled(at: Pointer) -> Callable[[object], bool]:
        schema: Any = follow(document.schema, at)
        return predicate({**schema, "$defs": document.needed(schema)})

    return lambda at, value: compiled(at)(value)
