"""Test the schemas that requests carry: which of them are used, and that both engines agree within their budgets."""

from __future__ import annotations

import importlib.util
import json
from typing import Any

import jsonschema_specifications
import pytest

from isogloss.validator.engines import NAMES
from isogloss.validator.foreign_schemas import Defect, ForeignSchema, Mismatch, WorkBudget, engines, read
from isogloss.validator.foreign_schemas.cost import Cost
from isogloss.validator.foreign_schemas.extent import Extent
from isogloss.validator.foreign_schemas.structure import structure

FAST, REFERENCE = NAMES
CITY = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "unit": {"enum": ["C", "F"]}},
    "required": ["name"],
    "additionalProperties": False,
}
TREE = {
    "$ref": "#/$defs/tree",
    "$defs": {
        "tree": {
            "type": "object",
            "properties": {"value": {"type": "integer"}, "kids": {"type": "array", "items": {"$ref": "#/$defs/tree"}}},
            "required": ["value"],
        }
    },
}


def find_mismatch(
    schema: Any, instance: object, engine: str | None = None, budget: WorkBudget | None = None
) -> Mismatch | None:
    foreign = read(schema, engine=engine)
    if foreign is None:
        return None
    assert isinstance(foreign, ForeignSchema)
    return foreign.mismatch(instance, budget or WorkBudget())


def schema_of_exponential_work(steps: int) -> dict[str, Any]:
    """Return a short schema that a validator visits 2 to the power of `steps` times."""
    definitions: dict[str, Any] = {f"s{i}": {"anyOf": [{"$ref": f"#/$defs/s{i + 1}"}] * 2} for i in range(steps)}
    return {"$ref": "#/$defs/s0", "$defs": definitions | {f"s{steps}": {"type": "string"}}}


def nested_schema(levels: int, keyword: str = "properties") -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "object"}
    for _ in range(levels):
        schema = {"properties": {"a": schema}} if keyword == "properties" else {keyword: [schema]}
    return schema


@pytest.mark.parametrize("engine", NAMES)
@pytest.mark.parametrize(
    ("schema", "instance", "pointer", "keyword"),
    [
        (CITY, {"name": 1}, ("name",), "type"),
        (CITY, {}, (), "required"),
        (CITY, {"name": "Paris", "unit": "K"}, ("unit",), "enum"),
        (CITY, {"name": "Paris", "river": "Seine"}, (), "additionalProperties"),
        (TREE, {"value": 1, "kids": [{"value": 2, "kids": [{"value": "3"}]}]}, ("kids", 0, "kids", 0, "value"), "type"),
        ({"prefixItems": [{"type": "string"}]}, [1], (0,), "type"),
        ({"items": {"minimum": 2}}, [2, 1], (1,), "minimum"),
        ({"$defs": {"a b": {"type": "string"}}, "$ref": "#/%24defs/a%20b"}, 1, (), "type"),
    ],
)
def test_mismatch_has_its_pointer_and_its_keyword(
    engine: str, schema: Any, instance: object, pointer: tuple[str | int, ...], keyword: str
) -> None:
    assert find_mismatch(schema, instance, engine) == Mismatch(pointer, keyword)


@pytest.mark.parametrize("engine", NAMES)
def test_first_of_several_mismatches_is_reported(engine: str) -> None:
    assert find_mismatch({"items": {"type": "string"}}, [*range(12)], engine) == Mismatch((0,), "type")


@pytest.mark.parametrize("engine", NAMES)
@pytest.mark.parametrize(
    ("schema", "pointer"),
    [
        ({"properties": {"a": {"type": "str"}}}, ("properties", "a", "type")),
        ({"properties": []}, ("properties",)),
        ({"items": [{"type": "string"}]}, ("items",)),
        ({"properties": {"a": {"required": True}}}, ("properties", "a", "required")),
    ],
)
def test_invalid_schema_is_a_defect_with_a_pointer(engine: str, schema: Any, pointer: tuple[str | int, ...]) -> None:
    assert read(schema, engine=engine) == Defect(pointer)


@pytest.mark.parametrize("engine", NAMES)
@pytest.mark.parametrize(
    ("schema", "pointer"),
    [
        ({"properties": {"a": {"$ref": "#/$defs/none"}}}, ("properties", "a", "$ref")),
        ({"$defs": {"unused": {"$ref": "#/none"}}}, ("$defs", "unused", "$ref")),
    ],
)
def test_reference_to_nothing_is_a_defect_that_says_so(
    engine: str, schema: Any, pointer: tuple[str | int, ...]
) -> None:
    assert read(schema, engine=engine) == Defect(pointer, "a reference to something that is not in the schema")


def _keywords_that_hold_schemas() -> dict[str, list[str | int]]:
    """Return each keyword of the newest draft and of draft 7 that holds schemas, with the pointer to one of them."""
    registry = jsonschema_specifications.REGISTRY
    steps: dict[str, list[str | int]] = {}
    for name in (
        "https://json-schema.org/draft/2020-12/meta/applicator",
        "https://json-schema.org/draft/2020-12/meta/unevaluated",
        "http://json-schema.org/draft-07/schema",
    ):
        for keyword, of_value in registry[name].contents["properties"].items():
            text = json.dumps(of_value)
            if '"$dynamicRef"' in text or '"#"' in text or "schemaArray" in text:
                by_name = of_value.get("type") == "object"
                steps.setdefault(keyword, [keyword, *(["a"] if by_name else [0] if "schemaArray" in text else [])])
    return steps


