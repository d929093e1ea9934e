"""Make HTTP clients that use what the environment says of proxies and certificates, and wait for a server with one."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar
from urllib.request import getproxies, proxy_bypass

import click

from isogloss.cli.probe.target import Target

__all__ = ["NOT_READY", "make_client", "uses_proxy", "wait_for"]

_Client = TypeVar("_Client")

_PAUSE = 0.25
_TRY_TIMEOUT = 5.0
"""Seconds to wait for one answer: a server that loads its model may accept a connection and then send nothing."""

NOT_READY = frozenset({502, 503, 504})
"""Statuses of a server that loads its model, and of a proxy in front of a server that does not run yet."""


def make_client(kind: Callable[..., _Client], target: Target, **options: Any) -> _Client:
    """Make a client that verifies certificates and follows no redirects.

    It uses the proxies that the environment names, but not for this machine, which no proxy can reach. Raises
    ``click.UsageError`` if a proxy or a file of certificates that the environment names cannot be used.
    """
    import httpx2

    try:
        certificates = httpx2.create_ssl_context()
    except OSError as error:
        reason = error.strerror or error
        raise click.UsageError(f"the certificates that SSL_CERT_FILE names cannot be read: {reason}") from error
    try:
        return kind(verify=certificates, follow_redirects=False, trust_env=not target.loopback, **options)
    except ImportError as error:
        raise click.UsageError(
            "the environment names a SOCKS proxy, which needs the package socksio: pip install socksio"
        ) from error
    except (ValueError, httpx2.InvalidURL) as error:
        raise click.UsageError(f"the proxy that the environment names cannot be used: {error}") from error


def uses_proxy(target: Target) -> bool:
    """Return whether requests go through a proxy that the environment names."""
    proxies = getproxies()
    return bool(
        not target.loopback and (proxies.get(target.url.scheme) or proxies.get("all")) and not proxy_bypass(target.host)
    )


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
