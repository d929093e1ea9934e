"""Say why files and folders are not read."""

from __future__ import annotations

from isogloss.validator.exchange import Cause, Skipped, Why
from isogloss.validator.secrets import mask_text

__all__ = ["IGNORED", "unreadable"]

IGNORED = "ignored by git"


def unreadable(path: str, error: OSError, how: str = "read") -> Skipped:
    """Return what is reported in place of a file or folder that the system does not let us read, or list."""
    return Skipped(file=mask_text(path), why=Why(f"cannot be {how}: {error.strerror or error}", Cause.UNREAD))
