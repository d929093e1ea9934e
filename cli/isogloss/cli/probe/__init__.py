"""``isogloss probe``: send requests to a running server, and check the answers against the reference.

The command is imported when it is used: other commands use parts of this package, but none of them all of it.
"""

from __future__ import annotations

from typing import Any


def __getattr__(name: str) -> Any:
    if name == "command":
        from isogloss.cli.probe.entry import command

        return command
    raise AttributeError(name)
