"""Parse ``--clients``: the names of the clients whose evidence counts."""

from __future__ import annotations

import click

from isogloss.validator.suggesting import unknown

__all__ = ["ClientNames", "known_client"]


class ClientNames(click.ParamType):  # type: ignore[type-arg, unused-ignore]  # generic from click 8.4 on
    """Slugs of clients, separated by commas. The value is a sorted tuple in which each slug occurs once."""

    name = "clients"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, ...]:
        """Return the slugs, sorted and each once. Fail for an unknown one, with the nearest name."""
        names = [name.strip() for name in value.split(",") if name.strip()]
        if not names:
            self.fail("no client is named", param, ctx)
        return tuple(sorted({known_client(name) for name in names}))


def known_client(name: str) -> str:
    """Return the slug of a client. Raises ``click.UsageError`` for an unknown one, with the nearest name."""
    from isogloss.schemas import client_files  # imported here: a run that names no client does not need it

    slugs = client_files.clients()
    if name not in slugs:
        raise click.UsageError(unknown("client", name, slugs, see="isogloss clients list"))
    return name
