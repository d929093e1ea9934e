"""Find regular expressions that may take exponential time: those in which a loop reads one text in several ways.

An expression is read as an automaton without empty moves, whose states are the places of the expression that read a
character. A loop reads a text in several ways if two different walks from a state lead back to it over the same text.
Two such walks exist if, among the pairs of states, one that holds a state twice and one that does not lie on one cycle
(Weideman, van der Merwe, Berglund, Watson: Analyzing Matching Time Behavior of Backtracking Regular Expression
Matchers, 2016). An atomic group is tried once, so it counts as one character of its own, and is examined apart.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from re import _constants, _parser  # type: ignore[attr-defined]  # nothing else shows what an expression consists of
from typing import Any, NamedTuple, TypeVar

__all__ = ["is_exponential"]

_ENDLESS = 16
"""A part that may occur so often takes as long as one that may occur without end."""
_OTHER = 256
"""Stands for all characters that are no bytes. No text of bytes has it."""
_ALL = (1 << (_OTHER + 1)) - 1

_Node = TypeVar("_Node")


class _Part(NamedTuple):
    """A part of an expression: whether it may be empty, and the states that may be first and last in it.

    Each state has a count of the ways that lead to it. A count of 2 means two or more.
    """

    may_be_empty: bool
    first: dict[int, int]
    last: dict[int, int]


_EMPTY = _Part(True, {}, {})


def is_exponential(expression: str | bytes, flags: int = 0) -> bool:
    """Return whether a loop of an expression reads one text in several ways."""
    parsed = _parser.parse(expression, flags)
    pending = [parsed]
    for part in pending:
        automaton = _Automaton(isinstance(expression, bytes), parsed.state.flags)
        automaton.sequence(part)
        if automaton.has_ambiguous_loop():
            return True
        pending += automaton.apart
    return False


class _Automaton:
    """The states of an expression, each with the set of characters that it reads and the states that may follow it.

    A set of characters is a number with a bit for each of them. ``apart`` holds the parts that are examined apart:
    atomic groups, and what is looked for ahead and behind.
    """

    def __init__(self, is_bytes: bool, flags: int) -> None:
        self.apart: list[Any] = []
        self._is_bytes = is_bytes
        self._flags = flags
        self._read: list[int] = []
        self._next: list[dict[int, int]] = []

    def has_ambiguous_loop(self) -> bool:
        for loop in _cycles(range(len(self._next)), lambda state: self._next[state]):
            states = set(loop)
            if any(self._next[one].get(other, 0) > 1 for one in loop for other in states):
                return True
            pairs = [(one, other) for one in loop for other in loop if self._read[one] & self._read[other]]
            for cycle in _cycles(pairs, partial(self._next_pairs, states)):
                if any(one == other for one, other in cycle) and any(one != other for one, other in cycle):
                    return True
        return False

    def _next_pairs(self, states: set[int], pair: tuple[int, int]) -> Iterator[tuple[int, int]]:
        for one in states & self._next[pair[0]].keys():
            for other in states & self._next[pair[1]].keys():
                if self._read[one] & self._read[other]:
                    yield one, other

    def sequence(self, items: Iterable[tuple[Any, Any]]) -> _Part:
        whole = _EMPTY
        for operator, operand in items:
            whole = self._joined(whole, self._part(operator.name, operand))
        return whole

    def _joined(self, one: _Part, other: _Part) -> _Part:
        self._link(one.last, other.first)
        first = _sum(one.first, other.first) if one.may_be_empty else one.first
        last = _sum(one.last, other.last) if other.may_be_empty else other.last
        return _Part(one.may_be_empty and other.may_be_empty, first, last)

    def _link(self, last: dict[int, int], first: dict[int, int]) -> None:
        for state, ways in last.items():
            self._next[state] = _sum(self._next[state], {one: ways * more for one, more in first.items()})

    def _state(self, characters: int) -> _Part:
        self._read.append(characters)
        self._next.append({})
        state = {len(self._read) - 1: 1}
        return _Part(False, state, state)

    def _part(self, name: str, operand: Any) -> _Part:
        match name:
            case "AT" | "GROUPREF" | "GROUPREF_EXISTS":
                return _EMPTY
            case "ASSERT" | "ASSERT_NOT":
                self.apart.append(operand[1])
                return _EMPTY
            case "SUBPATTERN":
                return self.sequence(operand[3])
            case "BRANCH":
                branches = [self.sequence(branch) for branch in operand[1]]
                first, last = _sum(*(one.first for one in branches)), _sum(*(one.last for one in branches))
                return _Part(any(one.may_be_empty for one in branches), first, last)
            case "MAX_REPEAT" | "MIN_REPEAT":
                return self._repeated(*operand)
            case "ATOMIC_GROUP" | "POSSESSIVE_REPEAT":
                inner, is_optional = (operand, False) if name == "ATOMIC_GROUP" else (operand[2], not operand[0])
                self.apart.append(inner)
                state = self._state(1 << (_OTHER + 1 + len(self._read)))  # a character that no other state reads
                return state._replace(may_be_empty=is_optional or not inner.getwidth()[0])
            case _:
                return self._state(self._characters(name, operand))

    def _repeated(self, least: int, most: Any, inner: Any) -> _Part:
        if most is _constants.MAXREPEAT or most >= _ENDLESS:
            part = self.sequence(inner)
            self._link(part.last, part.first)
            return part if least else part._replace(may_be_empty=True)
        whole = _EMPTY
        for number in range(min(most, least + 2)):
            part = self.sequence(inner)
            whole = self._joined(whole, part if number < least else part._replace(may_be_empty=True))
        return whole

    def _characters(self, name: str, operand: Any) -> int:
        match name:
            case "LITERAL":
                characters = 1 << min(operand, _OTHER)
            case "NOT_LITERAL":
                characters = _ALL & ~(1 << operand)
            case "ANY":
                characters = _ALL if self._flags & re.DOTALL else _ALL & ~(1 << ord("\n"))
            case "RANGE":
                characters = sum(1 << one for one in range(operand[0], min(operand[1], _OTHER) + 1))
            case "CATEGORY":
                characters = self._category(operand.name)
            case "IN":
                is_negated = operand[0][0].name == "NEGATE"
                characters = 0
                for operator, inner in operand[is_negated:]:
                    characters |= self._characters(operator.name, inner)
                characters = _ALL & ~characters | 1 << _OTHER if is_negated else characters
            case _:
                raise NotImplementedError(name)
        if self._flags & re.IGNORECASE:
            for upper in range(ord("A"), ord("Z") + 1):
                both = 1 << upper | 1 << (upper + 32)
                characters |= both if characters & both else 0
        return characters

    def _category(self, name: str) -> int:
        escape = {"DIGIT": r"\d", "SPACE": r"\s", "WORD": r"\w"}[name.rpartition("_")[2]]
        texts = [bytes([one]).decode("latin-1") for one in range(_OTHER)]
        flags = re.ASCII if self._is_bytes else 0
        characters = sum(1 << number for number, one in enumerate(texts) if re.match(escape, one, flags))
        characters |= 1 << _OTHER if escape == r"\w" else 0  # most of the others are letters
        return _ALL & ~characters if "_NOT_" in name else characters


def _sum(*counts: dict[int, int]) -> dict[int, int]:
    """Add the counts of each state. A count of 2 means two or more ways."""
    total: dict[int, int] = {}
    for one in counts:
        for state, ways in one.items():
            total[state] = min(2, total.get(state, 0) + ways)
    return total


def _cycles(nodes: Iterable[_Node], following: Callable[[_Node], Iterable[_Node]]) -> Iterator[list[_Node]]:
    """Yield the strongly connected parts of a graph that have a cycle (Tarjan's algorithm, without recursion)."""
    numbers: dict[_Node, int] = {}
    lowest: dict[_Node, int] = {}
    stack: list[_Node] = []
    on_stack: set[_Node] = set()
    for root in nodes:
        if root in numbers:
            continue
        numbers[root] = lowest[root] = len(numbers)
        stack.append(root)
        on_stack.add(root)
        path = [(root, iter(following(root)))]
        while path:
            node, pending = path[-1]
            other = next(pending, None)
            if other is None:
                path.pop()
                if path:
                    lowest[path[-1][0]] = min(lowest[path[-1][0]], lowest[node])
                if lowest[node] == numbers[node]:
                    position = stack.index(node)
                    component, stack[position:] = stack[position:], []
                    on_stack.difference_update(component)
                    if len(component) > 1 or node in following(node):
                        yield component
            elif other not in numbers:
                numbers[other] = lowest[other] = len(numbers)
                stack.append(other)
                on_stack.add(other)
                path.append((other, iter(following(other))))
            elif other in on_stack:
                lowest[node] = min(lowest[node], numbers[other])
