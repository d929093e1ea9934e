"""Installs real servers from the package registries and starts them: one TOML file each in ``servers``.

``python tests/live/real_servers.py NAME PORT`` serves until it is interrupted; the folder with the model comes from the
environment variable ISOGLOSS_MODEL (``tiny.gguf``, and ``hf`` with the same in files of transformers).
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

__all__ = ["KEY", "Server", "Unavailable", "free_port", "named", "names", "running"]

KEY = "sk-test"
"""The key that every server is started with, where it can be."""
STARTING = 120
"""Seconds that the start of a server may take once it is installed."""
INSTALLING = 900
"""Seconds that an installation may take."""
ENDING = 5
"""Seconds that a server has to end when it is asked to."""

_FOLDER = Path(__file__).with_name("servers")


class Unavailable(Exception):
    """A server that cannot be installed or started here, and why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """A server as its file describes it.

    ``command``, ``environment`` and the texts of ``files`` may name {port}, {work} (its folder, with a Python
    environment in ``bin`` and npm packages in ``node_modules``), {model} (the folder with the model), {key} and, with
    ``over``, {upstream}: the base URL of the other server that it stands before. ``skip`` are cases that it cannot
    stand. ``known`` findings, written as rule, kind and path, are found each time, other errors and warnings only
    ``sometimes``.
    """

    name: str
    about: str
    model: str
    command: Sequence[str]
    python: Sequence[str] = ()
    npm: Sequence[str] = ()
    files: Mapping[str, str] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)
    over: str = ""
    needs_model: bool = False
    base: str = "/v1"
    skip: Sequence[str] = ()
    known: Sequence[str] = ()
    sometimes: Sequence[str] = ()


def named(name: str) -> Server:
    """Return the server of that name."""
    return Server(name=name, **tomllib.loads((_FOLDER / f"{name}.toml").read_text("utf-8")))


def names() -> list[str]:
    """Return the names of all servers, sorted."""
    return sorted(file.stem for file in _FOLDER.glob("*.toml"))


def free_port() -> int:
    """Return a port that nothing listens on."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@contextmanager
def running(server: Server, model: Path | None, port: int | None = None) -> Iterator[str]:
    """Install what is missing, start a server and yield its base URL; `Unavailable` says what did not work."""
    if server.needs_model and model is None:
        raise Unavailable(f"{server.name} needs a model")
    with ExitStack() as others:
        upstream = others.enter_context(running(named(server.over), model)) if server.over else ""
        work = _installed(server)
        port = port or free_port()
        values = {"port": str(port), "work": str(work), "model": str(model), "key": KEY, "upstream": upstream}
        for name, text in server.files.items():
            (work / name).write_text(_filled(text, values), "utf-8")
        environment = {name: _filled(text, values) for name, text in server.environment.items()}
        others.enter_context(_started([_filled(part, values) for part in server.command], work, environment, port))
        yield f"http://127.0.0.1:{port}{server.base}"


def _filled(text: str, values: Mapping[str, str]) -> str:
    for name, value in values.items():
        text = text.replace(f"{{{name}}}", value)
    return text


def _installed(server: Server) -> Path:
    """Return the folder of a server, in which everything of its versions is installed once."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    work = Path(os.environ.get("ISOGLOSS_SERVERS") or cache / "isogloss-servers") / server.name
    done, wanted = work / "installed.txt", "\n".join([*server.python, *server.npm])
    if done.exists() and done.read_text("utf-8") == wanted:
        return work
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    if server.python:
        _install(sys.executable, "-m", "venv", work, cwd=work)
        _install(work / "bin" / "pip", "install", "-q", *server.python, cwd=work)
    if server.npm:
        (work / "package.json").write_text('{"private": true}\n', "utf-8")
        _install("npm", "install", "--no-save", "--ignore-scripts", "--loglevel=error", *server.npm, cwd=work)
    done.write_text(wanted, "utf-8")
    return work


def _install(*command: str | Path, cwd: Path) -> None:
    try:
        done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=INSTALLING, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Unavailable(str(error)) from error
    if done.returncode:
        raise Unavailable(done.stderr.strip()[-500:])


@contextmanager
def _started(command: Sequence[str], work: Path, environment: Mapping[str, str], port: int) -> Iterator[None]:
    with (work / "server.log").open("wb") as log:
        process = subprocess.Popen(
            command, cwd=work, env={**os.environ, **environment}, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            start_new_session=True,
        )  # fmt: skip
    try:
        end = time.monotonic() + STARTING
        while process.poll() is None and time.monotonic() < end:
            with suppress(OSError):
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            time.sleep(0.2)
        else:
            raise Unavailable((work / "server.log").read_text("utf-8", "replace")[-500:])
        yield
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
            try:
                process.wait(ENDING)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)


if __name__ == "__main__":
    _model = os.environ.get("ISOGLOSS_MODEL")
    with running(named(sys.argv[1]), Path(_model) if _model else None, int(sys.argv[2])) as _url:
        print(_url, flush=True)
        with suppress(KeyboardInterrupt):
            signal.pause()
