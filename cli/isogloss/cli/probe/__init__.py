"""``isogloss probe``: a running server held to the reference, by asking it."""

from isogloss.cli.probe.entry import command

__all__ = ["command"]
