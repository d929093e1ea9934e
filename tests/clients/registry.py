"""Load clients: each has a TOML file in ``clients/``, an adapter in ``adapters/``, and locks in ``locks/``."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

__all__ = ["FOLDER", "Client", "ClientPath", "client_slugs", "load_client"]

FOLDER = Path(__file__).parent
Mode = Literal["answer", "stream", "both"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientPath:
    """One path through a client: what is called, for which modes, and whether the client runs tools.

    If ``of`` is ``calls``, the path is only for answers with calls.
    """

    mode: Mode
    calls: str
    runs_tools: bool = False
    of: Literal["all", "calls"] = "all"

    def takes(self, mode: str, with_calls: bool) -> bool:
        """Return whether the path takes answers of a mode (``answer`` or ``stream``), with or without calls."""
        return self.mode in (mode, "both") and (with_calls or self.of == "all")


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """A client as its TOML file describes it.

    ``versions`` are the versions of ``package`` that are run, the newest first. ``requires`` are further requirements
    of its environment, and ``requires_of`` those of a single version.
    """

    slug: str
    name: str
    registry: Literal["pypi", "npm", "debian"]
    package: str
    versions: Sequence[str]
    paths: Mapping[str, ClientPath]
    requires: Sequence[str] = ()
    requires_of: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @property
    def adapter(self) -> Path:
        """The file of the adapter, the program that runs the jobs."""
        return next((FOLDER / "adapters").glob(f"{self.slug}.*"))

    def lock(self, version: str) -> Path:
        """Return the lock of a version: a folder with ``package-lock.json`` for npm, a file of pins otherwise."""
        return FOLDER / "locks" / f"{self.slug}-{version}{'' if self.registry == 'npm' else '.txt'}"

    def requirements(self, version: str) -> list[str]:
        """Return the requirements from which the lock of a version is made."""
        pin = "=" if self.registry == "debian" else "=="
        return [f"{self.package}{pin}{version}", *self.requires, *self.requires_of.get(version, ())]


def load_client(slug: str) -> Client:
    """Return the client with a slug. Raise ``ValueError`` if there is none."""
    file = FOLDER / "clients" / f"{slug}.toml"
    if not file.exists():
        raise ValueError(f"no client is called {slug!r}; there are {', '.join(client_slugs())}")
    data = tomllib.loads(file.read_text("utf-8"))
    paths = {name: ClientPath(**path) for name, path in data.pop("paths").items()}
    return Client(slug=slug, paths=paths, **data)


def client_slugs() -> list[str]:
    """Return the slugs of all clients, sorted."""
    return sorted(file.stem for file in (FOLDER / "clients").glob("*.toml"))
