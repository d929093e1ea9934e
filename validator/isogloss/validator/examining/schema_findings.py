"""Turn violations of the reference schema into findings: the rule of each violated keyword, and its severity."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import cache, lru_cache
from itertools import chain, groupby
from operator import attrgetter, itemgetter
from typing import Any, NamedTuple

from msgspec.structs import replace

from isogloss import schemas
from isogloss.schemas.references import resolve
from isogloss.validator.engines import SchemaError
from isogloss.validator.examining.examined import MOST_VIOLATIONS, UNKNOWN, hit_of_rest
from isogloss.validator.examining.stand_ins import stand_ins_of
from isogloss.validator.findings import SEVERITIES, Severity
from isogloss.validator.pointer import UNREAD, Pointer, follow
from isogloss.validator.quoting import count_of, join_list, quote_name, quote_value, type_name, type_with_article
from isogloss.validator.rules import Hit
from isogloss.validator.suggesting import misspelt

__all__ = ["Violation", "violations"]

_RULE_OF_KEYWORD = {
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
_LIMIT_WORDS = {
    "minimum": "at least",
    "exclusiveMinimum": "more than",
    "maximum": "at most",
    "exclusiveMaximum": "less than",
}
_UNITS = {"Length": "character", "Items": "item", "Properties": "property"}
_COUNTERPARTS = {
    "message": ("delta",), "delta": ("message",), "text": ("message", "delta"),
    "input_tokens": ("prompt_tokens",), "output_tokens": ("completion_tokens",),
}  # fmt: skip
"""What is called so in a completion and in a chunk, or by other APIs: Completions, Responses and Messages."""
_ABOUT_MISSING = ("missing-property", "documented-property-absent")
_rule_of = itemgetter(0)  # of a violation
_MOST_NAMES = 64
"""The limit for remembered violations of an error about properties.

