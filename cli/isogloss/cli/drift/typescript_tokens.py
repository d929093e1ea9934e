"""Split TypeScript declarations into tokens."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from isogloss.cli.drift.described import UnreadableSource

__all__ = ["END", "Token", "Tokens", "tokens"]

_TOKEN = re.compile(
    r"""(?P<space>\s+|//[^\n]*|/\*.*?\*/)
    |(?P<string>'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`)
    |(?P<name>[A-Za-z_$][\w$]*)
    |(?P<number>\d[\w.]*)
    |(?P<sign>=>|\.\.\.|[^\s\w])""",
    re.VERBOSE | re.DOTALL,
)
_CLOSING_BRACKETS = {"{": "}", "[": "]", "(": ")", "<": ">"}


class Token(NamedTuple):
    """A name, a string, a number or a sign, and its line."""

    kind: str
    text: str
    line: int


END = Token("end", "", 0)


def tokens(text: str, file: str) -> list[Token]:
    """Return the tokens of a file, without spaces and comments. Raises :class:`UnreadableSource`."""
    found, line, position = [], 1, 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise UnreadableSource(f"{file}:{line}: {text[position : position + 20]!r} is not a token")
        if match.lastgroup != "space":
            found.append(Token(match.lastgroup or "", match[0], line))
        line += match[0].count("\n")
        position = match.end()
    return found


class Tokens:
    """A sequence of tokens with a position, from which tokens are read."""

    def __init__(self, file: str, sequence: Sequence[Token]) -> None:
        self.file = file
        self._sequence = sequence
        self._position = 0

    def peek(self, ahead: int = 0) -> Token:
        """Return the next token, or a later one, and do not move. After the last token, return ``END``."""
        position = self._position + ahead
        return self._sequence[position] if position < len(self._sequence) else END

    def take(self) -> Token:
        """Return the next token, and move past it."""
        token = self.peek()
        self._position += 1
        return token

    def accept(self, *texts: str) -> bool:
        """Return whether the next tokens are these. If they are, move past them."""
        if any(self.peek(ahead).text != text for ahead, text in enumerate(texts)):
            return False
        self._position += len(texts)
        return True

    def expect(self, text: str) -> None:
        """Move past a token that must be the next one. Raises :class:`UnreadableSource`."""
        if not self.accept(text):
            raise self.unreadable(f"{text!r} was expected")

    def inside(self) -> list[Token]:
        """Return the tokens between a bracket, which must be next, and its closing bracket, and move past that."""
        closing = [_CLOSING_BRACKETS[self.take().text]]
        start = self._position
        while closing:
            self._take_and_track(closing)
        return list(self._sequence[start : self._position - 1])

    def until(self, *ends: str) -> list[Token]:
        """Return the tokens before the first of these signs outside of brackets, and move to that sign."""
        start = self._position
        closing: list[str] = []
        while closing or self.peek().text not in ends:
            self._take_and_track(closing)
        return list(self._sequence[start : self._position])

    def _take_and_track(self, closing: list[str]) -> None:
        """Move past the next token, and keep ``closing`` up to date: the closing brackets that are still to come."""
        token = self.take()
        if token is END:
            raise self.unreadable(f"{closing[-1]!r} was expected" if closing else "the declaration has no end")
        if token.text in _CLOSING_BRACKETS:
            closing.append(_CLOSING_BRACKETS[token.text])
        elif closing and token.text == closing[-1]:
            closing.pop()

    def unreadable(self, why: str) -> UnreadableSource:
        """Make the error about the next token."""
        token = self.peek()
        line = token.line or (self._sequence[-1].line if self._sequence else 1)
        return UnreadableSource(f"{self.file}:{line}: {why}, and there is {token.text!r}")
