"""Define the address of the published documentation. No other module names it."""

from __future__ import annotations

__all__ = ["ADDRESS", "rule_address"]

ADDRESS = ""
"""The address of the site, with a slash at the end. It is empty as long as there is no site."""


def rule_address(name: str) -> str | None:
    """Return the address of a rule's page, or ``None`` if there is no site.

    The address stays the same as long as the rule has its name.
    """
    return f"{ADDRESS}rules/{name}/" if ADDRESS else None
