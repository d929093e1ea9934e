"""Wait until a server that was just started answers."""

from __future__ import annotations

import time
from contextlib import suppress

from isogloss.cli.probe.connecting import make_client
from isogloss.cli.probe.target import Target

__all__ = ["NOT_READY", "wait_for"]

_PAUSE = 0.25
_TRY_TIMEOUT = 5.0
"""Seconds to wait for one answer: a server that loads its model may accept a connection and then send nothing."""

NOT_READY = frozenset({502, 503, 504})
"""Statuses of a server that loads its model, and of a proxy in front of a server that does not run yet."""


def wait_for(target: Target, seconds: float) -> None:
    """Ask for the models until there is an answer, whatever it says, or until the time is over.

    Raises ``click.UsageError`` if the environment names a proxy that cannot be used.
    """
    import httpx2

    end = time.monotonic() + seconds
    with make_client(httpx2.Client, target) as http:
        while (remaining := end - time.monotonic()) > 0:
            with (
                suppress(httpx2.TransportError, OSError),
                http.stream(
                    "GET", target.endpoint("models"), headers=dict(target.headers), timeout=min(_TRY_TIMEOUT, remaining)
                ) as answer,
            ):
                if answer.status_code not in NOT_READY:
                    return
            time.sleep(min(_PAUSE, max(0.0, end - time.monotonic())))
