"""Leave out hits that follow from an unknown property or from mixed answers, so that they are one finding with it.

A hit follows from an unknown property if it is not found in the same exchange with what was meant: with another name of
the property, with the property in an object inside, or with another role or type of its object. If a payload spells all
its names in another style, such as camelCase, that is one cause. If the chunks of several answers stand in one stream,
what is not found in one of these answers by itself follows from that.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, get_args

from msgspec.structs import replace

from isogloss import schemas
from isogloss.schemas.references import resolve
from isogloss.validator.examining.examined import UNKNOWN, Examined, RuleHit
from isogloss.validator.examining.placing import payload_of_hit
from isogloss.validator.examining.stand_ins import OF_MANY_OBJECTS
from isogloss.validator.exchange import Exchange, Kind, Payload, Stream
from isogloss.validator.findings import Severity
from isogloss.validator.nesting import is_deeper, values_in
from isogloss.validator.pointer import Pointer, generic, read
from isogloss.validator.quoting import quote_name, quote_value
from isogloss.validator.rules import group_of
from isogloss.validator.streams.trace import Trace

if TYPE_CHECKING:
    from isogloss.validator.examining.placing import ExchangePart

__all__ = ["hits_as_meant"]

_MOST_CAUSES = 4
"""With more of them, the exchange would have to be examined too often. So it would with more answers in a stream."""
_ID_CHANGED = "stream-id-changed"
_OF_TEXT = ("json", "wire")
"""The groups of rules about the text of an answer, which an answer out of a mixed stream does not have by itself."""

_Object: TypeAlias = dict[Any, Any]
_Change: TypeAlias = Callable[[_Object], _Object]
"""Returns an object with an unknown property as it was meant."""
_Spelling: TypeAlias = Callable[[str], str]
"""Returns a name of the reference in another style."""
_Identity: TypeAlias = "tuple[str, ExchangePart, Pointer]"
_Explained: TypeAlias = tuple[RuleHit, tuple[str, ...]]
"""A hit, and the dialects that explain it."""


class _Cause(NamedTuple):
    """The hits with one cause, the exchange or the exchanges with what was meant, and the cause in words.

    ``is_whole`` says that these hits are one finding, even if no other follows from them. If it ``must_conform``, other
    hits follow only if nothing else is found then, and that was meant only if no other error is found.
    """

    hits: Sequence[RuleHit]
    meant: Sequence[Exchange]
    sentence: str
    is_whole: bool = False
    must_conform: bool = False


def hits_as_meant(
    hits: Sequence[RuleHit],
    explanations: Sequence[tuple[str, ...]],
    examined: Examined,
    examine: Callable[[Exchange], Examined],
    fixed: Collection[str],
) -> tuple[Sequence[RuleHit], Sequence[tuple[str, ...]]]:
    """Return hits and their explanations, without those that are not found with what was meant.

    The hit about the property, or the one that says what it stands in place of, names the rules of these hits, and is
    as severe as the most severe of them. The same dialects must explain both, and the severity of its rule must not be
    ``fixed`` by the user. So it is with the hit about the ids of mixed answers.
    """
    unknown = [one for one in hits if one.rule == UNKNOWN]
    in_parts = ([one for one in unknown if (one.part == "request") is of_request] for of_request in (True, False))
    exchange = examined.exchange
    possible = chain(
        _mixed_answers(hits, exchange),
        chain.from_iterable(_causes(in_part, exchange) for in_part in in_parts if in_part),
        _moved_out(hits, exchange),
    )
    causes = [*islice(possible, _MOST_CAUSES + 1)]
    if not 0 < len(causes) <= _MOST_CAUSES:
        return hits, explanations
    known = {*map(_identity, examined.hits)}
    found = [*zip(hits, explanations, strict=True)]
    for cause in causes:
        remaining = {_identity(one): one.severity for meant in cause.meant for one in examine(meant).hits}
        gone = known - remaining.keys()
        if len(cause.meant) > 1:
            gone = {one for one in gone if group_of(one[0]) not in _OF_TEXT}
        others = [severity for one, severity in remaining.items() if one not in known] if cause.must_conform else []
        if Severity.ERROR not in others:
            gone = set() if others else gone
            found = _without_gone(found, cause, gone, fixed)
    return [one for one, _ in found], [explained_by for _, explained_by in found]


def _without_gone(
    found: list[_Explained], cause: _Cause, gone: Collection[_Identity], fixed: Collection[str]
) -> list[_Explained]:
    """Return hits without those that are gone with what was meant, and with the cause in words."""
    causing = {*map(_identity, cause.hits)}
    about = [one for one in found if _is_about(one[0], causing)]
    if not about:  # they follow from another cause
        return found
    lead, explained_by = max(about, key=lambda one: (one[0].rule != UNKNOWN, one[0].severity))
    following = [
        one for one, by in found if by == explained_by and _identity(one) in gone and not _is_about(one, causing)
    ]
    if lead.rule in fixed or not (following or cause.is_whole):
        return found
    message = _with_sentence(lead.hit.message, cause.sentence)
    if following:
        rules = sorted({f"`{one.rule}`" for one in following})
        message = _with_sentence(message, f"From this follows {', '.join(rules)}")
    severity = max(one.severity for one in (lead, *following))
    left_out = {id(one) for one in (*following, *(one for one, by in about if cause.is_whole and by == explained_by))}
    kept: list[_Explained] = []
    for one, by in found:
        if _identity(one) == _identity(lead) and by == explained_by:
            kept.append((replace(one, hit=replace(one.hit, message=message, severity=severity)), by))
        elif id(one) not in left_out:
            kept.append((one, by))
    return kept


def _identity(one: RuleHit) -> _Identity:
    return one.rule, one.part, one.hit.pointer


def _is_about(one: RuleHit, causing: Collection[_Identity]) -> bool:
    """Return whether a hit is one of the cause, or says what unknown properties of the cause stand in place of."""
    stand_ins = ((UNKNOWN, one.part, pointer) for pointer in one.hit.other_pointers)
    return _identity(one) in causing or any(stand_in in causing for stand_in in stand_ins)


def _with_sentence(message: str, sentence: str) -> str:
    return f"{message}{'' if message.endswith('?') else '.'} {sentence}" if sentence else message


def _causes(unknown: Sequence[RuleHit], exchange: Exchange) -> Iterator[_Cause]:
    """Yield what may cause hits in the request or in the answer: a style of all names, and single unknown properties.

    A property that is unknown at several places, such as in the chunks of a stream, is one cause, and so are all
    properties of an object that stand in the one around.
    """
    part = unknown[0].part
    values = _values(exchange, part)
    for style, spell in _STYLES.items():
        respelt = [one for one in unknown if _is_spelt(one, spell)]
        if respelt and _are_names_spelt(values, spell):
            meant = _with_values(exchange, part, _respelt(values, _known_by_spelling(spell)))
            yield _Cause(respelt, [meant], f"All names are in {style}", is_whole=True)
            unknown = [one for one in unknown if not _is_spelt(one, spell)]
            break
    objects = {generic(one.hit.pointer): one.hit.other_pointers[0][-2] for one in unknown if _is_from_inside(one)}
    from_inside: dict[tuple[str, str | int], list[RuleHit]] = {}
    if objects:
        for one in unknown:
            if (name := objects.get(generic(one.hit.pointer))) is not None:
                from_inside.setdefault((generic(one.hit.pointer[:-1]), name), []).append(one)
        unknown = [one for one in unknown if generic(one.hit.pointer) not in objects]
    for (_, name), moved in from_inside.items():
        if not any(isinstance(holder, dict) and holder.get(name) for holder in _holders(moved, values)):
            names = [*dict.fromkeys(quote_name(str(one.hit.pointer[-1])) for one in moved)]
            meant = _with_changes(exchange, [(one, partial(_with_inner, name, one.hit.pointer[-1])) for one in moved])
            sentence = f"Properties of {quote_name(str(name))} stand in the object around: {', '.join(names)}"
            yield _Cause(moved, [meant], sentence, is_whole=len(names) > 1, must_conform=True)
    alike: dict[tuple[str, str], list[tuple[RuleHit, _Change]]] = {}
    for one in unknown:
        meant_by_one = _meant(one, exchange) if one.hit.other_pointers or part == "request" else None
        if meant_by_one is not None:
            change, sentence = meant_by_one
            alike.setdefault((generic(one.hit.pointer), sentence), []).append((one, change))
    for (_, sentence), changes in alike.items():
        meant_by_all = _with_changes(exchange, changes)
        yield _Cause([one for one, _ in changes], [meant_by_all], sentence, must_conform=bool(sentence))


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


# mixed answers


def _mixed_answers(hits: Sequence[RuleHit], exchange: Exchange) -> Iterator[_Cause]:
    """Yield the cause of hits in a stream if it holds a few answers, each of them whole and with an id of its own."""
    changes = [one for one in hits if one.rule == _ID_CHANGED]
    stream = exchange.response
    if not changes or not isinstance(stream, Stream):
        return
    ids = [value.get("id") if isinstance(value, dict) else None for value in stream.values]
    known_ids = dict.fromkeys(one for one in ids if isinstance(one, str) and one)
    if not 1 < len(known_ids) <= _MOST_CAUSES:
        return
    answers = []
    for known_id in known_ids:
        values = [value for value, id_ in zip(stream.values, ids, strict=True) if not id_ or id_ == known_id]
        answers.append(replace(stream, values=values, framing=None, lines=None, unsound=frozenset(), cut=frozenset()))
    if all(map(_is_whole, answers)):
        meant = [replace(exchange, response=answer) for answer in answers]
        sentence = f"The chunks of {len(answers)} answers stand in one stream"
        yield _Cause(changes, meant, sentence, must_conform=True)


def _is_whole(answer: Stream) -> bool:
    """Return whether an answer has choices, and each of them begins and ends."""
    choices = Trace(answer).choices.values()
    return bool(choices) and all(choice.roles and choice.finishes for choice in choices)


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
    return {spelt: name for name in _known_names() if (spelt := spell(name)) != name}


@cache
def _known_names() -> frozenset[str]:
    """Return the names of all properties in the reference."""
    documents = [schemas.validation_document(kind) for kind in get_args(Kind)]
    objects = (one for one in values_in(documents) if isinstance(one, dict))
    return frozenset(name for one in objects for name in one.get("properties", ()))


# single properties


def _is_from_inside(one: RuleHit) -> bool:
    """Return whether an unknown property is one of an object inside its own."""
    return bool(one.hit.other_pointers) and len(one.hit.other_pointers[0]) > len(one.hit.pointer)


def _moved_out(hits: Sequence[RuleHit], exchange: Exchange) -> Iterator[_Cause]:
    """Yield unknown properties of a request as causes of what is found in an object inside, if they belong there."""
    in_request = [one for one in hits if one.part == "request" and one.hit.pointer]
    unknown = [one for one in in_request if one.rule == UNKNOWN and not one.hit.other_pointers]
    names = _known_names() - OF_MANY_OBJECTS if unknown else ()
    unknown = [one for one in unknown if one.hit.pointer[-1] in names]
    if not 0 < len(unknown) <= _MOST_CAUSES:
        return
    [value] = _values(exchange, "request")
    places = sorted({one.hit.pointer[:-1] for one in in_request})
    for one in unknown:
        *around, name = one.hit.pointer
        for at in places:
            holder = read(value, at) if len(at) > len(around) and [*at[: len(around)]] == around else None
            if isinstance(holder, dict) and name not in holder:
                moved = _changed(value, (*around,), partial(_without_name, name))
                moved = _changed(moved, at, partial(_with_value, name, read(value, one.hit.pointer)))
                sentence = f"It is missing at `{generic((*at, name))}`"
                yield _Cause([one], [_with_values(exchange, "request", [moved])], sentence, must_conform=True)


def _holders(unknown: Iterable[RuleHit], values: Sequence[Any]) -> Iterator[object]:
    """Yield the objects that hold unknown properties, of each event."""
    for one in unknown:
        for event in one.events or (one.hit.event or 0,):
            yield read(values[event], one.hit.pointer[:-1])


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


def _with_inner(object_name: str | int, name: str | int, holder: _Object) -> _Object:
    """Return an object with one of its properties inside another one, which is made for it."""
    others = _without_name(name, holder)
    return {**others, object_name: {**(others.get(object_name) or {}), name: holder[name]}}


def _without_name(name: str | int, holder: _Object) -> _Object:
    return {key: value for key, value in holder.items() if key != name}


def _with_value(name: str | int, value: object, holder: _Object) -> _Object:
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
