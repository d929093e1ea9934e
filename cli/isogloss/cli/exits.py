"""Exit codes. All others are reserved."""

from __future__ import annotations

__all__ = ["FAILED", "INTERRUPTED", "NOTHING_CHECKED", "OK", "USAGE"]

OK = 0
"""Something was checked, and nothing failed."""
FAILED = 1
"""Findings at or above ``--fail-on``."""
USAGE = 2
"""The command line, a file named on it, or the configuration is wrong."""
NOTHING_CHECKED = 3
"""Nothing could be checked, or not to the end: nothing recognised, unreadable input, endpoint unreachable, killed."""
INTERRUPTED = 130
"""Stopped from the keyboard: what a shell reports of a command that SIGINT ended."""
