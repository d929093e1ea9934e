"""Run the two JSON Schema engines with limits and without a network.

If an engine gives up, nothing is reported.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Any, NamedTuple, Protocol, TypeAlias

from isogloss.validator.engines import NAMES
from isogloss.validator.foreign_schemas.structure import Structure
from isogloss.validator.pointer import Pointer, restorer, rfc6901
from isogloss.validator.quoting import quote_name

__all__ = ["Defect", "Mismatch", "SchemaLibrary", "Validator", "load", "sort_key"]

Restored: TypeAlias = Callable[[Iterable[str | int]], Pointer | None]
"""The type of the function that :func:`isogloss.validator.pointer.restorer` returns for an instance."""

_BACKTRACKS = 10_000
_PATTERN_BYTES = 1 << 20


class Mismatch(NamedTuple):
    """The pointer at which an instance violates a schema, and the violated keyword (empty if it is not known which)."""

    pointer: Pointer
    keyword: str

    def __str__(self) -> str:
        """Return it as part of a message: ``required at `/place```, or ``the schema``."""
        at_pointer = f" at {quote_name(rfc6901(self.pointer))}" if self.pointer else ""
        return f"{self.keyword or 'the schema'}{at_pointer}"


class Defect(NamedTuple):
    """The pointer at which a schema is invalid by its draft, or has a reference to something that does not exist.

    ``message`` says which of the two it is.
    """

    pointer: Pointer
    message: str = "not a valid JSON Schema"


class Validator(Protocol):
    """A compiled schema. The classes of both libraries have these methods."""

    def is_valid(self, instance: Any) -> bool:
        """Return whether the instance is valid."""

    def iter_errors(self, instance: Any) -> Iterator[Any]:
        """Yield the errors of the library."""


class SchemaLibrary(Protocol):
    """A JSON Schema library.

    A visit costs ``price`` of the budget when the engine decides whether an instance is valid, and ``listing`` when it
    lists the errors. ``refusals`` are the exceptions that the engine raises when it gives up.
    """

    price: int
    listing: int
    refusals: tuple[type[Exception], ...]

    def compile(self, document: Any, surveyed: Structure) -> Validator | Defect | None:
        """Compile the document, or return where it is invalid; ``None`` if the engine cannot use it."""

    def mismatch(self, error: Any, restored: Restored) -> Mismatch | None:
        """Return an error as a mismatch; ``None`` if the engine gave up, or the pointer of the error is unknown."""


class _Fast:
    """jsonschema-rs, with limits on regular expressions."""

    price = 1
    listing = 800  # the engine makes a tree of the errors in a union
    refusals: tuple[type[Exception], ...] = (ValueError,)  # the instance is nested too deep for the engine

    def compile(self, document: Any, surveyed: Structure) -> Validator | Defect | None:
        from isogloss.validator.engines.fast import jsonschema_rs

        patterns = jsonschema_rs.FancyRegexOptions(backtrack_limit=_BACKTRACKS, size_limit=_PATTERN_BYTES)
        try:
            validator: Validator = getattr(jsonschema_rs, surveyed.draft)(
                document, retriever=_fetch_nothing, validate_formats=False, pattern_options=patterns
            )
        except jsonschema_rs.ValidationError as error:
            # An error without a pointer is a reference that it cannot resolve; a "format" error is a regular expression
            # that it does not support.
            has_pointer = error.instance_path and not _error_kind(error).endswith("Format")
            pointer = restorer(document)(error.instance_path) if has_pointer else None
            if has_pointer and pointer is None:
                return Defect(min(_defects(document, surveyed), key=sort_key, default=()))
            return Defect(pointer) if pointer is not None else None
        except ValueError:  # the schema is nested too deep for the engine
            return None
        return validator

    def mismatch(self, error: Any, restored: Restored) -> Mismatch | None:
        pointer = restored(error.instance_path)
        if pointer is None or _error_kind(error).endswith(("BacktrackLimitExceeded", "RegexEngineFailure")):
            return None
        return Mismatch(pointer, str(error.schema_path[-1]))


class _Reference:
    """jsonschema, if jsonschema-rs is not installed. It uses ``re``, so it gets no schemas with regular expressions."""

    price = 100
    listing = 100

    def __init__(self) -> None:
        from referencing.exceptions import Unresolvable

        self.refusals: tuple[type[Exception], ...] = (Unresolvable, ArithmeticError)

    def compile(self, document: Any, surveyed: Structure) -> Validator | Defect | None:
        import jsonschema
        from referencing.jsonschema import EMPTY_REGISTRY

        validator_class = getattr(jsonschema, surveyed.draft)
        defects = _defects(document, surveyed)
        if defects:
            return Defect(min(defects, key=sort_key))
        if surveyed.patterned or surveyed.dangling is not None:
            return None
        validator: Validator = validator_class(document, registry=EMPTY_REGISTRY)
        return validator

    def mismatch(self, error: Any, restored: Restored) -> Mismatch | None:
        return Mismatch(tuple(error.absolute_path), str(error.validator))


@lru_cache(maxsize=3)
def load(engine_name: str | None) -> SchemaLibrary:
    """Return the engine of that name; without a name the fast one, or if that is not installed, the reference one."""
    fast, reference = NAMES
    if engine_name == reference or (engine_name is None and importlib.util.find_spec(fast.replace("-", "_")) is None):
        return _Reference()
    return _Fast()


def _error_kind(error: Any) -> str:
    """Return the kind of an error of jsonschema-rs; not all versions give it a ``name``."""
    return type(error.kind).__name__


def _defects(document: Any, surveyed: Structure) -> list[Pointer]:
    """Return every pointer at which a schema violates the metaschema of its draft."""
    import jsonschema

    validator_class = getattr(jsonschema, surveyed.draft)
    return [tuple(error.absolute_path) for error in validator_class(validator_class.META_SCHEMA).iter_errors(document)]


def _fetch_nothing(uri: str) -> Any:
    raise LookupError(uri)


def sort_key(pointer: Pointer) -> list[tuple[bool, int, str]]:
    """Return a key to sort pointers by."""
    return [(isinstance(step, str), step if isinstance(step, int) else 0, str(step)) for step in pointer]
