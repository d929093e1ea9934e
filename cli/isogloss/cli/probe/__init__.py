"""``isogloss probe``: a running server held to the reference, by asking it.

The command is imported when it is asked for: other commands use parts of this package, and none of them all of it.
"""

from __future__ import annotations

from typing import Any


def __getattr__(name: str) -> Any:
    if name == "command":
        from isogloss.cli.probe.entry import command

        return command
    raise AttributeError(name)
