"""Test with generated schemas and instances that both engines agree, and that every pointer exists."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from isogloss.validator import check
from isogloss.validator.engines import NAMES
from isogloss.validator.foreign_schemas import Defect, ForeignSchema, Mismatch, WorkBudget, read
from isogloss.validator.pointer import follow

NAME = st.sampled_from(["a", "b", "c"])
VALUE = st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from(["", "a", "ab", 1.5])
TYPE = st.sampled_from(["string", "integer", "number", "object", "array", "null", "boolean"])
LEAF = st.fixed_dictionaries(
    {},
    optional={
        "type": TYPE | st.lists(TYPE, min_size=1, max_size=2, unique=True) | st.just("str"),
        "enum": st.lists(VALUE, min_size=1, max_size=2),
        "const": VALUE,
        "minimum": st.integers(-3, 3),
        "maxLength": st.integers(-1, 3),
        "minItems": st.integers(0, 2),
        "uniqueItems": st.booleans(),
        "required": st.lists(NAME, max_size=2, unique=True) | st.just(True),
        "multipleOf": st.integers(0, 3),
        "$ref": st.sampled_from(["#", "#/$defs/a", "#/$defs/b", "#/properties/a", "#/none", "other"]),
    },
)
SCHEMA = st.recursive(
    LEAF | st.booleans(),
    lambda inner: st.fixed_dictionaries(
        {},
        optional={
            "properties": st.dictionaries(NAME, inner, max_size=2),
            "additionalProperties": inner,
            "unevaluatedProperties": inner,
            "items": inner | st.lists(inner, max_size=2),
            "prefixItems": st.lists(inner, min_size=1, max_size=2),
            "allOf": st.lists(inner, min_size=1, max_size=2),
            "anyOf": st.lists(inner, min_size=1, max_size=2),
            "oneOf": st.lists(inner, min_size=1, max_size=2),
            "not": inner,
            "if": inner,
            "then": inner,
            "contains": inner,
            "propertyNames": inner,
            "dependentSchemas": st.dictionaries(NAME, inner, max_size=1),
            "$defs": st.dictionaries(NAME, inner, max_size=2),
            "$ref": st.sampled_from(["#", "#/$defs/a", "#/$defs/b"]),
        },
    ),
    max_leaves=8,
)
INSTANCE = st.recursive(
    VALUE, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAME, inner, max_size=3), max_leaves=6
)


@settings(max_examples=2 * settings().max_examples)
@given(SCHEMA, st.lists(INSTANCE, min_size=1, max_size=4))
def test_engines_agree_on_what_is_a_schema_and_on_what_violates_it(schema: Any, instances: list[Any]) -> None:
    fast, reference = (read(schema, engine=name) for name in NAMES)
    assert type(fast) is type(reference)
    if isinstance(fast, ForeignSchema) and isinstance(reference, ForeignSchema):
        for instance in instances:
            verdicts = [foreign.mismatch(instance, WorkBudget(10**9)) is None for foreign in (fast, reference)]
            assert verdicts[0] == verdicts[1]


@settings(max_examples=2 * settings().max_examples)
@given(st.dictionaries(st.sampled_from(["$ref", "$id", "$schema", "type", "properties", "$defs", "pattern", "items"]),
       st.recursive(VALUE | st.sampled_from(["#", "#/$defs/a", "#/" + "9" * 5000, "://"]),
                    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(
                        st.sampled_from(["a", "$ref", "type", "$defs", "pattern"]), inner, max_size=2), max_leaves=5)),
       INSTANCE)  # fmt: skip
def test_no_schema_and_no_instance_makes_an_engine_raise(schema: dict[str, Any], instance: Any) -> None:
    for name in NAMES:
        foreign = read(schema, engine=name)
        if isinstance(foreign, ForeignSchema):
            foreign.mismatch(instance, WorkBudget())


NAMES_OF_DIGITS = st.sampled_from(["0", "00", "1", "+1", "200", "007", "-1", "1e3", "a", "", "9" * 40, "٣", "0" * 5000])


FAULTY = {"type": "objekt"}


def _schemas_around(leaf: dict[str, Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Return a strategy for schemas with the leaf inside: below properties with names like indexes, or in an array."""

    def wrap(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
        plain = st.just({"type": "string"})
        in_properties = st.builds(
            lambda siblings, schema: {"properties": siblings | schema},
            _objects_named_by_digits(plain),
            _objects_named_by_digits(inner),
        )
        return in_properties | st.builds(
            lambda others, schema: {"allOf": [*others, schema]}, st.lists(plain, max_size=2), inner
        )

    return st.recursive(st.just(leaf), wrap, max_leaves=3).filter(lambda schema: schema != leaf)


def _objects_named_by_digits(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.dictionaries(NAMES_OF_DIGITS, inner, min_size=1, max_size=2)


@given(_schemas_around(FAULTY))
def test_pointer_of_a_defect_exists_whatever_the_properties_are_called(schema: dict[str, Any]) -> None:
    for engine in NAMES:
        defect = read(schema, engine=engine)
        assert isinstance(defect, Defect)
        assert follow(schema, defect.pointer) == "objekt"


def _find_mismatch(schema: dict[str, Any], instance: object, engine: str) -> Mismatch | None:
    foreign = read(schema, engine=engine)
    assert isinstance(foreign, ForeignSchema)
    return foreign.mismatch(instance, WorkBudget())


INSTANCES = st.recursive(
    st.just(1), lambda inner: _objects_named_by_digits(inner) | st.lists(inner, min_size=1, max_size=2), max_leaves=4
)


@given(INSTANCES)
def test_pointer_of_a_mismatch_exists_whatever_the_properties_are_called(instance: Any) -> None:
    schema = {
        "$ref": "#/$defs/any",
        "$defs": {
            "any": {
                "not": {"type": "integer"},
                "additionalProperties": {"$ref": "#/$defs/any"},
                "items": {"$ref": "#/$defs/any"},
            }
        },
    }
    fast, reference = (_find_mismatch(schema, instance, engine) for engine in NAMES)
    assert reference is not None
    assert follow(instance, reference.pointer) == 1
    # The fast engine gives no pointer if there is a property "", or "0" beside "00".
    assert fast is None or fast == reference


def test_property_called_like_an_index_has_its_pointer_in_a_request() -> None:
    tools = [{"type": "function", "function": {"name": "f", "parameters": {"properties": {"200": FAULTY}}}}]
    payload = {"model": "m", "messages": [{"role": "user", "content": "x"}], "tools": tools}
    findings = [finding for finding in check(payload).findings if finding.rule == "tool-schema-invalid"]
    assert [finding.pointer for finding in findings] == ["/tools/0/function/parameters/properties/200/type"]
