"""Wait until a server that was just started answers."""

from __future__ import annotations

import time
from contextlib import suppress

from isogloss.cli.probe.target import Target

__all__ = ["wait_for"]

_PAUSE = 0.25
_ONE_TRY = 5.0
"""Seconds for one answer; a server that loads its model may take a connection and leave it alone."""

_NOT_YET = frozenset({502, 503, 504})
"""Statuses of a server that loads its model, and of a proxy in front of one that does not run yet."""


def wait_for(target: Target, seconds: float) -> bool:
    """Ask for the models until there is an answer, whatever it says. Return whether there was one in time."""
    import httpx2

    end = time.monotonic() + seconds
    mounts: dict[str, httpx2.BaseTransport | None] | None = {"all://": None} if target.loopback else None
    with httpx2.Client(follow_redirects=False, mounts=mounts) as http:
        while (left := end - time.monotonic()) > 0:
            with (
                suppress(httpx2.TransportError),
                http.stream(
                    "GET", target.endpoint("models"), headers=dict(target.headers), timeout=min(_ONE_TRY, left)
                ) as answer,
            ):
                if answer.status_code not in _NOT_YET:
                    return True
            time.sleep(min(_PAUSE, max(0.0, end - time.monotonic())))
    return False
