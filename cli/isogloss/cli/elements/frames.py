"""Draw the frame below a finding: the text around its place on one line, and carets below what it is about."""

from __future__ import annotations

from typing import TYPE_CHECKING

from isogloss.cli.process.terminal import Line

if TYPE_CHECKING:
    from isogloss.validator.excerpts import Excerpt

__all__ = ["cut", "frame"]

_INDENT = 6
_GUTTER = "| "
_DEFAULT_WIDTH = 100
"""The width in columns if the output is no terminal."""
_COMMA = ", "
_LEFT_OUT_MARK = "…, "
_MOST_CARETS = 40
"""The largest number of carets. If the marked part is longer, its beginning is enough to recognise it."""


def frame(excerpt: Excerpt, width: int | None, style: str) -> list[Line]:
    """Return two lines: the excerpt and the carets. An excerpt that is too long is cut between properties."""
    text, start = cut(excerpt, (width or _DEFAULT_WIDTH) - _INDENT - len(_GUTTER))
    carets = max(1, min(excerpt.end - excerpt.start, _MOST_CARETS, len(text) - start))
    gutter = (" " * _INDENT + _GUTTER, "dim")
    return [[gutter, (text.rstrip(), "")], [gutter, (" " * start + "^" * carets, style)]]


def cut(excerpt: Excerpt, room: int) -> tuple[str, int]:
    """Cut the text to at most ``room`` characters. Return it, and where in it the marked part begins."""
    text, start = excerpt.text, excerpt.start
    if len(text) <= room:
        return text, start
    marked_length = min(excerpt.end - start, room * 2 // 3)
    begin = max(0, start - max((room - marked_length) // 2, room - marked_length - (len(text) - start - marked_length)))
    if begin and start > room // 3:
        comma = text.find(_COMMA, begin, start)
        mark = _LEFT_OUT_MARK if comma >= 0 else "…"
        begin = comma + len(_COMMA) if comma >= 0 else begin + len(mark)
        text, start = mark + text[begin:], start - begin + len(mark)
    if len(text) > room:
        comma = text.rfind(_COMMA, start + marked_length, room - len(_LEFT_OUT_MARK))
        text = text[:comma] + ", …" if comma >= 0 else text[: room - 1] + "…"
    return text, start
