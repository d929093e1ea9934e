"""Test pages of hostile captures in a real browser: no script of a capture runs, and no request is sent."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(BROWSER is None, reason="there is no Chromium to show the pages"),
]

URL = "http://hostile.example/hostile"
SCRIPT = "document.documentElement.setAttribute('hostile','1')"
HOSTILE = (
    f"<script>{SCRIPT}</script>",
    f"</script><script src={URL}></script>",
    f'<img src="{URL}" onerror="{SCRIPT}">',
    f"\"><svg/onload={SCRIPT}><image href='{URL}'>",
    f"'><iframe srcdoc='<script>parent.{SCRIPT}</script>' src='{URL}'></iframe>",
    f"</title></style><style>@import url({URL});body{{background:url({URL})}}</style>",
    f"<meta http-equiv=refresh content='0;url={URL}'><base href='{URL}'><link rel=stylesheet href='{URL}'>",
    f"javascript:{SCRIPT}",
    f"<a href='javascript:{SCRIPT}' autofocus onfocus={SCRIPT}>",
    "{{ 7 * 7 }}{% include '/etc/passwd' %}",
    f"--><!--><form action='{URL}'><input autofocus onfocus={SCRIPT}>",
    f"<details open ontoggle={SCRIPT}><video src='{URL}' onerror={SCRIPT}>",
    f"\u202e<\u200bscript>{SCRIPT}</script>",
)


@contextmanager
def record_requests() -> Iterator[tuple[int, list[str]]]:
    """Run a proxy for all requests of a browser. Yield its port, and the list of the paths that were requested."""
    paths: list[str] = []

    class Proxy(BaseHTTPRequestHandler):
        def refuse(self) -> None:
            paths.append(self.path)
            self.send_error(404)

        do_GET = do_POST = do_CONNECT = refuse

        def log_message(self, *_: object) -> None:
            """Write no log."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Proxy)
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        yield server.server_address[1], paths
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def show_in_browser(page: Path, profile: Path) -> tuple[str, list[str]]:
    """Show a page in a browser. Return the document that the browser built, and its requests to hostile hosts."""
    with record_requests() as (port, paths):
        result = subprocess.run(
            [
                *(str(BROWSER), "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync"),
                *("--disable-background-networking", "--disable-component-update", f"--user-data-dir={profile}"),
                *(f"--proxy-server=127.0.0.1:{port}", "--proxy-bypass-list=<-loopback>"),
                *("--virtual-time-budget=2000", "--dump-dom", page.as_uri()),
            ],
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            check=True,
        )
    return result.stdout, [path for path in paths if "hostile" in path]


def hostile_completion(text: str) -> dict[str, object]:
    """Return a completion that has the text as its model, its content, and names and values of properties."""
    return {
        "id": text,
        "object": "chat.completion",
        "created": text,
        "model": text,
        "system_fingerprint": text,
        text: text,
        "choices": [
            {
                "index": 0,
                "message": {"role": text, "content": text, text: text},
                "logprobs": None,
                "finish_reason": text,
            }
        ],
    }


def write_captures(folder: Path) -> None:
    """Write captures with the hostile texts as models, property names, values, content and file names."""
    for number, text in enumerate(HOSTILE):
        name = text.replace("/", "\N{FRACTION SLASH}")[:60]
        (folder / f"{number} {name}.json").write_text(json.dumps(hostile_completion(text)), "utf-8")
    record = {"host": HOSTILE[2], "path": "/v1/chat/completions", "status": 200, "response": {"error": HOSTILE[0]}}
    (folder / "record.json").write_text(json.dumps(record), "utf-8")


@pytest.mark.parametrize("command", ["check", "report", "probe"])
def test_a_page_of_hostile_captures_runs_no_script_and_sends_no_request(
    isogloss: Callable[..., Any], server: Callable[[object], str], tmp_path: Path, command: str
) -> None:
    captures, page = tmp_path / "captures", tmp_path / "page.html"
    captures.mkdir()
    write_captures(captures)
    if command == "probe":
        answer = hostile_completion(HOSTILE[0]) | {text: hostile_completion(text) for text in HOSTILE}
        cases = ("--case", "plain,stream", "--model", HOSTILE[2])
        page.write_text(isogloss(command, server(answer), *cases, "--format", "html").stdout, "utf-8")
    else:
        isogloss(command, captures, "--output", f"html:{page}")
    document, requests = show_in_browser(page, tmp_path / "profile")
    assert 'id="findings"' in document
    assert "hostile.example" in document  # the hostile texts are in the page as plain text
    assert requests == []
    assert document.count("<script") == 1  # the script of the page itself, which shows the filters
    assert 'aria-label="Filter the findings">' in document
    document = document.partition("<script")[0] + document.rpartition("</script>")[2]
    assert ' hostile="1"' not in document.partition("<head")[0]
    for element in ("<script", "<img", "<svg", "<iframe", "<form", "<video", "<details open", "<base", "<link"):
        assert element not in document.lower()
    assert command == "report" or "{{ 7 * 7 }}" in document


def test_the_browser_runs_such_a_script_and_requests_such_a_picture_outside_of_a_report(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text(f"<!doctype html><html><head></head><body>{HOSTILE[0]}<img src='{URL}'></body></html>", "utf-8")
    document, requests = show_in_browser(page, tmp_path / "profile")
    assert 'hostile="1"' in document.partition("<head")[0]
    assert requests == [URL]