@pytest.mark.parametrize("steps", _keywords_that_hold_schemas().values(), ids=str)
def test_reference_to_nothing_is_found_below_every_keyword_that_holds_schemas(steps: list[str | int]) -> None:
    schema: Any = {"$ref": "#/none"}
    for step in reversed(steps):
        schema = [schema] if step == 0 else {step: schema}
    assert read(schema) == Defect((*steps, "$ref"), "a reference to something that is not in the schema")


@pytest.mark.parametrize("engine", NAMES)
@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "https://example.com/schema.json"},
        {"$ref": "file:///etc/passwd"},
        {"properties": {"a": {"$ref": "other.json"}}},
        {"$defs": {"a": {"$ref": "http://127.0.0.1:9/"}}},
        {"$dynamicRef": "#node"},
        {"$ref": "#anchor", "$defs": {"a": {"$anchor": "anchor"}}},
        {"properties": {"a": {"$id": "https://example.com/", "$ref": "#/$defs/b"}}},
        nested_schema(40),
        {"enum": list(range(30_000))},
        {"description": "a" * 300_000},
    ],
)
def test_a_schema_that_refers_elsewhere_or_is_too_large_is_not_used(engine: str, schema: Any) -> None:
    assert read(schema, engine=engine) is None


@pytest.mark.parametrize("schema", [None, True, False, 1, "object", [], {"const": "\ud800"}, {"const": 10**30}])
def test_schema_that_is_no_object_or_no_json_is_not_used(schema: object) -> None:
    assert read(schema) is None


@pytest.mark.parametrize("engine", NAMES)
@pytest.mark.parametrize(
    ("draft", "schema", "rejected"),
    [
        ("http://json-schema.org/draft-04/schema#", {"minimum": 1, "exclusiveMinimum": True}, 1),
        ("http://json-schema.org/draft-06/schema#", {"exclusiveMinimum": 1}, 1),
        ("http://json-schema.org/draft-07/schema", {"items": [{"type": "string"}]}, [1]),
        ("https://json-schema.org/draft/2019-09/schema", {"items": [{"type": "string"}]}, [1]),
        ("https://json-schema.org/draft/2020-12/schema", {"prefixItems": [{"type": "string"}]}, [1]),
        ("https://example.com/my-own-draft", {"prefixItems": [{"type": "string"}]}, [1]),
    ],
)
def test_the_draft_that_a_schema_names_is_used(engine: str, draft: str, schema: Any, rejected: object) -> None:
    assert find_mismatch({"$schema": draft, **schema}, rejected, engine) is not None


@pytest.mark.parametrize("engine", NAMES)
def test_format_is_not_validated(engine: str) -> None:
    assert find_mismatch({"format": "date"}, "tomorrow", engine) is None


@pytest.mark.thorough
def test_work_has_no_bound_if_too_many_parts_of_a_schema_lead_to_each_other() -> None:
    def work(parts: int) -> object:
        schema = {"properties": {f"p{number}": {"items": {"$ref": "#"}} for number in range(parts)}}
        return Cost(schema, structure(schema)).work_for(Extent(nodes=1, depth=30, squares=0))

    assert work(500) is not None
    assert work(3000) is None


@pytest.mark.parametrize("engine", NAMES)
@pytest.mark.parametrize("steps", [20, 60, 99, 300, 1500])
def test_a_schema_that_causes_exponential_work_is_not_used(engine: str, steps: int) -> None:
    found = find_mismatch(schema_of_exponential_work(steps), 1, engine)
    assert found is None or found == Mismatch((), "")  # the decision may be cheap although the list of errors is not


@pytest.mark.parametrize("engine", NAMES)
def test_schema_whose_work_doubles_with_each_level_of_the_instance_is_not_used(engine: str) -> None:
    branches = [{"items": {"$ref": "#/$defs/list"}, "type": "array"}] * 2
    instance: object = 1
    for _ in range(40):
        instance = [instance]
    assert find_mismatch({"$ref": "#/$defs/list", "$defs": {"list": {"anyOf": branches}}}, instance, engine) is None


@pytest.mark.parametrize("engine", NAMES)
def test_schema_with_nested_unevaluated_properties_is_not_used(engine: str) -> None:
    schema: dict[str, Any] = {"unevaluatedProperties": False}
    for _ in range(25):
        schema = {"unevaluatedProperties": False, "anyOf": [schema, {"type": "object"}]}
    assert find_mismatch(schema, {f"a{i}": 1 for i in range(100)}, engine) is None