They are used if the error has at most so many properties, and the payload has at most so many violations before it."""


class Violation(NamedTuple):
    """A violation of the schema: the name of the rule, and the hit. The value of the hit is read when it is needed."""

    rule: str
    hit: Hit


def violations(kind: str, value: object, errors: Iterable[SchemaError]) -> tuple[Violation, ...]:
    """Return the violations that the errors of a payload mean: for each error, the name of a rule and its hit.

    ``errors`` must be in the order of pointers. An error about several properties makes one violation for each of them.
    If a value has a wrong type, its other errors are left out, since they follow from the type. Of very many violations
    of one rule, the last says how many more there are.
    """
    found: list[Violation] = []
    inner_names: dict[Pointer, tuple[str, ...]] = {}  # by the pointer of a missing object
    counts: dict[str, int] = {}  # of violations by rule, from when one may have too many
    for pointer, group in groupby(errors, key=attrgetter("pointer")):
        same_pointer, known = list(group), len(found)
        if len(same_pointer) > 1:
            same_pointer = [error for error in same_pointer if error.schema[-1] == "type"] or same_pointer
        for error in same_pointer:
            if error.schema[-1] == "required" and len(found) < MOST_VIOLATIONS:
                inner_names |= {(*pointer, name): _inner_names(kind, error.schema, name) for name in error.names}
            if error.names and max(len(error.names), len(found)) <= _MOST_NAMES:
                found += _violations_of_names(kind, error)
                continue
            wrong_value = None if error.names else follow(value, error.pointer)
            for property_name in error.names or (None,):
                rule = _rule(kind, error, property_name, wrong_value)
                if len(found) >= MOST_VIOLATIONS:
                    counts = counts or Counter([one.rule for one in found])
                    counts[rule] += 1
                    if counts[rule] > MOST_VIOLATIONS:
                        continue
                if property_name is None:
                    found.append(Violation(rule, _hit_of_value(kind, error, wrong_value)))
                else:
                    found.append(Violation(rule, _hit_of_name(kind, error, property_name)))
        if len(found) > known + 1 and same_pointer[0].schema[-1] == same_pointer[-1].schema[-1] == "required":
            found[known:] = found[known:] if follow(value, pointer) else _violations_of_empty_object(found[known:])
    for rule, count in counts.items():
        if count > MOST_VIOLATIONS:
            found.append(Violation(rule, hit_of_rest(count)))
    return tuple(_with_stand_ins(found, inner_names))


def _with_stand_ins(found: list[Violation], inner_names: dict[Pointer, tuple[str, ...]]) -> list[Violation]:
    """Return violations, with the unknown properties that stand in the place of missing ones named there.

    ``inner_names`` holds the names of the properties of missing objects.
    """
    broken = set(map(_rule_of, found))
    if UNKNOWN not in broken or broken.isdisjoint(_ABOUT_MISSING):
        return found
    missing = [hit for rule, hit in found if rule in _ABOUT_MISSING]
    unknown = [hit for rule, hit in found if rule == UNKNOWN]
    stand_ins = stand_ins_of(missing, unknown, chain.from_iterable(inner_names.values()))
    if stand_ins is None:
        return found
    return [
        Violation(rule, stand_ins.named(hit, inner_names.get(hit.pointer, ())) if rule in _ABOUT_MISSING else hit)
        for rule, hit in found
    ]


@lru_cache(4096)
def _inner_names(kind: str, at: Pointer, property_name: str) -> tuple[str, ...]:
    """Return the names of the properties of a property of the object around a keyword, if it is an object."""
    schema = _constraint(kind, at)[0].get("properties", {}).get(property_name)
    if isinstance(schema, dict):
        schema = schema.get("then", schema)
    if isinstance(schema, dict) and "$ref" in schema:
        schema = resolve(schemas.validation_document(kind), schema["$ref"])
    return tuple(schema.get("properties", ())) if isinstance(schema, dict) else ()


def _rule(kind: str, error: SchemaError, property_name: str | None, value: object) -> str:
    """Return the rule that an error breaks. It is about ``property_name``; if that is ``None``, about ``value``."""
    if property_name is not None and error.keyword == "required":
        documented = _constraint(kind, error.schema)[0].get("x-documented-required", ())
        return "documented-property-absent" if property_name in documented else "missing-property"
    return "null-value" if value is None and error.keyword == "type" else _RULE_OF_KEYWORD[error.keyword]


@lru_cache(4096)
def _violations_of_names(kind: str, error: SchemaError) -> tuple[Violation, ...]:
    """Return the violations of an error about properties. They are the same in every payload."""
    return tuple(
        Violation(_rule(kind, error, property_name, {}), _hit_of_name(kind, error, property_name))
        for property_name in error.names
    )


def _violations_of_empty_object(missing: list[Violation]) -> list[Violation]:
    """Return the violations of an empty object: the first of the most severe ones points to the others."""
    position = next((number for number, violation in enumerate(missing) if violation.rule == "missing-property"), 0)
    rule, hit = missing[position]
    others = tuple(violation.hit.pointer for number, violation in enumerate(missing) if number != position)
    first = Violation(rule, replace(hit, message=f"{hit.message}; the object is empty", other_pointers=others))
    return [*missing[:position], first, *missing[position + 1 :]]


def _hit_of_name(kind: str, error: SchemaError, property_name: str) -> Hit:
    """Return the hit of an error about properties, for one of these properties."""
    schema, uri, severity = _constraint(kind, error.schema)
    pointer = (*error.pointer, property_name)
    if error.keyword == "required":
        documented = property_name in schema.get("x-documented-required", ())
        message = f"{quote_name(property_name)} is missing" + (
            "; it is documented as required, though OpenAI omits it, too" * documented
        )
        return Hit(message, pointer, severity=severity, schema=uri)
    severity = SEVERITIES.get(schema.get("x-unknown") or schemas.validation_document(kind).get("x-unknown", ""))
    message, known = f"{quote_name(property_name)} is not part of the reference", schema.get("properties", ())
    meant = _misspelt(kind, error.schema, property_name)
    if meant is not None:
        message += f"; did you mean {quote_name(meant)}?"
    else:
        meant = next((name for name in _COUNTERPARTS.get(property_name, ()) if name in known), None)
    others = () if meant is None else ((*error.pointer, meant),)
    if meant is None and (object_name := _object_of(kind, error, property_name)) is not None:
        others = ((*error.pointer, object_name, property_name),)
    return Hit(message, pointer, UNREAD, key=True, severity=severity, schema=uri, other_pointers=others)


def _object_of(kind: str, error: SchemaError, property_name: str) -> str | None:
    """Return the optional object whose property an unknown one is, if any.

    In an answer, another property of that object must stand beside it: many vendors have one of their own there.
    """
    names = error.names if len(error.names) <= _MOST_NAMES else ()
    counts = {
        object_name: sum(name in inner for name in names)
        for object_name, inner in _optional_objects(kind, error.schema).items()
        if property_name in inner
    }
    object_name = max(counts, key=counts.__getitem__, default="")
    return object_name if counts.get(object_name, 0) > (0 if kind == "request" else 1) else None


@cache
def _optional_objects(kind: str, at: Pointer) -> dict[str, tuple[str, ...]]:
    """Return the names of the properties of each object that may be in the object around ``additionalProperties``."""
    schema = _constraint(kind, at)[0]
    required = {*schema.get("required", ())} - {*schema.get("x-documented-required", ())}
    optional = (name for name in schema.get("properties", ()) if name not in required)
    return {name: inner for name in optional if (inner := _inner_names(kind, at, name))}


def _hit_of_value(kind: str, error: SchemaError, value: object) -> Hit:
    """Return the hit of an error about a value."""
    schema, uri, severity = _constraint(kind, error.schema)
    keyword, demand, pointer = error.keyword, _demand_in_words(kind, error.schema), error.pointer
    is_about_names = error.schema[-2:-1] == ("propertyNames",)
    if is_about_names and isinstance(value, dict):
        longest: str = max(value, key=len)  # the reference limits only the length of names
        value, pointer = longest, (*pointer, longest)
    if keyword == "type":
        message = f"{'null' if value is None else type_with_article(value)} where the reference has {demand}"
        severity = SEVERITIES.get(schema.get("x-null", "")) if value is None else severity
    elif keyword in ("enum", "const"):
        message = f"{quote_value(value)} is not {demand}"
    elif keyword == "pattern":
        message = f"does not match {demand}"
    else:
        actual = quote_value(value) if keyword in _LIMIT_WORDS else count_of(len(value), _UNITS[keyword[3:]])  # type: ignore[arg-type]
        message = f"{'a name of ' * is_about_names}{actual} where the reference allows {demand}"
    return Hit(message, pointer, UNREAD, key=is_about_names, severity=severity, schema=uri)


@lru_cache(4096)
def _misspelt(kind: str, at: Pointer, property_name: str) -> str | None:
    """Return the property of the schema around ``additionalProperties`` that an unknown name looks like, if any."""
    return misspelt(property_name, _constraint(kind, at)[0].get("properties", ()))


@cache
def _constraint(kind: str, at: Pointer) -> tuple[dict[str, Any], str, Severity | None]:
    """Return the schema that a keyword stands in, the pointer of the keyword as a URI, and its severity.

    The severity is ``None`` if the schema sets none, and for the keyword ``type``.
    """
    document = schemas.validation_document(kind)
    schema: dict[str, Any] = follow(document, at[:-1])  # type: ignore[assignment]
    severity = SEVERITIES[schema["x-severity"]] if "x-severity" in schema and at[-1] != "type" else None
    return schema, f"{document['$id']}#/" + "/".join(map(str, at)), severity


@cache
def _demand_in_words(kind: str, at: Pointer) -> str:
    """Describe in words what a keyword demands of a value."""
    keyword = str(at[-1])
    demand: Any = _constraint(kind, at)[0][keyword]
    if keyword == "type":
        return join_list([type_name(part) for part in ([demand] if isinstance(demand, str) else demand)])
    if keyword in ("enum", "const"):
        allowed = demand if keyword == "enum" else [demand]
        return ("one of " if len(allowed) > 1 else "") + join_list([quote_value(part) for part in allowed])
    if keyword in _LIMIT_WORDS or keyword == "pattern":
        return f"{_LIMIT_WORDS[keyword]} {demand}" if keyword in _LIMIT_WORDS else demand
    return f"{'at least' if keyword.startswith('min') else 'at most'} {demand}"
