"""The two JSON Schema engines as foreign schemas need them: limited, offline, and silent where they give up."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Any, NamedTuple, Protocol, TypeAlias

from isogloss.validator.engines import NAMES
from isogloss.validator.foreign_schemas.structure import Structure
from isogloss.validator.pointer import Pointer, restorer, rfc6901
from isogloss.validator.quoting import name

__all__ = ["Defect", "Engine", "Fault", "Validator", "load", "order"]

Restored: TypeAlias = Callable[[Iterable[str | int]], Pointer | None]
"""What :func:`isogloss.validator.pointer.restorer` gives for an instance."""

_BACKTRACKS = 10_000
_PATTERN_BYTES = 1 << 20


class Fault(NamedTuple):
    """Where an instance breaks a schema, and by which keyword (empty when only the whole is known to break it)."""

    pointer: Pointer
    keyword: str

    def __str__(self) -> str:
        """As part of a message: ``required at `/place```, or ``the schema``."""
        place = f" at {name(rfc6901(self.pointer))}" if self.pointer else ""
        return f"{self.keyword or 'the schema'}{place}"


class Defect(NamedTuple):
    """Where a schema is no valid JSON Schema of its draft, or holds a reference to nothing."""

    pointer: Pointer


class Validator(Protocol):
    """What a compiled schema is in both libraries."""

    def is_valid(self, instance: Any) -> bool:
        """Whether the instance has no fault."""

    def iter_errors(self, instance: Any) -> Iterator[Any]:
        """The library's errors."""


class Engine(Protocol):
    """``price`` is what a visit costs of the budget when faults are looked for, ``listing`` when they are listed."""

    price: int
    listing: int
    refusals: tuple[type[Exception], ...]

    def compile(self, document: Any, surveyed: Structure) -> Validator | Defect | None:
        """The document as a validator, or where it is invalid; ``None`` for what the engine cannot hold."""

    def fault(self, error: Any, restored: Restored) -> Fault | None:
        """An error as a fault; ``None`` where the engine gave up, or nobody can tell its place."""


class _Fast:
    """jsonschema-rs, its regular expressions limited."""

    price = 1
    listing = 800  # of the errors of a union it makes a tree
    refusals: tuple[type[Exception], ...] = (ValueError,)  # an instance nested deeper than it goes

    def compile(self, document: Any, surveyed: Structure) -> Validator | Defect | None:
        import jsonschema_rs

        patterns = jsonschema_rs.FancyRegexOptions(backtrack_limit=_BACKTRACKS, size_limit=_PATTERN_BYTES)
        try:
            validator: Validator = getattr(jsonschema_rs, surveyed.draft)(
                document, retriever=_fetch_nothing, validate_formats=False, pattern_options=patterns
            )
        except jsonschema_rs.ValidationError as error:
            # Without a place it is a reference that leads nowhere it knows; "format" is an expression it does not.
            known = error.instance_path and not _kind(error).endswith("Format")
            pointer = restorer(document)(error.instance_path) if known else None
            if known and pointer is None:
                return Defect(min(_defects(document, surveyed), key=order, default=()))
            return Defect(pointer) if pointer is not None else None
        except ValueError:  # nested deeper than it goes
            return None
        return validator

    def fault(self, error: Any, restored: Restored) -> Fault | None:
        pointer = restored(error.instance_path)
        if pointer is None or _kind(error).endswith(("BacktrackLimitExceeded", "RegexEngineFailure")):
            return None
        return Fault(pointer, str(error.schema_path[-1]))


class _Reference:
    """jsonschema, where there is no jsonschema-rs. Its expressions run in ``re``: those that have any are not held."""

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

    def fault(self, error: Any, restored: Restored) -> Fault | None:
        return Fault(tuple(error.absolute_path), str(error.validator))


@lru_cache(maxsize=3)
def load(engine_name: str | None) -> Engine:
    """The engine of that name; without a name the fast one, or the reference one where it is not installed."""
    fast, reference = NAMES
    if engine_name == reference or (engine_name is None and importlib.util.find_spec(fast.replace("-", "_")) is None):
        return _Reference()
    return _Fast()


def _kind(error: Any) -> str:
    """What jsonschema-rs calls an error; its ``name`` is not there in all versions."""
    return type(error.kind).__name__


def _defects(document: Any, surveyed: Structure) -> list[Pointer]:
    """Every place where a schema is none of its draft."""
    import jsonschema

    kind = getattr(jsonschema, surveyed.draft)
    return [tuple(error.absolute_path) for error in kind(kind.META_SCHEMA).iter_errors(document)]


def _fetch_nothing(uri: str) -> Any:
    raise LookupError(uri)


def order(pointer: Pointer) -> list[tuple[bool, int, str]]:
    """A key to sort places by."""
    return [(isinstance(step, str), step if isinstance(step, int) else 0, str(step)) for step in pointer]
