"""Find the chunks of a stream that have a wrong index, or none, and put them into the choice to which they belong."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import count, pairwise
from operator import attrgetter

from msgspec import Struct

from isogloss.validator.pointer import ABSENT
from isogloss.validator.streams.choice_trace import ChoiceTrace, Delta
from isogloss.validator.streams.tool_call_trace import Mark

__all__ = ["Sorted", "sort_by_index"]


class Sorted(Struct, frozen=True):
    """The choices of a stream by their index, and the deltas whose choice is not known.

    ``change`` marks the first chunk with a wrong index. ``strays`` are the deltas that belong to one of the choices,
    and do not say to which.
    """

    choices: dict[int, ChoiceTrace]
    change: Mark | None = None
    strays: Sequence[Delta] = ()


def sort_by_index(choices: dict[int, ChoiceTrace], without_index: Sequence[Delta]) -> Sorted:
    """Sort the deltas of a stream into its choices.

    ``without_index`` are the deltas that have no index; ``choices`` has them under their position in the chunk. If that
    cannot be right, because there are several choices, they are strays.

    The choices may be one choice whose index changes. Otherwise, an index that only one chunk has is wrong if the chunk
    has neither a role nor an end, or has the one that another choice lacks. The index of a role or an end is also wrong
    if its choice has one already, and another choice lacks one.
    """
    joined = _join_one_choice(choices) if len(choices) > 1 else None
    if joined is not None:
        return joined
    strays: list[Delta] = []
    if without_index:
        choices, strays = _set_apart(choices, without_index)
    wrong = list(_find_lone(choices).values()) or _find_misplaced(choices)
    if wrong:
        choices = _without(choices, wrong)
        strays = sorted([*strays, *wrong], key=attrgetter("event"))
    change = min(map(_mark, wrong), key=attrgetter("event"), default=None)
    if strays:
        choices, strays = _place(choices, strays)
    return Sorted(choices, change, strays)


def _mark(delta: Delta) -> Mark:
    return Mark(delta.event, (*delta.at, "index"), delta.choice.get("index", ABSENT))


def _trace(index: int, deltas: Iterable[Delta]) -> ChoiceTrace:
    trace = ChoiceTrace(index)
    for delta in deltas:
        trace.add(delta)
    return trace


# several choices


def _without(choices: dict[int, ChoiceTrace], taken: Iterable[Delta]) -> dict[int, ChoiceTrace]:
    """Return the choices without some of their deltas, and without choices that have no others."""
    numbers = set(map(id, taken))
    kept = [(index, [one for one in choice.all_deltas if id(one) not in numbers]) for index, choice in choices.items()]
    return {index: _trace(index, deltas) for index, deltas in kept if deltas}


def _set_apart(
    choices: dict[int, ChoiceTrace], without_index: Sequence[Delta]
) -> tuple[dict[int, ChoiceTrace], list[Delta]]:
    """Take the deltas without an index out of the choices, if there are several, and return both.

    Beside one choice, they stay in it; or they are another one, if both have a role and an end.
    """
    indexed = _without(choices, without_index)
    if len(indexed) > 1:
        return indexed, list(without_index)
    if not indexed:
        return choices, []
    other = _trace(next(index for index in count() if index not in indexed), without_index)
    both = (other, *indexed.values())
    if _roles_tell(both) and all(choice.roles and choice.finishes for choice in both):
        return {**indexed, other.index: other}, []
    return choices, []


def _roles_tell(choices: Iterable[ChoiceTrace]) -> bool:
    """Return whether a role tells where a choice begins: it is not on every delta."""
    return any(len(choice.roles) < len(choice.deltas) for choice in choices)


def _find_lone(choices: dict[int, ChoiceTrace]) -> dict[int, Delta]:
    """Return the only delta of each choice that is none: a chunk of another choice under an index of its own.

    There are none in a stream that breaks off: all other choices have an end, unless the chunk brings one.
    """
    lone = {index: choice for index, choice in choices.items() if len(choice.all_deltas) == 1}
    others = [choice for index, choice in choices.items() if index not in lone]
    roles_tell = _roles_tell(others)
    if len(others) < (2 if roles_tell else 1):
        return {}
    lacks_role = any(not choice.roles for choice in others)
    lacks_end = any(not choice.finishes for choice in others)
    last = max(choice.deltas[-1].event for choice in others)
    return {
        index: choice.deltas[0]
        for index, choice in lone.items()
        if bool(choice.finishes) == lacks_end
        and (lacks_end or choice.deltas[0].event < last)
        and (not (choice.roles and roles_tell) or (lacks_role and not choice.finishes))
    }


def _find_misplaced(choices: dict[int, ChoiceTrace]) -> list[Delta]:
    """Return the ends that choices have once more while others lack one; if there are none, such roles.

    There are no more of them than of choices that lack one.
    """
    lacking_end = sum(not choice.finishes for choice in choices.values())
    ends = [end for choice in choices.values() for end in _further_ends(choice)] if lacking_end else []
    if 0 < len(ends) <= lacking_end:
        return ends
    begins = [choice.deltas[0].event for choice in choices.values() if not choice.roles]
    last_begin = max(begins, default=-1)
    roles = [one for choice in choices.values() for one in _further_roles(choice, last_begin)] if begins else []
    return roles if len(roles) <= len(begins) else []


def _further_ends(choice: ChoiceTrace) -> list[Delta]:
    """Return the ends of a choice except its own, which is the first one behind its answer."""
    if len(choice.finishing) < 2:
        return []
    last = max((delta.event for delta in choice.deltas if delta.answer_property is not None), default=-1)
    own = next((end for end in choice.finishing if end.event >= last), None)
    return [end for end in choice.finishing if end is not own and end.answer_property is None]


def _further_roles(choice: ChoiceTrace, before: int) -> list[Delta]:
    """Return the last of the roles of a choice that come before an event, all but one of all its roles."""
    roles = [delta for delta in choice.all_deltas if delta.delta.get("role")]
    return [delta for delta in roles if delta.event < before][1 - len(roles) :] if len(roles) > 1 else []


def _place(choices: dict[int, ChoiceTrace], strays: Sequence[Delta]) -> tuple[dict[int, ChoiceTrace], list[Delta]]:
    """Add each stray to the only choice, or to the only one that lacks the role or the end that it brings.

    Return the choices, and the other strays.
    """
    lacking_role = [index for index, choice in choices.items() if not choice.roles]
    lacking_end = [index for index, choice in choices.items() if not choice.finishes]
    placed: dict[int, list[Delta]] = {}
    unplaced = []
    for delta in strays:
        has_role, has_end = bool(delta.delta.get("role")), bool(delta.choice.get("finish_reason"))
        owners = lacking_role if has_role and not has_end else lacking_end if has_end and not has_role else []
        if len(choices) == 1:
            owners = list(choices)
        if len(owners) == 1:
            placed.setdefault(owners.pop(), []).append(delta)  # from now on, it does not lack that any more
        else:
            unplaced.append(delta)
    completed = {
        index: _trace(index, sorted([*choices[index].all_deltas, *deltas], key=attrgetter("event")))
        for index, deltas in placed.items()
    }
    return choices | completed, unplaced


# one choice


def _join_one_choice(choices: dict[int, ChoiceTrace]) -> Sorted | None:
    """Join the choices if they are one choice whose index changes, and mark the first change.

    They are one choice if no chunk has two of them, they have at most one end, and only the first one has a role. No
    answer may begin behind that end: it is another one, whose role and end a gateway dropped. They must follow each
    other without mixing; or the others are few chunks, with neither a role nor an end. Roles may also be elsewhere if
    only the end has another index. If each chunk has its own index, there may be several roles and ends: then nobody
    can tell how many choices there are.
    """
    traces = list(choices.values())
    deltas = [delta for trace in traces for delta in trace.deltas]
    has_one_end = sum(len(trace.finishes) for trace in traces) < 2 and not _goes_on_behind_end(traces)
    if not (_counts_up(traces) or (has_one_end and (_has_one_role(traces) or _ends_under_other_index(traces)))):
        return None
    if _are_mixed(deltas):
        if not _are_strays(traces):
            return None
        deltas.sort(key=attrgetter("event"))
        if _are_mixed(deltas):  # two of them are in one chunk
            return None
    first = traces[0]
    return Sorted({first.index: _trace(first.index, deltas)}, _mark(traces[1].deltas[0]))


def _has_one_role(traces: list[ChoiceTrace]) -> bool:
    return [bool(trace.roles) for trace in traces] == [True] + [False] * (len(traces) - 1)


def _goes_on_behind_end(traces: list[ChoiceTrace]) -> bool:
    """Return whether all that is answered under other indexes comes behind the end of the first choice."""
    ends = [end.event for end in traces[0].finishing]
    answers = [delta.event for trace in traces[1:] for delta in trace.deltas if delta.answer_property is not None]
    return bool(ends and answers) and min(answers) > min(ends)


def _are_mixed(deltas: list[Delta]) -> bool:
    return any(one.event >= other.event for one, other in pairwise(deltas))


def _are_strays(traces: list[ChoiceTrace]) -> bool:
    """Return whether all choices but the first may be chunks of it: it has the only end, and they are few.

    They are at most half as many. A gateway may drop the role and the end of a second choice that is as long.
    """
    strays = sum(len(trace.deltas) for trace in traces[1:])
    return bool(traces[0].finishes) and 2 * strays <= len(traces[0].deltas)


def _ends_under_other_index(traces: list[ChoiceTrace]) -> bool:
    """Return whether the second of two choices is only an end: the end of the first, under another index."""
    last = traces[-1].deltas
    return len(traces) == 2 and bool(traces[-1].finishes) and len(last) == 1 and last[0].answer_property is None


def _counts_up(traces: list[ChoiceTrace]) -> bool:
    """Return whether each chunk has its own index, one higher than the one before, and the last is an end.

    There must be at least three chunks, and most of them, or half, must not be ends: they are no choices of one chunk.
    """
    return (
        len(traces) > 2
        and bool(traces[-1].finishes)
        and 2 * sum(len(trace.finishes) for trace in traces) <= len(traces)
        and all(len(trace.deltas) == 1 for trace in traces)
        and all(other.index - one.index == 1 for one, other in pairwise(traces))
    )
