"""Make regular expressions of patterns for paths, such that matching takes time in proportion to the path.

A gap takes as few characters as the part behind it allows, and is never tried again with more: the earliest place of
that part leaves the most for all that follows. Without that, a pattern like ``*a*a*a*a*b`` takes the fifth power of
the length of a name.
"""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["CHARACTER", "FOLDERS", "NAME", "PATH", "expression"]

NAME = "*"
PATH = "**"
FOLDERS = "**/"
"""Tokens for any characters but a slash, for any characters, and for any number of folders with a slash each."""
CHARACTER = "[^/]"
"""The token for one character but a slash."""

_GAPS = {NAME: "[^/]*?", PATH: ".*?", FOLDERS: "(?:[^/]*+/)*?"}


def expression(tokens: Sequence[str], end: str) -> str:
    """Return a regular expression that matches a path from its beginning on, for use with ``re.DOTALL``.

    A token is :data:`NAME`, :data:`PATH`, :data:`FOLDERS`, or an expression for one character. ``end`` is the
    expression for what follows all tokens.
    """
    return _join_runs([*tokens, end], (PATH, FOLDERS))


def _join_runs(tokens: Sequence[str], gaps: tuple[str, ...]) -> str:
    """Return the expression for runs of tokens with gaps between them. Runs between paths have gaps in names again."""
    joined: list[str] = []
    run: list[str] = []
    gap = ""
    for token in (*tokens, None):
        if token is not None and token not in gaps:
            run.append(token)
            continue
        inner = "".join(run) if gaps == (NAME,) else _join_runs(run, (NAME,))
        joined.append(f"(?>{_GAPS[gap]}{inner})" if gap else inner)
        run, gap = [], token or ""
    return "".join(joined)
