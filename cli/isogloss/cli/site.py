"""Where the documentation is published: the one place that names its address."""

from __future__ import annotations

__all__ = ["ADDRESS", "rule_page"]

ADDRESS = ""
"""The address of the site, with a slash at the end; empty as long as there is none."""


def rule_page(name: str) -> str | None:
    """The address of a rule's page, which stays the same as long as the rule has its name; none without a site."""
    return f"{ADDRESS}rules/{name}/" if ADDRESS else None
