"""The parameter for a text that is written into JSON: the bytes of a command line need not be a text."""

from __future__ import annotations

from typing import Any

import click

__all__ = ["TextValue"]


class TextValue(click.ParamType):  # type: ignore[type-arg, unused-ignore]  # generic from click 8.4 on
    """A text in UTF-8."""

    name = "text"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the text. Fail if the command line had bytes here that are not UTF-8."""
        text = str(value)
        try:
            text.encode()
        except UnicodeEncodeError:
            self.fail(f"{text!r} is not UTF-8, as JSON has to be", param, ctx)
        return text
