"""Test that Python matches every regular expression alike, in the first releases of 3.11, too."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterator
from contextlib import suppress
from re import _parser  # type: ignore[attr-defined]  # nothing else shows what an expression consists of
from types import ModuleType

import isogloss.cli
import isogloss.schemas
import isogloss.validator

_UNDIVIDED = ("POSSESSIVE_REPEAT", "ATOMIC_GROUP")
_LOOKING = ("ASSERT", "ASSERT_NOT")


def _modules() -> Iterator[ModuleType]:
    for root in (isogloss.cli, isogloss.schemas, isogloss.validator):
        for found in pkgutil.walk_packages(root.__path__, f"{root.__name__}."):
            if not found.name.endswith(("__main__", ".addon", ".pytest_plugin")):
                with suppress(ModuleNotFoundError):  # of an extra that is not installed
                    yield importlib.import_module(found.name)


def _expressions() -> dict[str, str | bytes]:
    found = {}
    for module in _modules():
        for name, value in vars(module).items():
            text = value.pattern if isinstance(value, re.Pattern) else value
            if isinstance(text, str | bytes) and re.search(r"\+\+|\*\+|\?\+|\}\+|\(\?>", str(text)):
                found[f"{module.__name__}.{name}"] = text
    return found


def _looks_inside(parsed: object, *, undivided: bool = False) -> bool:
    if isinstance(parsed, tuple) and parsed:
        if str(parsed[0]) in _LOOKING:
            return undivided
        undivided = undivided or str(parsed[0]) in _UNDIVIDED
    parts = parsed if isinstance(parsed, tuple | list | _parser.SubPattern) else ()
    return any(_looks_inside(part, undivided=undivided) for part in parts)


def test_no_possessive_or_atomic_group_looks_around() -> None:
    """Before 3.11.5, ``(?:a|b(?!c))*+`` also takes the ``b`` of ``bc``: https://github.com/python/cpython/issues/106052."""
    expressions = _expressions()
    assert len(expressions) > 40
    for name, expression in expressions.items():
        try:
            parsed = _parser.parse(expression)
        except re.error:  # a part of an expression, or no expression
            continue
        assert not _looks_inside(parsed), name
