"""The two JSON Schema engines with limits and without network; where an engine gives up, nothing is reported."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Any, NamedTuple, Protocol, TypeAlias

from isogloss.validator.engines import NAMES
from isogloss.validator.foreign_schemas.structure import Structure
from isogloss.validator.pointer import Pointer, restorer, rfc6901
from isogloss.validator.quoting import name

__all__ = ["Defect", "Engine", "Mismatch", "Validator", "load", "order"]

Restored: TypeAlias = Callable[[Iterable[str | int]], Pointer | None]
"""What :func:`isogloss.validator.pointer.restorer` gives for an instance."""

_BACKTRACKS = 10_000
_PATTERN_BYTES = 1 << 20


class Mismatch(NamedTuple):
    """Where an instance violates a schema, and which keyword (empty if it is only known that it violates some)."""

    pointer: Pointer
    keyword: str

    def __str__(self) -> str:
        """As part of a message: ``required at `/place```, or ``the schema``."""
        place = f" at {name(rfc6901(self.pointer))}" if self.pointer else ""
        return f"{self.keyword or 'the schema'}{place}"


class Defect(NamedTuple):
    """Where a schema is not a valid JSON Schema of its draft, or has a reference to a place that does not exist."""

    pointer: Pointer


class Validator(Protocol):
    """A compiled schema, as both libraries have it."""

    def is_valid(self, instance: Any) -> bool:
        """Return whether the instance is valid."""

    def iter_errors(self, instance: Any) -> Iterator[Any]:
        """Yield the errors of the library."""


class Engine(Protocol):
    """A JSON Schema library.

    Of the budget, a visit costs ``price`` when the engine decides whether an instance is valid, and ``listing`` when it
    lists the errors. ``refusals`` are the exceptions with which it gives up.
    """

    price: int
    listing: int
    refusals: tuple[type[Exception], ...]

    def compile(self, document: Any, surveyed: Structure) -> Validator | Defect | None:
        """Compile the document, or return where it is invalid; ``None`` if the engine cannot use it."""

    def mismatch(self, error: Any, restored: Restored) -> Mismatch | None:
        """Return an error as a mismatch; ``None`` if the engine gave up, or the place of the error is unknown."""


class _Fast:
    """jsonschema-rs, with limits on regular expressions."""

    price = 1
    listing = 800  # it makes a tree of the errors in a union
    refusals: tuple[type[Exception], ...] = (ValueError,)  # the instance is nested too deep for it

    def compile(self, document: Any, surveyed: Structure) -> Validator | Defect | None:
        from isogloss.validator.engines.native import jsonschema_rs

        patterns = jsonschema_rs.FancyRegexOptions(backtrack_limit=_BACKTRACKS, size_limit=_PATTERN_BYTES)
        try:
            validator: Validator = getattr(jsonschema_rs, surveyed.draft)(
                document, retriever=_fetch_nothing, validate_formats=False, pattern_options=patterns
            )
        except jsonschema_rs.ValidationError as error:
            # An error without a place is a reference that it cannot resolve; a "format" error is a regular expression
            # that it does not support.
            known = error.instance_path and not _kind(error).endswith("Format")
            pointer = restorer(document)(error.instance_path) if known else None
            if known and pointer is None:
                return Defect(min(_defects(document, surveyed), key=order, default=()))
            return Defect(pointer) if pointer is not None else None
        except ValueError:  # nested too deep for it
            return None
        return validator

    def mismatch(self, error: Any, restored: Restored) -> Mismatch | None:
        pointer = restored(error.instance_path)
        if pointer is None or _kind(error).endswith(("BacktrackLimitExceeded", "RegexEngineFailure")):
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

        kind = getattr(jsonschema, surveyed.draft)
        wrong = _defects(document, surveyed)
        if wrong:
            return Defect(min(wrong, key=order))
        if surveyed.patterned or surveyed.dangling is not None:
            return None
        validator: Validator = kind(document, registry=EMPTY_REGISTRY)
        return validator

    def mismatch(self, error: Any, restored: Restored) -> Mismatch | None:
        return Mismatch(tuple(error.absolute_path), str(error.validator))


@lru_cache(maxsize=3)
def load(engine_name: str | None) -> Engine:
    """Return the engine of that name; without a name the fast one, or if that is not installed, the reference one."""
    fast, reference = NAMES
    if engine_name == reference or (engine_name is None and importlib.util.find_spec(fast.replace("-", "_")) is None):
        return _Reference()
    return _Fast()


def _kind(error: Any) -> str:
    """Return the kind of an error of jsonschema-rs; not all versions give it a ``name``."""
    return type(error.kind).__name__


def _defects(document: Any, surveyed: Structure) -> list[Pointer]:
    """Return every place where a schema violates the metaschema of its draft."""
    import jsonschema

    kind = getattr(jsonschema, surveyed.draft)
    return [tuple(error.absolute_path) for error in kind(kind.META_SCHEMA).iter_errors(document)]


def _fetch_nothing(uri: str) -> Any:
    raise LookupError(uri)


def order(pointer: Pointer) -> list[tuple[bool, int, str]]:
    """Return a key to sort places by."""
    return [(isinstance(step, str), step if isinstance(step, int) else 0, str(step)) for step in pointer]
