"""Describe a fault of isogloss itself, or of the system that it runs on, in one line: what failed, and where."""

from __future__ import annotations

import errno
import os
from pathlib import PurePath

from isogloss.validator.quoting import printable
from isogloss.validator.secrets import mask_text

__all__ = ["describe", "shortage"]

_TRACEBACK_VARIABLE = "ISOGLOSS_TRACEBACK"
"""The environment variable that adds the traceback, which may quote parts of a capture."""

_LONGEST_MESSAGE = 300
_SHORTAGES = {
    errno.EMFILE: "this process may open no more files; ulimit -n sets how many it may",
    errno.ENFILE: "the system can open no more files",
    errno.ENOMEM: "there is not enough memory",
    errno.EAGAIN: "the system starts no more processes; --jobs 1 needs none",
}
"""What the system may lack, by the number of the error, and what to do about it. This is no fault of isogloss."""


def describe(error: BaseException) -> str:
    """Describe an error and its place in one line without keys. With ``ISOGLOSS_TRACEBACK=1`` the traceback follows."""
    if reason := shortage(error):
        return f"{reason} ({_place(error)})"
    text = printable(mask_text(str(error)))
    text = text if len(text) <= _LONGEST_MESSAGE else text[:_LONGEST_MESSAGE] + "…"
    line = f"internal error, please report it: {type(error).__name__}{': ' if text else ''}{text} ({_place(error)})"
    if os.environ.get(_TRACEBACK_VARIABLE, "0") in ("", "0"):
        return line
    import traceback

    return line + "\n" + mask_text("".join(traceback.format_exception(error)).rstrip())


def shortage(error: BaseException) -> str | None:
    """Return what the system lacks, and what to do about it, or ``None`` if the error has another reason.

    If memory is short, orjson raises an error of its own, with the ``MemoryError`` as its cause.
    """
    if isinstance(error, MemoryError) or isinstance(error.__cause__, MemoryError):
        return _SHORTAGES[errno.ENOMEM]
    return _SHORTAGES.get(error.errno or 0) if isinstance(error, OSError) else None


def _place(error: BaseException) -> str:
    """Return the innermost line of isogloss at which an error, or the error that caused it, was raised."""
    import traceback  # imported here: only errors need it

    while error.__cause__ is not None and error.__cause__.__traceback__ is not None:
        error = error.__cause__
    frames = traceback.extract_tb(error.__traceback__)
    own_frames = [frame for frame in frames if "isogloss" in PurePath(frame.filename).parts] or frames
    if not own_frames:
        return "at an unknown place"
    parts = PurePath(own_frames[-1].filename).parts
    start = len(parts) - 1 - parts[::-1].index("isogloss") if "isogloss" in parts else -1
    return f"{'/'.join(parts[start:])}:{own_frames[-1].lineno}"
