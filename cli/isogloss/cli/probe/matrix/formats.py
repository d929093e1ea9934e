"""The formats in which a probe is reported: those of every run, and the badge.

Of one server alone, most are those of every run. Of several, some formats have a layout of their own; the others tell
the findings of all servers, whose files have the name of the server in front.
"""

from __future__ import annotations

from pathlib import Path
from typing import TextIO

from isogloss.cli import output, reporters
from isogloss.cli.probe.matrix import as_json, as_markdown, as_text, badge, page
from isogloss.cli.probe.matrix.server import Probed
from isogloss.cli.reporters import github, junit, sarif
from isogloss.cli.summary import Run

__all__ = ["FORMATS", "report", "write"]

FORMATS = (*reporters.FORMATS, "badge")
"""The names of the formats."""

_OWN = {"text": as_text, "json": as_json, "markdown": as_markdown, "html": page, "badge": badge}
_FOR_ONE = frozenset({"text", "json", "badge"})
"""Formats whose layout here is for one server, too."""
_TELL_CHANGES = frozenset({*_OWN, "github"})
"""Formats that say what changed; they have the layout of several servers, also of one that is compared."""


def report(name: str, probed: Probed, out: TextIO) -> None:
    """Write the results in a format. Raises ``click.UsageError`` for a badge of several servers."""
    servers = probed.servers
    several = len(servers) > 1 or (probed.since is not None and name in _TELL_CHANGES)
    if not several and name not in _FOR_ONE:
        reporters.report(name, servers[0].run, out)
    elif name in _OWN:
        _OWN[name].report(probed, out)
    elif name == "sarif":
        sarif.write([one.run for one in servers], out, names=[one.name for one in servers])
    elif name == "junit":
        junit.write([junit.suite(one.run, one.name) for one in servers], out)
    elif name == "github":
        github.report(_merged(probed), out, lambda summary: as_markdown.report(probed, summary))
    else:
        reporters.report(name, _merged(probed), out)


def write(name: str, probed: Probed, path: Path) -> None:
    """Write the results to a file, which appears once it is complete. Raises :class:`output.Unwritable`."""
    with output.replacing(path) as out:
        report(name, probed, out)


def _merged(probed: Probed) -> Run:
    """Merge the findings of all servers into one run."""
    merged = Run(probed.servers[0].run.fail_on)
    for server in probed.servers:
        merged.merge(server.run)
    return merged
