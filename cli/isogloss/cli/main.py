"""Run the command line. Every end of a command becomes an exit code here, and never a traceback."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from importlib import import_module
from typing import Any, NoReturn

import click

from isogloss.cli.process import exits, output, signals

__all__ = ["ARGUMENTS", "SHELLS", "cli", "main"]

ARGUMENTS = "isogloss.cli.arguments"
"""The key under which the context of click keeps the original command line."""

_HELP = getattr(click.exceptions, "NoArgsIsHelpError", ())
"""What click 8.2 and newer raise if there are no arguments. The message is the help: many lines that quote nothing."""

_NO_MEMORY = b"Error: there is not enough memory\n"

SHELLS = ("bash", "zsh", "fish")
"""The shells that have a completion script."""

_COMMANDS = {
    "check": "Check captured payloads, streams and exchanges.",
    "clients": "List clients, and show what they were seen to break on.",
    "compare": "Compare answers to the same request, or two recordings.",
    "completion": "Print the completion script for a shell.",
    "config": "Print the settings that apply to a file, and where they come from.",
    "dialects": "List, show and compare dialects, or draft one.",
    "explain": "Explain a rule.",
    "fold": "Fold a captured stream into the completion it stands for.",
    "probe": "Ask a running server, and check its answers.",
    "portability": "Print which dialects accept a request as it is.",
    "report": "Report which dialects a corpus speaks, and what is unexplained.",
    "repro": "Write the smallest capture that keeps a finding.",
    "rules": "List the rules.",
    "schemas": "List, show, export and compare the reference schemas.",
}


def _unknown_command(name: str) -> str:
    """Return the message for a word that is no command, with what may be meant by it."""
    from isogloss.validator.suggesting import unknown

    if name == "-" or os.path.exists(name):
        return f"no command is given; did you mean: isogloss check {name}?"
    if name.startswith(("http://", "https://")):
        return f"no command is given; did you mean: isogloss probe {name}?"
    return unknown("command", name, _COMMANDS, see="isogloss --help")


class _LazyGroup(click.Group):
    """Imports a command only when it is run, so that a hook that checks one file does not wait for the others."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        command: click.Command = import_module(f"isogloss.cli.commands.{cmd_name}").command
        return command

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.meta[ARGUMENTS] = tuple(args)
        return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in _COMMANDS and (args[0] == "-" or not args[0].startswith("-")):
            ctx.fail(_unknown_command(args[0]))
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            ctx.exit(exits.INTERRUPTED)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(sorted(_COMMANDS.items()))


@click.group(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="isogloss", message="%(prog)s %(version)s")
def cli() -> None:
    """Check Chat Completions traffic against the OpenAI reference, and report which dialect it speaks."""


def main(argv: list[str] | None = None) -> NoReturn:
    """Run the command line, and end the process with its exit code."""
    try:
        output.guard()
        signals.end_at_once()
        code = _run(argv)
    except KeyboardInterrupt:
        code = exits.INTERRUPTED
    except MemoryError as error:  # while the first one was described, whose frames hold what is lacking
        error.__context__ = error.__traceback__ = None
        code = exits.NOTHING_CHECKED
        with suppress(OSError):
            os.write(2, _NO_MEMORY)
    _end_process(code)


def _end_process(code: int) -> NoReturn:
    """End the process, without the end of the interpreter.

    It would free each object by itself, and could meet a thread that is at work inside native code.
    """
    output.remove_partial_files()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)


def _run(argv: list[str] | None) -> int:
    """Run the command that is named, and return the exit code."""
    try:
        _check_working_directory()
        _check_completion()
        try:
            code = cli.main(args=argv, prog_name="isogloss", standalone_mode=False)
        finally:
            sys.stdout.flush()
    except click.ClickException as error:
        if not isinstance(error, _HELP):
            error.message = output.safe_line(error.message)  # type: ignore[misc, unused-ignore]  # final from click 8.4 on
        error.show()
        return error.exit_code
    except click.Abort:
        return exits.INTERRUPTED
    except Exception as error:  # noqa: BLE001 - any fault gets a message and its own exit code
        from isogloss.cli.process import internal

        click.echo(f"Error: {internal.describe(error)}", err=True)
        return exits.INTERNAL if internal.shortage(error) is None else exits.NOTHING_CHECKED
    return code if isinstance(code, int) else exits.OK


class _WrongEnvironment(click.ClickException):
    exit_code = exits.USAGE


def _check_working_directory() -> None:
    """Raise ``click.ClickException`` if the working directory, which paths are relative to, does not exist any more."""
    try:
        os.getcwd()
    except OSError as error:
        raise _WrongEnvironment(f"the working directory cannot be read: {error.strerror or error}") from error


def _check_completion() -> None:
    """Raise ``click.ClickException`` if the variable of completion scripts is set as no script of ``click`` sets it."""
    wanted = os.environ.get("_ISOGLOSS_COMPLETE")
    if not wanted:
        return
    shell, _, instruction = wanted.partition("_")
    words, current = os.environ.get("COMP_WORDS"), os.environ.get("COMP_CWORD")
    has_words = words is not None and current is not None and (shell == "fish" or current.isdecimal())
    if shell not in SHELLS or not (instruction == "source" or (instruction == "complete" and has_words)):
        raise _WrongEnvironment(
            f"_ISOGLOSS_COMPLETE={wanted} is set, without what completion scripts set with it: unset it; "
            "for a script: isogloss completion bash"
        )
