"""What to do next, as the last line of a report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from isogloss.cli.summary import Group
from isogloss.validator.findings import Severity
from isogloss.validator.quoting import count_of

__all__ = ["advice", "known_of"]

_MOST_NAMED = 3


def advice(groups: Sequence[Group]) -> str:
    """How to read on, and which dialect would explain the findings; empty where there are none."""
    if not groups:
        return ""
    told = f"next: isogloss explain {groups[0].first.rule}"
    spoken: Counter[str] = Counter()
    for group in groups:
        if group.context is not None and group.context.speaks in (group.context.dialects or ()):
            spoken[group.context.speaks] += 1
    if not spoken:
        return told
    slug, count = spoken.most_common(1)[0]
    whole = f"{count} of these {len(groups)}" if len(groups) > 1 else "this"
    return f"{told}; --dialect {slug} would explain {whole}"


def known_of(group: Group) -> str:
    """The dialects that a finding is known of; empty where findings are explained, and for notes of none."""
    context = group.context
    if context is None or context.dialects is None:
        return ""
    if not context.dialects:
        return "known of no dialect" if group.first.severity > Severity.NOTE else ""
    if context.speaks in context.dialects:
        others = len(context.dialects) - 1
        beside = f"; also of {count_of(others, 'other dialect')}" if others else ""
        return f"known of {context.speaks}, which this answer speaks{beside}"
    names = context.dialects[:_MOST_NAMED]
    more = len(context.dialects) - len(names)
    return f"known of the dialect{'s' if len(context.dialects) > 1 else ''} {', '.join(names)}" + (
        f" and {more} more" if more else ""
    )
