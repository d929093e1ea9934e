"""Print the path of the addon, for ``mitmdump -s "$(python -m isogloss.cli.proxy)"``."""

from __future__ import annotations

from pathlib import Path

if __name__ == "__main__":
    print(Path(__file__).with_name("addon.py"))
