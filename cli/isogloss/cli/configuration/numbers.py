"""Convert option values to numbers."""

from __future__ import annotations

import math
from typing import Any

import click

__all__ = ["Count", "Seconds"]


class Count(click.IntRange):
    """A whole number, in a range."""

    name = "whole number"


class Seconds(click.FloatRange):
    """A number of seconds, in a range. Infinity is no such number, and NaN, which no limit excludes, is none either."""

    name = "number of seconds"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the number. Fail with an error of the command line if the value is anything else."""
        seconds = float(super().convert(value, param, ctx))
        if not math.isfinite(seconds):
            self.fail(f"{value!r} is not a valid {self.name}.", param, ctx)
        return seconds
