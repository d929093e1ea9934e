"""``isogloss completion``: print the script with which a shell completes commands, options and paths."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from isogloss.cli.main import SHELLS

__all__ = ["command"]


@click.command(name="completion")
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def command(ctx: click.Context, shell: str) -> None:
    """Print the completion script for SHELL.

    \b
    Examples:
    isogloss completion bash > ~/.local/share/bash-completion/completions/isogloss
    isogloss completion zsh > ~/.zfunc/_isogloss
    isogloss completion fish > ~/.config/fish/completions/isogloss.fish
    """
    completion_class = get_completion_class(shell)
    if completion_class is None:
        raise click.UsageError(f"click knows no shell called {shell!r}")
    click.echo(completion_class(ctx.find_root().command, {}, "isogloss", "_ISOGLOSS_COMPLETE").source())
