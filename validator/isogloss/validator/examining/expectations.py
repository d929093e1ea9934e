"""Check rules of a user's own: a schema for the values at a generic path of a kind of payload.

The limits are those of the schemas that requests carry (:mod:`isogloss.validator.foreign_schemas`): nothing is fetched,
and a value whose check exceeds the budget of the exchange gives no finding.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from isogloss.validator.examining.examined import MOST_VIOLATIONS, RuleHit, hit_of_rest
from isogloss.validator.examining.placing import ExchangePart
from isogloss.validator.exchange import Exchange, Kind, Payload, Stream
from isogloss.validator.findings import Severity
from isogloss.validator.kinds import KINDS
from isogloss.validator.kinds.events import is_error
from isogloss.validator.nesting import is_deeper
from isogloss.validator.pointer import UNREAD, pointers_and_values, rfc6901, steps_of
from isogloss.validator.rules import EXPECTED, Hit
from isogloss.validator.streams.fold import Folded
from isogloss.validator.suggesting import closest

if TYPE_CHECKING:
    from isogloss.validator.foreign_schemas import ForeignSchema, Mismatch

__all__ = ["Expectation", "Expectations", "problem_of", "problem_of_path", "problem_of_schema"]

_NAMED_SCHEMAS = frozenset({"properties", "patternProperties", "$defs", "dependentSchemas", "definitions"})
"""Keywords with schemas by name."""
_VALUES = frozenset({"const", "enum", "default", "examples", "example"})
"""Keywords with values of any kind."""
_KEYWORDS = (
    "$anchor", "$comment", "$dynamicAnchor", "$dynamicRef", "$id", "$ref", "$schema", "$vocabulary",
    "additionalProperties", "allOf", "anyOf", "contains", "contentEncoding", "contentMediaType", "contentSchema",
    "dependentRequired", "deprecated", "description", "else", "exclusiveMaximum", "exclusiveMinimum", "format", "if",
    "items", "maxContains", "maxItems", "maxLength", "maxProperties", "maximum", "minContains", "minItems", "minLength",
    "minProperties", "minimum", "multipleOf", "not", "oneOf", "pattern", "prefixItems", "propertyNames", "readOnly",
    "required", "then", "title", "type", "unevaluatedItems", "unevaluatedProperties", "uniqueItems", "writeOnly",
    *_NAMED_SCHEMAS, *_VALUES,
)  # fmt: skip
"""The keywords of draft 2020-12, and those of earlier drafts and of OpenAPI that are similar to them."""

_NAME = r"[a-z0-9]+(-[a-z0-9]+)*"


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Expectation:
    """A schema that must hold wherever the path ``at`` exists in a payload of a kind."""

    name: str
    kind: Kind
    at: str = ""
    schema: Mapping[str, Any]
    severity: Severity = Severity.ERROR
    message: str = "breaks the expectation"

    @property
    def rule(self) -> str:
        """The name of the rule that its findings have."""
        return f"{EXPECTED}/{self.name}"


def problem_of(expectation: Expectation) -> str | None:
    """Describe what is wrong with an expectation that a program made, or return ``None`` if nothing is."""
    name, kind, at, schema = expectation.name, expectation.kind, expectation.at, expectation.schema
    if not isinstance(name, str) or re.fullmatch(_NAME, name) is None:
        return "a name has lower-case letters and digits, joined by hyphens"
    if kind not in KINDS:
        return f"its kind is {kind!r}; known are {', '.join(KINDS)}"
    if not isinstance(expectation.severity, Severity):
        return f"its severity is {expectation.severity!r}; it has to be one of Severity, such as Severity.WARNING"
    if not isinstance(schema, Mapping):
        return f"its schema is {schema!r}; it has to be an object, such as {{'type': 'string'}}"
    if not isinstance(at, str):
        return f"its path is {at!r}; it has to be a text, such as 'choices[].message.content'"
    return problem_of_path(at) or problem_of_schema(schema)


def problem_of_path(path: str) -> str | None:
    """Describe what is wrong with the path of an expectation, or return ``None`` if nothing is."""
    if steps_of(path) is None or path.split(".")[0] == "$":
        return f"{path!r} is not a path as findings print it, like choices[].message.content"
    return None


def problem_of_schema(schema: Mapping[str, Any]) -> str | None:
    """Describe what is wrong with the schema of an expectation, or return ``None`` if nothing is."""
    from isogloss.validator.foreign_schemas import Defect, read  # few runs have expectations

    if is_deeper(schema):
        return "nested too deep for a JSON Schema"
    compiled = read(dict(schema))
    if isinstance(compiled, Defect):
        at_pointer = f" at {rfc6901(compiled.pointer)}" if compiled.pointer else ""
        return f"no valid JSON Schema{at_pointer}"
    if compiled is None:
        if (pattern := next(_invalid_patterns(schema), None)) is not None:
            return f"the pattern {pattern!r} is no regular expression"
        return "cannot be used: it refers to another document, is too large, or takes too long to validate"
    for keyword in _unknown_keywords(schema):
        if (near := closest(keyword, _KEYWORDS, 0.85)) is not None:
            return f"{keyword!r} is no keyword of JSON Schema; did you mean {near!r}?"
    return None


def _unknown_keywords(schema: object) -> Iterator[str]:
    """Yield each key of a schema, or of a schema in it, that has no meaning in JSON Schema. It may be a comment."""
    for name, inner in schema.items() if isinstance(schema, Mapping) else ():
        if name not in _KEYWORDS:
            yield name
        elif name in _NAMED_SCHEMAS and isinstance(inner, Mapping):
            for one in inner.values():
                yield from _unknown_keywords(one)
        elif name not in _VALUES:
            for one in inner if isinstance(inner, list) else (inner,):
                yield from _unknown_keywords(one)


def _invalid_patterns(schema: object) -> Iterator[str]:
    """Yield each pattern in a schema that the standard library does not compile."""
    for name, inner in schema.items() if isinstance(schema, Mapping) else ():
        if name == "pattern" and isinstance(inner, str):
            try:
                re.compile(inner)
            except re.error:
                yield inner
        yield from _invalid_patterns(inner)
    for item in schema if isinstance(schema, list) else ():
        yield from _invalid_patterns(item)


class Expectations:
    """Expectations that are ready to be checked. If its schema cannot be used, an expectation finds nothing."""

    def __init__(self, expected: Iterable[Expectation]) -> None:
        compiled = [(expectation, steps_of(expectation.at), _compile(expectation.schema)) for expectation in expected]
        self._compiled = [
            (expectation, steps, schema)
            for expectation, steps, schema in compiled
            if steps is not None and schema is not None
        ]

    def check(self, exchange: Exchange, folded: Folded | None) -> tuple[list[RuleHit], frozenset[str]]:
        """Return a hit for each value that breaks an expectation, and the rules whose path exists in a payload.

        ``folded`` is the completion that a stream folds into. If several events have the same mismatch, they share one
        hit. Of very many hits of one rule, the last says how many more there are.
        """
        from isogloss.validator.foreign_schemas import WorkBudget

        budget = WorkBudget()
        counts: Counter[tuple[Expectation, ExchangePart]] = Counter()
        events: dict[tuple[str, Mismatch], list[int]] = {}  # with the same mismatch
        existing: set[str] = set()  # the rules whose path exists
        hits: list[RuleHit] = []
        for kind, value, part, event in _payloads(exchange, folded):
            for expectation, steps, schema in self._compiled:
                if expectation.kind != kind:
                    continue
                for pointer, inner in pointers_and_values(value, steps):
                    existing.add(expectation.rule)
                    mismatch = schema.mismatch(inner, budget)
                    if mismatch is None:
                        continue
                    mismatch = mismatch._replace(pointer=(*pointer, *mismatch.pointer))
                    if event is not None and (same_events := events.get((expectation.rule, mismatch))) is not None:
                        same_events.append(event)
                        continue
                    counts[expectation, part] += 1
                    if counts[expectation, part] > MOST_VIOLATIONS:
                        continue
                    events_of_hit = [] if event is None else events.setdefault((expectation.rule, mismatch), [event])
                    hits.append(RuleHit(expectation.rule, _hit(expectation, mismatch, event), part, events_of_hit))
        hits += [
            RuleHit(expectation.rule, replace(hit_of_rest(count), severity=expectation.severity), part)
            for (expectation, part), count in counts.items()
            if count > MOST_VIOLATIONS
        ]
        return hits, frozenset(existing)


def _compile(schema: Mapping[str, Any]) -> ForeignSchema | None:
    """Compile a schema, or return ``None`` if it is no schema or exceeds the limits.

    The import is inside the function because few runs have expectations.
    """
    from isogloss.validator.foreign_schemas import ForeignSchema, read

    compiled = read(dict(schema))
    return compiled if isinstance(compiled, ForeignSchema) else None


def _hit(expectation: Expectation, mismatch: Mismatch, event: int | None) -> Hit:
    keyword = f" ({mismatch.keyword})" if mismatch.keyword else ""
    return Hit(f"{expectation.message}{keyword}", mismatch.pointer, UNREAD, event, severity=expectation.severity)


def _payloads(exchange: Exchange, folded: Folded | None) -> Iterator[tuple[str, object, ExchangePart, int | None]]:
    """Yield each payload without faults, with its kind, its part of the exchange, and the number of its event.

    Of a stream, yield the payload of each event, and the completion that the stream folds into.
    """
    if exchange.request is not None and exchange.request.sound:
        yield "request", exchange.request.value, "request", None
    body = exchange.response
    if isinstance(body, Payload) and body.sound:
        yield body.kind, body.value, "response", None
    elif isinstance(body, Stream):
        for event, value in enumerate(body.values):
            if isinstance(value, dict) and event not in body.unsound:
                yield "error" if is_error(value) else "chunk", value, "stream", event
        if folded is not None:
            yield "completion", folded.value, "folded", None
