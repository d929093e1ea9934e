"""Tell the lines of logs from others by how they begin: with a time, a level, or the name of a service."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from isogloss.validator.text import Text

__all__ = ["begins_as_log", "is_other_text", "lines_of_entries"]

_BEFORE = rb"""(?x)
    (?: \x1b\[[\d;]*m )*                                             # a colour
    (?: \( [\w.-]{1,40} [ ] pid=\d{1,9} \) (?: \x1b\[[\d;]*m )* [ ]   # the process, as vLLM writes it
      | \[ [\w.-]{1,40} \] [ ] \d{1,9} [ ]{1,4} -[ ] (?: \x1b\[[\d;]*m )*   # as NestJS writes it
      | [A-Z],[ ] (?=\[) )?                                          # the level, as Ruby writes it
"""
_ENTRY = (
    _BEFORE
    + rb"""
    [\[(<]? (?:
          (?: (?: \d{2,4}[-/.] )? \d{1,2}[-/.]\d{1,2} (?: [-/.]\d{2,4} )? (?: T | ,?[ ] ) )?
          \d{1,2}:\d\d:\d\d                                         # a time, with a date or without
        | (?: [A-Z][a-z]{2}[ ] )? [A-Z][a-z]{2}[ ]{1,2}\d{1,2}[ ]\d\d:\d\d:\d\d   # as syslog, Apache and C write it
        | \d\d-[A-Z][a-z]{2}-\d{4}[ ]\d\d:\d\d:\d\d                # as PHP writes it
        | [\da-fA-F.:]{3,45}[ ]\S{1,60}[ ]\S{1,60}[ ]\[
          \d\d/[A-Z][a-z]{2}/\d{4}:\d\d:\d\d:\d\d                       # as web servers write it, behind an address
        | [A-Z]\d{4}[ ]\d\d:\d\d:\d\d                                # as klog writes it, behind the level
        | \d{1,2}:\d\d[AP]M\b                                        # as zerolog writes it to a console
        | \d{10}\.\d{1,9}[\])>]?[ ]                                  # in seconds since 1970
        | \d{1,5}\.\d\d\.\d{3}\.\d{3}[ ][A-Z][ ]                        # in minutes since it began, as llama.cpp does
        | (?<=\[) [ ]{0,10} \d{1,7}\.\d{3,9}s?\]                         # in seconds since then, as the kernel does
        | (?: DEBUG | INFO | WARNING | ERROR | CRITICAL ):[\w.-]{1,80}: # as Python writes it without a time
    )
"""
)
"""How entries of logs begin."""
_LINE = (
    _ENTRY
    + b"|"
    + _BEFORE.removeprefix(b"(?x)")
    + rb"""
    (?: [\[(<]? (?:
          [VDIWEF]/[\w.$-]{1,80}[ ]{0,20}(?:\([ ]{0,6}\d{1,6}\))?:[ ]  # as logcat writes it without a time
        | (?i: trace | verb(?:ose)? | debug | info | notice | warn | warning | error | fatal )\b (?! \s*[=(.] )
        | (?i: time | timestamp | ts | level ) =
        )
    | (?: \d{1,4}\| )? [\w.-]{1,80}[ ]{1,40}\|[ ]                    # the name of a service, with a number in PM2
    | \[\d{1,7}\][ ]                  # the number of a command, as concurrently writes it, or of a process
    )
"""
)
"""How lines of logs begin."""


_OTHER_TEXT = rb"(?m)^(?:diff --git |@@ -|[ \t]{0,40}```)"


def is_other_text(data: bytes) -> bool:
    """Return whether a text has lines of differences, or fences: a body in it is an example, or not there any more."""
    return re.search(_OTHER_TEXT, data) is not None


def begins_as_log(data: bytes) -> bool:
    """Return whether a text begins as a line of a log does."""
    if data.startswith(b"{"):
        return False  # so most texts begin; to compile the expression takes a millisecond
    return re.match(_LINE, data) is not None


def lines_of_entries(lines: Iterable[Text]) -> Iterator[Text]:
    """Yield the lines that begin as those of logs do, and the lines below them that may belong to the same entry."""
    begins_entry = None
    is_entry = is_inside = False  # of an entry of the log, and of a body that goes on
    for line in lines:
        if begins_as_log(line.data):
            begins_entry = begins_entry or re.compile(_ENTRY).match
            is_entry = begins_entry(line.data) is not None
            is_inside = line.data.rstrip().endswith(b"{")
            yield line
        elif is_entry or is_inside:
            is_inside = is_inside and not line.data.startswith(b"}")
            yield line
