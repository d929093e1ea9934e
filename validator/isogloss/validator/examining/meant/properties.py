"""Find what single unknown properties mean: another name, another object, or another role or type of their object."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache, partial
from typing import Any

from isogloss import schemas
from isogloss.schemas.references import resolve
from isogloss.validator.examining.examined import UNKNOWN, RuleHit
from isogloss.validator.examining.meant.cause import (
    MOST_CAUSES,
    Cause,
    Change,
    JsonObject,
    changed,
    values_of,
    with_changes,
    with_values,
)
from isogloss.validator.examining.meant.styles import known_names
from isogloss.validator.examining.placing import payload_of_hit
from isogloss.validator.examining.stand_ins import OF_MANY_OBJECTS
from isogloss.validator.exchange import Exchange
from isogloss.validator.pointer import generic, read
from isogloss.validator.quoting import quote_name, quote_value

__all__ = ["misnamed_properties", "misplaced_properties", "properties_of_missing_objects"]


def properties_of_missing_objects(unknown: Sequence[RuleHit], exchange: Exchange) -> Iterator[Cause]:
    """Yield the properties of each missing object, which stand in the object around it, as one cause."""
    objects = {generic(one.hit.pointer): one.hit.other_pointers[0][-2] for one in unknown if _is_from_inside(one)}
    from_inside: dict[tuple[str, str | int], list[RuleHit]] = {}
    for one in unknown if objects else ():
        if (name := objects.get(generic(one.hit.pointer))) is not None:
            from_inside.setdefault((generic(one.hit.pointer[:-1]), name), []).append(one)
    values = values_of(exchange, unknown[0].part)
    for (_, name), moved in from_inside.items():
        if not any(isinstance(holder, dict) and holder.get(name) for holder in _holders(moved, values)):
            names = [*dict.fromkeys(quote_name(str(one.hit.pointer[-1])) for one in moved)]
            meant = with_changes(exchange, [(one, partial(_with_inner, name, one.hit.pointer[-1])) for one in moved])
            sentence = f"Properties of {quote_name(str(name))} stand in the object around: {', '.join(names)}"
            yield Cause(moved, [meant], sentence, is_whole=len(names) > 1, must_conform=True)


def misnamed_properties(unknown: Sequence[RuleHit], exchange: Exchange) -> Iterator[Cause]:
    """Yield each property that has another name in the reference, or that an object of another role or type has.

    A property that is unknown at several places, such as in the chunks of a stream, is one cause.
    """
    moved = {generic(one.hit.pointer) for one in unknown if _is_from_inside(one)}
    alike: dict[tuple[str, str], list[tuple[RuleHit, Change]]] = {}
    for one in unknown:
        may_mean = one.hit.other_pointers or one.part == "request"
        meant_by_one = _meant(one, exchange) if may_mean and generic(one.hit.pointer) not in moved else None
        if meant_by_one is not None:
            change, sentence = meant_by_one
            alike.setdefault((generic(one.hit.pointer), sentence), []).append((one, change))
    for (_, sentence), changes in alike.items():
        meant_by_all = with_changes(exchange, changes)
        yield Cause([one for one, _ in changes], [meant_by_all], sentence, must_conform=bool(sentence))


def misplaced_properties(hits: Sequence[RuleHit], exchange: Exchange) -> Iterator[Cause]:
    """Yield each unknown property of a request that an object inside of its own lacks, where something is found."""
    in_request = [one for one in hits if one.part == "request" and one.hit.pointer]
    unknown = [one for one in in_request if one.rule == UNKNOWN and not one.hit.other_pointers]
    names = known_names() - OF_MANY_OBJECTS if unknown else ()
    unknown = [one for one in unknown if one.hit.pointer[-1] in names]
    if not 0 < len(unknown) <= MOST_CAUSES:
        return
    [value] = values_of(exchange, "request")
    places = sorted({one.hit.pointer[:-1] for one in in_request})
    for one in unknown:
        *around, name = one.hit.pointer
        for at in places:
            holder = read(value, at) if len(at) > len(around) and [*at[: len(around)]] == around else None
            if isinstance(holder, dict) and name not in holder:
                moved = changed(value, (*around,), partial(_without_name, name))
                moved = changed(moved, at, partial(_with_value, name, read(value, one.hit.pointer)))
                sentence = f"It is missing at `{generic((*at, name))}`"
                yield Cause([one], [with_values(exchange, "request", [moved])], sentence, must_conform=True)


def _is_from_inside(one: RuleHit) -> bool:
    """Return whether an unknown property is one of an object inside its own."""
    return bool(one.hit.other_pointers) and len(one.hit.other_pointers[0]) > len(one.hit.pointer)


def _holders(unknown: Iterable[RuleHit], values: Sequence[Any]) -> Iterator[object]:
    """Yield the objects that hold unknown properties, of each event."""
    for one in unknown:
        for event in one.events or (one.hit.event or 0,):
            yield read(values[event], one.hit.pointer[:-1])


def _meant(one: RuleHit, exchange: Exchange) -> tuple[Change, str] | None:
    """Return what has to change in the object that holds an unknown property, and a sentence about it, if anything."""
    kind, payload = payload_of_hit(exchange, one.part, one.hit, None)
    holder = read(payload, one.hit.pointer[:-1])
    if not one.hit.pointer or not isinstance(holder, dict):  # it says how many more there are
        return None
    if one.hit.other_pointers:
        meant = one.hit.other_pointers[0][-1]
        return None if meant in holder else (partial(_with_name, one.hit.pointer[-1], meant), "")
    for key, value, names in _variants(kind, one.hit.schema):
        if holder.get(key) != value and names.issuperset(holder):
            return partial(_with_value, key, value), f"It is where {quote_name(key)} is {quote_value(value)}"
    return None


@cache
def _variants(kind: str, schema: str | None) -> Sequence[tuple[str, str, frozenset[str]]]:
    """Return the variants of an object: the property that tells them apart, its value, and the names of properties.

    ``schema`` is the URI of a keyword in the schema of one of them. Return nothing if the object has no variants.
    """
    document = schemas.validation_document(kind)
    own = (schema or "").partition("#")[2].rpartition("/")[0]
    found: list[tuple[str, str, frozenset[str]]] = []
    for definition in document.get("$defs", {}).values():
        branches = [(one["if"]["properties"], one["then"]["$ref"]) for one in definition.get("allOf", ())]
        if any(reference == f"#{own}" for _, reference in branches):
            for demanded, reference in branches:
                names = frozenset(resolve(document, reference)["properties"])
                found += [(key, part["const"], names) for key, part in demanded.items()]
    return found


def _with_name(old: str | int, new: str | int, holder: JsonObject) -> JsonObject:
    return {new if name == old else name: value for name, value in holder.items()}


def _with_inner(object_name: str | int, name: str | int, holder: JsonObject) -> JsonObject:
    """Return an object with one of its properties inside another one, which is made for it."""
    others = _without_name(name, holder)
    return {**others, object_name: {**(others.get(object_name) or {}), name: holder[name]}}


def _without_name(name: str | int, holder: JsonObject) -> JsonObject:
    return {key: value for key, value in holder.items() if key != name}


def _with_value(name: str | int, value: object, holder: JsonObject) -> JsonObject:
    return {**holder, name: value}
