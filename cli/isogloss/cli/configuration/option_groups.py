"""Join options to groups, which several commands have, and gather their values in one object."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce
from typing import Any, TypeAlias

__all__ = ["Decorator", "OptionValues", "join"]

Decorator: TypeAlias = Callable[[Callable[..., Any]], Callable[..., Any]]
"""What adds an option to a command."""


def join(*options: Decorator) -> Decorator:
    """Return a decorator that adds several options to a command. Its help lists them in this order."""
    return lambda command: reduce(lambda inner, option: option(inner), reversed(options), command)


class OptionValues:
    """The values of a command's options: those that a subclass names, as attributes, and the others as ``settings``.

    A configuration may set the others, too, which have the names of its keys.
    """

    settings: Mapping[str, Any]

    def __init__(self, given: Mapping[str, Any]) -> None:
        """Take the values that click gives to the command."""
        named = type(self).__annotations__.keys()
        vars(self).update({name: given[name] for name in named})
        self.settings = {name.replace("_", "-"): value for name, value in given.items() if name not in named}
