"""``isogloss probe``: send requests to a running server, and check the answers against the reference.

The command is imported only when it is used, because other commands need only parts of this package.
"""

from __future__ import annotations

from typing import Any


def __getattr__(name: str) -> Any:
    if name == "command":
        from isogloss.cli.probe.entry import command

        return command
    raise AttributeError(name)
