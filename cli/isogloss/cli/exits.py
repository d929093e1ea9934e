"""Exit codes. All others are reserved."""

from __future__ import annotations

__all__ = ["FAILED", "HUNG_UP", "INTERNAL", "INTERRUPTED", "NOTHING_CHECKED", "OK", "TERMINATED", "USAGE"]

OK = 0
"""Something was checked, and nothing failed."""
FAILED = 1
"""Findings at or above ``--fail-on``."""
USAGE = 2
"""The command line, a file named on it, or the configuration is wrong; or an output cannot be written."""
NOTHING_CHECKED = 3
"""Nothing could be checked, or not to the end: nothing recognised, unreadable input, endpoint unreachable, killed."""
INTERNAL = 4
"""A fault of isogloss itself, reported with its place. All else was checked."""
INTERRUPTED = 130
"""Stopped from the keyboard: what a shell reports of a command that SIGINT ended."""
HUNG_UP = 129
"""Ended by SIGHUP, by the same rule."""
TERMINATED = 143
"""Ended by SIGTERM, by the same rule."""
