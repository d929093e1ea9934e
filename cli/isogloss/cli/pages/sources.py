"""Write the sources of a rule in Markdown."""

from __future__ import annotations

import re

from isogloss.validator.rules import Rule

__all__ = ["sources_of"]

_THREAD = r"(?<![\w/.@-])([\w.-]+/[\w.-]+)#(\d+)\b"
"""An issue or a pull request on GitHub, which redirects the address of an issue to that of a pull request."""


def sources_of(rule: Rule) -> list[str]:
    """Return each source of a rule with its date, in Markdown, with a link where it is a thread on GitHub."""
    link = r"[\1#\2](https://github.com/\1/issues/\2)"
    return [f"{re.sub(_THREAD, link, source.where)} ({source.date})" for source in rule.sources]
