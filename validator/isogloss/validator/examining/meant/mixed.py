"""Find that a stream holds the chunks of several answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from isogloss.validator.examining.examined import RuleHit
from isogloss.validator.examining.meant.cause import MOST_CAUSES, Cause
from isogloss.validator.exchange import Exchange, Stream
from isogloss.validator.streams.trace import Trace

__all__ = ["mixed_answers"]

_ID_CHANGED = "stream-id-changed"


def mixed_answers(hits: Sequence[RuleHit], exchange: Exchange) -> Iterator[Cause]:
    """Yield the cause of hits in a stream if it holds a few answers, each of them whole and with an id of its own."""
    changes = [one for one in hits if one.rule == _ID_CHANGED]
    stream = exchange.response
    if not changes or not isinstance(stream, Stream):
        return
    ids = [value.get("id") if isinstance(value, dict) else None for value in stream.values]
    known_ids = dict.fromkeys(one for one in ids if isinstance(one, str) and one)
    if not 1 < len(known_ids) <= MOST_CAUSES:
        return
    answers = []
    for known_id in known_ids:
        values = [value for value, id_ in zip(stream.values, ids, strict=True) if not id_ or id_ == known_id]
        answers.append(replace(stream, values=values, framing=None, lines=None, unsound=frozenset(), cut=frozenset()))
    if all(map(_is_whole, answers)):
        meant = [replace(exchange, response=answer) for answer in answers]
        sentence = f"The chunks of {len(answers)} answers stand in one stream"
        yield Cause(changes, meant, sentence, must_conform=True)


def _is_whole(answer: Stream) -> bool:
    """Return whether an answer has choices, and each of them begins and ends."""
    choices = Trace(answer).choices.values()
    return bool(choices) and all(choice.roles and choice.finishes for choice in choices)
