"""The deciding engine: jsonschema-rs, some microseconds a payload."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from isogloss import schemas
from isogloss.validator.engines.native import jsonschema_rs
from isogloss.validator.engines.protocol import SchemaError, shallow
from isogloss.validator.pointer import restorer

__all__ = ["FastEngine"]


@cache
def _validator(kind: str) -> jsonschema_rs.Draft202012Validator:
    return jsonschema_rs.Draft202012Validator(schemas.judged(kind))


class FastEngine:
    """jsonschema-rs."""

    name = "jsonschema-rs"

    def validator(self, kind: str) -> Callable[[object], bool]:
        """The test whether a payload of a kind violates nothing."""
        return _validator(kind).is_valid

    def errors(self, kind: str, value: object) -> list[SchemaError]:
        """Every violated keyword, in the order of places."""
        try:
            errors = _validator(kind).iter_errors(value)
        except ValueError:  # nested too deep to be part of an error
            errors = _validator(kind).iter_errors(shallow(value))
        # One for a keyword at a place: of several missing properties there is an error each.
        given = dict.fromkeys((tuple(error.instance_path), tuple(error.schema_path)) for error in errors)
        restored = restorer(value)
        found = []
        for steps, schema in given:
            pointer = restored(steps)
            if pointer is None:
                from isogloss.validator.engines.reference import ReferenceEngine

                return ReferenceEngine().errors(kind, value)
            found.append(SchemaError(pointer, schema))
        return sorted(found)
