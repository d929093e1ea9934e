"""Find what violates the reference in a payload, only once for all payloads with the same violations.

Most payloads that violate the reference do so as an earlier payload did: the chunks of one stream, the answers of one
server. When enough payloads had the same violations, a template is made for the next one. With it, an engine recognises
all other such payloads. Without templates the violations are the same, but finding them takes longer.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from isogloss.validator.engines import Engine, SchemaError, new_predicate

if TYPE_CHECKING:
    from isogloss.validator.examining.schema_findings import Violation

__all__ = ["ViolationCache", "ViolationSet"]

_MOST_TEMPLATES = 1024
"""Each template takes about 50 KB in the engine."""
_MOST_SEEN = 4096
_WORTH = {"completion": 16, "chunk": 8, "error": 8, "request": 256}
"""By kind: how many payloads with the same violations make a template cheaper than listing them for each payload."""
_LEAST_ALIKE = 2
"""How many payloads must have the same properties before a template is made for them."""
_MOST_IN_BUCKET = 64
_MOST_ERRORS = 256
"""The most errors of a payload that are in memory at once. No template is made for a payload with as many."""


class ViolationSet:
    """The violations of a payload, and a test that is true only for payloads of its kind with the same violations."""

    __slots__ = ("matches", "violations")

    def __init__(self, violations: tuple[Violation, ...], matches: Callable[[object], bool]) -> None:
        self.violations = violations
        self.matches = matches


def _never(_: object) -> bool:
    return False


class ViolationCache:
    """Finds the violations of payloads. With ``keep=False`` nothing is remembered: it is slower, with equal results."""

    def __init__(self, engine: Engine, *, keep: bool = True) -> None:
        self._keep = keep
        self._engine = engine
        self._valid: dict[str, ViolationSet] = {}  # by kind; compiling a schema takes a millisecond
        self._templates: dict[Hashable, list[ViolationSet]] = {}
        self._template_count = 0
        self._seen: dict[int, int] = {}  # counts, by the hash of what was seen

    def violations_of(self, kind: str, value: object) -> ViolationSet:
        """Return the violations of a payload of a kind. A valid payload has none."""
        valid = self._valid.get(kind)
        if valid is None:
            valid = self._valid[kind] = ViolationSet((), self._engine(kind))
        if valid.matches(value):
            return valid
        templates = (self._templates.get((kind, *value)) or []) if isinstance(value, dict) else []
        for position, known in enumerate(templates):
            if known.matches(value):
                if position:
                    templates.insert(0, templates.pop(position))  # the next payload is most often like this one
                return known
        return self._list(kind, value)

    def _list(self, kind: str, value: object) -> ViolationSet:
        """List the violations of a payload. Most payloads have none, or the same as an earlier one."""
        from isogloss.validator.engines import walk
        from isogloss.validator.examining import schema_findings

        errors = walk.iter_errors(kind, value)
        if not self._keep or not isinstance(value, dict):
            return ViolationSet(schema_findings.violations(kind, value, errors), _never)
        first_errors = tuple(islice(errors, _MOST_ERRORS))
        violations = schema_findings.violations(kind, value, chain(first_errors, errors))
        if len(first_errors) == _MOST_ERRORS or not self._is_worth_a_template(kind, value, violations):
            return ViolationSet(violations, _never)
        violated = ViolationSet(violations, self._template(kind, value, first_errors))
        if violated.matches is not _never:
            templates = self._templates.setdefault((kind, *value), [])
            templates.insert(0, violated)
            if len(templates) > _MOST_IN_BUCKET:
                del templates[_MOST_IN_BUCKET:]
                self._seen.clear()  # so that templates which replace each other are made rarely
        return violated

    def _count(self, seen: Hashable) -> int:
        """Count how often this was seen, and return the number.

        Two values with the same hash are counted together. This makes a template sooner, which does no harm.
        """
        if len(self._seen) >= _MOST_SEEN:
            self._seen.clear()
        key = hash(seen)
        times = self._seen[key] = self._seen.get(key, 0) + 1
        return times

    def _is_worth_a_template(self, kind: str, value: dict[str, Any], violations: tuple[Violation, ...]) -> bool:
        """Return whether enough payloads had these violations, and another one had the same property names."""
        return self._count((kind, violations)) >= _WORTH[kind] and self._count((kind, *value)) >= _LEAST_ALIKE

    def _template(self, kind: str, value: dict[str, Any], errors: Sequence[SchemaError]) -> Callable[[object], bool]:
        """Return a test for payloads with the same violations, or one that is never true."""
        from isogloss.validator.examining.templates import template_of

        schema = template_of(kind, value, errors)
        if schema is None:
            return _never
        self._template_count += 1
        if self._template_count > _MOST_TEMPLATES:
            self._templates.clear()
            self._seen.clear()
            self._template_count = 1
        return new_predicate(schema)
