"""Find the rules that names of rules and groups stand for, and say what is wrong with a name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from isogloss.validator import rules, suggesting

__all__ = ["problem_of_group", "rules_named", "unknown_rule"]


def rules_named(names: Iterable[str], own: Sequence[str] = (), *, compared: bool = False) -> frozenset[str]:
    """Return the rules that some names of rules and groups stand for.

    ``own`` are the names of the user's own rules. The name ``expect`` stands for all of these. ``compared`` says that
    answers are compared: then only the rules of the group :data:`rules.COMPARED` have an effect, and otherwise only the
    others. Raises ``ValueError`` for a name that is unknown or has no effect.
    """
    found: set[str] = set()
    for name in names:
        if name in rules.GROUPS or name in rules.names():
            if problem := problem_of_group(name, compared=compared):
                raise ValueError(problem)
            found.update(rules.names(name) if name in rules.GROUPS else (name,))
        elif name == rules.EXPECTED and own:
            found.update(own)
        elif name in own:
            found.add(name)
        else:
            raise ValueError(unknown_rule(name, own=own))
    return frozenset(found)


def problem_of_group(name: str, *, compared: bool) -> str | None:
    """Describe why a rule or group has no effect, or return ``None`` if it has one."""
    group = name if name in rules.GROUPS else rules.group_of(name)
    if (group == rules.COMPARED) is compared:
        return None
    if compared:
        return f"{name!r}: isogloss compare checks only rules about twins"
    return f"{name!r}: only isogloss compare checks rules about twins"


def unknown_rule(name: str, groups: Sequence[str] = rules.GROUPS, own: Sequence[str] = ()) -> str:
    """Return the message for a name that is no rule and none of the groups."""
    known = (*groups, *rules.names(), *own)
    return suggesting.unknown("rule or group" if groups else "rule", name, known, see="isogloss rules")