@pytest.mark.parametrize("engine", NAMES)
def test_schema_whose_references_form_a_loop_is_not_used(engine: str) -> None:
    loop: Any = {"$ref": "#/$defs/a", "$defs": {"a": {"allOf": [{"$ref": "#/$defs/b"}]}, "b": {"$ref": "#/$defs/a"}}}
    assert read({"$ref": "#"}, engine=engine) is None
    assert read(loop, engine=engine) is None
    assert find_mismatch({"properties": {"a": loop["$defs"]["a"]}, "$defs": loop["$defs"]}, {"a": 1}, engine) is None


@pytest.mark.parametrize("engine", NAMES)
def test_schemas_and_instances_of_the_greatest_depth_do_not_overflow_the_stack(engine: str) -> None:
    chain: dict[str, Any] = {f"s{i}": {"properties": {"a": {"$ref": f"#/$defs/s{i + 1}"}}} for i in range(60)}
    deep: Any = 1
    for _ in range(48):
        deep = {"a": deep}
    assert find_mismatch({"$ref": "#/$defs/s0", "$defs": chain | {"s60": {}}}, deep, engine) is None
    assert find_mismatch(nested_schema(30, "allOf"), 1, engine) is not None
    assert find_mismatch(nested_schema(30), deep, engine) is None
    assert find_mismatch({"$ref": "#/$defs/s0", "$defs": chain | {"s48": {"type": "string"}, "s60": {}}}, deep, engine)


@pytest.mark.parametrize("engine", NAMES)
def test_instance_that_is_too_large_is_not_validated(engine: str) -> None:
    assert find_mismatch({"items": {"type": "string"}}, [1] * 30_000, engine) is None
    assert find_mismatch({"uniqueItems": True}, [{"a": number} for number in range(9_000)], REFERENCE) is None


def test_patterns_may_look_ahead_and_never_run_in_exponential_time() -> None:
    decimal = r"^(?!^[-+.]*$)[+-]?0*\d*\.?\d*$"  # as pydantic writes it
    assert find_mismatch({"pattern": decimal}, "1.5") is None
    assert find_mismatch({"pattern": decimal}, "one") == Mismatch((), "pattern")
    assert find_mismatch({"pattern": "^(a+)+$"}, "a" * 5000 + "b") == Mismatch((), "pattern")
    assert find_mismatch({"pattern": r"^(?=a)(a|aa)+\b(?<!a)x"}, "a" * 3000 + "b") is None  # the engine gives up
    assert find_mismatch({"pattern": "(?=.*x)(?=.*y)a"}, "a" * 200_000) is None  # quadratic, so it is not started


def test_pattern_in_another_regular_expression_syntax_is_no_defect() -> None:
    assert read({"pattern": "(?<name"}) is None
    assert read({"patternProperties": {"[": {}}}) is None


def test_the_reference_engine_uses_no_schema_with_regular_expressions() -> None:
    assert read({"pattern": "a"}, engine=REFERENCE) is None
    assert read({"patternProperties": {"a": {}}}, engine=REFERENCE) is None
    assert read({"allOf": [{"not": {"pattern": "a"}}]}, engine=REFERENCE) is None
    assert isinstance(read({"properties": {"pattern": {"type": "string"}}}, engine=REFERENCE), ForeignSchema)
    assert isinstance(read({"properties": {"pattern": {"type": "strin"}}}, engine=REFERENCE), Defect)


def test_after_the_budget_is_spent_nothing_is_validated() -> None:
    budget = WorkBudget(30_000)
    assert find_mismatch(CITY, {}, FAST, budget) == Mismatch((), "required")
    assert 0 < budget.left < 30_000
    budget.left = 100
    assert find_mismatch(CITY, {}, FAST, budget) == Mismatch((), "")
    assert find_mismatch(CITY | {"pattern": "a"}, {}, FAST, WorkBudget(100)) is None  # the engine may have given up
    budget.left = 1
    assert find_mismatch(CITY, {}, FAST, budget) is None


def test_without_the_fast_engine_the_reference_engine_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    engines.load.cache_clear()
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert engines.load(None).price == engines.load(REFERENCE).price
    monkeypatch.undo()
    engines.load.cache_clear()
    assert engines.load(None).price == engines.load(FAST).price


def test_text_of_a_mismatch_has_no_values() -> None:
    assert str(Mismatch((), "required")) == "required"
    assert str(Mismatch(("a", 0), "type")) == "type at `/a/0`"
    assert str(Mismatch((), "")) == "the schema"
    assert len(str(Mismatch(("x" * 500,), "type"))) < 80


@pytest.mark.parametrize(
    "schema",
    [{"required": [f"p{number}" for number in range(100)]},
     {"dependentRequired": {"a": [f"p{number}" for number in range(100)]}}],
)  # fmt: skip
def test_each_name_that_may_be_missing_costs_budget(schema: dict[str, Any]) -> None:
    """Very many calls that each lack very many properties take no more time than a few."""
    foreign, budget = read(schema, engine="jsonschema-rs"), WorkBudget(1_000_000)
    assert isinstance(foreign, ForeignSchema)
    found = [foreign.mismatch({"a": 1}, budget) for _ in range(100)]
    assert all(found), "a mismatch was lost"
    assert sum(one is not None and one.keyword != "" for one in found) < 20
