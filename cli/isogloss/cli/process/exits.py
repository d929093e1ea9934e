"""Define the exit codes. All other codes are reserved."""

from __future__ import annotations

__all__ = ["FAILED", "HUNG_UP", "INTERNAL", "INTERRUPTED", "NOTHING_CHECKED", "OK", "TERMINATED", "USAGE"]

OK = 0
"""Something was checked, and nothing failed."""
FAILED = 1
"""There are findings at or above ``--fail-on``."""
USAGE = 2
"""The command line, a file named on it, or the configuration is wrong; or an output cannot be written."""
NOTHING_CHECKED = 3
"""Nothing was checked, or the check did not come to its end.

Possible reasons: nothing was recognised, the input or a file that is named was unreadable, the server was unreachable,
or a process was killed.
"""
INTERNAL = 4
"""A fault of isogloss itself, reported with its place. Everything else was checked."""
INTERRUPTED = 130
"""Stopped from the keyboard. A shell reports this code for a command that SIGINT ended."""
HUNG_UP = 129
"""Ended by SIGHUP. The code follows the same rule."""
TERMINATED = 143
"""Ended by SIGTERM. The code follows the same rule."""
