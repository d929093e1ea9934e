"""Compare answers to the same request on two sides, for the rules of the group ``twins``."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from math import comb
from typing import Literal, NamedTuple

from isogloss.validator.exchange import Exchange
from isogloss.validator.findings import Severity
from isogloss.validator.pointer import Pointer
from isogloss.validator.views import Call, Choice, Completion, Request

__all__ = ["AnswerFault", "Relation", "TwinAnswer", "Twins", "calls_of"]

Relation = Literal["stream", "capture", "repeat"]
"""How the two sides differ: only one is streamed, they are from two captures, or they differ only in time."""

_SIDE_NAMES = {
    "stream": ("not streamed", "streamed"),
    "capture": ("in the first", "in the second"),
    "repeat": ("in one answer", "in another"),
}
_ONE_SIDE_NAMES = _SIDE_NAMES | {"stream": ("when not streamed", "when streamed")}
_UNLIKELY = 0.05
"""A difference that a model could have caused is not taken for chance if its probability is below this number."""


class AnswerFault(NamedTuple):
    """A result of a rule about a completion in an answer."""

    severity: Severity
    pointer: Pointer


class TwinAnswer(NamedTuple):
    """One answer to a request.

    ``completion`` is what was sent or what the stream folds into; ``None`` if there is none, or if the capture does
    not hold all of it. ``refused`` says whether the server answered with an error; ``None`` if it would refuse any
    request, because it is busy or because of the key, the account, the model or the endpoint. ``faults`` are the
    results of rules about completions, by the name of the rule.
    """

    exchange: Exchange
    completion: Completion | None
    streamed: bool
    refused: bool | None
    faults: Mapping[str, AnswerFault]

    @property
    def choices(self) -> Sequence[Choice]:
        """The choices of the completion; none if there is no completion."""
        return self.completion.choices if self.completion is not None else ()


class Twins(NamedTuple):
    """The answers to one request on two sides. Neither side is empty.

    The pointer of a hit is relative to the completion of the first answer on each side. If the value has another
    pointer on the left side, ``other_pointers`` of the hit has that pointer.
    """

    request: Request | None
    left: Sequence[TwinAnswer]
    right: Sequence[TwinAnswer]
    distinction: Relation

    def disjoint_values(self, value_of: Callable[[TwinAnswer], Hashable | None]) -> tuple[Hashable, Hashable] | None:
        """Return the values of the first answers, left and right, if no value occurs on both sides, else ``None``.

        Answers with the value ``None`` are ignored. If the first answer of a side has this value, the sides agree.
        """
        sides = [[value_of(answer) for answer in side] for side in (self.left, self.right)]
        left, right = ({value for value in side if value is not None} for side in sides)
        if sides[0][0] is None or sides[1][0] is None or left & right:
            return None
        return sides[0][0], sides[1][0]

    @property
    def have_choices(self) -> bool:
        """Whether all answers have choices."""
        return all(answer.choices for answer in (*self.left, *self.right))

    def one_sided(self, names_of: Callable[[TwinAnswer], set[str]]) -> tuple[set[str], set[str]]:
        """Return what all answers of the left side have and none of the right side, and the other way round."""
        left, right = ([names_of(answer) for answer in side] for side in (self.left, self.right))
        return set.intersection(*left).difference(*right), set.intersection(*right).difference(*left)

    def join_sides(self, left: str, right: str) -> str:
        """Join the texts about the two sides, each with the name of its side.

        The right side comes first, which is what changed. Of repeats, the left side comes first: the first answer.
        """
        left_name, right_name = _SIDE_NAMES[self.distinction]
        texts = f"{left} {left_name}", f"{right} {right_name}"
        return ", ".join(texts if self.distinction == "repeat" else reversed(texts))

    def on_one_side(self, what: str, *, left: bool) -> str:
        """Return a text which says that ``what`` occurs on one side only."""
        return f"{what} only {_ONE_SIDE_NAMES[self.distinction][0 if left else 1]}"

    def severity_if_sampled(self, *, cold: bool = True) -> Severity | None:
        """Return the severity of a difference that may come from the model, or ``None`` for repeats.

        It is a warning if the difference is unlikely to be chance. With ``cold``, it is also a warning if the request
        asks for temperature 0. Otherwise it is a note. Repeats may differ as the model likes.
        """
        if self.distinction == "repeat":
            return None
        chance = 2 / comb(len(self.left) + len(self.right), len(self.left))
        cold = cold and self.request is not None and self.request.value.get("temperature") == 0
        return Severity.WARNING if cold or chance < _UNLIKELY else Severity.NOTE


def calls_of(answer: TwinAnswer) -> list[Call]:
    """Return all calls of an answer, in order."""
    return [call for choice in answer.choices for call in choice.called]
