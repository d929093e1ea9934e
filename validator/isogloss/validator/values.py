"""Make classes of values: named tuples, values and records. A command makes many at its start, so it must be fast."""

from __future__ import annotations

from collections import namedtuple
from typing import TYPE_CHECKING, Any, TypeVar, dataclass_transform

__all__ = ["NamedTuple", "changed", "fields", "has_equal_fields", "record_class", "value_class"]

_Value = TypeVar("_Value")

if TYPE_CHECKING:
    from typing import NamedTuple
else:

    class _NamedTupleMaker(type):
        def __new__(cls, name, bases, body):
            if not bases:
                return super().__new__(cls, name, bases, body)
            annotations = body.pop("__annotations__")
            defaults = {field: body.pop(field) for field in annotations if field in body}
            made = namedtuple(name, annotations, defaults=defaults.values(), module=body.pop("__module__"))
            if list(made._field_defaults) != list(defaults):
                raise TypeError(f"a field of {name} without a default stands behind one that has a default")
            made.__annotations__ = annotations
            for attribute, value in body.items():
                setattr(made, attribute, value)
            return made

    class NamedTuple(metaclass=_NamedTupleMaker):
        """A base class, as ``typing.NamedTuple``, whose classes are made in less than half the time.

        It does not compile the annotations of the fields. They must be strings, as a module has them that begins with
        ``from __future__ import annotations``.
        """


@dataclass_transform(frozen_default=True)
def value_class(cls: type[_Value]) -> type[_Value]:
    """Make a class of values: its annotations are its fields. Two values are equal only if they are the same object.

    Only type checkers prevent that a field is changed. With Python 3.11, a dataclass that prevents it, too, takes four
    times as long to make a value, and a named tuple takes half as long again to make, and three times as long to read.
    Making the class takes less time than with ``dataclass``, and a command makes many at its start.
    """
    return _with_fields(cls)


@dataclass_transform()
def record_class(cls: type[_Value]) -> type[_Value]:
    """Make a class like :func:`value_class` does, of records whose fields may be changed."""
    return _with_fields(cls)


def _with_fields(cls: type[_Value]) -> type[_Value]:
    names = tuple(cls.__annotations__)
    defaults = {f"default_{name}": getattr(cls, name) for name in names if hasattr(cls, name)}
    parameters = (f"{name}=default_{name}" if f"default_{name}" in defaults else name for name in names)
    assignments = (f" self.{name} = {name}" for name in names)
    made: dict[str, Any] = {}
    exec("\n".join((f"def __init__(self, {', '.join(parameters)}):", *assignments)), defaults, made)  # from names alone
    kept = {name: one for name, one in vars(cls).items() if name not in (*names, "__dict__", "__weakref__")}
    made_class: type[_Value] = type(
        cls.__name__, cls.__bases__, {"__repr__": _describe} | kept | made | {"__slots__": names}
    )
    return made_class


def _describe(value: object) -> str:
    described = (f"{name}={getattr(value, name)!r}" for name in fields(value))
    return f"{type(value).__name__}({', '.join(described)})"


def fields(value: object) -> tuple[str, ...]:
    """Return the names of the fields of a value, in order."""
    names: tuple[str, ...] = type(value).__slots__  # type: ignore[attr-defined]
    return names


def has_equal_fields(value: object, other: object) -> bool:
    """Return whether two values are of the same class, and have equal fields."""
    return type(value) is type(other) and all(getattr(value, name) == getattr(other, name) for name in fields(value))


def changed(value: _Value, /, **changes: Any) -> _Value:
    """Return a value that differs from another one in these fields."""
    return type(value)(**({name: getattr(value, name) for name in fields(value)} | changes))
