"""Write text so that Markdown shows it as it is."""

from __future__ import annotations

import re

__all__ = ["escaped"]

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>()#+!|~&@:])")


def escaped(text: str) -> str:
    """Escape a text so that Markdown shows it as it is, also in a table cell."""
    return _SPECIAL.sub(r"\\\1", text).replace("\\<", "&lt;").replace("\\>", "&gt;")
