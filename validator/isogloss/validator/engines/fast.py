"""The deciding engine: jsonschema-rs, some microseconds a payload."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import jsonschema_rs

from isogloss import schemas
from isogloss.validator.engines import SchemaError

__all__ = ["FastEngine"]


@cache
def _validator(kind: str) -> jsonschema_rs.Draft202012Validator:
    return jsonschema_rs.Draft202012Validator(schemas.judged(kind))


class FastEngine:
    """jsonschema-rs."""

    name = "jsonschema-rs"

    def valid(self, kind: str, value: object) -> bool:
        """Whether the payload violates nothing."""
        return _validator(kind).is_valid(value)

    def errors(self, kind: str, value: object) -> Iterator[SchemaError]:
        """Every violated keyword, in no particular order."""
        for error in _validator(kind).iter_errors(value):
            yield SchemaError(tuple(error.instance_path), tuple(error.schema_path))
