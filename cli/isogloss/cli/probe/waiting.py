"""Wait until a server that was just started answers."""

from __future__ import annotations

import time
from contextlib import suppress

from isogloss.cli.probe.target import Target
from isogloss.cli.probe.transport import made

__all__ = ["wait_for"]

_PAUSE = 0.25
_TRY_TIMEOUT = 5.0
"""Seconds to wait for one answer: a server that loads its model may accept a connection and then send nothing."""

_NOT_READY = frozenset({502, 503, 504})
"""Statuses of a server that loads its model, and of a proxy in front of a server that does not run yet."""


def wait_for(target: Target, seconds: float) -> bool:
    """Ask for the models until there is an answer, whatever it says. Return whether there was one in time.

    Raises what :func:`transport.made` raises.
    """
    import httpx2

    end = time.monotonic() + seconds
    mounts: dict[str, httpx2.BaseTransport | None] | None = {"all://": None} if target.loopback else None
    with made(target, lambda: httpx2.Client(follow_redirects=False, mounts=mounts)) as http:
        while (remaining := end - time.monotonic()) > 0:
            with (
                suppress(httpx2.TransportError),
                http.stream(
                    "GET", target.endpoint("models"), headers=dict(target.headers), timeout=min(_TRY_TIMEOUT, remaining)
                ) as answer,
            ):
                if answer.status_code not in _NOT_READY:
                    return True
            time.sleep(min(_PAUSE, max(0.0, end - time.monotonic())))
    return False
