"""Add ``isogloss/__init__.py`` to the wheel. ``ARCHITECTURE.md`` says why it is nowhere else."""

from __future__ import annotations

from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class WheelHook(BuildHookInterface[Any]):
    """Adds the file that makes one package of the three roots in a wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the file, unless the wheel is that of an editable installation: its roots are in several folders."""
        if version == "standard":
            build_data["force_include"]["scripts/package_init.py"] = "isogloss/__init__.py"
