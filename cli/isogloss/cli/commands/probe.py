"""``isogloss probe``: send requests to a running server, and check the answers against the reference."""

from __future__ import annotations

from isogloss.cli.probe.entry import command

__all__ = ["command"]
