"""JSON Schemas that come with a request: read, compiled and held, with the work bounded beforehand.

A tool's parameters and a response format are written by whoever wrote the request, so nothing of them is trusted:

* nothing is fetched: a schema that refers to another document, or moves the base of its references, is not held;
* regular expressions run in an engine with a limit on backtracking, never in Python's ``re``;
* the work is estimated from schema and instance before any of it is done. ``anyOf`` over references doubles at each
  level, so that twenty short lines can ask for a million visits; what exceeds the budget is not held.

*Not held* is silence: no finding ever comes from a schema that was not understood. ``format`` is an annotation here.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import islice

import orjson

from isogloss.validator.foreign_schemas.cost import Cost
from isogloss.validator.foreign_schemas.engines import Defect, Engine, Fault, Validator, load, order
from isogloss.validator.foreign_schemas.extent import Extent, extent
from isogloss.validator.foreign_schemas.structure import structure
from isogloss.validator.pointer import restorer

__all__ = ["Budget", "Defect", "Fault", "ForeignSchema", "read"]

_LONGEST_SCHEMA = 256 * 1024  # bytes of JSON; OpenAI allows a schema 120,000 characters of names and values
_ERRORS_READ = 50
_SMALLEST = Extent(nodes=1, depth=0, squares=0)
_VISITS = 20_000_000  # of schema nodes to instance nodes: half a second of jsonschema-rs


class Budget:
    """The work that one check may still do."""

    __slots__ = ("left",)

    def __init__(self, left: int = _VISITS) -> None:
        self.left = left

    def pay(self, visits: int) -> bool:
        """Take the price of so many visits; whether there was enough left."""
        if visits > self.left:
            return False
        self.left -= visits
        return True


class ForeignSchema:
    """A schema that can be held against instances."""

    __slots__ = ("_cost", "_engine", "_validator")

    def __init__(self, validator: Validator, engine: Engine, cost: Cost) -> None:
        self._validator = validator
        self._engine = engine
        self._cost = cost

    def fault(self, instance: object, budget: Budget) -> Fault | None:
        """The first fault by its place; ``None`` when there is none, or none that is to be found within the budget."""
        size = extent(instance)
        work = self._cost.of(size) if size is not None else None
        if work is None or not budget.pay((work.visits + work.quadratic) * self._engine.price):
            return None
        try:
            if self._validator.is_valid(instance):
                return None
            if not budget.pay(work.visits * self._engine.listing + work.quadratic * self._engine.price):
                return None if self._cost.patterned else Fault((), "")
            errors = islice(self._validator.iter_errors(instance), _ERRORS_READ)
            restored = restorer(instance)
            faults = [self._engine.fault(error, restored) for error in errors]
        except self._engine.refusals:
            return None
        known = [fault for fault in faults if fault is not None]
        if len(known) < len(faults):
            return None
        return min(known, key=lambda fault: (order(fault.pointer), fault.keyword), default=None)


def read(schema: object, *, engine: str | None = None) -> ForeignSchema | Defect | None:
    """Read a schema: ready to be held, or where it is invalid; ``None`` when it is no object or is not held.

    ``engine`` is one of :data:`isogloss.validator.engines.NAMES`; by default the first one that is installed.
    """
    if not isinstance(schema, dict):
        return None
    try:
        text = orjson.dumps(schema)
    except orjson.JSONEncodeError:  # lone surrogates and integers beyond 64 bits, recovered from what is hardly JSON
        return None
    return _read(text, engine) if len(text) <= _LONGEST_SCHEMA else None


@lru_cache(maxsize=256)
def _read(text: bytes, engine_name: str | None) -> ForeignSchema | Defect | None:
    document = orjson.loads(text)
    surveyed = structure(document)
    if surveyed is None:
        return None
    cost = Cost(document, surveyed)
    least = cost.of(_SMALLEST)
    if least is None or least.visits > _VISITS:  # no engine is to see what it could loop or choke on
        return None
    engine = load(engine_name)
    compiled = engine.compile(document, surveyed)
    if isinstance(compiled, Defect):
        return compiled
    if surveyed.dangling is not None:
        return Defect(surveyed.dangling)
    if compiled is None:
        return None
    return ForeignSchema(compiled, engine, cost)
