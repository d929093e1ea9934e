"""Test the regular expressions: each means the same in all releases of 3.11, and none takes exponential time."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator
from contextlib import suppress
from re import _parser  # type: ignore[attr-defined]  # nothing else shows what an expression consists of
from types import ModuleType

import pytest
from ambiguity import is_exponential

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


def _called() -> Iterator[tuple[str, str | bytes, int]]:
    """Yield the expression of each call of a function of `re`, with its place and its flags.

    Expressions that are made of local variables are left out.
    """
    for module in _modules():
        for call in ast.walk(ast.parse(inspect.getsource(module))):
            if isinstance(call, ast.Call) and ast.unparse(call.func).startswith("re.") and call.args:
                arguments = [one for one in call.args if not isinstance(one, ast.Starred)]
                arguments += [one.value for one in call.keywords]
                values = []
                for argument in arguments:
                    with suppress(NameError):
                        values.append(eval(compile(ast.Expression(argument), "", "eval"), dict(vars(module))))
                expression = values[0] if values else None
                if isinstance(expression, str | bytes) and ast.unparse(call.func) != "re.escape":
                    flags = sum(one for one in values if isinstance(one, re.RegexFlag))
                    yield f"{module.__name__}:{call.lineno}", expression, flags


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


@pytest.mark.parametrize(
    "expression", [r"(?:a*)*b", r"(?:\s*(?:#[^\n]*)?\r?\n)*a", r"(?:\w+\s?)*$", r"(?:a|b(?:a|aa))*$"]
)
def test_a_loop_that_reads_a_text_in_several_ways_is_exponential(expression: str) -> None:
    assert is_exponential(expression)


@pytest.mark.parametrize(
    "expression", [r"a*a*b", r"(?:[ \t]*(?:#[^\n]*|\r)?\n)*a", r"(?:\w+\s)*$", r"(?>\r\n|\n|\r)*a"]
)
def test_other_expressions_are_not_exponential(expression: str) -> None:
    assert not is_exponential(expression)


@pytest.mark.thorough
def test_no_expression_takes_exponential_time() -> None:
    called = list(_called())
    assert len(called) > 200
    assert not [place for place, expression, flags in called if is_exponential(expression, flags)]
