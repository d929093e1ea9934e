"""From violations of the reference schema to findings: which rule each violated keyword is, and how severe."""

from __future__ import annotations

from collections.abc import Iterable
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
    "additionalProperties": "unknown-property",
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
_UNITS = {"Length": "character", "Items": "item", "Properties": "property"}
MOST_VIOLATIONS = 1000
"""Violations of one rule in one payload that are reported one by one."""
_FEW = 64
"""Properties in an error whose violations are remembered, and violations of a payload up to which they are used."""

_SEVERITIES = {severity.label: severity for severity in Severity}


class Violation(NamedTuple):
    """A violation of the schema: the name of the rule, and the hit, whose value is read where it is needed."""

    rule: str
    hit: Hit


def violations(kind: str, value: object, errors: Iterable[SchemaError]) -> tuple[Violation, ...]:
    """Return the violations that the errors of a payload mean: for each error, the name of a rule and its hit.

    ``errors`` must be in the order of places. An error about several properties makes one violation for each of them.
    If a value has a wrong type, its other errors are left out, since they follow from the type. Of very many violations
    of one rule, the last says how many more there are.
    """
    found: list[Violation] = []
    counts: dict[str, int] = {}
    for _, group in groupby(errors, key=itemgetter(0)):
        here = list(group)
        if len(here) > 1:
            here = [error for error in here if error.schema[-1] == "type"] or here
        for error in here:
            if error.names and max(len(error.names), len(found)) <= _FEW:
                made = _of_names(kind, error)
                found += made
                for rule, _ in made:
                    counts[rule] = counts.get(rule, 0) + 1
                continue
            inside = follow(value, error.pointer)
            for one in error.names or (None,):
                rule = _rule(kind, error, one, inside)
                count = counts[rule] = counts.get(rule, 0) + 1
                if count <= MOST_VIOLATIONS:
                    found.append(
                        Violation(rule, _of_value(kind, error, inside) if one is None else _of_name(kind, error, one))
                    )
    found += [Violation(rule, more(count)) for rule, count in counts.items() if count > MOST_VIOLATIONS]
    return tuple(found)


def more(count: int) -> Hit:
    """Return the hit that says how many more findings a rule has than are reported one by one.

    ``count`` is the number of all its findings in the payload.
    """
    return Hit(f"{count - MOST_VIOLATIONS:,} more findings of this rule in this payload", (), UNREAD)


def _rule(kind: str, error: SchemaError, of: str | None, value: object) -> str:
    """Return the rule that an error breaks. ``of`` is the property it is about; if ``None``, it is about ``value``."""
    if of is not None and error.keyword == "required":
        documented = _constraint(kind, error.schema)[0].get("x-documented-required", ())
        return "documented-property-absent" if of in documented else "missing-property"
    return "null-value" if value is None and error.keyword == "type" else _RULES[error.keyword]


@lru_cache(4096)
def _of_names(kind: str, error: SchemaError) -> tuple[Violation, ...]:
    """Return the violations of an error about properties. They are the same in every payload."""
    return tuple(Violation(_rule(kind, error, one, {}), _of_name(kind, error, one)) for one in error.names)


def _of_name(kind: str, error: SchemaError, of: str) -> Hit:
    """Return the hit of an error about properties, for one of these properties."""
    schema, place, severity = _constraint(kind, error.schema)
    at = (*error.pointer, of)
    if error.keyword == "required":
        documented = of in schema.get("x-documented-required", ())
        message = f"{name(of)} is missing" + (", documented as required though OpenAI omits it too" * documented)
        return Hit(message, at, severity=severity, schema=place)
    severity = _SEVERITIES.get(schema.get("x-unknown") or schemas.judged(kind).get("x-unknown", ""))
    return Hit(_unknown(kind, error.schema, of), at, UNREAD, key=True, severity=severity, schema=place)


def _of_value(kind: str, error: SchemaError, value: object) -> Hit:
    """Return the hit of an error about a value."""
    schema, place, severity = _constraint(kind, error.schema)
    keyword, wanted, at = error.keyword, _wanted(kind, error.schema), error.pointer
    of_names = error.schema[-2:-1] == ("propertyNames",)
    if of_names and isinstance(value, dict):
        longest: str = max(value, key=len)  # their length is all that the reference limits
        value, at = longest, (*at, longest)
    if keyword == "type":
        message = f"{'null' if value is None else article(value)} where the reference has {wanted}"
        severity = _SEVERITIES.get(schema.get("x-null", "")) if value is None else severity
    elif keyword in ("enum", "const"):
        message = f"{shown(value)} is not {wanted}"
    elif keyword == "pattern":
        message = f"does not match {wanted}"
    else:
        held = shown(value) if keyword in _SIGNS else count_of(len(value), _UNITS[keyword[3:]])  # type: ignore[arg-type]
        message = f"{'a name of ' * of_names}{held} where the reference allows {wanted}"
    return Hit(message, at, UNREAD, key=of_names, severity=severity, schema=place)


@lru_cache(4096)
def _unknown(kind: str, at: Pointer, extra: str) -> str:
    """Return the message about a property that the schema around ``additionalProperties`` does not have.

    If the name looks like a misspelt one, the message suggests the right name.
    """
    near = misspelt(extra, _constraint(kind, at)[0].get("properties", ()))
    said = f"{name(extra)} is not part of the reference"
    return f"{said}; did you mean {name(near)}?" if near is not None else said


@cache
def _constraint(kind: str, at: Pointer) -> tuple[dict[str, Any], str, Severity | None]:
    """Return the schema that a keyword stands in, the place of the keyword as a URI, and its severity.

    The severity is ``None`` if the schema sets none, and for the keyword ``type``.
    """
    document = schemas.judged(kind)
    schema: dict[str, Any] = follow(document, at[:-1])  # type: ignore[assignment]
    severity = _SEVERITIES[schema["x-severity"]] if "x-severity" in schema and at[-1] != "type" else None
    return schema, f"{document['$id']}#/" + "/".join(map(str, at)), severity


@cache
def _wanted(kind: str, at: Pointer) -> str:
    """Describe in words what a keyword demands of a value."""
    keyword = str(at[-1])
    demand: Any = _constraint(kind, at)[0][keyword]
    if keyword == "type":
        return listed([type_name(one) for one in ([demand] if isinstance(demand, str) else demand)])
    if keyword in ("enum", "const"):
        return f"one of {listed([shown(one) for one in demand])}" if keyword == "enum" else shown(demand)
    if keyword in _SIGNS or keyword == "pattern":
        return f"{_SIGNS[keyword]} {demand}" if keyword in _SIGNS else demand
    return f"{'at least' if keyword.startswith('min') else 'at most'} {demand}"
