"""Write the report of a probe in a format: one of those of every run, or the badge.

For a single server, most formats are those of every run. For several servers, some formats have a layout of their own.
The others report the findings of all servers, with the name of the server in front of each file.
"""

from __future__ import annotations

from typing import TextIO

from isogloss.cli import reporters
from isogloss.cli.checking.run_settings import RunSettings
from isogloss.cli.checking.summary import Run
from isogloss.cli.probe.matrix import as_json, as_markdown, as_text, badge, page
from isogloss.cli.probe.matrix.server import Probed
from isogloss.cli.reporters import github, junit, sarif

__all__ = ["FORMATS", "report"]

FORMATS = (*reporters.FORMATS, "badge")
"""The names of the formats."""

_OWN_LAYOUTS = {"text": as_text, "json": as_json, "markdown": as_markdown, "html": page, "badge": badge}
_FOR_SINGLE_SERVER = frozenset({"text", "json", "badge"})
"""Formats whose own layout is used for a single server, too."""
_WITH_CHANGES = frozenset({*_OWN_LAYOUTS, "github"})
"""Formats that say what changed. They use the layout for several servers, even for a single one if it is compared."""


def report(name: str, probed: Probed, out: TextIO) -> None:
    """Write the results in a format."""
    servers = probed.servers
    is_for_several = len(servers) > 1 or (probed.since is not None and name in _WITH_CHANGES)
    if not is_for_several and name not in _FOR_SINGLE_SERVER:
        reporters.report(name, servers[0].run, out)
    elif name in _OWN_LAYOUTS:
        _OWN_LAYOUTS[name].report(probed, out)
    elif name == "sarif":
        sarif.write([server.run for server in servers], out, names=[server.name for server in servers])
    elif name == "junit":
        junit.write([junit.suite(server.run, server.name) for server in servers], out)
    elif name == "github":
        github.report(_merge(probed), out, lambda summary: as_markdown.report(probed, summary))
    else:
        reporters.report(name, _merge(probed), out)


def _merge(probed: Probed) -> Run:
    """Merge the findings of all servers into one run."""
    merged = Run(RunSettings(probed.servers[0].run.settings.fail_on))
    for server in probed.servers:
        merged.merge(server.run)
    return merged
