"""One HTML file that needs nothing else: no script, no network."""

from __future__ import annotations

from typing import TextIO

from isogloss.cli.reporters.tables import rows, skipped
from isogloss.cli.reporters.text import summary
from isogloss.cli.summary import Run

__all__ = ["report"]


def report(run: Run, out: TextIO) -> None:
    """Write the page: the verdict, the findings by what they say, and what was skipped."""
    from jinja2 import Environment, PackageLoader

    environment = Environment(
        loader=PackageLoader("isogloss.cli", "templates"), autoescape=True, trim_blocks=True, lstrip_blocks=True
    )
    page = environment.get_template("check.html").render(
        summary=summary(run), verdict=run.verdict, rows=rows(run), skipped=skipped(run), cases=run.cases
    )
    out.write(page + "\n")
