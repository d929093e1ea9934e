"""Read logs of Chromium's network stack (``--log-net-log``, ``chrome://net-export``, ``netLog`` of Electron).

A log has the events of all layers, which are numbers that its ``constants`` name. Those of one request have the same
source. The bytes of an answer are in it only with ``--net-log-capture-mode=Everything``: once as they came through the
socket, and once as the program read them, without content encodings. These are read. The bodies of requests are only
among the bytes of sockets, and are not read (Chromium 150 was run, 2026-11).
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.captures.capture import Capture
from isogloss.validator.exchange import Exchange, Skipped

__all__ = ["NAME", "WORDS", "read", "recognise"]

NAME = "netlog"
WORDS = (b'"constants"',)


def recognise(capture: Capture) -> int:
    """Recognise an object whose first property is ``constants``, with the numbers of events."""
    return 95 if capture.first_property == (b"constants", b"{") and b'"logEventTypes"' in capture.head else 0


def read(capture: Capture) -> Iterator[Exchange | Skipped]:
    """Yield the exchange of each request, in the order in which they began."""
    from isogloss.validator.captures.structures.objects.netlog_requests import exchanges_in_log

    return exchanges_in_log(capture)
