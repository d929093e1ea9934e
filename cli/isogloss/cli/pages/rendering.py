"""Render a template to one self-contained HTML file, with numbers below its title that sum it up.

The content security policy of the page allows only its own style and its own script, by their hashes, and nothing from
a network. The script only filters: without it, everything can be read.
"""

from __future__ import annotations

import base64
import hashlib
import html
import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from isogloss.cli.pages.origin import origin
from isogloss.validator.findings import Severity
from isogloss.validator.quoting import printable

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

__all__ = ["NO_TRAFFIC", "Figure", "render_page", "severity_figures"]

NO_TRAFFIC = "No Chat Completions traffic was found that could be checked."
"""The sentence on a page of a run that found nothing to check."""

_BACKTICKS = re.compile("`([^`]+)`")


class Figure(NamedTuple):
    """A number, what it counts, and the class that colours it."""

    number: int
    label: str
    level: str = ""


def severity_figures(counts: Mapping[Severity, int]) -> list[Figure]:
    """Return how many findings there are of each severity, the most severe first."""
    return [
        Figure(counts.get(severity, 0), severity.label + ("" if counts.get(severity) == 1 else "s"), severity.label)
        for severity in sorted(Severity, reverse=True)
    ]


def render_page(
    template: str,
    *,
    figures: Sequence[Figure] = (),
    nothing: str = "",
    skipped: Sequence[str] = (),
    **values: object,
) -> str:
    """Render a template with values. Whatever a value holds is shown as text.

    ``nothing`` is the sentence in place of what the page would show, and ``skipped`` says what was not checked.
    """
    from markupsafe import Markup

    environment = _environment()

    def load_part(name: str) -> Any:
        return Markup(environment.get_template(name).render())  # it holds no value of a capture

    style, script = load_part("page.css"), load_part("page.js")
    policy = (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    page = environment.get_template(template).render(
        style=style,
        script=script,
        policy=policy,
        origin=origin(),
        figures=figures,
        nothing=nothing,
        skipped=skipped,
        **values,
    )
    return page + "\n"


@cache
def _environment() -> Environment:
    """Return the templates. Each of them is compiled once. A name that a page is not given is an error."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("isogloss.cli", "templates"),
        undefined=StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"content": _element_content, "printable": printable, "ticked": _code_in_ticks}
    return environment


def _element_content(text: str) -> Markup:
    """Escape text for the content of an element, but not its quotes: excerpts have many of them."""
    from markupsafe import Markup

    return Markup(html.escape(text, quote=False))  # it is escaped


def _code_in_ticks(text: str) -> Markup:
    """Escape text, and turn what is between backticks into code."""
    from markupsafe import Markup

    return Markup(_BACKTICKS.sub(r"<code>\1</code>", html.escape(text, quote=False)))  # it is escaped


def _hash(text: str) -> str:
    """Return the hash by which a content security policy names a part of the page."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
