"""List the violations of a payload one by one, in the order of the pointers of its values.

An engine decides quickly whether a payload is valid, but it lists violations slowly: it needs some 15 µs and 3 KB for
each, and makes all of them at once. A payload of some MB may have a million. This module follows the schema along the
payload, and yields each violation when it is needed, in the order of pointers. An engine still decides whether a value
satisfies a keyword or a condition. What follows from the type of a value, or from the names in an object, is
remembered. A test checks that the reference engine lists the same violations.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property
from typing import Any, NamedTuple, TypeAlias

from isogloss import schemas
from isogloss.schemas.references import steps
from isogloss.schemas.variants import subschemas
from isogloss.validator.engines import SchemaError, predicate
from isogloss.validator.pointer import Pointer, follow, rfc6901

__all__ = ["FOLLOWED", "TESTED", "iter_errors"]

FOLLOWED = frozenset(
    ("$ref", "$defs", "allOf", "if", "then", "else", "properties", "additionalProperties", "propertyNames", "items")
)
"""The keywords that lead to parts of a value."""

_TYPES_READ: dict[str, tuple[type, ...]] = {
    "type": (float,),  # 1.0 is an integer
    **dict.fromkeys(("enum", "const"), (str, bool, int, float)),
    **dict.fromkeys(("pattern", "minLength", "maxLength"), (str,)),
    **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"), (int, float)),
    **dict.fromkeys(("minItems", "maxItems"), (list,)),
    **dict.fromkeys(("required", "minProperties", "maxProperties", "additionalProperties", "propertyNames"), (dict,)),
}
"""For each keyword, the types of values where it reads more than the type, such as size or property names."""
TESTED = frozenset(_TYPES_READ) - FOLLOWED
"""The keywords that an engine tests."""

_SAMPLES: tuple[object, ...] = ("", True, 0, 0.5, None, [], {})
_PLAIN_TYPES = frozenset(map(type, _SAMPLES)) - {list, dict}
_LONG = 16
"""The number of items from which an engine is asked first whether any of them violates anything."""
_MOST_SHAPES, _LONGEST_SHAPE = 256, 2000
"""The most sets of names that are remembered for the same schema objects, and the most characters in one set."""

_Test: TypeAlias = Callable[[object], bool]


def iter_errors(kind: str, value: object) -> Iterator[SchemaError]:
    """Yield every violated keyword of a payload of a kind, in the order of pointers. Find each when it is needed."""
    return _errors(_demands(kind, frozenset([()])), value, ())


def _errors(demands: _Demands, value: object, pointer: Pointer) -> Iterator[SchemaError]:
    """Yield every violated keyword of a value and of the values in it, as the demands on it say."""
    while demands.conditions:
        demands = demands.for_value(value)
    if isinstance(value, dict):
        names = tuple(value)
        violated, inside = demands.shapes.get(names) or demands.shape(names)
        for keyword, names in violated:
            yield SchemaError(pointer, keyword, names)
        for name, inner in inside:
            item = value[name]
            item_type = type(item)
            if item_type in inner.free_types:
                continue
            if item_type not in inner.tested_types:
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
        if len(value) >= _LONG and inner.accepts_all(value):
            return
        for index, item in enumerate(value):
            if type(item) not in inner.free_types:
                yield from _errors(inner, item, (*pointer, index))


class _Shape(NamedTuple):
    """The keywords that an object violates, and the demands on its values, as far as its property names decide them."""

    violated: Sequence[tuple[Pointer, tuple[str, ...]]]
    inside: Sequence[tuple[str, _Demands]]


class _Demands:
    """The demands on one value: what the schema objects at some pointers of a document demand together.

    If there are ``conditions``, :meth:`for_value` returns the demands that apply to a given value. ``free_types`` holds
    the types whose values always satisfy the demands, and ``tested_types`` those whose values ``holds`` alone tests: it
    tests a value without its contents. ``shapes`` are those that :meth:`shape` remembers.
    """

    def __init__(self, kind: str, pointers: frozenset[Pointer], decided_pointers: frozenset[Pointer]) -> None:
        self._kind = kind
        self._decided_pointers = decided_pointers
        self._parts = _parts(kind, pointers)
        self._tests = {pointer: test for at, part in self._parts.items() for pointer, test in _tests(at, part).items()}
        self._by_results: dict[tuple[bool, ...], _Demands] = {}
        self._by_word: dict[str, _Demands] = {}
        self._named_properties = {name for part in self._parts.values() for name in part.get("properties", ())}
        self._by_property: dict[str | None, _Demands | None] = {}
        self.shapes: dict[tuple[str, ...], _Shape] = {}
        self._conditional = [at for at, part in self._parts.items() if "if" in part and at not in decided_pointers]
        self.conditions = [_condition(kind, at) for at in self._conditional]
        self._deciding = _deciding_property([self._parts[at]["if"] for at in self._conditional])
        self.holds = predicate({"allOf": [True, *self._tests.values()]})
        used = {keyword for part in self._parts.values() for keyword in part}
        types_read = {type_read for keyword in used for type_read in _TYPES_READ.get(keyword, ())}
        types_read |= {list} if "items" in used else set()
        types_read |= {dict} if "properties" in used else set()
        self.free_types = {
            sample_type
            for sample in _SAMPLES
            if (sample_type := type(sample)) not in types_read and not self.conditions and self.holds(sample)
        }
        self.tested_types = frozenset() if self.conditions else _PLAIN_TYPES - self.free_types

    def for_value(self, value: object) -> _Demands:
        """Return the demands on all values for which the same conditions hold and fail as for this one."""
        word = value.get(self._deciding) if isinstance(value, dict) and self._deciding is not None else None
        if isinstance(word, str) and (known := self._by_word.get(word)) is not None:
            return known
        results = tuple([holds(value) for holds in self.conditions])
        demands = self._by_results.get(results)
        if demands is None:
            branches = {
                (*at, "then" if holds else "else") for at, holds in zip(self._conditional, results, strict=True)
            }
            pointers = {
                pointer for pointer in branches if pointer[-1] in self._parts[pointer[:-1]]
            } | self._parts.keys()
            demands = _demands(self._kind, frozenset(pointers), self._decided_pointers.union(self._conditional))
            self._by_results[results] = demands
        if isinstance(word, str) and any(results):
            self._by_word[word] = demands
        return demands

    def violated(self, shell: object) -> list[Pointer]:
        """Return the pointers of the keywords that a value violates. Each keyword is tested separately."""
        return [pointer for pointer, test in self._keyword_tests if not test(shell)]

    @cached_property
    def _keyword_tests(self) -> list[tuple[Pointer, _Test]]:
        return [(pointer, predicate(test)) for pointer, test in sorted(self._tests.items())]

    @cached_property
    def accepts_all(self) -> _Test:
        """A test whether all items of an array satisfy the demands, and all values in the items."""
        document = schemas.validation_document(self._kind)
        references = [{"$ref": f"{document['$id']}#{rfc6901(pointer)}"} for pointer in sorted(self._parts)]
        return predicate({"items": {"allOf": references}, "$defs": {"document": document}})

    @cached_property
    def items(self) -> _Demands | None:
        """The demands on each item of an array; ``None`` if there are none."""
        return self._demands_at((*at, "items") for at, part in self._parts.items() if "items" in part)

    def shape(self, names: tuple[str, ...]) -> _Shape:
        """Return what follows from the property names of an object: violated keywords, and demands on its values."""
        shell: dict[str, None] = dict.fromkeys(names)
        violated = [] if self.holds(shell) else self.violated(shell)
        inside = [(name, self._property(name)) for name in sorted(names)]
        shape_of_names = _Shape(
            [(keyword, _names_at_fault(self._tests[keyword], shell)) for keyword in violated],
            [(name, demands) for name, demands in inside if demands is not None],
        )
        if sum(map(len, names)) <= _LONGEST_SHAPE:
            if len(self.shapes) >= _MOST_SHAPES:
                self.shapes.clear()
            self.shapes[names] = shape_of_names
        return shape_of_names

    def _property(self, name: str) -> _Demands | None:
        """Return the demands on a property, or ``None`` if there are none.

        All properties that no schema object names have the same demands.
        """
        key = name if name in self._named_properties else None
        if key not in self._by_property:
            self._by_property[key] = self._demands_at(_property_pointers(self._parts, key))
        return self._by_property[key]

    def _demands_at(self, pointers: Iterable[Pointer]) -> _Demands | None:
        known_pointers = frozenset(pointers)
        return _demands(self._kind, known_pointers) if known_pointers else None


@cache
def _demands(kind: str, pointers: frozenset[Pointer], decided_pointers: frozenset[Pointer] = frozenset()) -> _Demands:
    return _Demands(kind, pointers, decided_pointers)


def _parts(kind: str, pointers: Iterable[Pointer]) -> dict[Pointer, dict[str, Any]]:
    """Return the schema objects at some pointers, by their pointers, with those that they include.

    A schema object includes the target of its ``$ref`` and the schemas in its ``allOf``.
    """
    parts: dict[Pointer, dict[str, Any]] = {}
    pending = [*pointers]
    while pending:
        at = pending.pop()
        part: Any = follow(schemas.validation_document(kind), at)
        if part is not True and at not in parts:
            parts[at] = part
            pending += [steps(part["$ref"])] if "$ref" in part else []
            pending += [(*at, "allOf", number) for number in range(len(part.get("allOf", ())))]
    return parts


def _property_pointers(parts: Mapping[Pointer, dict[str, Any]], name: str | None) -> Iterator[Pointer]:
    """Yield the pointers of the schemas that schema objects have for a property.

    Without a name, yield the pointers of their schemas for properties that they do not name.
    """
    for at, part in parts.items():
        if name is not None and name in part.get("properties", ()):
            if part["properties"][name] is not True:
                yield (*at, "properties", name)
        elif isinstance(part.get("additionalProperties"), dict):
            yield (*at, "additionalProperties")


def _tests(at: Pointer, part: dict[str, Any]) -> dict[Pointer, dict[str, Any]]:
    """Return a schema for each keyword of a schema object that an engine tests, by the pointer of the keyword."""
    tests: dict[Pointer, dict[str, Any]] = {
        (*at, name): {name: demand} for name, demand in part.items() if name in TESTED
    } | {
        (*at, "propertyNames", name): {"propertyNames": {name: demand}}
        for name, demand in part.get("propertyNames", {}).items()
    }
    if part.get("additionalProperties") is False:
        known_properties = dict.fromkeys(part.get("properties", ()), True)
        tests[*at, "additionalProperties"] = {"properties": known_properties, "additionalProperties": False}
    return tests


def _names_at_fault(test: dict[str, Any], names: Collection[str]) -> tuple[str, ...]:
    """Return the names that an object lacks, or has too many, if the test is about this; else an empty tuple.

    They are in the order of the schema, or sorted: objects with the same properties have the same errors.
    """
    if "additionalProperties" in test:
        return tuple(sorted(name for name in names if name not in test["properties"]))
    return tuple([name for name in test.get("required", ()) if name not in names])


def _deciding_property(conditions: Sequence[dict[str, Any]]) -> str | None:
    """Return the property that decides all conditions, as the role of a message does: each demands a constant there.

    Return ``None`` if there is none.
    """
    names = {_constant_property(condition) for condition in conditions}
    return names.pop() if len(names) == 1 else None


def _constant_property(condition: dict[str, Any]) -> str | None:
    """Return the property at which a condition demands a constant, if it demands nothing else of an object."""
    properties = condition.get("properties", {})
    demands_no_more = (
        condition.keys() <= {"type", "properties", "required"}
        and all(isinstance(part, dict) and part.keys() == {"const"} for part in properties.values())
        and properties.keys() >= set(condition.get("required", ()))
    )
    return next(iter(properties)) if len(properties) == 1 and demands_no_more else None


@cache
def _condition(kind: str, at: Pointer) -> _Test:
    """Return a function that tests whether a value satisfies the condition of the schema object at a pointer."""
    document = schemas.validation_document(kind)
    condition: Any = follow(document, (*at, "if"))
    refers = any("$ref" in part for part in subschemas(condition))
    return predicate({**condition, "$defs": document.get("$defs", {})} if refers else condition)
