"""Holding one payload against the reference schema of its kind: which rule each violated keyword is, and how severe."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Any

from isogloss import schemas
from isogloss.validator.engines import Engine, SchemaError
from isogloss.validator.findings import Severity
from isogloss.validator.pointer import ABSENT, Pointer, follow
from isogloss.validator.quoting import article, count_of, listed, name, shown, type_name
from isogloss.validator.rules import Hit
from isogloss.validator.suggesting import misspelt

__all__ = ["violations"]

_RULES = {
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
_SEVERITIES = {severity.label: severity for severity in Severity}


def violations(engine: Engine, kind: str, value: object, event: int | None = None) -> Iterator[tuple[str, Hit]]:
    """What the schema of the kind says about the payload: the name of a rule and its hit, in the order of the payload.

    At one place a wrong type counts alone: what else the schema wants of the value follows from it.
    """
    errors = sorted(engine.errors(kind, value))  # where two places part, they are both names or both indexes
    mistyped = {error.pointer for error in errors if error.schema[-1] == "type"}
    for error in errors:
        if error.pointer not in mistyped or error.schema[-1] == "type":
            yield from _hits(kind, value, error, event)


def _hits(kind: str, payload: object, error: SchemaError, event: int | None) -> Iterator[tuple[str, Hit]]:
    schema, place, severity = _constraint(kind, error.schema)
    value = follow(payload, error.pointer)
    keyword, demand = error.keyword, schema[error.keyword]
    at: Pointer = error.pointer

    if keyword == "required" and isinstance(value, dict):
        documented = schema.get("x-documented-required", ())
        for missing in demand:
            if missing not in value:
                rule = "documented-property-absent" if missing in documented else "missing-property"
                message = f"{name(missing)} is missing" + (
                    ", documented as required though OpenAI omits it too" if missing in documented else ""
                )
                yield rule, Hit(message, (*at, missing), ABSENT, event, severity=severity, schema=place)
    elif keyword == "additionalProperties" and isinstance(value, dict):
        for extra in value:
            if extra not in schema.get("properties", {}):
                yield (
                    "unknown-property",
                    Hit(
                        _unknown(kind, error.schema, extra),
                        (*at, extra),
                        value[extra],
                        event,
                        key=True,
                        severity=_SEVERITIES.get(schema.get("x-unknown") or schemas.judged(kind).get("x-unknown", "")),
                        schema=place,
                    ),
                )
    elif keyword == "type":
        wanted = listed([type_name(one) for one in ([demand] if isinstance(demand, str) else demand)])
        if value is None:
            severity = _SEVERITIES.get(schema.get("x-null", ""))
            yield (
                "null-value",
                Hit(f"null where the reference has {wanted}", at, value, event, severity=severity, schema=place),
            )
        else:
            yield (
                "wrong-type",
                Hit(f"{article(value)} where the reference has {wanted}", at, value, event, schema=place),
            )
    elif keyword in ("enum", "const"):
        known = listed([shown(one) for one in (demand if keyword == "enum" else [demand])])
        message = f"{shown(value)} is not {'one of ' if keyword == 'enum' else ''}{known}"
        yield "unknown-value", Hit(message, at, value, event, severity=severity, schema=place)
    else:
        message = _limit(keyword, demand, value)
        yield _RULES[keyword], Hit(message, at, value, event, severity=severity, schema=place)


@lru_cache(4096)
def _unknown(kind: str, at: Pointer, extra: str) -> str:
    """What is said of a member that the schema around ``additionalProperties`` does not have."""
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


def _limit(keyword: str, demand: Any, value: object) -> str:
    if keyword == "pattern":
        return f"does not match {demand}"
    if keyword in ("minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum"):
        sign = {
            "minimum": "at least",
            "maximum": "at most",
            "exclusiveMinimum": "more than",
            "exclusiveMaximum": "less than",
        }[keyword]
        return f"{shown(value)} where the reference allows {sign} {demand}"
    unit = {"Length": "character", "Items": "item", "Properties": "property"}[
        keyword.removeprefix("min").removeprefix("max")
    ]
    sign = "at least" if keyword.startswith("min") else "at most"
    return f"{count_of(len(value), unit)} where the reference allows {sign} {demand}"  # type: ignore[arg-type]
