"""Where the documentation is published: the one place that names its address."""

from __future__ import annotations

__all__ = ["ADDRESS", "rule_page"]

ADDRESS = ""
"""The address of the site, with a slash at the end; empty as long as there is none."""


def rule_page(name: str) -> str | None:
    """Return the address of a rule's page, or ``None`` if there is no site.

    The address stays the same as long as the rule has its name.
    """
    return f"{ADDRESS}rules/{name}/" if ADDRESS else None
