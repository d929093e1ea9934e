"""Leave out hits about what an answer lacks, if it may have been in a part of the answer that nobody can read.

Such a part is a *gap*: an event that is no JSON, a chunk without choices, a choice without a delta or a message, a
delta that does not say to which choice it belongs, or a call that does not say which call it is. What makes the gap
has a hit of its own. Each rule names what is missing where it finds something (``lacks``), what the event of a hit may
have held besides (``hides``), or that a value is missing there (``hides_value``), and its module may find other gaps
(``gaps``). This module says what may have been in the place of a value, and decides where a gap has to be to have held
what is missing: in a completion in the same choice, in a stream at a time when it could have come.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from functools import lru_cache

from isogloss.validator.examining.examined import RuleHit, is_rest
from isogloss.validator.exchange import Exchange, Stream
from isogloss.validator.pointer import Pointer, read
from isogloss.validator.rules import ANYTHING, Lack, gaps_of, rule
from isogloss.validator.rules.gaps import OF_CALL, OF_DELTA, OF_TEXT, Gap, strays
from isogloss.validator.streams.fold import Folded
from isogloss.validator.streams.trace import Trace
from isogloss.validator.views import Json

__all__ = ["without_lacks_of_completion", "without_lacks_of_stream"]


_ALL: frozenset[Lack] = frozenset(ANYTHING)
_CHOICES = _ALL - {"usage", "done"}
_TOKENS: frozenset[Lack] = frozenset({"tokens"})
_CHOICE: frozenset[Lack] = frozenset({"choice"})
_USAGE: frozenset[Lack] = frozenset({"usage"})
_FINISH: frozenset[Lack] = frozenset({"finish"})


@lru_cache(4096)
def _may_lack(broken: frozenset[str]) -> bool:
    """Return whether one of these rules is about something missing."""
    return any(rule(name).lacks for name in broken)


def without_lacks_of_completion(hits: list[RuleHit], broken: frozenset[str]) -> list[RuleHit]:
    """Return the hits about a completion without those that lack what a gap may have held.

    ``broken`` holds the names of their rules.
    """
    if not _may_lack(broken):
        return hits
    held_by_choice: dict[Pointer, frozenset[Lack]] = {}
    for rule_hit in hits:
        if rule_hit.part == "response" and rule(rule_hit.rule).hides_value and (held := _held_in_message(rule_hit)):
            choice = rule_hit.hit.pointer[:2]
            held_by_choice[choice] = held_by_choice.get(choice, frozenset()) | held
    if not held_by_choice:
        return hits
    held_anywhere = frozenset().union(*held_by_choice.values())
    return [
        rule_hit
        for rule_hit in hits
        if rule(rule_hit.rule).lacks
        not in (held_anywhere if _may_be_anywhere(rule_hit) else held_by_choice.get(rule_hit.hit.pointer[:2], ()))
    ]


def _held_in_message(rule_hit: RuleHit) -> frozenset[Lack]:
    """Return what a completion may have held at the pointer of a hit, where a value is missing or wrong."""
    match rule_hit.hit.pointer:
        case ("choices", _):
            return _ALL
        case ("choices", _, "message"):
            return OF_DELTA
        case ("choices", _, "message", "tool_calls") if rule_hit.rule == "wrong-type":
            return OF_CALL
        case ("choices", _, "message", "tool_calls", _) | ("choices", _, "message", "function_call", _):
            return OF_CALL
    return _TOKENS if _is_of_token(rule_hit.hit.pointer) else frozenset()


def _is_of_token(pointer: Pointer) -> bool:
    """Return whether a pointer leads to the log probabilities of a choice, to one of their tokens, or to its text."""
    return pointer[2:3] == ("logprobs",) and pointer[5:] in ((), ("token",))


def _may_be_anywhere(rule_hit: RuleHit) -> bool:
    """Return whether what a hit misses may have been in any choice, or may be one, and not only in its own choice."""
    pointer = rule_hit.hit.pointer
    return len(pointer) < 2 or pointer[0] != "choices" or rule(rule_hit.rule).lacks == "choice"


def without_lacks_of_stream(
    hits: list[RuleHit],
    broken: frozenset[str],
    trace: Trace,
    folded: Folded | None,
    exchange: Exchange,
    *,
    is_dumped: bool,
) -> list[RuleHit]:
    """Return the hits about a stream without those that lack what a gap may have held.

    ``broken`` holds the names of their rules. If it ``is_dumped``, events that are no JSON or cut off are gaps without
    a hit. So is what a copy leaves out.

    If it has fewer choices than were asked for, two of them may stand under one index: then what is there once more
    follows from that, and so does what is not as it should be in their texts and calls.
    """
    if not _may_lack(broken) and not any(rule_hit.lacks_arguments for rule_hit in hits):
        return hits
    gaps = [*_gaps(hits, trace), *_elided(exchange, trace.stream)]
    if is_dumped:
        gaps += [Gap(event, _ALL) for event in (*trace.faulty, *trace.stream.cut)]
    is_number_unknown = trace.index_change is not None and len(trace.choices) == 1  # of its choices
    shared = [one for one in trace.choices.values() if one.finishes and (is_number_unknown or one.holds_several)]
    if shared and any(rule_hit.rule == "choice-count-mismatch" for rule_hit in hits):
        hits = [rule_hit for rule_hit in hits if not rule(rule_hit.rule).repeats]
        gaps += [Gap(choice.finishes[-1].event, OF_CALL | OF_TEXT) for choice in shared]
    if not gaps:
        return hits
    events = {lack: sorted(gap.event for gap in gaps if lack in gap.held) for lack in _ALL}
    end = max((mark.event for choice in trace.choices.values() for mark in choice.finishes), default=None)
    last_choice = max((choice.deltas[-1].event for choice in trace.choices.values()), default=-1)

    def is_explained(rule_hit: RuleHit) -> bool:
        lack: Lack | None = "call" if rule_hit.lacks_arguments else rule(rule_hit.rule).lacks
        if lack is None:
            return False
        event = rule_hit.hit.event if rule_hit.hit.event is not None else -1
        match lack:
            case "beginning":
                return _any(events[lack], last=event - 0.5)
            case "finish" | "done":
                return _any(events[lack], first=event)
            case "usage":
                return _any(events[lack], first=last_choice)
            case "choice":
                return _any(events[lack])
        is_in_call = rule_hit.hit.pointer[3:4] == ("tool_calls",) and len(rule_hit.hit.pointer) > 4
        begin = folded.event(rule_hit.hit.pointer) if folded is not None and is_in_call else None
        return _any(events[lack], first=-1 if begin is None else begin, last=end)

    return [rule_hit for rule_hit in hits if not is_explained(rule_hit)]


def _any(events: list[float], *, first: float = -1, last: float | None = None) -> bool:
    """Return whether one of some sorted events is from the first to the last."""
    start = bisect_left(events, first)
    return start < len(events) and (last is None or events[start] <= last)


def _gaps(hits: list[RuleHit], trace: Trace) -> Iterator[Gap]:
    """Yield the gaps that hits are about."""
    for rule_hit in hits:
        hit_rule = rule(rule_hit.rule)
        if rule_hit.hit.event is None or not (hit_rule.hides or hit_rule.hides_value):
            continue
        for event in rule_hit.events or (rule_hit.hit.event,):
            if hit_rule.hides:
                yield Gap(event, frozenset(hit_rule.hides))
            elif not is_rest(rule_hit.hit.message) and (
                held := _held_at(rule_hit.rule, rule_hit.hit.pointer, trace.stream.values[event])
            ):
                yield Gap(event, held)
    yield from _lost_finish(hits, trace)
    if trace.strays and any(map(_lacks_index, hits)):
        yield from strays(trace)
    for name in sorted({rule_hit.rule for rule_hit in hits}):
        yield from gaps_of(name)(trace)


def _lost_finish(hits: Iterable[RuleHit], trace: Trace) -> Iterator[Gap]:
    """Yield the one chunk whose choice has no ``finish_reason``. If many chunks lack it, it was never sent.

    Yield the chunks, too, in which another property with a value stands in its place.
    """
    lacking = [
        rule_hit
        for rule_hit in hits
        if rule_hit.rule == "missing-property" and rule_hit.hit.pointer[2:] == ("finish_reason",)
    ]
    if [len(one.events) for one in lacking] == [1]:
        yield Gap(lacking[0].events[0], _FINISH)
    for one in lacking:
        for pointer in one.hit.other_pointers:
            for event in one.events:
                if read(trace.stream.values[event], pointer):
                    yield Gap(event, _FINISH)


def _lacks_index(rule_hit: RuleHit) -> bool:
    """Return whether a hit is about a choice of a chunk without a usable index."""
    return rule_hit.part == "stream" and rule_hit.hit.pointer[2:] == ("index",) and rule(rule_hit.rule).hides_value


def _held_at(rule_name: str, at: Pointer, chunk: object) -> frozenset[Lack]:
    """Return what a chunk may have held at a pointer, where a value is missing or has the wrong type."""
    match at:
        case ():
            return _ALL
        case ("choices",) | ("choices", _):
            has_usage = isinstance(chunk, dict) and isinstance(chunk.get("usage"), dict)
            return frozenset() if has_usage else _CHOICES
        case ("choices", position, "delta"):
            choice = _choice_of(chunk, position)
            if choice.get("finish_reason"):
                return frozenset()
            return OF_DELTA if "finish_reason" in choice else OF_DELTA | _FINISH  # the delta ends a spoken answer
        case ("choices", _, "index"):
            return _CHOICE
        case ("choices", _, "delta", "content" | "refusal") if rule_name == "wrong-type":
            return OF_TEXT
        case ("choices", _, "delta", "tool_calls" | "function_call") if rule_name == "wrong-type":
            return OF_CALL
        case ("choices", _, "delta", "tool_calls", _, *rest) if rule_name == "wrong-type" and rest != ["type"]:
            return OF_CALL
        case (
            ("choices", _, "delta", "function_call" | "tool_calls", _)
            | ("choices", _, "delta", "tool_calls", _, "index" | "function")
            | ("choices", _, "delta", "tool_calls", _, "function", "arguments")
        ):
            return OF_CALL
        case ("usage",) if rule_name == "wrong-type":
            return _USAGE
        case ("usage", _) if isinstance(chunk, dict) and not chunk["usage"]:
            return _USAGE
    return _TOKENS if _is_of_token(at) else frozenset()


def _choice_of(chunk: object, position: object) -> Json:
    choices = chunk.get("choices") if isinstance(chunk, dict) else None
    choice = choices[position] if isinstance(choices, list) and isinstance(position, int) else None
    return choice if isinstance(choice, dict) else {}


def _elided(exchange: Exchange, stream: Stream) -> list[Gap]:
    """Return what a copy of a stream leaves out. One that leaves out a part may leave out ``[DONE]``, too."""
    from isogloss.validator.streams.elided import elided_events, elided_lines  # not before an exchange needs it

    gaps = [Gap(event, _ALL) for event in elided_events(exchange)]
    if stream.framing is not None:
        offsets = stream.framing.events.offsets
        gaps += [Gap(bisect_left(offsets, offset) - 0.5, _ALL) for offset in elided_lines(exchange)]
    if stream.is_part:
        gaps += [Gap(-0.5, _ALL), Gap(len(stream.values), _ALL)]
    elif gaps:
        gaps.append(Gap(len(stream.values), frozenset({"done"})))
    return gaps
