"""Leave out hits that follow from an unknown property, so that they are one finding with it.

A hit follows from it if it is not found in the same exchange with what was meant: with another name of the property, or
with another role or type of its object. If a payload spells all its names in another style, such as camelCase, that is
one cause.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, get_args

from msgspec.structs import replace

from isogloss import schemas
from isogloss.schemas.references import resolve
from isogloss.validator.examining.examined import UNKNOWN, Examined, RuleHit
from isogloss.validator.examining.placing import payload_of_hit
from isogloss.validator.exchange import Exchange, Kind, Payload, Stream
from isogloss.validator.nesting import is_deeper, values_in
from isogloss.validator.pointer import Pointer, generic, read
from isogloss.validator.quoting import quote_name, quote_value

if TYPE_CHECKING:
    from isogloss.validator.examining.placing import ExchangePart

__all__ = ["without_consequences_of_names"]

_MOST_CAUSES = 4
"""With more of them, the exchange would have to be examined too often."""

_Object: TypeAlias = dict[Any, Any]
_Change: TypeAlias = Callable[[_Object], _Object]
"""Returns an object with an unknown property as it was meant."""
_Spelling: TypeAlias = Callable[[str], str]
"""Returns a name of the reference in another style."""
_Identity: TypeAlias = "tuple[str, ExchangePart, Pointer]"
_Explained: TypeAlias = tuple[RuleHit, tuple[str, ...]]
"""A hit, and the dialects that explain it."""


class _Cause(NamedTuple):
    """The hits about unknown properties with one cause, the exchange with what was meant, and the cause in words.

    ``is_style`` says that all names of a payload are in another style. If it ``must_conform``, that was meant only if
    nothing else is found then.
    """

    unknown: Sequence[RuleHit]
    meant: Exchange
    sentence: str
    is_style: bool = False
    must_conform: bool = False


def without_consequences_of_names(
    hits: Sequence[RuleHit],
    explanations: Sequence[tuple[str, ...]],
    examined: Examined,
    examine: Callable[[Exchange], Examined],
    fixed: Collection[str],
) -> tuple[Sequence[RuleHit], Sequence[tuple[str, ...]]]:
    """Return hits and their explanations, without those that are not found with what unknown properties mean.

    The hit about the property, or the one that says what it stands in place of, names the rules of these hits, and is
    as severe as the most severe of them. The same dialects must explain both, and the severity of its rule must not be
    ``fixed`` by the user.
    """
    unknown = [one for one in hits if one.rule == UNKNOWN and (one.hit.other_pointers or one.part == "request")]
    in_parts = ([one for one in unknown if (one.part == "request") is of_request] for of_request in (True, False))
    possible = chain.from_iterable(_causes(in_part, examined.exchange) for in_part in in_parts if in_part)
    causes = [*islice(possible, _MOST_CAUSES + 1)]
    if not 0 < len(causes) <= _MOST_CAUSES:
        return hits, explanations
    known = {*map(_identity, examined.hits)}
    found = [*zip(hits, explanations, strict=True)]
    for cause in causes:
        remaining = {*map(_identity, examine(cause.meant).hits)}
        if not cause.must_conform or remaining <= known:
            found = _without_gone(found, cause, known - remaining, fixed)
    return [one for one, _ in found], [explained_by for _, explained_by in found]


def _without_gone(
    found: list[_Explained], cause: _Cause, gone: Collection[_Identity], fixed: Collection[str]
) -> list[_Explained]:
    """Return hits without those that are gone with what was meant, and with the cause in words."""
    properties = {(one.part, one.hit.pointer) for one in cause.unknown}
    about = [one for one in found if _is_about(one[0], properties)]
    if not about:  # they follow from another cause
        return found
    lead, explained_by = max(about, key=lambda one: (one[0].rule != UNKNOWN, one[0].severity))
    following = [
        one for one, by in found if by == explained_by and _identity(one) in gone and not _is_about(one, properties)
    ]
    if lead.rule in fixed or not (following or cause.is_style):
        return found
    message = _with_sentence(lead.hit.message, cause.sentence)
    if following:
        rules = sorted({f"`{one.rule}`" for one in following})
        message = _with_sentence(message, f"From this follows {', '.join(rules)}")
    severity = max(one.severity for one in (lead, *following))
    left_out = {id(one) for one in (*following, *(one for one, by in about if cause.is_style and by == explained_by))}
    kept: list[_Explained] = []
    for one, by in found:
        if _identity(one) == _identity(lead) and by == explained_by:
            kept.append((replace(one, hit=replace(one.hit, message=message, severity=severity)), by))
        elif id(one) not in left_out:
            kept.append((one, by))
    return kept


def _identity(one: RuleHit) -> _Identity:
    return one.rule, one.part, one.hit.pointer


def _is_about(one: RuleHit, properties: Collection[tuple[ExchangePart, Pointer]]) -> bool:
    """Return whether a hit is about unknown properties, or says what they stand in place of."""
    pointers = (one.hit.pointer,) if one.rule == UNKNOWN else one.hit.other_pointers
    return any((one.part, pointer) in properties for pointer in pointers)


def _with_sentence(message: str, sentence: str) -> str:
    return f"{message}{'' if message.endswith('?') else '.'} {sentence}" if sentence else message


def _causes(unknown: Sequence[RuleHit], exchange: Exchange) -> Iterator[_Cause]:
    """Yield what may cause hits in the request or in the answer: a style of all names, and single unknown properties.

    A property that is unknown at several places, such as in the chunks of a stream, is one cause.
    """
    part = unknown[0].part
    values = _values(exchange, part)
    for style, spell in _STYLES.items():
        respelt = [one for one in unknown if _is_spelt(one, spell)]
        if respelt and _are_names_spelt(values, spell):
            meant = _with_values(exchange, part, _respelt(values, _known_by_spelling(spell)))
            yield _Cause(respelt, meant, f"All names are in {style}", is_style=True)
            unknown = [one for one in unknown if not _is_spelt(one, spell)]
            break
    alike: dict[tuple[str, str], list[tuple[RuleHit, _Change]]] = {}
    for one in unknown:
        meant_by_one = _meant(one, exchange)
        if meant_by_one is not None:
            change, sentence = meant_by_one
            alike.setdefault((generic(one.hit.pointer), sentence), []).append((one, change))
    for (_, sentence), changes in alike.items():
        meant_by_all = _with_changes(exchange, changes)
        yield _Cause([one for one, _ in changes], meant_by_all, sentence, must_conform=bool(sentence))


def _values(exchange: Exchange, part: ExchangePart) -> list[Any]:
    """Return the payloads of the request or of the answer."""
    payload = exchange.request if part == "request" else exchange.response
    if isinstance(payload, Stream):
        return payload.values
    return [payload.value] if isinstance(payload, Payload) else []


def _with_values(exchange: Exchange, part: ExchangePart, values: list[Any]) -> Exchange:
    """Return an exchange with other payloads of the request or of the answer."""
    if isinstance(exchange.response, Stream) and part != "request":
        return replace(exchange, response=replace(exchange.response, values=values))
    name = "request" if part == "request" else "response"
    return replace(exchange, **{name: replace(getattr(exchange, name), value=values[0])})


# styles of names


def _in_camel_case(name: str) -> str:
    first, *others = name.split("_")
    return first + _in_pascal_case("_".join(others))


def _in_pascal_case(name: str) -> str:
    return "".join(f"{word[:1].upper()}{word[1:]}" for word in name.split("_"))


def _in_kebab_case(name: str) -> str:
    return name.replace("_", "-")


_STYLES: Mapping[str, _Spelling] = {
    "camelCase": _in_camel_case, "PascalCase": _in_pascal_case, "kebab-case": _in_kebab_case, "capitals": str.upper,
}  # fmt: skip


def _is_spelt(one: RuleHit, spell: _Spelling) -> bool:
    """Return whether an unknown property has the name that another one has in a style."""
    return any(spell(str(meant[-1])) == one.hit.pointer[-1] for meant in one.hit.other_pointers)


def _are_names_spelt(values: list[Any], spell: _Spelling) -> bool:
    """Return whether all names in values are in a style, and several of them are another in the reference.

    Values that are nested too deep are not looked at.
    """
    if is_deeper(values):
        return False
    names = {name for one in values_in(values) if isinstance(one, dict) for name in one}
    return len(names & _known_by_spelling(spell).keys()) > 1 and all(spell(name) == name for name in names)


def _respelt(value: Any, known: Mapping[str, str]) -> Any:
    if isinstance(value, dict):
        return {known.get(name, name): _respelt(inner, known) for name, inner in value.items()}
    return [_respelt(item, known) for item in value] if isinstance(value, list) else value


@cache
def _known_by_spelling(spell: _Spelling) -> Mapping[str, str]:
    """Return the names of properties in the reference that are others in a style, by these others."""
    documents = [schemas.validation_document(kind) for kind in get_args(Kind)]
    objects = (one for one in values_in(documents) if isinstance(one, dict))
    names = {name for one in objects for name in one.get("properties", ())}
    return {spelt: name for name in names if (spelt := spell(name)) != name}


# single properties


def _meant(one: RuleHit, exchange: Exchange) -> tuple[_Change, str] | None:
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


def _with_name(old: str | int, new: str | int, holder: _Object) -> _Object:
    return {new if name == old else name: value for name, value in holder.items()}


def _with_value(name: str, value: object, holder: _Object) -> _Object:
    return {**holder, name: value}


def _with_changes(exchange: Exchange, changes: Sequence[tuple[RuleHit, _Change]]) -> Exchange:
    """Return an exchange in which the objects that hold unknown properties are changed."""
    part = changes[0][0].part
    values = _values(exchange, part).copy()
    for one, change in changes:
        for event in one.events or (one.hit.event or 0,):
            values[event] = _changed(values[event], one.hit.pointer[:-1], change)
    return _with_values(exchange, part, values)


def _changed(value: Any, at: Pointer, change: _Change) -> Any:
    """Return a value in which the object at a pointer is changed. Only what holds it is copied."""
    if not at:
        return change(value)
    step, *inside = at
    copy = value.copy()
    copy[step] = _changed(value[step], tuple(inside), change)
    return copy
