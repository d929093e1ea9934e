"""Run jobs in the process of an adapter, which reads one job and writes one result on each line."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, Any

__all__ = ["AdapterFailed", "AdapterProcess"]

START_TIMEOUT = 120
"""Seconds that an adapter may take to start, besides the time for its first job. It imports its client then."""
RESTART_FACTOR = 3
"""How many times as long as the start before a restart may take."""


_SHARED = Path(__file__).parent / "adapters" / "shared"
"""The folder of the module that adapters in Python import besides their client."""


class AdapterFailed(Exception):
    """An adapter failed: for example, its process ended by itself. The message has the details."""


class AdapterProcess:
    """The process of an adapter. It starts with the first job, and again after a job that hung.

    Use it in a ``with`` statement.
    """

    def __init__(self, command: Sequence[str]) -> None:
        self._command = command
        self._process: subprocess.Popen[str] | None = None
        self._start_timeout: float = START_TIMEOUT
        self._lines: queue.Queue[str] = queue.Queue()
        self._work = tempfile.TemporaryDirectory(prefix="isogloss-client-")
        self._errors: IO[str] = tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace")  # noqa: SIM115

    def __enter__(self) -> AdapterProcess:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop()
        self._errors.close()
        self._work.cleanup()

    def run_job(self, job: dict[str, Any]) -> dict[str, Any] | None:
        """Run a job and return its result; ``None`` if it takes longer than its ``timeout``."""
        seconds, start, is_starting = float(job["timeout"]), time.monotonic(), self._process is None
        if is_starting:
            self._start()
            seconds += self._start_timeout
        assert self._process is not None
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(job) + "\n")
        self._process.stdin.flush()
        try:
            line = self._lines.get(timeout=seconds)
        except queue.Empty:
            self._stop()
            return None
        if not line:
            self._stop()
            self._errors.seek(0)
            raise AdapterFailed(self._errors.read()[-2000:])
        if is_starting:
            self._start_timeout = min(START_TIMEOUT, RESTART_FACTOR * (time.monotonic() - start))
        result: dict[str, Any] = json.loads(line)
        if result.get("id") != job["id"]:
            raise AdapterFailed(f"answered job {result.get('id')!r} instead of {job['id']!r}")
        return result

    def _start(self) -> None:
        self._lines = queue.Queue()
        self._process = subprocess.Popen(
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
            encoding="utf-8",
            cwd=self._work.name,
            env=_environment(self._work.name),
        )
        threading.Thread(target=_read_lines, args=(self._process.stdout, self._lines), daemon=True).start()

    def _stop(self) -> None:
        if self._process is None:
            return
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()
        self._process = None


def _read_lines(lines: IO[str] | None, queued: queue.Queue[str]) -> None:
    assert lines is not None
    try:
        for line in lines:
            queued.put(line)
    except ValueError:  # the pipe was closed, because the process was stopped
        return
    queued.put("")


def _environment(home: str) -> dict[str, str]:
    """Return environment variables without keys and proxies, which also switch the telemetry of clients off."""
    kept = {name: value for name, value in os.environ.items() if name in ("PATH", "LANG", "LC_ALL", "TMPDIR")}
    no_telemetry = {
        "OTEL_SDK_DISABLED": "true",
        "HAYSTACK_TELEMETRY_ENABLED": "False",
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    }
    no_tracing = {"OPENAI_AGENTS_DISABLE_TRACING": "1", "DO_NOT_TRACK": "1", "LITELLM_TELEMETRY": "False"}
    return {**kept, **no_telemetry, **no_tracing, "HOME": home, "PYTHONPATH": str(_SHARED), "NO_PROXY": "*"}
