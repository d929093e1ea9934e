"""Offer a browser to tests: a headless Chromium that is controlled over a pipe, and axe, which finds barriers."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
AXE = "axe-core@4.11"
LONG_NAME = "a_property_whose_name_has_no_end_" * 4


class Tab:
    """A tab of the browser. It is controlled with the DevTools protocol."""

    def __init__(self, process: subprocess.Popen[bytes], requests: int, answers: int) -> None:
        self.process = process
        self._requests, self._answers = requests, answers
        self._buffer = b""
        self._number = 0
        self._session: str | None = None
        target = self("Target.createTarget", url="about:blank")["targetId"]
        self._session = self("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self("Page.enable")
        self("Page.setBypassCSP", enabled=True)  # a page permits only its own script, and axe is another

    def __call__(self, method: str, **parameters: object) -> Any:
        """Send a command, and return its result."""
        self._number += 1
        message: dict[str, object] = {"id": self._number, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._requests, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._read()
            if answer.get("id") == self._number:
                assert "error" not in answer, answer
                return answer["result"]

    def _read(self) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            data = os.read(self._answers, 1 << 16)
            assert data, "the browser ended"
            self._buffer += data
        message_bytes, _, self._buffer = self._buffer.partition(b"\0")
        answer: dict[str, Any] = json.loads(message_bytes)
        return answer

    def load(self, page: Path, *, width: int = 1280, scheme: str = "light", scripts: bool = True) -> None:
        """Load a page, and return when it is loaded."""
        self("Emulation.setScriptExecutionDisabled", value=not scripts)
        self.set_appearance(width, scheme)
        self("Page.navigate", url=page.as_uri())
        while self._read().get("method") != "Page.loadEventFired":
            pass

    def set_appearance(self, width: int, scheme: str, media: str = "screen") -> None:
        """Set the width, the colour scheme and the medium in which pages are shown."""
        self("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self("Emulation.setEmulatedMedia", media=media, features=features)

    def evaluate(self, expression: str) -> Any:
        """Evaluate a JavaScript expression in the page, and return its value."""
        result = self("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")

    def press(self, key: str, code: int, text: str = "") -> None:
        """Press a key and release it."""
        key_event = {"key": key, "code": key, "windowsVirtualKeyCode": code}
        self("Input.dispatchKeyEvent", type="keyDown", text=text, **key_event)
        self("Input.dispatchKeyEvent", type="keyUp", **key_event)


@pytest.fixture(scope="session")
def tab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tab]:
    """Yield a tab of a browser that runs until all tests are over. The test is skipped if there is no Chromium."""
    if CHROMIUM is None:
        pytest.skip("there is no Chromium to show the pages")
    profile = tmp_path_factory.mktemp("profile")
    to_browser, requests = os.pipe()
    answers, from_browser = os.pipe()
    command = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync"]
    command += ["--disable-background-networking", f"--user-data-dir={profile}", "--remote-debugging-pipe"]
    shell = f'exec "$@" 3<&{to_browser} 4>&{from_browser}'
    process = subprocess.Popen(
        ["bash", "-c", shell, "bash", *command],
        pass_fds=(to_browser, from_browser),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(to_browser)
    os.close(from_browser)
    try:
        yield Tab(process, requests, answers)
    finally:
        process.terminate()
        process.wait()
        os.close(requests)
        os.close(answers)


@pytest.fixture(scope="session")
def axe(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Install axe from npm, and return its script. The test is skipped if that is not possible."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("there is no npm to install axe with")
    folder = tmp_path_factory.mktemp("npm")
    result = subprocess.run(
        [npm, "install", "--no-save", "--silent", "--prefix", folder, AXE], cwd=folder, check=False, capture_output=True
    )
    if result.returncode:
        pytest.skip("npm cannot install axe")
    return (folder / "node_modules" / "axe-core" / "axe.min.js").read_text("utf-8")


@pytest.fixture
def server() -> Iterator[Callable[[object], str]]:
    """Yield a function that starts a server, which gives the same answer to every request, and returns its base URL."""
    running: list[tuple[ThreadingHTTPServer, Thread]] = []

    def start(answer: object) -> str:
        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                self.rfile.read(int(self.headers["content-length"]))
                body = json.dumps(answer).encode()
                self.send_response(200)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                """Write no log."""

        listener = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        thread = Thread(target=listener.serve_forever)
        thread.start()
        running.append((listener, thread))
        return f"http://127.0.0.1:{listener.server_address[1]}/v1"

    yield start
    for listener, thread in running:
        listener.shutdown()
        thread.join()
        listener.server_close()


@pytest.fixture
def write_page(isogloss: Callable[..., Any], server: Callable[[object], str], tmp_path: Path) -> Callable[[str], Path]:
    """Return a function that writes the page of ``check``, ``report`` or ``probe``, and returns the path of the page.

    These pages have findings, a long name, and something that was skipped. For ``nothing``, the function writes the
    page of a check that finds nothing.
    """

    def write(command: str) -> Path:
        payload = json.loads(Path("fixtures/conforming/completion/text.json").read_text())
        payload[LONG_NAME] = {"object": None}
        payload["choices"][0]["finish_reason"] = 7
        captures = tmp_path / "captures"
        captures.mkdir(exist_ok=True)
        (captures / f"{LONG_NAME}.json").write_text(json.dumps(payload))
        (captures / "other.json").write_text("{}")
        paths = ("fixtures/dialects/groq/completion.json", "fixtures/captures/json/pair.json", captures)
        probe_arguments = ("probe", "--model", "tiny", "--case", "plain,stream,refuses-missing-messages")
        arguments: dict[str, tuple[object, ...]] = {
            "check": ("check", *paths),
            "report": ("report", "--evidence", *paths),
            "nothing": ("check", "LICENSE"),
        }
        command_line = arguments.get(command) or (*probe_arguments, server(payload))
        (tmp_path / "page.html").write_text(isogloss(*command_line, "--format", "html").stdout, "utf-8")
        return tmp_path / "page.html"

    return write
