"""Join options to groups, which several commands have."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any, TypeAlias

__all__ = ["Decorator", "join"]

Decorator: TypeAlias = Callable[[Callable[..., Any]], Callable[..., Any]]
"""What adds an option to a command."""


def join(*options: Decorator) -> Decorator:
    """Return a decorator that adds several options to a command. Its help lists them in this order."""
    return lambda command: reduce(lambda inner, option: option(inner), reversed(options), command)
