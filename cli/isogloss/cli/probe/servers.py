"""Find the servers to probe: URLs from the command line, and servers that have a name in the configuration.

With several servers, each gets only a key that was given for it. The key of ``OPENAI_API_KEY`` is sent only if there is
one server, or if the variable is named.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import click

from isogloss.cli.configuration.settings import Configuration
from isogloss.cli.probe.target import Target, make_target
from isogloss.validator.quoting import count_of
from isogloss.validator.secrets import mask_text
from isogloss.validator.suggesting import hint

__all__ = ["Headers", "Server", "find_servers"]

_SERVER_NAME = re.compile(r"[A-Za-z0-9_.-]+")
"""Matches what can be the name of a server. It matches no URL."""
_NOT_IN_NAMES = re.compile(r"[^a-z0-9.]+")


class Server(NamedTuple):
    """A server to probe: its name in reports and as a folder of records, its URL without a query, and the model."""

    name: str
    url: str
    model: str
    target: Target


class Headers(NamedTuple):
    """The headers for every server: the variable that holds the key, and the headers from the command line."""

    key_variable: str | None
    headers: tuple[str, ...]
    variables: tuple[str, ...]


class _ServerChoice(NamedTuple):
    """A server that the user chose: a URL without a name, or a table of the configuration with its name."""

    name: str | None
    url: str
    model: str | None
    key_variable: str | None
    variables: tuple[str, ...]


def find_servers(
    words: Sequence[str], models: Sequence[str], sent: Headers, configuration: Configuration
) -> list[Server]:
    """Return the servers that the words name or address. Without words, return all of the configuration, in its order.

    ``models`` holds one model for all servers, or one for each. Raises ``click.UsageError``.
    """
    choices = list(_server_choices(words, configuration))
    if len(models) > 1 and len(models) != len(choices):
        given, wanted = len(models), count_of(len(choices), "server")
        raise click.UsageError(f"--model is given {given} times for {wanted}: once, or once for each")
    servers: list[Server] = []
    for number, choice in enumerate(choices):
        target = make_target(
            choice.url,
            key_variable=sent.key_variable or choice.key_variable,
            headers=sent.headers,
            variables=(*choice.variables, *sent.variables),
            usual_key=len(choices) == 1,
        )
        model = models[number if len(models) > 1 else 0] if models else choice.model
        if not model:
            listed = "; GET /models there lists its models" if choice.name is None else ""
            known_by = choice.name or choice.url
            raise click.UsageError(f"Missing option '--model': no model is known for {known_by}{listed}")
        url = mask_text(target.mask(target.url._replace(query="").geturl().encode()).decode())
        name = _unique_name(choice.name or _name_from_url(target), [other.name for other in servers])
        servers.append(Server(name, url, model, target))
    return servers


def _server_choices(words: Sequence[str], configuration: Configuration) -> Iterable[_ServerChoice]:
    """Find the server for each word: a URL, or the name of a server in the configuration."""
    tables: Mapping[str, Any] = configuration.data.get("probe", {}).get("servers", {})
    if not words and not tables:
        raise click.UsageError("Missing argument 'URL...': the configuration has no servers to probe, either")
    return [_server_choice(word, tables) for word in words or tables]


def _server_choice(word: str, tables: Mapping[str, Any]) -> _ServerChoice:
    if not _SERVER_NAME.fullmatch(word):
        return _ServerChoice(None, word, None, None, ())
    if word not in tables:
        what_next = hint(word, tables) if tables else "a URL like http://localhost:8000/v1 is expected"
        raise click.UsageError(f"no server is called {word!r} in the configuration; {what_next}")
    table = tables[word]
    variables = tuple(f"{name}={variable}" for name, variable in table.get("header-env", {}).items())
    return _ServerChoice(word, table["url"], table.get("model"), table.get("api-key-env"), variables)


def _name_from_url(target: Target) -> str:
    """Make a name for a server from its URL: the host, the port if there is one, and the path.

    The ends ``/chat/completions`` and ``/v1`` of the path are left out.
    """
    path = target.url.path.rstrip("/").removesuffix("/chat/completions").removesuffix("/v1")
    port = f"-{target.url.port}" if target.url.port is not None else ""
    return _NOT_IN_NAMES.sub("-", f"{target.host}{port}{path}".lower()).strip("-.") or "server"


def _unique_name(name: str, taken: Sequence[str]) -> str:
    """Return the name. Add a number to it if another server has this name already."""
    number, candidate = 1, name
    while candidate in taken:
        number += 1
        candidate = f"{name}-{number}"
    return candidate
