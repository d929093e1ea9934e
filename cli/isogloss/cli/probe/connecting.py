"""Make HTTP clients that use what the environment says of proxies and certificates."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar
from urllib.request import getproxies, proxy_bypass

import click

from isogloss.cli.probe.target import Target

__all__ = ["make_client", "uses_proxy"]

_Client = TypeVar("_Client")


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
