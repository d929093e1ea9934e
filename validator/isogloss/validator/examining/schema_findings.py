"""From violations of the reference schema to findings: which rule each violated keyword is, and how severe."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from functools import cache, lru_cache
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

from isogloss import schemas
from isogloss.validator.engines import SchemaError
from isogloss.validator.findings import Severity
from isogloss.validator.pointer import UNREAD, Pointer, follow
from isogloss.validator.quoting import article, count_of, listed, name, shown, type_name
from isogloss.validator.rules import Hit
from isogloss.validator.suggesting import misspelt

__all__ = ["MOST_VIOLATIONS", "Violation", "more", "violations"]

_RULES = {
    "type": "wrong-type",
    "enum": "unknown-value",
    "const": "unknown-value",
    "minimum": "out-of-range",
    "maximum": "out-of-range",
    "exclusiveMinimum": "out-of-range",
    "exclusiveMaximum": "out-of-range",
    "minLength": "wrong-length",
    "maxLength": "wrong-length",
    "minItems": "wrong-length",
    "maxItems": "wrong-length",
    "minProperties": "wrong-length",
    "maxProperties": "wrong-length",
    "pattern": "wrong-format",
}
_SIGNS = {
    "minimum": "at least",
    "exclusiveMinimum": "more than",
    "maximum": "at most",
    "exclusiveMaximum": "less than",
}
MOST_VIOLATIONS = 1000
"""Violations of one rule in one payload that are reported one by one."""
_MOST_NAMES = 32
"""Properties in an error whose violations are remembered."""

_SEVERITIES = {severity.label: severity for severity in Severity}


class Violation(NamedTuple):
    """A violation of the schema: the name of the rule, and the hit, whose value is read where it is needed."""

    rule: str
    hit: Hit


def violations(kind: str, value: object, errors: Iterable[SchemaError]) -> tuple[Violation, ...]:
    """What the errors of a payload of a kind, in the order of places, mean: for each the name of a rule and its hit.

    At one place a wrong type counts alone: what else the schema wants of the value follows from it. Of very many
    violations of one rule the last says how many more there are.
    """
    found: list[Violation] = []
    counts: dict[str, int] = {}
    full: set[str] = set()
    made: Iterable[Violation]
    for _, group in groupby(errors, key=itemgetter(0)):
        here = list(group)
        if len(here) > 1:
            here = [error for error in here if error.schema[-1] == "type"] or here
        for error in here:
            if not error.names:
                made = (_of_value(kind, error, follow(value, error.pointer)),)
            elif full or len(error.names) > _MOST_NAMES:
                made = _of_names(kind, error, full)
            else:
                made = _remembered(kind, error)
            for violation in made:
                rule = violation.rule
                count = counts[rule] = counts.get(rule, 0) + 1
                if count <= MOST_VIOLATIONS:
                    found.append(violation)
                    if count == MOST_VIOLATIONS:
                        full.add(rule)
    found += [Violation(rule, more(count)) for rule, count in counts.items() if count > MOST_VIOLATIONS]
    return tuple(found)


def more(count: int) -> Hit:
    """The hit that says how many more there are of one rule than are reported one by one."""
    return Hit(f"{count - MOST_VIOLATIONS:,} more findings of this rule in this payload", (), UNREAD)


def _of_names(kind: str, error: SchemaError, full: Container[str] = ()) -> Iterator[Violation]:
    """The violations of an error about properties, one for each; those of rules that are ``full`` have no message."""
    schema, place, severity = _constraint(kind, error.schema)
    required = error.keyword == "required"
    if not required:
        severity = _SEVERITIES.get(schema.get("x-unknown") or schemas.judged(kind).get("x-unknown", ""))
    for one in error.names:
        rule = "unknown-property"
        if required:
            documented = one in schema.get("x-documented-required", ())
            rule = "documented-property-absent" if documented else "missing-property"
        at = (*error.pointer, one)
        if rule in full:
            yield Violation(rule, Hit("", at))
        elif required:
            message = f"{name(one)} is missing" + (
                ", documented as required though OpenAI omits it too" if documented else ""
            )
            yield Violation(rule, Hit(message, at, severity=severity, schema=place))
        else:
            message = _unknown(kind, error.schema, one)
            yield Violation(rule, Hit(message, at, UNREAD, key=True, severity=severity, schema=place))


@lru_cache(4096)
def _remembered(kind: str, error: SchemaError) -> tuple[Violation, ...]:
    return tuple(_of_names(kind, error))


def _of_value(kind: str, error: SchemaError, value: object) -> Violation:
    """The violation of an error about a value."""
    schema, place, severity = _constraint(kind, error.schema)
    keyword = error.keyword
    wanted = _wanted(kind, error.schema)
    rule = _RULES[keyword]
    if keyword == "type":
        message = f"{'null' if value is None else article(value)} where the reference has {wanted}"
        if value is None:
            rule, severity = "null-value", _SEVERITIES.get(schema.get("x-null", ""))
    elif keyword in ("enum", "const"):
        message = f"{shown(value)} is not {wanted}"
    elif keyword == "pattern":
        message = f"does not match {wanted}"
    else:
        held = shown(value) if keyword in _SIGNS else count_of(len(value), _unit(keyword))  # type: ignore[arg-type]
        message = f"{held} where the reference allows {wanted}"
    return Violation(rule, Hit(message, error.pointer, UNREAD, severity=severity, schema=place))


@lru_cache(4096)
def _unknown(kind: str, at: Pointer, extra: str) -> str:
    """Return the hit on a property that the schema around ``additionalProperties`` does not have."""
    near = misspelt(extra, _constraint(kind, at)[0].get("properties", ()))
    said = f"{name(extra)} is not part of the reference"
    return f"{said}; did you mean {name(near)}?" if near is not None else said


@cache
def _constraint(kind: str, at: Pointer) -> tuple[dict[str, Any], str, Severity | None]:
    """The schema that a keyword stands in, the place of the keyword as a URI, and the severity of breaking it."""
    document = schemas.judged(kind)
    schema: dict[str, Any] = follow(document, at[:-1])  # type: ignore[assignment]
    severity = _SEVERITIES[schema["x-severity"]] if "x-severity" in schema and at[-1] != "type" else None
    return schema, f"{document['$id']}#/" + "/".join(map(str, at)), severity


@cache
def _wanted(kind: str, at: Pointer) -> str:
    """What a keyword demands of a value, in words."""
    keyword = str(at[-1])
    demand: Any = _constraint(kind, at)[0][keyword]
    if keyword == "type":
        return listed([type_name(one) for one in ([demand] if isinstance(demand, str) else demand)])
    if keyword in ("enum", "const"):
        return f"one of {listed([shown(one) for one in demand])}" if keyword == "enum" else shown(demand)
    if keyword in _SIGNS or keyword == "pattern":
        return f"{_SIGNS[keyword]} {demand}" if keyword in _SIGNS else demand
    return f"{'at least' if keyword.startswith('min') else 'at most'} {demand}"


def _unit(keyword: str) -> str:
    return {"Length": "character", "Items": "item", "Properties": "property"}[
        keyword.removeprefix("min").removeprefix("max")
    ]
