"""Which servers a probe asks: URLs of the command line, and those that the configuration has by name.

Of several servers none gets a key that was not said to be its own: the key of ``OPENAI_API_KEY`` is sent only where one
server is asked, or where it is named.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import click

from isogloss.cli import settings
from isogloss.cli.probe.target import Target, target
from isogloss.validator.secrets import masked
from isogloss.validator.suggesting import closest

__all__ = ["Headers", "Server", "servers"]

_WORD = re.compile(r"[A-Za-z0-9_.-]+")
"""What can be the name of a server, and no URL."""
_NOT_IN_NAMES = re.compile(r"[^a-z0-9.]+")


class Server(NamedTuple):
    """A server to ask: its name in reports and as a folder of records, its URL without a query, and the model."""

    name: str
    url: str
    model: str
    target: Target


class Headers(NamedTuple):
    """What is sent to every server: the variable that holds the key, and the headers from the command line."""

    key_variable: str | None
    headers: tuple[str, ...]
    variables: tuple[str, ...]


class _Asked(NamedTuple):
    """A server as the user named it: a URL without a name, or a table of the configuration with its name."""

    name: str | None
    url: str
    model: str | None
    key_variable: str | None
    variables: tuple[str, ...]


def servers(words: Sequence[str], models: Sequence[str], sent: Headers, config_file: Path | None) -> list[Server]:
    """Return the servers that the words name or address. Without words, return all of the configuration, in its order.

    ``models`` holds one model for all servers, or one for each. Raises ``click.UsageError``.
    """
    asked = list(_asked(words, config_file))
    if len(models) > 1 and len(models) != len(asked):
        raise click.UsageError(f"--model is given {len(models)} times for {len(asked)} servers: once, or once for each")
    chosen = list(models) * len(asked) if len(models) == 1 else list(models) or [one.model or "" for one in asked]
    for one, model in zip(asked, chosen, strict=True):
        if not model:
            raise click.UsageError(f"Missing option '--model': no model is known for {one.name or one.url}")
    found: list[Server] = []
    for one, model in zip(asked, chosen, strict=True):
        its = target(
            one.url,
            key_variable=sent.key_variable or one.key_variable,
            headers=sent.headers,
            variables=(*one.variables, *sent.variables),
            usual_key=len(asked) == 1,
        )
        url = masked(its.masked(its.url._replace(query="").geturl().encode()).decode())
        found.append(Server(_unique(one.name or _name(its), [other.name for other in found]), url, model, its))
    return found


def _asked(words: Sequence[str], config_file: Path | None) -> Iterable[_Asked]:
    """Find the server for each word: a URL, or the name of a server in the configuration.

    The configuration is read only if ``config_file`` is given, if a word is no URL, or if there are no words.
    """
    if words and config_file is None and not any(map(_WORD.fullmatch, words)):
        return [_Asked(None, word, None, None, ()) for word in words]
    configured = settings.load(config_file, {})
    tables: Mapping[str, Any] = configured.data.get("probe", {}).get("servers", {})
    if not words and not tables:
        raise click.UsageError("Missing argument 'URL...': the configuration has no servers to probe, either")
    return [_of_table(word, tables) for word in words or tables]


def _of_table(word: str, tables: Mapping[str, Any]) -> _Asked:
    if not _WORD.fullmatch(word):
        return _Asked(None, word, None, None, ())
    if word not in tables:
        near = closest(word, tables)
        hint = f"did you mean {near!r}?" if near else "expected is a URL like http://localhost:8000/v1, or a name"
        raise click.UsageError(f"no server is called {word!r} in the configuration; {hint}")
    table = tables[word]
    variables = tuple(f"{name}={variable}" for name, variable in table.get("header-env", {}).items())
    return _Asked(word, table["url"], table.get("model"), table.get("api-key-env"), variables)


def _name(its: Target) -> str:
    """Make a name for a server from its URL: the host, the port if there is one, and the path.

    The ends ``/chat/completions`` and ``/v1`` of the path are left out.
    """
    path = its.url.path.rstrip("/").removesuffix("/chat/completions").removesuffix("/v1")
    port = f"-{its.url.port}" if its.url.port is not None else ""
    return _NOT_IN_NAMES.sub("-", f"{its.host}{port}{path}".lower()).strip("-.") or "server"


def _unique(name: str, taken: Sequence[str]) -> str:
    """Return the name. Add a number to it if another server has this name already."""
    number, found = 1, name
    while found in taken:
        number += 1
        found = f"{name}-{number}"
    return found
