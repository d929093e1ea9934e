"""The frame below a finding: what stands around its place on one line, and carets below what it is about."""

from __future__ import annotations

from isogloss.cli.terminal import Line
from isogloss.validator.excerpts import Excerpt

__all__ = ["cut", "frame"]

_INDENT = 6
_GUTTER = "| "
_USUAL = 100
"""Columns where there is no terminal."""
_COMMA = ", "
_LEFT_OUT = "…, "
_MOST_MARKED = 40
"""Carets below what is long: its beginning tells which it is."""


def frame(excerpt: Excerpt, width: int | None, style: str) -> list[Line]:
    """Two lines: the excerpt, cut between properties on both sides where it is too long, and the carets."""
    text, start = cut(excerpt, (width or _USUAL) - _INDENT - len(_GUTTER))
    carets = max(1, min(excerpt.end - excerpt.start, _MOST_MARKED, len(text) - start))
    gutter = (" " * _INDENT + _GUTTER, "dim")
    return [[gutter, (text.rstrip(), "")], [gutter, (" " * start + "^" * carets, style)]]


def cut(excerpt: Excerpt, room: int) -> tuple[str, int]:
    """As much of the text as there is room for, and where in it the marked part begins."""
    text, start = excerpt.text, excerpt.start
    if len(text) <= room:
        return text, start
    marked = min(excerpt.end - start, room * 2 // 3)
    before = max(0, start - max((room - marked) // 2, room - marked - (len(text) - start - marked)))
    if before and start > room // 3:
        comma = text.find(_COMMA, before, start)
        left_out = _LEFT_OUT if comma >= 0 else "…"
        before = comma + len(_COMMA) if comma >= 0 else before + len(left_out)
        text, start = left_out + text[before:], start - before + len(left_out)
    if len(text) > room:
        comma = text.rfind(_COMMA, start + marked, room - len(_LEFT_OUT))
        text = text[:comma] + ", …" if comma >= 0 else text[: room - 1] + "…"
    return text, start
