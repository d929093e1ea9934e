"""The options of ``isogloss probe`` that choose cases and say how strictly small models are judged."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import click

from isogloss.cli.configuration.option_groups import join
from isogloss.cli.probe.cases import CASES, GROUPS, Case
from isogloss.cli.probe.cases.meaning import STANDINGS, standings
from isogloss.validator.suggesting import unknown

__all__ = ["PROFILES", "case_options", "choose_cases", "list_cases"]


class Profile(NamedTuple):
    """The cases that are left out unless they are named, and the rules whose findings say nothing about the server."""

    costly: tuple[str, ...] = ()
    excused: tuple[str, ...] = ()


PROFILES = {
    "usual": Profile(),
    "small": Profile(
        costly=("context-overflow",),
        excused=("forced-call-missing", "tool-undeclared", "tool-not-allowed", "arguments-off-schema"),
    ),
}
"""The profiles by name. ``small`` is for small models: they break rules wherever nothing constrains them, and often run
on small machines.
"""


def choose_cases(
    wanted: Iterable[str], groups: Iterable[str], unwanted: Iterable[str], costly: Iterable[str] = ()
) -> list[Case]:
    """Return the cases that are named or are in a group, or all, less those not wanted. Raises ``click.UsageError``.

    ``costly`` cases are chosen only if they are named.
    """
    known = [case.name for case in CASES]
    named = _names(wanted, known, "case")
    chosen_groups = _names(groups, list(GROUPS), "group")
    left_out = _names(unwanted, known, "case") | (set(costly) - named)
    cases = [
        case
        for case in CASES
        if (not (named or chosen_groups) or case.name in named or chosen_groups.intersection(case.groups))
        and case.name not in left_out
    ]
    if not cases:
        raise click.UsageError("no case is left: all that are chosen are skipped")
    return cases


def _names(items: Iterable[str], known: list[str], kind: str) -> set[str]:
    names = {name.strip() for item in items for name in item.split(",") if name.strip()}
    for name in sorted(names.difference(known)):
        raise click.UsageError(unknown(kind, name, known, see="isogloss probe --list"))
    return names


def list_cases(cases: Sequence[Case], *, described: bool) -> Iterator[str]:
    """Yield the lines of a list of cases: one for each, or with ``described``, all that is known of each."""
    if not described:
        width = max(len(case.name) for case in cases)
        yield from (f"{case.name:{width}}  {case.group:11}  {case.what}" for case in cases)
        return
    yield from (f"{standing}: {meaning}" for standing, meaning in STANDINGS.items())
    for case in cases:
        yield f"\n{case.name}: {case.what}"
        yield f"  groups: {', '.join(case.groups)}\n  tests: {case.tests}"
        yield f"  why: {case.why}\n  see: {case.thread}"
        for standing, meaning in standings(case).items():
            if meaning != STANDINGS[standing]:
                yield f"  {standing}: {meaning}"


case_options = join(
    click.option(
        "--case",
        "wanted",
        multiple=True,
        metavar="NAMES",
        help="Send only these cases, comma-separated; --list names all.",
    ),
    click.option(
        "--group",
        "groups",
        multiple=True,
        metavar="NAMES",
        help=f"Send only the cases of these groups, and those of --case: {', '.join(GROUPS)}. May be repeated.",
    ),
    click.option("--skip", "unwanted", multiple=True, metavar="NAMES", help="Leave out these cases, comma-separated."),
    click.option(
        "--profile",
        type=click.Choice(tuple(PROFILES)),
        default="usual",
        show_default=True,
        help="With small, a model that calls no tool when it has to, or calls it wrongly, is not a deviation, "
        "and context-overflow is sent only if it is named.",
    ),
    click.option(
        "--list",
        "listing",
        flag_value="names",
        help="List the cases that would be sent, each with its group, and send nothing.",
    ),
    click.option(
        "--list-cases",
        "listing",
        flag_value="descriptions",
        help="Describe each of these cases: what it tests, why that matters, what its standings mean. Send nothing.",
    ),
)
"""Adds the options ``wanted``, ``groups``, ``unwanted``, ``profile`` and ``listing``."""
