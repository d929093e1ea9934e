"""The reference engine: jsonschema, for platforms without jsonschema-rs and to hold the fast engine to."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

import jsonschema

from isogloss import schemas
from isogloss.schemas import references
from isogloss.validator.engines.protocol import SchemaError, shallow
from isogloss.validator.pointer import Pointer

__all__ = ["ReferenceEngine"]


@cache
def _validator(kind: str) -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator(schemas.judged(kind))


def _canonical(kind: str, path: Iterable[str | int]) -> Pointer:
    """Turn the path by which a keyword was reached into the place where it stands: a ``$ref`` restarts it."""
    document = schemas.judged(kind)
    node: Any = document
    steps: list[str | int] = []
    for step in path:
        while isinstance(node, dict) and step not in node and "$ref" in node:
            steps = list(references.steps(node["$ref"]))
            node = references.resolved(document, node["$ref"])
        if step == "$ref":
            continue
        steps.append(step)
        node = node[step]
    return tuple(steps)


class ReferenceEngine:
    """jsonschema with referencing."""

    name = "jsonschema"

    def validator(self, kind: str) -> Callable[[object], bool]:
        """The test whether a payload of a kind violates nothing."""
        is_valid = _validator(kind).is_valid

        def valid(value: object) -> bool:
            try:
                return is_valid(value)
            except RecursionError:  # an error puts what it is about into words, however deep
                return is_valid(shallow(value))

        return valid

    def errors(self, kind: str, value: object) -> list[SchemaError]:
        """Every violated keyword, in the order of places."""
        try:
            errors = list(_validator(kind).iter_errors(value))
        except RecursionError:
            errors = list(_validator(kind).iter_errors(shallow(value)))
        # one error a missing property there, one for all of them in the fast engine
        return sorted(
            {SchemaError(tuple(one.absolute_path), _canonical(kind, one.absolute_schema_path)) for one in errors}
        )
