"""Validate against JSON Schemas that requests carry, within a limit of work that is estimated beforehand.

The author of a request writes the parameters of its tools and its response format. So these schemas are not trusted:

* Nothing is fetched. A schema that refers to another document, or changes the base of its references, is not used.
* Regular expressions run in an engine with a limit on backtracking, never in Python's ``re``.
* The work is estimated from schema and instance before it begins. ``anyOf`` over references doubles the work at each
  level, so that twenty short lines can cause a million visits. A schema that would exceed the budget is not used.

A schema that is not used gives no findings. ``format`` is an annotation here, and is not checked.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import islice

import orjson

from isogloss.validator.foreign_schemas.cost import Cost
from isogloss.validator.foreign_schemas.engines import Defect, Mismatch, SchemaLibrary, Validator, load, sort_key
from isogloss.validator.foreign_schemas.extent import Extent, extent
from isogloss.validator.foreign_schemas.structure import structure
from isogloss.validator.pointer import restorer

__all__ = ["Defect", "ForeignSchema", "Mismatch", "WorkBudget", "read"]

_LONGEST_SCHEMA = 256 * 1024  # bytes of JSON; OpenAI allows 120,000 characters of names and values in a schema
_LONG_SCHEMA = 8 * 1024
"""Few schemas from this length on are remembered: compiled, a schema takes sixty times the memory of its text."""
_ERRORS_READ = 50
_SMALLEST = Extent(nodes=1, depth=0, squares=0)
_VISITS = 20_000_000  # of a schema node to an instance node; they take jsonschema-rs half a second


class WorkBudget:
    """The amount of work, in visits, that one check may still do."""

    __slots__ = ("left",)

    def __init__(self, left: int = _VISITS) -> None:
        self.left = left

    def pay(self, visits: int) -> bool:
        """Subtract so many visits. Return whether enough were left; if not, subtract none."""
        if visits > self.left:
            return False
        self.left -= visits
        return True


class ForeignSchema:
    """A schema that instances can be validated against."""

    __slots__ = ("_cost", "_engine", "_validator")

    def __init__(self, validator: Validator, engine: SchemaLibrary, cost: Cost) -> None:
        self._validator = validator
        self._engine = engine
        self._cost = cost

    def mismatch(self, instance: object, budget: WorkBudget) -> Mismatch | None:
        """Return the first mismatch by its pointer; ``None`` if there is none, or if finding it exceeds the budget."""
        size = extent(instance)
        work = self._cost.work_for(size) if size is not None else None
        if work is None or not budget.pay((work.visits + work.quadratic) * self._engine.price):
            return None
        try:
            if self._validator.is_valid(instance):
                return None
            if not budget.pay(work.visits * self._engine.listing + work.quadratic * self._engine.price):
                return None if self._cost.patterned else Mismatch((), "")
            errors = islice(self._validator.iter_errors(instance), _ERRORS_READ)
            restored = restorer(instance)
            mismatches = [self._engine.mismatch(error, restored) for error in errors]
        except self._engine.refusals:
            return None
        usable = [mismatch for mismatch in mismatches if mismatch is not None]
        if len(usable) < len(mismatches):
            return None
        return min(usable, key=lambda mismatch: (sort_key(mismatch.pointer), mismatch.keyword), default=None)


def read(schema: object, *, engine: str | None = None) -> ForeignSchema | Defect | None:
    """Compile a schema, or return where it is invalid; ``None`` if it is not an object, or is a schema not used here.

    ``engine`` is one of :data:`isogloss.validator.engines.NAMES`; by default the first one that is installed.
    """
    if not isinstance(schema, dict):
        return None
    try:
        text = orjson.dumps(schema)
    except orjson.JSONEncodeError:  # lone surrogates, and integers beyond 64 bits
        return None
    if len(text) > _LONGEST_SCHEMA:
        return None
    return _read_short(text, engine) if len(text) < _LONG_SCHEMA else _read_long(text, engine)


def _read(text: bytes, engine_name: str | None) -> ForeignSchema | Defect | None:
    document = orjson.loads(text)
    schema_structure = structure(document)
    if schema_structure is None:
        return None
    cost = Cost(document, schema_structure)
    least_work = cost.work_for(_SMALLEST)
    if least_work is None or least_work.visits > _VISITS:  # no engine gets a schema that could make it loop
        return None
    engine = load(engine_name)
    compiled = engine.compile(document, schema_structure)
    if isinstance(compiled, Defect):
        return compiled
    if schema_structure.dangling is not None:
        return Defect(schema_structure.dangling, "a reference to something that is not in the schema")
    if compiled is None:
        return None
    return ForeignSchema(compiled, engine, cost)


_read_short = lru_cache(maxsize=256)(_read)
_read_long = lru_cache(maxsize=16)(_read)
