"""Keep with a line of a log the line above it, if that says with which status the request on it was answered.

llama.cpp logs a request when it has been answered: a line with the method, the path and the status, then the body of
the request, then that of the answer, unless it was a stream (logs of its server in public repositories, read 2026-11).
So no stream behind these lines is the answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from isogloss.validator.text import Text

__all__ = ["was_answered", "with_status_lines"]

_POST = b"POST /"
_STATUS = (
    rb"(?x) [^{}\n]{0,100}? (?P<writer>\b[A-Za-z_]\w{1,60}): [^{}\n]{0,60}"
    rb"\bPOST[ ]/\S{0,200}chat/completions (?:[ ]\S{1,60})? [ ][1-5]\d\d [ \t\r]*"
)
"""A line that ends with the status of a request. Both lines are written by the same function, whose name is there."""


def with_status_lines(lines: Iterable[Text]) -> Iterator[Text]:
    """Yield the lines. That of a request that was answered is the end of a text that begins with its status."""
    status: tuple[Text, bytes] | None = None
    for line in lines:
        if status is not None:
            above, writer = status
            if line.line == above.line + 1 and line.data.partition(b"{")[0].find(writer) >= 0:
                both = Text(above.data + b"\n" + line.data, above.line, above.column)
                line = both.slice(len(above.data) + 1, len(both.data))
            status = None
        elif _POST in line.data and (match := re.fullmatch(_STATUS, line.data)):
            status = line, match["writer"] + b":"
        yield line


def was_answered(request: Text) -> bool:
    """Return whether a request on a line was answered before the line was written."""
    lines = request.outermost().data.split(b"\n", 2)
    return len(lines) == 2 and re.fullmatch(_STATUS, lines[0]) is not None
