"""Install real servers from the package registries and start them. Each server has a TOML file in ``servers``.

``python tests/live/real_servers.py NAME PORT`` runs a server until it is interrupted. The environment variable
ISOGLOSS_MODEL names the folder with the model (``tiny.gguf``, and ``hf`` with the same model for transformers).
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

__all__ = ["KEY", "Server", "ServerUnavailable", "free_port", "load_server", "run_server", "server_names"]

KEY = "sk-test"
"""The API key of every server that can be started with one."""
START_TIMEOUT = 120
"""Seconds that an installed server may take to start."""
INSTALL_TIMEOUT = 900
"""Seconds that an installation may take."""
STOP_TIMEOUT = 5
"""Seconds that a server may take to end after SIGTERM."""

_FOLDER = Path(__file__).with_name("servers")


class ServerUnavailable(Exception):
    """A server cannot be installed or started here. The message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """A server as its TOML file describes it.

    ``command``, ``environment`` and the texts of ``files`` may contain {port}, {work} (the folder of the server, with a
    Python environment in ``bin`` and npm packages in ``node_modules``), {model} (the folder with the model) and {key}.
    ``over`` names another server that this one is a gateway to, and {upstream} is its base URL. ``skip`` has the cases
    of the probe that the server cannot process. ``known`` has the findings that occur each time, written as rule, kind
    and path. ``sometimes`` has the other errors and warnings that may occur.
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


def load_server(name: str) -> Server:
    """Return the server with a name."""
    return Server(name=name, **tomllib.loads((_FOLDER / f"{name}.toml").read_text("utf-8")))


def server_names() -> list[str]:
    """Return the names of all servers, sorted."""
    return sorted(file.stem for file in _FOLDER.glob("*.toml"))


def free_port() -> int:
    """Return a port that nothing listens on."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@contextmanager
def run_server(server: Server, model: Path | None, port: int | None = None) -> Iterator[str]:
    """Install what is missing, start a server and yield its base URL. Raise ``ServerUnavailable`` if that fails."""
    if server.needs_model and model is None:
        raise ServerUnavailable(f"{server.name} needs a model")
    with ExitStack() as stack:
        upstream = stack.enter_context(run_server(load_server(server.over), model)) if server.over else ""
        work = _install_server(server)
        port = port or free_port()
        values = {"port": str(port), "work": str(work), "model": str(model), "key": KEY, "upstream": upstream}
        for name, text in server.files.items():
            (work / name).write_text(_fill_in(text, values), "utf-8")
        environment = {name: _fill_in(text, values) for name, text in server.environment.items()}
        stack.enter_context(_start([_fill_in(part, values) for part in server.command], work, environment, port))
        yield f"http://127.0.0.1:{port}{server.base}"


def _fill_in(text: str, values: Mapping[str, str]) -> str:
    for name, value in values.items():
        text = text.replace(f"{{{name}}}", value)
    return text


def _install_server(server: Server) -> Path:
    """Return the folder of a server. Install its packages there, unless these versions are installed already."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    work = Path(os.environ.get("ISOGLOSS_SERVERS") or cache / "isogloss-servers") / server.name
    installed_file, requirements = work / "installed.txt", "\n".join([*server.python, *server.npm])
    if installed_file.exists() and installed_file.read_text("utf-8") == requirements:
        return work
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    if server.python:
        _run_installer(sys.executable, "-m", "venv", work, cwd=work)
        _run_installer(work / "bin" / "pip", "install", "-q", *server.python, cwd=work)
    if server.npm:
        (work / "package.json").write_text('{"private": true}\n', "utf-8")
        _run_installer("npm", "install", "--no-save", "--ignore-scripts", "--loglevel=error", *server.npm, cwd=work)
    installed_file.write_text(requirements, "utf-8")
    return work


def _run_installer(*command: str | Path, cwd: Path) -> None:
    try:
        result = subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=INSTALL_TIMEOUT, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ServerUnavailable(str(error)) from error
    if result.returncode:
        raise ServerUnavailable(result.stderr.strip()[-500:])


@contextmanager
def _start(command: Sequence[str], work: Path, environment: Mapping[str, str], port: int) -> Iterator[None]:
    with (work / "server.log").open("wb") as log:
        process = subprocess.Popen(
            command, cwd=work, env={**os.environ, **environment}, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            start_new_session=True,
        )  # fmt: skip
    try:
        deadline = time.monotonic() + START_TIMEOUT
        while process.poll() is None and time.monotonic() < deadline:
            with suppress(OSError):
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            time.sleep(0.2)
        else:
            raise ServerUnavailable((work / "server.log").read_text("utf-8", "replace")[-500:])
        yield
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
            try:
                process.wait(STOP_TIMEOUT)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)


if __name__ == "__main__":
    _model = os.environ.get("ISOGLOSS_MODEL")
    with run_server(load_server(sys.argv[1]), Path(_model) if _model else None, int(sys.argv[2])) as _url:
        print(_url, flush=True)
        with suppress(KeyboardInterrupt):
            signal.pause()
