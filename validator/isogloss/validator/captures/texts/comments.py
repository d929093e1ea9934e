"""Find the answers that people keep in the comments of a program: what a command printed, or what a call returned.

A comment has a mark at the beginning of each line (``#``, ``//``, ``--``), or stands between ``/*`` and ``*/``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from isogloss.validator.captures.capture import without
from isogloss.validator.text import Text

__all__ = ["lines_of_comments", "without_comment_marks"]

_MARK = rb"(?mx) ^[ \t]*+ (?P<mark>\#|//|--) [ \t]?"
_ANSWER = rb" (?: \{[ \t\r]*$ | \{[ ]?\" | data:[ ]?[{\[] )"
_BEGINS = _MARK + rb"(?=" + _ANSWER + rb")"
"""The first line of an answer in a comment."""
_BEGINS_IN_PROGRAM = (
    _MARK
    + rb"(?:(?:=>|->|>>>|\xe2\x86\x92)[ ]?)? (?= (?:[A-Za-z][\w ]{0,30}:[ ])? (?:"
    + _ANSWER
    + rb"| \{[ ]?['\w] ))"
)
"""The same in a program, perhaps behind an arrow, a prompt or a label, or as a literal. In a text, these are words."""
_OPENED, _CLOSED = b"/*", b"*/"
_STAR = rb"(?m)^[ \t]*+\*[ ]?(?![^\n]*\*/)"
"""What stands before a line between ``/*`` and ``*/``."""


def without_comment_marks(text: Text) -> Text:
    """Return a text in which the answers that stand in comments are as they were: people comment out what they got."""
    marks = [mark for mark, _ in _lines_of_answers(text.data, _BEGINS)]
    return without(text, marks) if marks else text


def lines_of_comments(data: bytes) -> list[tuple[int, int]]:
    """Return where the lines of comments that may hold an answer begin, behind their marks, and end."""
    spans: list[tuple[int, int]] = []
    for start, end in sorted(
        [*((mark[1], end) for mark, end in _lines_of_answers(data, _BEGINS_IN_PROGRAM)), *_lines_between_stars(data)]
    ):
        if not spans or start >= spans[-1][1]:  # a comment may look like one inside another
            spans.append((start, end))
    return spans


def _lines_of_answers(data: bytes, begins: bytes) -> Iterator[tuple[tuple[int, int], int]]:
    """Yield where each mark of a comment with an answer begins and ends, and where its line ends.

    ``begins`` is an expression for the mark of its first line.
    """
    position = 0
    while found := re.compile(begins).search(data, position):
        mark = re.compile(rb"[ \t]*+%b[ \t]?" % re.escape(found["mark"]))
        one: re.Match[bytes] | None = found
        while one is not None:
            position = data.find(b"\n", one.end()) + 1 or len(data)
            yield one.span(), position
            one = mark.match(data, position)


def _lines_between_stars(data: bytes) -> Iterator[tuple[int, int]]:
    """Yield where each line between ``/*`` and ``*/`` begins, behind its star, and where it ends."""
    end = 0
    while (opened := data.find(_OPENED, end)) >= 0 and (closed := data.find(_CLOSED, opened + 2)) >= 0:
        star = re.compile(_STAR)
        position, end = opened + len(_OPENED), closed
        while position < closed:
            mark = star.match(data, position, closed)
            line_end = data.find(b"\n", position, closed) + 1 or closed
            yield (mark.end() if mark else position), line_end
            position = line_end
