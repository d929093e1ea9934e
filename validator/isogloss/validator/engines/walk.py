"""Lists the violations of payloads one by one, along the places of their values.

An engine decides quickly whether a payload is valid, and slowly lists what violates the schema: it takes some 15 µs
and 3 KB for each violation, and makes all of them at once, of which a payload of some MB may have a million. Here the
schema is followed along the payload, and what is violated is given in the order of places. Whether a value satisfies
a keyword or a condition is still for an engine to say; what follows from the type of a value, or from the names in an
object, is remembered. A test holds that the reference engine lists the same.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property
from typing import Any, NamedTuple, TypeAlias

from isogloss import schemas
from isogloss.schemas.references import steps
from isogloss.schemas.variants import subschemas
from isogloss.validator.engines import SchemaError, predicate
from isogloss.validator.pointer import Pointer, follow

__all__ = ["FOLLOWED", "TESTED", "errors"]

FOLLOWED = frozenset(
    ("$ref", "$defs", "allOf", "if", "then", "else", "properties", "additionalProperties", "propertyNames", "items")
)
"""The keywords that lead to parts of a value."""

_READ: dict[str, tuple[type, ...]] = {
    "type": (float,),  # 1.0 is an integer
    **dict.fromkeys(("enum", "const"), (str, bool, int, float)),
    **dict.fromkeys(("pattern", "minLength", "maxLength"), (str,)),
    **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"), (int, float)),
    **dict.fromkeys(("minItems", "maxItems"), (list,)),
    **dict.fromkeys(("required", "minProperties", "maxProperties", "additionalProperties", "propertyNames"), (dict,)),
}
"""The types of whose values a keyword reads more than the type; of arrays the size, and of objects the names."""
TESTED = frozenset(_READ) - FOLLOWED
"""The keywords that an engine tests."""

_SAMPLES: tuple[object, ...] = ("", True, 0, 0.5, None, [], {})
_MOST_SHAPES, _LONGEST_SHAPE = 256, 2000
"""Sets of names that are remembered of the same schema objects, and the characters in one."""

_Test: TypeAlias = Callable[[object], bool]


def errors(kind: str, value: object) -> Iterator[SchemaError]:
    """Yield every violated keyword of a payload of a kind, in the order of places. Find each when it is needed."""
    return _errors(_demands(kind, frozenset([()])), value, ())


def _errors(demands: _Demands, value: object, pointer: Pointer) -> Iterator[SchemaError]:
    while demands.conditions:
        demands = demands.decided(value)
    if isinstance(value, dict):
        violated, inside = demands.shape(tuple(value))
        for keyword, names in violated:
            yield SchemaError(pointer, keyword, names)
        for name, inner in inside:
            item = value[name]
            of = type(item)
            if of in inner.free:
                continue
            if of is dict or of is list or inner.conditions:
                yield from _errors(inner, item, (*pointer, name))
            elif not inner.holds(item):
                for keyword in inner.violated(item):
                    yield SchemaError((*pointer, name), keyword)
        return
    shell = [None] * len(value) if isinstance(value, list) else value
    if not demands.holds(shell):
        for keyword in demands.violated(shell):
            yield SchemaError(pointer, keyword)
    if isinstance(value, list) and demands.items is not None:
        inner = demands.items
        for index, item in enumerate(value):
            if type(item) not in inner.free:
                yield from _errors(inner, item, (*pointer, index))


class _Shape(NamedTuple):
    """The keywords that an object violates, and the demands on its values, as far as its names decide that."""

    violated: Sequence[tuple[Pointer, tuple[str, ...]]]
    inside: Sequence[tuple[str, _Demands]]


class _Demands:
    """What the schema objects at some places of a document together demand of one value.

    If there are ``conditions``, :meth:`decided` returns the demands that apply to a given value. ``free`` holds the
    types whose values all satisfy everything. ``holds`` tests a value without its contents.
    """

    def __init__(self, kind: str, places: frozenset[Pointer], passed: frozenset[Pointer]) -> None:
        self._kind = kind
        self._passed = passed
        self._parts = _parts(kind, places)
        self._tests = {place: test for at, part in self._parts.items() for place, test in _tests(at, part).items()}
        self._decided: dict[tuple[bool, ...], _Demands] = {}
        self._known = {name for part in self._parts.values() for name in part.get("properties", ())}
        self._inside: dict[str | None, _Demands | None] = {}
        self._shapes: dict[tuple[str, ...], _Shape] = {}
        self._conditional = [at for at, part in self._parts.items() if "if" in part and at not in passed]
        self.conditions = [_condition(kind, at) for at in self._conditional]
        self.holds = predicate({"allOf": [True, *self._tests.values()]})
        used = {keyword for part in self._parts.values() for keyword in part}
        read = {of for keyword in used for of in _READ.get(keyword, ())}
        read |= {list} if "items" in used else set()
        read |= {dict} if "properties" in used else set()
        self.free = {
            of for one in _SAMPLES if (of := type(one)) not in read and not self.conditions and self.holds(one)
        }

    def decided(self, value: object) -> _Demands:
        """Return the demands on all values for which the same conditions hold and fail as for this one."""
        held = tuple([holds(value) for holds in self.conditions])
        known = self._decided.get(held)
        if known is None:
            taken = {(*at, "then" if holds else "else") for at, holds in zip(self._conditional, held, strict=True)}
            places = {place for place in taken if place[-1] in self._parts[place[:-1]]} | self._parts.keys()
            known = _demands(self._kind, frozenset(places), self._passed.union(self._conditional))
            self._decided[held] = known
        return known

    def violated(self, shell: object) -> list[Pointer]:
        """Return the places of the keywords that a value violates. Each keyword is tested separately."""
        return [place for place, test in self._each if not test(shell)]

    @cached_property
    def _each(self) -> list[tuple[Pointer, _Test]]:
        return [(place, predicate(test)) for place, test in sorted(self._tests.items())]

    @cached_property
    def items(self) -> _Demands | None:
        """The demands on each item of an array; ``None`` if there are none."""
        return self._at((*at, "items") for at, part in self._parts.items() if "items" in part)

    def shape(self, names: tuple[str, ...]) -> _Shape:
        """Return what follows from the property names of an object: violated keywords, and demands on its values."""
        known = self._shapes.get(names)
        if known is None:
            shell: dict[str, None] = dict.fromkeys(names)
            violated = [] if self.holds(shell) else self.violated(shell)
            inside = [(name, self._property(name)) for name in sorted(names)]
            known = _Shape(
                [(keyword, _names(self._tests[keyword], shell)) for keyword in violated],
                [(name, demands) for name, demands in inside if demands is not None],
            )
            if sum(map(len, names)) <= _LONGEST_SHAPE:
                if len(self._shapes) >= _MOST_SHAPES:
                    self._shapes.clear()
                self._shapes[names] = known
        return known

    def _property(self, name: str) -> _Demands | None:
        """Return the demands on a property, or ``None`` if there are none.

        All properties that no schema object names have the same demands.
        """
        known = name if name in self._known else None
        if known not in self._inside:
            self._inside[known] = self._at(_inside(self._parts, known))
        return self._inside[known]

    def _at(self, places: Iterable[Pointer]) -> _Demands | None:
        found = frozenset(places)
        return _demands(self._kind, found) if found else None


@cache
def _demands(kind: str, places: frozenset[Pointer], passed: frozenset[Pointer] = frozenset()) -> _Demands:
    return _Demands(kind, places, passed)


def _parts(kind: str, places: Iterable[Pointer]) -> dict[Pointer, dict[str, Any]]:
    """Return the schema objects at some places, by their places, with those that they include.

    A schema object includes the target of its ``$ref`` and the schemas in its ``allOf``.
    """
    parts: dict[Pointer, dict[str, Any]] = {}
    pending = [*places]
    while pending:
        at = pending.pop()
        part: Any = follow(schemas.judged(kind), at)
        if part is not True and at not in parts:
            parts[at] = part
            pending += [steps(part["$ref"])] if "$ref" in part else []
            pending += [(*at, "allOf", number) for number in range(len(part.get("allOf", ())))]
    return parts


def _inside(parts: Mapping[Pointer, dict[str, Any]], name: str | None) -> Iterator[Pointer]:
    """Yield the places of the schemas that schema objects have for a property.

    Without a name, yield the places of their schemas for properties that they do not name.
    """
    for at, part in parts.items():
        if name is not None and name in part.get("properties", ()):
            if part["properties"][name] is not True:
                yield (*at, "properties", name)
        elif isinstance(part.get("additionalProperties"), dict):
            yield (*at, "additionalProperties")


def _tests(at: Pointer, part: dict[str, Any]) -> dict[Pointer, dict[str, Any]]:
    """Return a schema for each keyword of a schema object that an engine tests, by the place of the keyword."""
    tests: dict[Pointer, dict[str, Any]] = {
        (*at, name): {name: demand} for name, demand in part.items() if name in TESTED
    } | {
        (*at, "propertyNames", name): {"propertyNames": {name: demand}}
        for name, demand in part.get("propertyNames", {}).items()
    }
    if part.get("additionalProperties") is False:
        known = dict.fromkeys(part.get("properties", ()), True)
        tests[*at, "additionalProperties"] = {"properties": known, "additionalProperties": False}
    return tests


def _names(test: dict[str, Any], names: Collection[str]) -> tuple[str, ...]:
    """Return the names that an object lacks, or has too many, if the test is about this; else an empty tuple."""
    if "additionalProperties" in test:
        return tuple([name for name in names if name not in test["properties"]])
    return tuple([name for name in test.get("required", ()) if name not in names])


@cache
def _condition(kind: str, at: Pointer) -> _Test:
    """Return a function that tests whether a value satisfies the condition of the schema object at a place."""
    document = schemas.judged(kind)
    condition: Any = follow(document, (*at, "if"))
    refers = any("$ref" in part for part in subschemas(condition))
    return predicate({**condition, "$defs": document.get("$defs", {})} if refers else condition)
